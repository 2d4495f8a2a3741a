/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done to vectors beyond + - * & | ^ and comparisons. A machine that has instructions for a group of these defines the
 * functions and the group's HAS_ word; for all others they are made of the compiler's own vector arithmetic here.
 */
#ifndef HAS_ADD_SATURATED
VEC v_i16 add_saturated_i16(v_i16 a, v_i16 b) {
  for (int l = 0; l < LANES_I16; l++) {
    const int sum = a[l] + b[l];
    a[l] = (int16_t)(sum > INT16_MAX ? INT16_MAX : sum < INT16_MIN ? INT16_MIN : sum);
  }
  return a;
}
VEC v_i8 add_saturated_i8(v_i8 a, v_i8 b) {
  for (int l = 0; l < LANES_I8; l++) {
    const int sum = a[l] + b[l];
    a[l] = (int8_t)(sum > INT8_MAX ? INT8_MAX : sum < INT8_MIN ? INT8_MIN : sum);
  }
  return a;
}
#endif

#ifndef HAS_ABS
VEC v_i16 abs_i16(v_i16 a) {
  const v_i16 sign = a >> 15;
  return (a ^ sign) - sign;
}
#endif

/* The magnitude of a product of a and b with its sign; and one with the sign of x, which is 0 only where the magnitude is. */
#ifndef HAS_SIGN
VEC v_i16 signed_i16(v_i16 magnitude, v_i16 x) {
  const v_i16 sign = x >> 15;
  return (magnitude ^ sign) - sign;
}
VEC v_i16 with_sign(v_i16 magnitude, v_i16 a, v_i16 b) {
  const v_i16 sign = (a ^ b) >> 15;
  return (magnitude ^ sign) - sign;
}
#endif

/* The upper halves of products of unsigned lanes. */
#ifndef HAS_MUL_HIGH
VEC v_u16 mul_high_u16(v_u16 a, v_u16 b) {
  for (int l = 0; l < LANES_I16; l++) a[l] = (uint16_t)((uint32_t)a[l] * b[l] >> 16);
  return a;
}
#endif

/* mask is all ones or all zeros in each lane. */
#ifndef HAS_MIN_MAX_I16
VEC v_i16 min_i16(v_i16 a, v_i16 b) {
  const v_i16 mask = a < b;
  return (a & mask) | (b & ~mask);
}
VEC v_i16 max_i16(v_i16 a, v_i16 b) {
  const v_i16 mask = a > b;
  return (a & mask) | (b & ~mask);
}
#endif
#ifndef HAS_MAX_I8
VEC v_i8 max_i8(v_i8 a, v_i8 b) {
  const v_i8 mask = a > b;
  return (a & mask) | (b & ~mask);
}
#endif

#ifndef HAS_MIN_I8
VEC v_i8 min_i8(v_i8 a, v_i8 b) {
  const v_i8 mask = a < b;
  return (a & mask) | (b & ~mask);
}
#endif

/* What a compiler might otherwise load once for each use. */
#ifndef HAS_LOADED
VEC v_i16 loaded_i16(v_i16 a) { return a; }
#endif

/*
 * Sums of neighbours: of two vectors, in any sequence, where none passes 16 bits; and of one, in lanes twice as wide. And the even
 * lanes of one vector beside the odd ones of another.
 */
#ifndef HAS_PAIRS
VEC v_i16 pairs_i16(v_i16 a, v_i16 b) {
  const v_u32 x = (v_u32)a + ((v_u32)a << 16), y = (v_u32)b + ((v_u32)b >> 16);
  return (v_i16)((x & 0xffff0000) | (y & 0xffff));
}
VEC v_i16 pairs_i8(v_i8 a) { return ((v_i16)a >> 8) + ((v_i16)((v_u16)a << 8) >> 8); }
#endif
#ifndef HAS_ALTERNATE
VEC v_i16 alternate_i16(v_i16 even, v_i16 odd) { return (v_i16)(((v_u32)even & 0xffff) | ((v_u32)odd & 0xffff0000)); }
#endif

/* Whether a bit is set. */
#ifndef HAS_ANY
VEC int any(v_i16 mask) {
  uint64_t words[VECTOR / 8], all = 0;
  memcpy(words, &mask, VECTOR);
  for (size_t i = 0; i < VECTOR / 8; i++) all |= words[i];
  return all != 0;
}
#endif

/* Of each 16 bytes: the lanes of the lower halves, or of the upper ones, in turn. */
typedef int16_t part_i16 __attribute__((vector_size(16)));
typedef int8_t part_i8 __attribute__((vector_size(16)));
enum { PARTS = VECTOR / 16 };
#ifdef __clang__
#define SHUFFLE(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(type, a, b, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif
#ifndef HAS_ZIP
#define ZIP(word, type, part, ...)                                                                                                 \
  VEC type word(type a, type b) {                                                                                                  \
    part x[PARTS], y[PARTS];                                                                                                       \
    memcpy(x, &a, VECTOR), memcpy(y, &b, VECTOR);                                                                                  \
    for (int p = 0; p < PARTS; p++) x[p] = SHUFFLE(part, x[p], y[p], __VA_ARGS__);                                                 \
    return memcpy(&a, x, VECTOR), a;                                                                                               \
  }
ZIP(zip_low_i16, v_i16, part_i16, 0, 8, 1, 9, 2, 10, 3, 11)
ZIP(zip_high_i16, v_i16, part_i16, 4, 12, 5, 13, 6, 14, 7, 15)
ZIP(zip_low_i8, v_i8, part_i8, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
ZIP(zip_high_i8, v_i8, part_i8, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#undef ZIP
#endif

/* 16 bytes at x, at x + across, ..., one behind the other. */
#ifndef HAS_PARTS
VEC v_i16 load_parts(const unsigned char *x, ptrdiff_t across) {
  part_i16 part[PARTS];
  v_i16 v;
  for (int p = 0; p < PARTS; p++) memcpy(&part[p], x + p * across, 16);
  return memcpy(&v, part, VECTOR), v;
}
#endif

/* Bytes as 16-bit lanes: LANES_I16 neighbours; and eight from each place. Little-endian: a byte's upper half is behind it. */
#ifndef HAS_BYTES
VEC v_i16 load_bytes(const unsigned char *x, ptrdiff_t across) {
  part_i16 part[PARTS];
  v_i16 v;
  for (int p = 0; p < PARTS; p++) {
    part_i8 eight = {0};
    memcpy(&eight, x + p * across, 8);
    part[p] = (part_i16)SHUFFLE(part_i8, eight, eight, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7) >> 8;
  }
  return memcpy(&v, part, VECTOR), v;
}
VEC v_i16 load_half(const unsigned char *x) { return load_bytes(x, 8); }
#endif

#ifndef HAS_MIN_MAX_UNSIGNED
VEC v_u32 max_u32(v_u32 a, v_u32 b) {
  const v_u32 less = (v_u32)(a < b);
  return (b & less) | (a & ~less);
}
VEC v_u32 min_u32(v_u32 a, v_u32 b) {
  const v_u32 less = (v_u32)(a < b);
  return (a & less) | (b & ~less);
}
VEC v_u16 max_u16(v_u16 a, v_u16 b) {
  const v_u16 less = (v_u16)(a < b);
  return (b & less) | (a & ~less);
}
VEC v_u16 min_u16(v_u16 a, v_u16 b) {
  const v_u16 less = (v_u16)(a < b);
  return (a & less) | (b & ~less);
}
#endif

/* As many halves as floats fit a vector; the magnitude both ways, as in format/f16.h. */
#ifndef HAS_LOAD_F16
VEC v_f32 load_f16(const void *x) {
  v_half h;
  memcpy(&h, x, sizeof h);
  const v_u32 bits = __builtin_convertvector(h, v_u32), magnitude = bits & 0x7fff;
  const v_u32 is_special = (v_u32)(magnitude >= 0x7c00), is_small = (v_u32)(magnitude < 0x0400);
  const v_u32 normal = (magnitude << 13) + (112u << 23) + (is_special & 112u << 23);
  const v_f32 subnormal = __builtin_convertvector((v_i32)magnitude, v_f32) * 0x1p-24f;
  return (v_f32)((bits & 0x8000) << 16 | (is_small & (v_u32)subnormal) | (normal & ~is_small));
}
#endif

/* Half a vector of floats as doubles. */
#ifndef HAS_LOAD_WIDE
VEC v_f64 load_wide(const float *x) {
  v_part v;
  return memcpy(&v, x, sizeof v), __builtin_convertvector(v, v_f64);
}
#endif

/* The nearest integers, ties to even, where the processor rounds so; half a vector of integers as doubles. */
#ifndef HAS_ROUND
VEC v_i32 round_i32(v_f32 x) { return __builtin_convertvector(x, v_i32); } /* toward zero: only where nothing watches */
VEC v_f64 load_wide_i32(const int32_t *x) {
  typedef int32_t part __attribute__((vector_size(VECTOR / 2)));
  part v;
  return memcpy(&v, x, sizeof v), __builtin_convertvector(v, v_f64);
}
#endif

/* A vector of doubles as floats. */
#ifndef HAS_NARROW
VEC v_part narrow_f64(v_f64 x) { return __builtin_convertvector(x, v_part); }
#endif

/* All lanes together; the sum is one that no grouping rounds. */
#ifndef HAS_FOLDS
VEC uint32_t greatest_u32(v_u32 v) {
  uint32_t most = v[0];
  for (int i = 1; i < LANES_F32; i++) most = v[i] > most ? v[i] : most;
  return most;
}
VEC uint32_t least_u32(v_u32 v) { return ~greatest_u32(~v); }
VEC double fold_f64(v_f64 v) {
  double sum = v[0];
  for (int i = 1; i < LANES_F64; i++) sum += v[i];
  return sum;
}
#endif

/* a + b by what other additions, and conversions, leave idle. */
#ifndef HAS_ALSO_PLUS
VEC v_f64 also_plus_f64(v_f64 a, v_f64 b) { return a + b; }
#endif

/* See inexact_x86.h. */
#ifndef HAS_INEXACT
#define HAS_INEXACT 0
VEC void watch(void) {}
VEC int were_exact(const void *results) { return !results; }
#endif
