/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What formats, orders, operations and machines promise one another: the private header (with the parts that it includes).
 *
 * A reduction runs like this. tensor.c turns shapes, strides and axes into a bf_walk: loops over outputs, and the loops of one
 * output's terms. For `width` neighbouring outputs at a time, op/terms.c hands out *tiles*: consecutive terms, widened to the
 * accumulator's type and mapped (square, product, absolute value), term i of output j at tile[i * width + j]. An order (order/) is
 * portable code on tiles: it says which runs are deposited in which lanes and how lanes and partial sums join, for `width` outputs
 * side by side. A machine (isa/) supplies the few loops that all the time goes into, and knows no order.
 */
#ifndef BITFOLD_KERNEL_H
#define BITFOLD_KERNEL_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "../include/bitfold/bitfold.h"

#include "ahead.h"
#include "isa/ieee.h"

/* In a file that is included once per accumulator, ON(plus) is f32_plus when F is f32. */
#define BF_JOIN_(a, b) a##_##b
#define BF_JOIN(a, b) BF_JOIN_(a, b)
#define ON(word) BF_JOIN(F, word)
#define BF_ON(word) BF_JOIN(BF_JOIN(bf, F), word)

/* ---- Formats ---- */

enum bf_kind { BF_BINARY = 1, BF_FIXED, BF_INTEGER };

/* One line of format/formats.def. */
struct bf_format {
  const char *name;
  enum bf_kind kind;
  int size;     /* bytes in memory */
  int exponent; /* exponent bits of a binary float, else 0 */
  int fraction; /* fraction bits of a binary float or of sfN, else 0 */
};
const struct bf_format *bf_format(bitfold_format format); /* null for what is no format */
static inline int bf_is_selection(bitfold_operation o) { return o >= BITFOLD_OPERATION_MAX && o <= BITFOLD_OPERATION_ARGMIN; }
static inline int bf_is_arg(bitfold_operation o) { return o == BITFOLD_OPERATION_ARGMAX || o == BITFOLD_OPERATION_ARGMIN; }
static inline int bf_is_mean(bitfold_operation o) { return o == BITFOLD_OPERATION_MEAN; }
static inline int bf_has_product(bitfold_operation o) { return o == BITFOLD_OPERATION_DOT || o == BITFOLD_OPERATION_SUMSQ; }
static inline int bf_is_float(bitfold_format f) { return f >= BITFOLD_FORMAT_F16 && f <= BITFOLD_FORMAT_F64; }
static inline int bf_is_sf(bitfold_format f) { return f >= BITFOLD_FORMAT_SF2 && f <= BITFOLD_FORMAT_SF16; }
static inline int bf_is_integer(bitfold_format f) { return f >= BITFOLD_FORMAT_I8 && f <= BITFOLD_FORMAT_I64; }

/*
 * A real number that a format may or may not hold: (-1)^negative (magnitude + s) 2^exponent, with 0 < s < 1 where sticky and
 * s = 0 otherwise. A magnitude is 0 or has its top bit set; a sticky one is never 0.
 */
enum bf_class { BF_FINITE, BF_INFINITE, BF_NAN };
struct bf_real {
  enum bf_class class;
  int negative, sticky;
  int32_t exponent;
  uint64_t magnitude;
};
struct bf_real bf_real_integer(int negative, uint64_t magnitude, int32_t exponent);
struct bf_real bf_decode(bitfold_format format, uint64_t bits);

/*
 * The nearest value of the format, ties to even. *event becomes 1 where a finite value turned into an infinity, or sfN or an
 * integer clamped, and is 0 otherwise. A NaN becomes the canonical one, or 0 where there is none.
 */
uint64_t bf_encode(bitfold_format format, struct bf_real value, int *event);

uint64_t bf_load(const unsigned char *element, int size, int swapped);
void bf_store(unsigned char *element, int size, int swapped, uint64_t bits);

static inline int bf_top_bit(uint64_t x) { return 63 - __builtin_clzll(x); } /* x is not 0 */

#include "isa/machines.h"
#include "format/f32.h"
#include "format/f64.h"
#include "format/f16.h"
#include "format/bf16.h"
#include "sf/codes.h"
#include "text.h"
#include "wide.h"

/* ---- Tensors as loops ---- */

enum { BF_TILE = 256, BF_WIDTH_MAX = 16 };
static inline uint64_t bf_magnitude(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }
static inline size_t bf_fit(size_t width) { return width > 1 ? BF_TILE / width : BF_TILE; } /* terms of each output in a tile */

#include "tensor.h"

/* ---- Terms ---- */

/* Counts terms as they are read, and asks the caller now and then whether to go on. */
struct bf_progress {
  int (*call)(void *context, uint64_t done, uint64_t total);
  void *context;
  uint64_t done, total, due;
  uint64_t control; /* the caller's floating-point control, for the call */
  int stopped;      /* terms are zeros from here on, loops over them end, and nothing is stored */
};

struct bf_isa;
struct bf_terms {
  const struct bf_isa *isa;
  const struct bf_axis *reduced;
  int reduceds;
  bitfold_format element;
  bitfold_operation operation;
  int size, x_swapped, y_swapped;
  const unsigned char *x, *y; /* element 0 of output 0; y null unless dot */
  int64_t x_across, y_across; /* bytes from one output to the next */
  size_t width;               /* outputs side by side, 1 .. BF_WIDTH_MAX; for bf_operand_i32, 1 .. BF_TILE */
  const char *tree;           /* the contract's, for order/tree.c */
  size_t tree_length;
  struct bf_progress *progress; /* null where nobody asks */
};

static inline int bf_stopped(const struct bf_terms *terms) { return terms->progress && terms->progress->stopped; }

/*
 * Terms [first, first + n) of every output, n * width <= BF_TILE, as one tile; tile is room for n * width values and is where the
 * result lies unless the user's own memory can be read as it is. *more (may be null) says how many terms, n or more, the caller
 * could use, and becomes how many lie there.
 */
#define ACCUMULATOR(f)                                                                                                             \
  const f##_value *bf_##f##_terms(const struct bf_terms *terms, uint64_t first, size_t n, f##_value *tile, uint64_t *more);
#include "format/accumulators.def"
#undef ACCUMULATOR
/* Terms [first, first + n) where they lie, not counted, or null; of sums of one output only. */
#define ACCUMULATOR(f) const f##_value *bf_##f##_in_place(const struct bf_terms *terms, uint64_t first, uint64_t n);
#include "format/accumulators.def"
#undef ACCUMULATOR
/* The operands themselves, without the operation's map. */
enum bf_operand { BF_X, BF_Y };
void bf_operand_f64(const struct bf_terms *terms, enum bf_operand which, uint64_t first, size_t n, double *tile);
void bf_operand_i32(const struct bf_terms *terms, enum bf_operand which, uint64_t first, size_t n, int32_t *tile);
void bf_operand_i64(const struct bf_terms *terms, enum bf_operand which, uint64_t first, size_t n, int64_t *tile); /* i64's */
void bf_operand_bits(const struct bf_terms *terms, uint64_t first, size_t n, uint64_t *tile); /* of x, zero-extended */

/* A count converted to the accumulator, and an accumulator's value as a real number. */
#define ACCUMULATOR(f)                                                                                                             \
  f##_value bf_##f##_count(uint64_t count);                                                                                        \
  struct bf_real bf_##f##_real(f##_value value);
#include "format/accumulators.def"
#undef ACCUMULATOR

/* The exact sum of terms [first, first + n) of each output, each added to wide[j], which bf_exact_init has set up. */
enum { BF_EXACT_WIDTH = 4 }; /* each takes a kilobyte of stack */
void bf_exact_init(struct bf_wide *wide, bitfold_format element, bitfold_operation operation);
void bf_exact_add(struct bf_wide *wide, const struct bf_terms *terms, uint64_t first, uint64_t n);
void bf_exact_digits(struct bf_wide *wide, const struct bf_terms *terms, uint64_t first, uint64_t n); /* element by element */

/* ---- Orders: order/<word>.c, one function per accumulator. out has terms->width values. ---- */

#define ACCUMULATOR(f)                                                                                                             \
  typedef void f##_order_fn(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, f##_value *out);
#include "format/accumulators.def"
#undef ACCUMULATOR

struct bf_order {
#define ACCUMULATOR(f) f##_order_fn *f;
#include "format/accumulators.def"
#undef ACCUMULATOR
};
#define ORDER(name, NAME, word) extern const struct bf_order bf_order_##name;
#include "order/orders.def"
#undef ORDER
const struct bf_order *bf_order(bitfold_order order);
#include "order/imitation.h"

/* lanes.c, for partials: terms [first, first + n) join lanes that lie in row; the folded lanes are row's first values. */
#define ACCUMULATOR(f)                                                                                                             \
  void bf_##f##_join(const struct bf_terms *terms, size_t lanes, uint64_t first, uint64_t n, f##_value *row);                      \
  void bf_##f##_fold(const struct bf_isa *isa, const bitfold_level *level, size_t width, f##_value *row);
#include "format/accumulators.def"
#undef ACCUMULATOR

/* canonical.c, for partials: complete rows of L lanes, a power of two of them, reduced to `lanes` values. */
#define ACCUMULATOR(f)                                                                                                             \
  void bf_##f##_rows(const struct bf_terms *terms, uint64_t lanes, uint64_t first, uint64_t rows, f##_value *out);
#include "format/accumulators.def"
#undef ACCUMULATOR

/* The first index of pairwise(B)'s right half of n elements; 0 where n elements are one leaf. */
uint64_t bf_pairwise_split(uint64_t n, uint64_t block);

/* tree.c: the number of leaves of a well-formed tree, 0 with a message for any other text. */
uint64_t bf_tree_leaves(const char *text, size_t length, bitfold_message *message);

/* ---- Selections ---- */

#include "op/keys.h"

/* ---- One reduction ---- */

/* What a call counts for its bitfold_report, which is large to clear. */
struct bf_report {
  uint64_t clamped, nan, overflowed;
  int threads;
};

/* What the acts below share: `width` neighbouring outputs of `n` terms each. */
struct bf_job {
  const bitfold_contract *contract;
  const bitfold_level *levels; /* the contract's, or what an imitation comes to on this call */
  unsigned depth;              /* of the levels */
  enum bf_mean mean;
  struct bf_terms terms;
  uint64_t n, column; /* column: of the first output, by the walk's y */
  unsigned char *output;
  int output_size, output_swapped, bad_codes;
  int threads; /* the most there may be; report.threads says whether they were called */
  int64_t output_across;
  struct bf_report report;
};
void bf_job_store(struct bf_job *job, size_t j, uint64_t bits);

/* Calls act for every output, `width` neighbours at a time along the walk's inner axis; in groups.c. */
typedef void bf_act_fn(struct bf_job *job);
void bf_each_group(struct bf_job *job, const struct bf_walk *walk, size_t width, bf_act_fn *act);
/*
 * Calls piece(context, i, ...) for each i below `pieces`, on so many threads at the most, in any sequence; a result that is not 0
 * says that those not begun may be left out. Returns how many threads there may have been: 1 without OpenMP. In threads.c.
 */
typedef int bf_piece_fn(void *context, size_t i, int is_caller);
int bf_parallel(int threads, size_t pieces, bf_piece_fn *piece, void *context);
/* How many shares the groups are dealt out in, and how wide they then are; and the pieces that cut.c makes of a row. */
uint64_t bf_shares(const struct bf_job *job, const struct bf_walk *walk, uint64_t *width);
uint64_t bf_pieces(const struct bf_job *job);
/* Whether a code lies beyond the width of its sfN; formats as wide as their memory are not read. */
int bf_has_bad_codes(struct bf_job *job, const struct bf_walk *walk, size_t width);

/*
 * A sum's value, or a rule's, divided by count (0: a mean of nothing), as bits of the contract's output. Counts NaN and clamps in
 * the report; *infinite says that a float output is infinite, which is an overflow unless an operand is.
 */
uint64_t bf_round(const bitfold_contract *contract, struct bf_real value, struct bf_report *report, int *infinite);
uint64_t bf_round_codes(const bitfold_contract *contract, struct bf_codes *codes, uint64_t count, struct bf_report *report,
                        int *infinite);
/* The same for some short rows, 1; or 0 and nothing done, for others and contracts that are not whole. Null: the default. */
int bf_quick(bitfold_operation operation, bitfold_format element, const void *x, const void *other, size_t n,
             const bitfold_contract *contract, void *y);
/* bitfold_reduce of one contiguous row, to a contiguous output; n elements of x, and of y if not null. */
bitfold_status bf_reduce_row(const bitfold_contract *contract, const void *x, const void *y, size_t n, void *output);
int bf_has_infinity(const struct bf_terms *terms, size_t j, uint64_t n); /* among the operands of output j */
void bf_store_exact(struct bf_job *job, size_t j, struct bf_wide *wide);
void bf_store_best(struct bf_job *job, size_t j, struct bf_best best);
bf_act_fn bf_sum_exactly, bf_sum_by_rule, bf_sum_by_order, bf_cut_sum, bf_cut_selection;

#include "exact/slim.h"

/* ---- Plans: plan.c ---- */

/*
 * How a reduction runs: act is called for groups of up to `width` neighbouring outputs, which may be more than BF_WIDTH_MAX for
 * acts that read the user's memory as it lies.
 */
struct bf_plan {
  const char *name; /* what `bitfold info --plan` prints */
  bf_act_fn *act;
  size_t width;
  int is_cut; /* act is for one output, and cuts its terms for the threads */
};
struct bf_plan bf_plan_of(const struct bf_job *job, const struct bf_walk *walk);
bf_act_fn bf_select_each;

#include "isa/acts.h"

/*
 * The processor's floating-point control: round to nearest, keep subnormals, between enter and leave, and as it was afterwards,
 * flags included.
 */
uint64_t bf_control_enter(void);
void bf_control_leave(uint64_t saved);
uint16_t bf_half(float x); /* the nearest half, between enter and leave; x is not NaN */

/* ---- Contracts ---- */

/* Whether the parts of a whole contract go together; contract/check.c. */
bitfold_status bf_contract_check(const bitfold_contract *contract, bitfold_message *message);
int bf_same_order(const bitfold_contract *a, const bitfold_contract *b);
const char *bf_order_name(bitfold_order order); /* null past the last */
const char *bf_fold_name(bitfold_fold fold);
const char *bf_tail_name(bitfold_tail tail);

#endif
