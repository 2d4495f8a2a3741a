/* SPDX-License-Identifier: Apache-2.0 */
/* binary64, in memory and while adding. */
typedef double f64_value;
typedef uint64_t f64_bits;
#define f64_format BITFOLD_FORMAT_F64

static inline uint64_t f64_to_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline double f64_from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static inline double f64_plus(double a, double b) { return bf_opaque_f64(bf_opaque_f64(a) + bf_opaque_f64(b)); }
static inline double f64_times(double a, double b) { return bf_opaque_f64(bf_opaque_f64(a) * bf_opaque_f64(b)); }
static inline double f64_over(double a, double b) { return bf_opaque_f64(bf_opaque_f64(a) / bf_opaque_f64(b)); }
static inline double f64_absolute(double a) { return f64_from_bits(f64_to_bits(a) & 0x7fffffffffffffff); }
