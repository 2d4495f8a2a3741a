/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitfold: tensor reductions whose bits do not depend on the machine.
 *
 * How a reduction accumulates is a value with a name, the contract:
 *
 *     sum:f32:exact                          the correctly rounded sum
 *     sum:f16:acc=f32:lanes(4,fold=left)     four float32 lanes, folded from the left
 *     max:f32:nan=ignore                     the largest number
 *     dot:sf16:sf                            SuperFloat, clamped at every step
 *
 * The same contract gives the same bits with every compiler, optimisation level, instruction set, rounding mode, flush-to-zero
 * state, memory layout and alignment, and an output has the same bits alone as in a batch; numpy, numpy-1 and torch alone depend on
 * the layout, and torch on the batch, because those libraries do. Where the processor's floating-point control is not known to
 * isa/control.c (it is on x86, Arm and RISC-V) the caller must be in the default state. docs/contracts.md is the language.
 *
 * A first program:
 *
 *     float x[4] = {1e8f, 1, -1e8f, 1}, y;
 *     bitfold_sum_f32(x, 4, NULL, &y);                   // y = 2: exact is the default
 *
 *     bitfold_contract contract;
 *     bitfold_contract_parse("sum:f32:sequential", &contract, NULL);
 *     bitfold_sum_f32(x, 4, &contract, &y);              // y = 1: ((0 + 1e8) + 1) + ...
 *
 * Every function is reentrant and touches nothing but its arguments: no allocation, no global state, no errno. Functions that can
 * fail return a bitfold_status; outputs are untouched unless it is BITFOLD_STATUS_OK. Pointers may be null only where this page
 * says so.
 */
#ifndef BITFOLD_H
#define BITFOLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BITFOLD_VERSION "0.1.0"

/* The version the library was built as, for instance "0.1.0". */
const char *bitfold_version(void);

/* ---- Status ---------------------------------------------------------------------------------------------------------------- */

typedef enum bitfold_status {
  BITFOLD_STATUS_OK = 0,
  BITFOLD_STATUS_NULL,     /* a pointer is null that may not be */
  BITFOLD_STATUS_CONTRACT, /* the contract has an unknown word, or parts that do not go together, or is not this call's */
  BITFOLD_STATUS_SHAPE,    /* ranks, extents or lengths that do not fit, or whose product passes 2^63 - 1 */
  BITFOLD_STATUS_AXIS,     /* an axis out of range, or named twice */
  BITFOLD_STATUS_EMPTY,    /* max, min, argmax or argmin of no elements */
  BITFOLD_STATUS_VALUE,    /* an input that the format cannot hold: a code beyond its width, a NaN made into an integer or sfN */
  BITFOLD_STATUS_CUT,      /* the order cannot be cut where this partial begins or ends */
  BITFOLD_STATUS_FULL,     /* the partial would need more pending blocks than it holds */
  BITFOLD_STATUS_BYTES,    /* the bytes are not a partial, or the buffer is too small for one */
  BITFOLD_STATUS_MACHINE,  /* no such instruction set in this build, or not on this processor */
  BITFOLD_STATUS_STOPPED   /* the caller's progress function asked to stop */
} bitfold_status;

/* One English clause for a status, never null: "the shapes do not fit". */
const char *bitfold_status_text(bitfold_status status);

/* One line, without a newline, that says what was wrong and what would be right; empty on success. */
typedef struct bitfold_message {
  char text[240];
} bitfold_message;

/* ---- Formats --------------------------------------------------------------------------------------------------------------- */

/*
 * What an element is. Binary floats are IEEE 754 (bf16 is the upper half of f32) and keep subnormals, infinities and NaN. sfN is
 * SuperFloat: an integer code k in int8_t (N <= 8) or int16_t (N > 8) that means k / 2^(N-1), with |k| <= 2^(N-1) - 1; the code
 * -2^(N-1), which some accumulation rules can return, is read as -1.0.
 */
typedef enum bitfold_format {
  BITFOLD_FORMAT_NONE = 0,
  BITFOLD_FORMAT_F16,  /* uint16_t */
  BITFOLD_FORMAT_BF16, /* uint16_t */
  BITFOLD_FORMAT_F32,  /* float */
  BITFOLD_FORMAT_F64,  /* double */
  BITFOLD_FORMAT_I8,
  BITFOLD_FORMAT_I16,
  BITFOLD_FORMAT_I32,
  BITFOLD_FORMAT_I64,
  BITFOLD_FORMAT_SF2, /* int8_t up to SF8, int16_t above; BITFOLD_FORMAT_SF2 + N - 2 is sfN */
  BITFOLD_FORMAT_SF3,
  BITFOLD_FORMAT_SF4,
  BITFOLD_FORMAT_SF5,
  BITFOLD_FORMAT_SF6,
  BITFOLD_FORMAT_SF7,
  BITFOLD_FORMAT_SF8,
  BITFOLD_FORMAT_SF9,
  BITFOLD_FORMAT_SF10,
  BITFOLD_FORMAT_SF11,
  BITFOLD_FORMAT_SF12,
  BITFOLD_FORMAT_SF13,
  BITFOLD_FORMAT_SF14,
  BITFOLD_FORMAT_SF15,
  BITFOLD_FORMAT_SF16
} bitfold_format;

/* "f16" ... "sf16"; null for BITFOLD_FORMAT_NONE and for values that are no format. */
const char *bitfold_format_name(bitfold_format format);

/* The format of that name, or BITFOLD_FORMAT_NONE. */
bitfold_format bitfold_format_named(const char *name);

/* Bytes of one element, 0 for no format. */
size_t bitfold_format_size(bitfold_format format);

/*
 * Converts n contiguous elements: each exact value is rounded once, to nearest, ties to even. Subnormals are kept; a NaN becomes
 * the format's one NaN (0x7e00, 0x7fc0, 0x7fc00000, 0x7ff8000000000000). Beyond a float's range the result is Inf. sfN and integers
 * clamp, infinities included, and each clamp that changed the rounded value is counted in *clamped (may be null). On
 * BITFOLD_STATUS_VALUE, for a NaN to be made into one of them or a code beyond the width of sfN, and on BITFOLD_STATUS_CONTRACT,
 * for no such format, nothing is written. input and output may be null when n is 0; they must not overlap unless they are equal
 * and the output element is not the larger one. (S42, S43.)
 */
bitfold_status bitfold_convert(bitfold_format from, const void *input, bitfold_format to, void *output, size_t n,
                               uint64_t *clamped);

/* ---- SuperFloat accumulation rules ----------------------------------------------------------------------------------------- */

typedef enum bitfold_product {
  BITFOLD_PRODUCT_TOWARD_ZERO, /* |a||b| >> (N-1), sign by XOR */
  BITFOLD_PRODUCT_FLOOR,       /* (a b) >> (N-1), arithmetic */
  BITFOLD_PRODUCT_EXACT,       /* a b, with 2(N-1) fraction bits */
  BITFOLD_PRODUCT_FLOAT32      /* a/2^(N-1) times b/2^(N-1) in float32; the sum is float32 too, and sequential */
} bitfold_product;

typedef enum bitfold_overflow {
  BITFOLD_OVERFLOW_CLAMP, /* at every step; a clamp that changes the value is an event */
  BITFOLD_OVERFLOW_WRAP   /* two's complement; no event */
} bitfold_overflow;

typedef enum bitfold_readout {
  BITFOLD_READOUT_FLOOR,   /* arithmetic shift */
  BITFOLD_READOUT_HALF_UP, /* add half, arithmetic shift */
  BITFOLD_READOUT_NEAREST  /* ties to even */
} bitfold_readout;

/*
 * How a chip adds sfN codes; a rule is data, and bitfold_sum_codes executes it. The accumulator holds integers of
 * accumulator_bits bits that mean value / 2^(N-1+extra). A term of a sum is its code times 2^sum_extra; a product has product_extra
 * more fraction bits than the data. The read-out rounds to N-1 fraction bits and clamps to N bits. FLOAT32 products are added in
 * float32 instead, and only name, minus_one_is_zero and readout_full_range matter beside.
 */
typedef struct bitfold_rule {
  const char *name;
  bitfold_product product;
  int minus_one_is_zero; /* an operand of -1.0 makes a product 0 */
  int accumulator_bits;  /* 2 .. 48, or a BITFOLD_BITS word */
  bitfold_overflow overflow;
  int full_range;    /* a clamping accumulator reaches -2^(bits-1); otherwise its edges are symmetric */
  int sum_extra;     /* 0 .. 32, or BITFOLD_BITS_DATA for N-1 */
  int product_extra; /* the same in a dot; an EXACT product has at least N-1 */
  bitfold_readout readout;
  int readout_full_range; /* the read-out reaches -1.0 */
} bitfold_rule;

enum {
  BITFOLD_BITS_DATA = -1,   /* accumulator_bits: N, as wide as the data; extra: N-1 */
  BITFOLD_BITS_PRODUCT = -2 /* accumulator_bits: 2N-1, as wide as an exact product */
};

/* The rule "sf", "atreides-v1", "atreides-v2.1", "systolic24", "sf31", "guarded31", "edge-int32" or "float32"; null if none. */
const bitfold_rule *bitfold_rule_named(const char *name);

/* Rule number i of the list above, from 0; null past the end. */
const bitfold_rule *bitfold_rule_at(size_t i);

/*
 * The one function that adds SuperFloat codes (S1, S20, S39): y is null for a sum of x, else the dot of x and y. Both hold n
 * contiguous codes of the sfN `format` in its storage type. *code is the result; *clamped (may be null) is 1 if any step or the
 * read-out clamped, else 0. BITFOLD_STATUS_VALUE: a code of sf2..sf7 or sf9..sf15 lies outside -2^(N-1) .. 2^(N-1)-1;
 * BITFOLD_STATUS_CONTRACT: format is not sfN, or a field of the rule is out of its range. x may be null when n is 0.
 */
bitfold_status bitfold_sum_codes(const bitfold_rule *rule, bitfold_format format, const void *x, const void *y, size_t n,
                                 int16_t *code, uint64_t *clamped);

/* ---- Contracts ------------------------------------------------------------------------------------------------------------- */

typedef enum bitfold_operation {
  BITFOLD_OPERATION_NONE = 0,
  BITFOLD_OPERATION_SUM,
  BITFOLD_OPERATION_MEAN,   /* the sum in the accumulator, one division by the count, one rounding; exact: one rounding in all */
  BITFOLD_OPERATION_DOT,    /* products rounded to the accumulator, then added; exact: exact products */
  BITFOLD_OPERATION_SUMSQ,  /* sum of squares: dot(x, x) */
  BITFOLD_OPERATION_SUMABS, /* sum of absolute values */
  BITFOLD_OPERATION_MAX,
  BITFOLD_OPERATION_MIN,
  BITFOLD_OPERATION_ARGMAX, /* the first index of the largest element */
  BITFOLD_OPERATION_ARGMIN
} bitfold_operation;

/* "sum" ... "argmin"; null for BITFOLD_OPERATION_NONE and for values that are no operation. */
const char *bitfold_operation_name(bitfold_operation operation);

/* The orders. x0, x1, ... are the terms of one output in row-major order of the input, whatever its strides. */
typedef enum bitfold_order {
  BITFOLD_ORDER_NONE = 0,
  BITFOLD_ORDER_EXACT,      /* the real sum, rounded once to the output format */
  BITFOLD_ORDER_SEQUENTIAL, /* ((0 + x0) + x1) + ... */
  BITFOLD_ORDER_REVERSE,    /* ((0 + x[n-1]) + x[n-2]) + ... */
  BITFOLD_ORDER_LANES,      /* lanes(L,fold,tail): x[i] joins lane i mod L, lanes start at +0 and are folded */
  BITFOLD_ORDER_CANONICAL,  /* canonical(L): lane i mod L by adjacent pairs, then the lanes by adjacent pairs (WG21 P4016R0) */
  BITFOLD_ORDER_PAIRWISE,   /* pairwise(B,leaf): cut at n/2 rounded down to a multiple of 8 while n > B and that is not 0 */
  BITFOLD_ORDER_BLOCKS,     /* blocks(B,inner): blocks of B by the order `inner`, their results added left to right */
  BITFOLD_ORDER_TREE,       /* tree("((0+1)+2)"): an explicit tree; (0+1+2) is one exact addition of three terms, rounded once */
  BITFOLD_ORDER_HELIA,      /* lanes(4,fold=left) when the reduced axes are the last ones, else sequential (H61, H62) */
  BITFOLD_ORDER_NUMPY,      /* that of np.sum and np.mean, NumPy 2.3 and later; depends on the strides (docs/contracts.md) */
  BITFOLD_ORDER_NUMPY_1,    /* numpy-1: the same before NumPy 2.3 */
  BITFOLD_ORDER_CMSIS_DSP,  /* cmsis-dsp: CMSIS-DSP's float32 accumulate, mean and dot product on Helium */
  BITFOLD_ORDER_TORCH       /* torch, torch(T): PyTorch's sum or mean on T threads of an x86-64 processor, 1 to 256 */
} bitfold_order;

typedef enum bitfold_fold {
  BITFOLD_FOLD_LEFT,  /* ((l0 + l1) + l2) + ... */
  BITFOLD_FOLD_PAIRS, /* l0+l1, l2+l3, ... repeatedly, an odd one carried */
  BITFOLD_FOLD_HALVES /* l[i] + l[i+L/2] repeatedly; L a power of two */
} bitfold_fold;

typedef enum bitfold_tail {
  BITFOLD_TAIL_LANES, /* the last n mod L elements join their lanes */
  BITFOLD_TAIL_AFTER  /* they are added one by one to the folded value */
} bitfold_tail;

typedef enum bitfold_nan {
  BITFOLD_NAN_DEFAULT = 0, /* open; a whole contract never holds it where it matters */
  BITFOLD_NAN_PROPAGATE,   /* max, min: any NaN gives NaN. argmax, argmin: the first NaN wins */
  BITFOLD_NAN_IGNORE       /* NaN never wins; max and min of nothing but NaN are NaN, argmax and argmin 0 */
} bitfold_nan;

enum {
  BITFOLD_LEVELS_MAX = 4,  /* orders inside orders: blocks(4096,pairwise(128,lanes(8))) has three levels */
  BITFOLD_LANES_MAX = 256, /* the most lanes of lanes(L) and canonical(L) */
  BITFOLD_RANK_MAX = 8
};

/* One order word with its parameters. */
typedef struct bitfold_level {
  bitfold_order order;
  bitfold_fold fold; /* lanes */
  bitfold_tail tail; /* lanes */
  uint64_t size;     /* L, B or T */
} bitfold_level;

/*
 * A contract: all that the bits of a reduction depend on. Make one with bitfold_contract_parse; the fields are public to be read.
 * It is a plain value, but for two borrowed pointers: rule (the library's own, or the caller's), and tree, which points into the
 * text that was parsed and so must live as long as the contract is used.
 */
typedef struct bitfold_contract {
  bitfold_operation operation;
  bitfold_format element;
  bitfold_format accumulator; /* f16, bf16, f32 or f64 under a float order; NONE under exact, a rule, max, min, argmax, argmin */
  bitfold_format output;
  bitfold_nan nan;
  const bitfold_rule *rule; /* sum, mean, dot, sumsq, sumabs of sfN, unless exact */
  unsigned depth;           /* levels in use; 0 where there is a rule, and for max, min, argmax, argmin */
  bitfold_level level[BITFOLD_LEVELS_MAX];
  const char *tree; /* tree("..."): the text between the quotes */
  size_t tree_length;
  int fma; /* 1: each product of a dot or sumsq joins its accumulator by one fused multiply-add, which rounds once */
  int ftz; /* 1: the accumulator's arithmetic flushes subnormal operands and results to zero; docs/contracts.md says where */
} bitfold_contract;

/*
 * Reads a whole contract: parts joined by ':', the operation and the element format, and as many as wanted of an order or rule,
 * acc=FORMAT, fma, ftz, out=FORMAT, nan=POLICY. What is left out takes its default (docs/contracts.md). On failure *contract is
 * untouched and *message (may be null) names the word at fault and the nearest known ones.
 */
bitfold_status bitfold_contract_parse(const char *text, bitfold_contract *contract, bitfold_message *message);

/*
 * The same in steps, for callers that gather a contract from several places. Start from a zeroed contract; add parts as they come
 * (any subset, any sequence; a part given twice with two meanings is an error); complete fills in the defaults and checks that all
 * goes together. On failure *contract is untouched.
 */
bitfold_status bitfold_contract_add(bitfold_contract *contract, const char *text, bitfold_message *message);
bitfold_status bitfold_contract_complete(bitfold_contract *contract, bitfold_message *message);

/*
 * Writes the contract as text that parses back to an equal one (unless it has a rule of the caller's own, of which the name alone
 * is written). Nothing is left to defaults: an accumulator or output that is not written is the element's format, where the
 * contract has one. Returns the length without the final NUL, as snprintf does; at most capacity bytes are written, NUL included.
 * text may be null.
 */
size_t bitfold_contract_print(const bitfold_contract *contract, char *text, size_t capacity);

/* 1 if the two contracts are the same in every part, else 0. */
int bitfold_contract_equal(const bitfold_contract *a, const bitfold_contract *b);

/* ---- Tensors --------------------------------------------------------------------------------------------------------------- */

/*
 * A strided view. Strides are in bytes, may be negative, zero or odd, and data need not be aligned. Extents may be 0. swapped
 * is non-zero where the elements are in the other byte order than the machine's (big-endian files on a little-endian machine).
 */
typedef struct bitfold_tensor {
  const void *data; /* the element of index 0, ..., 0; may be null when an extent is 0 */
  bitfold_format format;
  int swapped;
  int rank; /* 0 .. BITFOLD_RANK_MAX */
  int64_t shape[BITFOLD_RANK_MAX];
  int64_t stride[BITFOLD_RANK_MAX];
} bitfold_tensor;

/* The axes to reduce: count of them in axis[], negative ones counted from the end. A null pointer to bitfold_axes means all. */
typedef struct bitfold_axes {
  int count; /* 0 reduces nothing: each element is an output of its own */
  int axis[BITFOLD_RANK_MAX];
} bitfold_axes;

/*
 * A C-contiguous tensor of this rank and shape over data. shape may be null when rank is 0. BITFOLD_STATUS_SHAPE: a rank or extent
 * out of range, or 2^63 bytes and more; BITFOLD_STATUS_CONTRACT: no such format.
 */
bitfold_status bitfold_tensor_init(bitfold_tensor *tensor, bitfold_format format, const void *data, int rank, const int64_t *shape);

/*
 * The shape of a reduction's output: *output becomes a C-contiguous tensor of that shape and format with null data, to be filled in
 * by the caller. keepdims keeps reduced axes with extent 1. message may be null.
 */
bitfold_status bitfold_tensor_reduced(const bitfold_tensor *input, const bitfold_axes *axes, int keepdims, bitfold_format format,
                                      bitfold_tensor *output, bitfold_message *message);

/* ---- Reductions ------------------------------------------------------------------------------------------------------------ */

/* How to run; nothing here changes a bit. A null pointer to bitfold_engine means: the best machine here, no progress calls. */
typedef struct bitfold_engine {
  const char *isa; /* a name of bitfold_isa_at, or null for the best one that this processor has */
  /*
   * The most threads to use, the calling one among them; 0 is 1. Work is cut between outputs, and along a row where the contract
   * lets its pieces be joined: exact sums and selections. A build without OpenMP uses one thread. Safe inside other
   * parallel regions, where the calling thread does all, and around fork.
   */
  int threads;
  /*
   * If not null, called on the calling thread about once every 2^20 of the `total` elements of x (which count twice where codes
   * of sfN narrower than their memory are checked first), with the caller's own floating-point state; shorter reductions make no
   * call, and none says that all is done. A result other than 0 stops the reduction with BITFOLD_STATUS_STOPPED: the one failure
   * after which some outputs may have been written.
   */
  int (*progress)(void *context, uint64_t done, uint64_t total);
  void *context; /* handed to progress */
} bitfold_engine;

/* Name of machine number i of those in this build that this processor can run, best first; null past the end. */
const char *bitfold_isa_at(size_t i);

/* How many threads are worth asking for: OpenMP's number (one for each processor, or OMP_NUM_THREADS); 1 in a build without it. */
int bitfold_threads(void);

/* What happened, beside the outputs. */
typedef struct bitfold_report {
  uint64_t outputs;          /* how many outputs there are */
  uint64_t clamped;          /* outputs of sfN or integers for which a step or the read-out clamped (S10, S14, S15) */
  uint64_t nan;              /* outputs that are NaN */
  uint64_t overflowed;       /* outputs that are infinite although no input of theirs is */
  bitfold_contract contract; /* the contract that was kept, whole */
  const char *isa;           /* the machine that ran */
  int threads;               /* how many threads shared the work, at the most */
  bitfold_message message;   /* why it failed; empty on success. The other fields are set on success only */
} bitfold_report;

/*
 * Reduces x (and y, for dot; null otherwise) over the axes, by the contract, into output.
 *
 * x->format must be the contract's element, output->format its output. y has x's format and shape. output->shape is what
 * bitfold_tensor_reduced gives, with or without keepdims; its strides are free, its data is written. axes null: all of them;
 * engine null: the best machine; report null: not wanted.
 *
 * Each output's terms are numbered in row-major order of the reduced axes, whatever the strides (but see BITFOLD_ORDER_NUMPY).
 * Empty reductions follow NumPy: sum, dot, sumsq and sumabs are 0, mean is NaN (of an integer or sfN output: BITFOLD_STATUS_EMPTY),
 * max, min, argmax and argmin are BITFOLD_STATUS_EMPTY unless there is no output. argmax and argmin give the position in the walk
 * over the reduced axes; for one axis, the index along it. Ties keep the first, and +0 ties with -0. Outputs must not overlap
 * inputs.
 */
bitfold_status bitfold_reduce(const bitfold_contract *contract, const bitfold_tensor *x, const bitfold_tensor *y,
                              const bitfold_axes *axes, const bitfold_tensor *output, const bitfold_engine *engine,
                              bitfold_report *report);

/*
 * How bitfold_reduce would go about it, for people who wonder; the tensors' data are not read, nor is anything written but the
 * plan. It may change with any version, processor and shape; the bits do not. Returns what bitfold_reduce would before it begins.
 */
typedef struct bitfold_plan {
  const char *isa;         /* the machine */
  const char *act;         /* what it does, in a few words */
  uint64_t outputs, terms; /* terms: of each output */
  uint64_t width;          /* outputs that are taken together */
  uint64_t shares;         /* of the outputs, dealt out to the threads; 1: the calling thread does all */
  uint64_t pieces;         /* of each row, dealt out to the threads; 1: rows are not cut */
} bitfold_plan;
bitfold_status bitfold_reduce_plan(const bitfold_contract *contract, const bitfold_tensor *x, const bitfold_tensor *y,
                                   const bitfold_axes *axes, const bitfold_tensor *output, const bitfold_engine *engine,
                                   bitfold_plan *plan, bitfold_message *message);

/*
 * One line for a contiguous row of n naturally aligned elements; x may be null when n is 0. A null contract means the default:
 * exact for sums, the operation's own NaN policy for selections. Otherwise operation, element and output must be those of the
 * function (argmax and argmin: i64), or the result is BITFOLD_STATUS_CONTRACT. Halves are their bits, bf16 are the upper half of
 * f32.
 */
bitfold_status bitfold_sum_f16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_sum_bf16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_sum_f32(const float *x, size_t n, const bitfold_contract *contract, float *y);
bitfold_status bitfold_sum_f64(const double *x, size_t n, const bitfold_contract *contract, double *y);
bitfold_status bitfold_mean_f16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_mean_bf16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_mean_f32(const float *x, size_t n, const bitfold_contract *contract, float *y);
bitfold_status bitfold_mean_f64(const double *x, size_t n, const bitfold_contract *contract, double *y);
bitfold_status bitfold_sumsq_f16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_sumsq_bf16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_sumsq_f32(const float *x, size_t n, const bitfold_contract *contract, float *y);
bitfold_status bitfold_sumsq_f64(const double *x, size_t n, const bitfold_contract *contract, double *y);
bitfold_status bitfold_sumabs_f16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_sumabs_bf16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_sumabs_f32(const float *x, size_t n, const bitfold_contract *contract, float *y);
bitfold_status bitfold_sumabs_f64(const double *x, size_t n, const bitfold_contract *contract, double *y);
bitfold_status bitfold_max_f16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_max_bf16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_max_f32(const float *x, size_t n, const bitfold_contract *contract, float *y);
bitfold_status bitfold_max_f64(const double *x, size_t n, const bitfold_contract *contract, double *y);
bitfold_status bitfold_min_f16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_min_bf16(const uint16_t *x, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_min_f32(const float *x, size_t n, const bitfold_contract *contract, float *y);
bitfold_status bitfold_min_f64(const double *x, size_t n, const bitfold_contract *contract, double *y);
bitfold_status bitfold_argmax_f16(const uint16_t *x, size_t n, const bitfold_contract *contract, int64_t *y);
bitfold_status bitfold_argmax_bf16(const uint16_t *x, size_t n, const bitfold_contract *contract, int64_t *y);
bitfold_status bitfold_argmax_f32(const float *x, size_t n, const bitfold_contract *contract, int64_t *y);
bitfold_status bitfold_argmax_f64(const double *x, size_t n, const bitfold_contract *contract, int64_t *y);
bitfold_status bitfold_argmin_f16(const uint16_t *x, size_t n, const bitfold_contract *contract, int64_t *y);
bitfold_status bitfold_argmin_bf16(const uint16_t *x, size_t n, const bitfold_contract *contract, int64_t *y);
bitfold_status bitfold_argmin_f32(const float *x, size_t n, const bitfold_contract *contract, int64_t *y);
bitfold_status bitfold_argmin_f64(const double *x, size_t n, const bitfold_contract *contract, int64_t *y);

/* The dot of two contiguous rows of n elements. */
bitfold_status bitfold_dot_f16(const uint16_t *a, const uint16_t *b, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_dot_bf16(const uint16_t *a, const uint16_t *b, size_t n, const bitfold_contract *contract, uint16_t *y);
bitfold_status bitfold_dot_f32(const float *a, const float *b, size_t n, const bitfold_contract *contract, float *y);
bitfold_status bitfold_dot_f64(const double *a, const double *b, size_t n, const bitfold_contract *contract, double *y);

/* ---- Explanations ---------------------------------------------------------------------------------------------------------- */

/*
 * The usual contracts, one after the other, the simplest first: those of the operation and element of *asked that have all other
 * parts which it has (accumulator, order or rule, output, fma, ftz, nan) and anything usual in place of those it leaves open.
 * *cursor is 0 at first. Returns 1 and the next contract, whole, or 0 after the last. docs/explain.md lists the orders.
 */
int bitfold_candidate_next(const bitfold_contract *asked, uint64_t *cursor, bitfold_contract *candidate);

/* One contract against a result that somebody got. */
typedef struct bitfold_trial {
  bitfold_contract contract;
  uint64_t outputs; /* how many there are */
  uint64_t matched; /* how many of them have the bits that were got */
  uint64_t first;   /* row-major index of the first that has not; outputs if there is none */
  /*
   * The greatest distance of an output from what was got: units in the last place, codes, or whole numbers. Zeros of two signs are
   * 1 apart, NaN is UINT64_MAX from all numbers. Any NaN has the bits of any other, because a contract gives one only.
   */
  uint64_t ulps;
  uint64_t hash; /* of all outputs: contracts that this data cannot tell apart have the same one */
} bitfold_trial;

/*
 * Reduces x (and y) over the axes by the contract, as bitfold_reduce does, and compares with `got`, a tensor of the contract's
 * output format and the reduced shape, with or without keepdims. room is memory for as many elements as got has, aligned for them.
 * engine and message may be null.
 */
bitfold_status bitfold_try(const bitfold_contract *contract, const bitfold_tensor *x, const bitfold_tensor *y,
                           const bitfold_axes *axes, const bitfold_tensor *got, void *room, const bitfold_engine *engine,
                           bitfold_trial *trial, bitfold_message *message);

/*
 * Does so with every candidate for *asked, whose output, if it is open, becomes got's format, and keeps the best `capacity` of the
 * trials: most outputs matched first, then fewest ulps, then the simplest. *count becomes how many were tried, of which those that
 * explain everything have matched == outputs. Candidates that refuse this shape or layout are passed over; if all do, the last
 * one's status and message are returned. engine->progress is told about all reductions together.
 */
bitfold_status bitfold_explain(const bitfold_contract *asked, const bitfold_tensor *x, const bitfold_tensor *y,
                               const bitfold_axes *axes, const bitfold_tensor *got, void *room, const bitfold_engine *engine,
                               bitfold_trial *trials, size_t capacity, size_t *count, bitfold_message *message);

/*
 * Looks for a short row on which two contracts of one operation and element have different results: values that differ, or zeros of
 * two signs; formats may differ. x, and y for a dot, are memory for `capacity` contiguous elements. *n becomes the length of the
 * row that lies there then, or 0 if none was found in *tried <= about `trials` attempts: the two may be the same order. The same
 * seed finds the same row on every machine.
 */
bitfold_status bitfold_separate(const bitfold_contract *a, const bitfold_contract *b, uint64_t seed, uint64_t trials, void *x,
                                void *y, size_t capacity, size_t *n, uint64_t *tried, bitfold_message *message);

/* Who is told of an order's additions. Sums are numbers of the caller's own making. */
typedef struct bitfold_visitor {
  void *context;
  uint64_t start;                                                     /* the +0 that accumulators start at */
  uint64_t (*term)(void *context, uint64_t i);                        /* term i of the row */
  uint64_t (*sum)(void *context, const uint64_t *operands, size_t n); /* two operands, left and right; of more, rounded once */
  uint64_t (*exact)(void *context, uint64_t first, uint64_t n);       /* terms [first, first + n), rounded once */
  const int *stopped; /* may be null; from when on it is not 0 the walk is cut short: BITFOLD_STATUS_STOPPED */
} bitfold_visitor;

/*
 * Walks over the order of a sum of a contiguous row of n terms, each addition after those of its operands; *root becomes the whole
 * sum. A rule adds in sequence; selections have no order (BITFOLD_STATUS_CONTRACT). message may be null.
 */
bitfold_status bitfold_order_walk(const bitfold_contract *contract, uint64_t n, const bitfold_visitor *visitor, uint64_t *root,
                                  bitfold_message *message);

/* ---- SuperFloat arrays ------------------------------------------------------------------------------------------------------ */

typedef enum bitfold_elementwise {
  BITFOLD_ELEMENTWISE_ADD,
  BITFOLD_ELEMENTWISE_SUBTRACT,
  BITFOLD_ELEMENTWISE_MULTIPLY,
  BITFOLD_ELEMENTWISE_NEGATIVE, /* of x alone */
  BITFOLD_ELEMENTWISE_ABSOLUTE  /* of x alone */
} bitfold_elementwise;

/*
 * Each element of output becomes what the rule makes of its own one or two terms: the sum of x and y, of x and -y, of -x, of |x|,
 * or the dot of x alone and y alone; the terms -(-1.0) and |-1.0| are +1.0, and clamp like any other. So x * y followed by a sum
 * has the bits of the dot, under every rule that narrows each product to the data's width and unless -1.0 meets -1.0 (S23). All
 * tensors have one sfN format and one shape; strides of 0 repeat an element, so that shapes can be broadcast. y is null for
 * NEGATIVE and ABSOLUTE. output may be x or y itself, strides included, and else must not overlap them. *clamped (may be null)
 * becomes the number of elements for which a step or the read-out clamped; message may be null. BITFOLD_STATUS_VALUE: a code is
 * beyond its width.
 */
bitfold_status bitfold_map_codes(bitfold_elementwise operation, const bitfold_rule *rule, const bitfold_tensor *x,
                                 const bitfold_tensor *y, const bitfold_tensor *output, uint64_t *clamped,
                                 bitfold_message *message);

/*
 * What bitfold_sum_codes would return for the first 1, 2, ..., n terms: code[i] is the read-out after term i. *clamped (may be
 * null) becomes the number of those n sums that clamped, in a step or in their own read-out. x and y as for bitfold_sum_codes; they
 * must not overlap code, which may be null when n is 0.
 */
bitfold_status bitfold_trace_codes(const bitfold_rule *rule, bitfold_format format, const void *x, const void *y, size_t n,
                                   int16_t *code, uint64_t *clamped);

/*
 * How many products of a dot vanish: neither operand is 0, but the product that the rule adds is (S19). x and y, of one sfN format
 * and shape, and the axes are those of bitfold_reduce for a dot; output, of BITFOLD_FORMAT_I64 and the reduced shape, receives a
 * count for each output. message may be null.
 */
bitfold_status bitfold_vanished_codes(const bitfold_rule *rule, const bitfold_tensor *x, const bitfold_tensor *y,
                                      const bitfold_axes *axes, const bitfold_tensor *output, bitfold_message *message);

/* How a device writes a code of sfN in the low N bits of a word of uint8_t (N <= 8) or uint16_t. */
typedef enum bitfold_encoding {
  BITFOLD_ENCODING_TWOS_COMPLEMENT,
  BITFOLD_ENCODING_SIGN_MAGNITUDE /* bit N-1 is the sign; -0 reads as code 0 (S38), and -1.0 has no word */
} bitfold_encoding;

/* "twos-complement" or "sign-magnitude"; null for values that are no encoding. */
const char *bitfold_encoding_name(bitfold_encoding encoding);

/*
 * n contiguous codes to words, whose bits above the low N are 0, and back. Read, those bits may also repeat a two's complement
 * sign. BITFOLD_STATUS_VALUE, with nothing written: a code or word that the other side does not have. Both may be the same memory,
 * and null when n is 0.
 */
bitfold_status bitfold_words_from_codes(bitfold_encoding encoding, bitfold_format format, const void *codes, void *words, size_t n);
bitfold_status bitfold_codes_from_words(bitfold_encoding encoding, bitfold_format format, const void *words, void *codes, size_t n);

/*
 * Packed sf4: two codes a byte, the first in the low nibble, 4-bit two's complement; an odd count is padded with a zero nibble.
 * bytes has (n + 1) / 2 of them. BITFOLD_STATUS_VALUE, with nothing written: a code beyond +-7, or padding that is not 0. The two
 * must not overlap, and may be null when n is 0.
 */
bitfold_status bitfold_pack_sf4(const int8_t *codes, size_t n, uint8_t *bytes);
bitfold_status bitfold_unpack_sf4(const uint8_t *bytes, size_t n, int8_t *codes);

/* ---- Dense arrays ------------------------------------------------------------------------------------------------------------ */

/*
 * The calls for firmware: contiguous, row-major, naturally aligned f16 and f32, under the one contract that each names. Built for
 * one machine (BITFOLD_MACHINE, docs/cmsis-nn.md) they take a few kilobytes of code and a few hundred bytes of stack. The bits are
 * those of bitfold_reduce.
 */

/*
 * An array as five extents, the outermost first: kept, reduced, kept, reduced, kept, called k0 r0 k1 r1 k2 below. Any of them may
 * be 1, or 0. The order of a sum relies on neighbouring axes being merged as far as bitfold_dense_init merges them.
 */
typedef struct bitfold_dense {
  size_t extent[5];
} bitfold_dense;

/*
 * From a shape of four axes (shorter ones are led by 1) and a mask, whose entries that are not 0 name the axes to reduce.
 * Neighbouring axes are merged and extents of 1 left out; an extent below 0 counts as 0. That the elements fit into memory is not
 * checked. No pointer may be null.
 */
bitfold_status bitfold_dense_init(bitfold_dense *dense, const int32_t shape[4], const int32_t mask[4]);

/*
 * All have one type, and x and y are arrays of the element format named last: float, or halves of whatever C type. y has k0 k1 k2
 * elements, int32_t for argmax and argmin. No pointer may be null, even where nothing is read or written (BITFOLD_STATUS_NULL).
 * x and y must not overlap; for sum and mean they may be equal where nothing is reduced.
 *
 * sum:f32:helia, sum:f16:acc=f32:helia and the means; an empty sum is 0, an empty mean NaN.
 */
typedef bitfold_status (*bitfold_dense_function)(const bitfold_dense *dense, const void *x, void *y);
bitfold_status bitfold_dense_sum_f16(const bitfold_dense *dense, const void *x, void *y);
bitfold_status bitfold_dense_sum_f32(const bitfold_dense *dense, const void *x, void *y);
bitfold_status bitfold_dense_mean_f16(const bitfold_dense *dense, const void *x, void *y);
bitfold_status bitfold_dense_mean_f32(const bitfold_dense *dense, const void *x, void *y);

/* max:f32:nan=propagate and its relatives; of no elements, max is -Inf and min +Inf, where bitfold_reduce refuses. */
bitfold_status bitfold_dense_max_f16(const bitfold_dense *dense, const void *x, void *y);
bitfold_status bitfold_dense_max_f32(const bitfold_dense *dense, const void *x, void *y);
bitfold_status bitfold_dense_min_f16(const bitfold_dense *dense, const void *x, void *y);
bitfold_status bitfold_dense_min_f32(const bitfold_dense *dense, const void *x, void *y);

/*
 * argmax:f32:nan=ignore:out=i32 and its relatives. BITFOLD_STATUS_AXIS: r0 is not 1; BITFOLD_STATUS_SHAPE: r1 is beyond INT32_MAX;
 * BITFOLD_STATUS_EMPTY: there are outputs, but no element.
 */
bitfold_status bitfold_dense_argmax_f16(const bitfold_dense *dense, const void *x, void *y);
bitfold_status bitfold_dense_argmax_f32(const bitfold_dense *dense, const void *x, void *y);
bitfold_status bitfold_dense_argmin_f16(const bitfold_dense *dense, const void *x, void *y);
bitfold_status bitfold_dense_argmin_f32(const bitfold_dense *dense, const void *x, void *y);

/* ---- Revealing ----------------------------------------------------------------------------------------------------------------
 */

/*
 * In which order does a black box add? bitfold_reveal asks it about rows of its own making and finds the contract that has its
 * bits: the method of FPRev (Xie et al., USENIX ATC 2025), which hides small terms behind +M and -M, and more (docs/reveal.md).
 *
 * The box sums n contiguous elements of x (or takes their mean, or the dot of x and y; y is null unless it is a dot), and writes
 * one element of its output format to result, which is aligned for any. It may not change x and y. A result other than 0 ends the
 * call with BITFOLD_STATUS_STOPPED.
 */
typedef int (*bitfold_box_function)(void *context, const void *x, const void *y, size_t n, void *result);

typedef struct bitfold_box {
  bitfold_box_function call;
  void *context;
  bitfold_operation operation; /* SUM, MEAN or DOT */
  bitfold_format element;      /* f16, bf16, f32 or f64 */
  bitfold_format output;       /* the same; NONE: as element */
  size_t n;                    /* 1 .. 2^24 */
  unsigned trials;             /* random rows at the end, to check what was found; 0: 100 */
  uint64_t seed;               /* of all random rows: an equal one asks the same questions */
  int bounded;                 /* 1: no row is asked about whose partial sums may pass the largest number */
} bitfold_box;

typedef enum bitfold_finding {
  BITFOLD_FINDING_NONE = 0, /* no order of the list fits, and the row is too long for its tree to be counted out in this output */
  BITFOLD_FINDING_CONTRACT, /* the contract has the box's bits for every row that was asked about */
  BITFOLD_FINDING_ORDER,    /* the tree is the box's, and the contract, if there is one, is its nearest: it rounds, or flushes,
                               otherwise */
  BITFOLD_FINDING_FREE,   /* no order shows, yet it is not exact: compensated, or in an accumulator that is wide and not endless */
  BITFOLD_FINDING_VALUES, /* how it adds depends on the values: there is no tree for all rows */
  BITFOLD_FINDING_UNSTABLE, /* the same row gives different results */
  BITFOLD_FINDING_NO_SUM    /* it does not add */
} bitfold_finding;

/* "contract", "order", "free", "values", "unstable", "no-sum"; "none" for NONE and for values that are no finding. */
const char *bitfold_finding_name(bitfold_finding finding);

/* How numbers are rounded where two of them are added. */
typedef enum bitfold_rounding {
  BITFOLD_ROUNDING_UNKNOWN = 0,
  BITFOLD_ROUNDING_NEAREST, /* ties to even, as far as it shows */
  BITFOLD_ROUNDING_NEAREST_AWAY,
  BITFOLD_ROUNDING_ZERO,
  BITFOLD_ROUNDING_UP,
  BITFOLD_ROUNDING_DOWN
} bitfold_rounding;

/* "nearest", "nearest, ties away", "toward zero", "up", "down", or "unknown". */
const char *bitfold_rounding_name(bitfold_rounding rounding);

enum { BITFOLD_OTHERS_MAX = 8 };

typedef struct bitfold_revelation {
  bitfold_finding finding;
  bitfold_message message;               /* the finding in one line */
  const char *contract;                  /* "" where there is none; this and all other texts lie in the room */
  const char *tree;                      /* as tree("...") takes it; "" where there is none, or it has more than 65536 leaves */
  const char *other[BITFOLD_OTHERS_MAX]; /* contracts that fit as well, one for each other order word */
  unsigned others;
  uint64_t probes;           /* how often the box was called, trials included */
  uint64_t trials, agreed;   /* random rows at the end, and those for which the contract has the box's bits */
  int minus_zero;            /* a row of nothing but -0 gives -0, not +0 as under the contracts of this library */
  int flushes;               /* subnormal numbers become 0 */
  int saturates;             /* what passes the largest number becomes it, not an infinity */
  int fused;                 /* of a dot: 1 products join the sum unrounded (FMA), 0 they do not, -1 unknown */
  unsigned accumulator_bits; /* significant bits that a partial sum keeps; 0: unknown */
  bitfold_rounding rounding;
} bitfold_revelation;

/* The bytes of memory that bitfold_reveal needs for the box; 0 for a box that it refuses. */
size_t bitfold_reveal_bytes(const bitfold_box *box);

/*
 * room has that many bytes, aligned as malloc's are, and is needed as long as the texts of *revelation are. What is found is the
 * first of a list of usual contracts whose tree the box has, node by node, or else the tree as a whole; then random rows check it.
 * Questions: about n + 200 if the order is of the list, else near n log n, each of the same n elements. Not finding a contract is
 * no failure. BITFOLD_STATUS_CONTRACT: the operation or a format is none of the above; BITFOLD_STATUS_SHAPE: n is out of range;
 * BITFOLD_STATUS_BYTES: bytes is too small. message may be null.
 */
bitfold_status bitfold_reveal(const bitfold_box *box, void *room, size_t bytes, bitfold_revelation *revelation,
                              bitfold_message *message);

/* ---- Partials -------------------------------------------------------------------------------------------------------------- */

/*
 * The state of a reduction over one piece of a row, for streams, threads and ranks: add elements, merge neighbours, finish. The
 * result has the bits of bitfold_reduce on the whole row. What is possible depends on the order:
 *
 * - exact, integers, max, min, argmax, argmin: any pieces, merged in any sequence. Whether they overlap is not seen.
 * - rules on integers (all but float32): any pieces, merged with their right neighbour.
 * - canonical, blocks, pairwise: pieces cut where bitfold_partial_cut says, merged with their right neighbour.
 * - sequential, lanes, helia: one stream from element 0, added to at multiples of L; no merge.
 * - reverse, tree, numpy, numpy-1, cmsis-dsp, torch, the rule float32, and all with fma or ftz: refused (BITFOLD_STATUS_CUT).
 *
 * A piece of canonical, blocks or pairwise keeps the finished subtrees that wait for a neighbour: at most 100, and 432 values, of
 * which a subtree of canonical(L) takes L. BITFOLD_STATUS_FULL says that a piece would need more. From element 0, blocks needs one
 * value, pairwise fewer than 64, and canonical(L) has room for fewer than 2^(432/L) rows of L elements; a piece that is one whole
 * subtree always fits. Plain data of a fixed size, so it may be copied with =.
 */
typedef struct bitfold_partial {
  bitfold_contract contract;
  uint64_t length; /* elements of the whole row, or BITFOLD_LENGTH_UNKNOWN */
  uint64_t first;  /* index in the row of this piece's first element */
  uint64_t count;  /* elements added so far */
  int scattered;   /* pieces with a gap between them were merged, so nothing more can be added behind them */
  int infinite;    /* an infinity was among them (orders of floats) */
  int64_t state[560];
} bitfold_partial;

#define BITFOLD_LENGTH_UNKNOWN UINT64_MAX

enum { BITFOLD_PARTIAL_BYTES_MAX = 4864 }; /* the most that bitfold_partial_to_bytes writes */

/*
 * An empty piece that begins at element `first` of a row of `length` elements. pairwise needs the length; the others accept
 * BITFOLD_LENGTH_UNKNOWN. message may be null.
 */
bitfold_status bitfold_partial_init(bitfold_partial *partial, const bitfold_contract *contract, uint64_t length, uint64_t first,
                                    bitfold_message *message);

/*
 * *cut becomes the greatest index <= at where a row of `length` elements may be cut under this contract; for a stream, where an
 * addition may end. 0 and length are always allowed, and are all there is for orders that are refused. BITFOLD_STATUS_SHAPE: at
 * is beyond length, or pairwise is given no length.
 */
bitfold_status bitfold_partial_cut(const bitfold_contract *contract, uint64_t length, uint64_t at, uint64_t *cut);

/*
 * Adds n contiguous elements of the contract's element format that follow those already added; y is the second operand of a
 * dot, else null. On failure *partial is untouched.
 */
bitfold_status bitfold_partial_add(bitfold_partial *partial, const void *x, const void *y, size_t n, bitfold_message *message);

/*
 * Appends the piece right, which must have an equal contract and length (else BITFOLD_STATUS_CONTRACT) and, unless the sequence is
 * free, begin where partial ends (else BITFOLD_STATUS_CUT). Together they may not have more elements than the row
 * (BITFOLD_STATUS_SHAPE). On failure *partial is untouched.
 */
bitfold_status bitfold_partial_merge(bitfold_partial *partial, const bitfold_partial *right, bitfold_message *message);

/*
 * Writes one element of the contract's output format. The piece must be the whole row: begin at 0 and, if the length is known, have
 * that many elements (else BITFOLD_STATUS_CUT). Of no elements, max, min, argmax, argmin and a mean that cannot be NaN are
 * BITFOLD_STATUS_EMPTY. report may be null.
 */
bitfold_status bitfold_partial_finish(const bitfold_partial *partial, void *output, bitfold_report *report);

/*
 * The state as bytes that mean the same on every machine (docs/partials.md specifies each of them), and back. *used becomes the
 * number of bytes; with bytes null and capacity 0 only that is computed. A contract with a rule of the caller's own is refused.
 */
bitfold_status bitfold_partial_to_bytes(const bitfold_partial *partial, unsigned char *bytes, size_t capacity, size_t *used);
bitfold_status bitfold_partial_from_bytes(bitfold_partial *partial, const unsigned char *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
