// SPDX-License-Identifier: Apache-2.0
// The public header, included twice and alone, is C++17, and a C++ program links with the library.
#include <bitfold/bitfold.h>
#include <bitfold/bitfold.h>

int main() {
  const float x[4] = {1e8f, 1.0f, -1e8f, 1.0f};
  float y = 0;
  return bitfold_sum_f32(x, 4, nullptr, &y) != BITFOLD_STATUS_OK || y != 2.0f;
}
