/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first greatest of each of as many short rows of floats as a vector has lanes: each row becomes one vector, these are folded
 * together so that lane r is row r's greatest, and places are found without branches. A batch with a NaN that wins, or a row
 * without a number or with nothing above the least infinity, is left to pick_rows.h.
 */

VEC S ON(fold_longs)(S a, S b) { return LARGER((S)low_longs((v_i64)a, (v_i64)b), (S)high_longs((v_i64)a, (v_i64)b)); }
#if VECTOR >= 32
VEC S ON(fold_quarters)(S a, S b) { return LARGER((S)low_quarters((v_i64)a, (v_i64)b), (S)high_quarters((v_i64)a, (v_i64)b)); }
#endif
#if VECTOR == 64
VEC S ON(fold_halves)(S a, S b) { return LARGER((S)low_halves((v_i64)a, (v_i64)b), (S)high_halves((v_i64)a, (v_i64)b)); }
#endif
/* Lane r of what comes out is the greatest lane of row[r]. Rows that are folded together are as far apart as the lanes. */
VEC S ON(fold_rows)(S *row) {
#if VECTOR == 64
  for (size_t r = 0; r < L / 2; r++) row[r] = ON(fold_halves)(row[r], row[r + L / 2]);
  for (size_t r = 0; r < L / 4; r++) row[r] = ON(fold_quarters)(row[r], row[r + L / 4]);
#elif VECTOR == 32
  for (size_t r = 0; r < L / 2; r++) row[r] = ON(fold_quarters)(row[r], row[r + L / 2]);
#endif
  enum { APART = 8 / sizeof(INT) };
  for (size_t r = 0; r < APART; r++) row[r] = ON(fold_longs)(row[r], row[r + APART]);
#if BITS == 32
  row[0] = LARGER(low_ints(row[0], row[1]), high_ints(row[0], row[1]));
#endif
  return row[0];
}

/* The greatest of each lane, by float comparisons; as keys, of which none is a NaN's. */
VEC S ON(row_peaks)(const unsigned char *x, size_t n, const struct ON(key_maker) m, S *odd, const int least, const int nan_wins) {
  const V worst = (V)ON(all_keys)((INT)(m.infinity | (least ? 0 : m.sign)));
  V most = worst, second = worst;
  size_t i = 0;
  for (; i + 2 * L <= n; i += 2 * L) {
    const V a = (V)ON(load_keys)(x + i * sizeof(INT)), b = (V)ON(load_keys)(x + (i + L) * sizeof(INT));
    most = ON(better)(a, most, least), second = ON(better)(b, second, least);
    if (nan_wins) *odd = BF_JOIN(odd, F)(*odd, a, b);
  }
  for (; i < n; i += L) {
    const V a = (V)ON(load_keys)(x + (i + L <= n ? i : n - L) * sizeof(INT));
    most = ON(better)(a, most, least);
    if (nan_wins) *odd = BF_JOIN(odd, F)(*odd, a, a);
  }
  return ON(key)((S)ON(better)(second, most, least), m);
}

/* n less the place of the first element that is equal to top, as the greatest lane. */
VEC S ON(row_places)(const unsigned char *x, size_t n, V top, S down) {
  S most = {0};
  size_t i = 0;
  for (; i + L <= n; i += L, down -= (INT)L) most = LARGER(most, ((V)ON(load_keys)(x + i * sizeof(INT)) == top) & down);
  if (i < n) most = LARGER(most, ((V)ON(load_keys)(x + (n - L) * sizeof(INT)) == top) & (down + (INT)(i - (n - L))));
  return most;
}

/* L rows of n elements, at least a vector. Returns 0, with nothing done, where it is left to others. */
VEC int ON(pick_batch)(struct bf_best *best, const unsigned char *x, int64_t across, uint64_t first, size_t n,
                       const struct bf_keys *keys, const int least, const int nan_wins) {
  const struct ON(key_maker) m = ON(maker)(keys);
  S row[L], odd = {0}, lane;
  INT key[L], place[L] = {0};
  for (size_t r = 0; r < L; r++) row[r] = ON(row_peaks)(x + (int64_t)r * across, n, m, &odd, least, nan_wins);
  const S top = ON(fold_rows)(row);
  if (nan_wins ? top_bits((v_i8)odd) : top_bits((v_i8)(top == ON(all_keys)((INT)-m.infinity)))) return 0;
  memcpy(key, &top, VECTOR);
  if (!keys->value || top_bits((v_i8)(top == 0))) {
    for (size_t l = 0; l < L; l++) lane[l] = (INT)l;
    for (size_t r = 0; r < L; r++)
      row[r] = ON(row_places)(x + (int64_t)r * across, n, (V)ON(all_keys)((INT)bf_bits_of(keys, key[r])), (INT)n - lane);
    const S places = (INT)n - ON(fold_rows)(row);
    memcpy(place, &places, VECTOR);
  }
  for (size_t r = 0; r < L; r++) {
    UINT bits;
    if (key[r] <= best[r].key) continue;
    memcpy(&bits, x + (int64_t)r * across + (size_t)place[r] * sizeof bits, sizeof bits);
    const uint64_t value = key[r] ? bf_bits_of(keys, key[r]) : bits; /* of two zeros the first */
    best[r] = (struct bf_best){key[r], keys->value ? value : first + (uint64_t)place[r]};
  }
  return 1;
}
