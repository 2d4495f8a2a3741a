/* SPDX-License-Identifier: Apache-2.0 */
/* A strided reduction with its report: channel means of an image batch, over every second column, with no copy made. */
#include <bitfold/bitfold.h>
#include <stdint.h>
#include <stdio.h>

enum { BATCH = 2, HEIGHT = 3, WIDTH = 4, CHANNELS = 3 };

static int refuse(const char *why) {
  fprintf(stderr, "%s\n", why);
  return 1;
}

int main(void) {
  float pixels[BATCH][HEIGHT][WIDTH][CHANNELS];
  for (int i = 0; i < BATCH * HEIGHT * WIDTH * CHANNELS; i++) (&pixels[0][0][0][0])[i] = (float)(i % 7) / 10;

  bitfold_contract contract;
  bitfold_message message;
  if (bitfold_contract_parse("mean:f32:lanes(4,fold=left)", &contract, &message)) return refuse(message.text);

  /* Every second column: half the extent, twice the stride. */
  bitfold_tensor x, y;
  const int64_t shape[4] = {BATCH, HEIGHT, WIDTH, CHANNELS};
  if (bitfold_tensor_init(&x, BITFOLD_FORMAT_F32, pixels, 4, shape)) return 1;
  x.shape[2] /= 2;
  x.stride[2] *= 2;

  const bitfold_axes axes = {.count = 3, .axis = {0, 1, 2}};
  float mean[CHANNELS];
  if (bitfold_tensor_reduced(&x, &axes, 0, contract.output, &y, &message)) return refuse(message.text);
  y.data = mean;

  bitfold_report report;
  if (bitfold_reduce(&contract, &x, NULL, &axes, &y, NULL, &report)) return refuse(report.message.text);

  char text[120];
  bitfold_contract_print(&report.contract, text, sizeof text);
  printf("%s\n%d outputs, %d NaN, %d overflowed\n", text, (int)report.outputs, (int)report.nan, (int)report.overflowed);
  for (int i = 0; i < CHANNELS; i++) printf("channel %d: %.9g\n", i, (double)mean[i]);
  return 0;
}
