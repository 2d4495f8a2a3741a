/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first greatest of contiguous elements, of one kind of key: a pass for the greatest key of a block, then a search for its
 * place in the block where it first was. Floats of 32 and 64 bits are compared as such, but for blocks in which only the least
 * infinity was found, which might be all NaN: those are looked at again by their keys.
 */

/* What keys are made with. */
struct ON(key_maker) {
  INT flip, sign, infinity, nan; /* flip: what least searches XOR into the bits */
};
VEC struct ON(key_maker) ON(maker)(const struct bf_keys *keys) {
  const INT flip = (INT)(!keys->least ? 0 : FLOATS ? keys->sign : UINT64_MAX);
  return (struct ON(key_maker)){flip, (INT)keys->sign, (INT)keys->infinity, keys->nan > 0 ? INT_MOST : -INT_MOST};
}

VEC S ON(load_keys)(const unsigned char *x) {
  S v;
  return memcpy(&v, x, sizeof v), v;
}
VEC S ON(all_keys)(INT value) { return value - (S){0}; }

/* The order of the elements as that of integers of their own size, of which the numbers leave the extremes free. */
VEC S ON(key)(S x, const struct ON(key_maker) m) {
#if FLOATS
  const S negative = (x ^ ON(all_keys)(m.flip)) >> (BITS - 1), magnitude = x & ON(all_keys)(INT_MOST);
  return CHOOSE(magnitude, ON(all_keys)(m.infinity), ON(all_keys)(m.nan), (magnitude ^ negative) - negative);
#else
  return x ^ ON(all_keys)(m.flip);
#endif
}
VEC INT ON(top_lane)(S v) {
#if VECTOR == 64
  v = LARGER(v, (S)trade_halves((v_i64)v));
#endif
#if VECTOR >= 32
  v = LARGER(v, (S)trade_quarters((v_i64)v));
#endif
  v = LARGER(v, (S)trade_lanes((v_i64)v));
  for (int shift = 32; shift >= BITS; shift /= 2) v = LARGER(v, (S)((v_u64)v >> shift));
  return v[0];
}
VEC int64_t ON(widen)(INT key, const struct bf_keys *keys) {
  if (FLOATS && (key == INT_MOST || key == -INT_MOST)) return keys->nan;
  return (int64_t)key + (!FLOATS && BITS < 64 && keys->least);
}

/* The greatest key of n elements, at least a vector of them. */
VEC INT ON(peak_of_keys)(const unsigned char *x, size_t n, const struct ON(key_maker) m) {
  S most = ON(key)(ON(load_keys)(x), m), second = most;
  size_t i = L;
  for (; i + 2 * L <= n; i += 2 * L) {
    most = LARGER(most, ON(key)(ON(load_keys)(x + i * sizeof(INT)), m));
    second = LARGER(second, ON(key)(ON(load_keys)(x + (i + L) * sizeof(INT)), m));
  }
  most = LARGER(most, second);
  if (i + L <= n) most = LARGER(most, ON(key)(ON(load_keys)(x + i * sizeof(INT)), m));
  return ON(top_lane)(LARGER(most, ON(key)(ON(load_keys)(x + (n - L) * sizeof(INT)), m)));
}

#ifdef V
VEC V ON(better)(V x, V most, const int least) { return least ? BF_JOIN(smaller, F)(x, most) : BF_JOIN(larger, F)(x, most); }
static BF_NOINLINE INT ON(peak_again)(const unsigned char *x, size_t n, const struct bf_keys *keys) {
  return ON(peak_of_keys)(x, n, ON(maker)(keys));
}
VEC INT ON(peak)(const unsigned char *x, size_t n, const struct bf_keys *keys, const int least, const int nan_wins) {
  enum { SIDE = 8 };
  const struct ON(key_maker) m = ON(maker)(keys);
  V most[SIDE];
  S odd = {0};
  size_t i = 0;
  most[0] = (V)ON(all_keys)((INT)(m.infinity | (least ? 0 : m.sign)));
  if (n >= SIDE * L) {
    for (size_t v = 1; v < SIDE; v++) most[v] = most[0];
    for (; i + SIDE * L <= n; i += SIDE * L)
      for (size_t v = 0; v < SIDE; v += 2) {
        const V a = (V)ON(load_keys)(x + (i + v * L) * sizeof(INT)), b = (V)ON(load_keys)(x + (i + v * L + L) * sizeof(INT));
        most[v] = ON(better)(a, most[v], least), most[v + 1] = ON(better)(b, most[v + 1], least);
        if (nan_wins) odd = BF_JOIN(odd, F)(odd, a, b);
      }
    for (size_t step = SIDE / 2; step; step /= 2)
      for (size_t v = 0; v < step; v++) most[v] = ON(better)(most[v + step], most[v], least);
  }
  for (; i < n; i += L) {
    const V a = (V)ON(load_keys)(x + (i + L <= n ? i : n - L) * sizeof(INT));
    most[0] = ON(better)(a, most[0], least);
    if (nan_wins) odd = BF_JOIN(odd, F)(odd, a, a);
  }
  if (nan_wins && top_bits((v_i8)odd)) return INT_MOST;
  const INT key = ON(top_lane)(ON(key)((S)most[0], m));
  return !nan_wins && key == -m.infinity ? ON(peak_again)(x, n, keys) : key;
}
#else
VEC INT ON(peak)(const unsigned char *x, size_t n, const struct bf_keys *keys, const int least, const int nan_wins) {
  (void)least, (void)nan_wins;
  return ON(peak_of_keys)(x, n, ON(maker)(keys));
}
#endif

/* The first of n elements, at least a vector, of which one has these bits where the mask has bits. */
VEC size_t ON(place_of_bits)(const unsigned char *x, size_t n, S mask, S bits) {
  enum { SIDE = 8 };
  size_t start = 0, at = n - L;
  for (; start + SIDE * L <= n; start += SIDE * L) {
    S equal = {0};
    for (size_t v = 0; v < SIDE; v++) equal |= (ON(load_keys)(x + (start + v * L) * sizeof(INT)) & mask) == bits;
    if (top_bits((v_i8)equal)) break;
  }
  const size_t end = start + SIDE * L <= n ? start + SIDE * L : n;
  for (size_t i = end; i > start; i = i - start > L ? i - L : start) { /* back to front, without a branch on what is found */
    const size_t from = i >= L ? i - L : 0;
    const uint64_t found = top_bits((v_i8)((ON(load_keys)(x + from * sizeof(INT)) & mask) == bits));
    at = found ? from + (size_t)__builtin_ctzll(found) / (BYTE_BITS * sizeof(INT)) : at;
  }
  return at;
}
static BF_NOINLINE size_t ON(place_of_nan)(const unsigned char *x, size_t n, const struct ON(key_maker) m) {
  const S nan = ON(all_keys)(INT_MOST);
  size_t i = 0;
  for (; i + L < n; i += L)
    if (top_bits((v_i8)(ON(key)(ON(load_keys)(x + i * sizeof(INT)), m) == nan))) break;
  if (i + L > n) i = n - L;
  const uint64_t found = top_bits((v_i8)(ON(key)(ON(load_keys)(x + i * sizeof(INT)), m) == nan));
  return i + (size_t)__builtin_ctzll(found) / (BYTE_BITS * sizeof(INT));
}
VEC size_t ON(place_of)(const unsigned char *x, size_t n, int64_t key, const struct bf_keys *keys) {
  if (FLOATS && key == BF_NAN_WINS) return ON(place_of_nan)(x, n, ON(maker)(keys));
  if (FLOATS && key == BF_NAN_LOSES) return 0;
  const int zero = FLOATS && !key;
  return ON(place_of_bits)(x, n, ON(all_keys)(zero ? INT_MOST : -1), ON(all_keys)((INT)(zero ? 0 : bf_bits_of(keys, key))));
}

/* Fewer elements than a vector's. */
VEC void ON(pick_few)(struct bf_best *best, const unsigned char *x, uint64_t first, size_t n, const struct bf_keys *keys) {
  for (size_t i = 0; i < n; i++) {
    UINT bits;
    memcpy(&bits, x + i * sizeof bits, sizeof bits);
    const int64_t key = bf_key_of(keys, bits);
    if (key > best->key) best->key = key, best->index = keys->value ? bits : first + i;
  }
}

VEC void ON(pick_row)(struct bf_best *best, const unsigned char *x, uint64_t first, size_t n, const struct bf_keys *keys,
                      const int least, const int nan_wins) {
  enum { BLOCK = 2048 };
  size_t at = 0, length = n;
  INT top = INT_LEAST;
  if (n < L) {
    ON(pick_few)(best, x, first, n, keys);
    return;
  }
  if (n < (keys->value ? BF_FAR / sizeof(INT) : 2 * BLOCK)) top = ON(peak)(x, n, keys, least, nan_wins);
  else
    for (size_t i = 0, some; i < n && !(FLOATS && top == INT_MOST); i += some) {
      some = n - i < 2 * BLOCK ? n - i : BLOCK;
      bf_announce_pages(x + i * sizeof(INT), some * sizeof(INT), (n - i) * sizeof(INT));
      const INT peak = ON(peak)(x + i * sizeof(INT), some, keys, least, nan_wins);
      if (peak > top) top = peak, at = i, length = some;
    }
  const int64_t key = ON(widen)(top, keys);
  if (key <= best->key) return;
  *best = (struct bf_best){key, 0};
  if (keys->value && (key || !FLOATS)) {
    if (!FLOATS || (key != BF_NAN_WINS && key != BF_NAN_LOSES)) best->index = bf_bits_of(keys, key);
    return;
  }
  at += ON(place_of)(x + at * sizeof(INT), length, key, keys);
  best->index = first + at;
  if (keys->value) {
    UINT bits;
    memcpy(&bits, x + at * sizeof bits, sizeof bits);
    best->index = bits;
  }
}

#ifdef V
#include "pick_batch.h"
#endif

VEC void ON(each_row)(struct bf_best *best, size_t width, const unsigned char *x, int64_t across, uint64_t first, size_t n,
                      const struct bf_keys *how, const int least, const int nan_wins) {
  struct bf_keys keys = *how;
  keys.least = least, keys.binary = FLOATS, keys.whole = !FLOATS && BITS == 64;
#ifdef V
  for (; width >= L && n >= L && n <= 32 * L; width -= L, best += L, x += (int64_t)L * across)
    if (!ON(pick_batch)(best, x, across, first, n, &keys, least, nan_wins))
      for (size_t r = 0; r < L; r++) ON(pick_row)(best + r, x + (int64_t)r * across, first, n, &keys, least, nan_wins);
#endif
  for (; width; width--, best++, x += across) ON(pick_row)(best, x, first, n, &keys, least, nan_wins);
}
static void ON(pick_rows)(struct bf_best *best, size_t width, const unsigned char *x, int64_t across, uint64_t first, size_t n,
                          const struct bf_keys *keys) {
  const int least = keys->least, nan_wins = keys->nan > 0;
  if (least && nan_wins && FLOATS) ON(each_row)(best, width, x, across, first, n, keys, 1, 1);
  else if (least) ON(each_row)(best, width, x, across, first, n, keys, 1, 0);
  else if (nan_wins && FLOATS) ON(each_row)(best, width, x, across, first, n, keys, 0, 1);
  else ON(each_row)(best, width, x, across, first, n, keys, 0, 0);
}
