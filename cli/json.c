/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --json: one object on one line. jansson writes every value; only the commas of the long lists are ours, because a list may be as
 * long as the file and is written as it is made.
 */
#include "cli.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes a value and lets go of it; flags as for json_dumpf. */
static void put(json_t *value, size_t flags) {
  (void)json_dumpf(value, stdout, flags | JSON_ENCODE_ANY);
  json_decref(value);
}

static json_t *bits_of(const result *r, uint64_t i, size_t *flags) {
  char text[NUMBER_MAX];
  *flags = 0;
  return json_string(number_bits(r->tensor.format, r->data, i, text));
}

static json_t *code_of(const result *r, uint64_t i, size_t *flags) {
  *flags = 0;
  return json_integer(number_code(r->tensor.format, r->data, i));
}

/* A number, except that JSON has none for "nan", "inf" and "-inf". */
static json_t *value_of(const result *r, uint64_t i, size_t *flags) {
  enum { SURE = 15 }; /* so many digits of any decimal survive a double, so no fewer need be tried */
  if (format_is_integer(r->tensor.format)) return code_of(r, i, flags);
  double value = number_value(r->tensor.format, r->data, i);
  *flags = 0;
  if (isnan(value)) return json_string("nan");
  if (isinf(value)) return json_string(value > 0 ? "inf" : "-inf");
  *flags = JSON_REAL_PRECISION((unsigned)number_digits(BITFOLD_FORMAT_F64, value, SURE));
  return json_real(value);
}

static void put_list(const char *key, const result *r, json_t *(*item)(const result *, uint64_t, size_t *)) {
  (void)printf(", \"%s\": [", key);
  for (uint64_t i = 0; i < r->count; i++) {
    size_t flags;
    json_t *value = item(r, i, &flags);
    if (i) (void)fputs(", ", stdout);
    put(value, flags);
  }
  (void)putchar(']');
}

static int put_contract(const result *r) {
  size_t length = bitfold_contract_print(&r->report.contract, NULL, 0);
  char *text = malloc(length + 1);
  if (!text) return complain(r->file, "out of memory");
  (void)bitfold_contract_print(&r->report.contract, text, length + 1);
  (void)fputs("\"contract\": ", stdout);
  put(json_string(text), 0);
  free(text);
  return STATUS_DONE;
}

/* What the bits depend on: a contract, or an operation on elements and their format. */
static int put_head(const result *r) {
  if (!r->operation) return put_contract(r);
  (void)printf("\"operation\": \"%s\", \"format\": \"%s\"", r->operation, bitfold_format_name(r->tensor.format));
  return STATUS_DONE;
}

/* A rule under the words of --rule. */
static void put_rule(const bitfold_rule *rule) {
  rule_part part;
  json_t *object = json_pack("{s:s}", "name", rule->name);
  for (size_t i = 0; rule_part_at(rule, i, &part); i++) {
    json_t *value = part.is_flag ? json_boolean(part.number) : part.word ? json_string(part.word) : json_integer(part.number);
    (void)json_object_set_new(object, part.name, value);
  }
  (void)fputs(", \"rule\": ", stdout);
  put(object, 0);
}

/* Counts of outputs, of which a reduction knows more. */
static void put_events(const result *r) {
  const bitfold_report *report = &r->report;
  json_t *events = json_pack("{s:I, s:I}", "overflow", (json_int_t)report->clamped, "outputs", (json_int_t)report->outputs);
  if (!r->operation) {
    (void)json_object_set_new(events, "nan", json_integer((json_int_t)report->nan));
    (void)json_object_set_new(events, "inf", json_integer((json_int_t)report->overflowed));
  }
  if (r->has_vanished) (void)json_object_set_new(events, "vanished", json_integer((json_int_t)r->vanished));
  (void)fputs(", \"events\": ", stdout);
  put(events, 0);
}

/* A name need not be UTF-8, and a JSON string must be. */
static json_t *name_of(const char *file) {
  json_t *name = json_string(file);
  if (name) return name;
  char *safe = strdup(file);
  for (char *c = safe; c && *c; c++) {
    if ((unsigned char)*c >= 0x80) *c = '?';
  }
  name = json_string(safe ? safe : "?");
  free(safe);
  return name;
}

int output_json(const result *r) {
  json_t *shape = json_array();
  for (int i = 0; i < r->tensor.rank; i++) (void)json_array_append_new(shape, json_integer(r->tensor.shape[i]));
  (void)putchar('{');
  if (r->file) {
    (void)fputs("\"file\": ", stdout);
    put(name_of(r->file), 0);
    (void)fputs(", ", stdout);
  }
  int status = put_head(r);
  if (r->rule) put_rule(r->rule);
  (void)fputs(", \"shape\": ", stdout);
  put(shape, 0);
  put_list("bits", r, bits_of);
  put_list("values", r, value_of);
  bitfold_operation operation = r->report.contract.operation;
  int is_index = operation == BITFOLD_OPERATION_ARGMAX || operation == BITFOLD_OPERATION_ARGMIN;
  if (format_is_sf(r->tensor.format) || (format_is_integer(r->tensor.format) && !is_index)) put_list("codes", r, code_of);
  put_events(r);
  if (!r->operation) {
    (void)fputs(", \"engine\": ", stdout);
    put(json_pack("{s:s, s:i}", "isa", r->report.isa, "threads", r->report.threads), 0);
  }
  (void)puts("}");
  return status;
}
