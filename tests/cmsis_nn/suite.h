/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the clause tests of the twelve functions share: the functions as data, guarded tensors, expected bits, control states, and
 * the reporting of failures. Values travel as bits, so nothing here computes with floats or needs a half type.
 *
 * SMALL makes the tensors fit a processor with 16 KB of memory.
 */
#ifndef SUITE_H
#define SUITE_H

#include <stddef.h>
#include <stdint.h>
#include <bitfold_arm_nn.h>

#include "../c/hostile.h"

#ifdef SMALL
enum { CAPACITY = 256 }; /* elements of the largest tensor */
#else
enum { CAPACITY = 4096 };
#endif
enum { LINES = 67, SHAPES = 6, MASKS = 16, NANS = 12 };

typedef enum act { SUM, MEAN, MAX, MIN, ARGMAX, ARGMIN } act;

typedef struct format {
  shape shape;
  uint32_t size, sign, inf, nan, one, largest; /* bytes of an element, then bits */
} format;

extern const format single, half;

typedef arm_cmsis_nn_status reducer(const void *x, const cmsis_nn_dims *in, const cmsis_nn_dims *mask, void *y,
                                    const cmsis_nn_dims *out);
typedef arm_cmsis_nn_status finder(const void *x, const cmsis_nn_dims *in, int32_t axis, void *y);

typedef struct function {
  const char *name;
  act act;
  const format *format;
  reducer *reduce; /* null for argmax and argmin */
  finder *find;    /* null for the others */
} function;

extern const function functions[]; /* those that are compiled in; a null name ends the list */

#define EACH_FUNCTION(f) for (const function *f = functions; f->name; f++)

/* One call: its arguments as they are passed, and room for what they point to. */
typedef struct call {
  const function *f;
  const void *x;
  void *y;
  const cmsis_nn_dims *in, *mask, *out;
  int32_t axis;
  cmsis_nn_dims room[3];
} call;

/* The extents of H83. */
extern const cmsis_nn_dims shapes[SHAPES];

/* ---- twelve.c ---- */
int is_sum(const function *f);               /* sum, mean */
int is_extreme(const function *f);           /* max, min */
int is_arg(const function *f);               /* argmax, argmin */
int takes(const function *f, unsigned mask); /* argmax and argmin take masks of one bit only */
/* The call on the guarded tensors: bits 3 to 0 of the mask are n, h, w, c; the output's extents are the right ones. */
void plan(call *c, const function *f, cmsis_nn_dims in, unsigned mask);
arm_cmsis_nn_status perform(const call *c);
uint32_t nan_of(const format *f, unsigned kind);  /* one of NANS: sign, quiet or signalling, payload */
uint32_t whole(const format *f, int32_t value);   /* the bits of an integer that the format holds */
int32_t extent(const cmsis_nn_dims *dims, int i); /* i: 0 to 3 for n, h, w, c */

/* ---- refusals.c ---- */
int refused(const call *c);                                                 /* whether the contract wants ARG_ERROR */
uint64_t elements(const cmsis_nn_dims *dims, const cmsis_nn_dims *without); /* capped; extents where `without` is not 0 left out */

/* ---- softfloat.c ---- */
uint32_t soft_plus(uint32_t a, uint32_t b); /* float32, nearest even, every NaN the same */
uint32_t soft_over(uint32_t a, uint32_t count);
uint32_t soft_convert(const format *from, const format *to, uint32_t bits);

/* ---- expected.c ---- */
typedef struct tally { /* one output in the making */
  const function *f;
  int lanes;
  uint32_t sum[4], seen, best, at, has_nan;
} tally;
void tally_begin(tally *t, const function *f, int lanes);
void tally_add(tally *t, uint32_t bits);
uint32_t tally_end(const tally *t);
int is_suffix(const cmsis_nn_dims *in, const cmsis_nn_dims *mask);
size_t expected(const call *c, uint32_t *want); /* how many outputs; c is not refused */

/* ---- arena.c ---- */
extern uint32_t earlier[CAPACITY];  /* outputs that a test keeps over later calls */
void place(unsigned x, unsigned y); /* bytes between a 16-byte boundary and the tensors, for the calls that follow */
void *x_at(size_t byte);
void *y_at(size_t byte);
void put(const function *f, size_t i, uint32_t bits); /* input element i */
uint32_t get(const format *f, const void *from, size_t i);
void fill(const function *f, unsigned kind, size_t n, uint64_t seed); /* hostile data of that kind */
size_t output_size(const function *f);
/* Makes the call and holds it to: status, every output bit, untouched input, guards, metadata and control state. */
void check_call(call *c);
void check(const function *f, cmsis_nn_dims in, unsigned mask);
void compare(const call *c, arm_cmsis_nn_status status, const uint32_t *bits, size_t outputs);

/* ---- lines.c ---- */
/* A line of n elements as a row (and where its order is no matter, or does not differ, as columns too) has this one output. */
#define ROW(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)
void row(const function *f, const uint32_t *x, size_t n, uint32_t want);
void column(const function *f, const uint32_t *x, size_t n, uint32_t want);
void line(const function *f, const uint32_t *x, size_t n, uint32_t want);
void nan_everywhere(const function *f, size_t n); /* every kind of NaN at every position of n <= LINES ordinary elements */

/* ---- states.c ---- */
unsigned states(void);      /* how many states of floating-point control there are; 1: the processor has none */
void under(unsigned state); /* the calls that follow are made in that state; 0 is the default one */
unsigned under_which(void);
void state_enter(unsigned flags);    /* goes there, cumulative flags all clear or all set */
const char *state_leave(int strict); /* back to the default; what was changed, or null. strict: flags too */

/* ---- suite.c ---- */
void wrong(const call *c, const char *what, size_t at, uint32_t want, uint32_t got);
void must(int holds, const char *what);
void left_out(const char *part); /* a part of a clause that cannot be tried here, and why */

/* ---- totals.c ---- */
void minus_zeros(act which); /* sum or mean of -0 is +0 */

/* ---- digest.c ---- */
void golden_print(void);

#define CLAUSE(number, promise) void h##number(void);
#include "clauses.def"
#undef CLAUSE

#endif
