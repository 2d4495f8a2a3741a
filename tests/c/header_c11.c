/* SPDX-License-Identifier: Apache-2.0 */
/* The public header, included twice and alone, is C11, and the example of its first page gives the values it claims. */
#include <bitfold/bitfold.h>
#include <bitfold/bitfold.h>

int main(void) {
  const float x[4] = {1e8f, 1.0f, -1e8f, 1.0f};
  float exact = 0, sequential = 0;
  bitfold_contract contract;
  if (bitfold_sum_f32(x, 4, NULL, &exact)) return 1;
  if (bitfold_contract_parse("sum:f32:sequential", &contract, NULL)) return 2;
  if (bitfold_sum_f32(x, 4, &contract, &sequential)) return 3;
  return exact < 2.0f || exact > 2.0f || sequential < 1.0f || sequential > 1.0f;
}
