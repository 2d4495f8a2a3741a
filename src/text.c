/* SPDX-License-Identifier: Apache-2.0 */
/* Text without stdio: one-line messages put together from parts, numbers, and the known words nearest to a mistyped one. */
#include "kernel.h"

/* <string.h> is not asked for more than mem* functions, which every target has. */
size_t bf_length(const char *word) {
  size_t length = 0;
  for (; word[length]; length++) __asm__(""); /* or GCC makes this loop a call of strlen */
  return length;
}

int bf_starts(const char *text, size_t length, const char *word) {
  for (size_t i = 0; word[i]; i++)
    if (i == length || text[i] != word[i]) return 0;
  return 1;
}

int bf_same(const char *a, const char *b) { return bf_length(a) == bf_length(b) && bf_starts(a, bf_length(a), b); }

void bf_append(struct bf_text *text, const char *part, size_t length) {
  for (size_t i = 0; i < length; i++, text->length++)
    if (text->length + 1 < text->capacity) text->start[text->length] = (unsigned char)part[i] - 32u >= 95u ? '?' : part[i];
  if (text->capacity) text->start[text->length < text->capacity ? text->length : text->capacity - 1] = 0;
}

void bf_append_word(struct bf_text *text, const char *word) { bf_append(text, word, bf_length(word)); }

void bf_append_number(struct bf_text *text, uint64_t value) {
  char digits[20];
  size_t i = sizeof digits;
  do digits[--i] = (char)('0' + value % 10);
  while (value /= 10);
  bf_append(text, digits + i, sizeof digits - i);
}

const char *bf_number(struct bf_digits *digits, int64_t value) {
  struct bf_text text = {digits->text, sizeof digits->text, 0};
  if (value < 0) bf_append_word(&text, "-");
  bf_append_number(&text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
  return digits->text;
}

bitfold_status bf_fail(bitfold_message *message, bitfold_status status, const char *const *parts) {
  if (!message) return status;
  struct bf_text text = {message->text, sizeof message->text, 0};
  for (; *parts; parts++) bf_append_word(&text, *parts);
  return status;
}

/* Letters to insert, delete or replace; words longer than the row are as far as can be. */
static size_t distance(const char *a, size_t a_length, const char *b) {
  size_t row[32], b_length = bf_length(b);
  if (a_length >= 32 || b_length >= 32) return 32;
  for (size_t j = 0; j <= b_length; j++) row[j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      size_t above = row[j], best = corner + (a[i - 1] != b[j - 1]);
      if (above + 1 < best) best = above + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      row[j] = best;
      corner = above;
    }
  }
  return row[b_length];
}

void bf_append_nearest(struct bf_text *text, const char *word, size_t length, const char *(*known)(size_t)) {
  size_t least = 32, said = 0;
  for (size_t i = 0; known(i); i++) {
    size_t d = distance(word, length, known(i));
    if (d < least) least = d;
  }
  for (size_t i = 0; known(i) && said < 4; i++)
    if (distance(word, length, known(i)) == least) {
      bf_append_word(text, said++ ? ", " : "");
      bf_append_word(text, known(i));
    }
}
