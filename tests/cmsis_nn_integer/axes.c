/* SPDX-License-Identifier: Apache-2.0 */
/* D1 to D7: bitfold_arm_nn_dims. */
#include <string.h>
#include "relatives.h"

static const int32_t extents[] = {2, 3, 5, 7};

typedef struct three {
  cmsis_nn_dims in, mask, out;
} three;

static void same(const cmsis_nn_dims *want, const cmsis_nn_dims *got, long where) {
  for (int axis = 0; axis < 4; axis++) EXPECT(extent(want, axis), extent(got, axis), where * 10 + axis);
}

static void gives(int rank, int n, const int32_t *axes, three want) {
  three got;
  const char *why = NULL;
  EXPECT(ARM_CMSIS_NN_SUCCESS, bitfold_arm_nn_dims(rank, extents, n, axes, &got.in, &got.mask, &got.out, &why), rank);
  if (!why || *why) fail("a reason on success", NULL, 0, 1, rank);
  same(&want.in, &got.in, 1), same(&want.mask, &got.mask, 2), same(&want.out, &got.out, 3);
}

/* strstr for a word; newlib's reads misaligned words, which traps where the processor is told to trap them. */
static int holds(const char *text, const char *word) {
  for (; *text; text++)
    if (!strncmp(text, word, strlen(word))) return 1;
  return 0;
}

/* Nothing is written, and the reason is one line that says what would be right; a null `why` changes nothing. */
static void refuses(int rank, const int32_t *shape, int n, const int32_t *axes, const char *word) {
  three got, was;
  const char *why = NULL;
  memset(&was, PATTERN, sizeof was);
  got = was;
  EXPECT(ARM_CMSIS_NN_ARG_ERROR, bitfold_arm_nn_dims(rank, shape, n, axes, &got.in, &got.mask, &got.out, &why), n);
  if (memcmp(&got, &was, sizeof got) != 0) fail("something was written", NULL, 0, 1, n);
  if (!why || !holds(why, word) || strchr(why, '\n') || !strchr(why, ':')) fail(word, NULL, 1, 0, n);
  EXPECT(ARM_CMSIS_NN_ARG_ERROR, bitfold_arm_nn_dims(rank, shape, n, axes, &got.in, &got.mask, &got.out, NULL), n);
}

void D1(void) {
  static const int32_t last[] = {0};
  const three scalar = {{1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}};
  gives(0, 0, last, scalar);
  EXPECT(ARM_CMSIS_NN_SUCCESS, bitfold_arm_nn_dims(0, NULL, 0, NULL, NULL, NULL, NULL, NULL), 0);
  gives(1, 1, last, (three){{1, 1, 1, 2}, {0, 0, 0, 1}, {1, 1, 1, 1}});
  gives(2, 1, last, (three){{1, 1, 2, 3}, {0, 0, 1, 0}, {1, 1, 1, 3}});
  gives(3, 1, last, (three){{1, 2, 3, 5}, {0, 1, 0, 0}, {1, 1, 3, 5}});
  gives(4, 1, last, (three){{2, 3, 5, 7}, {1, 0, 0, 0}, {1, 3, 5, 7}});
  static const int32_t empty[] = {4, 0};
  three got;
  EXPECT(ARM_CMSIS_NN_SUCCESS, bitfold_arm_nn_dims(2, empty, 1, last, &got.in, &got.mask, &got.out, NULL), 0);
  same(&(cmsis_nn_dims){1, 1, 4, 0}, &got.in, 4), same(&(cmsis_nn_dims){1, 1, 1, 0}, &got.out, 5);
}

void D2(void) { /* every pair of axes of every rank, each written in both ways */
  for (int rank = 1; rank <= 4; rank++)
    for (int a = 0; a < rank; a++)
      for (int b = 0; b < rank; b++)
        for (int way = 0; a != b && way < 4; way++) {
          const int32_t axes[] = {way & 1 ? a - rank : a, way & 2 ? b - rank : b};
          int32_t in[4] = {1, 1, 1, 1}, mask[4] = {0}, out[4];
          for (int i = 0; i < rank; i++) in[4 - rank + i] = extents[i];
          mask[4 - rank + a] = mask[4 - rank + b] = 1;
          for (int i = 0; i < 4; i++) out[i] = mask[i] ? 1 : in[i];
          gives(rank, 2, axes,
                (three){{in[0], in[1], in[2], in[3]}, {mask[0], mask[1], mask[2], mask[3]}, {out[0], out[1], out[2], out[3]}});
        }
}

void D3(void) {
  for (int rank = 1; rank <= 4; rank++)
    for (int a = 0; a < rank; a++) {
      const int32_t twice[] = {a, a}, mixed[] = {a - rank, a}, later[] = {a, (a + 1) % rank, a - rank};
      refuses(rank, extents, 2, twice, "twice");
      refuses(rank, extents, 2, mixed, "twice");
      refuses(rank, extents, 3, later, "twice");
    }
}

void D4(void) {
  static const int32_t none[] = {9};
  gives(3, 0, NULL, (three){{1, 2, 3, 5}, {0, 1, 1, 1}, {1, 1, 1, 1}});
  gives(4, 2, NULL, (three){{2, 3, 5, 7}, {1, 1, 1, 1}, {1, 1, 1, 1}});
  gives(3, 0, none, (three){{1, 2, 3, 5}, {0, 0, 0, 0}, {1, 2, 3, 5}});
}

void D5(void) {
  static const int32_t axes[] = {0, 1, 2, 3, 4, -5, INT32_MAX, INT32_MIN};
  static const int32_t negative[] = {2, 3, -1, 4}, least_of_all[] = {INT32_MIN};
  refuses(-1, extents, 0, NULL, "rank");
  refuses(5, extents, 0, NULL, "rank");
  refuses(INT32_MAX, extents, 0, NULL, "rank");
  refuses(INT32_MIN, extents, 0, NULL, "rank");
  refuses(1, NULL, 0, NULL, "shape");
  refuses(4, NULL, 1, axes, "shape");
  refuses(4, extents, -1, axes, "number");
  refuses(4, extents, -1, NULL, "number");
  refuses(0, NULL, 1, axes, "range");
  for (int i = 4; i < 8; i++) refuses(4, extents, 1, axes + i, "range");
  refuses(2, extents, 3, axes, "range");
  refuses(4, extents, INT32_MAX, axes, "range");
  refuses(3, negative, 1, axes, "extent");
  refuses(4, negative, 0, NULL, "extent");
  refuses(1, least_of_all, 1, axes, "extent");
}

void D6(void) {
  static const int32_t axes[] = {1};
  for (unsigned wanted = 0; wanted < 8; wanted++) {
    three got, want;
    memset(&want, PATTERN, sizeof want);
    got = want;
    if (wanted & 1) want.in = (cmsis_nn_dims){1, 2, 3, 5};
    if (wanted & 2) want.mask = (cmsis_nn_dims){0, 0, 1, 0};
    if (wanted & 4) want.out = (cmsis_nn_dims){1, 2, 1, 5};
    EXPECT(ARM_CMSIS_NN_SUCCESS,
           bitfold_arm_nn_dims(3, extents, 1, axes, wanted & 1 ? &got.in : NULL, wanted & 2 ? &got.mask : NULL,
                               wanted & 4 ? &got.out : NULL, NULL),
           wanted);
    if (memcmp(&got, &want, sizeof got) != 0) fail("outputs", NULL, 0, 1, (long)wanted);
  }
}

void D7(void) { /* the shape lies in the struct that becomes input_dims, the axes in the one that becomes output_dims */
  three got = {.in = {2, 3, 5, 7}, .out = {-1, 1, 0, 0}};
  EXPECT(ARM_CMSIS_NN_SUCCESS, bitfold_arm_nn_dims(4, &got.in.n, 2, &got.out.n, &got.in, &got.mask, &got.out, NULL), 0);
  same(&(cmsis_nn_dims){2, 3, 5, 7}, &got.in, 1);
  same(&(cmsis_nn_dims){0, 1, 0, 1}, &got.mask, 2);
  same(&(cmsis_nn_dims){2, 1, 5, 1}, &got.out, 3);
}
