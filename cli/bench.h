/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of bench share: the rows of its table, a row as work to run, and the loops that stand against the library. */
#ifndef BITFOLD_CLI_BENCH_H
#define BITFOLD_CLI_BENCH_H

#include <bitfold/bitfold.h>
#include <stddef.h>
#include <stdint.h>

/* ---- bench_rows.c: the table ------------------------------------------------------------------------------------------------- */

typedef enum bench_shape {
  BENCH_CACHE,   /* a row of 16 Ki elements */
  BENCH_MEMORY,  /* a row that no cache holds */
  BENCH_LINES,   /* 4096 rows of 1024, each reduced */
  BENCH_COLUMNS, /* as many bytes as BENCH_MEMORY, 1024 columns, each reduced */
  BENCH_SQUARE,  /* the columns of 4096 x 4096 */
  BENCH_SET,     /* 64 rows of 65536, each reduced */
  BENCH_IMAGES,  /* {8, 56, 56, 64} over some axes */
  BENCH_MATMUL,  /* 256 x 256 x 256 */
  BENCH_CALL     /* one call of a function for rows, with 16 elements */
} bench_shape;

typedef enum bench_data {
  BENCH_NUMBERS, /* floats about 0, as generate makes them */
  BENCH_QUIET,   /* codes whose sum never clamps */
  BENCH_RANDOM,  /* any codes */
  BENCH_RAILS,   /* codes that keep their sum at one rail, then the other */
  BENCH_DRIFT    /* codes whose sum wanders between the rails, slowly */
} bench_data;

typedef enum bench_against {
  BENCH_READ,       /* the best vector loop that reads the same bytes */
  BENCH_VECTOR,     /* the best vector sum or dot of free order */
  BENCH_SEQUENTIAL, /* the plainest C loop with the same bits */
  BENCH_ONE_THREAD, /* the library itself on one thread */
  BENCH_LIMIT       /* 30 ns */
} bench_against;

typedef struct bench_row {
  const char *contract;
  bench_shape shape;
  bench_data data;
  bench_against against;
  double goal; /* the least ratio wanted, or 0 for none */
} bench_row;

/* Row number i; null past the end. */
const bench_row *bench_row_at(size_t i);

/* ---- bench_work.c: a row made ready ------------------------------------------------------------------------------------------ */

enum { BENCH_CALL_NS = 30, BENCH_SIDE = 256, BENCH_NAME_MAX = 112 };

typedef struct bench_work {
  char name[BENCH_NAME_MAX];
  const bench_row *row;
  bitfold_contract contract;
  bitfold_tensor x;
  bitfold_tensor y; /* of a dot */
  bitfold_tensor output;
  bitfold_axes axes;
  bitfold_engine engine;
  uint64_t n;   /* elements of x, or products of a matmul */
  size_t bytes; /* of x */
  size_t result_bytes;
  bitfold_status status; /* of the library's last run */
} bench_work;

typedef struct bench_plan {
  const char *isa;
  int threads; /* of the rows that compare threads */
  int quick;
} bench_plan;

/* The work of a row, without its data. mask: the axes of BENCH_IMAGES, one bit each, 1 to 15; else 0. */
void bench_work_init(bench_work *w, const bench_row *row, unsigned mask, const bench_plan *plan);

/* ---- bench_data.c: arrays ---------------------------------------------------------------------------------------------------- */

typedef struct bench_arrays {
  void *x;
  void *y; /* and for a matmul behind it y transposed */
  void *result;
  void *expected; /* by the loop with the same bits */
  size_t bytes;   /* of x */
  /* What x holds, for the next row may want the same. */
  bitfold_format format;
  bench_data data;
  size_t filled;
} bench_arrays;

/* Rooms for works of this many bytes, or as many as memory allows. Returns a status; close in any case. */
int bench_arrays_open(bench_arrays *a, size_t bytes);
void bench_arrays_close(bench_arrays *a);

/* Fills the arrays, and points w at them. */
void bench_arrays_fill(bench_arrays *a, bench_work *w);

/* ---- bench_vector.c: vector loops of free order ------------------------------------------------------------------------------ */

typedef enum bench_kind { BENCH_READ_WORDS, BENCH_SUM_F32, BENCH_SUM_F64, BENCH_DOT_F32, BENCH_DOT_F64 } bench_kind;

/* Goes through `bytes` bytes of x, and of y for a dot: a multiple of 2048, aligned to 64. */
typedef void bench_loop(const void *x, const void *y, size_t bytes);

/* Loop number i of a kind that this processor can run; null past the end. */
bench_loop *bench_loop_at(bench_kind kind, size_t i);

/* ---- bench_plain.c: plain loops with the library's bits ---------------------------------------------------------------------- */

/* Fills expected with what the loop makes of w; variant 0 or 1. */
typedef void bench_plain(const bench_work *w, void *expected);
bench_plain *bench_plain_at(const bench_work *w, size_t variant);

/* ---- bench_clock.c: who is faster -------------------------------------------------------------------------------------------- */

typedef struct bench_times {
  double ns; /* the library's, an element or a call */
  double against_ns;
  double read_ns; /* of the same bytes, where the row compares threads */
  int differs;    /* the loop has the library's bits, but they came out other */
} bench_times;

/* Times both sides of a work in turns. */
bench_times bench_measure(bench_work *w, bench_arrays *a, const bench_plan *plan);

#endif
