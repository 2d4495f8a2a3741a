/* SPDX-License-Identifier: Apache-2.0 */
/* The contracts under which agree tries data of a format. */
#include "cli.h"

#include <string.h>

static const char *const additions[] = {"sum", "mean", "dot", "sumsq", "sumabs", NULL};
static const char *const selections[] = {"max:nan=propagate",    "max:nan=ignore",       "min:nan=propagate",
                                         "min:nan=ignore",       "argmax:nan=propagate", "argmax:nan=ignore",
                                         "argmin:nan=propagate", "argmin:nan=ignore",    NULL};
static const char *const float_orders[] = {"exact",
                                           "sequential",
                                           "reverse",
                                           "lanes(4,fold=left)",
                                           "lanes(8,fold=pairs,tail=after)",
                                           "lanes(16,fold=halves)",
                                           "canonical(1)",
                                           "canonical(16)",
                                           "pairwise(128,lanes(8))",
                                           "blocks(64,sequential)",
                                           "blocks(100,pairwise(16,sequential))",
                                           "helia",
                                           "numpy",
                                           "numpy-1",
                                           "cmsis-dsp",
                                           "torch",
                                           NULL};
/* Parts that say more than an order, each for the formats it goes with; the library refuses the others. */
static const char *const narrow_orders[] = {
    "acc=f16:lanes(4)", "acc=bf16:lanes(4)", "acc=f64:sequential", "out=f32:exact", "sequential:fma", "lanes(4):ftz", NULL};
static const char *const whole_outputs[] = {"out=i8", "out=i16", "out=i32", "out=i64", "out=f64", NULL};

typedef struct walker {
  const char *format;
  trial_function *try;
  void *context;
} walker;

/* Tries word:format:part, if that is a contract. */
static int try_one(const walker *w, const char *word, const char *part) {
  bitfold_contract contract;
  char text[128];
  (void)snprintf(text, sizeof text, "%s:%s%s%s", word, w->format, *part ? ":" : "", part);
  if (bitfold_contract_parse(text, &contract, NULL) != BITFOLD_STATUS_OK) return STATUS_DONE;
  return w->try(w->context, &contract);
}

static int try_list(const walker *w, const char *word, const char *const parts[]) {
  int status = STATUS_DONE;
  for (size_t i = 0; !status && parts[i]; i++) status = try_one(w, word, parts[i]);
  return status;
}

static int try_rules(const walker *w, const char *word) {
  int status = try_one(w, word, "exact");
  for (size_t i = 0; !status && bitfold_rule_at(i); i++) status = try_one(w, word, bitfold_rule_at(i)->name);
  return status;
}

int trials_each(bitfold_format format, trial_function *try, void *context) {
  walker w = {.format = bitfold_format_name(format), .try = try, .context = context};
  int status = STATUS_DONE;
  for (size_t i = 0; !status && additions[i]; i++) {
    if (format_is_sf(format)) status = try_rules(&w, additions[i]);
    else if (format_is_integer(format)) status = try_list(&w, additions[i], whole_outputs);
    else {
      status = try_list(&w, additions[i], float_orders);
      if (!status) status = try_list(&w, additions[i], narrow_orders);
    }
  }
  for (size_t i = 0; !status && selections[i]; i++) status = try_one(&w, selections[i], "");
  return status;
}
