/* SPDX-License-Identifier: Apache-2.0 */
/* When a call must be refused, family by family, from the contract's table of arguments. */
#include "suite.h"

/* Capped far above every limit, but 0 if any extent that counts is 0 or less. */
uint64_t elements(const cmsis_nn_dims *dims, const cmsis_nn_dims *without) {
  uint64_t count = 1;
  for (int i = 0; i < 4; i++) {
    int32_t e = without && extent(without, i) ? 1 : extent(dims, i);
    if (e <= 0) return 0;
    count = count > UINT32_MAX ? count : count * (uint64_t)e;
  }
  return count;
}

static int any_below(const cmsis_nn_dims *dims, int32_t least) {
  return dims->n < least || dims->h < least || dims->w < least || dims->c < least;
}

static int output_fits(const call *c) {
  for (int i = 0; i < 4; i++)
    if (extent(c->out, i) != (extent(c->mask, i) ? 1 : extent(c->in, i))) return 0;
  return 1;
}

static int too_large(uint64_t count, uint64_t size) { return count * size > INT32_MAX; }

static int mean_refused(const call *c) { return any_below(c->in, 1) || !output_fits(c) || too_large(elements(c->in, NULL), 1); }

static int extreme_refused(const call *c) {
  for (int i = 0; i < 4; i++)
    if (extent(c->mask, i) != 0 && extent(c->mask, i) != 1) return 1;
  if (any_below(c->in, 0) || !output_fits(c)) return 1;
  uint64_t in = elements(c->in, NULL), out = elements(c->out, NULL);
  return too_large(in, c->f->format->size) || too_large(out, c->f->format->size) || (in && !c->x) || (out && !c->y);
}

static int arg_refused(const call *c) {
  if (c->axis < 0 || c->axis > 3 || any_below(c->in, 0) || extent(c->in, (int)c->axis) == 0) return 1;
  const cmsis_nn_dims axis = {c->axis == 0, c->axis == 1, c->axis == 2, c->axis == 3};
  uint64_t in = elements(c->in, NULL), out = elements(c->in, &axis);
  return too_large(in, c->f->format->size) || too_large(out, 4) || (in && !c->x) || (out && !c->y);
}

int refused(const call *c) {
  if (is_arg(c->f)) return !c->in || arg_refused(c);
  if (!c->in || !c->mask || !c->out) return 1;
  if (is_extreme(c->f)) return extreme_refused(c);
  return !c->x || !c->y || (c->f->act == MEAN && mean_refused(c));
}
