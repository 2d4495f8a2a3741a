/* SPDX-License-Identifier: Apache-2.0 */
/* A sum in two pieces: each is streamed, the right one travels as bytes, and the merged result has the bits of the whole row. */
#include <bitfold/bitfold.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A chunk must end where the order can be cut: whole rows of canonical(8), whole blocks of blocks(1024). */
enum { N = 10000, CHUNK = 1024 };

/* What a rank does: the piece [first, end) of the row, read chunk by chunk. */
static bitfold_status reduce_piece(const bitfold_contract *contract, const float *x, size_t first, size_t end,
                                   bitfold_partial *piece, bitfold_message *message) {
  bitfold_status status = bitfold_partial_init(piece, contract, N, first, message);
  for (size_t i = first; status == BITFOLD_STATUS_OK && i < end; i += CHUNK)
    status = bitfold_partial_add(piece, x + i, NULL, end - i < CHUNK ? end - i : CHUNK, message);
  return status;
}

static bitfold_status reduce_in_two(const bitfold_contract *contract, const float *x, uint64_t *cut, float *sum,
                                    bitfold_message *message) {
  bitfold_partial left, right, received;
  unsigned char bytes[BITFOLD_PARTIAL_BYTES_MAX];
  size_t used;
  bitfold_status status = bitfold_partial_cut(contract, N, N / 3, cut);
  if (!status) status = reduce_piece(contract, x, 0, *cut, &left, message);
  if (!status) status = reduce_piece(contract, x, *cut, N, &right, message);
  if (!status) status = bitfold_partial_to_bytes(&right, bytes, sizeof bytes, &used);
  if (!status) status = bitfold_partial_from_bytes(&received, bytes, used);
  if (!status) status = bitfold_partial_merge(&left, &received, message);
  if (!status) status = bitfold_partial_finish(&left, sum, NULL);
  return status;
}

int main(void) {
  static const char *const texts[] = {"sum:f32:exact", "sum:f32:canonical(8)", "sum:f32:blocks(1024,lanes(8))"};
  static float x[N];
  for (int i = 0; i < N; i++) x[i] = 1.0f / (float)(i + 1);

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    bitfold_contract contract;
    bitfold_message message = {""};
    float pieces = 0, whole = 0;
    uint64_t cut = 0;
    bitfold_status status = bitfold_contract_parse(texts[i], &contract, &message);
    if (!status) status = reduce_in_two(&contract, x, &cut, &pieces, &message);
    if (!status) status = bitfold_sum_f32(x, N, &contract, &whole);
    if (status) {
      fprintf(stderr, "%s: %s\n", texts[i], message.text[0] ? message.text : bitfold_status_text(status));
      return 1;
    }
    printf("%s, cut at %u of %d: %.9g, %s\n", texts[i], (unsigned)cut, N, (double)pieces,
           memcmp(&pieces, &whole, sizeof whole) == 0 ? "the bits of the whole row" : "OTHER bits than the whole row");
  }
  return 0;
}
