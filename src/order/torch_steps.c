/* SPDX-License-Identifier: Apache-2.0 */
/* torch of a contiguous row, addition by addition: what torch.c does to tiles. */
#include "steps.h"
#include "torch.h"

enum { LEVELS = 4, WAYS = 4, LEAST = 4 };

/* Sums that may be where accumulators start, which is no addition. */
static uint64_t both(const struct bf_steps *s, uint64_t left, uint64_t right) {
  return left == s->zero ? right : right == s->zero ? left : s->plus(s->context, left, right);
}

/* Term i, of halves with the one that it is folded with, onto a sum. */
static uint64_t onto(const struct bf_steps *s, uint64_t sum, uint64_t i, uint64_t fold) {
  if (!fold) return s->join(s->context, sum, i);
  const uint64_t low = s->term(s->context, i);
  return both(s, sum, s->plus(s->context, low, s->term(s->context, i + fold)));
}

static uint64_t cascade(const struct bf_steps *s, uint64_t first, uint64_t stride, uint64_t rows, uint64_t fold) {
  uint64_t level[LEVELS] = {s->zero, s->zero, s->zero, s->zero};
  unsigned power = rows > 1 ? (unsigned)(bf_top_bit(rows - 1) + 1) / LEVELS : 0;
  if (power < LEAST) power = LEAST;
  const uint64_t mask = ((uint64_t)1 << power) - 1;
  for (uint64_t row = 1; row <= rows && !(s->stopped && *s->stopped); row++) {
    level[0] = onto(s, level[0], first + (row - 1) * stride, fold);
    for (unsigned l = 1; l < LEVELS && !((row >> (l - 1) * power) & mask); l++)
      level[l] = both(s, level[l], level[l - 1]), level[l - 1] = s->zero;
  }
  for (unsigned l = 1; l < LEVELS; l++) level[0] = both(s, level[0], level[l]);
  return level[0];
}

/* Lane l of vectors of `size` terms, folded at `fold` if that is not 0. */
static uint64_t lane(const struct bf_steps *s, uint64_t first, uint64_t vectors, uint64_t size, uint64_t fold) {
  uint64_t way[WAYS];
  for (size_t w = 0; w < WAYS; w++) way[w] = cascade(s, first + w * size, WAYS * size, vectors / WAYS, fold);
  for (uint64_t v = vectors - vectors % WAYS; v < vectors; v++) way[0] = onto(s, way[0], first + v * size, fold);
  for (size_t w = 1; w < WAYS; w++) way[0] = both(s, way[0], way[w]);
  return way[0];
}

uint64_t bf_steps_torch(const struct bf_steps *s, const bitfold_level *level, uint64_t first, uint64_t n) {
  const struct bf_torch torch = bf_torch_from(level);
  const uint64_t size = torch.lanes * (torch.halves ? 2 : 1), vectors = n / size, fold = torch.halves ? torch.lanes : 0;
  uint64_t sum = s->zero;
  if (torch.way != BF_TORCH_ALONG) return lane(s, first, n, 1, 0);
  for (uint64_t i = vectors * size; i < n; i++) sum = s->join(s->context, sum, first + i);
  for (uint64_t l = 0; l < torch.lanes; l++) sum = both(s, sum, lane(s, first + l, vectors, size, fold));
  return sum;
}
