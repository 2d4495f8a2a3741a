/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of VECTOR bytes as the compiler's own types. Included by isa/<name>.c before its own functions on them. */
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

enum { LANES_F32 = VECTOR / 4, LANES_F64 = VECTOR / 8, LANES_I16 = VECTOR / 2, LANES_I8 = VECTOR };

/* In isa/<name>.c: a function that is one instruction on two registers. */
#define BINARY(word, type, instruction)                                                                                            \
  VEC type word(type a, type b) { return (type)instruction((REGISTER)a, (REGISTER)b); }

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
VEC v_i16 load_i16(const void *x) {
  v_i16 v;
  return memcpy(&v, x, sizeof v), v;
}
