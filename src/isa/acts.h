/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine is: acts, which know nothing of orders. Part of kernel.h. */

/* The types of the acts in acts.def, and what they promise. */

/*
 * Clamping sums of codes, in 16 bits: x -> clamp(x + term, low, high), where -2^15 <= low < 0 < high < 2^15 and codes have `size`
 * bytes.
 *
 * scan: x holds BF_SEGMENTS segments of `length` codes, one behind the other; a segment becomes the map of its steps, an
 * accumulator y to clamp(y + total, low, high), total modulo 2^16 and good where low < high. Segment s * BF_RUN + i is at
 * [i * BF_SEGMENTS / BF_RUN + s], and the run of segments s * BF_RUN and on is the map add[s], bottom[s], top[s]. Returns 1 if
 * low and high have met in a run, where add is not good, and BF_ALL_MET if in all segments: then there are no totals and no runs.
 * length is a multiple of 8, and best where a segment has BF_LINE or BF_LINES_MOST bytes. way is 0 for the first segments of a row,
 * and then left alone. As many bytes at `next` will probably be read soon; nothing need be there.
 *
 * scan_i8: the same for BF_SEGMENTS_I8 segments of bytes and edges low and 127, total modulo 2^8, length a multiple of 16.
 *
 * lines: BF_SEGMENTS chains, of which chain s goes on through n codes, a multiple of 8, at x + s * across. A chain's clamped
 * becomes other than 0 if a step of it clamps.
 *
 * columns: BF_CHAINS chains through n codes, code i of chain s at x + i * step + s * size.
 *
 * calm: adds codes to a sum for as long as it is easy to tell that no step clamps. Returns how many, a multiple of BF_CALM.
 *
 * reach: all bits of code + unit, modulo 2^8 or 2^16, of n neighbours; below 2 unit exactly if all are in -unit .. unit - 1.
 *
 * products: n products of neighbours, a multiple of BF_SEGMENTS, narrowed. Returns 0 if one of them may not fit.
 *
 * dots: BF_CHAINS chains through n products, of the code at x + i * x_step + s * size with the one at y + i * y_step. Returns 0
 * where products may not fit; then the chains mean nothing.
 */
enum { BF_SEGMENTS = 32, BF_SEGMENTS_I8 = 64, BF_CHAINS = 64 };
enum { BF_CALM = 512, BF_CALM_MOST = 8192 };
enum { BF_RUN = 4, BF_LINE = 64, BF_LINES_MOST = 256, BF_ALL_MET = 2 };
struct bf_maps {
  int way; /* of the act: how the last segments were followed */
  uint16_t total[BF_SEGMENTS_I8];
  int16_t low[BF_SEGMENTS_I8], high[BF_SEGMENTS_I8];
  int32_t add[BF_SEGMENTS_I8 / BF_RUN], bottom[BF_SEGMENTS_I8 / BF_RUN], top[BF_SEGMENTS_I8 / BF_RUN];
};
struct bf_chain_lanes {
  int16_t sum[BF_CHAINS];
  uint16_t clamped[BF_CHAINS];
};
typedef int bf_scan_i16_fn(struct bf_maps *maps, const void *x, size_t length, int size, int16_t low, int16_t high,
                           const void *next);
typedef int bf_scan_i8_fn(struct bf_maps *maps, const void *x, size_t length, int16_t low, const void *next);
typedef void bf_lines_i16_fn(struct bf_chain_lanes *chains, const void *x, ptrdiff_t across, size_t n, int size, int16_t low,
                             int16_t high);
typedef void bf_columns_i16_fn(struct bf_chain_lanes *chains, const void *x, ptrdiff_t step, size_t n, int size, int16_t low,
                               int16_t high);

/* How products are made. */
struct bf_factors {
  const struct bf_isa *isa;
  int size;     /* of a code, 1 or 2 bytes */
  int bits;     /* N */
  int down;     /* the product is rounded so, else toward zero */
  int16_t zero; /* the code that counts as 0, or 0 */
};
struct bf_dots {
  const void *x, *y;
  ptrdiff_t x_step, y_step;
  size_t n;
  int16_t low, high;
};
typedef size_t bf_calm_fn(int32_t *sum, const void *x, size_t n, int size, int16_t low, int16_t high);
typedef unsigned bf_reach_fn(const void *x, size_t n, int size, unsigned unit);
typedef int bf_products_i16_fn(const struct bf_factors *factors, int16_t *product, const void *x, const void *y, size_t n);
typedef int bf_dots_i16_fn(const struct bf_factors *factors, struct bf_chain_lanes *chains, const struct bf_dots *dots);

/*
 * block: doubles, whose exact sum is that of n terms that lie one behind the other. Returns how many there are, at most BF_PARTS; 0
 * where there are infinities or NaN, or exponents too far apart for the machine to be fast.
 */
enum { BF_BLOCK = 512, BF_BLOCK_F32 = 4096, BF_BLOCK_F64 = 4096, BF_BLOCK_HALVES = 8192, BF_PARTS = 128 };
struct bf_block {
  const void *x, *y; /* y: of the acts for products */
  size_t n;          /* 1 .. BF_BLOCK, BF_BLOCK_F32 for block_f32 and so on, BF_BLOCK_HALVES for block_f16 and block_bf16 */
  uint64_t left;     /* bytes from x on that will be read, for hints */
  int absolute;      /* sums of absolute values */
  int top, shift;    /* for the act, from one block to the next; 0 before the first */
};
typedef int bf_block_fn(struct bf_block *block, double *part);
typedef bf_block_fn bf_block_f16_fn, bf_block_bf16_fn, bf_block_f32_fn, bf_block_f64_fn, bf_block_dot_f32_fn, bf_block_dot_f64_fn;

/*
 * rows, columns: the exact sums of many short rows of at most BF_BLOCK, and of `width` neighbours, at most BF_COLUMNS, in each of n
 * places, at most BF_DEPTH. A sum is a double; or NaN where it may not be one, or there are infinities or NaN.
 * join: (sum, error)[i] += part[i] by error-free additions, the sum NaN where an error would round; 0 and nothing done where a part
 * is not finite. n is rounded up to whole vectors, of which there are BF_COLUMNS values.
 * narrow: doubles plus 0, which makes -0 +0, as floats; 0 where one is not finite.
 */
enum { BF_COLUMNS = 256, BF_DEPTH = 1024 };
typedef void bf_rows_f32_fn(const void *x, int64_t across, size_t n, size_t rows, int absolute, double *sum);
typedef void bf_columns_f32_fn(const void *x, int64_t step, size_t n, size_t width, int absolute, double *sum);
typedef int bf_join_f64_fn(double *sum, double *error, const double *part, size_t n);
typedef int bf_narrow_f32_fn(void *y, const double *x, size_t n);

/*
 * pick_rows[kind]: best[j], j < width, becomes the first greatest of itself and the n elements, at least one, that lie side by side
 * at x + j * across and whose indices start at `first`.
 *
 * pick_columns[kind]: of `width` neighbours in n rows, `step` bytes apart, the first greatest: most[j] is its key, mark[j] its bits
 * or the number of its row, which starts at `row` and fits. Both are integers of the element's size, `width` of them and room for a
 * vector, and are the state: the least integer in most[j] says that there is none yet. raise_columns[kind], of floats, is the same
 * but faster: most[j] are the greatest elements themselves, or a NaN after any in a search that NaN wins, and begin as the least
 * infinity; mark[j], of searches for indices that NaN loses only, is left alone where nothing is greater than what was there.
 */
typedef void bf_pick_fn(struct bf_best *best, size_t width, const unsigned char *x, int64_t across, uint64_t first, size_t n,
                        const struct bf_keys *keys);
typedef void bf_pick_in_columns_fn(void *most, void *mark, size_t width, const unsigned char *x, int64_t step, size_t n,
                                   uint64_t row, const struct bf_keys *keys);
typedef bf_pick_fn *const bf_pick_rows_fn[BF_KEY_KINDS];
typedef bf_pick_in_columns_fn *const bf_pick_columns_fn[BF_KEY_KINDS], *const bf_raise_columns_fn[BF_KEY_KINDS];

enum { BF_BLOCK_ROW = 128 };

/* An act that is null is borrowed from the scalar machine. */
struct bf_isa {
  const char *name;
  int is_whole; /* no act is null that the scalar machine has */
  int (*runs_here)(void);
  /* widen: element i of output j, at x + i * step + j * across, to tile[i * width + j]. */
#define WIDEN(from, to)                                                                                                            \
  void (*widen_##from##_##to)(to##_value * tile, const unsigned char *x, int64_t step, int64_t across, size_t n, size_t width);
#include "../format/widen.def"
#undef WIDEN
  /* deposit: row[i mod lanes] += x[i]; only a row's last call may end between rows. add: out[i] = x[i] + y[i]; out may be x or y.
   */
#define ACCUMULATOR(f)                                                                                                             \
  void (*deposit_##f)(f##_value * row, size_t lanes, const f##_value *x, uint64_t n);                                              \
  void (*add_##f)(f##_value * out, const f##_value *x, const f##_value *y, size_t n);
#include "../format/accumulators.def"
#undef ACCUMULATOR
  /*
   * The rest may be null. times: products, as add. pair: out[i] = x[2i] + x[2i + 1]; out may be x.
   * trees: 8 * groups rows of `size` values at x, each 8 joined as in canonical(size) and then to the `count` groups before them:
   * slot i, at slot + i * size, holds 2^i of those groups where bit i of count is set. Afterwards count is count + groups.
   * lines: term i of row j, at x + j * across, joins row[(i mod lanes) * width + j]; lanes is 1, 2 or 4.
   * down: row[j] += term i of column j, at x + i * step, side by side.
   * leaves: 8 * units values are a tree of so many leaves, parted at halves that are rounded down to multiples of 8; out[i] is leaf
   * i's sum by lanes(8), folded in pairs or from the left. leaves is 8, 16, 32 or 64, and at most units.
   * blocks: of `count` blocks of `rows` rows of BF_BLOCK_ROW bytes, each row by row from +0, the sums are added to row in turn.
   */
#define ACCUMULATOR(f)                                                                                                             \
  void (*times_##f)(f##_value * out, const f##_value *x, const f##_value *y, size_t n);                                            \
  void (*trees_##f)(f##_value * slot, size_t size, const f##_value *x, uint64_t groups, uint64_t count);                           \
  void (*pair_##f)(f##_value * out, const f##_value *x, size_t n);                                                                 \
  void (*lines_##f)(f##_value * row, size_t width, size_t lanes, const unsigned char *x, int64_t across, size_t n);                \
  void (*down_##f)(f##_value * row, size_t width, const unsigned char *x, int64_t step, uint64_t n);                               \
  void (*leaves_##f)(f##_value * out, size_t leaves, const f##_value *x, uint64_t units, int in_pairs);                            \
  void (*blocks_##f)(f##_value * row, const f##_value *x, uint64_t rows, uint64_t count);
#include "../format/accumulators.def"
#undef ACCUMULATOR
  void (*exact_f64)(struct bf_wide *wide, const double *x, size_t n, size_t step); /* adds x[0], x[step], ..., n of them */
  /* best: the first greatest of keys[0], keys[step], ... whose indices start at `index`, if it beats *best. */
  void (*best)(struct bf_best *best, const int64_t *keys, uint64_t index, size_t n, size_t step);
  /* Acts on dense data (machines.h); never null: a machine that lacks one names the scalar one. */
  bf_spread_fn *spread_f16, *spread_f32;
  bf_extremes_fn *extremes_f16, *extremes_f32;
  bf_firsts_fn *firsts_f16, *firsts_f32;
#define ACT(name) bf_##name##_fn *name;
#include "acts.def"
#undef ACT
};
/* Acts of the scalar machine for machines that have none of their own and are whole. */
void bf_widen_f16_f64_scalar(double *tile, const unsigned char *x, int64_t step, int64_t across, size_t n, size_t width);
void bf_widen_bf16_f64_scalar(double *tile, const unsigned char *x, int64_t step, int64_t across, size_t n, size_t width);
void bf_exact_f64_scalar(struct bf_wide *wide, const double *x, size_t n, size_t step);
void bf_best_scalar(struct bf_best *best, const int64_t *keys, uint64_t index, size_t n, size_t step);
#define ISA(isa) extern const struct bf_isa bf_isa_##isa;
#include "isas.def"
#undef ISA

/* The named machine, or the best one for a null name, whole or in room with its gaps filled; null where there is none such here. */
const struct bf_isa *bf_isa_chosen(const char *name, struct bf_isa *room);
const char *bf_isa_name(const char *name); /* the list's own copy */
const struct bf_isa *bf_isa_best(void);    /* with gaps, but for the dense acts */
