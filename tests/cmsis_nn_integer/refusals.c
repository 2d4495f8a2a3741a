/* SPDX-License-Identifier: Apache-2.0 */
/* I1 to I10: what is refused, and what is not, by each of the eleven functions. */
#include "relatives.h"

static const cmsis_nn_dims small = {2, 3, 2, 5};

/* A good call with a mask that the function takes. */
static void good(call *c, const relative *f) { plan(c, f, small, is_arg(f) ? 4 : 6); }

/* The same over an input with these extents, none of which is touched: w is reduced. */
static void over(call *c, const relative *f, cmsis_nn_dims in) {
  plan(c, f, small, 2);
  c->room[0] = in;
  c->room[2] = (cmsis_nn_dims){in.n, in.h, 1, in.c};
}

static void accept(call *c, const char *label) {
  const arm_cmsis_nn_status status = c->f->make(c);
  if (status != ARM_CMSIS_NN_SUCCESS) fail(label, c->f, ARM_CMSIS_NN_SUCCESS, status, -1);
}

void I1(void) {
  EACH_RELATIVE(f) { /* refuse() looks at the output; here one wrong thing of each kind, the last thing that could be looked at */
    call c;
    good(&c, f);
    if (is_arg(f)) c.axis = 4;
    else c.room[2].c++;
    refuse(&c, "a wrong axis or output");
    good(&c, f);
    c.room[0].c = -1;
    refuse(&c, "a wrong extent");
    good(&c, f);
    c.x = NULL;
    refuse(&c, "no input");
  }
}

void I2(void) {
  EACH_RELATIVE(f) {
    call c;
    good(&c, f);
    c.in = NULL;
    refuse(&c, "input_dims");
    if (is_arg(f)) continue;
    good(&c, f), c.mask = NULL;
    refuse(&c, "axis_dims");
    good(&c, f), c.out = NULL;
    refuse(&c, "output_dims");
  }
}

void I3(void) {
  EACH_RELATIVE(f) {
    call c;
    good(&c, f);
    c.x = NULL;
    refuse(&c, "an input");
    good(&c, f), c.y = NULL;
    refuse(&c, "an output");
    over(&c, f, (cmsis_nn_dims){2, 0, 2, 5});
    c.x = NULL, c.y = NULL;
    accept(&c, "both are empty");
    if (is_arg(f)) continue;
    over(&c, f, (cmsis_nn_dims){2, 3, 0, 5});
    c.x = NULL;
    accept(&c, "the input is empty");
    over(&c, f, (cmsis_nn_dims){2, 3, 0, 5}), c.y = NULL;
    refuse(&c, "the output is not empty");
  }
}

void I4(void) {
  static const int32_t entries[] = {1, 2, -1, 7, INT32_MIN, INT32_MAX};
  EACH_RELATIVE(f)
  for (size_t i = 0; !is_arg(f) && i < sizeof entries / sizeof *entries; i++) {
    call c;
    good(&c, f);
    fill(f, room(0, count(&small) * f->size), count(&small), 0, 1);
    c.room[1].h = entries[i];
    check(&c, "mask entry");
  }
}

void I5(void) {
  static const int32_t wrong[] = {-1, INT32_MIN};
  EACH_RELATIVE(f)
  for (int axis = 0; axis < 4; axis++)
    for (int i = 0; i < 4; i++) { /* and another extent 0, or none */
      int32_t e[4] = {2, 3, 2, 5};
      e[(axis + 1) % 4] = i & 1 ? 0 : 2;
      e[axis] = wrong[i >> 1];
      call c;
      good(&c, f);
      c.room[0] = (cmsis_nn_dims){e[0], e[1], e[2], e[3]};
      refuse(&c, "a negative input extent");
      if (is_arg(f)) continue;
      good(&c, f);
      c.room[2] = c.room[0] = (cmsis_nn_dims){2, 0, 2, 5};
      c.room[1] = (cmsis_nn_dims){0, 0, 0, 0};
      if (axis == 0) c.room[2].n = wrong[i >> 1];
      else c.room[2].c = wrong[i >> 1];
      refuse(&c, "a negative output extent");
    }
}

void I6(void) {
  static const cmsis_nn_dims same[] = {{2, 1, 1, 5}, {1, 1, 2, 5}, {10, 1, 1, 1}, {1, 5, 2, 1}};
  static const cmsis_nn_dims other[] = {{2, 3, 2, 5}, {1, 1, 1, 5}, {2, 1, 1, 6}, {0, 1, 1, 5}, {-2, 1, 1, -5}, {1, 1, 1, 1}};
  EACH_RELATIVE(f) {
    if (is_arg(f)) continue;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
      call c;
      good(&c, f);
      c.room[2] = same[i];
      accept(&c, "as many outputs");
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
      call c;
      good(&c, f);
      c.room[2] = other[i];
      refuse(&c, "another number of outputs");
    }
  }
}

void I7(void) {
  static const cmsis_nn_dims many[] = {{1, 65536, 65536, 1},
                                       {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX},
                                       {65536, 65536, 65536, 65536},
                                       {1, 46341, 46341, 1},
                                       {INT32_MAX, 2, 1, 1}};
  EACH_RELATIVE(f) {
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
      call c;
      over(&c, f, many[i]);
      refuse(&c, "too many elements");
    }
    call c;
    over(&c, f, (cmsis_nn_dims){1, 1, f->size == 2 ? INT32_MAX / 2 + 1 : INT32_MAX, f->size == 2 ? 1 : 2});
    refuse(&c, "just too many bytes");
    over(&c, f, (cmsis_nn_dims){INT32_MAX, INT32_MAX, 1, 0});
    c.x = forbidden(), c.y = forbidden();
    accept(&c, "empty, whatever the other extents are");
    over(&c, f, (cmsis_nn_dims){INT32_MAX, INT32_MAX, 0, 1});
    refuse(&c, "the output alone is too large"); /* argmax and argmin refuse the reduced extent of 0 */
    over(&c, f, (cmsis_nn_dims){1, 1, 1, INT32_MAX / 4 + 1});
    if (is_arg(f)) refuse(&c, "four bytes an index");
  }
}

void I8(void) {
  static const int32_t wrong[] = {-1, -4, 4, INT32_MIN, INT32_MAX};
  EACH_RELATIVE(f)
  for (size_t i = 0; is_arg(f) && i < sizeof wrong / sizeof *wrong; i++) {
    call c;
    good(&c, f);
    c.axis = wrong[i];
    refuse(&c, "axis");
  }
}

void I9(void) {
  EACH_RELATIVE(f)
  for (int32_t axis = 0; is_arg(f) && axis < 4; axis++)
    for (int other = 0; other < 4; other++) {
      int32_t e[4] = {2, 3, 2, 5};
      e[axis] = e[other] = 0;
      call c;
      good(&c, f);
      c.room[0] = (cmsis_nn_dims){e[0], e[1], e[2], e[3]};
      c.axis = axis;
      refuse(&c, "a reduced extent of 0");
    }
}

void I10(void) {
  static const scale wrong[] = {{0, 0, -1, 0}, {0, 0, INT32_MIN, 0}, {0, 0, 1, -32},
                                {0, 0, 1, 31}, {0, 0, 1, INT32_MIN}, {0, 0, 1, INT32_MAX}};
  static const scale right[] = {{0, 0, 0, 0}, {INT32_MIN, INT32_MIN, INT32_MAX, -31}, {INT32_MAX, INT32_MAX, INT32_MAX, 30}};
  EACH_RELATIVE(f) {
    if (f->act != MEAN) continue;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      call c;
      good(&c, f);
      c.scale = wrong[i];
      refuse(&c, "scale");
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
      call c;
      good(&c, f);
      c.scale = right[i];
      accept(&c, "scale");
    }
  }
}
