/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the promises of the integer relatives and of bitfold_arm_nn_dims and prints a line for each, then the counts.
 *
 * usage: [PROMISE...]: those alone; or `digests`: prints golden.txt. The status is 1 where one fails.
 */
#include <stdio.h>
#include <string.h>
#include "relatives.h"

static const struct {
  const char *name, *promise;
  void (*run)(void);
} promises[] = {
#define PROMISE(name, promise) {#name, promise, name},
#include "promises.def"
#undef PROMISE
};

static int failed;
static const char *skipped;

void fail(const char *label, const relative *f, long want, long got, long where) {
  if (!failed) printf("     %s%s%s at %ld: expected %ld, got %ld\n", f ? f->name : "", f ? " " : "", label, where, want, got);
  failed = 1;
}

void skip(const char *reason) { skipped = reason; }

static int named(const char *name, int argc, char **argv) {
  int found = argc < 2;
  for (int i = 1; i < argc; i++) found |= !strcmp(argv[i], name);
  return found;
}

int main(int argc, char **argv) {
  int counts[3] = {0}; /* passed, failed, skipped */
  if (argc == 2 && !strcmp(argv[1], "digests")) {
    print_digests();
    return 0;
  }
  for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
    if (!named(promises[i].name, argc, argv)) continue;
    failed = 0, skipped = NULL;
    promises[i].run();
    counts[failed ? 1 : skipped ? 2 : 0]++;
    printf("%s %s %s%s%s\n",
           failed    ? "FAIL"
           : skipped ? "skip"
                     : "ok",
           promises[i].name, promises[i].promise, skipped ? ": " : "", skipped ? skipped : "");
  }
  printf("%d passed, %d failed, %d skipped\n", counts[0], counts[1], counts[2]);
  return counts[1] || !(counts[0] + counts[2]);
}
