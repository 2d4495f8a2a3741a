/* SPDX-License-Identifier: Apache-2.0 */
/* sum: accumulator, NaN and Inf, bound, order, zeros, overflow (H57 to H65, H68). */
#include "suite.h"

static int of(const function *f, act which, const format *wanted) { return f->act == which && f->format == wanted; }

/* 2^24 + 1 in float32 is 2^24; a wider accumulator would keep the ones. 2048 + 1 in float16 is 2048; float32 keeps the ones. */
void h57(void) {
  EACH_FUNCTION(f) {
    if (f->act != SUM) continue;
    const uint32_t one = f->format->one;
    if (f->format == &single) {
      row(f, ROW(0x4b800000, 0, 0, 0, one, 0, 0, 0, one), 0x4b800000);
      column(f, ROW(0x4b800000, one, one), 0x4b800000);
    } else {
      row(f, ROW(0x6800, 0, 0, 0, one, 0, 0, 0, one), 0x6801), column(f, ROW(0x6800, one, one), 0x6801);
      row(f, ROW(0x6800, one), 0x6800), column(f, ROW(0x6800, one, 0x0c00), 0x6801); /* 2^-12 above the tie */
      row(f, ROW(0x6800, one, one, 0x8001), 0x6801), row(f, ROW(0x0001, 0x8001, 0x0001), 0x0001);
    }
  }
}

void h58(void) {
  EACH_FUNCTION(f) {
    if (f->act != SUM) continue;
    const uint32_t inf = f->format->inf, minus = f->format->sign | inf, one = f->format->one, nan = f->format->nan;
    line(f, ROW(inf, one), inf), line(f, ROW(one, minus), minus), line(f, ROW(inf, inf), inf);
    line(f, ROW(inf, minus), nan), line(f, ROW(minus, one, inf), nan), line(f, ROW(inf, one, one, one, minus, one), nan);
    for (size_t n = 1; n <= LINES; n++) nan_everywhere(f, n);
    uint32_t x[LINES];
    for (size_t n = 2; n <= LINES; n++)
      for (size_t at = 0; at < n; at += n < 20 ? 1 : 3) {
        for (size_t i = 0; i < n; i++) x[i] = i == at ? inf : one;
        row(f, x, n, inf);
        x[(at + n / 2) % n] = minus;
        row(f, x, n, nan);
      }
  }
}

/* Multiples of 2^-8 below 2^8: all sums are multiples of 2^-8 below 2^23, held exactly in units of 2^-8 by 64-bit integers. */
static void bounded(const function *f, int32_t n, unsigned mask) {
  uint64_t state = (uint64_t)n;
  for (int32_t i = 0; i < n; i++) {
    uint32_t k = (uint32_t)(hostile_next(&state) >> 40) % 65535 + 1, bits = whole(&single, (int32_t)k) - (8u << 23);
    put(f, (size_t)i, soft_convert(&single, f->format, (hostile_next(&state) >> 50 & 1 ? single.sign : 0) | bits));
  }
  call c;
  plan(&c, f, (cmsis_nn_dims){1, 1, mask == 2 ? n / 3 : 1, mask == 2 ? 3 : n}, mask);
  check_call(&c);
  const size_t step = mask == 2 ? 3 : 1, count = (size_t)n / step;
  for (size_t o = 0; o < step; o++) {
    int64_t exact = 0, all = 0, error;
    for (size_t i = 0; i < count; i++) {
      uint32_t bits = soft_convert(f->format, &single, get(f->format, c.x, o + i * step)) & ~single.sign;
      int64_t k = (int64_t)((bits & 0x7fffff) | 0x800000) << 20 >> (142 + 20 - (int)(bits >> 23)); /* value * 2^8, always whole */
      all += k, exact += get(f->format, c.x, o + i * step) & f->format->sign ? -k : k;
    }
    uint32_t bits = get(f->format, c.y, o), size = bits & ~single.sign;
    int64_t got = size ? (int64_t)((size & 0x7fffff) | 0x800000) << 20 >> (142 + 20 - (int)(size >> 23)) : 0;
    error = (bits & single.sign ? -got : got) - exact;
    if ((error < 0 ? -error : error) * (INT64_C(1) << 24) > ((int64_t)count - 1) * all)
      wrong(&c, "beyond the bound", o, (uint32_t)exact, bits);
  }
}

void h59(void) {
  EACH_FUNCTION(f) {
    if (!of(f, SUM, &single)) continue;
    for (int32_t n = 1; n <= CAPACITY; n += n < LINES ? 1 : n / 2) bounded(f, n, 1), bounded(f, n > 3 ? n : 3, 2);
  }
#if !ARM_NN_ENABLE_F32
  left_out("without float32");
#endif
}

/* 65504 is the largest half; 65520 is the middle between it and 65536, and goes to Inf. */
void h60(void) {
  EACH_FUNCTION(f) {
    if (!of(f, SUM, &half)) continue;
    const uint32_t most = half.largest, minus = half.sign | most, inf = half.inf;
    line(f, ROW(most, 0x4c00), inf);  /* + 16 */
    line(f, ROW(most, 0x4b80), most); /* + 15 */
    line(f, ROW(most, 0x4bff), most); /* + 15.992 */
    line(f, ROW(minus, 0xcc00), half.sign | inf);
    line(f, ROW(most, most, minus), most);
    line(f, ROW(most, most, most, most, minus, minus, minus, half.one), whole(&half, 65504));
    line(f, ROW(minus, minus, minus, most, most, most), 0);
  }
#if !ARM_NN_ENABLE_F16
  left_out("without halves");
#endif
}

static void in_order(int suffix) {
  EACH_FUNCTION(f) {
    if (f->act != SUM) continue;
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
      for (int i = 0; i < SHAPES; i++)
        for (unsigned mask = 0; mask < MASKS; mask++) {
          call c;
          plan(&c, f, shapes[i], mask);
          fill(f, kind, (size_t)elements(&shapes[i], NULL), kind + mask);
          if (is_suffix(c.in, c.mask) == suffix) check_call(&c);
        }
      for (int32_t n = 1; n <= LINES; n++) {
        fill(f, kind, (size_t)n * 3, (uint64_t)n);
        if (suffix)
          check(f, (cmsis_nn_dims){1, 1, 1, n}, 1), check(f, (cmsis_nn_dims){1, 3, 1, n}, 1),
              check(f, (cmsis_nn_dims){1, 1, n, 3}, 3);
        else
          check(f, (cmsis_nn_dims){1, 1, n, 3}, 2), check(f, (cmsis_nn_dims){n, 1, 3, 1}, 8),
              check(f, (cmsis_nn_dims){3, 1, 1, n}, 8);
      }
    }
  }
}

/* B, and half a unit of it in float32: B + e is B, so that the order shows. Then 2e, 3e and 4e. */
typedef struct witness {
  uint32_t big, less, e, two, three, four;
} witness;

static witness witness_of(const function *f) {
  const witness in_single = {0x4b800000, 0xcb800000, 0x3f800000, 0x40000000, 0x40400000, 0x40800000};
  const witness in_half = {0x7800, 0xf800, 0x1800, 0x1c00, 0x1e00, 0x2000};
  return f->format == &single ? in_single : in_half;
}

void h61(void) {
  EACH_FUNCTION(f) {
    if (f->act != SUM) continue;
    const witness k = witness_of(f);
    column(f, ROW(k.big, k.e, k.e, k.e, k.less), 0);
    column(f, ROW(k.e, k.big, k.e, k.e, k.less), 0);
    column(f, ROW(k.big, k.less, k.e, k.e, k.e), k.three);
  }
  in_order(0);
}

void h62(void) {
  EACH_FUNCTION(f) {
    if (f->act != SUM) continue;
    const witness k = witness_of(f);
    row(f, ROW(k.big, k.e, k.e, k.e, k.less), k.three);        /* lane 0 is B - B */
    row(f, ROW(k.e, k.big, k.e, k.e, k.less), k.three);        /* lanes 0 and 1 give e */
    row(f, ROW(k.big, k.e, k.e, 0, k.less, k.e, k.e), k.four); /* 0, 2e, 2e, 0 */
    row(f, ROW(k.big, k.e, k.e, k.less), 0);                   /* one element a lane: ((B + e) + e) - B */
    row(f, ROW(k.e, k.e, k.big, k.less), k.two);               /* ((e + e) + B) - B */
  }
  in_order(1);
}

void h63(void) {
  EACH_FUNCTION(f) {
    if (f->act != SUM) continue;
    for (unsigned i = 0; i < 64; i++) put(f, i, i < NANS ? nan_of(f->format, i) : i % 2 * f->format->sign | i / 20);
    call c;
    plan(&c, f, (cmsis_nn_dims){2, 4, 1, 8}, 0);
    check_call(&c);
    for (size_t i = 0; i < 64; i++) {
      uint32_t x = get(f->format, c.x, i),
               want = i < NANS               ? f->format->nan
                      : x == f->format->sign ? 0
                                             : x,
               got = get(f->format, c.y, i);
      if (got != want) wrong(&c, "output", i, want, got);
    }
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) fill(f, kind, 210, kind), check(f, shapes[0], 0);
  }
}

void minus_zeros(act which) {
  uint32_t x[LINES];
  EACH_FUNCTION(f) {
    if (f->act != which) continue;
    for (size_t n = 1; n <= LINES; n++) {
      for (size_t i = 0; i < n; i++) x[i] = f->format->sign;
      line(f, x, n, 0);
      for (unsigned mask = 0; n < 5 && mask < MASKS; mask++) {
        call c;
        plan(&c, f, (cmsis_nn_dims){1, (int32_t)n, 1, 3}, mask);
        for (size_t i = 0; i < 3 * n; i++) put(f, i, f->format->sign);
        check_call(&c);
        for (size_t i = 0; i < (size_t)elements(c.in, c.mask); i++)
          if (get(f->format, c.y, i)) wrong(&c, "output", i, 0, get(f->format, c.y, i));
      }
    }
  }
}

void h64(void) { minus_zeros(SUM); }

void h65(void) {
  static const cmsis_nn_dims empty[] = {{0, 2, 3, 4}, {2, 0, 3, 4}, {2, 3, 0, 4}, {2, 3, 4, 0}};
  EACH_FUNCTION(f) {
    if (f->act != SUM) continue;
    for (int i = 0; i < 4; i++)
      for (unsigned mask = 8u >> i; mask < MASKS; mask++) {
        if (!(mask & 8u >> i)) continue;
        call c;
        plan(&c, f, empty[i], mask);
        check_call(&c);
        for (size_t k = 0; k < (size_t)elements(c.out, NULL); k++)
          if (get(f->format, c.y, k)) wrong(&c, "output", k, 0, get(f->format, c.y, k));
      }
  }
}

/* M the largest float32: one after another M - M + M is M; in lanes M + M is Inf, whatever comes later. And the other way round. */
void h68(void) {
  EACH_FUNCTION(f) {
    if (!of(f, SUM, &single)) continue;
    const uint32_t most = single.largest, less = single.sign | most, inf = single.inf;
    column(f, ROW(most, less, 0, 0, most), most), row(f, ROW(most, less, 0, 0, most), inf);
    column(f, ROW(most, most, 0, 0, less, less), inf), row(f, ROW(most, most, 0, 0, less, less), 0);
    column(f, ROW(less, most, 0, 0, less), less), row(f, ROW(less, most, 0, 0, less), single.sign | inf);
    column(f, ROW(most, most, less, less), inf), row(f, ROW(most, most, less, less), inf);
    row(f, ROW(most, 0, 0, 0, most, less, 0, 0, 0, less), single.nan); /* Inf in one lane, -Inf in another */
    for (int32_t n = 1; n <= LINES; n++)
      fill(f, 4, (size_t)n * 3, (uint64_t)n), check(f, (cmsis_nn_dims){1, 1, 1, n}, 1), check(f, (cmsis_nn_dims){1, 1, n, 3}, 2);
  }
#if !ARM_NN_ENABLE_F32
  left_out("without float32: halves cannot overflow its accumulator");
#endif
}
