/* SPDX-License-Identifier: Apache-2.0 */
/* Which contracts made a result: each candidate is reduced, and its outputs are compared with those that somebody got. */
#include "../kernel.h"

/* The number of an element of a float format, of which neighbours differ by 1; both zeros are 0. */
static int64_t place(const struct bf_format *f, uint64_t bits) {
  const uint64_t sign = (uint64_t)1 << (8 * f->size - 1);
  const int64_t magnitude = (int64_t)(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}
static int is_nan(const struct bf_format *f, uint64_t bits) {
  const uint64_t infinity = (((uint64_t)1 << f->exponent) - 1) << f->fraction;
  return f->kind == BF_BINARY && (bits & (((uint64_t)1 << (8 * f->size - 1)) - 1)) > infinity;
}

/* How far apart two elements are: 0 where they are the same, and all NaN are. */
static uint64_t distance(bitfold_format format, uint64_t a, uint64_t b) {
  const struct bf_format *f = bf_format(format);
  const int unused = 64 - 8 * f->size;
  if (a == b || (is_nan(f, a) && is_nan(f, b))) return 0;
  if (is_nan(f, a) || is_nan(f, b)) return UINT64_MAX;
  int64_t x = place(f, a), y = place(f, b);
  if (f->kind != BF_BINARY) { /* sign-extended; a shift to the left and back would be the processor's choice */
    const uint64_t sign = (uint64_t)1 << (63 - unused);
    x = (int64_t)((a ^ sign) - sign), y = (int64_t)((b ^ sign) - sign);
  }
  const uint64_t apart = x < y ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y;
  return apart ? apart : 1; /* zeros of two signs */
}

/* The elements of got in row-major order beside those of `made`, which lie one behind the other. */
static void compare(const bitfold_tensor *got, const unsigned char *made, bitfold_trial *trial) {
  const int size = bf_format(got->format)->size;
  uint64_t outputs = 1;
  for (int i = 0; i < got->rank; i++) outputs *= (uint64_t)got->shape[i];
  trial->outputs = trial->first = outputs;
  trial->matched = trial->ulps = 0;
  trial->hash = 0xcbf29ce484222325;
  for (uint64_t k = 0; k < outputs; k++) {
    int64_t offset = 0;
    uint64_t rest = k;
    for (int i = got->rank - 1; i >= 0; i--) {
      offset += (int64_t)(rest % (uint64_t)got->shape[i]) * got->stride[i];
      rest /= (uint64_t)got->shape[i];
    }
    const uint64_t wanted = bf_load((const unsigned char *)got->data + offset, size, got->swapped);
    const uint64_t output = bf_load(made + k * (uint64_t)size, size, 0), apart = distance(got->format, wanted, output);
    trial->hash = (trial->hash ^ output ^ trial->hash >> 29) * 0x9e3779b97f4a7c15;
    if (!apart) trial->matched++;
    if (apart && trial->first == outputs) trial->first = k;
    if (apart > trial->ulps) trial->ulps = apart;
  }
}

bitfold_status bitfold_try(const bitfold_contract *contract, const bitfold_tensor *x, const bitfold_tensor *y,
                           const bitfold_axes *axes, const bitfold_tensor *got, void *room, const bitfold_engine *engine,
                           bitfold_trial *trial, bitfold_message *message) {
  bitfold_report report;
  bitfold_tensor made;
  if (!contract || !got || !room || !trial)
    return BF_FAIL(message, BITFOLD_STATUS_NULL, "the contract, the result, the room or the trial is null");
  bitfold_status status = bitfold_tensor_init(&made, got->format, room, got->rank, got->shape);
  if (status) return BF_FAIL(message, status, "the result that was got: ", bitfold_status_text(status));
  status = bitfold_reduce(contract, x, y, axes, &made, engine, &report);
  if (status && message) *message = report.message;
  if (status) return status;
  bitfold_trial found = {.contract = *contract};
  compare(got, room, &found);
  *trial = found;
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}

/* Whether a stands before b: more outputs, then fewer units in the last place; equals keep the sequence of the candidates. */
static int is_nearer(const bitfold_trial *a, const bitfold_trial *b) {
  return a->matched != b->matched ? a->matched > b->matched : a->ulps < b->ulps;
}

static void insert(bitfold_trial *trials, size_t capacity, size_t count, const bitfold_trial *trial) {
  size_t at = count < capacity ? count : capacity;
  if (!capacity || (at == capacity && !is_nearer(trial, &trials[at - 1]))) return;
  if (at == capacity) at--;
  for (; at && is_nearer(trial, &trials[at - 1]); at--) trials[at] = trials[at - 1];
  trials[at] = *trial;
}

/* The caller's progress over all reductions, of which each counts from 0. */
struct watch {
  const bitfold_engine *engine;
  uint64_t before, candidates;
};
static int watch(void *context, uint64_t done, uint64_t total) {
  const struct watch *w = context;
  const uint64_t all = total <= UINT64_MAX / w->candidates ? total * w->candidates : UINT64_MAX;
  return w->engine->progress(w->engine->context, w->before * total + done, all);
}

bitfold_status bitfold_explain(const bitfold_contract *asked, const bitfold_tensor *x, const bitfold_tensor *y,
                               const bitfold_axes *axes, const bitfold_tensor *got, void *room, const bitfold_engine *engine,
                               bitfold_trial *trials, size_t capacity, size_t *count, bitfold_message *message) {
  bitfold_engine each = {0};
  bitfold_message why = {""};
  bitfold_contract open, candidate;
  bitfold_trial trial;
  bitfold_status refused = BITFOLD_STATUS_CONTRACT;
  size_t tried = 0;
  if (!asked || !got || !count || (capacity && !trials))
    return BF_FAIL(message, BITFOLD_STATUS_NULL, "the contract, the result, the count or the trials are null");
  open = *asked;
  if (!open.output) open.output = got->format;
  struct watch w = {engine, 0, 0};
  if (engine) each = *engine;
  if (each.progress) each.progress = watch, each.context = &w;
  for (uint64_t cursor = 0; bitfold_candidate_next(&open, &cursor, &candidate);) w.candidates++;
  for (uint64_t cursor = 0; bitfold_candidate_next(&open, &cursor, &candidate); w.before++) {
    const bitfold_status status = bitfold_try(&candidate, x, y, axes, got, room, &each, &trial, &why);
    if (status == BITFOLD_STATUS_STOPPED) return BF_FAIL(message, status, why.text);
    if (status) refused = status; /* this layout, or length, is not for it */
    else insert(trials, capacity, tried++, &trial);
  }
  if (!tried && why.text[0]) return BF_FAIL(message, refused, why.text);
  if (!tried) return BF_FAIL(message, refused, "no usual contract has these parts: operation, element, accumulator, output");
  *count = tried;
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}
