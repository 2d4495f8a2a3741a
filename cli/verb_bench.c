/* SPDX-License-Identifier: Apache-2.0 */
/* bench: how long an element takes on this machine, beside a read, a vector sum, or a plain loop of the same bits. */
#include "bench.h"
#include "cli.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

typedef struct bench {
  const options *o;
  bench_plan plan;
  bench_arrays arrays;
  json_t *rows;
  json_t *skipped;
  uint64_t done; /* rows */
  uint64_t total;
} bench;

/* Calls each work that the command line selects, until one call returns something other than STATUS_DONE. */
static int each_work(bench *b, int (*call)(bench *b, bench_work *w)) {
  const bench_row *row;
  for (size_t i = 0; (row = bench_row_at(i)); i++) {
    const unsigned masks = row->shape == BENCH_IMAGES ? 15 : 1;
    for (unsigned mask = 1; mask <= masks; mask++) {
      bench_work w;
      int wanted = b->o->file_count == 0, status;
      bench_work_init(&w, row, masks == 1 ? 0 : mask, &b->plan);
      for (int k = 0; k < b->o->file_count; k++) wanted |= strstr(w.name, b->o->file[k]) != NULL;
      if (wanted && (status = call(b, &w))) return status;
    }
  }
  return STATUS_DONE;
}

static int count_work(bench *b, bench_work *w) {
  b->total++;
  if (w->bytes > b->arrays.bytes) b->arrays.bytes = w->bytes;
  return STATUS_DONE;
}

/* Why a row cannot be measured; null if it can. */
static const char *obstacle(const bench *b, const bench_work *w, char text[96]) {
  const char *isa = b->plan.isa;
  if (w->row->against == BENCH_ONE_THREAD && b->plan.threads < 2) return "there is one thread";
  if (w->row->shape == BENCH_CALL && isa && strcmp(isa, bitfold_isa_at(0)) != 0) return "the functions for rows take no --isa";
  if (w->bytes <= b->arrays.bytes) return NULL;
  (void)snprintf(text, 96, "wants %zu MiB of memory, of which %zu are to be had", w->bytes >> 20, b->arrays.bytes >> 20);
  return text;
}

static void skip(bench *b, const bench_work *w, const char *why) {
  if (b->o->json) (void)json_array_append_new(b->skipped, json_pack("{s:s, s:s}", "case", w->name, "why", why));
  else (void)printf("%s: skipped, for %s\n", w->name, why);
}

static const char *against_of(const bench_work *w) {
  static const char *const names[] = {
      [BENCH_READ] = "read",           [BENCH_VECTOR] = "vector sum", [BENCH_SEQUENTIAL] = "sequential loop",
      [BENCH_ONE_THREAD] = "1 thread", [BENCH_LIMIT] = "30 ns",
  };
  const int dot = w->contract.operation == BITFOLD_OPERATION_DOT;
  return w->row->against == BENCH_VECTOR && dot ? "vector dot" : names[w->row->against];
}

/* A row that reads as fast as one thread can has nothing to gain from a second but bandwidth. */
static double goal_of(const bench_work *w, const bench_times *t) {
  const int bound = w->row->against == BENCH_ONE_THREAD && t->against_ns < 2 * t->read_ns;
  return bound ? 0 : w->row->goal;
}

static void put_json(bench *b, const bench_work *w, const bench_times *t) {
  const double ratio = t->against_ns / t->ns, goal = goal_of(w, t);
  json_t *row = json_pack("{s:s, s:I, s:f, s:s, s:f, s:f}", "case", w->name, "n", (json_int_t)w->n, "ns", t->ns, "against",
                          against_of(w), "against_ns", t->against_ns, "ratio", ratio);
  (void)json_object_set_new(row, "per", json_string(w->row->shape == BENCH_CALL ? "call" : "element"));
  (void)json_object_set_new(row, "goal", goal > 0 ? json_real(goal) : json_null());
  (void)json_object_set_new(row, "reached", goal > 0 ? json_boolean(ratio >= goal) : json_null());
  (void)json_array_append_new(b->rows, row);
}

static void put_text(const bench_work *w, const bench_times *t) {
  const double ratio = t->against_ns / t->ns, goal = goal_of(w, t);
  (void)printf("%-49s %9llu %9.4f  %-15s %9.4f %8.3f", w->name, (unsigned long long)w->n, t->ns, against_of(w), t->against_ns,
               ratio);
  if (goal > 0) (void)printf(" %6g  %s", goal, ratio >= goal ? "reached" : "no");
  (void)putchar('\n');
  (void)fflush(stdout);
}

static int measure_work(bench *b, bench_work *w) {
  char text[96];
  const char *why = obstacle(b, w, text);
  progress_show(b->done++, b->total);
  if (why) {
    skip(b, w, why);
    return STATUS_DONE;
  }
  bench_times times = bench_measure(w, &b->arrays, &b->plan);
  if (w->status) return complain(NULL, "%s: %s", w->name, bitfold_status_text(w->status));
  progress_stop();
  if (b->o->json) put_json(b, w, &times);
  else put_text(w, &times);
  if (!times.differs) return STATUS_DONE;
  (void)complain(NULL, "%s: not the bits of the %s", w->name, against_of(w));
  return STATUS_NO;
}

/* The processor's name, where the system tells it; else empty. */
static const char *processor(char name[128]) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  name[0] = '\0';
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "model name%*[ \t]: %127[^\n]", name) == 1) break;
  }
  if (file) (void)fclose(file);
  for (char *c = name; *c; c++)
    if (*c < ' ' || *c > '~') *c = '?';
  return name;
}

static const char *isa_of(const bench *b) { return b->plan.isa ? b->plan.isa : bitfold_isa_at(0); }

static void put_head(const bench *b) {
  char name[128];
  (void)printf("bitfold %s on %s, %ld processors (%s)\n", bitfold_version(), isa_of(b), sysconf(_SC_NPROCESSORS_ONLN),
               *processor(name) ? name : "of no name");
  (void)printf("%-49s %9s %9s  %-15s %9s %8s %6s\n", "case", "elements", "ns each", "against", "ns", "ratio", "goal");
}

static void put_object(const bench *b) {
  char name[128];
  json_t *machine = json_pack("{s:s, s:i, s:s, s:i}", "isa", isa_of(b), "threads", b->plan.threads, "processor", processor(name),
                              "processors", (int)sysconf(_SC_NPROCESSORS_ONLN));
  json_t *object = json_pack("{s:s, s:o, s:b, s:O, s:O}", "version", bitfold_version(), "machine", machine, "quick", b->plan.quick,
                             "rows", b->rows, "skipped", b->skipped);
  (void)json_dumpf(object, stdout, JSON_REAL_PRECISION(6));
  (void)putchar('\n');
  json_decref(object);
}

static int run(bench *b) {
  int status = each_work(b, count_work);
  if (!b->total && b->o->file_count)
    return complain(NULL,
                    "%s: no case of bench has this in its name; f32, sf16, exact, '16 Ki', matmul, rows, columns, axes, call have",
                    b->o->file[0]);
  if (!status) status = bench_arrays_open(&b->arrays, b->arrays.bytes);
  if (!status && !b->o->json) put_head(b);
  progress_start(0);
  if (!status) status = each_work(b, measure_work);
  progress_stop();
  if (b->o->json && status != STATUS_UNUSABLE) put_object(b);
  bench_arrays_close(&b->arrays);
  return status ? status : output_flush();
}

int verb_bench(const options *o) {
  enum { TWO = 2 };
  bench b = {.o = o, .plan = {.isa = o->isa, .threads = o->threads, .quick = o->quick}};
  if (!o->has_threads && b.plan.threads > TWO) b.plan.threads = TWO;
  b.rows = json_array();
  b.skipped = json_array();
  int status = run(&b);
  json_decref(b.rows);
  json_decref(b.skipped);
  return status;
}
