/* SPDX-License-Identifier: Apache-2.0 */
/* I11 to I20 and I28: every mask of every shape against the naive reference, bounds, and what max, min, argmax and argmin give. */
#include <string.h>
#include "relatives.h"

/* Every shape, mask and kind of data; means with every scale. */
static void sweep(const relative *f) {
  EACH_SHAPE(s)
  for (unsigned mask = 0; mask < MASKS; mask++)
    for (unsigned kind = 0; takes(f, mask) && kind < KINDS; kind++)
      for (size_t i = 0; i < (f->act == MEAN ? SCALES : 1); i++) {
        call c;
        plan(&c, f, *s, mask);
        c.scale = scales[i];
        fill(f, room(0, count(s) * f->size), count(s), kind, kind + 1);
        check(&c, "output");
      }
}

/* Rows and columns of every length. */
static void lengths(const relative *f) {
  for (int32_t n = 1; n <= LENGTHS; n++)
    for (int32_t across = 1; across <= 3; across += 2)
      for (unsigned kind = 0; kind < KINDS; kind++) {
        call c;
        const cmsis_nn_dims in = {1, 1, n, across};
        plan(&c, f, in, 2);
        fill(f, room(0, count(&in) * f->size), count(&in), kind, (uint32_t)n);
        check(&c, "a line");
      }
}

void I11(void) { /* on a host a touch beyond a tensor's end, or before its start, ends the program */
  for (int side = 0; side < 2; side++, change_side()) EACH_RELATIVE(f) sweep(f), lengths(f);
}

void I12(void) {
  EACH_RELATIVE(f) {
    if (is_arg(f)) continue;
    call c;
    const cmsis_nn_dims in = {1, 1, 1, 1}; /* extents 1, mask 1, output extents 1 */
    plan(&c, f, in, 15);
    fill(f, room(0, f->size), 1, 0, 9);
    c.mask = c.out = c.in;
    check(&c, "three times the same");
    plan(&c, f, (cmsis_nn_dims){2, 3, 5, 7}, 0);
    fill(f, room(0, 210 * f->size), 210, 0, 9);
    c.out = c.in;
    check(&c, "output_dims is input_dims");
  }
}

void I13(void) {
  EACH_RELATIVE(f) EACH_SHAPE(s) EACH_SCALE(k) {
    if (is_arg(f)) continue;
    call c;
    plan(&c, f, *s, 0);
    c.scale = *k;
    c.x = c.y;
    fill(f, c.y, count(s), 0, 5);
    check(&c, "in place");
  }
}

void I15(void) {
  static const int32_t x[] = {3, -7, 12, -7, 12, 0};
  EACH_RELATIVE(f) {
    if (f->act != MAX && f->act != MIN) continue;
    const int32_t ends[] = {least(f), greatest(f)};
    row(f, x, 6, scales[0], f->act == MAX ? 12 : -7);
    row(f, ends, 2, scales[0], f->act == MAX ? greatest(f) : least(f));
    row(f, ends, 1, scales[0], least(f));
    row(f, ends + 1, 1, scales[0], greatest(f));
    sweep(f), lengths(f);
  }
}

/* Empty domains, the reduced extent of 0 in each place, around other reduced and kept ones. */
static void empty(const relative *f, int32_t want) {
  static const cmsis_nn_dims in[] = {{0, 2, 3, 5}, {2, 0, 3, 5}, {2, 3, 0, 5}, {2, 3, 5, 0}, {0, 3, 0, 5}};
  static const unsigned mask[] = {8, 4, 2, 1, 10};
  for (size_t i = 0; i < sizeof mask / sizeof *mask; i++)
    for (unsigned more = 0; more < MASKS; more++) {
      call c;
      plan(&c, f, in[i], mask[i] | more);
      c.x = i & 1 ? NULL : forbidden();
      c.scale = (scale){11, 12, 1 << 30, 0};
      check(&c, "an empty domain");
      for (size_t o = 0; o < count(&c.room[2]); o++)
        if (load(c.y, f->size, o) != want) fail("an empty domain", f, want, load(c.y, f->size, o), (long)o);
    }
}

void I16(void) {
  EACH_RELATIVE(f)
  if (f->act == MAX || f->act == MIN) empty(f, f->act == MAX ? least(f) : greatest(f));
}

void I17(void) {
  EACH_RELATIVE(f) EACH_SHAPE(s) {
    if (f->act != MAX && f->act != MIN) continue;
    call c;
    plan(&c, f, *s, 0);
    fill(f, room(0, count(s) * f->size), count(s), 0, 3);
    check(&c, "a copy");
    if (memcmp(c.x, c.y, count(s) * f->size) != 0) fail("the copy differs", f, 0, 1, 0);
  }
}

void I18(void) {
  static const int32_t x[] = {3, -7, 12, -7, 12, 0}, equal[] = {4, 4, 4};
  EACH_RELATIVE(f) {
    if (!is_arg(f)) continue;
    const int32_t ends[] = {0, least(f), least(f), greatest(f), greatest(f)};
    row(f, x, 6, scales[0], f->act == ARGMAX ? 2 : 1);
    row(f, equal, 3, scales[0], 0);
    row(f, ends, 5, scales[0], f->act == ARGMAX ? 3 : 1);
    sweep(f), lengths(f);
  }
}

void I19(void) {
  EACH_RELATIVE(f)
  for (unsigned mask = 1; is_arg(f) && mask < MASKS; mask <<= 1) {
    call c;
    const cmsis_nn_dims in = {mask == 8 ? 1 : 2, mask == 4 ? 1 : 3, mask == 2 ? 1 : 5, mask == 1 ? 1 : 7};
    plan(&c, f, in, mask);
    fill(f, room(0, count(&in) * f->size), count(&in), 0, 3);
    check(&c, "an extent of 1");
    for (size_t o = 0; o < count(&in); o++)
      if (load(c.y, sizeof(int32_t), o)) fail("an extent of 1", f, 0, load(c.y, sizeof(int32_t), o), (long)o);
  }
}

/* The function with another act on the same elements. */
static const relative *partner(const relative *f) {
  EACH_RELATIVE(g)
  if (g->size == f->size && g->act == (f->act == ARGMAX ? MAX : MIN)) return g;
  return NULL;
}

void I20(void) {
  static int32_t index[CAPACITY];
  EACH_RELATIVE(f) EACH_SHAPE(s) for (int axis = 0; is_arg(f) && axis < 4; axis++) {
    call c;
    size_t step = 1;
    const size_t n = (size_t)extent(s, axis);
    for (int inner = axis + 1; inner < 4; inner++) step *= (size_t)extent(s, inner);
    plan(&c, f, *s, 8u >> axis);
    fill(f, room(0, count(s) * f->size), count(s), 1, 77);
    f->make(&c);
    for (size_t o = 0; o < count(s) / n; o++) index[o] = load(c.y, sizeof(int32_t), o);
    plan(&c, partner(f), *s, 8u >> axis);
    fill(f, room(0, count(s) * f->size), count(s), 1, 77);
    c.f->make(&c);
    for (size_t o = 0; o < count(s) / n; o++) {
      const size_t at = o / step * n * step + (size_t)index[o] * step + o % step;
      if (load(c.x, f->size, at) != load(c.y, f->size, o))
        fail("the element there", f, load(c.y, f->size, o), load(c.x, f->size, at), (long)o);
    }
  }
}

void I28(void) {
  static const cmsis_nn_dims in[] = {{1, 1, 1, 6}, {6, 1, 1, 1}, {1, 6, 1, 1}, {1, 1, 6, 1}};
  EACH_RELATIVE(f)
  for (int way = 0; way < 4; way++)
    for (unsigned more = 0; more < MASKS; more++) { /* the extents of 1 may be reduced as well, or not */
      static const unsigned six[] = {1, 8, 4, 2};
      if (!takes(f, six[way] | more)) continue;
      call c;
      plan(&c, f, in[way], six[way] | more);
      fill(f, room(0, 6 * f->size), 6, 0, 1234);
      c.scale = scales[2];
      check(&c, "six");
      int32_t want;
      expected(&(call){.f = f, .x = c.x, .in = &in[0], .axis = 3, .scale = scales[2], .room = {in[0], {0, 0, 0, 1}, {1, 1, 1, 1}}},
               &want);
      if (load(c.y, output_size(f), 0) != want) fail("another place of the six", f, want, load(c.y, output_size(f), 0), way);
    }
}

void I25(void) {
  EACH_RELATIVE(f)
  if (f->act == MEAN) empty(f, 0);
}
