/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: options before or after the files, and one line for each that cannot be used. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Places in the table below, above every character, for getopt_long tells -o from --output by them. */
enum {
  AXIS = 256,
  KEEPDIMS,
  AS,
  ORDER,
  RULE,
  CONTRACT,
  CODES,
  NAN_POLICY,
  OVER,
  VANISHED,
  PLAN,
  SHAPE,
  PIPE,
  FORMAT,
  LENGTH,
  RESULT,
  TIMEOUT,
  TRIALS,
  QUICK,
  GOT,
  OPERATION,
  TREE,
  SEPARATE,
  ALL,
  ISA,
  THREADS,
  OUT,
  JSON,
  BITS,
  HELP,
  VERSION
};

static const struct option table[] = {
    {"axis", required_argument, NULL, AXIS},
    {"keepdims", no_argument, NULL, KEEPDIMS},
    {"as", required_argument, NULL, AS},
    {"order", required_argument, NULL, ORDER},
    {"rule", required_argument, NULL, RULE},
    {"contract", required_argument, NULL, CONTRACT},
    {"codes", no_argument, NULL, CODES},
    {"nan", required_argument, NULL, NAN_POLICY},
    {"over", required_argument, NULL, OVER},
    {"vanished", no_argument, NULL, VANISHED},
    {"plan", required_argument, NULL, PLAN},
    {"shape", required_argument, NULL, SHAPE},
    {"pipe", required_argument, NULL, PIPE},
    {"format", required_argument, NULL, FORMAT},
    {"n", required_argument, NULL, LENGTH},
    {"result", required_argument, NULL, RESULT},
    {"timeout", required_argument, NULL, TIMEOUT},
    {"trials", required_argument, NULL, TRIALS},
    {"quick", no_argument, NULL, QUICK},
    {"got", required_argument, NULL, GOT},
    {"op", required_argument, NULL, OPERATION},
    {"tree", optional_argument, NULL, TREE},
    {"separate", required_argument, NULL, SEPARATE},
    {"all", no_argument, NULL, ALL},
    {"isa", required_argument, NULL, ISA},
    {"threads", required_argument, NULL, THREADS},
    {"output", required_argument, NULL, OUT},
    {"json", no_argument, NULL, JSON},
    {"bits", no_argument, NULL, BITS},
    {"help", no_argument, NULL, HELP},
    {"version", no_argument, NULL, VERSION},
    {NULL, 0, NULL, 0},
};

enum { NAMES_MAX = 40 };

/* The names of a list as "a, b, c" for a message. */
static const char *joined(const char *const list[], const char *prefix, char *text, size_t capacity) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; list[i] && used < capacity; i++) {
    used += (size_t)snprintf(text + used, capacity - used, "%s%s%s", i ? ", " : "", prefix, list[i]);
  }
  return text;
}

/* Extents separated by commas. */
static int read_shape(const char *text, options *o) {
  const char *at = text;
  o->shape_rank = 0;
  while (*at) {
    char *end;
    errno = 0;
    const long long extent = strtoll(at, &end, 10);
    if (end == at || extent < 0 || errno || (*end && *end != ',') || (*end && !end[1]) || o->shape_rank == BITFOLD_RANK_MAX)
      return complain(NULL, "--shape %s: up to %d extents such as 8,56,56,64 are a shape", text, BITFOLD_RANK_MAX);
    o->shape[o->shape_rank++] = extent;
    at = *end ? end + 1 : end;
  }
  return STATUS_DONE;
}

static int read_axes(const char *text, options *o) {
  if (!*text) return complain(NULL, "--axis is empty; --axis 0 or --axis 0,-1 names axes, and without it all are reduced");
  o->axes.count = 0;
  for (const char *at = text;; at++) {
    char *end;
    errno = 0;
    long axis = strtol(at, &end, 10);
    if (end == at || (*end && *end != ','))
      return complain(NULL, "--axis %s: not a list of numbers; --axis 0 or --axis 0,-1 is", text);
    if (errno || axis < INT_MIN || axis > INT_MAX) return complain(NULL, "--axis %s: out of range", text);
    if (o->axes.count == BITFOLD_RANK_MAX) return complain(NULL, "--axis %s: more than %d axes", text, BITFOLD_RANK_MAX);
    o->axes.axis[o->axes.count++] = (int)axis;
    at = end;
    if (!*at) break;
  }
  o->all_axes = 0;
  return STATUS_DONE;
}

static int read_format(const char *name, options *o) {
  const char *known[NAMES_MAX] = {NULL};
  for (int i = 1; i < NAMES_MAX && bitfold_format_name((bitfold_format)i); i++)
    known[i - 1] = bitfold_format_name((bitfold_format)i);
  o->as = bitfold_format_named(name);
  if (o->as != BITFOLD_FORMAT_NONE) return STATUS_DONE;
  return complain(NULL, "--as %s: not a format of elements; nearest is %s, of f16, bf16, f32, f64, i8, i16, i32, i64, sf2 ... sf16",
                  name, nearest(name, known));
}

static int read_isa(const char *from, const char *name, options *o) {
  const char *here[NAMES_MAX] = {NULL};
  char text[256];
  for (size_t i = 0; i + 1 < NAMES_MAX && bitfold_isa_at(i); i++) {
    here[i] = bitfold_isa_at(i);
    if (strcmp(name, here[i]) == 0) {
      o->isa = name;
      return STATUS_DONE;
    }
  }
  return complain(NULL, "%s %s: not here; this build on this processor has %s", from, name, joined(here, "", text, sizeof text));
}

static int read_threads(const char *name, const char *text, options *o) {
  char *end;
  errno = 0;
  long threads = strtol(text, &end, 10);
  if (end == text || *end || errno || threads < 1 || threads > INT_MAX)
    return complain(NULL, "%s %s: not a number of threads; 1 or more is", name, text);
  o->threads = (int)threads;
  o->has_threads = 1;
  return STATUS_DONE;
}

/* What the environment says where the options are silent. */
static int read_environment(options *o) {
  const char *isa = getenv("BITFOLD_ISA"), *threads = getenv("BITFOLD_THREADS");
  int status = STATUS_DONE;
  if (!o->isa && isa && *isa) status = read_isa("BITFOLD_ISA", isa, o);
  if (!status && !o->threads && threads && *threads) status = read_threads("BITFOLD_THREADS", threads, o);
  if (!o->threads) o->threads = bitfold_threads();
  return status;
}

static int apply(int place, const char *value, options *o) {
  switch (place) {
  case AXIS: return read_axes(value, o);
  case AS: return read_format(value, o);
  case NAN_POLICY: return option_nan(value, o);
  case OVER: return option_over(value, o);
  case ISA: return read_isa("--isa", value, o);
  case THREADS: return read_threads("--threads", value, o);
  case RULE: o->has_rule = 1; return rule_read(value, &o->rule);
  case ORDER: o->order = value; break;
  case OPERATION: return option_operation(value, o);
  case TREE: return option_tree(value, o);
  case GOT: o->got = value; break;
  case SEPARATE: o->separate = value; break;
  case ALL: o->all = 1; break;
  case CONTRACT: o->contract = value; break;
  case OUT: o->out = value; break;
  case KEEPDIMS: o->keepdims = 1; break;
  case CODES: o->codes = 1; break;
  case JSON: o->json = 1; break;
  case BITS: o->bits = 1; break;
  case PLAN: o->plan = value; break;
  case SHAPE: return read_shape(value, o);
  case VANISHED: o->vanished = 1; break;
  case PIPE: o->pipe = value; break;
  case FORMAT: return option_format("--format", value, &o->format);
  case RESULT: return option_format("--result", value, &o->result);
  case LENGTH: return option_count("--n", value, 1 << 24, &o->length);
  case TIMEOUT: return option_count("--timeout", value, 86400, &o->timeout);
  case TRIALS: return option_count("--trials", value, 1000000, &o->trials);
  case QUICK: o->quick = 1; break;
  case HELP: o->help = 1; break;
  default: o->version = 1; break;
  }
  return STATUS_DONE;
}

/* getopt's own complaints do not say what would be right. */
static int refuse(int error, const char *word) {
  const char *known[NAMES_MAX] = {NULL};
  char name[32];
  if (error == ':' && optopt < AXIS) return complain(NULL, "-%c wants a value", optopt);
  if (error == ':') return complain(NULL, "--%s wants a value", table[optopt - AXIS].name);
  if (optopt >= AXIS) return complain(NULL, "--%s takes no value", table[optopt - AXIS].name);
  if (optopt) return complain(NULL, "-%c: unknown option; -o and -h are the short ones, and ./-%c is a file", optopt, optopt);
  for (size_t i = 0; table[i].name; i++) known[i] = table[i].name;
  (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
  return complain(NULL, "%s: unknown option, or not its whole name; nearest is --%s", word, nearest(name, known));
}

int options_read(int argc, char **argv, options *o) {
  *o = (options){.all_axes = 1};
  opterr = 0;
  for (;;) {
    int place = getopt_long(argc, argv, ":o:h", table, NULL);
    if (place == -1) break;
    if (place == '?' || place == ':') return refuse(place, argv[optind - 1]);
    if (place == 'o') place = OUT;
    if (place == 'h') place = HELP;
    uint64_t bit = (uint64_t)1 << (place - AXIS);
    if (o->given & bit) return complain(NULL, "--%s is given twice", table[place - AXIS].name);
    o->given |= bit;
    int status = apply(place, optarg, o);
    if (status) return status;
  }
  o->verb = optind < argc ? argv[optind++] : NULL;
  o->file = argv + optind;
  o->file_count = argc - optind;
  return read_environment(o);
}

/* Whether a list of words separated by spaces holds one. */
static int holds(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; *at; at += strspn(at, " ")) {
    size_t here = strcspn(at, " ");
    if (here == length && memcmp(at, word, length) == 0) return 1;
    at += here;
  }
  return 0;
}

int options_allow(const options *o, const char *allowed) {
  const char *names[NAMES_MAX] = {NULL};
  char text[256];
  size_t count = 0;
  for (size_t place = 0; table[place].name; place++) {
    if (holds(allowed, table[place].name)) names[count++] = table[place].name;
  }
  for (size_t place = 0; table[place].name; place++) {
    if (o->given >> place & 1 && !holds(allowed, table[place].name)) {
      return complain(NULL, "%s takes no --%s; its options are %s", o->verb, table[place].name,
                      joined(names, "--", text, sizeof text));
    }
  }
  return STATUS_DONE;
}

int options_codes(const options *o) {
  if (!o->codes || format_is_sf(o->as) || o->as == BITFOLD_FORMAT_BF16 || o->as == BITFOLD_FORMAT_F16) return STATUS_DONE;
  if (o->as == BITFOLD_FORMAT_NONE) return complain(NULL, "--codes needs --as, which says what the codes mean");
  return complain(NULL, "--codes goes with --as sf2 ... sf16, bf16 or f16; %s needs none", bitfold_format_name(o->as));
}

int options_streams(const options *o) {
  int inputs = 0;
  const char *printed = o->json ? "json" : o->bits ? "bits" : o->vanished ? "vanished" : NULL;
  for (int i = 0; i < o->file_count; i++) inputs += strcmp(o->file[i], "-") == 0;
  if (inputs > 1) return complain(NULL, "standard input (-) is named %d times; it can be read once", inputs);
  if (o->json && o->bits) return complain(NULL, "--json and --bits are both given; --json holds the bits too");
  if (o->vanished && o->bits) return complain(NULL, "--vanished and --bits are both given; --json holds both");
  if (o->out && strcmp(o->out, "-") == 0 && printed) {
    return complain(NULL, "-o - and --%s both write to standard output; choose one", printed);
  }
  return STATUS_DONE;
}
