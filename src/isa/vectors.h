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

/* Half a vector of floats, which is a vector of doubles once widened; as many halves as that. */
typedef float v_part __attribute__((vector_size(VECTOR / 2)));
typedef uint16_t v_half __attribute__((vector_size(VECTOR / 2)));

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
VEC v_u16 load_u16(const void *x) {
  v_u16 v;
  return memcpy(&v, x, sizeof v), v;
}
VEC v_u32 load_u32(const void *x) {
  v_u32 v;
  return memcpy(&v, x, sizeof v), v;
}
VEC v_f32 fill_f32(float x) { return x - (v_f32){0}; } /* not 0 + x, which would make -0 +0 */
VEC v_f64 fill_f64(double x) { return x - (v_f64){0}; }
