/* SPDX-License-Identifier: Apache-2.0 */
/* Memory between two pages that may not be touched, and what happens to who touches them. */
#ifndef FENCES_MEMORY_H
#define FENCES_MEMORY_H

/* Include this first: what it is made of is not of standard C. */
#if defined(__unix__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <setjmp.h>
#include <stddef.h>

enum { PLACE_BYTES = 65536 };
enum place { PLACE_X, PLACE_Y, PLACE_OUTPUT, PLACES };

/* The first of PLACE_BYTES bytes that may be written; null where pages cannot be protected. */
unsigned char *place_of(enum place which);

/* Forbids writing to it, or allows that again. */
void place_lock(enum place which, int locked);

/* All of it but the n bytes at `at` may not be touched either, where the address sanitizer can say so; n = PLACE_BYTES allows all.
 */
void place_allow(enum place which, const unsigned char *at, size_t n);

/* A forbidden touch goes here, as siglongjmp(place_fault, 1), after place_watch(1). */
extern sigjmp_buf place_fault;
void place_watch(int on);

#endif
