/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums of floats by the machine's blocks: their parts are added in two doubles by error-free additions, and what two doubles
 * do not hold goes to the sum that does not round.
 */
#include "../kernel.h"
#include "../sf/in_place.h"

void bf_slim_spill(struct bf_slim *slim, const struct bf_terms *terms) {
  const double both[2] = {slim->sum, slim->error};
  if (!slim->is_wide) bf_exact_init(slim->wide, terms->element, terms->operation);
  slim->is_wide = 1;
  terms->isa->exact_f64(slim->wide, both, 2, 1);
  slim->sum = slim->error = 0;
}

void bf_slim_push(struct bf_slim *slim, const struct bf_terms *terms, double term) {
  double part, lost;
  const double sum = bf_two_sum(slim->sum, term, &part), error = bf_two_sum(slim->error, part, &lost);
  if (lost == 0) {
    slim->sum = sum, slim->error = error;
    return;
  }
  bf_slim_spill(slim, terms);
  slim->sum = term;
}

/* The act for such terms, and whether it takes floats or doubles, where elements of other formats or at other steps are copied. */
struct how {
  bf_block_fn *act, *of_copies;
  int to_f64, products;
  size_t most; /* terms of a block that is not copied */
};
static struct how how_of(const struct bf_isa *isa, bitfold_format element, bitfold_operation operation) {
  struct how how = {NULL, isa->block_f32, 0, bf_has_product(operation), BF_BLOCK};
  switch ((int)element) {
  case BITFOLD_FORMAT_F16: how.act = isa->block_f16, how.most = BF_BLOCK_HALVES; break;
  case BITFOLD_FORMAT_BF16: how.act = isa->block_bf16, how.most = BF_BLOCK_HALVES; break;
  case BITFOLD_FORMAT_F32: how.act = isa->block_f32, how.most = BF_BLOCK_F32; break;
  case BITFOLD_FORMAT_F64: how.act = how.of_copies = isa->block_f64, how.to_f64 = 1, how.most = BF_BLOCK_F64; break;
  }
  if (!how.products) return how;
  how.act = how.of_copies = how.to_f64 ? isa->block_dot_f64 : isa->block_dot_f32;
  how.most = BF_BLOCK;
  if (element == BITFOLD_FORMAT_F16 || element == BITFOLD_FORMAT_BF16) how.act = NULL;
  return how;
}

int bf_slim_can(const struct bf_terms *terms) {
  return bf_is_float(terms->element) && !terms->x_swapped && !terms->y_swapped &&
         how_of(terms->isa, terms->element, terms->operation).of_copies;
}

void bf_cursor_start(struct bf_cursor *c, const struct bf_terms *terms, uint64_t index) {
  const int last = terms->reduceds - 1;
  c->x = terms->x, c->y = terms->y ? terms->y : terms->x;
  c->x_step = c->y_step = 0, c->left = UINT64_MAX; /* of no axes: one term */
  for (int i = last; i >= 0; i--) {
    const struct bf_axis *axis = &terms->reduced[i];
    c->at[i] = i && index ? index % axis->extent : index;
    index = i && index ? index / axis->extent : 0;
    c->x += (int64_t)c->at[i] * axis->x, c->y += (int64_t)c->at[i] * (terms->y ? axis->y : axis->x);
  }
  if (last < 0) return;
  c->left = terms->reduced[last].extent - c->at[last];
  c->x_step = terms->reduced[last].x, c->y_step = terms->y ? terms->reduced[last].y : c->x_step;
}
void bf_cursor_go_on(struct bf_cursor *c, const struct bf_terms *terms, uint64_t n) {
  const int last = terms->reduceds - 1;
  c->x += (int64_t)n * c->x_step, c->y += (int64_t)n * c->y_step;
  c->left -= n;
  if (c->left || last < 0) return;
  c->at[last] = 0;
  c->left = terms->reduced[last].extent;
  for (int i = last;; c->at[i] = 0) {
    const int64_t extent = (int64_t)terms->reduced[i].extent;
    c->x -= extent * terms->reduced[i].x, c->y -= extent * (terms->y ? terms->reduced[i].y : terms->reduced[i].x);
    if (--i < 0) return;
    c->x += terms->reduced[i].x, c->y += terms->y ? terms->reduced[i].y : terms->reduced[i].x;
    if (++c->at[i] < terms->reduced[i].extent) return;
  }
}

static void copy(const struct bf_terms *terms, int to_f64, void *to, const unsigned char *x, int64_t step, size_t n) {
  const struct bf_isa *isa = terms->isa;
  if (to_f64) isa->widen_f64_f64(to, x, step, 0, n, 1);
  else if (terms->element == BITFOLD_FORMAT_F16) isa->widen_f16_f32(to, x, step, 0, n, 1);
  else if (terms->element == BITFOLD_FORMAT_BF16) isa->widen_bf16_f32(to, x, step, 0, n, 1);
  else isa->widen_f32_f32(to, x, step, 0, n, 1);
}

/* The next n terms, copied. */
static BF_NOINLINE int copied(struct bf_block *block, const struct bf_terms *terms, const struct how *how, struct bf_cursor *c,
                              double *part) {
  union {
    double f64[BF_BLOCK];
    float f32[BF_BLOCK];
  } x, y;
  size_t count;
  for (size_t i = 0; i < block->n; i += count) {
    count = c->left < block->n - i ? (size_t)c->left : block->n - i;
    const size_t at = i * (how->to_f64 ? sizeof *x.f64 : sizeof *x.f32);
    copy(terms, how->to_f64, (char *)&x + at, c->x, c->x_step, count);
    if (how->products && terms->y) copy(terms, how->to_f64, (char *)&y + at, c->y, c->y_step, count);
    bf_cursor_go_on(c, terms, count);
  }
  block->x = &x, block->y = terms->y ? &y : &x; /* cppcheck-suppress autoVariables ; they are not read after the call */
  return how->of_copies(block, part);
}

static void add_digits(struct bf_slim *slim, const struct bf_terms *terms, uint64_t first, uint64_t n) {
  struct bf_terms quiet = *terms;
  quiet.progress = NULL;
  bf_slim_spill(slim, terms);
  bf_exact_digits(slim->wide, &quiet, first, n);
}

void bf_slim_add(struct bf_slim *slim, const struct bf_terms *terms, uint64_t first, uint64_t n) {
  enum { ENOUGH = 64 }; /* terms that are not copied to make a longer block */
  const struct how how = how_of(terms->isa, terms->element, terms->operation);
  struct bf_block block = {.absolute = terms->operation == BITFOLD_OPERATION_SUMABS};
  struct bf_cursor c;
  double part[BF_PARTS];
  uint64_t in_short = 0; /* terms that are tried again in shorter blocks, so that few of them are left to the digits */
  if (!n) return;
  bf_cursor_start(&c, terms, first);
  const int in_place = how.act && c.x_step == terms->size && c.y_step == terms->size;
  for (size_t count; n && !bf_stopped(terms); first += count, n -= count) {
    const uint64_t left = c.left < n ? c.left : n, most = in_short ? BF_BLOCK : how.most;
    int parts;
    if (in_place && (left >= ENOUGH || left == n)) {
      count = (size_t)(left < most ? left : most);
      block.x = c.x, block.y = c.y, block.n = count;
      block.left = left * (uint64_t)terms->size;
      parts = how.act(&block, part);
      if (!parts && count > BF_BLOCK) {
        in_short = count, count = 0;
        continue;
      }
      bf_cursor_go_on(&c, terms, count);
    } else block.n = count = n < BF_BLOCK ? (size_t)n : BF_BLOCK, parts = copied(&block, terms, &how, &c, part);
    in_short -= in_short < count ? in_short : count;
    for (int i = 0; i < parts; i++) bf_slim_push(slim, terms, part[i]);
    if (!parts) add_digits(slim, terms, first, count);
    if (terms->progress) bf_count_terms(terms, first, count);
  }
}

/*
 * The quotient of sum over count in the sense of bf_to_odd: correctly rounded, it is as good as the true one for narrower floats
 * unless within a last bit of where two of them meet, numbers whose low 28 bits are 0; there it must be exact.
 */
static int quotient(double sum, uint64_t count, int to_f64, double *value) {
  const uint64_t low = ((uint64_t)1 << 28) - 1;
  if (count >= low) return 0;
  const double q = *value = f64_over(sum, (double)count);
  if (to_f64 || q == 0) return to_f64 || sum == 0;
  if (f64_absolute(q) < 0x1p-900) return 0;
  return ((f64_to_bits(q) + 1) & low) > 2 || (!(f64_to_bits(q) & low) && f64_times(q, (double)count) == sum);
}

static int over(const struct bf_slim *slim, uint64_t count, bitfold_format output, double *value) {
  double error, sum = bf_two_sum(slim->sum, slim->error, &error);
  if (slim->is_wide || !count || !bf_is_float(output) || !(error == 0 || error < 0 || error > 0)) return 0;
  const int to_f64 = output == BITFOLD_FORMAT_F64;
  sum = f64_plus(sum, 0); /* a sum of 0 is +0, but a quotient that underflows has a sign */
  if (count > 1 && (error != 0 || !quotient(sum, count, to_f64, &sum))) return 0;
  *value = to_f64 ? sum : bf_to_odd(sum, error);
  return 1;
}

int bf_slim_row(bitfold_operation operation, bitfold_format element, const void *x, const void *y, size_t n, void *output) {
  const struct how how = how_of(bf_isa_best(), element, operation);
  struct bf_block block = {.x = x, .y = y ? y : x, .n = n, .absolute = operation == BITFOLD_OPERATION_SUMABS};
  struct bf_slim slim = {0};
  double part[BF_PARTS], value, lost;
  int event;
  if (!how.act || !n || n > how.most) return 0;
  const int parts = how.act(&block, part);
  if (!parts) return 0;
  slim.sum = value = f64_plus(part[0], 0);
  for (int i = 1; i < parts; i++) {
    slim.sum = bf_two_sum(slim.sum, part[i], &value);
    slim.error = bf_two_sum(slim.error, value, &lost);
    if (!(lost == 0)) return 0;
  }
  if ((parts > 1 || bf_is_mean(operation)) && !over(&slim, bf_is_mean(operation) ? n : 1, element, &value)) return 0;
  const float narrow = (float)value;
  if (element == BITFOLD_FORMAT_F64) memcpy(output, &value, sizeof value);
  else if (element == BITFOLD_FORMAT_F32) memcpy(output, &narrow, sizeof narrow);
  else bf_store(output, 2, 0, bf_encode(element, bf_f64_real(value), &event));
  return 1;
}

void bf_slim_store(struct bf_job *job, size_t j, struct bf_slim *slim) {
  const bitfold_format output = job->contract->output;
  double value;
  if (!over(slim, bf_is_mean(job->contract->operation) ? job->n : 1, output, &value)) {
    bf_slim_spill(slim, &job->terms);
    bf_store_exact(job, j, slim->wide);
    return;
  }
  const float narrow = (float)value;
  if (output == BITFOLD_FORMAT_F64) bf_job_store(job, j, f64_to_bits(value));
  else if (output == BITFOLD_FORMAT_F32 && f32_absolute(narrow) <= FLT_MAX) bf_job_store(job, j, f32_to_bits(narrow));
  else {
    int infinite;
    const uint64_t bits = bf_round(job->contract, bf_f64_real(value), &job->report, &infinite);
    bf_job_store(job, j, bits);
    if (infinite && !bf_stopped(&job->terms)) job->report.overflowed++; /* no operand was infinite */
  }
}
