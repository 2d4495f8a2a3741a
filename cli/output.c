/* SPDX-License-Identifier: Apache-2.0 */
/* Results on standard output: for people, laid out as NumPy lays out arrays, and as --bits. */
#include "cli.h"

#include <errno.h>
#include <string.h>

enum { ALL_BELOW = 1000, EDGE = 3, COLUMNS = 75 };

/* A walk over the elements that are shown. It runs twice: to find the widest, then to print. */
typedef struct layout {
  const result *r;
  int elided;
  int printing;
  int width;  /* of the widest element */
  int column; /* where the line has got to */
} layout;

static void show(layout *l, uint64_t i, int depth, int first) {
  char text[NUMBER_MAX];
  int is_gap = i == l->r->count;
  const char *number = is_gap ? "..." : number_text(l->r->tensor.format, l->r->data, i, 0, text);
  int length = (int)strlen(number);
  if (!l->printing) {
    if (!is_gap && length > l->width) l->width = length;
    return;
  }
  int width = is_gap ? length : l->width;
  if (!first && l->column + 1 + width >= COLUMNS) {
    (void)printf("\n%*s", depth - 1, "");
    l->column = depth - 1;
  }
  l->column += printf(l->column == depth - 1 || first ? "%*s" : " %*s", width, number);
}

static void walk(layout *l, int axis, uint64_t at, uint64_t span);

/* One row of an axis: a number, or brackets of their own. at == count stands for what is left out. */
static void item(layout *l, int axis, uint64_t at, uint64_t span, int first) {
  const bitfold_tensor *t = &l->r->tensor;
  if (axis + 1 == t->rank) {
    show(l, at, t->rank + 1, first);
    return;
  }
  if (l->printing && !first) {
    for (int i = axis + 1; i < t->rank; i++) (void)putchar('\n');
    l->column = printf("%*s", axis + 1, "");
  }
  if (at < l->r->count) walk(l, axis + 1, at, span);
  else if (l->printing) (void)fputs("...", stdout);
}

static void walk(layout *l, int axis, uint64_t at, uint64_t span) {
  uint64_t extent = (uint64_t)l->r->tensor.shape[axis];
  span /= extent;
  if (l->printing) l->column += printf("[");
  for (uint64_t i = 0; i < extent; i++) {
    if (l->elided && extent > 2 * (uint64_t)EDGE && i == EDGE) {
      item(l, axis, l->r->count, span, 0);
      i = extent - EDGE;
    }
    item(l, axis, at + i * span, span, i == 0);
  }
  if (l->printing) (void)fputs("]", stdout);
}

void output_text(const result *r) {
  char text[NUMBER_MAX];
  if (r->file) (void)printf(r->tensor.rank && r->count ? "%s:\n" : "%s: ", r->file);
  if (r->tensor.rank == 0) (void)puts(number_text(r->tensor.format, r->data, 0, 1, text));
  else if (r->count == 0) (void)puts("[]");
  else {
    layout l = {.r = r, .elided = r->count > ALL_BELOW};
    walk(&l, 0, 0, r->count);
    l.printing = 1;
    walk(&l, 0, 0, r->count);
    (void)puts("");
  }
}

void output_bits(const result *r) {
  char text[NUMBER_MAX];
  for (uint64_t i = 0; i < r->count; i++) {
    if (r->file) (void)printf("%s: ", r->file);
    (void)puts(number_bits(r->tensor.format, r->data, i, text));
  }
}

int output_flush(void) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return STATUS_DONE;
  return complain("standard output", "%s", errno ? strerror(errno) : "not all could be written");
}
