/* SPDX-License-Identifier: Apache-2.0 */
/* The best vector loops that this processor has for a read, a sum and a dot, whose order is free; only their speed is of use. */
#include "bench.h"

enum { ACCUMULATORS = 8, LINE = 64, AHEAD = 2048 };

/* What the loops find goes here, so that none is left out. */
static volatile uint64_t sink;
static volatile double sink_float;

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(word) JOIN(word, BYTES)
#define NAME_T(word) JOIN(JOIN(word, T), BYTES)

#define BYTES 16
#define TARGET
#include "bench_width.h"
#undef BYTES
#undef TARGET

#ifdef BENCH_WIDER /* the compiler knows these targets; the processor is asked below */
#define BYTES 32
#define TARGET __attribute__((target("avx2,fma")))
#include "bench_width.h"
#undef BYTES
#undef TARGET
#define BYTES 64
#define TARGET __attribute__((target("avx512f")))
#include "bench_width.h"
#undef BYTES
#undef TARGET
#endif

enum { WIDTHS = 3, READS = 3 };

#define SUMS_AND_DOTS(w)                                                                                                           \
  { sum_float_##w, sum_double_##w, dot_float_##w, dot_double_##w }
#define READS_OF(w)                                                                                                                \
  { read_one_##w, read_ahead_##w, read_four_##w }
static bench_loop *const sums[WIDTHS][4] = {
    SUMS_AND_DOTS(16),
#ifdef BENCH_WIDER
    SUMS_AND_DOTS(32),
    SUMS_AND_DOTS(64),
#endif
};
static bench_loop *const reads[WIDTHS][READS] = {
    READS_OF(16),
#ifdef BENCH_WIDER
    READS_OF(32),
    READS_OF(64),
#endif
};

static int is_here(size_t width) {
#ifdef BENCH_WIDER
  if (width == 1) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (width == 2) return __builtin_cpu_supports("avx512f");
#endif
  return width == 0;
}

bench_loop *bench_loop_at(bench_kind kind, size_t i) {
  const size_t each = kind == BENCH_READ_WORDS ? READS : 1, width = i / each;
  if (width >= WIDTHS || !is_here(width)) return NULL;
  return kind == BENCH_READ_WORDS ? reads[width][i % each] : sums[width][kind - BENCH_SUM_F32];
}
