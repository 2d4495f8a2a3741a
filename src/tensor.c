/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes, strides and axes become loops: over outputs, and over the terms of one output, adjacent axes merged. */
#include "kernel.h"

/* Elements of a shape, or -1 where it is not one or passes 2^63 - 1. An extent of 0 makes it 0, whatever the others. */
static int64_t elements(const bitfold_tensor *tensor) {
  int64_t count = 1, zero = 0;
  if (tensor->rank < 0 || tensor->rank > BITFOLD_RANK_MAX) return -1;
  for (int i = 0; i < tensor->rank; i++) {
    if (tensor->shape[i] < 0) return -1;
    zero |= !tensor->shape[i];
  }
  for (int i = 0; i < tensor->rank && !zero; i++) {
    if (count > INT64_MAX / tensor->shape[i]) return -1;
    count *= tensor->shape[i];
  }
  return zero ? 0 : count;
}

static void set_strides(bitfold_tensor *tensor) {
  int64_t stride = (int64_t)bitfold_format_size(tensor->format);
  for (int i = tensor->rank; i-- > 0;) {
    tensor->stride[i] = stride;
    stride = tensor->shape[i] > 0 && stride <= INT64_MAX / tensor->shape[i] ? stride * tensor->shape[i] : stride;
  }
}

bitfold_status bitfold_tensor_init(bitfold_tensor *tensor, bitfold_format format, const void *data, int rank,
                                   const int64_t *shape) {
  bitfold_tensor made = {.data = data, .format = format, .rank = rank};
  if (!tensor || (rank > 0 && !shape)) return BITFOLD_STATUS_NULL;
  if (!bf_format(format)) return BITFOLD_STATUS_CONTRACT;
  if (rank < 0 || rank > BITFOLD_RANK_MAX) return BITFOLD_STATUS_SHAPE;
  for (int i = 0; i < rank; i++) made.shape[i] = shape[i];
  int64_t count = elements(&made);
  if (count < 0 || count > INT64_MAX / (int64_t)bitfold_format_size(format)) return BITFOLD_STATUS_SHAPE;
  set_strides(&made);
  *tensor = made;
  return BITFOLD_STATUS_OK;
}

/* Which axes are reduced. */
static bitfold_status mark(const bitfold_tensor *input, const bitfold_axes *axes, int *reduced, bitfold_message *message) {
  struct bf_digits axis, rank;
  for (int i = 0; i < BITFOLD_RANK_MAX; i++) reduced[i] = !axes;
  if (!axes) return BITFOLD_STATUS_OK;
  if (axes->count < 0 || axes->count > BITFOLD_RANK_MAX)
    return BF_FAIL(message, BITFOLD_STATUS_AXIS, bf_number(&axis, axes->count), " axes; a tensor has 0 to 8");
  for (int i = 0; i < axes->count; i++) {
    int a = axes->axis[i] < 0 ? axes->axis[i] + input->rank : axes->axis[i];
    if (a < 0 || a >= input->rank)
      return BF_FAIL(message, BITFOLD_STATUS_AXIS, "axis ", bf_number(&axis, axes->axis[i]), " is out of range for rank ",
                     bf_number(&rank, input->rank));
    if (reduced[a]) return BF_FAIL(message, BITFOLD_STATUS_AXIS, "axis ", bf_number(&axis, axes->axis[i]), " is named twice");
    reduced[a] = 1;
  }
  return BITFOLD_STATUS_OK;
}

static bitfold_status check(const bitfold_tensor *tensor, const char *name, bitfold_message *message) {
  struct bf_digits rank;
  if (!bf_format(tensor->format)) return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, name, " has no format");
  if (tensor->rank < 0 || tensor->rank > BITFOLD_RANK_MAX)
    return BF_FAIL(message, BITFOLD_STATUS_SHAPE, name, " has rank ", bf_number(&rank, tensor->rank), "; 0 to 8 are possible");
  int64_t count = elements(tensor);
  if (count < 0) return BF_FAIL(message, BITFOLD_STATUS_SHAPE, name, " has a negative extent, or 2^63 elements and more");
  if (count && !tensor->data) return BF_FAIL(message, BITFOLD_STATUS_NULL, name, " has elements but null data");
  return BITFOLD_STATUS_OK;
}

bitfold_status bitfold_tensor_reduced(const bitfold_tensor *input, const bitfold_axes *axes, int keepdims, bitfold_format format,
                                      bitfold_tensor *output, bitfold_message *message) {
  int reduced[BITFOLD_RANK_MAX];
  bitfold_tensor made = {.format = format};
  if (!input || !output) return BF_FAIL(message, BITFOLD_STATUS_NULL, "a tensor is null");
  if (!bf_format(format)) return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the output has no format");
  bitfold_tensor shape_only = *input;
  shape_only.data = &shape_only;
  bitfold_status status = check(&shape_only, "the input", message);
  if (status || (status = mark(input, axes, reduced, message))) return status;
  for (int i = 0; i < input->rank; i++) {
    if (!reduced[i]) made.shape[made.rank++] = input->shape[i];
    else if (keepdims) made.shape[made.rank++] = 1;
  }
  int64_t count = elements(&made);
  if (count < 0 || count > INT64_MAX / (int64_t)bitfold_format_size(format))
    return BF_FAIL(message, BITFOLD_STATUS_SHAPE, "the output has 2^63 bytes and more");
  set_strides(&made);
  *output = made;
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}

static int same_shape(const bitfold_tensor *a, const bitfold_tensor *b) {
  for (int i = 0; a->rank == b->rank && i < a->rank; i++)
    if (a->shape[i] != b->shape[i]) return 0;
  return a->rank == b->rank;
}

static void append_shape(struct bf_text *text, const bitfold_tensor *tensor) {
  bf_append_word(text, "(");
  for (int i = 0; i < tensor->rank; i++) {
    bf_append_number(text, (uint64_t)tensor->shape[i]);
    bf_append_word(text, i + 1 < tensor->rank ? ", " : tensor->rank == 1 ? "," : "");
  }
  bf_append_word(text, ")");
}

static bitfold_status fail_shapes(const bitfold_tensor *x, const bitfold_tensor *y, bitfold_message *message) {
  if (!message) return BITFOLD_STATUS_SHAPE;
  struct bf_text text = {message->text, sizeof message->text, 0};
  bf_append_word(&text, "the inputs have shapes ");
  append_shape(&text, x);
  bf_append_word(&text, " and ");
  append_shape(&text, y);
  bf_append_word(&text, "; they must be the same");
  return BITFOLD_STATUS_SHAPE;
}

/* Whether the output's shape is x's with reduced axes left out, or kept as 1. */
static int is_reduced_shape(const bitfold_tensor *x, const int *reduced, int keepdims, const bitfold_tensor *output) {
  int rank = 0;
  for (int i = 0; i < x->rank; i++) {
    if (reduced[i] && !keepdims) continue;
    if (rank == output->rank || output->shape[rank++] != (reduced[i] ? 1 : x->shape[i])) return 0;
  }
  return rank == output->rank;
}

static bitfold_status check_all(const bitfold_tensor *x, const bitfold_tensor *y, const bitfold_axes *axes,
                                const bitfold_tensor *output, int *reduced, bitfold_message *message) {
  bitfold_status status = check(x, "the input", message);
  if (status || (y && (status = check(y, "the second input", message)))) return status;
  if (y && !same_shape(x, y)) return fail_shapes(x, y, message);
  if ((status = mark(x, axes, reduced, message)) || (status = check(output, "the output", message))) return status;
  if (is_reduced_shape(x, reduced, 0, output) || is_reduced_shape(x, reduced, 1, output)) return BITFOLD_STATUS_OK;
  return BF_FAIL(message, BITFOLD_STATUS_SHAPE,
                 "the output's shape is not the input's with its reduced axes left out, or kept as 1");
}

static int spans(int64_t outer, int64_t inner, uint64_t extent) { return (uint64_t)outer == (uint64_t)inner * extent; }

/* One axis more, inside the others: merged with the last where one step of that is the whole of this. */
static void add_axis(struct bf_axis *list, int *count, struct bf_axis axis) {
  struct bf_axis *last = *count ? &list[*count - 1] : NULL;
  if (axis.extent == 1) return;
  if (last && spans(last->x, axis.x, axis.extent) && spans(last->y, axis.y, axis.extent) &&
      spans(last->output, axis.output, axis.extent)) {
    axis.extent *= last->extent;
    *last = axis;
  } else list[(*count)++] = axis;
}

/* Neighbouring outputs are taken along the kept axis with the smallest step in the input. */
static void choose_inner(struct bf_walk *walk) {
  int inner = walk->outers - 1;
  walk->inner = (struct bf_axis){1, 0, 0, 0};
  if (inner < 0) return;
  for (int i = inner; i >= 0; i--)
    if (bf_magnitude(walk->outer[i].x) < bf_magnitude(walk->outer[inner].x)) inner = i;
  walk->inner = walk->outer[inner];
  memmove(walk->outer + inner, walk->outer + inner + 1, (size_t)(--walk->outers - inner) * sizeof *walk->outer);
}

void bf_walk_resort(struct bf_walk *walk, const int *sequence, int count) {
  walk->reduceds = 0;
  for (int i = 0; i < count; i++) add_axis(walk->reduced, &walk->reduceds, walk->axis[sequence[i]]);
  if (!walk->reduceds) walk->reduced[walk->reduceds++] = (struct bf_axis){1, 0, 0, 0};
}

bitfold_status bf_walk_init(struct bf_walk *walk, const bitfold_tensor *x, const bitfold_tensor *y, const bitfold_axes *axes,
                            const bitfold_tensor *output, bitfold_message *message) {
  int reduced[BITFOLD_RANK_MAX], kept_after_reduced = 0;
  bitfold_status status = check_all(x, y, axes, output, reduced, message);
  if (status) return status;
  walk->outers = walk->reduceds = 0, walk->outputs = walk->terms = 1;
  walk->rank = x->rank, walk->output_rank = output->rank, walk->marked = 0;
  for (int i = 0, out = 0; i < x->rank; i++) {
    struct bf_axis axis = {(uint64_t)x->shape[i], x->stride[i], y ? y->stride[i] : 0, 0};
    if (reduced[i]) {
      walk->marked |= 1 << i;
      walk->terms *= axis.extent;
      add_axis(walk->reduced, &walk->reduceds, axis);
    } else {
      axis.output = output->stride[output->rank == x->rank ? i : out++];
      walk->outputs *= axis.extent;
      kept_after_reduced |= walk->reduceds && axis.extent != 1;
      add_axis(walk->outer, &walk->outers, axis);
    }
    walk->axis[i] = axis;
  }
  walk->rows = !kept_after_reduced;
  if (!walk->reduceds) walk->reduced[walk->reduceds++] = (struct bf_axis){1, 0, 0, 0};
  choose_inner(walk);
  return BITFOLD_STATUS_OK;
}
