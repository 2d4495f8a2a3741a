/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selections of neighbouring outputs, row by row as they lie in memory. Floats are first compared as such; where that leaves open
 * whether a column had no number or only the least infinity, or which NaN was the first, keys decide.
 */
#include "picking.h"

struct columns {
  uint64_t most[BF_PICK_COLUMNS], mark[BF_PICK_COLUMNS]; /* of the element's size, see acts.h */
  uint64_t index[BF_PICK_COLUMNS], base;                 /* of the greatest so far; what row numbers in mark count from */
};

int bf_selects_columns(const struct bf_job *job, const struct bf_walk *walk) {
  const struct bf_terms *terms = &job->terms;
  return terms->isa->pick_columns && !terms->x_swapped && walk->inner.extent > 1 && walk->inner.x == terms->size;
}

/* Whole vectors, as columns fewer than a vector's are padded. */
static size_t room_of(const struct bf_terms *terms) { return terms->width < 64 ? 64 : terms->width; }

static void fill(uint64_t *words, size_t size, uint64_t bits, size_t n) {
  unsigned char *to = (unsigned char *)words;
  const uint8_t u8 = (uint8_t)bits;
  const uint16_t u16 = (uint16_t)bits;
  const uint32_t u32 = (uint32_t)bits;
  switch (size) {
  case 1: memset(to, u8, n); break;
  case 2:
    for (size_t i = 0; i < n; i++) memcpy(to + 2 * i, &u16, 2);
    break;
  case 4:
    for (size_t i = 0; i < n; i++) memcpy(to + 4 * i, &u32, 4);
    break;
  default:
    for (size_t i = 0; i < n; i++) words[i] = bits;
  }
}

/* Columns begin as no more than the first element may be; by keys that is, of integers, the least one, which nothing has to beat.
 */
static void begin(struct columns *c, const struct bf_terms *terms, const struct bf_keys *keys, uint64_t least, int raise) {
  const size_t size = (size_t)terms->size, room = room_of(terms);
  fill(c->most, size, least, room);
  c->base = 0;
  if (raise && keys->value) return; /* the greatest elements are all there is */
  fill(c->mark, size, !keys->value ? UINT64_MAX : keys->least ? keys->sign - 1 : keys->sign, room);
  memset(c->index, raise ? 0xff : 0, terms->width * sizeof *c->index);
}

/* Row numbers become indices before they no longer fit. */
static void settle(struct columns *c, const struct bf_terms *terms, uint64_t next) {
  unsigned char *mark = (unsigned char *)c->mark;
  for (size_t j = 0; j < terms->width; j++) {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t row;
    switch (terms->size) {
    case 1: memcpy(&i8, mark + j, 1), row = i8; break;
    case 2: memcpy(&i16, mark + 2 * j, 2), row = i16; break;
    case 4: memcpy(&i32, mark + 4 * j, 4), row = i32; break;
    default: memcpy(&row, mark + 8 * j, 8);
    }
    if (row >= 0) c->index[j] = c->base + (uint64_t)row;
  }
  memset(mark, 0xff, room_of(terms) * (size_t)terms->size);
  c->base = next;
}

static void pick(struct columns *c, const struct bf_job *job, const struct bf_keys *keys, bf_pick_in_columns_fn *act) {
  const struct bf_terms *terms = &job->terms;
  const uint64_t numbers = ((uint64_t)1 << (8 * terms->size - 1)) - 1; /* the rows that have numbers */
  int64_t step;
  for (uint64_t first = 0, some; first < job->n && !bf_stopped(terms); first += some) {
    const unsigned char *x = bf_run_of(terms, first, &step, &some);
    some = bf_picked_at_once(terms, some);
    if (!keys->value && some > numbers - (first - c->base)) some = numbers - (first - c->base);
    act(c->most, c->mark, terms->width, x, step, (size_t)some, keys->value ? 0 : first - c->base, keys);
    bf_count_picked(terms, first, some);
    if (!keys->value && (first + some == job->n || first + some - c->base == numbers)) settle(c, terms, first + some);
  }
}

/* Whether floats that were compared as such told everything. */
static int is_clear(const struct columns *c, const struct bf_terms *terms, const struct bf_keys *keys, uint64_t least) {
  const bf_f32_word *word = (const void *)c->most;
  int clear = 1;
  if (!keys->value)
    for (size_t j = 0; j < terms->width; j++) clear &= c->index[j] != UINT64_MAX;
  else if (keys->nan < 0 && terms->size == 4)
    for (size_t j = 0; j < terms->width; j++) clear &= word[j] != (bf_f32_word)least;
  else if (keys->nan < 0)
    for (size_t j = 0; j < terms->width; j++) clear &= c->most[j] != least;
  return clear;
}

static int has_nan(const uint64_t *values, size_t size, const struct bf_keys *keys, size_t n) {
  const bf_f16_word *half = (const void *)values, half_magnitude = (bf_f16_word)(keys->sign - 1);
  const bf_f32_word *word = (const void *)values, word_magnitude = (bf_f32_word)(keys->sign - 1);
  int found = 0;
  if (!keys->binary) return 0;
  if (size == 2)
    for (size_t j = 0; j < n; j++) found |= (bf_f16_word)(half[j] & half_magnitude) > (bf_f16_word)keys->infinity;
  else if (size == 4)
    for (size_t j = 0; j < n; j++)
      found |= (int32_t)(word[j] & word_magnitude) > (int32_t)keys->infinity; /* signed: one instruction */
  else
    for (size_t j = 0; j < n; j++) found |= (values[j] & (keys->sign - 1)) > keys->infinity;
  return found;
}

/* The format's one NaN instead of any other. */
static uint64_t clean(uint64_t *values, size_t size, const struct bf_keys *keys, size_t n) {
  unsigned char *value = (unsigned char *)values;
  uint64_t count = 0;
  if (!has_nan(values, size, keys, n)) return 0;
  for (size_t j = 0; j < n; j++)
    if ((bf_load(value + j * size, (int)size, 0) & (keys->sign - 1)) > keys->infinity) {
      bf_store(value + j * size, (int)size, 0, bf_one_nan(keys));
      count++;
    }
  return count;
}

static void store(struct bf_job *job, const uint64_t *values, int size) {
  const unsigned char *bits = (const unsigned char *)values;
  if (job->output_across == size && job->output_size == size && !job->output_swapped)
    memcpy(job->output, values, job->terms.width * (size_t)size);
  else
    for (size_t j = 0; j < job->terms.width; j++) bf_job_store(job, j, bf_load(bits + j * (size_t)size, size, 0));
}

void bf_select_columns(struct bf_job *job) {
  const struct bf_terms *terms = &job->terms;
  const int kind = bf_key_kind(terms->element, terms->size);
  struct bf_keys keys = bf_keys_of(job->contract);
  struct columns c;
  keys.value = !bf_is_arg(job->contract->operation);
  bf_pick_in_columns_fn *raise = keys.value || keys.nan < 0 ? (*terms->isa->raise_columns)[kind] : NULL;
  const uint64_t least = keys.infinity | (keys.least ? 0 : keys.sign);
  if (raise) {
    begin(&c, terms, &keys, least, 1);
    pick(&c, job, &keys, raise);
  }
  const int raised = raise && is_clear(&c, terms, &keys, least);
  if (!raised) {
    begin(&c, terms, &keys, keys.sign, 0);
    pick(&c, job, &keys, (*terms->isa->pick_columns)[kind]);
  }
  if (bf_stopped(terms)) return;
  uint64_t *values = raised ? c.most : c.mark;
  if (keys.value) job->report.nan += clean(values, (size_t)terms->size, &keys, terms->width);
  if (keys.value) store(job, values, terms->size);
  else store(job, c.index, 8);
}
