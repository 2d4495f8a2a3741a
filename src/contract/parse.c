/* SPDX-License-Identifier: Apache-2.0 */
/* Contract text to contract: parts joined by ':', each recognised by its word alone. */
#include "../kernel.h"

/* What a part may be, from i = 0 to the first null: orders, rules and keys; formats; operations. */
static const char *known_order_or_key(size_t i) {
  static const char *const keys[] = {"acc=", "out=", "nan=", "fma", "ftz"};
  for (int o = BITFOLD_ORDER_EXACT; bf_order_name((bitfold_order)o); o++)
    if (!i--) return bf_order_name((bitfold_order)o);
  for (size_t r = 0; bitfold_rule_at(r); r++)
    if (!i--) return bitfold_rule_at(r)->name;
  return i < sizeof keys / sizeof *keys ? keys[i] : NULL;
}
static const char *known_after_operation(size_t i) {
  for (int f = BITFOLD_FORMAT_F16; bf_format((bitfold_format)f); f++)
    if (!i--) return bitfold_format_name((bitfold_format)f);
  return known_order_or_key(i);
}
static const char *known_word(size_t i) {
  for (int o = BITFOLD_OPERATION_SUM; bitfold_operation_name((bitfold_operation)o); o++)
    if (!i--) return bitfold_operation_name((bitfold_operation)o);
  return known_after_operation(i);
}
static const char *known_format(size_t i) { return bitfold_format_name((bitfold_format)(i + 1)); }
static const char *known_order(size_t i) { return bf_order_name((bitfold_order)(i + 1)); }
static const char *known_policy(size_t i) { return i ? i == 1 ? "ignore" : NULL : "propagate"; }
static const char *known_fold(size_t i) { return i < 3 ? bf_fold_name((bitfold_fold)i) : NULL; }
static const char *known_tail(size_t i) { return i < 2 ? bf_tail_name((bitfold_tail)i) : NULL; }

static const char *known_parameter(size_t i) { return i ? i == 1 ? "tail=" : NULL : "fold="; }

/* Text that is being read, and where to complain. */
struct source {
  const char *text, *end;
  bitfold_message *message;
};

static int starts(const struct source *s, const char *word) { return bf_starts(s->text, (size_t)(s->end - s->text), word); }
/* Spaces may follow a comma. */
static int accept(struct source *s, const char *word) {
  int found = starts(s, word);
  if (found) s->text += bf_length(word);
  while (found && *word == ',' && s->text != s->end && *s->text == ' ') s->text++;
  return found;
}

/* "<what> 'word' is not known; nearest: a, b" */
static bitfold_status unknown(const struct source *s, const char *what, size_t length, const char *(*known)(size_t)) {
  if (!s->message) return BITFOLD_STATUS_CONTRACT;
  struct bf_text text = {s->message->text, sizeof s->message->text, 0};
  bf_append_word(&text, what);
  bf_append_word(&text, " '");
  bf_append(&text, s->text, length < 60 ? length : 60);
  bf_append_word(&text, length ? "' is not known; nearest: " : "' is empty; known words: ");
  bf_append_nearest(&text, s->text, length, known);
  return BITFOLD_STATUS_CONTRACT;
}

/* The length of the word here: letters, digits, '-' and '.', which no punctuation of the language is. */
static size_t word_length(const struct source *s) {
  const char *end = s->text;
  while (end != s->end && ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z') || (*end >= '0' && *end <= '9') ||
                           *end == '-' || *end == '.' || *end == '_' || *end == '+'))
    end++;
  return (size_t)(end - s->text);
}

/* Reads the word here as number i of the known ones. */
static bitfold_status one_of(struct source *s, const char *what, const char *(*known)(size_t), int *i) {
  size_t length = word_length(s);
  for (*i = 0; known((size_t)*i); ++*i)
    if (bf_length(known((size_t)*i)) == length && bf_starts(s->text, length, known((size_t)*i)))
      return s->text += length, BITFOLD_STATUS_OK;
  return unknown(s, what, length, known);
}

static bitfold_status expect(struct source *s, const char *word, const char *in) {
  char rest[24] = "";
  size_t left = (size_t)(s->end - s->text);
  if (accept(s, word)) return BITFOLD_STATUS_OK;
  memcpy(rest, s->text, left < sizeof rest - 1 ? left : sizeof rest - 1);
  return BF_FAIL(s->message, BITFOLD_STATUS_CONTRACT, in, ": '", word, "' is expected ", left ? "before '" : "at the end", rest,
                 left ? "'" : "");
}

static bitfold_status number(struct source *s, const char *in, uint64_t *value) {
  const char *start = s->text;
  for (*value = 0; s->text != s->end && *s->text >= '0' && *s->text <= '9'; s->text++) {
    if (*value > ((uint64_t)INT64_MAX - 9) / 10)
      return BF_FAIL(s->message, BITFOLD_STATUS_CONTRACT, in, ": the number is too large");
    *value = *value * 10 + (uint64_t)(*s->text - '0');
  }
  if (s->text != start && (*start != '0' || s->text == start + 1)) return BITFOLD_STATUS_OK;
  return BF_FAIL(s->message, BITFOLD_STATUS_CONTRACT, in, ": a number is expected, like ", in, "(16)");
}

static bitfold_status lanes_options(struct source *s, bitfold_level *level) {
  int i, folds = 0, tails = 0;
  bitfold_status status = BITFOLD_STATUS_OK;
  while (!status && accept(s, ",")) {
    if (accept(s, "fold=")) {
      status = one_of(s, "fold", known_fold, &i);
      level->fold = (bitfold_fold)i, folds++;
    } else if (accept(s, "tail=")) {
      status = one_of(s, "tail", known_tail, &i);
      level->tail = (bitfold_tail)i, tails++;
    } else return unknown(s, "parameter of lanes", word_length(s), known_parameter);
  }
  if (status || (folds < 2 && tails < 2)) return status;
  return BF_FAIL(s->message, BITFOLD_STATUS_CONTRACT, "lanes: ", folds > 1 ? "fold=" : "tail=", " stands twice");
}

static bitfold_status tree_text(struct source *s, bitfold_contract *contract) {
  bitfold_status status = expect(s, "\"", "tree");
  if (status) return status;
  contract->tree = s->text;
  while (s->text != s->end && *s->text != '"') s->text++;
  contract->tree_length = (size_t)(s->text - contract->tree);
  return expect(s, "\"", "tree");
}

/* An order with all that it contains; each word takes the next level. */
static bitfold_status order(struct source *s, bitfold_contract *contract) {
  int i;
  bitfold_status status = one_of(s, "order", known_order, &i);
  if (status) return status;
  bitfold_level level = {(bitfold_order)(i + 1), BITFOLD_FOLD_LEFT, BITFOLD_TAIL_LANES, 0};
  const char *name = bf_order_name(level.order);
  if (contract->depth == BITFOLD_LEVELS_MAX)
    return BF_FAIL(s->message, BITFOLD_STATUS_CONTRACT, name, ": orders are nested more than 4 deep");
  bitfold_level *place = &contract->level[contract->depth++];
  *place = level;
  if (level.order == BITFOLD_ORDER_TORCH) place->size = 1; /* thread, unless the number follows */
  int takes_size = level.order >= BITFOLD_ORDER_LANES && level.order <= BITFOLD_ORDER_BLOCKS;
  takes_size |= level.order == BITFOLD_ORDER_TORCH && starts(s, "(");
  if (!takes_size && level.order != BITFOLD_ORDER_TREE) return BITFOLD_STATUS_OK;
  if ((status = expect(s, "(", name))) return status;
  if (takes_size && (status = number(s, name, &place->size))) return status;
  if (level.order == BITFOLD_ORDER_LANES && (status = lanes_options(s, place))) return status;
  if (level.order == BITFOLD_ORDER_TREE && (status = tree_text(s, contract))) return status;
  if (level.order == BITFOLD_ORDER_PAIRWISE || level.order == BITFOLD_ORDER_BLOCKS) {
    if ((status = expect(s, ",", name)) || (status = order(s, contract))) return status;
  }
  return expect(s, ")", name);
}

/* Sets a part, or complains that it has another value already. */
static bitfold_status set(struct source *s, const char *what, int *field, int value, const char *(*name)(int)) {
  if (!*field || *field == value) return *field = value, BITFOLD_STATUS_OK;
  return BF_FAIL(s->message, BITFOLD_STATUS_CONTRACT, what, " given twice: ", name(*field), " and ", name(value));
}
static const char *operation_name(int o) { return bitfold_operation_name((bitfold_operation)o); }
static const char *format_name(int f) { return bitfold_format_name((bitfold_format)f); }
static const char *policy_name(int nan) { return known_policy((size_t)(nan - BITFOLD_NAN_PROPAGATE)); }

static bitfold_status set_format(struct source *s, const char *what, bitfold_format *format) {
  int i, field = (int)*format;
  bitfold_status status = one_of(s, what, known_format, &i);
  if (status || (status = set(s, what, &field, i + 1, format_name))) return status;
  *format = (bitfold_format)field;
  return status;
}

static bitfold_status set_nan(struct source *s, bitfold_nan *nan) {
  int i, field = (int)*nan;
  bitfold_status status = one_of(s, "nan=", known_policy, &i);
  if (status || (status = set(s, "nan=", &field, i + BITFOLD_NAN_PROPAGATE, policy_name))) return status;
  *nan = (bitfold_nan)field;
  return status;
}

/* Sets the order or rule, or complains that there is another one already. */
static bitfold_status set_order(struct source *s, bitfold_contract *contract, const bitfold_contract *made) {
  const int open = !contract->rule && !contract->depth;
  if (!open && (contract->rule != made->rule || !bf_same_order(contract, made))) {
    if (!s->message) return BITFOLD_STATUS_CONTRACT;
    struct bf_text text = {s->message->text, sizeof s->message->text, 0};
    bf_append_word(&text, "order given twice: ");
    bf_append_order(&text, contract);
    bf_append_word(&text, " and ");
    bf_append_order(&text, made);
    return BITFOLD_STATUS_CONTRACT;
  }
  contract->rule = made->rule;
  contract->depth = made->depth;
  memcpy(contract->level, made->level, sizeof made->level);
  contract->tree = made->tree;
  contract->tree_length = made->tree_length;
  return BITFOLD_STATUS_OK;
}

static bitfold_status part(struct source *s, bitfold_contract *contract) {
  bitfold_contract made = {0};
  bitfold_status status;
  char word[16] = "";
  size_t length = word_length(s);
  if (accept(s, "acc=")) return set_format(s, "acc=", &contract->accumulator);
  if (accept(s, "out=")) return set_format(s, "out=", &contract->output);
  if (accept(s, "nan=")) return set_nan(s, &contract->nan);
  if (length < sizeof word) memcpy(word, s->text, length), word[length] = 0;
  if (bitfold_format_named(word)) return set_format(s, "element", &contract->element);
  if (bf_same(word, "fma")) return s->text += length, contract->fma = 1, BITFOLD_STATUS_OK;
  if (bf_same(word, "ftz")) return s->text += length, contract->ftz = 1, BITFOLD_STATUS_OK;
  for (int o = BITFOLD_OPERATION_SUM, field = (int)contract->operation; operation_name(o); o++)
    if (bf_same(word, operation_name(o))) {
      status = set(s, "operation", &field, o, operation_name);
      contract->operation = (bitfold_operation)field;
      s->text += length;
      return status;
    }
  if ((made.rule = bitfold_rule_named(word))) {
    s->text += length;
    return set_order(s, contract, &made);
  }
  for (int o = BITFOLD_ORDER_EXACT; bf_order_name((bitfold_order)o); o++)
    if (bf_same(word, bf_order_name((bitfold_order)o))) return (status = order(s, &made)) ? status : set_order(s, contract, &made);
  if (s->text == s->end || *s->text == ':') return BF_FAIL(s->message, BITFOLD_STATUS_CONTRACT, "a part of the contract is empty");
  const int named = contract->operation != BITFOLD_OPERATION_NONE;
  return unknown(s, "word", length ? length : (size_t)(s->end - s->text),
                 !named               ? known_word
                 : !contract->element ? known_after_operation
                                      : known_order_or_key);
}

bitfold_status bitfold_contract_add(bitfold_contract *contract, const char *text, bitfold_message *message) {
  if (!contract || !text) return BF_FAIL(message, BITFOLD_STATUS_NULL, "a null pointer instead of a contract or its text");
  struct source source = {text, text + bf_length(text), message};
  bitfold_contract made = *contract;
  bitfold_status status;
  do
    if ((status = part(&source, &made))) return status;
  while (accept(&source, ":"));
  if (source.text != source.end && (status = expect(&source, ":", "between parts"))) return status;
  *contract = made;
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}

bitfold_status bitfold_contract_parse(const char *text, bitfold_contract *contract, bitfold_message *message) {
  bitfold_contract made = {0};
  if (!contract) return BF_FAIL(message, BITFOLD_STATUS_NULL, "a null pointer instead of a contract or its text");
  bitfold_status status = bitfold_contract_add(&made, text, message);
  if (status || (status = bitfold_contract_complete(&made, message))) return status;
  *contract = made;
  return BITFOLD_STATUS_OK;
}
