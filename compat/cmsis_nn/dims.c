/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold_arm_nn_dims: a shape of rank 0 to 4 and a list of axes become the three cmsis_nn_dims that the functions take. */
#include <bitfold_arm_nn.h>
#include <stddef.h>

enum { RANK_MAX = 4 };

static cmsis_nn_dims dims(const int32_t extent[RANK_MAX]) { return (cmsis_nn_dims){extent[0], extent[1], extent[2], extent[3]}; }

/* The shape's extents are the last of the four; null, or what is wrong. */
static const char *place(int rank, const int32_t *shape, int32_t extent[RANK_MAX]) {
  if (rank < 0 || rank > RANK_MAX) return "the rank is not 0 to 4: merge neighbouring axes that are both kept or both reduced";
  if (rank && !shape) return "the shape is null: give rank extents";
  for (int i = 0; i < rank; i++) {
    if (shape[i] < 0) return "an extent is negative: give 0 or more";
    extent[RANK_MAX - rank + i] = shape[i];
  }
  return NULL;
}

/* Marks the reduced ones of the four axes; null, or what is wrong. */
static const char *mark(int rank, int count, const int32_t *axes, int32_t mask[RANK_MAX]) {
  int32_t *own = mask + (RANK_MAX - rank);
  if (count < 0) return "the number of axes is negative: give 0 or more";
  if (!axes) {
    for (int i = 0; i < rank; i++) own[i] = 1;
    return NULL;
  }
  for (int i = 0; i < count; i++) { /* ends after rank + 1 turns at most: by then one is out of range or named twice */
    const int32_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank) return "an axis is out of range: give -rank to rank - 1";
    if (own[axis]) return "an axis is named twice: name each at most once, counting -1 as the last";
    own[axis] = 1;
  }
  return NULL;
}

arm_cmsis_nn_status bitfold_arm_nn_dims(int rank, const int32_t *shape, int axis_count, const int32_t *axes,
                                        cmsis_nn_dims *input_dims, cmsis_nn_dims *axis_dims, cmsis_nn_dims *output_dims,
                                        const char **why) {
  int32_t extent[RANK_MAX] = {1, 1, 1, 1}, mask[RANK_MAX] = {0}, kept[RANK_MAX];
  const char *wrong = place(rank, shape, extent);
  if (!wrong) wrong = mark(rank, axis_count, axes, mask);
  if (why) *why = wrong ? wrong : "";
  if (wrong) return ARM_CMSIS_NN_ARG_ERROR;
  for (int i = 0; i < RANK_MAX; i++) kept[i] = mask[i] ? 1 : extent[i];
  if (input_dims) *input_dims = dims(extent);
  if (axis_dims) *axis_dims = dims(mask);
  if (output_dims) *output_dims = dims(kept);
  return ARM_CMSIS_NN_SUCCESS;
}
