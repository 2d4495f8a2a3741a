/* SPDX-License-Identifier: Apache-2.0 */
/* What a mistyped word was meant to be: the word of a list that is the fewest edits away. */
#include "cli.h"

#include <string.h>

enum { LONGEST = 32 };

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Insertions, deletions and replacements between a and the first LONGEST bytes of b. */
static unsigned edits(const char *a, const char *b) {
  unsigned row[LONGEST + 1];
  size_t width = strnlen(b, LONGEST);
  for (size_t j = 0; j <= width; j++) row[j] = (unsigned)j;
  for (unsigned i = 0; a[i]; i++) {
    unsigned diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 1; j <= width; j++) {
      unsigned above = row[j];
      row[j] = least(diagonal + (a[i] != b[j - 1]), 1 + least(above, row[j - 1]));
      diagonal = above;
    }
  }
  return row[width];
}

static size_t common_beginning(const char *a, const char *b) {
  size_t length = 0;
  while (a[length] && a[length] == b[length]) length++;
  return length;
}

/* Of several as near, the last that begins most alike: sf17 is nearer to sf16 than to sf7. */
const char *nearest(const char *word, const char *const list[]) {
  const char *best = list[0];
  for (size_t i = 1; list[i]; i++) {
    unsigned here = edits(word, list[i]);
    unsigned there = edits(word, best);
    if (here < there || (here == there && common_beginning(word, list[i]) >= common_beginning(word, best))) best = list[i];
  }
  return best;
}
