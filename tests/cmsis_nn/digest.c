/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The golden lines: for each function, shape and mask a hash per kind of hostile data, which every machine must reproduce.
 * golden.txt holds them as the oracle computes them (tests/helia_golden.py); `{1,1,1,1..67}` is one hash over 67 shapes.
 */
#include <stdio.h>

#include "suite.h"

/* FNV-1a of the f32 and of the f16 lines of golden.txt. */
static const uint64_t digests[2] = {UINT64_C(0x832a341b446abf23), UINT64_C(0xdb9e2769628567e8)};

typedef struct series { /* an extent of 0 stands for 1, 2 ... LINES */
  cmsis_nn_dims extents;
  unsigned masks; /* bit m: mask m has a line */
} series;

static const series grown[] = {{{1, 1, 1, 0}, 1 << 1}, {{1, 1, 0, 3}, 1 << 2}, {{1, 1, 3, 0}, 1 << 2}};

static uint32_t hashes[MASKS][HOSTILE_KINDS];

/* The extents with n where the series has 0. */
static cmsis_nn_dims grown_to(const series *s, int32_t n) {
  cmsis_nn_dims in = s->extents;
  if (!in.w) in.w = n;
  if (!in.c) in.c = n;
  return in;
}

static int grows(const series *s) { return !s->extents.w || !s->extents.c; }

/* The bytes of each output are hashed with the low one first. */
static uint32_t hash_call(uint32_t hash, const function *f, cmsis_nn_dims in, unsigned mask) {
  call c;
  plan(&c, f, in, mask);
  const format *out = is_arg(f) ? &single : f->format;
  size_t n = (size_t)elements(&in, c.mask);
  if (perform(&c) != ARM_CMSIS_NN_SUCCESS) return 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t bits = get(out, c.y, i);
    for (uint32_t byte = 0; byte < out->size; byte++, bits >>= 8) hash = (hash ^ (bits & 255)) * 0x1000193u;
  }
  return hash;
}

static void hash_kind(const function *f, const series *s, unsigned kind) {
  cmsis_nn_dims largest = grown_to(s, LINES);
  size_t n = (size_t)elements(&largest, NULL);
  fill(f, kind, n, 16 * n + kind);
  for (unsigned mask = 0; mask < MASKS; mask++) {
    if (!(s->masks >> mask & 1) || !takes(f, mask)) continue;
    uint32_t hash = 2166136261u;
    for (int32_t e = grows(s) ? 1 : LINES; e <= LINES; e++) hash = hash_call(hash, f, grown_to(s, e), mask);
    hashes[mask][kind] = hash;
  }
}

static int extent_text(char *to, int32_t e, char end) {
  return e ? sprintf(to, "%ld%c", (long)e, end) : sprintf(to, "1..%d%c", LINES, end);
}

/* One line, without its end. */
static void text_of(char *to, const function *f, const series *s, unsigned mask) {
  call c;
  plan(&c, f, s->extents, mask);
  to += sprintf(to, "%s {", f->name);
  for (int i = 0; i < 4; i++) to += extent_text(to, extent(&s->extents, i), i < 3 ? ',' : '}');
  if (is_arg(f)) to += sprintf(to, " axis %ld", (long)c.axis);
  else to += sprintf(to, " mask %u%u%u%u", mask >> 3, mask >> 2 & 1, mask >> 1 & 1, mask & 1);
  for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) to += sprintf(to, " %08lx", (unsigned long)hashes[mask][kind]);
}

/* Into the digest, FNV-1a with the line's end, or to standard output where there is none. */
static void take(const char *line, uint64_t *digest) {
  if (!digest) {
    puts(line);
    return;
  }
  for (; *line; line++) *digest = (*digest ^ (unsigned char)*line) * UINT64_C(0x100000001b3);
  *digest = (*digest ^ '\n') * UINT64_C(0x100000001b3);
}

static void each_mask(const function *f, const series *s, uint64_t *digest) {
  char text[160]; /* 19 of name, 16 of extents, 11 of mask, 99 of hashes */
  for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) hash_kind(f, s, kind);
  for (unsigned mask = 0; mask < MASKS; mask++)
    if (s->masks >> mask & 1 && takes(f, mask)) text_of(text, f, s, mask), take(text, digest);
}

static void each_line(const function *f, uint64_t *digest) {
  for (int i = 0; i < SHAPES; i++) each_mask(f, &(series){shapes[i], 0xffff}, digest);
  for (size_t i = 0; i < sizeof grown / sizeof *grown; i++) each_mask(f, &grown[i], digest);
}

void golden_print(void) { EACH_FUNCTION(f) each_line(f, NULL); }

static void digest_of(const format *only, uint64_t want, const char *what) {
  uint64_t digest = UINT64_C(0xcbf29ce484222325);
  int any = 0;
  EACH_FUNCTION(f) if (f->format == only) each_line(f, &digest), any = 1;
  if (any) must(digest == want, what);
}

void h84(void) {
  digest_of(&single, digests[0], "the digest of the f32 lines is another");
  digest_of(&half, digests[1], "the digest of the f16 lines is another");
}
