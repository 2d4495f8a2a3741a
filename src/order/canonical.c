/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canonical(L): the fixed tree of WG21 P4016R0. Element i belongs to lane i mod L; a lane is reduced by adjacent pairs, an odd one
 * carried to the next level, and the L lane results by the same rule. Absent operands never take part.
 *
 * Pairing adjacent elements level by level is counting in binary: a stack holds one finished subtree for each 1 in the number of
 * rows so far, and a new row is joined to as many of them as that number has trailing ones. Lanes do not meet before the end, so a
 * row is one vector; where the stack would grow too large the lanes are taken in several passes.
 */
#ifndef F
#include "../kernel.h"

/* Bytes of the stack, and values of a block. */
enum { STACK = 12288, BLOCK = 256 };

static int bits_of(uint64_t x) { return x ? bf_top_bit(x) + 1 : 0; }

/* How many levels to do at once: 8 rows, more while an eighth of them fits in a block. */
static int block_level(size_t size) {
  int level = 3;
  while (size << (level - 2) <= BLOCK && level < 8) level++;
  return level;
}

#define SELF "../order/canonical.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_canonical = {f16_canonical, bf16_canonical, f32_canonical, f64_canonical};
#else
/* Finished subtrees of `size` values each: slot i, at stack + i * size, has 2^i rows where bit i of their number `count` is set. */
struct ON(counter) {
  const struct bf_isa *isa;
  size_t size;
  uint64_t count;
  ON(value) * stack;
};

/* x is a subtree of 2^level rows: joined to its left neighbours of the same size. */
static void ON(push)(struct ON(counter) * counter, ON(value) * x, int level) {
  ON(value) *slot = counter->stack + (size_t)level * counter->size;
  for (uint64_t left = counter->count >> level; left & 1; left >>= 1, slot += counter->size)
    counter->isa->BF_JOIN(add, F)(x, slot, x, counter->size);
  memcpy(slot, x, counter->size * sizeof *x);
  counter->count += (uint64_t)1 << level;
}

/* 8 * groups rows become one, in block; the three lowest levels without memory between them. block has room for `groups` rows. */
static inline void ON(halve)(ON(value) *restrict block, const ON(value) *restrict x, size_t groups, size_t size) {
  for (size_t g = 0; g < groups; g++, x += 7 * size)
    for (size_t i = 0; i < size; i++, x++)
      block[g * size + i] = ON(plus)(ON(plus)(ON(plus)(x[0], x[size]), ON(plus)(x[2 * size], x[3 * size])),
                                     ON(plus)(ON(plus)(x[4 * size], x[5 * size]), ON(plus)(x[6 * size], x[7 * size])));
  for (groups /= 2; groups; groups /= 2)
    for (size_t g = 0; g < groups; g++)
      for (size_t i = 0; i < size; i++) block[g * size + i] = ON(plus)(block[2 * g * size + i], block[(2 * g + 1) * size + i]);
}

/* A row, or 2^level of them, level 3 or more: the levels below without the stack. */
static void ON(push_block)(struct ON(counter) * counter, const ON(value) * x, int level) {
  const size_t size = counter->size;
  void (*const pair)(ON(value) *, const ON(value) *, size_t) = size == 1 ? counter->isa->BF_JOIN(pair, F) : NULL;
  ON(value) block[BITFOLD_LANES_MAX];
  if (!level) memcpy(block, x, size * sizeof *x);
  else if (pair) {
    pair(block, x, (size_t)1 << (level - 1));
    for (size_t n = (size_t)1 << (level - 1); n > 1; n /= 2) pair(block, block, n / 2);
  } else if (size == 1) ON(halve)(block, x, (size_t)1 << (level - 3), 1); /* known to the compiler: no inner loop */
  else ON(halve)(block, x, (size_t)1 << (level - 3), size);
  ON(push)(counter, block, level);
}

/* Complete rows: lanes [lane, lane + count) of each, rows of `lanes` terms starting at first. */
static void ON(push_rows)(struct ON(counter) * counter, const struct bf_terms *terms, uint64_t lanes, uint64_t first, uint64_t rows,
                          uint64_t lane, size_t count) {
  ON(value) tile[BF_TILE];
  const size_t size = counter->size, whole = count == lanes, most = whole ? bf_fit(size) : 1;
  const int block = block_level(size);
  void (*const trees)(ON(value) *, size_t, const ON(value) *, uint64_t, uint64_t) = size > 1 ? terms->isa->BF_JOIN(trees, F) : NULL;
  for (uint64_t row = 0, got; row < rows && !bf_stopped(terms);) {
    uint64_t left = rows - row, more = whole ? left * lanes : count;
    size_t ask = left < most ? (size_t)left : most;
    const ON(value) *x = BF_ON(terms)(terms, first + row * lanes + lane, ask * count, tile, &more);
    got = more / count;
    for (uint64_t end = row + got, some; row < end; row += some, x += some * size) {
      int level = block; /* as many rows as are there and are a subtree */
      if (trees && !(counter->count % 8) && end - row >= 8) {
        some = (end - row) & ~(uint64_t)7;
        trees(counter->stack + 3 * size, size, x, some / 8, counter->count / 8);
        counter->count += some;
        continue;
      }
      while (level >= 3 && (end - row < (uint64_t)1 << level || counter->count >> level << level != counter->count)) level--;
      if (level < 3 || trees) level = 0;
      some = (uint64_t)1 << level;
      ON(push_block)(counter, x, level);
    }
  }
}

/* x = the largest subtree + ( ... + (the smallest + x)) for one lane's `width` values, at `offset` in every subtree, above `count`.
 */
static void ON(unwind)(const struct ON(counter) * counter, size_t offset, uint64_t count, ON(value) * x, size_t width) {
  const ON(value) *slot = counter->stack + offset;
  for (; count; count >>= 1, slot += counter->size)
    if (count & 1) counter->isa->BF_JOIN(add, F)(x, slot, x, width);
}

static void ON(canonical)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  ON(value) stack[STACK / sizeof(ON(value))], x[BITFOLD_LANES_MAX];
  const uint64_t lanes = level->size, rows = n / lanes, ragged = n % lanes, present = rows ? lanes : ragged;
  const size_t width = terms->width, pass = STACK / sizeof *x / (width * (size_t)(bits_of(rows) + 1));
  for (uint64_t lane = 0, count; lane < present; lane += count) {
    count = present - lane < pass ? present - lane : pass;
    struct ON(counter) counter = {terms->isa, (size_t)count * width, 0, stack};
    ON(push_rows)(&counter, terms, lanes, first, rows, lane, (size_t)count);
    if (bf_stopped(terms)) {
      memset(out, 0, width * sizeof *out);
      return;
    }
    const size_t reached = ragged <= lane ? 0 : ragged - lane < count ? (size_t)(ragged - lane) : (size_t)count;
    ON(value) *results = x + lane * width; /* the last, incomplete row reaches the first lanes */
    for (size_t l = 0, some; l < reached; l += some) {
      some = reached - l < bf_fit(width) ? reached - l : bf_fit(width);
      ON(value) tile[BF_TILE];
      memcpy(results + l * width, BF_ON(terms)(terms, first + rows * lanes + lane + l, some, tile, NULL), some * width * sizeof *x);
    }
    ON(unwind)(&counter, 0, counter.count, results, reached * width);
    if (reached == count) continue;
    const size_t rest = ((size_t)count - reached) * width, offset = reached * width, least = (size_t)__builtin_ctzll(counter.count);
    memcpy(results + offset, stack + least * counter.size + offset, rest * sizeof *x);
    ON(unwind)(&counter, offset, counter.count & (counter.count - 1), results + offset, rest);
  }
  memset(out, 0, width * sizeof *out);
  if (!present) return;
  const bitfold_level pairs = {BITFOLD_ORDER_LANES, BITFOLD_FOLD_PAIRS, BITFOLD_TAIL_LANES, present};
  BF_ON(fold)(terms->isa, &pairs, width, x);       /* the same rule again */
  terms->isa->BF_JOIN(add, F)(out, out, x, width); /* the start value, once, at the end */
}

void BF_ON(rows)(const struct bf_terms *terms, uint64_t lanes, uint64_t first, uint64_t rows, ON(value) * out) {
  ON(value) stack[STACK / sizeof(ON(value))];
  const size_t pass = STACK / sizeof *out / (size_t)(bits_of(rows) + 1);
  for (uint64_t lane = 0, count; lane < lanes; lane += count) {
    count = lanes - lane < pass ? lanes - lane : pass;
    struct ON(counter) counter = {terms->isa, (size_t)count, 0, stack};
    ON(push_rows)(&counter, terms, lanes, first, rows, lane, (size_t)count);
    memcpy(out + lane, stack + (size_t)bf_top_bit(rows) * counter.size, (size_t)count * sizeof *out);
  }
}
#endif
