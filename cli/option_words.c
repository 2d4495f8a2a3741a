/* SPDX-License-Identifier: Apache-2.0 */
/* Options whose value is one of a few words. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 32 };

int option_operation(const char *name, options *o) {
  const char *known[NAMES_MAX] = {NULL};
  for (int i = 1; i < NAMES_MAX && bitfold_operation_name((bitfold_operation)i); i++) {
    known[i - 1] = bitfold_operation_name((bitfold_operation)i);
    if (strcmp(name, known[i - 1]) == 0) o->operation = known[i - 1];
  }
  if (o->operation) return STATUS_DONE;
  return complain(NULL, "--op %s: not an operation; nearest is %s, of sum, mean, dot, sumsq, sumabs, max, min, argmax, argmin",
                  name, nearest(name, known));
}

int option_tree(const char *name, options *o) {
  o->tree = name ? name : "text";
  if (strcmp(o->tree, "text") == 0 || strcmp(o->tree, "dot") == 0 || strcmp(o->tree, "svg") == 0) return STATUS_DONE;
  return complain(NULL, "--tree=%s: unknown; --tree, --tree=dot or --tree=svg", name);
}

int option_over(const char *name, options *o) {
  static const char *const known[] = {"raise", "warn", "ignore"};
  for (int i = 0; i < 3; i++) {
    if (strcmp(name, known[i]) == 0) {
      o->over = (over)i;
      return STATUS_DONE;
    }
  }
  return complain(NULL, "--over %s: unknown; raise, warn or ignore", name);
}

int option_nan(const char *name, options *o) {
  if (strcmp(name, "propagate") == 0) o->nan = "nan=propagate";
  else if (strcmp(name, "ignore") == 0) o->nan = "nan=ignore";
  else return complain(NULL, "--nan %s: unknown; propagate or ignore", name);
  return STATUS_DONE;
}

int option_format(const char *option, const char *name, bitfold_format *format) {
  static const char *const known[] = {"f16", "bf16", "f32", "f64", NULL};
  *format = bitfold_format_named(name);
  for (size_t i = 0; known[i]; i++)
    if (strcmp(name, known[i]) == 0) return STATUS_DONE;
  return complain(NULL, "%s %s: not a format of floats; nearest is %s, of f16, bf16, f32, f64", option, name, nearest(name, known));
}

int option_count(const char *option, const char *text, long most, long *count) {
  char *end;
  errno = 0;
  *count = strtol(text, &end, 10);
  if (end != text && !*end && !errno && *count >= 1 && *count <= most) return STATUS_DONE;
  return complain(NULL, "%s %s: a number from 1 to %ld is expected", option, text, most);
}
