/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first greatest of each of many neighbouring columns, of one kind of key: a few rows at a time, so that memory is read in a
 * few streams and the state of a strip of columns stays in registers meanwhile.
 */
enum { ON(AT_ONCE) = 8, ON(NEAR_AT_ONCE) = 64, ON(NEAR) = 1024 }; /* rows, and those that lie so many bytes apart at the most */

VEC void ON(pick_strip)(unsigned char *most, unsigned char *mark, const size_t vectors, const unsigned char *x, int64_t step,
                        size_t n, INT row, const struct ON(key_maker) m, const int value) {
  S best[4], note[4];
  for (size_t v = 0; v < vectors; v++) best[v] = ON(load_keys)(most + v * VECTOR), note[v] = ON(load_keys)(mark + v * VECTOR);
  for (; n; n--, x += step, row++)
    for (size_t v = 0; v < vectors; v++) {
      const S element = ON(load_keys)(x + v * VECTOR), key = ON(key)(element, m);
      note[v] = CHOOSE(key, best[v], value ? element : ON(all_keys)(row), note[v]);
      best[v] = LARGER(key, best[v]);
    }
  for (size_t v = 0; v < vectors; v++) memcpy(most + v * VECTOR, &best[v], VECTOR), memcpy(mark + v * VECTOR, &note[v], VECTOR);
}

#ifdef V
VEC void ON(raise_strip)(unsigned char *most, unsigned char *mark, const size_t vectors, const unsigned char *x, int64_t step,
                         size_t n, INT row, const int least, const int value, const int nan_wins) {
  V best[4];
  S note[4], odd[4] = {{0}};
  for (size_t v = 0; v < vectors; v++) best[v] = (V)ON(load_keys)(most + v * VECTOR);
  for (size_t v = 0; v < vectors && !value; v++) note[v] = ON(load_keys)(mark + v * VECTOR);
  for (; n; n--, x += step, row++)
    for (size_t v = 0; v < vectors; v++) {
      const V element = (V)ON(load_keys)(x + v * VECTOR);
      if (!value && !least) note[v] = BF_JOIN(choose, F)(element, best[v], ON(all_keys)(row), note[v]);
      if (!value && least) note[v] = BF_JOIN(choose, F)(best[v], element, ON(all_keys)(row), note[v]);
      if (value && nan_wins) odd[v] = BF_JOIN(odd, F)(odd[v], element, best[v]);
      best[v] = ON(better)(element, best[v], least);
    }
  for (size_t v = 0; v < vectors; v++) {
    if (value && nan_wins) best[v] = (V)((S)best[v] | odd[v]);
    memcpy(most + v * VECTOR, &best[v], VECTOR);
  }
  for (size_t v = 0; v < vectors && !value; v++) memcpy(mark + v * VECTOR, &note[v], VECTOR);
}
#endif

/* What a strip is for: raise, value, least, nan_wins are constants where this is inlined. */
VEC void ON(band)(unsigned char *most, unsigned char *mark, const size_t vectors, const unsigned char *x, int64_t step, size_t n,
                  INT row, const struct bf_keys *keys, const int raise, const int value, const int least, const int nan_wins) {
#ifdef V
  if (raise) {
    ON(raise_strip)(most, mark, vectors, x, step, n, row, least, value, nan_wins);
    return;
  }
#endif
  (void)raise, (void)least, (void)nan_wins;
  ON(pick_strip)(most, mark, vectors, x, step, n, row, ON(maker)(keys), value);
}

/* Fewer columns than a vector's, n rows at the most AT_ONCE: by way of rows that are padded. */
static BF_NOINLINE const unsigned char *ON(pad_rows)(unsigned char *rows, size_t width, const unsigned char *x, int64_t step,
                                                     size_t n) {
  for (size_t i = 0; i < n; i++, x += step) memcpy(rows + i * VECTOR, x, width * sizeof(INT));
  return rows;
}

VEC void ON(each_strip)(unsigned char *most, unsigned char *mark, size_t width, const unsigned char *x, int64_t step, size_t n,
                        uint64_t row, const struct bf_keys *keys, const int raise, const int value, const int least,
                        const int nan_wins) {
  unsigned char padded[ON(AT_ONCE) * VECTOR];
  const size_t size = sizeof(INT);
  const size_t at_once = width >= L && step <= ON(NEAR) && step >= -ON(NEAR) ? ON(NEAR_AT_ONCE) : ON(AT_ONCE);
  if (width < L) memset(padded, 0, sizeof padded);
  for (size_t some; n; n -= some, x += (int64_t)some * step, row += some) {
    some = n < at_once ? n : at_once;
    const INT from = (INT)row;
    size_t j = 0;
    if (width < L) {
      ON(pad_rows)(padded, width, x, step, some);
      ON(band)(most, mark, 1, padded, VECTOR, some, from, keys, raise, value, least, nan_wins);
      continue;
    }
    for (; j + 4 * L <= width; j += 4 * L)
      ON(band)(most + j * size, mark + j * size, 4, x + j * size, step, some, from, keys, raise, value, least, nan_wins);
    for (; j < width; j += L) { /* the last ones may be taken twice: the second time nothing is greater */
      const size_t at = (j + L <= width ? j : width - L) * size;
      ON(band)(most + at, mark + at, 1, x + at, step, some, from, keys, raise, value, least, nan_wins);
    }
  }
}

static void ON(pick_columns)(void *most, void *mark, size_t width, const unsigned char *x, int64_t step, size_t n, uint64_t row,
                             const struct bf_keys *keys) {
  if (keys->value) ON(each_strip)(most, mark, width, x, step, n, row, keys, 0, 1, 0, 0);
  else ON(each_strip)(most, mark, width, x, step, n, row, keys, 0, 0, 0, 0);
}

#ifdef V
static void ON(raise_columns)(void *most, void *mark, size_t width, const unsigned char *x, int64_t step, size_t n, uint64_t row,
                              const struct bf_keys *keys) {
  const int how = 2 * keys->least + (keys->nan > 0);
  if (!keys->value && keys->least) ON(each_strip)(most, mark, width, x, step, n, row, keys, 1, 0, 1, 0);
  else if (!keys->value) ON(each_strip)(most, mark, width, x, step, n, row, keys, 1, 0, 0, 0);
  else if (how == 0) ON(each_strip)(most, mark, width, x, step, n, row, keys, 1, 1, 0, 0);
  else if (how == 1) ON(each_strip)(most, mark, width, x, step, n, row, keys, 1, 1, 0, 1);
  else if (how == 2) ON(each_strip)(most, mark, width, x, step, n, row, keys, 1, 1, 1, 0);
  else ON(each_strip)(most, mark, width, x, step, n, row, keys, 1, 1, 1, 1);
}
#endif
