/* SPDX-License-Identifier: Apache-2.0 */
/* --as and --codes: what the elements of a file are to be taken for, and their conversion, a chunk at a time. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 18 }; /* elements; no claim but that it is well above a page and well below memory */

/* Points the tensor at the elements, which keep the file's shape and order whatever their format. */
static int view(input *in, bitfold_format format, const void *data, int swapped) {
  const npy *h = &in->header;
  bitfold_status status = bitfold_tensor_init(&in->tensor, format, data, h->rank, h->shape);
  if (status != BITFOLD_STATUS_OK) return complain(in->name, "%s", bitfold_status_text(status));
  in->tensor.swapped = swapped;
  int64_t step = (int64_t)bitfold_format_size(format);
  for (int i = 0; h->fortran && i < h->rank; i++) {
    in->tensor.stride[i] = step;
    if (h->count) step *= h->shape[i];
  }
  return STATUS_DONE;
}

static const unsigned char *elements(const input *in) { return (const unsigned char *)in->map + in->header.offset; }

static int is_half(bitfold_format format) { return format == BITFOLD_FORMAT_F16 || format == BITFOLD_FORMAT_BF16; }

static int refuse(const input *in) {
  char name[DTYPE_MAX];
  (void)npy_dtype(&in->header, name);
  if (dtype_is_word(in->header.descr)) {
    return complain(in->name, "holds %s; with --codes --as bf16 or --codes --as f16 its words are taken for those bits%s", name,
                    dtype_format(in->header.descr) ? ", with --as i32 for integers" : "");
  }
  return complain(in->name,
                  "holds %s; float16, float32, float64, int8 to int64, uint8, uint32, bool and sfN are accepted; "
                  "NumPy's astype makes one of them",
                  name);
}

/* The integers of the file are to be the bits of another format. */
static int check_codes(const input *in, bitfold_format as) {
  char name[DTYPE_MAX];
  const char *want = is_half(as) ? "uint16" : bitfold_format_size(as) == 1 ? "int8" : "int16";
  (void)npy_dtype(&in->header, name);
  if (in->header.codes && in->header.codes != as) {
    return complain(in->name, "holds codes of %s; without --codes, --as %s converts them", name, bitfold_format_name(as));
  }
  int same = is_half(as) ? dtype_is_word(in->header.descr) : in->header.codes || strcmp(name, want) == 0;
  return same ? STATUS_DONE : complain(in->name, "holds %s; %s codes are %s", name, bitfold_format_name(as), want);
}

/* *from becomes the format of the elements as they lie in the file. An integer is never a value of sfN, but may be its code. */
static int find_source(const input *in, bitfold_format as, int codes, bitfold_format *from) {
  const npy *h = &in->header;
  *from = npy_format(h);
  if (codes || (format_is_sf(as) && format_is_integer(*from))) {
    *from = as;
    return check_codes(in, as);
  }
  int is_open = dtype_is_word(h->descr) && (as == BITFOLD_FORMAT_NONE || is_half(as));
  return *from == BITFOLD_FORMAT_NONE || is_open ? refuse(in) : STATUS_DONE;
}

/* Where element i of the file lies in the array: "[2, 0]". */
static const char *index_text(const npy *h, uint64_t i, char text[SHAPE_TEXT_MAX]) {
  uint64_t at[BITFOLD_RANK_MAX] = {0};
  size_t used = 1;
  for (int k = 0; k < h->rank; k++) {
    int axis = h->fortran ? k : h->rank - 1 - k;
    at[axis] = i % (uint64_t)h->shape[axis];
    i /= (uint64_t)h->shape[axis];
  }
  text[0] = '[';
  for (int k = 0; k < h->rank; k++) {
    used += (size_t)snprintf(text + used, SHAPE_TEXT_MAX - used, k ? ", %llu" : "%llu", (unsigned long long)at[k]);
  }
  (void)snprintf(text + used, SHAPE_TEXT_MAX - used, "]");
  return text;
}

/* A chunk was refused for an element of it; one after the other finds which. */
static int refuse_element(const input *in, bitfold_format from, bitfold_format to, const unsigned char *chunk, uint64_t first,
                          size_t n) {
  char index[SHAPE_TEXT_MAX];
  int64_t one;
  size_t i = 0;
  size_t size = bitfold_format_size(from);
  while (i + 1 < n && bitfold_convert(from, chunk + i * size, to, &one, 1, NULL) == BITFOLD_STATUS_OK) i++;
  (void)index_text(&in->header, first + i, index);
  if (format_is_sf(from)) {
    return complain(in->name, "code %lld at %s, which %s does not have", (long long)number_code(from, chunk, i), index,
                    bitfold_format_name(from));
  }
  return complain(in->name, "NaN at %s, which %s cannot hold; remove it, or choose a float format", index, bitfold_format_name(to));
}

static void swap_bytes(unsigned char *bytes, size_t n, size_t size) {
  for (unsigned char *element = bytes; element < bytes + n * size; element += size) {
    for (size_t i = 0; i < size / 2; i++) {
      unsigned char byte = element[i];
      element[i] = element[size - 1 - i];
      element[size - 1 - i] = byte;
    }
  }
}

/* Converts n elements from number `first` on, and appends them to the spool. buffer has room for both sides. */
static int convert_chunk(input *in, bitfold_format from, bitfold_format to, int spool, uint64_t first, size_t n,
                         unsigned char *buffer) {
  const char *descr = in->header.descr;
  size_t size = dtype_size(descr);
  unsigned char *converted = buffer + (size_t)CHUNK * sizeof(int64_t);
  uint64_t clamped = 0;
  memcpy(buffer, elements(in) + first * size, n * size);
  if (dtype_swapped(descr)) swap_bytes(buffer, n, size);
  if (from == BITFOLD_FORMAT_I64 && dtype_is_widened(descr)) dtype_widen(descr, buffer, n);
  bitfold_status status = bitfold_convert(from, buffer, to, converted, n, &clamped);
  if (status == BITFOLD_STATUS_VALUE) return refuse_element(in, from, to, buffer, first, n);
  if (status != BITFOLD_STATUS_OK) return complain(in->name, "%s", bitfold_status_text(status));
  in->clamped += clamped;
  return spool_write(in->name, spool, converted, n * bitfold_format_size(to));
}

static int convert_all(input *in, bitfold_format from, bitfold_format to, int spool) {
  size_t size = dtype_size(in->header.descr);
  unsigned char *buffer = malloc((size_t)CHUNK * (sizeof(int64_t) + bitfold_format_size(to)));
  if (!buffer) return complain(in->name, "out of memory");
  int status = STATUS_DONE;
  progress_start(size);
  pages_start(in, NULL, size, 1);
  for (uint64_t first = 0; !status && first < in->header.count; first += CHUNK) {
    uint64_t left = in->header.count - first;
    status = convert_chunk(in, from, to, spool, first, left < CHUNK ? (size_t)left : (size_t)CHUNK, buffer);
    pages_tell(first);
    if (!status) progress_show(first, in->header.count);
  }
  pages_stop();
  progress_stop();
  free(buffer);
  return status;
}

/* Converts all into a spool, which takes the place of the file's mapping. */
static int convert(input *in, bitfold_format from, bitfold_format to) {
  int spool = spool_open(in->name);
  if (spool < 0) return STATUS_UNUSABLE;
  int status = convert_all(in, from, to, spool);
  if (!status) {
    input_close(in);
    status = input_map(in->name, spool, in->header.count * bitfold_format_size(to), in);
  }
  (void)close(spool);
  return status ? status : view(in, to, in->map, 0);
}

int recast(input *in, bitfold_format as, int codes, int always) {
  bitfold_format from;
  int status = find_source(in, as, codes, &from);
  if (status) return status;
  bitfold_format to = as == BITFOLD_FORMAT_NONE ? from : as;
  if (dtype_is_widened(in->header.descr) && !codes) return convert(in, BITFOLD_FORMAT_I64, to);
  return always || to != from ? convert(in, from, to) : view(in, to, elements(in), dtype_swapped(in->header.descr));
}
