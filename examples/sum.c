/* SPDX-License-Identifier: Apache-2.0 */
/* The one-line call: the sum of a row, correctly rounded and in three other orders, each with its bits. */
#include <bitfold/bitfold.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The harmonic series: short enough to read, long enough for orders to differ. */
enum { N = 1000 };

static int print_sum(const float *x, const char *text) {
  bitfold_contract contract;
  bitfold_message message;
  float sum;
  uint32_t bits;
  if (bitfold_contract_parse(text, &contract, &message) != BITFOLD_STATUS_OK) {
    fprintf(stderr, "%s\n", message.text);
    return 1;
  }
  bitfold_status status = bitfold_sum_f32(x, N, &contract, &sum);
  if (status != BITFOLD_STATUS_OK) {
    fprintf(stderr, "%s: %s\n", text, bitfold_status_text(status));
    return 1;
  }
  memcpy(&bits, &sum, sizeof bits);
  printf("%08x  %.9g  %s\n", (unsigned)bits, (double)sum, text);
  return 0;
}

int main(void) {
  float x[N];
  for (int i = 0; i < N; i++) x[i] = 1.0f / (float)(i + 1);
  return print_sum(x, "sum:f32:exact") || print_sum(x, "sum:f32:sequential") || print_sum(x, "sum:f32:reverse") ||
         print_sum(x, "sum:f32:lanes(8,fold=halves)");
}
