/* SPDX-License-Identifier: Apache-2.0 */
/* I29: prints what golden.txt holds: a hash of all output bytes for each function and shape, and for the lines of every length. */
#include <inttypes.h>
#include <stdio.h>
#include "relatives.h"

/* FNV-1a of the little-endian bytes, whatever the processor's are. */
static uint32_t hash(uint32_t h, const call *c) {
  const size_t size = output_size(c->f);
  for (size_t o = 0; o < count(&c->room[2]); o++) {
    uint32_t bits = (uint32_t)load(c->y, size, o);
    for (size_t byte = 0; byte < size; byte++, bits >>= 8) h = (h ^ (bits & 255)) * 16777619u;
  }
  return h;
}

static uint32_t digest(uint32_t h, const relative *f, cmsis_nn_dims in, unsigned mask, uint32_t seed) {
  for (unsigned kind = 0; kind < KINDS; kind++)
    for (size_t i = 0; i < (f->act == MEAN ? SCALES : 1); i++) {
      call c;
      plan(&c, f, in, mask);
      fill(f, room(0, count(&in) * f->size), count(&in), kind, seed);
      c.scale = scales[i];
      if (f->make(&c) != ARM_CMSIS_NN_SUCCESS) return 0;
      h = hash(h, &c);
    }
  return h;
}

void print_digests(void) {
  const uint32_t basis = 2166136261u;
  EACH_RELATIVE(f) {
    EACH_SHAPE(s) {
      uint32_t h = basis;
      for (unsigned mask = 0; mask < MASKS; mask++)
        if (takes(f, mask)) h = digest(h, f, *s, mask, mask + 1);
      printf("%s {%" PRId32 ",%" PRId32 ",%" PRId32 ",%" PRId32 "} %08" PRIx32 "\n", f->name, s->n, s->h, s->w, s->c, h);
    }
    for (int32_t across = 1; across <= 3; across += 2) {
      uint32_t h = basis;
      for (int32_t n = 1; n <= LENGTHS; n++) h = digest(h, f, (cmsis_nn_dims){1, 1, n, across}, 2, (uint32_t)n);
      printf("%s {1,1,1..%d,%" PRId32 "} %08" PRIx32 "\n", f->name, LENGTHS, across, h);
    }
  }
}
