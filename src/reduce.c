/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold_reduce: check everything, plan, and have the act called for each group of neighbouring outputs. */
#include "kernel.h"

void bf_job_store(struct bf_job *job, size_t j, uint64_t bits) {
  if (bf_stopped(&job->terms)) return;
  bf_store(job->output + (int64_t)j * job->output_across, job->output_size, job->output_swapped, bits);
}

void bf_store_best(struct bf_job *job, size_t j, struct bf_best best) {
  const bitfold_contract *c = job->contract;
  struct bf_terms one = job->terms;
  uint64_t bits = best.index;
  int event;
  if (!bf_is_arg(c->operation) && bf_key_is_nan(c, best.key)) {
    bits = bf_encode(c->output, (struct bf_real){BF_NAN, 0, 0, 0, 0}, &event);
    job->report.nan++;
  } else if (!bf_is_arg(c->operation)) {
    one.width = 1;
    one.progress = NULL;
    one.x += (int64_t)j * one.x_across;
    bf_operand_bits(&one, best.index, 1, &bits);
  }
  bf_job_store(job, j, bits);
}

void bf_select_each(struct bf_job *job) {
  struct bf_best best[BF_WIDTH_MAX];
  for (size_t j = 0; j < job->terms.width; j++) best[j] = (struct bf_best){INT64_MIN, 0};
  bf_select(&job->terms, job->contract, 0, job->n, best);
  for (size_t j = 0; j < job->terms.width; j++) bf_store_best(job, j, best[j]);
}

static void check_codes(struct bf_job *job) {
  if (!bf_codes_are_in_range(&job->terms, 0, job->n)) job->bad_codes = 1;
}

/* Codes of sfN that is narrower than its memory are checked before anything is written, which reads them twice. */
static int is_checked(bitfold_format f) { return bf_is_sf(f) && f != BITFOLD_FORMAT_SF8 && f != BITFOLD_FORMAT_SF16; }

int bf_has_bad_codes(struct bf_job *job, const struct bf_walk *walk, size_t width) {
  if (walk->outputs && is_checked(job->terms.element)) bf_each_group(job, walk, width, check_codes);
  return job->bad_codes;
}

static bitfold_status check_empty(const bitfold_contract *c, const struct bf_walk *walk, bitfold_message *message) {
  const char *name = bitfold_operation_name(c->operation);
  int mean_without_nan = bf_is_mean(c->operation) && !bf_is_float(c->output);
  if (walk->terms || !walk->outputs || !(bf_is_selection(c->operation) || mean_without_nan)) return BITFOLD_STATUS_OK;
  return BF_FAIL(message, BITFOLD_STATUS_EMPTY, name, " of no elements has no value");
}

static bitfold_status check_job(const bitfold_contract *c, const bitfold_tensor *x, const bitfold_tensor *y,
                                const bitfold_tensor *output, bitfold_message *message) {
  bitfold_status status = bf_contract_check(c, message);
  if (status) return status;
  if (!x || !output) return BF_FAIL(message, BITFOLD_STATUS_NULL, "the input or output tensor is null");
  int dot = c->operation == BITFOLD_OPERATION_DOT;
  if (dot != (y != NULL))
    return BF_FAIL(message, dot ? BITFOLD_STATUS_NULL : BITFOLD_STATUS_CONTRACT, bitfold_operation_name(c->operation),
                   dot ? " takes two inputs" : " takes one input");
  if (x->format != c->element || (y && y->format != c->element))
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the contract's element is ", bitfold_format_name(c->element),
                   ", the input's ",
                   bf_format(x->format) ? bitfold_format_name(x->format != c->element ? x->format : y->format) : "none");
  if (output->format != c->output)
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the contract's output is ", bitfold_format_name(c->output), ", the tensor's ",
                   bf_format(output->format) ? bitfold_format_name(output->format) : "none");
  return BITFOLD_STATUS_OK;
}

static bitfold_status check_length(const bitfold_contract *c, const struct bf_walk *walk, bitfold_message *message) {
  struct bf_digits leaves, terms;
  if (bf_is_arg(c->operation) && c->output == BITFOLD_FORMAT_I32 && walk->terms > (uint64_t)INT32_MAX)
    return BF_FAIL(message, BITFOLD_STATUS_SHAPE, "indices beyond 2^31 - 1 do not fit out=i32");
  if (!c->depth || c->level[0].order != BITFOLD_ORDER_TREE || !walk->outputs) return BITFOLD_STATUS_OK;
  uint64_t count = bf_tree_leaves(c->tree, c->tree_length, message);
  if (count == walk->terms) return BITFOLD_STATUS_OK;
  return BF_FAIL(message, BITFOLD_STATUS_SHAPE, "the tree has ", bf_number(&leaves, (int64_t)count), " leaves, but there are ",
                 bf_number(&terms, (int64_t)walk->terms), " elements to reduce");
}

/* Everything that one call needs. */
struct call {
  struct bf_walk walk;
  struct bf_isa room; /* for a machine with gaps */
  struct bf_progress progress;
  struct bf_job job;
  bitfold_level levels[BITFOLD_LEVELS_MAX];
};

static bitfold_status run(struct call *call, bitfold_message *message) {
  struct bf_job *job = &call->job;
  const struct bf_walk *walk = &call->walk;
  const struct bf_plan plan = bf_plan_of(job, walk);
  uint64_t control = bf_control_enter();
  if (job->terms.progress) job->terms.progress->control = control;
  if (!bf_has_bad_codes(job, walk, BF_CODES_WIDTH) && walk->outputs && !bf_stopped(&job->terms))
    bf_each_group(job, walk, plan.width, plan.act);
  bf_control_leave(control);
  if (job->bad_codes)
    return BF_FAIL(message, BITFOLD_STATUS_VALUE, "a code is beyond the width of ", bitfold_format_name(job->contract->element));
  if (bf_stopped(&job->terms)) return BF_FAIL(message, BITFOLD_STATUS_STOPPED, "stopped by the caller");
  return BITFOLD_STATUS_OK;
}

/* What does not depend on tensors: contract, machine, threads, progress. */
static bitfold_status choose(struct call *call, const bitfold_engine *engine, bitfold_message *message) {
  const char *name = engine && engine->isa ? engine->isa : "";
  call->job.terms.isa = bf_isa_chosen(*name ? name : NULL, &call->room);
  if (!call->job.terms.isa) return BF_FAIL(message, BITFOLD_STATUS_MACHINE, "there is no machine '", name, "' here");
  call->job.threads = engine ? engine->threads : 0;
  if (!engine || !engine->progress) return BITFOLD_STATUS_OK;
  const uint64_t passes = is_checked(call->job.contract->element) ? 2 : 1;
  call->progress = (struct bf_progress){.call = engine->progress, .context = engine->context, .due = (uint64_t)1 << 20};
  call->progress.total = passes * call->walk.outputs * call->walk.terms;
  call->job.terms.progress = &call->progress;
  return BITFOLD_STATUS_OK;
}

/* Field by field, as clearing all of it takes as long as a short row. */
static void set_out(struct call *call, const bitfold_contract *contract) {
  struct bf_job *job = &call->job;
  struct bf_terms *terms = &job->terms;
  const struct bf_walk *walk = &call->walk;
  job->contract = contract, job->n = walk->terms;
  job->output = NULL, job->output_size = bf_format(contract->output)->size;
  job->output_swapped = job->bad_codes = job->threads = 0, job->output_across = 0, job->mean = BF_MEAN_OWN;
  job->report = (struct bf_report){0};
  terms->isa = NULL, terms->reduced = walk->reduced, terms->reduceds = walk->reduceds;
  terms->element = contract->element, terms->operation = contract->operation, terms->size = bf_format(contract->element)->size;
  terms->x_swapped = terms->y_swapped = 0, terms->x = terms->y = NULL, terms->x_across = terms->y_across = 0;
  terms->width = 0, terms->progress = NULL;
  terms->tree = contract->tree, terms->tree_length = contract->tree_length;
}

/* What call->job points to stays in *call. */
static bitfold_status prepare(struct call *call, const bitfold_contract *contract, const bitfold_tensor *x, const bitfold_tensor *y,
                              const bitfold_axes *axes, const bitfold_tensor *output, const bitfold_engine *engine,
                              bitfold_message *message) {
  struct bf_walk *walk = &call->walk;
  struct bf_job *job = &call->job;
  bitfold_status status = check_job(contract, x, y, output, message);
  if (status || (status = bf_walk_init(walk, x, y, axes, output, message))) return status;
  if ((status = check_empty(contract, walk, message)) || (status = check_length(contract, walk, message))) return status;
  set_out(call, contract);
  memcpy(&job->output, &output->data, sizeof job->output); /* const only because inputs are tensors too */
  job->output_swapped = output->swapped, job->output_across = walk->inner.output;
  job->terms.x = x->data, job->terms.x_swapped = x->swapped, job->terms.x_across = walk->inner.x;
  if (y) job->terms.y = y->data, job->terms.y_swapped = y->swapped, job->terms.y_across = walk->inner.y;
  if ((status = bf_resolve(job, call->levels, walk, message))) return status;
  return choose(call, engine, message);
}

bitfold_status bf_reduce_row(const bitfold_contract *contract, const void *x, const void *y, size_t n, void *output) {
  struct call call;
  bitfold_status status = bf_contract_check(contract, NULL);
  if (status) return status;
  const size_t size = bitfold_format_size(contract->element);
  const struct bf_axis axis = {n, (int64_t)size, y ? (int64_t)size : 0, 0};
  if (n > (size_t)INT64_MAX / size) return BITFOLD_STATUS_SHAPE;
  call.walk.outers = 0, call.walk.reduceds = 1; /* the arrays, which are large to clear, are not read beyond these */
  call.walk.inner = (struct bf_axis){1, 0, 0, 0}, call.walk.reduced[0] = axis;
  call.walk.outputs = 1, call.walk.terms = n, call.walk.rows = 1;
  call.walk.rank = 1, call.walk.output_rank = 0, call.walk.marked = 1, call.walk.axis[0] = axis;
  if ((status = check_empty(contract, &call.walk, NULL)) || (status = check_length(contract, &call.walk, NULL))) return status;
  set_out(&call, contract);
  call.job.output = output, call.job.terms.x = x, call.job.terms.y = y;
  if ((status = bf_resolve(&call.job, call.levels, &call.walk, NULL))) return status;
  return (status = choose(&call, NULL, NULL)) ? status : run(&call, NULL);
}

bitfold_status bitfold_reduce(const bitfold_contract *contract, const bitfold_tensor *x, const bitfold_tensor *y,
                              const bitfold_axes *axes, const bitfold_tensor *output, const bitfold_engine *engine,
                              bitfold_report *report) {
  struct call call;
  const struct bf_report *counts = &call.job.report;
  bitfold_message message;
  bitfold_status status = prepare(&call, contract, x, y, axes, output, engine, &message);
  if (!status) status = run(&call, &message);
  if (report && status) report->message = message;
  if (!report || status) return status;
  report->clamped = counts->clamped, report->nan = counts->nan, report->overflowed = counts->overflowed;
  report->threads = counts->threads ? counts->threads : 1;
  report->outputs = call.walk.outputs, report->contract = *contract, report->isa = bf_isa_name(call.job.terms.isa->name);
  report->message.text[0] = 0;
  return status;
}

bitfold_status bitfold_reduce_plan(const bitfold_contract *contract, const bitfold_tensor *x, const bitfold_tensor *y,
                                   const bitfold_axes *axes, const bitfold_tensor *output, const bitfold_engine *engine,
                                   bitfold_plan *plan, bitfold_message *message) {
  struct call call;
  if (!plan) return BF_FAIL(message, BITFOLD_STATUS_NULL, "the plan is null");
  bitfold_status status = prepare(&call, contract, x, y, axes, output, engine, message);
  if (status) return status;
  const struct bf_plan made = bf_plan_of(&call.job, &call.walk);
  *plan = (bitfold_plan){
      .isa = bf_isa_name(call.job.terms.isa->name), .act = made.name, .outputs = call.walk.outputs, .terms = call.walk.terms};
  plan->width = made.width < call.walk.inner.extent ? made.width : call.walk.inner.extent;
  plan->pieces = made.is_cut ? bf_pieces(&call.job) : 1;
  plan->shares = made.is_cut ? 1 : bf_shares(&call.job, &call.walk, &plan->width);
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}
