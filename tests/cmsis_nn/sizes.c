/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of size and empty tensors (H16, H18, H20 to H28, H37, H38). */
#include "suite.h"
#include "fences.h"

static int32_t below(const function *f, int64_t bytes) { return (int32_t)(bytes / f->format->size); }

/* The call on memory that nobody may touch: it is refused, or it reaches for that memory. */
static void limit(const function *f, cmsis_nn_dims in, unsigned mask, int is_error) {
  call c;
  plan(&c, f, in, mask);
  must(refused(&c) == is_error, "the rule");
  if (!fence_reserved()) {
    if (is_error) check_call(&c);
    return;
  }
  arm_cmsis_nn_status status = ARM_CMSIS_NN_FAILURE, want = is_error ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_FAILURE;
  c.x = c.y = fence_reserved();
  (void)fence_survives(&c, &status);
  c.x = c.y = NULL;
  if (status != want) wrong(&c, "status (-3: it read or wrote)", 0, (uint32_t)want, (uint32_t)status);
}

static void without_memory(void) {
  if (!fence_reserved()) left_out("sizes just below the limit: no address space of that size here");
}

void h16(void) {
  without_memory();
  EACH_FUNCTION(f) {
    if (f->act != MEAN) continue;
    limit(f, (cmsis_nn_dims){46341, 46341, 1, 1}, 12, 1);
    limit(f, (cmsis_nn_dims){46340, 46340, 1, 1}, 12, 0);
    limit(f, (cmsis_nn_dims){INT32_MAX, 1, 1, 1}, 8, 0);
    limit(f, (cmsis_nn_dims){1073741824, 1, 1, 2}, 0, 1);
  }
}

/* Elements for mean where bytes would fail. */
void h18(void) {
  without_memory();
  EACH_FUNCTION(f) {
    int32_t most = below(f, INT32_MAX);
    if (is_sum(f)) limit(f, (cmsis_nn_dims){1, most + 1, 1, 1}, 4, 0);
    else limit(f, (cmsis_nn_dims){1, most + 1, 1, 1}, 4, 1);
  }
}

void h20(void) {
  without_memory();
  EACH_FUNCTION(f) {
    if (is_sum(f)) continue;
    int32_t most = below(f, INT32_MAX);
    must(most == (f->format == &single ? 536870911 : 1073741823), "the limit in elements");
    limit(f, (cmsis_nn_dims){most, 1, 1, 1}, 8, 0);
    limit(f, (cmsis_nn_dims){most + 1, 1, 1, 1}, 8, 1);
    limit(f, (cmsis_nn_dims){2, 1, 1, most / 2}, 8, 0);
    limit(f, (cmsis_nn_dims){2, 1, 1, most / 2 + 1}, 8, 1);
    limit(f, (cmsis_nn_dims){1, 1, most, 1}, 8, f->format == &half && is_arg(f)); /* an output as large as the input */
  }
}

void h21(void) {
  EACH_FUNCTION(f) {
    if (!is_arg(f) || f->format == &single) continue;
    limit(f, (cmsis_nn_dims){1, 1, 536870911, 1}, 8, 0);
    limit(f, (cmsis_nn_dims){1, 1, 536870912, 1}, 8, 1);
    limit(f, (cmsis_nn_dims){1, 1, 536870912, 1}, 2, 0); /* one output */
  }
#if ARM_NN_ENABLE_F16
  without_memory();
#else
  left_out("without halves");
#endif
}

void h22(void) {
  static const cmsis_nn_dims wrapping[] = {{1, 65536, 65536, 1},          {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX},
                                           {65536, 65536, 65536, 65536},  {1 << 30, 4, 1, 1},
                                           {1 << 30, 1, 1 << 30, 16},     {1, 1 << 16, 1 << 15, 2},
                                           {1 << 21, 1 << 21, 1 << 22, 1}};
  EACH_FUNCTION(f) {
    for (size_t i = 0; f->act != SUM && i < sizeof wrapping / sizeof *wrapping; i++)
      for (unsigned mask = 0; mask < MASKS; mask++)
        if (takes(f, mask)) limit(f, wrapping[i], mask, 1);
  }
}

/* A call with null data. */
static void nothing(const function *f, cmsis_nn_dims in, unsigned mask, int is_error) {
  call c;
  plan(&c, f, in, mask);
  c.x = NULL, c.y = NULL;
  must(refused(&c) == is_error, "the rule");
  check_call(&c);
}

/* Each returns at once, although some axes have extents without number. */
void h23(void) {
  static const int32_t huge = INT32_MAX;
  static const struct {
    cmsis_nn_dims in;
    unsigned mask;
  } calls[] = {{{huge, huge, 0, 1}, 8}, {{0, huge, huge, huge}, 1}, {{huge, huge, huge, 0}, 4}, {{huge, huge, 2, 0}, 2},
               {{huge, 2, huge, 0}, 4}, {{huge, 2, 0, 2}, 5},       {{huge, huge, 0, 2}, 5},    {{huge, huge, 0, huge}, 0}};
  EACH_FUNCTION(f) {
    for (size_t i = 0; !is_sum(f) && i < sizeof calls / sizeof *calls; i++)
      if (takes(f, calls[i].mask)) nothing(f, calls[i].in, calls[i].mask, 0);
  }
}

void h24(void) {
  EACH_FUNCTION(f) {
    if (!is_extreme(f)) continue;
    nothing(f, (cmsis_nn_dims){0, 4, 1, 1}, 8, 1); /* four outputs, and nowhere to write them */
    limit(f, (cmsis_nn_dims){0, 65536, 65536, 1}, 8, 1);
    limit(f, (cmsis_nn_dims){1, 1 << 30, 0, 4}, 2, 1);
  }
}

void h25(void) {
  EACH_FUNCTION(f) {
    if (!is_extreme(f)) continue;
    call c;
    plan(&c, f, (cmsis_nn_dims){2, 0, 3, 1}, 4);
    c.x = NULL;
    check_call(&c);
    for (size_t i = 0; i < 6; i++) {
      uint32_t got = get(f->format, c.y, i), want = (f->act == MAX ? f->format->sign : 0) | f->format->inf;
      if (got != want) wrong(&c, "output", i, want, got);
    }
    c.x = x_at(0), c.y = NULL;
    must(refused(&c), "the rule");
    check_call(&c);
  }
}

void h26(void) {
  EACH_FUNCTION(f) {
    if (!is_extreme(f)) continue;
    nothing(f, (cmsis_nn_dims){0, -1, 1, 1}, 8, 1);
    nothing(f, (cmsis_nn_dims){0, 1, 1, INT32_MIN}, 0, 1);
    nothing(f, (cmsis_nn_dims){-1, 0, 1, 1}, 8, 1);
    call c;
    plan(&c, f, (cmsis_nn_dims){0, 0, 1, 1}, 1);
    c.room[1].c = 2;
    must(refused(&c), "the rule");
    check_call(&c);
  }
}

void h27(void) {
  EACH_FUNCTION(f) {
    if (!is_arg(f)) continue;
    nothing(f, (cmsis_nn_dims){1, 0, 0, 1}, 2, 1);
    nothing(f, (cmsis_nn_dims){0, 0, 0, 0}, 8, 1);
    nothing(f, (cmsis_nn_dims){5, 0, 1, 1}, 4, 1);
    nothing(f, (cmsis_nn_dims){5, 0, 1, 1}, 8, 0);
  }
}

void h28(void) {
  static const int32_t axes[] = {-1, -4, 4, 5, 256, 65536, INT32_MIN, INT32_MAX};
  EACH_FUNCTION(f) {
    for (size_t i = 0; is_arg(f) && i < sizeof axes / sizeof *axes; i++) {
      call c;
      put(f, 0, f->format->one);
      plan(&c, f, (cmsis_nn_dims){1, 1, 1, 1}, 1);
      c.axis = axes[i];
      must(refused(&c), "the rule");
      check_call(&c);
    }
  }
}

void h37(void) {
  EACH_FUNCTION(f) {
    if (!is_extreme(f)) continue;
    const uint32_t want = (f->act == MAX ? f->format->sign : 0) | f->format->inf;
    static const cmsis_nn_dims empty[] = {{0, 2, 3, 2}, {2, 0, 3, 2}, {2, 3, 0, 2}, {2, 3, 2, 0}};
    for (int i = 0; i < 4; i++) {
      call c;
      plan(&c, f, empty[i], 8u >> i);
      check_call(&c);
      for (size_t k = 0; k < 12; k++)
        if (get(f->format, c.y, k) != want) wrong(&c, "output", k, want, get(f->format, c.y, k));
    }
  }
}

void h38(void) {
  EACH_FUNCTION(f) {
    if (!is_extreme(f)) continue;
    for (unsigned mask = 0; mask < MASKS; mask++)
      if (mask != 15) nothing(f, (cmsis_nn_dims){mask & 8 ? 3 : 0, mask & 4 ? 3 : 0, mask & 2 ? 3 : 0, mask & 1 ? 3 : 0}, mask, 0);
  }
}
