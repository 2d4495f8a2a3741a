/* SPDX-License-Identifier: Apache-2.0 */
/* What every verb with a result ends with: the policy for overflow, and the result to where the options send it. */
#include "cli.h"

#include <stdlib.h>

int deliver_events(const options *o, const input *in, const char *operation, uint64_t count, uint64_t total) {
  if (count == 0 || o->over == OVER_IGNORE) return STATUS_DONE;
  (void)complain(in->name, "%s %s: overflow in %llu of %llu element(s)", bitfold_format_name(in->tensor.format), operation,
                 (unsigned long long)count, (unsigned long long)total);
  return o->over == OVER_RAISE ? STATUS_NO : STATUS_DONE;
}

int deliver_room(const char *file, result *r) {
  r->count = 1;
  for (int i = 0; i < r->tensor.rank; i++) r->count *= (uint64_t)r->tensor.shape[i];
  r->room = calloc(r->count ? r->count : 1, bitfold_format_size(r->tensor.format));
  if (!r->room) return complain(file, "out of memory for %llu outputs", (unsigned long long)r->count);
  r->tensor.data = r->room;
  r->data = r->room;
  return STATUS_DONE;
}

int deliver(const options *o, store *s, const result *r) {
  int status = o->out ? store_commit(s, r) : STATUS_DONE;
  if (status) return status;
  if (o->json) status = output_json(r);
  else if (o->bits) output_bits(r);
  else if (!o->out) output_text(r);
  if (r->has_vanished && !o->json) {
    (void)printf("vanished: %llu of %llu products\n", (unsigned long long)r->vanished, (unsigned long long)r->products);
  }
  return status ? status : output_flush();
}
