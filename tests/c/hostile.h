/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile rows of floating-point bit patterns, built from integers only, so that they are the same on every machine. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stddef.h>
#include <stdint.h>

/* The shape of one binary format: bits in all, bits of the mantissa field. */
typedef struct shape {
  unsigned bits, mantissa;
} shape;

enum { HOSTILE_KINDS = 11 };

/* The next number of a 64-bit linear congruential generator, its high bits mixed into the low ones. */
uint64_t hostile_next(uint64_t *state);

/* Writes n patterns of one kind: near, wide, cancel, subnormal, huge, ties, zeros, integers, infinities, NaNs, two scales. */
void hostile_row(shape format, unsigned kind, size_t n, uint64_t *state, uint64_t *patterns);

/* Stores patterns as elements of `size` bytes (2, 4 or 8) in the machine's byte order. */
void hostile_store(const uint64_t *patterns, size_t n, size_t size, void *elements);

/* Reads one of `size` bytes as a pattern. */
uint64_t hostile_load(const void *from, size_t size);

#endif
