/* SPDX-License-Identifier: Apache-2.0 */
/* helia: lanes(4,fold=left) where the reduced axes are the last ones, sequential otherwise (H61, H62). */
#include "../kernel.h"

const struct bf_order bf_order_helia = {NULL, NULL, NULL, NULL}; /* it always comes to another order */

bitfold_status bf_resolve_helia(struct bf_job *job, bitfold_level *levels, struct bf_walk *walk, bitfold_message *message) {
  (void)job, (void)message;
  if (walk->rows) levels[0] = (bitfold_level){BITFOLD_ORDER_LANES, BITFOLD_FOLD_LEFT, BITFOLD_TAIL_LANES, 4};
  else levels[0] = (bitfold_level){.order = BITFOLD_ORDER_SEQUENTIAL};
  return BITFOLD_STATUS_OK;
}
