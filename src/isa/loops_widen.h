/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that lie side by side, brought to floats and doubles; elsewhere the scalar machine does it. */

VEC v_f32 f32_of_f16(const unsigned char *x) { return load_f16(x); }
VEC v_f32 f32_of_bf16(const unsigned char *x) {
  typedef uint16_t half __attribute__((vector_size(VECTOR / 2)));
  half v;
  return memcpy(&v, x, sizeof v), (v_f32)(__builtin_convertvector(v, v_u32) << 16);
}
VEC v_f32 f32_of_f32(const unsigned char *x) { return load_f32(x); }
VEC v_f64 f64_of_f64(const unsigned char *x) { return load_f64(x); }
VEC v_f64 f64_of_f32(const unsigned char *x) {
  float some[VECTOR / 8]; /* which may lie anywhere */
  return memcpy(some, x, sizeof some), load_wide(some);
}

#define FROM f16
#define TO f32
#include "loops_widen_each.h"
#define FROM bf16
#define TO f32
#include "loops_widen_each.h"
#define FROM f32
#define TO f32
#include "loops_widen_each.h"
#define FROM f32
#define TO f64
#include "loops_widen_each.h"
#define FROM f64
#define TO f64
#include "loops_widen_each.h"
