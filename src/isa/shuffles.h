/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes that change places, for VECTOR bytes. Blocks are of 16 bytes; an index of `width` or more is the second vector's. */
#if VECTOR == 16
#define BLOCKS(of) of(0)
#elif VECTOR == 32
#define BLOCKS(of) of(0), of(1)
#else
#define BLOCKS(of) of(0), of(1), of(2), of(3)
#endif
#define LOW_32(b) 4 * b, LANES_F32 + 4 * b, 4 * b + 1, LANES_F32 + 4 * b + 1
#define HIGH_32(b) 4 * b + 2, LANES_F32 + 4 * b + 2, 4 * b + 3, LANES_F32 + 4 * b + 3
#define LOW_64(b) 2 * b, LANES_F64 + 2 * b
#define HIGH_64(b) 2 * b + 1, LANES_F64 + 2 * b + 1
#define EVEN_32(b) 8 * b, 8 * b + 2, 8 * b + 4, 8 * b + 6
#define ODD_32(b) 8 * b + 1, 8 * b + 3, 8 * b + 5, 8 * b + 7
#define EVEN_64(b) 4 * b, 4 * b + 2
#define ODD_64(b) 4 * b + 1, 4 * b + 3

/* The even lanes of x and then of y; the odd ones. */
VEC v_f32 evens_f32(v_f32 x, v_f32 y) { return SHUFFLE(v_i32, x, y, BLOCKS(EVEN_32)); }
VEC v_f32 odds_f32(v_f32 x, v_f32 y) { return SHUFFLE(v_i32, x, y, BLOCKS(ODD_32)); }
VEC v_f64 evens_f64(v_f64 x, v_f64 y) { return SHUFFLE(v_i64, x, y, BLOCKS(EVEN_64)); }
VEC v_f64 odds_f64(v_f64 x, v_f64 y) { return SHUFFLE(v_i64, x, y, BLOCKS(ODD_64)); }

/* Four terms of each of LANES rows: term[t] has row j's in lane j. */
VEC void transpose_f32(v_f32 *term, const unsigned char *x, int64_t across) {
  const v_f32 a = (v_f32)load_parts(x, 4 * across), b = (v_f32)load_parts(x + across, 4 * across);
  const v_f32 c = (v_f32)load_parts(x + 2 * across, 4 * across), d = (v_f32)load_parts(x + 3 * across, 4 * across);
  const v_f64 ab = (v_f64)SHUFFLE(v_i32, a, b, BLOCKS(LOW_32)), cd = (v_f64)SHUFFLE(v_i32, c, d, BLOCKS(LOW_32));
  const v_f64 ef = (v_f64)SHUFFLE(v_i32, a, b, BLOCKS(HIGH_32)), gh = (v_f64)SHUFFLE(v_i32, c, d, BLOCKS(HIGH_32));
  term[0] = (v_f32)SHUFFLE(v_i64, ab, cd, BLOCKS(LOW_64)), term[1] = (v_f32)SHUFFLE(v_i64, ab, cd, BLOCKS(HIGH_64));
  term[2] = (v_f32)SHUFFLE(v_i64, ef, gh, BLOCKS(LOW_64)), term[3] = (v_f32)SHUFFLE(v_i64, ef, gh, BLOCKS(HIGH_64));
}
VEC void transpose_f64(v_f64 *term, const unsigned char *x, int64_t across) {
  for (int half = 0; half < 2; half++, x += 16, term += 2) {
    const v_f64 a = (v_f64)load_parts(x, 2 * across), b = (v_f64)load_parts(x + across, 2 * across);
    term[0] = SHUFFLE(v_i64, a, b, BLOCKS(LOW_64)), term[1] = SHUFFLE(v_i64, a, b, BLOCKS(HIGH_64));
  }
}
