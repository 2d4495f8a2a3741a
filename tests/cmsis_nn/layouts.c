/* SPDX-License-Identifier: Apache-2.0 */
/* Where elements lie and outputs go: layout, in place, extents of 1, every shape and mask (H3, H30, H51, H52, H79, H82, H83). */
#include <string.h>

#include "suite.h"

/* Element i is i: the maximum over some axes is the element at their ends, the minimum the one at their beginnings. */
void h3(void) {
  const cmsis_nn_dims in = {2, 3, 5, 7};
  const int32_t strides[4] = {105, 35, 7, 1};
  EACH_FUNCTION(f) {
    if (is_sum(f)) continue; /* h61, h62 and h83 */
    int largest = f->act == MAX || f->act == ARGMAX;
    for (int32_t i = 0; i < 210; i++) put(f, (size_t)i, whole(f->format, i));
    for (unsigned mask = 0; mask < MASKS; mask++) {
      if (!takes(f, mask)) continue;
      call c;
      plan(&c, f, in, mask);
      check_call(&c);
      size_t n = 0;
      for (int32_t i = 0; i < 210; i++) { /* of each output, its element with the reduced axes at 0 */
        const int32_t at[4] = {i / 105, i / 35 % 3, i / 7 % 5, i % 7};
        int32_t first = 1, end = i, last = 0;
        for (int axis = 0; axis < 4; axis++)
          if (mask >> (3 - axis) & 1) first &= !at[axis], last = extent(&in, axis) - 1, end += last * strides[axis];
        if (!first) continue;
        uint32_t want = is_arg(f) ? (uint32_t)(largest ? last : 0) : whole(f->format, largest ? end : i);
        uint32_t got = get(is_arg(f) ? &single : f->format, c.y, n);
        if (got != want) wrong(&c, "output", n, want, got);
        n++;
      }
    }
  }
}

static void in_place(act only, int all) {
  EACH_FUNCTION(f) {
    if (is_arg(f) || (!all && f->act != only)) continue;
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++)
      for (int i = 0; i < SHAPES; i++) {
        call c;
        fill(f, kind, 210, kind);
        plan(&c, f, shapes[i], 0);
        c.y = x_at(0);
        check_call(&c);
      }
  }
}

void h30(void) { in_place(SUM, 1); }
void h79(void) { in_place(MEAN, 0); }

/* One marked element a line, at every index of every axis. */
void h51(void) {
  EACH_FUNCTION(f) {
    if (!is_arg(f)) continue;
    uint32_t mark = f->act == ARGMAX ? f->format->one : f->format->sign | f->format->one;
    for (unsigned axis = 0; axis < 4; axis++) {
      const cmsis_nn_dims in = {3, 4, 2, 5};
      static const int32_t strides[4] = {40, 10, 5, 1};
      int32_t e = extent(&in, (int)axis), stride = strides[axis];
      for (int32_t shift = 0; shift < e; shift++) {
        for (int32_t i = 0; i < 120; i++) { /* line number modulo the extent, and on by `shift` */
          int32_t at = i / stride % e, number = i / (stride * e) * stride + i % stride;
          put(f, (size_t)i, at == (number + shift) % e ? mark : 0);
        }
        call c;
        plan(&c, f, in, 8u >> axis);
        check_call(&c);
        for (int32_t number = 0; number < 120 / e; number++) {
          uint32_t got = get(&single, c.y, (size_t)number), want = (uint32_t)((number + shift) % e);
          if (got != want) wrong(&c, "output", (size_t)number, want, got);
        }
      }
    }
  }
}

void h52(void) {
  EACH_FUNCTION(f) {
    if (!is_arg(f)) continue;
    for (unsigned axis = 0; axis < 4; axis++)
      for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
        cmsis_nn_dims in = {axis == 0 ? 1 : 2, axis == 1 ? 1 : 3, axis == 2 ? 1 : 5, axis == 3 ? 1 : 4};
        call c;
        fill(f, kind, 120, kind);
        plan(&c, f, in, 8u >> axis);
        check_call(&c);
        for (size_t i = 0; i < 24; i++)
          if (get(&single, c.y, i)) wrong(&c, "output", i, 0, get(&single, c.y, i));
      }
  }
}

/* The same line, or the same pair of axes, wherever extents of 1 are put; the first way is the one to agree with. */
static void inserted(const function *f, int32_t a, int32_t b, unsigned which) {
  size_t n = 0;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) {
      int32_t e[4] = {1, 1, 1, 1};
      unsigned mask = (which & 2 ? 8u >> i : 0) | (which & 1 ? 8u >> j : 0);
      e[i] = a, e[j] = b;
      if (!takes(f, mask)) continue;
      call c;
      plan(&c, f, (cmsis_nn_dims){e[0], e[1], e[2], e[3]}, mask);
      check_call(&c);
      size_t outputs = (size_t)elements(c.in, c.mask);
      for (size_t k = 0; k < outputs; k++) {
        uint32_t got = get(is_arg(f) ? &single : f->format, c.y, k);
        if (n++ < outputs) earlier[k] = got;
        if (got != earlier[k]) wrong(&c, "output unlike other extents of 1", k, earlier[k], got);
      }
    }
}

void h82(void) {
  static const signed char sizes[][2] = {{6, 1}, {1, 6}, {6, 7}, {3, 17}, {1, 1}, {17, 5}, {2, 67}};
  EACH_FUNCTION(f) {
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++)
      for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned which = 0; which < 4; which++) {
          fill(f, kind, 150, kind);
          inserted(f, sizes[i][0], sizes[i][1], which);
        }
  }
}

static void every_length(const function *f, unsigned kind) {
  for (int32_t n = 1; n <= LINES; n++) {
    fill(f, kind, (size_t)n * 3, (uint64_t)n);
    check(f, (cmsis_nn_dims){1, 1, 1, n}, 1);
    check(f, (cmsis_nn_dims){1, 1, n, 3}, 2);
    if ((n + (int32_t)kind) % 2) check(f, (cmsis_nn_dims){1, 3, 1, n}, 4);
    else check(f, (cmsis_nn_dims){3, n, 1, 1}, 4);
    if (!is_arg(f) && n % 3 == 0) check(f, (cmsis_nn_dims){n, 1, 3, 1}, 15), check(f, (cmsis_nn_dims){n, 1, 3, 1}, 8);
  }
}

/* Long rows, wide and tall columns: several turns of every block, and what is left after them. */
static void large(const function *f, unsigned kind) {
#ifndef SMALL
  static const cmsis_nn_dims many[] = {{1, 1, 1, 257}, {1, 1, 1, 1024}, {1, 1, 1, 4093}, {2, 1, 1, 1000}, {1, 1, 16, 255},
                                       {1, 1, 64, 48}, {1, 37, 1, 97},  {7, 11, 13, 3},  {3, 1, 257, 5},  {1, 1, 1023, 4}};
  for (size_t i = kind % 3; i < sizeof many / sizeof *many; i += 3) {
    fill(f, kind, (size_t)elements(&many[i], NULL), i);
    unsigned ones = (many[i].n == 1) << 3 | (many[i].h == 1) << 2 | (many[i].w == 1) << 1 | (many[i].c == 1);
    for (unsigned mask = 0; mask < MASKS; mask++)
      if (!(mask & ones) && takes(f, mask)) check(f, many[i], mask);
  }
#else
  (void)f, (void)kind;
#endif
}

void h83(void) {
  EACH_FUNCTION(f) {
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
      for (int i = 0; i < SHAPES; i++) {
        fill(f, kind, (size_t)elements(&shapes[i], NULL), kind);
        for (unsigned mask = 0; mask < MASKS; mask++)
          if (takes(f, mask)) check(f, shapes[i], mask);
      }
      every_length(f, kind);
      large(f, kind);
    }
  }
#ifdef SMALL
  left_out("tensors of more than 256 elements: SMALL");
#endif
}
