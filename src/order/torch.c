/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torch(T): sums as PyTorch's loops for x86-64 make them, on T threads. A cascade adds terms to the lowest of four levels, which
 * empties into the next whenever it has had 2^p terms, p = max(4, ceil(log2(terms)) / 4), and so on upwards; at the end the levels
 * are added to the lowest, upwards. Three ways lead to a sum:
 *   cascade  of the terms themselves;
 *   four     cascades, of terms i mod 4; left-overs join the first, and the others are added to it;
 *   along    the same with vectors in the place of terms; then the terms that fill no vector are added one by one, and to them the
 *            vector's lanes. A vector of halves is first folded once.
 * Which one, torch_layout.c finds out.
 */
#ifndef F
#include "torch.h"
#include "../op/sums.h"

enum { LEVELS = 4, WAYS = 4, LEAST = 4 };

struct bf_torch bf_torch_from(const bitfold_level *levels) {
  const uint64_t marks = levels[3].size;
  const struct bf_torch torch = {.places = levels[0].size & 0xffff,
                                 .way = (enum bf_torch_way)(levels[0].size >> 16),
                                 .row = levels[1].size,
                                 .columns = levels[2].size,
                                 .share = marks >> 8,
                                 .lanes = marks >> 5 & 1 ? 8 : 4,
                                 .down = marks & 1,
                                 .across = marks >> 1 & 1,
                                 .rising = marks >> 2 & 1,
                                 .parts = marks >> 3 & 1,
                                 .halves = marks >> 4 & 1};
  return torch;
}

void bf_torch_to(const struct bf_torch *torch, bitfold_level *levels) {
  levels[0].size = torch->places | (uint64_t)torch->way << 16;
  levels[1].size = torch->row, levels[2].size = torch->columns;
  levels[3].size = (uint64_t)(torch->down | torch->across << 1 | torch->rising << 2 | torch->parts << 3 | torch->halves << 4);
  levels[3].size |= torch->share << 8 | (uint64_t)(torch->lanes == 8) << 5;
}

enum bf_torch_way bf_torch_way_of(const struct bf_torch *torch, uint64_t row, uint64_t columns, uint64_t at, size_t lanes,
                                  uint64_t *same) {
  const size_t vector = torch->halves ? 2 * lanes : lanes;
  const int vectors = torch->across && columns >= vector;
  *same = columns - at;
  if (torch->down && row >= vector) return BF_TORCH_ALONG;
  if (!vectors && torch->rising) return BF_TORCH_FOUR;
  const uint64_t grouped = columns - columns % (vectors ? WAYS * lanes : WAYS);
  if (at >= grouped) return BF_TORCH_FOUR;
  *same = grouped - at;
  return BF_TORCH_CASCADE;
}

/* The same for an output, whose neighbours may be another thread's. */
static enum bf_torch_way way_at(const struct bf_torch *torch, uint64_t at, size_t lanes, uint64_t *same) {
  if (torch->way) return *same = UINT64_MAX, torch->way;
  if (!torch->share) return bf_torch_way_of(torch, torch->row, torch->columns, at, lanes, same);
  const uint64_t unit = torch->across ? WAYS * (torch->halves ? 2 * lanes : lanes) : 1; /* 128 bytes */
  uint64_t share = (at - at % unit + unit - 1) / torch->share;
  if (share > (torch->columns - 1) / torch->share) share = (torch->columns - 1) / torch->share;
  uint64_t begin = share * torch->share, end = begin + torch->share;
  begin -= begin % unit;
  end = end < torch->columns ? end - end % unit : torch->columns;
  return bf_torch_way_of(torch, torch->row, end - begin, at - begin, lanes, same);
}

static size_t lanes_of(bitfold_format accumulator) {
  return BF_TORCH_VECTOR / (accumulator == BITFOLD_FORMAT_F64 ? sizeof(double) : sizeof(float));
}

size_t bf_torch_vector(const struct bf_torch *torch, bitfold_format accumulator) {
  return torch->halves ? 2 * lanes_of(accumulator) : lanes_of(accumulator);
}

size_t bf_torch_lanes(const bitfold_level *levels, bitfold_format accumulator) {
  const struct bf_torch torch = bf_torch_from(levels);
  const size_t vector = bf_torch_vector(&torch, accumulator);
  return torch.down && torch.row >= vector ? WAYS * vector : WAYS;
}

int bf_torch_is_mixed(const bitfold_level *levels) {
  const struct bf_torch torch = bf_torch_from(levels);
  return levels->order == BITFOLD_ORDER_TORCH && !torch.way && !torch.parts && torch.places == 1;
}

/* A thread's place is of the element's format. */
static double rounded(bitfold_format element, struct bf_real value) {
  const int size = bf_format(element)->size;
  int event;
  const uint64_t bits = bf_encode(element, value, &event);
  if (size == 8) return f64_from_bits(bits);
  if (size == 4) return (double)f32_from_bits((uint32_t)bits);
  return f64_from_bits(bf_encode(BITFOLD_FORMAT_F64, bf_decode(element, bits), &event));
}

#define SELF "../order/torch.c"
#define F f32
#include SELF
#undef F
#define F f64
#include SELF
#undef F
#undef SELF
const struct bf_order bf_order_torch = {NULL, NULL, f32_torch, f64_torch};

void bf_sum_torch(struct bf_job *job) {
  const struct bf_job whole = *job;
  const struct bf_torch torch = bf_torch_from(job->levels);
  bitfold_level levels[BITFOLD_LEVELS_MAX];
  const size_t lanes = lanes_of(job->contract->accumulator);
  uint64_t same;
  memcpy(levels, job->levels, sizeof levels);
  job->levels = levels;
  for (size_t j = 0, some; j < whole.terms.width && !bf_stopped(&job->terms); j += some) {
    struct bf_torch one = torch;
    one.way = way_at(&torch, job->column + j, lanes, &same);
    some = whole.terms.width - j < same ? whole.terms.width - j : (size_t)same;
    bf_torch_to(&one, levels);
    job->terms.width = some;
    job->terms.x = whole.terms.x + (int64_t)j * whole.terms.x_across;
    job->output = whole.output + (int64_t)j * whole.output_across;
    bf_sum_by_order(job);
  }
  job->levels = whole.levels, job->terms.width = whole.terms.width, job->terms.x = whole.terms.x, job->output = whole.output;
}
#else
/* Where a cascade is: what it has had since its lowest level was empty, and the others. */
struct ON(levels) {
  size_t size;
  unsigned power;
  ON(value) level[LEVELS][BITFOLD_LANES_MAX];
};

/* After so many rows, a multiple of 2^power. */
static void ON(empty)(const struct bf_isa *isa, struct ON(levels) * at, uint64_t rows) {
  const uint64_t mask = ((uint64_t)1 << at->power) - 1;
  for (unsigned l = 1; l < LEVELS; l++) {
    isa->BF_JOIN(add, F)(at->level[l], at->level[l], at->level[l - 1], at->size);
    memset(at->level[l - 1], 0, at->size * sizeof **at->level);
    if ((rows >> (l * at->power)) & mask) return;
  }
}

/* Vectors of twice as many halves, folded; to may be x. */
static void ON(halve)(ON(value) * to, const ON(value) * x, size_t vectors, size_t lanes) {
  for (size_t v = 0; v < vectors; v++)
    for (size_t l = 0; l < lanes; l++) to[v * lanes + l] = ON(plus)(x[2 * v * lanes + l], x[(2 * v + 1) * lanes + l]);
}

/*
 * Cascades of rows of `lanes` values, for each output; a value is a term or, of halves, the sum of two. The sums are at->level[0].
 */
static void ON(cascade)(const struct bf_terms *terms, size_t lanes, int halves, uint64_t first, uint64_t rows,
                        struct ON(levels) * at) {
  const size_t unit = halves ? 2 * lanes : lanes, most = bf_fit(terms->width) / unit;
  void (*const blocks)(ON(value) *, const ON(value) *, uint64_t, uint64_t) = terms->isa->BF_JOIN(blocks, F);
  ON(value) tile[BF_TILE], folded[BF_TILE];
  at->size = lanes * terms->width, at->power = rows > 1 ? (unsigned)(bf_top_bit(rows - 1) + 1) / LEVELS : 0;
  if (at->power < LEAST) at->power = LEAST;
  const uint64_t step = (uint64_t)1 << at->power;
  for (unsigned l = 0; l < LEVELS; l++) memset(at->level[l], 0, at->size * sizeof **at->level);
  for (uint64_t row = 0, got; row < rows && !bf_stopped(terms);) {
    uint64_t more = (rows - row) * unit;
    const size_t ask = rows - row < most ? (size_t)(rows - row) : most;
    const ON(value) *x = BF_ON(terms)(terms, first + row * unit, ask * unit, tile, &more);
    if (halves) ON(halve)(folded, x, ask * WAYS, at->size / WAYS), x = folded;
    got = halves ? ask : more / unit;
    for (uint64_t some; got; row += some, got -= some, x += some * at->size) {
      if (row && !(row % step)) ON(empty)(terms->isa, at, row);
      some = step - row % step < got ? step - row % step : got;
      if (some == step && blocks && at->size * sizeof *x == BF_BLOCK_ROW) { /* as many as the second level takes */
        const uint64_t had = row / step % step, count = got / step < step - had ? got / step : step - had;
        blocks(at->level[1], x, step, count);
        some = count * step;
      } else terms->isa->BF_JOIN(deposit, F)(at->level[0], at->size, x, some * at->size);
    }
  }
  if (rows && !(rows % step)) ON(empty)(terms->isa, at, rows);
  for (unsigned l = 1; l < LEVELS; l++) terms->isa->BF_JOIN(add, F)(at->level[0], at->level[0], at->level[l], at->size);
}

/* Terms one by one, or vectors of them, onto sums. */
static void ON(onto)(const struct bf_terms *terms, uint64_t first, uint64_t n, ON(value) * sum) {
  BF_ON(join)(terms, 1, first, n, sum);
}

/* n terms of each output in one way. */
static void ON(by_way)(const struct bf_terms *terms, enum bf_torch_way way, int halves, uint64_t first, uint64_t n,
                       ON(value) * out) {
  struct ON(levels) at;
  ON(value) tile[BF_TILE], *const sum = at.level[0];
  const struct bf_isa *isa = terms->isa;
  const size_t width = terms->width, lanes = way == BF_TORCH_ALONG ? BF_TORCH_VECTOR / sizeof *out : 1;
  const size_t term = way == BF_TORCH_ALONG && halves ? 2 * lanes : lanes; /* elements of a vector */
  const uint64_t vectors = n / term, rows = way == BF_TORCH_CASCADE ? n : vectors / WAYS;
  ON(cascade)(terms, way == BF_TORCH_CASCADE ? 1 : WAYS * lanes, way == BF_TORCH_ALONG && halves, first, rows, &at);
  if (way == BF_TORCH_CASCADE) {
    memcpy(out, sum, width * sizeof *out);
    return;
  }
  for (uint64_t v = rows * WAYS; v < vectors; v++) {
    const ON(value) *x = BF_ON(terms)(terms, first + v * term, term, tile, NULL);
    if (term > lanes) ON(halve)(tile, x, 1, lanes * width), x = tile;
    isa->BF_JOIN(add, F)(sum, sum, x, lanes * width);
  }
  for (size_t w = 1; w < WAYS; w++) isa->BF_JOIN(add, F)(sum, sum, sum + w * lanes * width, lanes * width);
  memset(out, 0, width * sizeof *out);
  if (way == BF_TORCH_ALONG) ON(onto)(terms, first + vectors * term, n - vectors * term, out);
  for (size_t l = 0; l < lanes; l++) isa->BF_JOIN(add, F)(out, out, sum + l * width, width);
}

/* Terms [first, end), which may begin and end inside a column, as PyTorch's loops meet them. */
static void ON(by_columns)(const struct bf_terms *terms, const struct bf_torch *torch, uint64_t first, uint64_t end,
                           ON(value) * out) {
  const size_t lanes = BF_TORCH_VECTOR / sizeof *out;
  ON(value) sum[BF_WIDTH_MAX];
  memset(out, 0, terms->width * sizeof *out);
  while (first < end && !bf_stopped(terms)) {
    const uint64_t at = first % torch->row, left = end - first, row = torch->row - at < left ? torch->row - at : left;
    const uint64_t below = torch->columns - first / torch->row % torch->columns, whole = left / torch->row;
    const uint64_t columns = row < torch->row ? 1 : below < whole ? below : whole;
    for (uint64_t j = 0, same; j < columns && !bf_stopped(terms); j++, first += row) {
      ON(by_way)(terms, bf_torch_way_of(torch, row, columns, j, lanes, &same), torch->halves, first, row, sum);
      terms->isa->BF_JOIN(add, F)(out, out, sum, terms->width);
    }
  }
}

/* One output on several threads: each sums a piece in its place, and the places are summed. */
static void ON(by_places)(const struct bf_terms *terms, const struct bf_torch *torch, uint64_t n, ON(value) * out) {
  const uint64_t grains = (n + BF_TORCH_GRAIN - 1) / BF_TORCH_GRAIN, pieces = grains < torch->places ? grains : torch->places;
  const uint64_t size = (n + pieces - 1) / pieces;
  ON(value) place[BF_TORCH_THREADS] = {0};
  for (uint64_t i = 0; i < pieces && i * size < n; i++) {
    ON(by_columns)(terms, torch, i * size, n - i * size < size ? n : (i + 1) * size, place + i);
    if (torch->halves) place[i] = (ON(value))rounded(terms->element, BF_ON(real)(place[i]));
  }
  const struct bf_axis axis = {torch->places, sizeof *place, 0, 0};
  struct bf_terms places = *terms;
  places.element = ON(format), places.size = sizeof *place, places.x_swapped = 0, places.progress = NULL;
  places.reduced = &axis, places.reduceds = 1, places.x = (const unsigned char *)place;
  const size_t lanes = BF_TORCH_VECTOR / sizeof *place, vector = torch->halves ? 2 * lanes : lanes;
  ON(by_way)(&places, torch->places < vector ? BF_TORCH_FOUR : BF_TORCH_ALONG, torch->halves, 0, torch->places, out);
}

static void ON(torch)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  const struct bf_torch torch = bf_torch_from(level);
  if (torch.places > 1) ON(by_places)(terms, &torch, n, out);
  else if (torch.way) ON(by_way)(terms, torch.way, torch.halves, first, n, out);
  else ON(by_columns)(terms, &torch, first, first + n, out);
}
#endif
