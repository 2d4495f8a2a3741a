/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every order as a sequence of single additions, without tiles, machines or formats: for arithmetic that machines do not have
 * (fma, ftz) and for drawing. What it costs does not matter here.
 */
#include "steps.h"

static int is_stopped(const struct bf_steps *s) { return s->stopped && *s->stopped; }
static uint64_t plus(const struct bf_steps *s, uint64_t left, uint64_t right) { return s->plus(s->context, left, right); }

static uint64_t run(const struct bf_steps *s, uint64_t sum, uint64_t first, uint64_t n) {
  for (uint64_t i = 0; i < n && !is_stopped(s); i++) sum = s->join(s->context, sum, first + i);
  return sum;
}

static uint64_t reverse(const struct bf_steps *s, uint64_t first, uint64_t n) {
  uint64_t sum = s->zero;
  while (n-- && !is_stopped(s)) sum = s->join(s->context, sum, first + n);
  return sum;
}

/* Sums in a row become its first one. */
static uint64_t fold(const struct bf_steps *s, bitfold_fold how, uint64_t *row, size_t n) {
  switch (how) {
  case BITFOLD_FOLD_LEFT:
    for (size_t l = 1; l < n; l++) row[0] = plus(s, row[0], row[l]);
    break;
  case BITFOLD_FOLD_PAIRS:
    for (; n > 1; n = n / 2 + n % 2) {
      for (size_t l = 0; l < n / 2; l++) row[l] = plus(s, row[2 * l], row[2 * l + 1]);
      if (n % 2) row[n / 2] = row[n - 1];
    }
    break;
  case BITFOLD_FOLD_HALVES:
    for (n /= 2; n; n /= 2)
      for (size_t l = 0; l < n; l++) row[l] = plus(s, row[l], row[l + n]);
    break;
  }
  return row[0];
}

static BF_NOINLINE uint64_t lanes(const struct bf_steps *s, const bitfold_level *level, uint64_t first, uint64_t n) {
  uint64_t row[BITFOLD_LANES_MAX] = {0};
  const size_t size = level->size ? (size_t)level->size : 1; /* there is a lane in any contract */
  const uint64_t after = level->tail == BITFOLD_TAIL_AFTER ? n % size : 0;
  for (size_t l = 0; l < size; l++) row[l] = s->zero;
  for (uint64_t i = 0; i < n - after && !is_stopped(s); i++) row[i % size] = s->join(s->context, row[i % size], first + i);
  return run(s, fold(s, level->fold, row, size), first + n - after, after);
}

/* n terms at this step by adjacent pairs: finished subtrees wait on a stack, as in canonical.c. */
static uint64_t pairs(const struct bf_steps *s, uint64_t first, uint64_t step, uint64_t n) {
  uint64_t stack[64];
  size_t top = 0;
  for (uint64_t k = 0; k < n && !is_stopped(s); k++) {
    uint64_t sum = s->term(s->context, first + k * step);
    for (uint64_t left = k; left & 1; left >>= 1) sum = plus(s, stack[--top], sum);
    stack[top++] = sum;
  }
  uint64_t sum = top ? stack[--top] : s->zero;
  while (top) sum = plus(s, stack[--top], sum);
  return sum;
}

static BF_NOINLINE uint64_t canonical(const struct bf_steps *s, uint64_t size, uint64_t first, uint64_t n) {
  uint64_t row[BITFOLD_LANES_MAX] = {0};
  const uint64_t present = n < size ? n : size;
  for (uint64_t l = 0; l < present; l++) row[l] = is_stopped(s) ? s->zero : pairs(s, first + l, size, (n - l + size - 1) / size);
  return present ? plus(s, s->zero, fold(s, BITFOLD_FOLD_PAIRS, row, (size_t)present)) : s->zero;
}

static uint64_t blocks(const struct bf_steps *s, const bitfold_level *level, uint64_t first, uint64_t n) {
  uint64_t sum = s->zero;
  for (uint64_t count; n && !is_stopped(s); first += count, n -= count) {
    count = n < level->size ? n : level->size;
    sum = plus(s, sum, bf_steps_sum(s, level + 1, first, count));
  }
  return sum;
}

/* numpy's: level[0] has the period, level[1] the length of a run, and the rest sums one. */
static uint64_t runs(const struct bf_steps *s, const bitfold_level *level, uint64_t first, uint64_t n) {
  uint64_t sum = s->zero;
  for (uint64_t at = 0, count; at < n && !is_stopped(s); at += count) {
    count = level[0].size - at % level[0].size;
    if (count > n - at) count = n - at;
    if (count > level[1].size) count = level[1].size;
    sum = plus(s, sum, bf_steps_sum(s, level + 2, first + at, count));
  }
  return sum;
}

/* Recursion: 64 deep at most in pairwise, and one level of the contract at a time. */
uint64_t bf_steps_sum(const struct bf_steps *s, const bitfold_level *level, uint64_t first, uint64_t n) {
  static const bitfold_level four = {BITFOLD_ORDER_LANES, BITFOLD_FOLD_LEFT, BITFOLD_TAIL_LANES, 4};
  uint64_t left;
  switch (level->order) {
  case BITFOLD_ORDER_EXACT: return s->exact(s->context, first, n);
  case BITFOLD_ORDER_REVERSE: return reverse(s, first, n);
  case BITFOLD_ORDER_HELIA:
  case BITFOLD_ORDER_LANES: return lanes(s, level, first, n);
  case BITFOLD_ORDER_CMSIS_DSP: return lanes(s, &four, first, n); /* a dot: sums and means have come to lanes */
  case BITFOLD_ORDER_NUMPY: return runs(s, level, first, n);      /* with what follows, as imitated */
  case BITFOLD_ORDER_TORCH: return bf_steps_torch(s, level, first, n);
  case BITFOLD_ORDER_CANONICAL: return canonical(s, level->size, first, n);
  case BITFOLD_ORDER_BLOCKS: return blocks(s, level, first, n);
  case BITFOLD_ORDER_TREE: return plus(s, s->zero, n ? bf_steps_tree(s, first) : s->zero);
  case BITFOLD_ORDER_PAIRWISE:
    if (!(left = bf_pairwise_split(n, level->size)) || is_stopped(s)) return bf_steps_sum(s, level + 1, first, n);
    const uint64_t sum = bf_steps_sum(s, level, first, left);
    return plus(s, sum, bf_steps_sum(s, level, first + left, n - left));
  default: return run(s, s->zero, first, n);
  }
}
