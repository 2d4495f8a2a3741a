/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of a call between guard bytes, and everything that is held against a call when it returns. */
#include <string.h>

#include "suite.h"
#include "fences.h"

enum { GUARD = 32, ROOM = CAPACITY * 4 + 2 * GUARD + 16 };

static union {
  unsigned char bytes[ROOM];
  uint64_t aligned[2];
} x_area, y_area;
static size_t x_shift, y_shift;
static uint32_t want[CAPACITY];
uint32_t earlier[CAPACITY];
static uint64_t patterns[CAPACITY];

static unsigned char *lifted(unsigned char *area, size_t shift) { /* to a 16-byte boundary, and from there */
  return area + GUARD + (0u - (uintptr_t)area) % 16 + shift % 16;
}

void place(unsigned x, unsigned y) { x_shift = x, y_shift = y; }
void *x_at(size_t byte) { return lifted(x_area.bytes, x_shift) + byte; }
void *y_at(size_t byte) { return lifted(y_area.bytes, y_shift) + byte; }

void put(const function *f, size_t i, uint32_t bits) {
  const uint16_t low = (uint16_t)bits;
  if (f->format == &half) memcpy(x_at(2 * i), &low, 2);
  else memcpy(x_at(4 * i), &bits, 4);
}

uint32_t get(const format *f, const void *from, size_t i) {
  uint16_t low;
  uint32_t bits;
  if (f == &half) return memcpy(&low, (const unsigned char *)from + 2 * i, 2), low;
  return memcpy(&bits, (const unsigned char *)from + 4 * i, 4), bits;
}

void fill(const function *f, unsigned kind, size_t n, uint64_t seed) {
  hostile_row(f->format->shape, kind, n, &seed, patterns);
  hostile_store(patterns, n, f->format->size, x_at(0));
}

size_t output_size(const function *f) { return is_arg(f) ? 4 : f->format->size; }

/* Words first: this is done before and after every call. */
static uint32_t hashed(uint32_t hash, const void *from, size_t n) {
  const unsigned char *bytes = from;
  uint32_t word;
  for (; n >= 4; n -= 4, bytes += 4) memcpy(&word, bytes, 4), hash = (hash ^ word) * 0x1000193u, hash ^= hash >> 15;
  for (; n; n--) hash = (hash ^ *bytes++) * 0x1000193u;
  return hash;
}

/* All that a call must leave alone: the input and its guards, the structure of the call with its extents. */
static uint32_t untouched(const call *c, size_t bytes) {
  uint32_t hash = hashed(2166136261u, c, sizeof *c);
  if (!c->x || c->x != c->y) hash = hashed(hash, (unsigned char *)x_at(0) - GUARD, bytes + (size_t)2 * GUARD);
  return hash;
}

/* The first of n bytes that is not the poison, or n. */
static size_t intact(const unsigned char *bytes, size_t n, unsigned char poison) {
  size_t i = 0;
  while (i < n && bytes[i] == poison) i++;
  return i;
}

static uint32_t output_at(const call *c, size_t i) {
  if (is_arg(c->f)) return get(&single, c->y, i);
  return get(c->f->format, c->y, i);
}

void compare(const call *c, arm_cmsis_nn_status status, const uint32_t *bits, size_t outputs) {
  int no = refused(c);
  if (status != (no ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_SUCCESS)) {
    wrong(c, "status", 0, no ? (uint32_t)ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_SUCCESS, (uint32_t)status);
    return;
  }
  must(1, "status");
  for (size_t i = 0; !no && i < outputs; i++)
    if (output_at(c, i) != bits[i]) {
      wrong(c, "output", i, bits[i], output_at(c, i));
      return;
    }
}

static void align_checked(const call *c) {
  must((uintptr_t)c->x % c->f->format->size == 0 && (uintptr_t)c->y % output_size(c->f) == 0, "the test passes misaligned tensors");
}

/* What lies around the tensors is NaN, large, small or zero in turn: an element too many shows in the result. */
void check_call(call *c) {
  static const unsigned char poisons[] = {0xff, 0x7b, 0xfb, 0x00};
  static unsigned turn;
  unsigned char poison = poisons[turn++ % 4], saved[GUARD], *x = x_at(0), *y = c->x && c->y == c->x ? x : y_at(0);
  int no = refused(c);
  size_t outputs = no ? 0 : expected(c, want), size = no || !c->in ? 0 : elements(c->in, NULL) * c->f->format->size;
  size_t written = outputs * output_size(c->f), room = no ? 64 : written;
  align_checked(c);
  memcpy(saved, x + size, GUARD);
  memset(x - GUARD, poison, GUARD), memset(x + size, poison, GUARD);
  if (y != x) memset(y - GUARD, (unsigned char)~poison, room + (size_t)2 * GUARD);
  uint32_t before = untouched(c, size);
  state_enter(turn);
  arm_cmsis_nn_status status = ARM_CMSIS_NN_FAILURE;
  if (!no) status = perform(c);
  else if (!fence_survives(c, &status)) wrong(c, "a call to be refused read or wrote what is not there", 0, 0, 0);
  const char *changed = state_leave(!is_sum(c->f));
  uint32_t after = untouched(c, size);
  must(!changed, changed ? changed : "control state");
  compare(c, status, want, outputs);
  unsigned char around = y == x ? poison : (unsigned char)~poison;
  if (before != after) wrong(c, "input, guard or extents were written: hash", 0, before, after);
  size_t front = intact(y - GUARD, GUARD, around), back = intact(y + written, room - written + GUARD, around);
  if (front != GUARD) wrong(c, "a byte before the output was written", front, around, y[(ptrdiff_t)front - GUARD]);
  if (back != room - written + GUARD) wrong(c, "a byte after the output was written", back, around, y[written + back]);
  memcpy(x + size, saved, GUARD);
}

void check(const function *f, cmsis_nn_dims in, unsigned mask) {
  call c;
  plan(&c, f, in, mask);
  check_call(&c);
}
