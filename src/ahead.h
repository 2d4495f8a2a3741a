/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints that what lies ahead of a long row will be read soon. A processor foresees reads to the end of a page only, and reads one
 * page at a time much more slowly than several side by side.
 */
#ifndef BITFOLD_AHEAD_H
#define BITFOLD_AHEAD_H
#include <stddef.h>
#include <stdint.h>

enum { BF_FAR = 1 << 17, BF_PIECE = 4096 }; /* bytes: rows that may be beyond the near caches; what to announce at once */

/*
 * `bytes` at x are about to be read, and `left` from there on. As many are announced of the next four pages, in each of them in
 * turn; nothing need be there.
 */
static inline void bf_announce_pages(const void *x, uint64_t bytes, uint64_t left) {
  enum { LINE = 64, PAGE = 4096, PAGES = 4, ALL = PAGE * PAGES };
  if (left < BF_FAR) return;
  for (uintptr_t i = 0; i < bytes; i += LINE) {
    const uintptr_t at = (uintptr_t)x + i, line = at / LINE % (ALL / LINE);
    __builtin_prefetch((const void *)((at | (ALL - 1)) + 1 + line % PAGES * PAGE + line / PAGES * LINE));
  }
}

/* How many elements of so many bytes, of n that are left, to read at once: all, or a piece to announce others before. */
static inline uint64_t bf_near_of(uint64_t n, size_t size) { return n < BF_FAR / size ? n : BF_PIECE / size; }

#endif
