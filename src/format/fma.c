/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x * y + z in integers: the exact value, rounded by nobody, for machines that fuse and for those that do not. A product of two
 * doubles has 106 bits, so of 126 at least 20 are left below it: where bits of the smaller operand fall off, they lie so far down
 * that what is left of the larger one after cancelling keeps 64 good bits.
 */
#include "fma.h"

/* (high 2^64 + low + s) 2^exponent, with 0 < s < 1 where sticky; normalised, bit 62 of high is its top one. */
struct wide {
  uint64_t high, low;
  int32_t exponent;
  int negative, sticky;
};

static struct wide shifted_left(struct wide x, int n) {
  if (n >= 64) x.high = x.low, x.low = 0, x.exponent -= 64, n -= 64;
  if (n) x.high = x.high << n | x.low >> (64 - n), x.low <<= n, x.exponent -= n;
  return x;
}

static struct wide shifted_right(struct wide x, int32_t n) {
  x.exponent += n;
  if (n >= 128) x.sticky |= (x.high | x.low) != 0, x.high = x.low = 0, n = 0;
  if (n >= 64) x.sticky |= x.low != 0, x.low = x.high, x.high = 0, n -= 64;
  if (n) x.sticky |= (x.low << (64 - n)) != 0, x.low = x.low >> n | x.high << (64 - n), x.high >>= n;
  return x;
}

static struct wide of_real(struct bf_real x) {
  return (struct wide){x.magnitude >> 1, x.magnitude << 63, x.exponent - 63, x.negative, 0};
}

/* Magnitudes of at most 53 bits, at the top of their words. */
static struct wide product(struct bf_real x, struct bf_real y) {
  const uint64_t a = x.magnitude >> 11, b = y.magnitude >> 11, low32 = 0xffffffff;
  const uint64_t low = (a & low32) * (b & low32), middle = (a >> 32) * (b & low32) + (low >> 32);
  const uint64_t cross = (a & low32) * (b >> 32) + (middle & low32);
  struct wide made = {(a >> 32) * (b >> 32) + (middle >> 32) + (cross >> 32), cross << 32 | (low & low32), 0, 0, 0};
  made.exponent = x.exponent + y.exponent + 22;
  made.negative = x.negative != y.negative;
  return shifted_left(made, 62 - bf_top_bit(made.high)); /* 105 or 106 bits: high has 41 or 42 of them */
}

static int is_less(struct wide a, struct wide b) { return a.high != b.high ? a.high < b.high : a.low < b.low; }

static struct bf_real sum(struct wide a, struct wide b) {
  if (a.exponent < b.exponent || (a.exponent == b.exponent && is_less(a, b))) {
    const struct wide greater = b;
    b = a, a = greater;
  }
  b = shifted_right(b, a.exponent - b.exponent);
  struct wide made = a;
  made.sticky = b.sticky;
  if (a.negative == b.negative) {
    made.low = a.low + b.low;
    made.high = a.high + b.high + (made.low < a.low);
  } else { /* less a bit more than b, where b is sticky */
    made.low = a.low - b.low;
    made.high = a.high - b.high - (a.low < b.low);
    if (b.sticky) made.high -= !made.low, made.low--;
  }
  if (!made.high && !made.low) return (struct bf_real){BF_FINITE, 0, 0, 0, 0};
  made = shifted_left(made, 63 - (made.high ? bf_top_bit(made.high) : bf_top_bit(made.low) - 64));
  return (struct bf_real){BF_FINITE, a.negative, made.sticky | (made.low != 0), made.exponent + 64, made.high};
}

struct bf_real bf_fma(double x, double y, double z) {
  const struct bf_real a = bf_decode(BITFOLD_FORMAT_F64, f64_to_bits(x)), b = bf_decode(BITFOLD_FORMAT_F64, f64_to_bits(y));
  const struct bf_real c = bf_decode(BITFOLD_FORMAT_F64, f64_to_bits(z)), nan = {BF_NAN, 0, 0, 0, 0};
  const int negative = a.negative != b.negative, infinite = a.class == BF_INFINITE || b.class == BF_INFINITE;
  if (a.class == BF_NAN || b.class == BF_NAN || c.class == BF_NAN) return nan;
  if (infinite && ((a.class == BF_FINITE && !a.magnitude) || (b.class == BF_FINITE && !b.magnitude))) return nan;
  if (infinite && c.class == BF_INFINITE && c.negative != negative) return nan;
  if (infinite) return (struct bf_real){BF_INFINITE, negative, 0, 0, 0};
  if (c.class == BF_INFINITE) return c;
  if (a.magnitude && b.magnitude) {
    if (c.magnitude) return sum(product(a, b), of_real(c));
    const struct wide all = product(a, b), top = shifted_left(all, 1);
    return (struct bf_real){BF_FINITE, negative, top.low != 0, top.exponent + 64, top.high};
  }
  return c.magnitude ? c : (struct bf_real){BF_FINITE, negative && c.negative, 0, 0, 0};
}
