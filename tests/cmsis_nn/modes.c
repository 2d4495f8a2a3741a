/* SPDX-License-Identifier: Apache-2.0 */
/* No bit depends on the state of floating-point control, which is left as found; check_call looks at the state (H11, H36, H49). */
#include "suite.h"

static void stateless(void) {
  if (states() == 1) left_out("other control states: none on this processor");
}

void h11(void) {
  for (unsigned state = 0; state < states(); state++) {
    under(state);
    EACH_FUNCTION(f) {
      for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
        unsigned mask = is_arg(f) ? 1u << (state + kind) % 4 : (state + kind) % MASKS;
        int32_t n = 1 + (int32_t)(state * 7 + kind * 3) % LINES;
        fill(f, kind, 210, state);
        check(f, shapes[0], mask);
        check(f, (cmsis_nn_dims){1, 1, 1, n}, 1);
        check(f, (cmsis_nn_dims){1, 1, n, 3}, 2);
        check(f, (cmsis_nn_dims){1, 1, 3, n}, 2);
        if (!is_arg(f)) check(f, (cmsis_nn_dims){1, 1, 3, n}, 0);
      }
    }
  }
  stateless();
}

/* Subnormals and infinities win with their own bits, against each other and against zeros. */
void h36(void) {
  for (unsigned state = 0; state < states(); state++) {
    under(state);
    EACH_FUNCTION(f) {
      if (!is_extreme(f)) continue;
      const uint32_t sign = f->format->sign, inf = f->format->inf,
                     top = (f->format->inf ^ f->format->nan) - 1; /* not the largest, but near */
      const int is_max = f->act == MAX;
      line(f, ROW(1, 2), is_max ? 2 : 1), line(f, ROW(2, 1), is_max ? 2 : 1), line(f, ROW(0, 1), is_max ? 1 : 0),
          line(f, ROW(1, 0), is_max ? 1 : 0);
      line(f, ROW(sign | 1, 0), is_max ? 0 : sign | 1), line(f, ROW(sign, sign | 2, sign | 1), is_max ? sign : sign | 2);
      line(f, ROW(top, sign | top, 1), is_max ? top : sign | top), line(f, ROW(inf, sign | inf), is_max ? inf : sign | inf);
      line(f, ROW(top, inf, 0), is_max ? inf : 0), line(f, ROW(sign | inf, sign | 1), is_max ? sign | 1 : sign | inf);
      for (unsigned kind = 3; kind < 9; kind += 5)
        for (int32_t n = 1 + (int32_t)state % 5; n <= LINES; n += 5) {
          fill(f, kind, (size_t)n * 3, state);
          check(f, (cmsis_nn_dims){1, 1, 1, n}, 1), check(f, (cmsis_nn_dims){1, 1, n, 3}, 2),
              check(f, (cmsis_nn_dims){1, 1, 1, n}, 0);
        }
    }
  }
  stateless();
}

void h49(void) {
  for (unsigned state = 0; state < states(); state++) {
    under(state);
    EACH_FUNCTION(f) {
      if (!is_arg(f)) continue;
      const uint32_t sign = f->format->sign, normal = (f->format->inf ^ f->format->nan) << 1; /* the least */
      const int is_max = f->act == ARGMAX;
      line(f, ROW(1, 2), is_max ? 1 : 0), line(f, ROW(2, 1), is_max ? 0 : 1), line(f, ROW(0, 1, 0), is_max ? 1 : 0);
      line(f, ROW(sign, sign | 1, 0), is_max ? 0 : 1), line(f, ROW(sign | 2, sign | 1, sign | 3), is_max ? 1 : 2);
      line(f, ROW(normal, normal - 1, normal), is_max ? 0 : 1), line(f, ROW(normal - 2, normal - 1, normal), is_max ? 2 : 0);
      uint32_t x[LINES];
      for (size_t n = 1 + state % 3; n <= LINES; n += 3)
        for (size_t at = state % 4; at < n; at += 4) {
          for (size_t i = 0; i < n; i++) x[i] = i == at ? is_max ? 3 : 1 : 2;
          row(f, x, n, (uint32_t)at);
        }
      fill(f, 3, 210, state);
      for (unsigned axis = 0; axis < 4; axis++) check(f, shapes[0], 1u << axis);
    }
  }
  stateless();
}
