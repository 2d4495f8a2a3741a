/* SPDX-License-Identifier: Apache-2.0 */
/* Text without stdio: words, numbers, one-line messages; text.c. Part of kernel.h. */

/*
 * Text that grows in a caller's buffer and is cut off at its end; length is what it would have been. Control characters and bytes
 * beyond ASCII become question marks, so a message stays one line.
 */
struct bf_text {
  char *start;
  size_t capacity, length;
};
size_t bf_length(const char *word);
int bf_same(const char *a, const char *b);
int bf_starts(const char *text, size_t length, const char *word); /* the word is a prefix of text[0, length) */
void bf_append(struct bf_text *text, const char *part, size_t length);
void bf_append_word(struct bf_text *text, const char *word);
void bf_append_number(struct bf_text *text, uint64_t value);
/* The known words with the fewest letters to change, at most four; known(i) is null past the last. */
void bf_append_nearest(struct bf_text *text, const char *word, size_t length, const char *(*known)(size_t));
void bf_append_order(struct bf_text *text, const bitfold_contract *contract); /* or rule; contract/print.c */

struct bf_digits {
  char text[24];
};
const char *bf_number(struct bf_digits *digits, int64_t value);

/* Writes the parts, up to a null one, to the message unless that is null; returns status. */
bitfold_status bf_fail(bitfold_message *message, bitfold_status status, const char *const *parts);
#define BF_FAIL(message, status, ...) bf_fail(message, status, (const char *const[]){__VA_ARGS__, NULL})
