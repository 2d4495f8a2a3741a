/* SPDX-License-Identifier: Apache-2.0 */
/* agree: reduces generated data and files on every machine here; one hash of all result bits each, which must be the same. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MACHINES_MAX = 16, LONGEST = 2051 };

typedef struct agree {
  size_t machines;
  XXH3_state_t *hash[MACHINES_MAX];
  char difference[600]; /* the first; empty while there is none */
  /* What is being tried. */
  const char *data;
  bitfold_tensor x;
  bitfold_axes axes; /* of one axis, or of none for all of them */
  /* How far a file is, in elements. */
  uint64_t done;
  uint64_t total;
  const input *in;
} agree;

static const bitfold_axes *axes_of(const agree *a) { return a->axes.count ? &a->axes : NULL; }

static int start(agree *a) {
  for (; a->machines < MACHINES_MAX && bitfold_isa_at(a->machines); a->machines++) {
    XXH3_state_t *state = XXH3_createState();
    if (!state) return complain(NULL, "out of memory");
    (void)XXH3_128bits_reset(state);
    a->hash[a->machines] = state;
  }
  return STATUS_DONE;
}

/* Bytes of results are hashed low byte first, so that machines of either byte order print the same. */
static void add_bits(XXH3_state_t *state, const bitfold_tensor *output, uint64_t count) {
  const unsigned char *bytes = output->data;
  size_t size = bitfold_format_size(output->format);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  for (uint64_t i = 0; i < count * size; i++) (void)XXH3_128bits_update(state, &bytes[i / size * size + size - 1 - i % size], 1);
#else
  (void)XXH3_128bits_update(state, bytes, (size_t)count * size);
#endif
}

static int watch(void *context, uint64_t done, uint64_t total) {
  const agree *a = context;
  (void)total;
  if (!a->in) return 0;
  pages_tell(done);
  progress_show(a->done + done, a->total);
  return 0;
}

static void note_difference(agree *a, const bitfold_contract *contract, const char *isa) {
  char text[256];
  char shape[SHAPE_TEXT_MAX];
  char axis[32] = "all axes";
  if (a->difference[0]) return;
  (void)bitfold_contract_print(contract, text, sizeof text);
  if (a->axes.count) (void)snprintf(axis, sizeof axis, "axis %d", a->axes.axis[0]);
  (void)snprintf(a->difference, sizeof a->difference, "%s and %s differ: %s of %s, shape %s, %s", bitfold_isa_at(0), isa, text,
                 a->data, shape_text(a->x.rank, a->x.shape, shape), axis);
}

/* One contract on every machine. Room is for two results: the first machine's, and that of the one that is compared. */
static void compare(agree *a, const bitfold_contract *contract, bitfold_tensor *output, unsigned char *room, uint64_t count) {
  size_t size = (size_t)count * bitfold_format_size(output->format);
  unsigned char first_code = 0;
  const bitfold_tensor *y = contract->operation == BITFOLD_OPERATION_DOT ? &a->x : NULL;
  for (size_t i = 0; i < a->machines; i++) {
    bitfold_engine engine = {.isa = bitfold_isa_at(i), .progress = watch, .context = a};
    output->data = room + (i ? size : 0);
    if (a->in) pages_start(a->in, NULL, bitfold_format_size(a->x.format), pages_along(a->in, axes_of(a)));
    bitfold_status status = bitfold_reduce(contract, &a->x, y, axes_of(a), output, &engine, NULL);
    if (a->in) pages_stop();
    unsigned char code = (unsigned char)status;
    (void)XXH3_128bits_update(a->hash[i], &code, 1);
    if (status == BITFOLD_STATUS_OK) add_bits(a->hash[i], output, count);
    if (i == 0) first_code = code;
    else if (code != first_code || (!code && memcmp(room, room + size, size) != 0)) note_difference(a, contract, engine.isa);
    a->done += a->in ? a->in->header.count : 0;
  }
}

static int try_contract(void *context, const bitfold_contract *contract) {
  agree *a = context;
  bitfold_tensor output;
  bitfold_message message;
  if (bitfold_tensor_reduced(&a->x, axes_of(a), 0, contract->output, &output, &message) != BITFOLD_STATUS_OK) {
    return complain(a->data, "%s", message.text);
  }
  uint64_t count = 1;
  for (int i = 0; i < output.rank; i++) count *= (uint64_t)output.shape[i];
  unsigned char *room = calloc(count ? count : 1, 2 * bitfold_format_size(output.format));
  if (!room) return complain(a->data, "out of memory for %llu outputs", (unsigned long long)count);
  compare(a, contract, &output, room, count);
  free(room);
  return STATUS_DONE;
}

/* Lengths at each boundary of the orders' blocks and lanes and one off it, and matrices along either axis. */
static const int64_t shapes[][2] = {{0, 0},       {1, 0},   {2, 0},   {3, 0},   {4, 0},   {5, 0},   {7, 0},   {8, 0},
                                    {9, 0},       {15, 0},  {16, 0},  {17, 0},  {31, 0},  {32, 0},  {33, 0},  {63, 0},
                                    {64, 0},      {65, 0},  {127, 0}, {128, 0}, {129, 0}, {255, 0}, {257, 0}, {1000, 0},
                                    {LONGEST, 0}, {19, 37}, {3, 257}, {257, 5}, {16, 64}};

static int try_shape(agree *a, bitfold_format format, const void *data, const int64_t *shape) {
  int rank = shape[1] ? 2 : 1;
  (void)bitfold_tensor_init(&a->x, format, data, rank, shape);
  int status = STATUS_DONE;
  for (int axis = rank == 1 ? -1 : -rank; !status && axis < 0; axis++) {
    a->axes = (bitfold_axes){.count = 1, .axis = {axis}};
    status = trials_each(format, try_contract, a);
  }
  return status;
}

static int try_generated(agree *a, bitfold_format format, size_t kind) {
  char name[64];
  int status = STATUS_DONE;
  void *data = calloc(LONGEST, bitfold_format_size(format));
  if (!data) return complain(NULL, "out of memory");
  (void)snprintf(name, sizeof name, "generated data (%s)", generate_kind(kind));
  a->data = name;
  generate(kind, format, 64 * (uint64_t)format + kind, data, LONGEST);
  for (size_t i = 0; !status && i < sizeof shapes / sizeof shapes[0]; i++) status = try_shape(a, format, data, shapes[i]);
  free(data);
  return status;
}

static int try_all_generated(agree *a) {
  static const bitfold_format formats[] = {BITFOLD_FORMAT_F16, BITFOLD_FORMAT_BF16, BITFOLD_FORMAT_F32, BITFOLD_FORMAT_F64,
                                           BITFOLD_FORMAT_I8,  BITFOLD_FORMAT_I16,  BITFOLD_FORMAT_I32, BITFOLD_FORMAT_I64,
                                           BITFOLD_FORMAT_SF2, BITFOLD_FORMAT_SF4,  BITFOLD_FORMAT_SF8, BITFOLD_FORMAT_SF9,
                                           BITFOLD_FORMAT_SF16};
  const size_t count = sizeof formats / sizeof formats[0];
  int status = STATUS_DONE;
  progress_start(0);
  for (size_t f = 0; f < count; f++) {
    progress_show(f, count);
    for (size_t kind = 0; !status && generate_kind(kind); kind++) status = try_generated(a, formats[f], kind);
  }
  progress_stop();
  return status;
}

static int count_trial(void *context, const bitfold_contract *contract) {
  (void)contract;
  ++*(uint64_t *)context;
  return STATUS_DONE;
}

/* A file: all axes together, then each alone. */
static int try_axes(agree *a, const input *in) {
  uint64_t trials = 0;
  int status = STATUS_DONE;
  (void)trials_each(in->tensor.format, count_trial, &trials);
  a->data = in->name;
  a->x = in->tensor;
  a->in = in;
  a->done = 0;
  a->total = trials * a->machines * in->header.count * (in->tensor.rank > 1 ? 1 + (uint64_t)in->tensor.rank : 1);
  progress_start(bitfold_format_size(in->tensor.format));
  for (int axis = -1; !status && axis < (in->tensor.rank > 1 ? in->tensor.rank : 0); axis++) {
    a->axes = (bitfold_axes){.count = axis >= 0, .axis = {axis}};
    status = trials_each(in->tensor.format, try_contract, a);
  }
  progress_stop();
  a->in = NULL;
  return status;
}

static int try_file(agree *a, const options *o, const char *file) {
  input in;
  int status = input_open(file, o->as, o->codes, &in);
  if (!status) status = try_axes(a, &in);
  input_close(&in);
  return status;
}

static int report(const agree *a) {
  size_t width = 0;
  for (size_t i = 0; i < a->machines; i++) {
    if (strlen(bitfold_isa_at(i)) > width) width = strlen(bitfold_isa_at(i));
  }
  for (size_t i = 0; i < a->machines; i++) {
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(a->hash[i]));
    (void)printf("%-*s ", (int)width, bitfold_isa_at(i));
    for (size_t k = 0; k < sizeof hash.digest; k++) (void)printf("%02x", hash.digest[k]);
    (void)putchar('\n');
  }
  (void)printf("%zu machine%s here:", a->machines, a->machines == 1 ? "" : "s");
  for (size_t i = 0; i < a->machines; i++) (void)printf("%s %s", i ? "," : "", bitfold_isa_at(i));
  (void)puts(a->difference[0] ? "; they differ" : a->machines > 1 ? "; they agree" : "");
  int status = output_flush();
  if (status || !a->difference[0]) return status;
  (void)complain(NULL, "%s", a->difference);
  return STATUS_NO;
}

int verb_agree(const options *o) {
  agree a = {0};
  int status = STATUS_DONE;
  if (o->file_count == 0 && (o->codes || o->as)) status = complain(NULL, "--as and --codes are about files; none given");
  if (!status) status = options_codes(o);
  if (!status) status = start(&a);
  for (int i = 0; !status && i < o->file_count; i++) status = try_file(&a, o, o->file[i]);
  if (!status) status = try_all_generated(&a);
  if (!status) status = report(&a);
  for (size_t i = 0; i < a.machines; i++) (void)XXH3_freeState(a.hash[i]);
  return status;
}
