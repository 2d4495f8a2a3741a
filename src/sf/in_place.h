/* SPDX-License-Identifier: Apache-2.0 */
/* What in_place.c is made of: where codes lie (place.c), their products (products.c), and the sums (segments.c, columns.c). */
#ifndef BITFOLD_IN_PLACE_H
#define BITFOLD_IN_PLACE_H
#include "../kernel.h"

/* Term i of output j is the code at data + i * step + j * across. */
struct bf_place {
  const unsigned char *data;
  int64_t step, across;
};
/* Where an operand's terms lie from `first` on; data is null if they are not at one step, or not aligned, or swapped. */
struct bf_place bf_place_of(const struct bf_terms *terms, enum bf_operand which, uint64_t first);
/* Counts n terms that were read so, at most BF_DUE for each output, and asks the caller whether to stop. */
enum { BF_DUE = 1 << 16 };
void bf_count_terms(const struct bf_terms *terms, uint64_t first, uint64_t n);

/* A hint that these bytes will be read soon; nothing need be there. */
static inline void bf_announce(const void *x, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const unsigned char *)x + i);
}

int bf_is_row_in_range(const struct bf_isa *isa, bitfold_format format, const void *codes, size_t n); /* contiguous and aligned */

struct bf_factors bf_factors_of(const struct bf_isa *isa, const struct bf_codes *codes, int size);
/*
 * What adds terms of `size` bytes to sums whose edges fit 16 bits, by the machine's acts or in plain C; nothing where BF_IN_PLACE
 * is 0: n contiguous ones of one output; of `width` outputs, a multiple of 8 and at most BF_SEGMENTS, `across` bytes from one to
 * the next; and n rows of 16 outputs, of which `width` are wanted, `step` bytes apart.
 */
enum { BF_LINES = 8 };
void bf_add_segments(const struct bf_isa *isa, struct bf_codes *codes, const void *terms, int size, size_t n);
void bf_add_lines(const struct bf_isa *isa, struct bf_codes *codes, size_t width, const void *terms, int size, ptrdiff_t across,
                  size_t n);
/*
 * The same by a machine's acts alone, in scanned.c: as many terms as make whole segments (returned); BF_SEGMENTS outputs for lines,
 * BF_CHAINS for columns and dots.
 */
size_t bf_add_scanned(const struct bf_isa *isa, struct bf_codes *codes, const void *terms, int size, size_t n);
/* Whether n terms, which are whole segments, take all accumulators to one, which is then the sum. */
int bf_do_decide(const struct bf_isa *isa, struct bf_codes *codes, const void *terms, int size, size_t n);
void bf_follow_lines(const struct bf_isa *isa, struct bf_codes *codes, const void *x, int size, ptrdiff_t across, size_t n);
int bf_follow_dots(const struct bf_factors *factors, struct bf_codes *codes, const struct bf_dots *dots); /* 0: nothing was added */
void bf_follow_columns(const struct bf_isa *isa, struct bf_codes *codes, const void *x, int size, ptrdiff_t step, size_t n);
void bf_add_columns(struct bf_codes *codes, size_t width, const void *terms, int size, ptrdiff_t step, size_t n);
/* 16 n products of codes, of which none is `zero`. Returns 0 if one of them does not fit. */
int bf_multiply(const struct bf_factors *factors, bf_code *product, const void *x, const void *y, size_t n);
/* Makes `zero` 0, in 16 n codes. */
void bf_clear(const struct bf_factors *factors, void *codes, size_t n);

#endif
