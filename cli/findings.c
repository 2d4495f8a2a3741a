/* SPDX-License-Identifier: Apache-2.0 */
/* What explain found: the contracts that explain everything, then the nearest misses; contracts that this data cannot tell apart
 * together. */
#include "explain.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { CONTRACT_MAX = 512, SHOWN_YES = 12, SHOWN_NO = 8, INDEX_MAX = 200 };

static int is_same(const finding *a, const finding *b) {
  return a->trial.hash == b->trial.hash && a->reading == b->reading && a->trial.contract.output == b->trial.contract.output;
}

/* Whether an earlier miss has the same outputs. */
static int is_told(const explanation *e, size_t i) {
  for (size_t k = e->explaining; k < i; k++)
    if (is_same(&e->finding[k], &e->finding[i])) return 1;
  return 0;
}

static uint64_t twins(const explanation *e, size_t i) {
  uint64_t count = 0;
  for (size_t k = i + 1; k < e->count; k++) count += (uint64_t)is_same(&e->finding[k], &e->finding[i]);
  return count;
}

/* "[3, 7]", of output number k. */
static void index_text(const bitfold_tensor *t, uint64_t k, char text[INDEX_MAX]) {
  uint64_t at[BITFOLD_RANK_MAX] = {0};
  size_t used = 1;
  for (int i = t->rank - 1; i >= 0; i--) {
    at[i] = k % (uint64_t)t->shape[i];
    k /= (uint64_t)t->shape[i];
  }
  text[0] = '[';
  for (int i = 0; i < t->rank; i++) used += (size_t)snprintf(text + used, INDEX_MAX - used, i ? ", %" PRIu64 : "%" PRIu64, at[i]);
  (void)snprintf(text + used, INDEX_MAX - used, "]");
}

/* The bits of the first output that the trial does not explain: those got and those that the contract gives. */
static int bits_of(explanation *e, const finding *f, char got[NUMBER_MAX], char gives[NUMBER_MAX]) {
  const bitfold_tensor *t = &f->reading->tensor;
  const bitfold_engine engine = {.isa = e->o->isa, .threads = e->o->threads};
  const size_t size = bitfold_format_size(t->format);
  const bitfold_axes *axes = e->o->all_axes ? NULL : &e->o->axes;
  unsigned char one[8];
  bitfold_trial trial;
  uint64_t rest = f->trial.first;
  int64_t offset = 0;
  if (bitfold_try(&f->trial.contract, &e->x.tensor, e->is_pair ? &e->y.tensor : NULL, axes, t, e->room, &engine, &trial, NULL))
    return 0;
  for (int i = t->rank - 1; i >= 0; i--) {
    offset += (int64_t)(rest % (uint64_t)t->shape[i]) * t->stride[i];
    rest /= (uint64_t)t->shape[i];
  }
  for (size_t i = 0; i < size; i++) one[i] = ((const unsigned char *)t->data)[offset + (int64_t)(t->swapped ? size - 1 - i : i)];
  (void)number_bits(t->format, one, 0, got);
  (void)number_bits(t->format, e->room, f->trial.first, gives);
  return 1;
}

static const char *unit_of(const finding *f) {
  const bitfold_format format = f->trial.contract.output;
  return format_is_sf(format) ? "code" : format_is_integer(format) ? "one" : "ulp";
}

static void print_miss(explanation *e, size_t i) {
  const finding *f = &e->finding[i];
  char text[CONTRACT_MAX], index[INDEX_MAX], got[NUMBER_MAX], gives[NUMBER_MAX];
  const uint64_t more = twins(e, i);
  (void)bitfold_contract_print(&f->trial.contract, text, sizeof text);
  (void)printf("no  %s", text);
  if (f->reading->encoding) (void)printf("  %s", f->reading->encoding);
  if (e->outputs > 1) (void)printf("  %" PRIu64 " of %" PRIu64 " outputs", f->trial.matched, f->trial.outputs);
  if (bits_of(e, f, got, gives)) {
    index_text(&f->reading->tensor, f->trial.first, index);
    if (e->outputs > 1) (void)printf("; first not %s, got %s, gives %s", index, got, gives);
    else (void)printf("  gives %s", gives);
  }
  if (f->trial.ulps == UINT64_MAX) (void)printf(", NaN against a number");
  else
    (void)printf("%s%" PRIu64 " %s%s%s", ", ", f->trial.ulps, unit_of(f), f->trial.ulps == 1 ? "" : "s",
                 e->outputs > 1 ? " at most" : "");
  if (more) (void)printf("; as %" PRIu64 " more", more);
  (void)putchar('\n');
}

static void print_text(explanation *e) {
  char text[CONTRACT_MAX];
  const size_t most = e->o->all ? e->count : SHOWN_YES;
  size_t shown = 0, hidden = 0;
  for (size_t i = 0; i < e->explaining && i < most; i++) {
    const finding *f = &e->finding[i];
    (void)bitfold_contract_print(&f->trial.contract, text, sizeof text);
    (void)printf("yes %s%s%s\n", text, f->reading->encoding ? "  " : "", f->reading->encoding ? f->reading->encoding : "");
  }
  if (e->explaining > most) (void)printf("    and %zu more, which --all lists\n", e->explaining - most);
  if (e->explaining > 1)
    (void)printf("    This data cannot tell these %zu apart; bitfold explain --separate A B looks for data that can.\n",
                 e->explaining);
  for (size_t i = e->explaining; i < e->count; i++) {
    if (!e->o->all && is_told(e, i)) continue;
    if (!e->o->all && shown == SHOWN_NO) hidden++;
    else print_miss(e, i), shown++;
  }
  if (hidden) (void)printf("    and %zu other results, further away; --all lists them\n", hidden);
  if (!e->explaining) (void)printf("Nothing explains %s; the nearest is first.\n", e->outputs > 1 ? "all outputs" : "it");
}

static json_t *finding_json(const finding *f, int is_explaining) {
  char text[CONTRACT_MAX], hash[24];
  (void)bitfold_contract_print(&f->trial.contract, text, sizeof text);
  (void)snprintf(hash, sizeof hash, "%016" PRIx64, f->trial.hash);
  json_t *object = json_pack("{s:s}", "contract", text);
  if (f->reading->encoding) (void)json_object_set_new(object, "encoding", json_string(f->reading->encoding));
  if (is_explaining) return object;
  (void)json_object_set_new(object, "matched", json_integer((json_int_t)f->trial.matched));
  (void)json_object_set_new(object, "first", json_integer((json_int_t)f->trial.first));
  (void)json_object_set_new(object, "ulps", f->trial.ulps > INT64_MAX ? json_null() : json_integer((json_int_t)f->trial.ulps));
  (void)json_object_set_new(object, "outputs_hash", json_string(hash));
  return object;
}

static int print_json(const explanation *e) {
  json_t *contracts = json_array(), *nearest = json_array();
  for (size_t i = 0; i < e->count; i++) {
    const int yes = i < e->explaining;
    (void)json_array_append_new(yes ? contracts : nearest, finding_json(&e->finding[i], yes));
  }
  json_t *all = json_pack("{s:I, s:I, s:o, s:o}", "outputs", (json_int_t)e->outputs, "tried", (json_int_t)e->count, "contracts",
                          contracts, "nearest", nearest);
  if (!all) return complain(e->x.name, "out of memory");
  (void)json_dumpf(all, stdout, 0);
  (void)putchar('\n');
  json_decref(all);
  return STATUS_DONE;
}

int findings_print(explanation *e) {
  if (e->o->json) return print_json(e);
  print_text(e);
  return STATUS_DONE;
}
