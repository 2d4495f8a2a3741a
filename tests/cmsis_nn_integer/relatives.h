/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the integer relatives share: the thirteen functions as data, one call of them with its tensors, what it must
 * give, and the reporting of failures. Plain C11 for any host and for bare metal; SMALL leaves out what needs more than 16 KB of
 * memory.
 */
#ifndef RELATIVES_H
#define RELATIVES_H

#include <stddef.h>
#include <stdint.h>
#include <bitfold_arm_nn_integer.h>

enum { CAPACITY = 256, SHAPES = 6, LENGTHS = 67, MASKS = 16, KINDS = 3, SCALES = 8, RELATIVES = 11 };

typedef enum act { MAX, MIN, ARGMAX, ARGMIN, MEAN } act; /* a sum is a mean with another scale */

typedef struct scale {
  int32_t input_offset, out_offset, multiplier, shift;
} scale;

/* One call: pointers as they are passed, and room for what the dimension pointers point to. */
typedef struct call {
  const struct relative *f;
  const void *x;
  void *y;
  const cmsis_nn_dims *in, *mask, *out;
  int32_t axis;
  scale scale;
  cmsis_nn_dims room[3];
} call;

typedef struct relative {
  const char *name;
  act act;
  size_t size; /* bytes of an element */
  arm_cmsis_nn_status (*make)(const call *c);
} relative;

extern const relative relatives[RELATIVES];
extern const cmsis_nn_dims shapes[SHAPES];
extern const scale scales[SCALES];

#define EACH_RELATIVE(f) for (const relative *f = relatives; f < relatives + RELATIVES; f++)
#define EACH_SHAPE(s) for (const cmsis_nn_dims *s = shapes; s < shapes + SHAPES; s++)
#define EACH_SCALE(s) for (const scale *s = scales; s < scales + SCALES; s++)

/* ---- relatives.c ---- */
static inline int is_arg(const relative *f) { return f->act == ARGMAX || f->act == ARGMIN; }
static inline size_t output_size(const relative *f) { return is_arg(f) ? sizeof(int32_t) : f->size; }
static inline int32_t least(const relative *f) { return f->size == 1 ? INT8_MIN : INT16_MIN; }
static inline int32_t greatest(const relative *f) { return f->size == 1 ? INT8_MAX : INT16_MAX; }
int32_t extent(const cmsis_nn_dims *dims, int axis);
int takes(const relative *f, unsigned mask); /* bits 3 to 0 are n, h, w, c; argmax and argmin take one bit */
size_t count(const cmsis_nn_dims *dims);
int32_t load(const void *from, size_t size, size_t i);
void store(void *to, size_t size, size_t i, int32_t value);
uint32_t draw(uint32_t *state);
void fill(const relative *f, void *x, size_t n, unsigned kind, uint32_t seed);

/* ---- guarded.c: two rooms, for the input and the output, around which nothing may be touched ---- */
void *room(int which, size_t bytes);          /* filled with a pattern; 0 the input's, 1 the output's */
void change_side(void);                       /* rooms then end at forbidden memory instead of beginning there, or the reverse */
const char *touched(int which, size_t bytes); /* what is wrong around the room, or null */
void *forbidden(void);                        /* a pointer that nothing may be read through, where the system has one */
enum { PATTERN = 0xa5 };

/* ---- naive.c ---- */
void plan(call *c, const relative *f, cmsis_nn_dims in,
          unsigned mask);                      /* a good call: the tensors are rooms, the scale is scales[0] */
size_t expected(const call *c, int32_t *want); /* how many outputs; |sum 2^left| stays below 2^31 */
void check(const call *c, const char *label);  /* makes it and looks at everything that it may have changed */
void refuse(const call *c, const char *label); /* the same for ARG_ERROR */
/* f on n elements as a row gives `want`. */
void row(const relative *f, const int32_t *x, size_t n, scale s, int32_t want);

/* ---- integer_main.c ---- */
void fail(const char *label, const relative *f, long want, long got, long where); /* the first one of a test is printed */
void skip(const char *reason);
#define EXPECT(want, got, where)                                                                                                   \
  do                                                                                                                               \
    if ((want) != (got)) fail(#got, NULL, (long)(want), (long)(got), (long)(where));                                               \
  while (0)

void print_digests(void); /* digests.c */

#define PROMISE(name, promise) void name(void);
#include "promises.def"
#undef PROMISE
#endif
