/* SPDX-License-Identifier: Apache-2.0 */
/* --rule: a SuperFloat accumulation rule of the caller's own, from words that name the fields of a bitfold_rule. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The fields in the sequence of the table below. */
enum { PRODUCT, MINUS_ONE, BITS, OVERFLOWING, FULL_RANGE, SUM_EXTRA, PRODUCT_EXTRA, READOUT, READOUT_FULL, FIELDS };

enum { EXTRA_MAX = 32, BITS_LEAST = 2, BITS_MAX = 48, WORD_MAX = 64 };

static const char *const products[] = {"toward-zero", "floor", "exact", "float32", NULL};
static const char *const overflows[] = {"clamp", "wrap", NULL};
static const char *const readouts[] = {"floor", "half-up", "nearest", NULL};
static const char *const flags[] = {"no", "yes", NULL};
static const char *const widths[] = {"data", "product", NULL}; /* number i is -1 - i, as in BITFOLD_BITS_DATA */
static const char *const extras[] = {"data", NULL};

/* A field's words; one with numbers takes those from least to most as well. */
static const struct {
  const char *name;
  const char *const *words;
  int least;
  int most;
} fields[FIELDS] = {
    [PRODUCT] = {"product", products, 0, 0},
    [MINUS_ONE] = {"minus-one-is-zero", flags, 0, 0},
    [BITS] = {"bits", widths, BITS_LEAST, BITS_MAX},
    [OVERFLOWING] = {"overflow", overflows, 0, 0},
    [FULL_RANGE] = {"full-range", flags, 0, 0},
    [SUM_EXTRA] = {"sum-extra", extras, 0, EXTRA_MAX},
    [PRODUCT_EXTRA] = {"product-extra", extras, 0, EXTRA_MAX},
    [READOUT] = {"readout", readouts, 0, 0},
    [READOUT_FULL] = {"readout-full-range", flags, 0, 0},
};

static int get(const bitfold_rule *rule, size_t field) {
  const int values[FIELDS] = {
      [PRODUCT] = (int)rule->product,
      [MINUS_ONE] = rule->minus_one_is_zero != 0,
      [BITS] = rule->accumulator_bits,
      [OVERFLOWING] = (int)rule->overflow,
      [FULL_RANGE] = rule->full_range != 0,
      [SUM_EXTRA] = rule->sum_extra,
      [PRODUCT_EXTRA] = rule->product_extra,
      [READOUT] = (int)rule->readout,
      [READOUT_FULL] = rule->readout_full_range != 0,
  };
  return values[field];
}

static void set(bitfold_rule *rule, size_t field, int value) {
  switch (field) {
  case PRODUCT: rule->product = (bitfold_product)value; break;
  case MINUS_ONE: rule->minus_one_is_zero = value; break;
  case BITS: rule->accumulator_bits = value; break;
  case OVERFLOWING: rule->overflow = (bitfold_overflow)value; break;
  case FULL_RANGE: rule->full_range = value; break;
  case SUM_EXTRA: rule->sum_extra = value; break;
  case PRODUCT_EXTRA: rule->product_extra = value; break;
  case READOUT: rule->readout = (bitfold_readout)value; break;
  default: rule->readout_full_range = value; break;
  }
}

int rule_part_at(const bitfold_rule *rule, size_t i, rule_part *part) {
  if (i >= FIELDS) return 0;
  int value = get(rule, i);
  *part = (rule_part){.name = fields[i].name, .number = value, .is_flag = fields[i].words == flags};
  if (fields[i].most == 0 && !part->is_flag) part->word = fields[i].words[value];
  else if (value < 0) part->word = fields[i].words[-1 - value];
  return 1;
}

/* "a, b, c" of a list. */
static const char *joined(const char *const list[], char text[256]) {
  size_t used = 0;
  for (size_t i = 0; list[i]; i++) used += (size_t)snprintf(text + used, 256 - used, "%s%s", i ? ", " : "", list[i]);
  return text;
}

/* All words that may stand at this place: the fields, name, and at the beginning the rules. */
static int refuse_word(const char *word, int is_first) {
  const char *known[FIELDS + 32] = {"name"};
  char text[256];
  size_t count = 1;
  for (size_t i = 0; i < FIELDS; i++) known[count++] = fields[i].name;
  (void)joined(known, text);
  for (size_t i = 0; is_first && i < 16 && bitfold_rule_at(i); i++) known[count++] = bitfold_rule_at(i)->name;
  if (!is_first && bitfold_rule_named(word)) return complain("--rule", "%s is the name of a rule, and so comes first", word);
  return complain("--rule", "%s is no word of a rule; nearest is %s, of %s%s", word, nearest(word, known), text,
                  is_first ? ", after the name of a rule to begin with, if not sf" : "");
}

/* The name goes into the contract's text, where it must not be read as something else. */
static int set_name(custom_rule *custom, const char *value) {
  bitfold_contract contract = {0};
  size_t length = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
  if (!length || value[length] || length >= RULE_NAME_MAX) {
    return complain("--rule", "name=%s: a name is up to %d letters, digits, '.', '_' and '-'", value, RULE_NAME_MAX - 1);
  }
  if (bitfold_contract_add(&contract, value, NULL) == BITFOLD_STATUS_OK) {
    return complain("--rule", "name=%s is a word of contracts already; choose another name", value);
  }
  memcpy(custom->name, value, length + 1);
  return STATUS_DONE;
}

static int set_field(bitfold_rule *rule, size_t field, const char *value) {
  const char *name = fields[field].name;
  char text[256];
  char *end;
  int is_flag = fields[field].words == flags;
  if (!value && !is_flag) return complain("--rule", "%s wants a value: %s=%s", name, name, fields[field].words[0]);
  if (!value) value = "yes";
  for (int i = 0; fields[field].words[i]; i++) {
    if (strcmp(value, fields[field].words[i]) == 0) {
      set(rule, field, fields[field].most ? -1 - i : i);
      return STATUS_DONE;
    }
  }
  (void)joined(fields[field].words, text);
  if (!fields[field].most) {
    return complain("--rule", "%s=%s: nearest is %s=%s, of %s", name, value, name, nearest(value, fields[field].words), text);
  }
  errno = 0;
  long number = strtol(value, &end, 10);
  if (end == value || *end || errno || number < fields[field].least || number > fields[field].most) {
    return complain("--rule", "%s=%s: a number from %d to %d, or %s, is right", name, value, fields[field].least,
                    fields[field].most, text);
  }
  set(rule, field, (int)number);
  return STATUS_DONE;
}

/* One word, as "bits=24". seen: the fields so far, and name behind them. */
static int read_word(char *word, int is_first, custom_rule *custom, unsigned *seen) {
  char *value = strchr(word, '=');
  const bitfold_rule *base = is_first && !value ? bitfold_rule_named(word) : NULL;
  if (base) {
    custom->rule = *base;
    return STATUS_DONE;
  }
  if (value) *value++ = '\0';
  size_t field = 0;
  while (field < FIELDS && strcmp(word, fields[field].name) != 0) field++;
  int is_name = strcmp(word, "name") == 0;
  if (field == FIELDS && !is_name) return refuse_word(word, is_first);
  if (*seen & 1U << field) return complain("--rule", "%s is given twice", word);
  *seen |= 1U << field;
  if (!is_name) return set_field(&custom->rule, field, value);
  return value ? set_name(custom, value) : complain("--rule", "name wants a value: name=mychip");
}

int rule_read(const char *text, custom_rule *custom) {
  static const char between[] = " ,\t\n";
  unsigned seen = 0;
  int status = STATUS_DONE;
  int count = 0;
  *custom = (custom_rule){.rule = *bitfold_rule_at(0), .name = "custom"};
  for (text += strspn(text, between); !status && *text; text += strspn(text, between)) {
    char word[WORD_MAX];
    size_t length = strcspn(text, between);
    if (length >= sizeof word) return complain("--rule", "%.60s...: no word of a rule is so long", text);
    memcpy(word, text, length);
    word[length] = '\0';
    status = read_word(word, count++ == 0, custom, &seen);
    text += length;
  }
  if (!status && count == 0) status = complain("--rule", "empty; \"bits=24 overflow=wrap\" and \"sf31 readout=nearest\" are rules");
  if (seen) custom->rule.name = custom->name; /* else it is a rule of the library, as it is */
  return status;
}

int rule_check(const char *file, const bitfold_rule *rule, bitfold_format format) {
  int width = (int)(format - BITFOLD_FORMAT_SF2) + 2;
  if (!rule || rule->product != BITFOLD_PRODUCT_EXACT || rule->product_extra == BITFOLD_BITS_DATA ||
      rule->product_extra >= width - 1) {
    return STATUS_DONE;
  }
  return complain(file, "product=exact of %s has %d fraction bits more; product-extra=data keeps them, %d are too few",
                  bitfold_format_name(format), width - 1, rule->product_extra);
}
