/* SPDX-License-Identifier: Apache-2.0 */
/* The rules about arguments: null pointers, extents, masks, axes, output extents (H1, H2, H4, H12 to H15, H19, H23 to H28). */
#include "suite.h"

static void ones(const function *f, size_t n) {
  for (size_t i = 0; i < n; i++) put(f, i, f->format->one);
}

/* Every combination of four extents, and every mask: the status, no output byte after an error, the bits after none. */
void h1(void) {
  static const int32_t extents[] = {-2, 0, 1, 3};
  EACH_FUNCTION(f) {
    fill(f, 0, 81, 1);
    for (int i = 0; i < 256; i++) {
      cmsis_nn_dims in = {extents[i >> 6], extents[i >> 4 & 3], extents[i >> 2 & 3], extents[i & 3]};
      for (unsigned mask = 0; mask < MASKS; mask++)
        if (takes(f, mask)) check(f, in, mask);
    }
  }
}

/* A call that is right but for one thing, told by its number; 0 when there are no more. */
static int spoil(call *c, int number) {
  cmsis_nn_dims *in = &c->room[0], *mask = &c->room[1], *out = &c->room[2];
  switch (number) {
  case 0: c->x = NULL; break;
  case 1: c->y = NULL; break;
  case 2: c->in = NULL; break;
  case 3: c->mask = NULL; break;
  case 4: c->out = NULL; break;
  case 5: in->n = -1, out->n = -1; break;
  case 6: in->c = -3; break;
  case 7: in->h = 0, out->h = 0; break;
  case 8: out->c = 2; break;
  case 9: out->h = 0; break;
  case 10: out->w = -5; break;
  case 11: mask->c = 2; break;
  case 12: mask->c = -1; break;
  case 13: c->axis = 4; break;
  case 14: c->axis = -1; break;
  case 15: c->axis = INT32_MIN; break;
  case 16: c->axis = INT32_MAX; break;
  case 17: in->w = INT32_MAX, out->w = INT32_MAX, in->n = INT32_MAX, out->n = INT32_MAX; break;
  default: return 0;
  }
  return 1;
}

/* Whatever of it is an error leaves the output alone; check_call looks at its bytes. Sum takes most of these calls. */
void h2(void) {
  EACH_FUNCTION(f) {
    call c;
    unsigned errors = 0;
    ones(f, 12);
    for (int number = 0; plan(&c, f, (cmsis_nn_dims){1, 2, 2, 3}, 1), spoil(&c, number); number++) {
      if (!refused(&c)) continue;
      check_call(&c);
      errors++;
    }
    must(errors >= 5, "too few errors were tried");
  }
}

/* One structure as the extents of the input, of the output and as the mask. */
void h4(void) {
  static const cmsis_nn_dims same[] = {{1, 1, 1, 1}, {0, 0, 0, 0}, {0, 1, 1, 1}, {1, 1, 0, 1}, {2, 3, 1, 1}, {4, 1, 1, 3}};
  EACH_FUNCTION(f) {
    if (is_arg(f)) continue; /* it has one such pointer */
    ones(f, 12);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
      call c;
      plan(&c, f, same[i], 0);
      c.mask = c.out = c.in;
      check_call(&c);
      plan(&c, f, same[i], 0);
      c.out = c.in;
      check_call(&c);
    }
  }
}

void h12(void) {
  EACH_FUNCTION(f) {
    if (f->act != SUM) continue;
    call c;
    ones(f, 12);
    for (int number = 0; plan(&c, f, (cmsis_nn_dims){1, 2, 2, 3}, 1), spoil(&c, number); number++) {
      if (number == 17) continue; /* taken at its word it would read that much */
      must(refused(&c) == (number < 5), "which calls sum refuses");
      check_call(&c);
    }
    plan(&c, f, (cmsis_nn_dims){1, 0, 2, 3}, 1);
    for (int i = 0; i < 2; i++) { /* null data of an empty tensor too */
      if (i) c.y = NULL;
      else c.x = NULL;
      check_call(&c);
      c.x = x_at(0);
    }
  }
}

void h13(void) {
  static const int32_t huge = INT32_MAX;
  static const struct {
    cmsis_nn_dims in;
    unsigned mask;
  } calls[] = {{{2, 0, 3, 1}, 4},
               {{2, -7, 3, 1}, 4},
               {{2, -7, -7, 3}, 6},
               {{-1, -1, 1, 1}, 8},
               {{-1, -1, 1, 1}, 12},
               {{2, 3, 0, 0}, 1},
               {{0, 5, 5, 5}, 7},
               {{INT32_MIN, 2, 2, 2}, 8},
               {{INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN}, 15},
               {{huge, huge, huge, 0}, 14},
               {{huge, huge, huge, 0}, 15},
               {{huge, huge, 0, 2}, 14},
               {{huge, 0, huge, -1}, 0},
               {{0, huge, huge, huge}, 7},
               {{huge, huge, -1, 3}, 14},
               /* no outputs, of rows without number: at once, not row by row */
               {{huge, huge, 2, 0}, 2},
               {{huge, 2, huge, 0}, 4},
               {{huge, 2, 0, 2}, 5},
               {{huge, huge, 0, 2}, 5}};
  EACH_FUNCTION(f) {
    for (size_t i = 0; f->act == SUM && i < sizeof calls / sizeof *calls; i++) check(f, calls[i].in, calls[i].mask);
  }
}

void h14(void) {
  static const cmsis_nn_dims bad[] = {{2, 0, 1, 5},  {0, 1, 1, 1},         {1, 1, 1, 0},
                                      {1, -1, 1, 1}, {INT32_MIN, 1, 1, 1}, {-1, -1, 1, 1}};
  EACH_FUNCTION(f) {
    for (size_t i = 0; f->act == MEAN && i < sizeof bad / sizeof *bad; i++)
      for (unsigned mask = 0; mask < MASKS; mask++) {
        call c;
        plan(&c, f, bad[i], mask);
        must(refused(&c), "the rule");
        check_call(&c);
      }
  }
}

void h15(void) {
  const cmsis_nn_dims in = {2, 1, 3, 2};
  EACH_FUNCTION(f) {
    if (f->act != MEAN) continue;
    ones(f, 12);
    for (unsigned mask = 0; mask < MASKS; mask++)
      for (int i = 0; i < 4; i++)
        for (int32_t other = -1; other < 5; other++) {
          call c;
          plan(&c, f, in, mask);
          int32_t *to[4] = {&c.room[2].n, &c.room[2].h, &c.room[2].w, &c.room[2].c}, right = *to[i];
          *to[i] = other;
          must(refused(&c) == (other != right), "the rule");
          check_call(&c);
        }
  }
}

void h19(void) {
  static const int32_t values[] = {2, -1, 3, 256, 65536, INT32_MAX, INT32_MIN};
  EACH_FUNCTION(f) {
    if (is_arg(f)) continue;
    fill(f, 0, 24, 3);
    for (unsigned mask = 1; mask < MASKS; mask++)
      for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        call c;
        plan(&c, f, (cmsis_nn_dims){2, 3, 2, 2}, mask);
        int32_t *to[4] = {&c.room[1].n, &c.room[1].h, &c.room[1].w, &c.room[1].c};
        for (int axis = 0; axis < 4; axis++)
          if (*to[axis]) *to[axis] = values[i];
        must(refused(&c) == is_extreme(f), "the rule");
        check_call(&c);
      }
  }
}
