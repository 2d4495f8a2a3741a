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

static int is_word(bitfold_format format) { return format == BITFOLD_FORMAT_F16 || format == BITFOLD_FORMAT_BF16; }

/* --codes: the integers of the file are the bits of another format. */
static int take_codes(input *in, bitfold_format as) {
  char name[DTYPE_MAX];
  const char *want = is_word(as) ? "uint16" : bitfold_format_size(as) == 1 ? "int8" : "int16";
  (void)dtype_name(in->header.descr, name);
  int same = is_word(as) ? dtype_is_word(in->header.descr) : strcmp(name, want) == 0;
  if (!same) return complain(in->name, "holds %s; %s codes are %s", name, bitfold_format_name(as), want);
  return view(in, as, elements(in), dtype_swapped(in->header.descr));
}

static int refuse(const input *in) {
  char name[DTYPE_MAX];
  (void)dtype_name(in->header.descr, name);
  if (dtype_is_word(in->header.descr)) {
    return complain(in->name, "holds %s; with --codes --as bf16 or --codes --as f16 its words are taken for those bits", name);
  }
  return complain(
      in->name, "holds %s; float16, float32, float64, int8, int16 and int32 are accepted; NumPy's astype makes one of them", name);
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

/* A chunk was refused for a NaN in it; element after element finds which. */
static int refuse_nan(const input *in, bitfold_format from, bitfold_format to, const unsigned char *chunk, uint64_t first,
                      size_t n) {
  char index[SHAPE_TEXT_MAX];
  int64_t one;
  size_t i = 0;
  size_t size = bitfold_format_size(from);
  while (i + 1 < n && bitfold_convert(from, chunk + i * size, to, &one, 1, NULL) == BITFOLD_STATUS_OK) i++;
  return complain(in->name, "NaN at %s, which %s cannot hold; remove it, or reduce as a float format",
                  index_text(&in->header, first + i, index), bitfold_format_name(to));
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
static int convert_chunk(input *in, bitfold_format to, int spool, uint64_t first, size_t n, unsigned char *buffer) {
  bitfold_format from = dtype_format(in->header.descr);
  size_t size = bitfold_format_size(from);
  unsigned char *converted = buffer + (size_t)CHUNK * size;
  uint64_t clamped = 0;
  memcpy(buffer, elements(in) + first * size, n * size);
  if (dtype_swapped(in->header.descr)) swap_bytes(buffer, n, size);
  bitfold_status status = bitfold_convert(from, buffer, to, converted, n, &clamped);
  if (status == BITFOLD_STATUS_VALUE) return refuse_nan(in, from, to, buffer, first, n);
  if (status != BITFOLD_STATUS_OK) return complain(in->name, "%s", bitfold_status_text(status));
  in->clamped += clamped;
  return spool_write(in->name, spool, converted, n * bitfold_format_size(to));
}

static int convert_all(input *in, bitfold_format to, int spool) {
  size_t size = bitfold_format_size(dtype_format(in->header.descr));
  unsigned char *buffer = malloc((size_t)CHUNK * (size + bitfold_format_size(to)));
  if (!buffer) return complain(in->name, "out of memory");
  int status = STATUS_DONE;
  progress_start(size);
  pages_start(in, NULL, size, 1);
  for (uint64_t first = 0; !status && first < in->header.count; first += CHUNK) {
    uint64_t left = in->header.count - first;
    status = convert_chunk(in, to, spool, first, left < CHUNK ? (size_t)left : (size_t)CHUNK, buffer);
    pages_tell(first);
    if (!status) progress_show(first, in->header.count);
  }
  pages_stop();
  progress_stop();
  free(buffer);
  return status;
}

/* Converts all into a spool, which takes the place of the file's mapping. */
static int convert(input *in, bitfold_format to) {
  int spool = spool_open(in->name);
  if (spool < 0) return STATUS_UNUSABLE;
  int status = convert_all(in, to, spool);
  if (!status) {
    input_close(in);
    status = input_map(in->name, spool, in->header.count * bitfold_format_size(to), in);
  }
  (void)close(spool);
  return status ? status : view(in, to, in->map, 0);
}

int recast(input *in, bitfold_format as, int codes) {
  bitfold_format own = dtype_format(in->header.descr);
  if (codes) return take_codes(in, as);
  if (own == BITFOLD_FORMAT_NONE) return refuse(in);
  if (as == BITFOLD_FORMAT_NONE || as == own) return view(in, own, elements(in), dtype_swapped(in->header.descr));
  if (format_is_sf(as) && format_is_integer(own)) {
    return complain(in->name, "holds %s; --codes says that its integers are %s codes", bitfold_format_name(own),
                    bitfold_format_name(as));
  }
  return convert(in, as);
}
