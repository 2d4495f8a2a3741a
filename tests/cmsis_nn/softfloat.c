/* SPDX-License-Identifier: Apache-2.0 */
/* IEEE 754 addition, division by a count and conversion, on integers, so that no control state and no compiler option reaches it.
 */
#include "suite.h"

/* A finite value: (-1)^sign * significand * 2^exponent. */
typedef struct parts {
  uint32_t sign;
  int exponent;
  uint64_t significand;
} parts;

static int unit(const format *f) { return f == &single ? -149 : -24; } /* the exponent of the least subnormal */
static uint32_t magnitude(const format *f, uint32_t bits) { return bits & ~f->sign; }

static parts unpack(const format *f, uint32_t bits) {
  uint32_t field = magnitude(f, bits) >> f->shape.mantissa, rest = bits & ((UINT32_C(1) << f->shape.mantissa) - 1);
  parts p = {bits & f->sign, unit(f), rest};
  if (field) p.significand |= UINT64_C(1) << f->shape.mantissa, p.exponent += (int)field - 1;
  return p;
}

/* Not of 0. The lowest bit may stand for all that was lost below it. */
static uint32_t pack(const format *f, parts p) {
  int last = p.exponent + 63 - __builtin_clzll(p.significand) - (int)f->shape.mantissa;
  if (last < unit(f)) last = unit(f);
  int drop = last - p.exponent;
  uint64_t kept;
  if (drop <= 0) kept = p.significand << -drop;
  else if (drop > 63) kept = 0;
  else {
    uint64_t tail = p.significand & ((UINT64_C(1) << drop) - 1), middle = UINT64_C(1) << (drop - 1);
    kept = p.significand >> drop;
    kept += tail > middle || (tail == middle && (kept & 1));
  }
  kept += (uint64_t)(last - unit(f)) << f->shape.mantissa; /* a carry out of the significand goes into the exponent */
  return (p.sign ? f->sign : 0) | (kept > f->inf ? f->inf : (uint32_t)kept);
}

uint32_t soft_plus(uint32_t a, uint32_t b) {
  const format *f = &single;
  uint32_t ma = magnitude(f, a), mb = magnitude(f, b);
  if (ma > f->inf || mb > f->inf) return f->nan;
  if (ma == f->inf) return mb == f->inf && a != b ? f->nan : a;
  if (mb == f->inf) return b;
  if (ma < mb) return soft_plus(b, a);
  if (!mb) return ma ? a : a & b;
  parts p = unpack(f, a), q = unpack(f, b);
  int apart = p.exponent - q.exponent;
  uint64_t large = p.significand << 32, wide = q.significand << 32;
  uint64_t less = apart > 60 ? 0 : wide >> apart;
  if (apart > 60 ? wide != 0 : less << apart != wide) less |= 1;
  p.significand = p.sign == q.sign ? large + less : large - less;
  p.exponent -= 32;
  return p.significand ? pack(f, p) : 0;
}

uint32_t soft_over(uint32_t a, uint32_t count) {
  const format *f = &single;
  if (magnitude(f, a) > f->inf) return f->nan;
  if (magnitude(f, a) == f->inf || magnitude(f, a) == 0) return a;
  parts p = unpack(f, a), q = unpack(f, pack(f, (parts){0, 0, count}));
  while (p.significand < UINT64_C(1) << 24) p.significand <<= 1, p.exponent--;
  p.significand <<= 38;
  uint64_t rest = p.significand % q.significand;
  p.significand /= q.significand;
  p.significand |= rest != 0;
  p.exponent -= 38 + q.exponent;
  return pack(f, p);
}

uint32_t soft_convert(const format *from, const format *to, uint32_t bits) {
  if (from == to) return bits;
  uint32_t sign = bits & from->sign ? to->sign : 0;
  if (magnitude(from, bits) > from->inf) return to->nan;
  if (magnitude(from, bits) == from->inf) return sign | to->inf;
  parts p = unpack(from, bits);
  return p.significand ? pack(to, p) : sign;
}
