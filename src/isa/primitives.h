/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of VECTOR bytes as the compiler's own types, and what is done to them. A machine that has an instruction for one of these
 * defines the word as a macro of its own name beside its function; all others get it from vector arithmetic.
 */
#define VEC static inline __attribute__((always_inline))

typedef float v_f32 __attribute__((vector_size(VECTOR)));
typedef double v_f64 __attribute__((vector_size(VECTOR)));
typedef int8_t v_i8 __attribute__((vector_size(VECTOR)));
typedef int16_t v_i16 __attribute__((vector_size(VECTOR)));
typedef int32_t v_i32 __attribute__((vector_size(VECTOR)));
typedef int64_t v_i64 __attribute__((vector_size(VECTOR)));
typedef uint8_t v_u8 __attribute__((vector_size(VECTOR)));
typedef uint16_t v_u16 __attribute__((vector_size(VECTOR)));
typedef uint32_t v_u32 __attribute__((vector_size(VECTOR)));
typedef uint64_t v_u64 __attribute__((vector_size(VECTOR)));

enum { LANES_F32 = VECTOR / 4, LANES_F64 = VECTOR / 8, LANES_I16 = VECTOR / 2 };

/* Anywhere in memory. */
VEC v_f32 load_f32(const void *x) {
  v_f32 v;
  return memcpy(&v, x, sizeof v), v;
}
VEC v_f64 load_f64(const void *x) {
  v_f64 v;
  return memcpy(&v, x, sizeof v), v;
}
VEC void store_f32(void *x, v_f32 v) { memcpy(x, &v, sizeof v); }
VEC void store_f64(void *x, v_f64 v) { memcpy(x, &v, sizeof v); }
