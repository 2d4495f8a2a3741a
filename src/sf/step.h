/* SPDX-License-Identifier: Apache-2.0 */
/* One clamping step of an accumulator in 16 bits, for loops that the compiler turns into vectors. */
#ifndef BITFOLD_STEP_H
#define BITFOLD_STEP_H
#include "../kernel.h"

/* Loops that are made once for each value of their constant parameters. */
#define BF_EACH static inline __attribute__((always_inline))

/* A term as it lies in memory, aligned; size is a constant where this is inlined. */
static inline int16_t bf_term(const void *terms, size_t i, const int size) {
  return size == 1 ? ((const int8_t *)terms)[i] : ((const bf_code *)terms)[i];
}

static inline int16_t bf_lesser(int16_t a, int16_t b) { return a < b ? a : b; }
static inline int16_t bf_greater(int16_t a, int16_t b) { return a > b ? a : b; }

/*
 * x + term, clamped. Where that sum may pass 16 bits (wide), x is clamped before the addition, to what leaves room for the term.
 * It relies on term being no greater than the accumulator's whole range, in magnitude.
 */
static inline int16_t bf_step(int16_t x, int16_t term, int16_t low, int16_t high, const int wide) {
  if (!wide) return bf_greater(low, bf_lesser(high, (int16_t)(x + term)));
  const int16_t most = (int16_t)(high - bf_greater(term, 0)), least = (int16_t)(low - bf_lesser(term, 0));
  return (int16_t)(bf_greater(least, bf_lesser(most, x)) + term);
}

/* Chains of steps from known accumulators, side by side. */
struct bf_chains {
  int16_t sum[BF_WIDTH_MAX];
  uint16_t clamped[BF_WIDTH_MAX]; /* not 0 if some step did */
};
struct bf_chain {
  int16_t sum;
  uint16_t clamped;
};
BF_EACH struct bf_chain bf_follow(struct bf_chain chain, int16_t term, int16_t low, int16_t high, const int wide) {
  const int16_t next = bf_step(chain.sum, term, low, high, wide);
  chain.clamped = (uint16_t)(chain.clamped | ((uint16_t)(chain.sum + term) ^ (uint16_t)next));
  chain.sum = next;
  return chain;
}

/* One term of each chain; and eight of each, `step` bytes apart, written out so that compilers make vectors of the loop. */
BF_EACH void bf_one_row(struct bf_chains *chains, const size_t width, const unsigned char *x, const int size, int16_t low,
                        int16_t high, const int wide) {
  for (size_t j = 0; j < width; j++) {
    struct bf_chain chain = {chains->sum[j], chains->clamped[j]};
    chain = bf_follow(chain, bf_term(x, j, size), low, high, wide);
    chains->sum[j] = chain.sum, chains->clamped[j] = chain.clamped;
  }
}
BF_EACH void bf_eight_rows(struct bf_chains *chains, const size_t width, const unsigned char *x, const int size, ptrdiff_t step,
                           int16_t low, int16_t high, const int wide) {
  for (size_t j = 0; j < width; j++) {
    struct bf_chain chain = {chains->sum[j], chains->clamped[j]};
    chain = bf_follow(chain, bf_term(x, j, size), low, high, wide);
    chain = bf_follow(chain, bf_term(x + step, j, size), low, high, wide);
    chain = bf_follow(chain, bf_term(x + 2 * step, j, size), low, high, wide);
    chain = bf_follow(chain, bf_term(x + 3 * step, j, size), low, high, wide);
    chain = bf_follow(chain, bf_term(x + 4 * step, j, size), low, high, wide);
    chain = bf_follow(chain, bf_term(x + 5 * step, j, size), low, high, wide);
    chain = bf_follow(chain, bf_term(x + 6 * step, j, size), low, high, wide);
    chain = bf_follow(chain, bf_term(x + 7 * step, j, size), low, high, wide);
    chains->sum[j] = chain.sum, chains->clamped[j] = chain.clamped;
  }
}

/* Whether these sums may pass 16 bits; the bottom is at most one further out than the top. */
static inline int bf_is_wide(const struct bf_codes *codes) {
  const int64_t most = (int64_t)1 << (codes->bits - 1); /* of a term's magnitude */
  return codes->high + most > INT16_MAX;
}

#endif
