/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sum that does not round: a fixed-point number that holds every product of two f64 and 2^63 of them, and its exact quotient.
 *
 * An addition touches two or three digits, and carries wait: `room` counts, in units of 2^32, by how much a digit may still change
 * before it could pass 2^63.
 */
#include "kernel.h"

static int digit_of(int exponent) { return (exponent + BF_WIDE_POINT) >> 5; }

void bf_wide_init(struct bf_wide *wide, int least, int most) {
  wide->low = digit_of(least);
  wide->high = digit_of(most + 64) + 2; /* 2^63 terms, and a sign */
  wide->saw = 0;
  wide->room = BF_WIDE_ROOM;
  memset(wide->digit + wide->low, 0, (size_t)(wide->high - wide->low) * sizeof *wide->digit);
}

/* Now every digit but the highest lies in [0, 2^32); the highest carries the sign. */
void bf_wide_carry(struct bf_wide *wide) {
  int64_t carry = 0;
  for (int k = wide->low; k < wide->high - 1; k++) {
    int64_t digit = wide->digit[k] + carry;
    carry = (digit - (digit & 0xffffffff)) / 4294967296; /* exact: a floor */
    wide->digit[k] = digit & 0xffffffff;
  }
  wide->digit[wide->high - 1] += carry;
  wide->room = BF_WIDE_ROOM;
}

/* Adds (-1)^negative magnitude 2^shift to the number that begins at digit; shift is below 32. */
static inline void deposit(int64_t *digit, uint64_t magnitude, int shift, int negative) {
  int64_t sign = -(int64_t)negative;
  int64_t first = (int64_t)(magnitude << shift & 0xffffffff);
  uint64_t rest = magnitude >> 1 >> (31 - shift);
  digit[0] += (first ^ sign) - sign;
  digit[1] += ((int64_t)(rest & 0xffffffff) ^ sign) - sign;
  digit[2] += ((int64_t)(rest >> 32) ^ sign) - sign;
}

void bf_wide_add_integer(struct bf_wide *wide, int64_t value, int exponent) {
  if (!wide->room--) bf_wide_carry(wide), wide->room--;
  int negative = value < 0, place = exponent + BF_WIDE_POINT;
  uint64_t magnitude = negative ? 0 - (uint64_t)value : (uint64_t)value;
  deposit(wide->digit + (place >> 5), magnitude, place & 31, negative);
}

/* The parts of a finite double: magnitude 2^exponent, exponent counted from 2^-1074. */
struct parts {
  uint64_t magnitude;
  int exponent, negative;
};
static inline struct parts parts_of(uint64_t bits) {
  int field = (int)(bits >> 52) & 2047;
  uint64_t fraction = bits & 0xfffffffffffff;
  return (struct parts){fraction | (uint64_t)(field != 0) << 52, field - (field != 0), (int)(bits >> 63)};
}
static int is_special(uint64_t bits) { return (bits >> 52 & 2047) == 2047; }

void bf_wide_add_products(struct bf_wide *wide, const double *x, const double *y, size_t n, size_t step) {
  for (size_t i = 0; i < n * step; i += step) {
    uint64_t a = f64_to_bits(x[i]), b = f64_to_bits(y[i]);
    if (is_special(a) || is_special(b)) {
      uint64_t product = f64_to_bits(x[i] * y[i]); /* an infinity or NaN, exactly */
      wide->saw |= product << 12 ? BF_SAW_NAN : product >> 63 ? BF_SAW_MINUS : BF_SAW_PLUS;
      continue;
    }
    if (wide->room < 3) bf_wide_carry(wide);
    wide->room -= 3;
    struct parts p = parts_of(a), q = parts_of(b);
    int place = p.exponent + q.exponent - 2 * 1074 + BF_WIDE_POINT, negative = p.negative ^ q.negative;
    uint64_t high = p.magnitude >> 32, low = p.magnitude & 0xffffffff; /* p q = high q 2^32 + low q, each below 2^85 */
    uint64_t q_high = q.magnitude >> 32, q_low = q.magnitude & 0xffffffff;
    uint64_t middle = high * q_low + (low * q_low >> 32); /* below 2^54 */
    middle += low * q_high;                               /* below 2^55 */
    int64_t *digit = wide->digit + (place >> 5);
    deposit(digit, low * q_low & 0xffffffff, place & 31, negative);
    deposit(digit + 1, middle & 0xffffffff, place & 31, negative);
    deposit(digit + 2, (middle >> 32) + high * q_high, place & 31, negative);
  }
}

void bf_wide_merge(struct bf_wide *wide, const struct bf_wide *other) {
  bf_wide_carry(wide);
  for (int k = wide->low; k < wide->high; k++) wide->digit[k] += other->digit[k];
  wide->saw |= other->saw;
  bf_wide_carry(wide);
}

/* A magnitude as 64 bits and the rest, from the top: bits come in one by one, most significant first. */
struct quotient {
  struct bf_real value;
  uint64_t remainder, count;
  int bits;
};

/* Long division by count, bit by bit, until 64 bits of the quotient are known. */
static void take_bits(struct quotient *q, uint32_t digit, int exponent) {
  for (int bit = 31; bit >= 0; bit--) {
    if (q->bits == 64) {
      q->remainder |= digit & (((uint64_t)2 << bit) - 1);
      return;
    }
    q->remainder = q->remainder << 1 | (digit >> bit & 1);
    int one = q->remainder >= q->count;
    if (one) q->remainder -= q->count;
    if (!one && !q->bits) continue;
    q->value.magnitude = q->value.magnitude << 1 | (uint64_t)one;
    q->value.exponent = exponent + bit;
    q->bits++;
  }
}

/* The number itself, from its highest digit that is not 0: three digits hold 64 bits and the rest is sticky. */
static struct bf_real whole(const struct bf_wide *wide, int negative) {
  int k = wide->high - 1;
  while (k > wide->low && !wide->digit[k]) k--;
  uint64_t top = (uint64_t)wide->digit[k], below[2] = {0, 0};
  for (int i = 0; i < 2; i++)
    if (k - 1 - i >= wide->low) below[i] = (uint64_t)wide->digit[k - 1 - i];
  if (!top) return bf_real_integer(0, 0, 0);
  int shift = 31 - bf_top_bit(top); /* 0 .. 31: the highest digit of a sum of fewer than 2^63 terms is below 2^32 */
  uint64_t rest = below[1] << shift;
  struct bf_real value = {BF_FINITE, negative, (rest & 0xffffffff) != 0, 32 * (k - 1) - BF_WIDE_POINT - shift, 0};
  value.magnitude = ((top << 32 | below[0]) << shift) + (rest >> 32);
  for (int i = k - 3; i >= wide->low && !value.sticky; i--) value.sticky = wide->digit[i] != 0;
  return value;
}

struct bf_real bf_wide_over(struct bf_wide *wide, uint64_t count) {
  struct quotient q = {{BF_FINITE, 0, 0, 0, 0}, 0, count, 0};
  int infinities = wide->saw & (BF_SAW_PLUS | BF_SAW_MINUS);
  if (wide->saw & BF_SAW_NAN || infinities == (BF_SAW_PLUS | BF_SAW_MINUS)) return q.value.class = BF_NAN, q.value;
  if (infinities) return q.value.class = BF_INFINITE, q.value.negative = infinities == BF_SAW_MINUS, q.value;
  bf_wide_carry(wide);
  q.value.negative = wide->digit[wide->high - 1] < 0;
  if (q.value.negative) {
    for (int k = wide->low; k < wide->high; k++) wide->digit[k] = -wide->digit[k];
    bf_wide_carry(wide);
  }
  if (count == 1) return whole(wide, q.value.negative);
  /* The quotient may go on below the lowest digit: four digits of zeros more hold 64 bits of it, whatever the count below 2^63. */
  for (int k = wide->high - 1; k >= wide->low - 4; k--) {
    uint32_t digit = k < wide->low ? 0 : (uint32_t)wide->digit[k];
    if (!q.bits && !q.remainder && !digit) continue;
    take_bits(&q, digit, 32 * k - BF_WIDE_POINT);
  }
  q.value.sticky = q.remainder != 0;
  if (!q.value.magnitude) return (struct bf_real){BF_FINITE, 0, 0, 0, 0};
  int shift = 63 - bf_top_bit(q.value.magnitude);
  q.value.magnitude <<= shift;
  q.value.exponent -= shift;
  return q.value;
}
