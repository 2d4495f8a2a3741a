/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold_vanished_codes: how many products of each output of a dot a rule narrows to nothing (S19). */
#include "../kernel.h"

/* Products strictly between low and high vanish, and those of -1.0 where a rule says so; a product with an operand 0 does not. */
struct vanishing {
  struct bf_job job; /* first, because acts are handed this */
  int32_t low, high, minus_one;
};

static void set_bounds(struct vanishing *v, const bitfold_rule *rule, int bits) {
  const int32_t unit = (int32_t)1 << (bits - 1);
  v->low = rule->product == BITFOLD_PRODUCT_TOWARD_ZERO ? -unit : 0;
  v->high = v->low || rule->product == BITFOLD_PRODUCT_FLOOR ? unit : 0;
  v->minus_one = rule->minus_one_is_zero ? -unit : INT32_MIN;
}

static void count_vanished(struct bf_job *job) {
  const struct vanishing *v = (struct vanishing *)job;
  const int32_t low = v->low, high = v->high, minus_one = v->minus_one;
  const size_t width = job->terms.width;
  int32_t x[BF_TILE], y[BF_TILE];
  uint64_t count[BF_WIDTH_MAX] = {0};
  for (uint64_t first = 0, n; first < job->n; first += n) {
    n = job->n - first < bf_fit(width) ? job->n - first : bf_fit(width);
    bf_operand_i32(&job->terms, BF_X, first, (size_t)n, x);
    bf_operand_i32(&job->terms, BF_Y, first, (size_t)n, y);
    for (size_t i = 0; i < n * width; i++) {
      int32_t product = x[i] * y[i];
      x[i] = (product != 0) & (((product > low) & (product < high)) | (x[i] == minus_one) | (y[i] == minus_one));
    }
    for (size_t j = 0; j < width; j++) {
      uint32_t some = 0;
      for (size_t i = j; i < n * width; i += width) some += (uint32_t)x[i];
      count[j] += some;
    }
  }
  for (size_t j = 0; j < width; j++) bf_job_store(job, j, count[j]);
}

/* Outputs are taken side by side where their neighbours lie closer than terms. */
static size_t width_of(const struct bf_walk *walk, int size) {
  const struct bf_axis *last = &walk->reduced[walk->reduceds - 1];
  const int contiguous = last->x == size && last->y == size;
  return !contiguous && bf_magnitude(walk->inner.x) < bf_magnitude(last->x) ? BF_WIDTH_MAX : 1;
}

static bitfold_status check(const bitfold_rule *rule, const bitfold_tensor *x, const bitfold_tensor *y,
                            const bitfold_tensor *output, bitfold_message *message) {
  if (!rule || !x || !y || !output) return BF_FAIL(message, BITFOLD_STATUS_NULL, "the rule, an input or the output tensor is null");
  if (!bf_is_sf(x->format)) return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the input's format is not one of sf2 ... sf16");
  if (y->format != x->format)
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the inputs must have one format; the first one's is ",
                   bitfold_format_name(x->format));
  if (output->format != BITFOLD_FORMAT_I64) return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the output's format must be i64");
  if (!bf_rule_is_valid(rule, bf_format(x->format)->fraction + 1))
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the rule has a field out of its range");
  return BITFOLD_STATUS_OK;
}

bitfold_status bitfold_vanished_codes(const bitfold_rule *rule, const bitfold_tensor *x, const bitfold_tensor *y,
                                      const bitfold_axes *axes, const bitfold_tensor *output, bitfold_message *message) {
  struct bf_walk walk;
  struct vanishing v = {0};
  struct bf_job *job = &v.job;
  bitfold_status status = check(rule, x, y, output, message);
  if (status || (status = bf_walk_init(&walk, x, y, axes, output, message))) return status;
  set_bounds(&v, rule, bf_format(x->format)->fraction + 1);
  job->n = walk.terms;
  job->terms = (struct bf_terms){.isa = bf_isa_best(), .reduced = walk.reduced, .reduceds = walk.reduceds, .width = 1};
  job->terms.element = x->format;
  job->terms.size = (int)bitfold_format_size(x->format), job->output_size = (int)bitfold_format_size(output->format);
  job->terms.x = x->data, job->terms.x_swapped = x->swapped, job->terms.x_across = walk.inner.x;
  job->terms.y = y->data, job->terms.y_swapped = y->swapped, job->terms.y_across = walk.inner.y;
  memcpy(&job->output, &output->data, sizeof job->output); /* const only because inputs are tensors too */
  job->output_swapped = output->swapped, job->output_across = walk.inner.output;
  const size_t width = width_of(&walk, job->terms.size);
  if (bf_has_bad_codes(job, &walk, width))
    return BF_FAIL(message, BITFOLD_STATUS_VALUE, "a code is beyond the width of ", bitfold_format_name(x->format));
  if (walk.outputs) bf_each_group(job, &walk, width, count_vanished);
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}
