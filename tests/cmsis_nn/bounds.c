/* SPDX-License-Identifier: Apache-2.0 */
/* What calls may touch: the input is only read, nothing outside the tensors is touched, natural alignment is enough (H6, H7, H8).
 */
#include <string.h>

#include "suite.h"
#include "fences.h"

/* The input as last filled on the guarded tensors, moved to the fenced place, at its end or at its beginning. */
static void fenced_call(call *c, int at_end) {
  size_t bytes = (size_t)elements(c->in, NULL) * c->f->format->size, outputs = expected(c, earlier);
  unsigned char *x = fence_place(0), *y = fence_place(1);
  if (at_end) x += FENCED - bytes, y += FENCED - outputs * output_size(c->f);
  memcpy(x, c->x, bytes);
  c->x = x, c->y = y;
  arm_cmsis_nn_status status;
  fence_protect(1);
  int survived = fence_survives(c, &status);
  fence_protect(0);
  if (survived) compare(c, status, earlier, outputs);
  else wrong(c, at_end ? "a page after a tensor was touched" : "a page before a tensor was touched", 0, 0, 0);
}

static void fence_shapes(const function *f, int at_end) {
  call c;
  for (int i = 0; i < SHAPES; i++)
    for (unsigned mask = 0; mask < MASKS; mask++)
      if (takes(f, mask)) plan(&c, f, shapes[i], mask), fill(f, 9, 210, mask), fenced_call(&c, at_end);
}

static void fence_lines(const function *f, int at_end) {
  call c;
  for (int32_t n = 1; n <= LINES; n++) {
    fill(f, 0, (size_t)n * 3, (uint64_t)n);
    plan(&c, f, (cmsis_nn_dims){1, 1, 1, n}, 1), fenced_call(&c, at_end);
    plan(&c, f, (cmsis_nn_dims){1, 1, 3, n}, 2), fenced_call(&c, at_end);
    plan(&c, f, (cmsis_nn_dims){1, n, 1, 3}, 4), fenced_call(&c, at_end);
    plan(&c, f, (cmsis_nn_dims){3, n, 1, 1}, 4), fenced_call(&c, at_end);
  }
}

static void every_shape(unsigned kind) {
  EACH_FUNCTION(f) {
    for (int i = 0; i < SHAPES; i++)
      for (unsigned mask = 0; mask < MASKS; mask++)
        if (takes(f, mask)) fill(f, kind, 210, mask), check(f, shapes[i], mask);
  }
}

/* check_call compares a hash of the input; on hosts the input's pages are read-only as well. */
void h6(void) {
  for (unsigned kind = 0; kind < HOSTILE_KINDS; kind += 3) every_shape(kind);
  if (!fence_place(0)) return;
  EACH_FUNCTION(f) fence_shapes(f, 0);
}

void h7(void) {
  every_shape(9); /* between guard bytes, which check_call looks at */
  if (!fence_place(0) || !fence_place(1)) {
    left_out("guard pages: none here");
    return;
  }
  EACH_FUNCTION(f) {
    fence_shapes(f, 0), fence_shapes(f, 1);
    fence_lines(f, 0), fence_lines(f, 1);
  }
}

/* Every natural position of input and output against a 16-byte boundary. */
void h8(void) {
  EACH_FUNCTION(f) {
    for (unsigned x = 0; x < 16; x += f->format->size)
      for (unsigned y = 0; y < 16; y += (unsigned)output_size(f)) {
        place(x, y);
        for (int32_t n = 1; n <= LINES; n += n < 9 ? 1 : 5) {
          fill(f, 0, (size_t)n * 3, x + y);
          check(f, (cmsis_nn_dims){1, 1, 1, n}, 1);
          check(f, (cmsis_nn_dims){1, 1, 3, n}, 2);
          check(f, (cmsis_nn_dims){3, 1, 1, n}, 1);
        }
      }
  }
}
