/* SPDX-License-Identifier: Apache-2.0 */
/* The orders that reveal tries before it rebuilds a tree: the patterns of patterns.def, with their numbers filled in. */
#include "reveal.h"

struct filler {
  uint64_t n;
  const uint64_t *block;
  size_t blocks;
  bf_visit_fn *visit;
  int is_usual; /* no number of the pattern is any at all */
  void *context;
  char text[BF_ORDER_MAX];
};

static const char *const leaf[] = {
#define LEAF(pattern) pattern,
#include "patterns.def"
#undef LEAF
};
static const struct {
  enum bf_stage stage;
  const char *pattern;
} order[] = {
#define ORDER(stage, pattern) {BF_STAGE_##stage, pattern},
#include "patterns.def"
#undef ORDER
};

static const uint64_t usual_lanes[] = {2, 4, 8, 16, 32, 64}, usual_blocks[] = {16, 64, 128, 256, 512, 1024};
enum { LANES = sizeof usual_lanes / sizeof *usual_lanes, BLOCKS = sizeof usual_blocks / sizeof *usual_blocks };

/* Number i of those that a letter of a pattern stands for; 0 past the last. */
static uint64_t choice(const struct filler *f, char letter, size_t i) {
  if (letter == '#') return i + 2 <= BITFOLD_LANES_MAX ? i + 2 : 0;
  if (letter == '%') return i < LANES && usual_lanes[i] <= f->n ? usual_lanes[i] : 0;
  if (letter == '$') return i < BLOCKS ? usual_blocks[i] : 0;
  return i < f->blocks ? f->block[i] : 0;
}

/* Writes the rest of a pattern, and of those that wait behind it, to text[length ...]; visits each way of filling it in. */
static int fill(struct filler *f, const char *pattern, const char *after, size_t length) {
  int found = 0;
  for (;; pattern++) {
    if (!*pattern && after) pattern = after, after = NULL;
    if (!*pattern || *pattern == '#' || *pattern == '%' || *pattern == '$' || *pattern == 'B' || *pattern == '@') break;
    f->text[length++] = *pattern;
  }
  if (!*pattern) {
    f->text[length] = 0;
    return f->visit(f->context, f->text, f->is_usual);
  }
  if (*pattern == '@')
    for (size_t i = 0; !found && i < sizeof leaf / sizeof *leaf; i++) found = fill(f, leaf[i], pattern + 1, length);
  else
    for (size_t i = 0; !found && choice(f, *pattern, i); i++) {
      struct bf_text text = {f->text, sizeof f->text, length};
      bf_append_number(&text, choice(f, *pattern, i));
      found = fill(f, pattern + 1, after, text.length);
    }
  return found;
}

int bf_each_order(enum bf_stage stage, uint64_t n, const uint64_t *block, size_t blocks, bf_visit_fn *visit, void *context) {
  struct filler f = {.n = n, .block = block, .blocks = blocks, .visit = visit, .context = context};
  int found = 0;
  for (size_t i = 0; !found && i < sizeof order / sizeof *order; i++) {
    f.is_usual = 1;
    for (const char *c = order[i].pattern; *c; c++) f.is_usual &= *c != '#';
    if (order[i].stage == stage) found = fill(&f, order[i].pattern, NULL, 0);
  }
  return found;
}
