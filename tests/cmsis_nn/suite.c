/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clause suite of the twelve functions: without an argument every clause, with one (`H31`) that clause, with `golden` the lines
 * of golden.txt. The exit status is 0, 1 after a failure, 77 where nothing could be tried.
 */
#include <stdio.h>
#include <string.h>

#include "suite.h"

typedef struct clause {
  const char *name, *promise;
  void (*run)(void);
} clause;

static const clause clauses[] = {
#define CLAUSE(number, promise) {"H" #number, promise, h##number},
#include "clauses.def"
#undef CLAUSE
};

static struct {
  unsigned long checks, failures, left_out; /* of the clause that runs */
  unsigned passed, failed, skipped;
  const clause *now;
  char first[240];
} report;

/* The functions fit a processor without snprintf's long relatives: %lx and %ld only. */
void wrong(const call *c, const char *what, size_t at, uint32_t want, uint32_t got) {
  report.checks++;
  if (report.failures++) return;
  int used = snprintf(report.first, sizeof report.first, "%s {%ld,%ld,%ld,%ld}", c->f->name, c->in ? (long)c->in->n : -99,
                      c->in ? (long)c->in->h : -99, c->in ? (long)c->in->w : -99, c->in ? (long)c->in->c : -99);
  char *to = report.first + used;
  size_t room = sizeof report.first - (size_t)used;
  if (is_arg(c->f)) used = snprintf(to, room, " axis %ld", (long)c->axis);
  else if (c->mask)
    used = snprintf(to, room, " mask {%ld,%ld,%ld,%ld}", (long)c->mask->n, (long)c->mask->h, (long)c->mask->w, (long)c->mask->c);
  else used = 0;
  to += used, room -= (size_t)used;
  used = snprintf(to, room, " state %u: %s %lu: expected %08lx, got %08lx; input", under_which(), what, (unsigned long)at,
                  (unsigned long)want, (unsigned long)got);
  to += used, room -= (size_t)used;
  size_t n = c->x && c->in ? (size_t)elements(c->in, NULL) : 0;
  for (size_t i = 0; i < n && i < 6 && c->x != c->y; i++, to += used, room -= (size_t)used)
    used = snprintf(to, room, " %0*lx", (int)c->f->format->size * 2, (unsigned long)get(c->f->format, c->x, i));
}

void must(int holds, const char *what) {
  report.checks++;
  if (holds || report.failures++) return;
  snprintf(report.first, sizeof report.first, "%s (state %u)", what, under_which());
}

void left_out(const char *part) {
  report.left_out++, report.skipped++;
  printf("skip %s %s\n", report.now->name, part);
}

static void run(const clause *c) {
  report.checks = report.failures = report.left_out = 0, report.now = c;
  place(0, 0), under(0);
  c->run();
  if (!report.checks && !report.left_out) must(0, "nothing was checked");
  if (report.failures) {
    report.failed++;
    printf("FAIL %s %s (%s; %lu of %lu checks)\n", c->name, c->promise, report.first, report.failures, report.checks);
  } else if (report.checks) {
    report.passed++;
    printf("ok %s %s\n", c->name, c->promise);
  }
  fflush(stdout); /* what hangs or crashes is the clause after the last line */
}

int main(int count, char **arguments) {
  const char *only = count > 1 ? arguments[1] : NULL;
  if (only && !strcmp(only, "golden")) {
    golden_print();
    return 0;
  }
  for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
    if (!only || !strcmp(only, clauses[i].name)) run(&clauses[i]);
  printf("%u passed, %u failed, %u skipped\n", report.passed, report.failed, report.skipped);
  if (report.failed || !(report.passed + report.skipped)) return 1;
  return report.passed ? 0 : 77;
}
