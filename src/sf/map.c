/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold_map_codes: what a rule makes of each element's own terms, one by one, and side by side where its accumulator is plain. */
#include "../kernel.h"

/* What is the same for all elements of a call. */
struct map {
  struct bf_job job;     /* first, because acts are handed this */
  struct bf_codes empty; /* a sum of nothing */
  bitfold_elementwise operation;
  int is_plain;
  int32_t low, high, code_low, code_high;
};

static int is_unary(bitfold_elementwise o) { return o == BITFOLD_ELEMENTWISE_NEGATIVE || o == BITFOLD_ELEMENTWISE_ABSOLUTE; }

/*
 * A plain accumulator has the fraction of the codes, and its terms are no wider than they are: two steps and the read-out are then
 * three clamps of an int32. It may wrap, if two terms are too small to make it.
 */
static void set_edges(struct map *map) {
  const bitfold_rule *rule = map->empty.rule;
  const int32_t unit = (int32_t)1 << (map->empty.bits - 1), reach = 2 * unit, most = 1 << 30;
  const int multiply = map->operation == BITFOLD_ELEMENTWISE_MULTIPLY;
  const int narrows = rule->product == BITFOLD_PRODUCT_TOWARD_ZERO || rule->product == BITFOLD_PRODUCT_FLOOR;
  map->is_plain = multiply ? narrows && !rule->product_extra : rule->product != BITFOLD_PRODUCT_FLOAT32 && !rule->sum_extra;
  if (rule->overflow == BITFOLD_OVERFLOW_WRAP && map->empty.high < reach) map->is_plain = 0;
  map->high = map->empty.high < most ? (int32_t)map->empty.high : most;
  map->low = map->empty.low > -most ? (int32_t)map->empty.low : -most;
  map->code_high = unit - 1;
  map->code_low = -map->code_high - (rule->readout_full_range != 0);
}

static inline int32_t clamp(int32_t x, int32_t low, int32_t high) { return x < low ? low : x > high ? high : x; }

/* How many of the elements clamped. */
static uint64_t add_plain(const struct map *map, const int32_t *x, const int32_t *y, int32_t *code, size_t n) {
  const int32_t low = map->low, high = map->high, code_low = map->code_low, code_high = map->code_high;
  uint32_t clamped = 0;
  for (size_t i = 0; i < n; i++) {
    int32_t first = clamp(x[i], low, high), sum = first + y[i], second = clamp(sum, low, high);
    code[i] = clamp(second, code_low, code_high);
    clamped += (uint32_t)((first != x[i]) | (second != sum) | (code[i] != second));
  }
  return clamped;
}

/* x becomes the narrowed product. A floor is a magnitude that is rounded up where the sign is set. */
static void multiply_plain(const struct map *map, int32_t *x, const int32_t *y, size_t n) {
  const bitfold_rule *rule = map->empty.rule;
  const int shift = map->empty.bits - 1;
  const int32_t unit = (int32_t)1 << shift, zero = rule->minus_one_is_zero ? -unit : INT32_MIN;
  const uint32_t up = rule->product == BITFOLD_PRODUCT_FLOOR ? (uint32_t)unit - 1 : 0;
  for (size_t i = 0; i < n; i++) {
    int32_t exact = ((x[i] == zero) | (y[i] == zero)) ? 0 : x[i] * y[i];
    int32_t magnitude = (int32_t)((exact < 0 ? 0 - (uint32_t)exact + up : (uint32_t)exact) >> shift);
    x[i] = exact < 0 ? -magnitude : magnitude;
  }
}

static uint64_t each_by_the_rule(const struct map *map, const int32_t *x, const int32_t *y, int32_t *code, size_t n) {
  const int multiply = map->operation == BITFOLD_ELEMENTWISE_MULTIPLY;
  uint64_t clamped = 0;
  for (size_t i = 0; i < n; i++) {
    struct bf_codes codes = map->empty;
    const int32_t terms[2] = {x[i], y[i]};
    if (multiply) bf_codes_add(&codes, x + i, y + i, 1, 1);
    else bf_codes_add(&codes, terms, NULL, 2, 1);
    code[i] = bf_codes_read(&codes, multiply, 0);
    clamped += (uint64_t)codes.clamped;
  }
  return clamped;
}

/* The two terms of a sum. */
static void set_terms(bitfold_elementwise operation, int32_t *x, int32_t *y, size_t n) {
  for (size_t i = 0; i < n && operation == BITFOLD_ELEMENTWISE_NEGATIVE; i++) x[i] = -x[i];
  for (size_t i = 0; i < n && operation == BITFOLD_ELEMENTWISE_ABSOLUTE; i++) x[i] = x[i] < 0 ? -x[i] : x[i];
  for (size_t i = 0; i < n && operation == BITFOLD_ELEMENTWISE_SUBTRACT; i++) y[i] = -y[i];
}

static void store_row(unsigned char *restrict to, int size, const int32_t *restrict code, size_t n) {
  for (size_t i = 0; i < n && size == 1; i++) to[i] = (unsigned char)code[i];
  for (size_t i = 0; i < n && size == 2; i++) {
    uint16_t bits = (uint16_t)code[i];
    memcpy(to + 2 * i, &bits, 2);
  }
}

/* As many outputs as a tile has room for, of one or two terms each. */
static void map_some(struct bf_job *job) {
  struct map *map = (struct map *)job;
  int32_t x[BF_TILE], y[BF_TILE], code[BF_TILE];
  const size_t n = job->terms.width;
  bf_operand_i32(&job->terms, BF_X, 0, 1, x);
  if (job->terms.y) bf_operand_i32(&job->terms, BF_Y, 0, 1, y);
  else memset(y, 0, sizeof y); /* a second term that is 0 changes nothing */
  set_terms(map->operation, x, y, n);
  if (map->is_plain && map->operation == BITFOLD_ELEMENTWISE_MULTIPLY) {
    multiply_plain(map, x, y, n);
    memset(y, 0, n * sizeof *y);
  }
  job->report.clamped += map->is_plain ? add_plain(map, x, y, code, n) : each_by_the_rule(map, x, y, code, n);
  if (job->output_across == job->output_size && !job->output_swapped) store_row(job->output, job->output_size, code, n);
  else
    for (size_t j = 0; j < n; j++) bf_job_store(job, j, (uint64_t)(int64_t)code[j]);
}

static int is_better(const struct bf_axis *a, const struct bf_axis *b) {
  const uint64_t enough = 64, one = a->extent < enough ? a->extent : enough, other = b->extent < enough ? b->extent : enough;
  return one != other ? one > other : bf_magnitude(a->output) < bf_magnitude(b->output);
}

/* Elements are taken along the axis where they lie closest in the output, unless that is a short one. */
static void choose_inner(struct bf_walk *walk) {
  for (int i = 0; i < walk->outers; i++)
    if (is_better(&walk->outer[i], &walk->inner)) {
      struct bf_axis axis = walk->inner;
      walk->inner = walk->outer[i];
      walk->outer[i] = axis;
    }
}

static bitfold_status check(bitfold_elementwise operation, const bitfold_rule *rule, const bitfold_tensor *x,
                            const bitfold_tensor *y, const bitfold_tensor *output, bitfold_message *message) {
  if (!rule || !x || !output) return BF_FAIL(message, BITFOLD_STATUS_NULL, "the rule, the input or the output tensor is null");
  if ((unsigned)operation > BITFOLD_ELEMENTWISE_ABSOLUTE)
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the operation is not one of the enumerators");
  if (is_unary(operation) && y) return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "negative and absolute take one input");
  if (!is_unary(operation) && !y) return BF_FAIL(message, BITFOLD_STATUS_NULL, "add, subtract and multiply take two inputs");
  if (!bf_is_sf(x->format)) return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the input's format is not one of sf2 ... sf16");
  if ((y && y->format != x->format) || output->format != x->format)
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the inputs and the output must have one format; the first input's is ",
                   bitfold_format_name(x->format));
  if (!bf_rule_is_valid(rule, bf_format(x->format)->fraction + 1))
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the rule has a field out of its range");
  return BITFOLD_STATUS_OK;
}

bitfold_status bitfold_map_codes(bitfold_elementwise operation, const bitfold_rule *rule, const bitfold_tensor *x,
                                 const bitfold_tensor *y, const bitfold_tensor *output, uint64_t *clamped,
                                 bitfold_message *message) {
  const bitfold_axes none = {0};
  struct bf_walk walk;
  struct map map = {.operation = operation};
  struct bf_job *job = &map.job;
  bitfold_status status = check(operation, rule, x, y, output, message);
  if (status || (status = bf_walk_init(&walk, x, y, &none, output, message))) return status;
  choose_inner(&walk);
  bf_codes_init(&map.empty, rule, bf_format(x->format)->fraction + 1);
  set_edges(&map);
  job->n = 1;
  job->terms = (struct bf_terms){.isa = bf_isa_best(), .reduced = walk.reduced, .reduceds = walk.reduceds, .width = 1};
  job->terms.element = x->format;
  job->terms.size = job->output_size = (int)bitfold_format_size(x->format);
  job->terms.x = x->data, job->terms.x_swapped = x->swapped, job->terms.x_across = walk.inner.x;
  if (y) job->terms.y = y->data, job->terms.y_swapped = y->swapped, job->terms.y_across = walk.inner.y;
  memcpy(&job->output, &output->data, sizeof job->output); /* const only because inputs are tensors too */
  job->output_swapped = output->swapped, job->output_across = walk.inner.output;
  if (bf_has_bad_codes(job, &walk, BF_TILE))
    return BF_FAIL(message, BITFOLD_STATUS_VALUE, "a code is beyond the width of ", bitfold_format_name(x->format));
  uint64_t control = bf_control_enter();
  if (walk.outputs) bf_each_group(job, &walk, BF_TILE, map_some);
  bf_control_leave(control);
  if (clamped) *clamped = job->report.clamped;
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}
