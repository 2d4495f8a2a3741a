/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The firmware of a board that adds what comes over its serial line: requests of docs/reveal.md in, sums out. It adds by the one
 * function that the product will call, arm_reduce_sum_f32, and knows nothing of who asks.
 */
#include <bitfold_arm_nn.h>
#include <stddef.h>

/* CMSDK APB UART 0 of Arm's MPS3 board with the image AN547. */
struct uart {
  volatile uint32_t data, state, control, interrupt, divider;
};
#define UART ((struct uart *)0x49303000)
enum { TRANSMIT_FULL = 1, RECEIVE_FULL = 2, TRANSMIT_AND_RECEIVE = 3, LEAST_DIVIDER = 16 };
enum { MOST = 16384 };

static uint8_t receive(void) {
  while (!(UART->state & RECEIVE_FULL)) {}
  return (uint8_t)UART->data;
}
static void transmit(uint8_t byte) {
  while (UART->state & TRANSMIT_FULL) {}
  UART->data = byte;
}

/* "sum f32 256 f32\n": how many numbers follow. The operation and formats are what this board was built for. */
static int32_t request(void) {
  int32_t count = 0;
  for (int words = 0, c = receive(); c != '\n'; c = receive()) {
    if (c == ' ') words++;
    else if (words == 2) count = 10 * count + (c - '0');
  }
  return count;
}

int main(void) {
  static union {
    float32_t number[MOST];
    uint8_t byte[MOST * sizeof(float32_t)];
  } row;
  union {
    float32_t number;
    uint8_t byte[sizeof(float32_t)];
  } sum;
  static const cmsis_nn_dims over_c = {0, 0, 0, 1}, one = {1, 1, 1, 1};
  UART->divider = LEAST_DIVIDER, UART->control = TRANSMIT_AND_RECEIVE;
  for (;;) {
    const cmsis_nn_dims dims = {1, 1, 1, request()};
    for (int32_t i = 0; i < dims.c * (int32_t)sizeof *row.number; i++) row.byte[i] = receive();
    (void)arm_reduce_sum_f32(row.number, &dims, &over_c, &sum.number, &one);
    for (size_t i = 0; i < sizeof sum; i++) transmit(sum.byte[i]);
  }
}
