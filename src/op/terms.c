/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terms of a sum as tiles: elements found through their strides, widened to the accumulator's type, and mapped by the operation
 * (square, product, absolute value). Terms of several outputs lie side by side, so orders never see strides.
 */
#ifndef F
#include "../kernel.h"

/* Terms that may lie ahead of the caller, and between two calls of its progress function. */
enum { AHEAD = 1 << 20 };

/* A run: terms of one output at a constant step. */
struct run {
  int64_t x, y, x_step, y_step; /* byte offsets and steps */
  uint64_t left;                /* terms from here to its end */
};

static struct run run_at(const struct bf_terms *terms, uint64_t index) {
  struct run run = {0, 0, 0, 0, UINT64_MAX};
  for (int axis = terms->reduceds - 1; axis >= 0; axis--) {
    const struct bf_axis *a = &terms->reduced[axis];
    uint64_t i = axis ? index % a->extent : index;
    if (axis == terms->reduceds - 1) run.left = a->extent - i, run.x_step = a->x, run.y_step = a->y;
    index = axis ? index / a->extent : 0;
    run.x += (int64_t)i * a->x;
    run.y += (int64_t)i * a->y;
  }
  return run;
}

/* Counts n terms of every output; a caller who has stopped gets zeros. */
static int stopped(const struct bf_terms *terms, uint64_t n, void *tile, size_t bytes) {
  struct bf_progress *progress = terms->progress;
  if (!progress) return 0;
  progress->done += n * terms->width; /* terms that are handed out again, at the end of a row of lanes, count again */
  if (progress->done > progress->total) progress->done = progress->total;
  if (progress->done >= progress->due && !progress->stopped) {
    progress->due = progress->done + AHEAD;
    uint64_t ours = bf_control_enter();
    bf_control_leave(progress->control);
    progress->stopped = progress->call(progress->context, progress->done, progress->total) != 0;
    (void)bf_control_enter();
    bf_control_leave(ours);
  }
  if (progress->stopped) memset(tile, 0, bytes);
  return progress->stopped;
}

static void swap_bytes(unsigned char *bytes, size_t size, size_t n) {
  for (unsigned char *end = bytes + size * n; bytes < end; bytes += size)
    for (size_t i = 0; i < size / 2; i++) {
      unsigned char byte = bytes[i];
      bytes[i] = bytes[size - 1 - i];
      bytes[size - 1 - i] = byte;
    }
}

/* What to do with one piece of a run: n terms of every output, at x + i * step + j * across. */
typedef void widen_fn(const struct bf_terms *terms, void *tile, const unsigned char *x, int64_t step, int64_t across, size_t n);

/* The other byte order: a copy in ours first, BF_TILE elements at the most. */
static void widen_swapped(const struct bf_terms *terms, widen_fn *widen, void *tile, const unsigned char *x, int64_t step,
                          int64_t across, size_t n) {
  uint64_t aligned[BF_TILE];
  unsigned char *copy = (unsigned char *)aligned;
  const size_t size = (size_t)terms->size, width = terms->width;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < width; j++) memcpy(copy + (i * width + j) * size, x + (int64_t)i * step + (int64_t)j * across, size);
  swap_bytes(copy, size, n * width);
  widen(terms, tile, copy, (int64_t)(size * width), (int64_t)size, n);
}

/* Terms [first, first + n) of one operand, run by run; a value of the tile has value_size bytes. */
static void gather(const struct bf_terms *terms, enum bf_operand which, uint64_t first, size_t n, widen_fn *widen, void *tile,
                   size_t value_size) {
  const unsigned char *data = which == BF_X ? terms->x : terms->y;
  const int64_t across = which == BF_X ? terms->x_across : terms->y_across;
  unsigned char *to = tile;
  for (size_t count; n; first += count, n -= count, to += count * terms->width * value_size) {
    struct run run = run_at(terms, first);
    const unsigned char *x = data + (which == BF_X ? run.x : run.y);
    int64_t step = which == BF_X ? run.x_step : run.y_step;
    count = run.left < n ? (size_t)run.left : n;
    if (which == BF_X ? terms->x_swapped : terms->y_swapped) widen_swapped(terms, widen, to, x, step, across, count);
    else widen(terms, to, x, step, across, count);
  }
}

static void widen_to_f32(const struct bf_terms *terms, void *tile, const unsigned char *x, int64_t step, int64_t across, size_t n) {
  const struct bf_isa *isa = terms->isa;
  switch ((int)terms->element) {
  case BITFOLD_FORMAT_F16: isa->widen_f16_f32(tile, x, step, across, n, terms->width); break;
  case BITFOLD_FORMAT_BF16: isa->widen_bf16_f32(tile, x, step, across, n, terms->width); break;
  default: isa->widen_f32_f32(tile, x, step, across, n, terms->width); break;
  }
}

static void widen_to_f64(const struct bf_terms *terms, void *tile, const unsigned char *x, int64_t step, int64_t across, size_t n) {
  const struct bf_isa *isa = terms->isa;
  switch ((int)terms->element) {
  case BITFOLD_FORMAT_F16: isa->widen_f16_f64(tile, x, step, across, n, terms->width); break;
  case BITFOLD_FORMAT_BF16: isa->widen_bf16_f64(tile, x, step, across, n, terms->width); break;
  case BITFOLD_FORMAT_F32: isa->widen_f32_f64(tile, x, step, across, n, terms->width); break;
  default: isa->widen_f64_f64(tile, x, step, across, n, terms->width); break;
  }
}

/* One element, zero-extended; size is a constant where this is inlined. */
static inline uint64_t bits_at(const unsigned char *x, const size_t size) {
  uint8_t u8;
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
  switch (size) {
  case 1: return memcpy(&u8, x, 1), u8;
  case 2: return memcpy(&u16, x, 2), u16;
  case 4: return memcpy(&u32, x, 4), u32;
  default: return memcpy(&u64, x, 8), u64;
  }
}

static inline void every_bits(uint64_t *to, size_t width, const unsigned char *x, int64_t step, int64_t across, size_t n,
                              const size_t size) {
  if (width == 1)
    for (size_t i = 0; i < n; i++, x += step) to[i] = bits_at(x, size);
  else
    for (const unsigned char *element; n--; x += step) {
      element = x;
      for (size_t j = 0; j < width; j++, element += across) *to++ = bits_at(element, size);
    }
}

/* The same, sign-extended. */
static inline int32_t code_at(const unsigned char *x, const size_t size) {
  const int32_t sign = (int32_t)(size == 4 ? 0 : 1u << (8 * size - 1));
  return ((int32_t)(uint32_t)bits_at(x, size) ^ sign) - sign;
}
static inline void every_code(int32_t *to, size_t width, const unsigned char *x, int64_t step, int64_t across, size_t n,
                              const size_t size) {
  if (n == 1) n = width, step = across, width = 1;
  if (width == 1 && step == (int64_t)size) /* a loop of its own, because its loads can be made side by side */
    for (size_t i = 0; i < n; i++) to[i] = code_at(x + i * size, size);
  else if (width == 1)
    for (size_t i = 0; i < n; i++, x += step) to[i] = code_at(x, size);
  else
    for (const unsigned char *element; n--; x += step) {
      element = x;
      for (size_t j = 0; j < width; j++, element += across) *to++ = code_at(element, size);
    }
}

static void widen_bits(const struct bf_terms *terms, void *tile, const unsigned char *x, int64_t step, int64_t across, size_t n) {
  switch (terms->size) {
  case 1: every_bits(tile, terms->width, x, step, across, n, 1); break;
  case 2: every_bits(tile, terms->width, x, step, across, n, 2); break;
  case 4: every_bits(tile, terms->width, x, step, across, n, 4); break;
  default: every_bits(tile, terms->width, x, step, across, n, 8); break;
  }
}

static void widen_to_i32(const struct bf_terms *terms, void *tile, const unsigned char *x, int64_t step, int64_t across, size_t n) {
  switch (terms->size) {
  case 1: every_code(tile, terms->width, x, step, across, n, 1); break;
  case 2: every_code(tile, terms->width, x, step, across, n, 2); break;
  default: every_code(tile, terms->width, x, step, across, n, 4); break;
  }
}

void bf_operand_i32(const struct bf_terms *terms, enum bf_operand which, uint64_t first, size_t n, int32_t *tile) {
  if (stopped(terms, which == BF_X ? n : 0, tile, n * terms->width * sizeof *tile)) return;
  gather(terms, which, first, n, widen_to_i32, tile, sizeof *tile);
}
void bf_operand_i64(const struct bf_terms *terms, enum bf_operand which, uint64_t first, size_t n, int64_t *tile) {
  if (stopped(terms, which == BF_X ? n : 0, tile, n * terms->width * sizeof *tile)) return;
  gather(terms, which, first, n, widen_bits, tile, sizeof *tile); /* 64 bits are all of them */
}
void bf_operand_bits(const struct bf_terms *terms, uint64_t first, size_t n, uint64_t *tile) {
  if (stopped(terms, n, tile, n * terms->width * sizeof *tile)) return;
  gather(terms, BF_X, first, n, widen_bits, tile, sizeof *tile);
}
void bf_operand_f64(const struct bf_terms *terms, enum bf_operand which, uint64_t first, size_t n, double *tile) {
  if (stopped(terms, which == BF_X ? n : 0, tile, n * terms->width * sizeof *tile)) return;
  gather(terms, which, first, n, widen_to_f64, tile, sizeof *tile);
}

/*
 * Where the terms can be read as they lie: one output, contiguous aligned elements of the tile's own type. Returns null elsewhere;
 * *more becomes the number of terms to the end of the run.
 */
static const void *in_place(const struct bf_terms *terms, bitfold_format value, uint64_t first, size_t n, uint64_t *more) {
  if (terms->width != 1 || terms->element != value || terms->x_swapped) return NULL;
  struct run run = run_at(terms, first);
  const unsigned char *x = terms->x + run.x;
  if (run.left < n || (run.x_step != terms->size && n > 1) || ((uintptr_t)x & (uintptr_t)(terms->size - 1))) return NULL;
  if (*more > run.left) *more = run.left;
  if (*more > AHEAD) *more = n > AHEAD ? n : AHEAD;
  if (run.x_step != terms->size) *more = n;
  return x;
}

#define f16_widen widen_to_f32
#define bf16_widen widen_to_f32
#define f32_widen widen_to_f32
#define f64_widen widen_to_f64
#define f16_place BITFOLD_FORMAT_F32 /* what a value of the tile is in memory */
#define bf16_place BITFOLD_FORMAT_F32
#define f32_place BITFOLD_FORMAT_F32
#define f64_place BITFOLD_FORMAT_F64
#define SELF "../op/terms.c"
#include "../format/each_accumulator.h"
#else
const ON(value) * BF_ON(in_place)(const struct bf_terms *terms, uint64_t first, uint64_t n) {
  uint64_t more = n;
  const int sum = terms->operation == BITFOLD_OPERATION_SUM || terms->operation == BITFOLD_OPERATION_MEAN;
  return sum && n <= AHEAD ? in_place(terms, ON(place), first, (size_t)n, &more) : NULL;
}

const ON(value) * BF_ON(terms)(const struct bf_terms *terms, uint64_t first, size_t n, ON(value) * tile, uint64_t *more) {
  const size_t values = n * terms->width;
  const int sum = terms->operation == BITFOLD_OPERATION_SUM || terms->operation == BITFOLD_OPERATION_MEAN;
  ON(value) other[BF_TILE];
  uint64_t run = more ? *more : n;
  const ON(value) *place = sum ? in_place(terms, ON(place), first, n, &run) : NULL;
  if (!place) run = n;
  if (more) *more = run;
  if (stopped(terms, run, tile, values * sizeof *tile)) {
    if (more) *more = n;
    return tile;
  }
  if (place) return place;
  void (*const times)(ON(value) *, const ON(value) *, const ON(value) *, size_t) = terms->isa->BF_JOIN(times, F);
  gather(terms, BF_X, first, n, ON(widen), tile, sizeof *tile);
  switch ((int)terms->operation) {
  case BITFOLD_OPERATION_DOT:
    gather(terms, BF_Y, first, n, ON(widen), other, sizeof *other);
    if (times) times(tile, tile, other, values);
    for (size_t i = 0; i < values && !times; i++) tile[i] = ON(times)(tile[i], other[i]);
    break;
  case BITFOLD_OPERATION_SUMSQ:
    if (times) times(tile, tile, tile, values);
    for (size_t i = 0; i < values && !times; i++) tile[i] = ON(times)(tile[i], tile[i]);
    break;
  case BITFOLD_OPERATION_SUMABS:
    for (size_t i = 0; i < values; i++) tile[i] = ON(absolute)(tile[i]);
    break;
  default: break;
  }
  return tile;
}
#endif
