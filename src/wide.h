/* SPDX-License-Identifier: Apache-2.0 */
/* The sum that does not round; wide.c. Part of kernel.h. */

/*
 * A signed integer of base 2^32 digits, times 2^-BF_WIDE_POINT: every product of two f64 and 2^63 of them fit. Digits are kept in
 * int64_t so that carries may wait: each may still change by room * 2^32. Only digits [low, high) exist.
 */
enum { BF_WIDE_POINT = 68 * 32, BF_WIDE_DIGITS = 136, BF_WIDE_ROOM = 1 << 30 };
enum { BF_SAW_NAN = 1, BF_SAW_PLUS = 2, BF_SAW_MINUS = 4 };
struct bf_wide {
  int low, high;
  int saw; /* infinities and NaN */
  int room;
  int64_t digit[BF_WIDE_DIGITS];
};
/* For terms that are multiples of 2^least below 2^most in magnitude. */
void bf_wide_init(struct bf_wide *wide, int least, int most);
void bf_wide_add_integer(struct bf_wide *wide, int64_t value, int exponent);
void bf_wide_add_products(struct bf_wide *wide, const double *x, const double *y, size_t n, size_t step);
void bf_wide_carry(struct bf_wide *wide);
void bf_wide_merge(struct bf_wide *wide, const struct bf_wide *other);
/* The sum divided by count, exactly; count is not 0. */
struct bf_real bf_wide_over(struct bf_wide *wide, uint64_t count);
