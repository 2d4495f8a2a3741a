/* SPDX-License-Identifier: Apache-2.0 */
/* reveal: in which order a program adds, from the sums that it gives through a pipe. */
#include "cli.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT = 10 };

static int make_box(const options *o, pipe_box *p) {
  const char *operation = o->operation ? o->operation : "sum";
  if (o->file_count) return complain(o->file[0], "reveal takes no files; --pipe names the program to ask");
  if (!o->pipe) return complain(NULL, "reveal needs the program to ask: --pipe ./device_sum --n 256 --format f32");
  if (!o->length) return complain(NULL, "reveal needs --n, how many numbers the program adds");
  if (!o->format) return complain(NULL, "reveal needs --format, the format of the numbers: f16, bf16, f32 or f64");
  if (strcmp(operation, "sum") == 0) p->box.operation = BITFOLD_OPERATION_SUM;
  else if (strcmp(operation, "mean") == 0) p->box.operation = BITFOLD_OPERATION_MEAN;
  else if (strcmp(operation, "dot") == 0) p->box.operation = BITFOLD_OPERATION_DOT;
  else return complain(NULL, "--op %s: reveal asks for a sum, mean or dot", operation);
  p->command = o->pipe;
  p->timeout = o->timeout ? o->timeout : TIMEOUT;
  p->box.call = pipe_ask, p->box.context = p;
  p->box.element = o->format, p->box.output = o->result ? o->result : o->format;
  p->box.n = (size_t)o->length, p->box.trials = (unsigned)o->trials;
  p->expected = (uint64_t)o->length + 100 + (o->trials ? (uint64_t)o->trials : 100);
  return STATUS_DONE;
}

static json_t *text_or_null(const char *text) { return *text ? json_string(text) : json_null(); }

static void print_json(const pipe_box *p, const bitfold_revelation *r) {
  json_t *others = json_array();
  for (unsigned i = 0; i < r->others; i++) (void)json_array_append_new(others, json_string(r->other[i]));
  json_t *all =
      json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:s}", "finding", bitfold_finding_name(r->finding), "contract",
                text_or_null(r->contract), "others", others, "tree", text_or_null(r->tree), "probes", (json_int_t)r->probes,
                "trials", (json_int_t)r->trials, "agreed", (json_int_t)r->agreed, "message", r->message.text);
  json_t *asked =
      json_pack("{s:s, s:s, s:s, s:I}", "operation", bitfold_operation_name(p->box.operation), "format",
                bitfold_format_name(p->box.element), "output", bitfold_format_name(p->box.output), "n", (json_int_t)p->box.n);
  json_t *traits = json_pack("{s:b, s:b, s:b, s:o, s:o, s:s}", "minus_zero", r->minus_zero, "flushes", r->flushes, "saturates",
                             r->saturates, "fused", r->fused < 0 ? json_null() : json_boolean(r->fused), "accumulator_bits",
                             r->accumulator_bits ? json_integer(r->accumulator_bits) : json_null(), "rounding",
                             bitfold_rounding_name(r->rounding));
  (void)json_object_set_new(all, "asked", asked);
  (void)json_object_set_new(all, "traits", traits);
  (void)json_dumpf(all, stdout, 0);
  (void)putchar('\n');
  json_decref(all);
}

/* The contract alone on the first line, for scripts; what was not found goes to standard error. */
static int print_text(const pipe_box *p, const bitfold_revelation *r) {
  if (r->finding == BITFOLD_FINDING_CONTRACT) {
    (void)puts(r->contract);
    for (unsigned i = 0; i < r->others; i++) (void)printf("%s %s", i ? "," : "the same here:", r->other[i]);
    if (r->others) (void)putchar('\n');
    (void)printf("%zu elements, %llu questions; %llu of %llu random rows agree\n", p->box.n, (unsigned long long)r->probes,
                 (unsigned long long)r->agreed, (unsigned long long)r->trials);
    return output_flush();
  }
  if (r->finding == BITFOLD_FINDING_ORDER && *r->contract) (void)printf("nearest: %s\n", r->contract);
  if (r->finding == BITFOLD_FINDING_ORDER && *r->tree) (void)printf("tree: %s\n", r->tree);
  return output_flush();
}

static int reveal(const options *o, pipe_box *p, void *room, size_t bytes) {
  bitfold_revelation found;
  bitfold_message message;
  int status = pipe_start(p);
  progress_start(0);
  const bitfold_status revealed = status ? BITFOLD_STATUS_OK : bitfold_reveal(&p->box, room, bytes, &found, &message);
  progress_stop();
  const int stopped = pipe_stop(p);
  if (status || stopped) return status ? status : stopped;
  if (revealed) return complain(p->command, "%s", message.text);
  if (o->json) print_json(p, &found);
  status = o->json ? output_flush() : print_text(p, &found);
  if (status || found.finding == BITFOLD_FINDING_CONTRACT) return status;
  if (!o->json) (void)complain(p->command, "%s", found.message.text);
  return STATUS_NO;
}

int verb_reveal(const options *o) {
  pipe_box p = {0};
  int status = make_box(o, &p);
  if (status) return status;
  const size_t bytes = bitfold_reveal_bytes(&p.box);
  void *room = bytes ? malloc(bytes) : NULL;
  if (!room) return complain(NULL, "out of memory for rows of %zu elements", p.box.n);
  status = reveal(o, &p, room, bytes);
  free(room);
  return status;
}
