/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --tree: the order of a contract as text, DOT or SVG. Additions from left to right are one item with many operands, runs of terms
 * at a constant step one line; of many operands the first and the last are shown, and what lies deep is named by its terms alone.
 */
#include "explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS_MAX = 1 << 22, LABEL_MAX = 96, ITEMS_MAX = 4096, DEPTH_MAX = 7, SHOWN = 8, SHORT = 64, ZERO = 0, CONTRACT_MAX = 512 };

/* A term, or a sum of the operands that lie at `operand`; number 0 is the +0 that accumulators start at. */
typedef struct node {
  uint64_t first, last; /* terms on its left and right edge */
  uint64_t terms;
  uint64_t operand;
  uint32_t operands; /* 0: a term */
  uint32_t shape;    /* equal for trees of one shape */
} node;

typedef struct item {
  char label[LABEL_MAX];
  int parent, depth, is_last;
  double x, y;
} item;

typedef struct drawing {
  node *node;
  uint64_t nodes, node_room;
  uint64_t *operand;
  uint64_t operands, operand_room;
  int stopped; /* out of memory */
  item *item;
  int items;
} drawing;

static void *grown(drawing *d, void *memory, uint64_t *room, uint64_t wanted, size_t size) {
  uint64_t more = *room ? *room : 1024;
  while (more < wanted) more *= 2;
  if (more == *room) return memory;
  void *grown = realloc(memory, more * size);
  if (grown) *room = more;
  else d->stopped = 1;
  return grown ? grown : memory;
}

static uint64_t add_node(drawing *d, node made) {
  d->node = grown(d, d->node, &d->node_room, d->nodes + 1, sizeof *d->node);
  if (d->stopped) return ZERO;
  d->node[d->nodes] = made;
  return d->nodes++;
}

static uint64_t term(void *context, uint64_t i) { return add_node(context, (node){i, i, 1, 0, 0, 1}); }

static uint64_t sum(void *context, const uint64_t *operands, size_t n) {
  drawing *d = context;
  if (n == 2 && operands[0] == ZERO) return operands[1]; /* 0 + x is x */
  if (n == 2 && operands[1] == ZERO) return operands[0];
  d->operand = grown(d, d->operand, &d->operand_room, d->operands + n, sizeof *d->operand);
  if (d->stopped) return ZERO;
  node made = {d->node[operands[0]].first, d->node[operands[n - 1]].last, 0, d->operands, (uint32_t)n, (uint32_t)n};
  for (size_t i = 0; i < n; i++) {
    made.terms += d->node[operands[i]].terms;
    made.shape = (made.shape ^ d->node[operands[i]].shape) * 2654435761U + (made.shape >> 15);
    d->operand[d->operands++] = operands[i];
  }
  return add_node(d, made);
}

static uint64_t exact(void *context, uint64_t first, uint64_t n) {
  drawing *d = context;
  uint64_t *operands = calloc(n ? n : 1, sizeof *operands);
  if (!operands) d->stopped = 1;
  for (uint64_t i = 0; i < n && !d->stopped; i++) operands[i] = term(d, first + i);
  const uint64_t made = d->stopped || !n ? ZERO : n == 1 ? operands[0] : sum(d, operands, n);
  free(operands);
  return made;
}

static item *add_item(drawing *d, int parent) {
  static item spare; /* beyond the last: nobody reads so many lines */
  item *made = d->items < ITEMS_MAX ? &d->item[d->items++] : &spare;
  made->parent = parent;
  made->depth = parent < 0 ? 0 : d->item[parent].depth + 1;
  made->is_last = 0;
  return made;
}

/* Whether two right operands are steps of one loop: both terms, or sums of about as many. */
static int is_alike(const node *a, const node *b) {
  const uint64_t less = a->terms < b->terms ? a->terms : b->terms, more = a->terms + b->terms - less;
  return !a->operands == !b->operands && (more - less <= 1 || 2 * more < 3 * less);
}

/* The operands of additions from left to right, as far as they are alike; *count of them, to be freed. */
static uint64_t *chain_of(const drawing *d, uint64_t at, uint64_t *count) {
  const node *last = &d->node[d->operand[d->node[at].operand + 1]];
  uint64_t left = d->operand[d->node[at].operand];
  *count = 2;
  for (; d->node[left].operands == 2 && is_alike(&d->node[d->operand[d->node[left].operand + 1]], last); ++*count)
    left = d->operand[d->node[left].operand];
  uint64_t *chain = calloc(*count, sizeof *chain);
  if (!chain) return NULL;
  for (uint64_t k = *count; k-- > 1; at = d->operand[d->node[at].operand]) chain[k] = d->operand[d->node[at].operand + 1];
  chain[0] = at;
  return chain;
}

/* Terms at a constant step, as one line; 0 if they are not. */
static int run_label(const drawing *d, const uint64_t *operand, uint64_t count, const char *how, char *label) {
  const int64_t step = count > 1 ? (int64_t)(d->node[operand[1]].first - d->node[operand[0]].first) : 1;
  for (uint64_t i = 0; i < count; i++) {
    if (d->node[operand[i]].operands) return 0;
    if (i && (int64_t)(d->node[operand[i]].first - d->node[operand[i - 1]].first) != step) return 0;
  }
  size_t used = (size_t)snprintf(label, LABEL_MAX, "%s", how);
  const uint64_t first = d->node[operand[0]].first, last = d->node[operand[count - 1]].first;
  if (count <= 6)
    for (uint64_t i = 0; i < count; i++)
      used += (size_t)snprintf(label + used, LABEL_MAX - used, "%sx%" PRIu64, i ? " + " : "", d->node[operand[i]].first);
  else
    (void)snprintf(label + used, LABEL_MAX - used, "x%" PRIu64 " + x%" PRIu64 " + ... + x%" PRIu64 "  (%" PRIu64 " terms)", first,
                   d->node[operand[1]].first, last, count);
  return 1;
}

static void add_tree(drawing *d, uint64_t at, int parent);

static void add_operands(drawing *d, const uint64_t *operand, uint64_t count, int parent) {
  for (uint64_t i = 0; i < count; i++) {
    if (count > SHOWN && i == 3) {
      int alike = 1;
      for (; i + 1 < count; i++) alike &= d->node[operand[i]].shape == d->node[operand[0]].shape;
      item *gap = add_item(d, parent);
      (void)snprintf(gap->label, LABEL_MAX, "... %" PRIu64 " more%s", count - 4, alike ? " like these" : "");
    }
    add_tree(d, operand[i], parent);
  }
}

static void add_tree(drawing *d, uint64_t at, int parent) {
  const node *n = &d->node[at];
  item *made = add_item(d, parent);
  const int self = (int)(made - d->item);
  uint64_t count = n->operands;
  uint64_t *chain = NULL;
  const uint64_t *operand = d->operand + n->operand;
  if (!n->operands) {
    (void)snprintf(made->label, LABEL_MAX, at == ZERO ? "0" : "x%" PRIu64, n->first);
    return;
  }
  if (n->operands == 2 && (chain = chain_of(d, at, &count))) operand = chain;
  if (run_label(d, operand, count, n->operands > 2 ? "rounded once: " : "", made->label)) {
    free(chain);
    return;
  }
  if (made->depth >= DEPTH_MAX && n->terms > 4) {
    (void)snprintf(made->label, LABEL_MAX, "x%" PRIu64 " ... x%" PRIu64 "  (%" PRIu64 " terms)", n->first, n->last, n->terms);
    free(chain);
    return;
  }
  if (n->operands > 2) (void)snprintf(made->label, LABEL_MAX, "+ rounded once  (%" PRIu64 " terms)", n->terms);
  else if (count == 2) (void)snprintf(made->label, LABEL_MAX, "+  (%" PRIu64 " terms)", n->terms);
  else (void)snprintf(made->label, LABEL_MAX, "+ left to right  (%" PRIu64 " terms)", n->terms);
  if (self < ITEMS_MAX && made == &d->item[self]) add_operands(d, operand, count, self);
  free(chain);
}

static void mark_last(drawing *d) {
  for (int i = 0; i < d->items; i++) {
    int is_last = 1;
    for (int k = i + 1; k < d->items && d->item[k].depth >= d->item[i].depth && is_last; k++)
      is_last = d->item[k].depth > d->item[i].depth;
    d->item[i].is_last = is_last;
  }
}

/* As tree("...") writes it. */
static void put_words(FILE *out, const drawing *d, uint64_t at) {
  const node *n = &d->node[at];
  if (!n->operands) {
    (void)fprintf(out, "%" PRIu64, n->first);
    return;
  }
  (void)fputc('(', out);
  for (uint32_t i = 0; i < n->operands; i++) {
    if (i) (void)fputc('+', out);
    put_words(out, d, d->operand[n->operand + i]);
  }
  (void)fputc(')', out);
}

static void put_text(FILE *out, const drawing *d, const char *title, uint64_t root, uint64_t n) {
  (void)fprintf(out, "%s\n", title);
  for (int i = 0; i < d->items; i++) {
    const item *self = &d->item[i];
    int bar[DEPTH_MAX + 2] = {0};
    for (int above = self->parent; above >= 0; above = d->item[above].parent) bar[d->item[above].depth] = !d->item[above].is_last;
    for (int depth = 1; depth < self->depth; depth++) (void)fputs(bar[depth] ? "|  " : "   ", out);
    if (self->depth) (void)fputs(self->is_last ? "`- " : "|- ", out);
    (void)fprintf(out, "%s\n", self->label);
  }
  if (!n || n > SHORT) return;
  (void)fputs("tree(\"", out);
  put_words(out, d, root);
  (void)fputs("\")\n", out);
}

static void put_dot(FILE *out, const drawing *d, const char *title) {
  (void)fprintf(out, "digraph order {\n  label=\"");
  for (const char *c = title; *c; c++) (void)fprintf(out, *c == '"' ? "\\%c" : "%c", *c);
  (void)fputs("\";\n  rankdir=LR;\n  node [shape=box, fontname=monospace];\n", out);
  for (int i = 0; i < d->items; i++) {
    (void)fprintf(out, "  n%d [label=\"%s\"];\n", i, d->item[i].label);
    if (d->item[i].parent >= 0) (void)fprintf(out, "  n%d -> n%d;\n", d->item[i].parent, i);
  }
  (void)fputs("}\n", out);
}

/* Text of XML; labels have no character that needs escaping but quotes of titles. */
static void put_svg(FILE *out, const drawing *d, const char *title) {
  enum { LINE = 20, STEP = 28, MARGIN = 16, WIDTH = 900 };
  (void)fprintf(
      out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"monospace\" font-size=\"13\">\n",
      WIDTH, (d->items + 2) * LINE + MARGIN);
  (void)fputs("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n", out);
  (void)fprintf(out, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">", MARGIN, LINE);
  for (const char *c = title; *c; c++) {
    if (*c == '"') (void)fputs("&quot;", out);
    else (void)fputc(*c, out);
  }
  (void)fputs("</text>\n", out);
  for (int i = 0; i < d->items; i++) {
    const int x = MARGIN + d->item[i].depth * STEP, y = (i + 2) * LINE, parent = d->item[i].parent;
    if (parent >= 0)
      (void)fprintf(out, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"gray\"/>\n", x - STEP + 6, (parent + 2) * LINE + 5, y - 4,
                    x - 4);
    (void)fprintf(out, "<text x=\"%d\" y=\"%d\">%s</text>\n", x, y, d->item[i].label);
  }
  (void)fputs("</svg>\n", out);
}

static int write_it(const drawing *d, const char *kind, const char *title, uint64_t root, uint64_t n, const char *file) {
  FILE *out = file && strcmp(file, "-") != 0 ? fopen(file, "w") : stdout;
  if (!out) return complain(file, "cannot be written: %s", strerror(errno));
  if (strcmp(kind, "dot") == 0) put_dot(out, d, title);
  else if (strcmp(kind, "svg") == 0) put_svg(out, d, title);
  else put_text(out, d, title, root, n);
  if (out == stdout) return output_flush();
  const int bad = ferror(out);
  return fclose(out) || bad ? complain(file, "cannot be written: %s", strerror(errno)) : STATUS_DONE;
}

int drawing_make(const bitfold_contract *contract, uint64_t n, const char *kind, const char *file) {
  drawing d = {0};
  bitfold_message message;
  char title[CONTRACT_MAX + 64];
  uint64_t root = ZERO;
  const bitfold_visitor visitor = {&d, ZERO, term, sum, exact, &d.stopped};
  if (n > TERMS_MAX) return complain(NULL, "--tree draws up to %d terms, not %" PRIu64 "; --shape N draws fewer", TERMS_MAX, n);
  (void)add_node(&d, (node){0});
  d.item = calloc(ITEMS_MAX, sizeof *d.item);
  const bitfold_status status = d.item ? bitfold_order_walk(contract, n, &visitor, &root, &message) : BITFOLD_STATUS_STOPPED;
  int outcome = STATUS_DONE;
  if (d.stopped || !d.item) outcome = complain(NULL, "out of memory");
  else if (status) outcome = complain(NULL, "%s", message.text);
  else {
    char text[CONTRACT_MAX];
    (void)bitfold_contract_print(contract, text, sizeof text);
    (void)snprintf(title, sizeof title, "%s of %" PRIu64 " term%s", text, n, n == 1 ? "" : "s");
    add_tree(&d, root, -1);
    mark_last(&d);
    outcome = write_it(&d, kind, title, root, n, file);
  }
  free(d.node);
  free(d.operand);
  free(d.item);
  return outcome;
}
