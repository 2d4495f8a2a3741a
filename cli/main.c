/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold, the command: finds the verb and calls it. */
#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The options of a verb, by their long names. */
static const char of_sums[] = "axis keepdims as order rule contract codes nan over isa threads output json bits help";
static const char of_dot[] = "axis keepdims as order rule contract codes nan over vanished isa threads output json bits help";
static const char of_matmul[] = "as order rule contract codes nan over vanished isa threads output json bits help";
static const char of_selections[] = "axis keepdims as order contract codes nan over isa threads output json bits help";
static const char of_maps[] = "as order rule codes over output json bits help";
static const char of_reveal[] = "pipe n format result op timeout trials json help";
static const char of_bench[] = "isa threads quick json help";
static const char of_explain[] = "got op axis as codes order contract nan tree shape separate all isa threads output json help";
static const char of_convert[] = "as codes over output json bits help";

static const struct {
  const char *name;
  int (*run)(const options *o);
  const char *options;
} verbs[] = {
    {"sum", verb_reduce, of_sums},
    {"mean", verb_reduce, of_sums},
    {"dot", verb_reduce, of_dot},
    {"matmul", verb_reduce, of_matmul},
    {"sumsq", verb_reduce, of_sums},
    {"sumabs", verb_reduce, of_sums},
    {"max", verb_reduce, of_selections},
    {"min", verb_reduce, of_selections},
    {"argmax", verb_reduce, of_selections},
    {"argmin", verb_reduce, of_selections},
    {"add", verb_map, of_maps},
    {"subtract", verb_map, of_maps},
    {"multiply", verb_map, of_maps},
    {"negative", verb_map, of_maps},
    {"absolute", verb_map, of_maps},
    {"convert", verb_convert, of_convert},
    {"info", verb_info, "plan shape axis isa threads help"},
    {"agree", verb_agree, "as codes help"},
    {"bench", verb_bench, of_bench},
    {"explain", verb_explain, of_explain},
    {"reveal", verb_reveal, of_reveal},
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static const char usage[] =
    "usage: bitfold VERB FILE... [OPTION...]\n"
    "\n"
    "Reduces .npy files, with the same bits on every machine.\n"
    "\n"
    "  sum mean sumsq sumabs   of the elements of each FILE; - is standard input\n"
    "  max min argmax argmin\n"
    "  dot                     of two FILEs of one shape\n"
    "  matmul                  of two FILEs, with NumPy's shapes\n"
    "  add subtract multiply   of two FILEs of sfN, element by element\n"
    "  negative absolute       of one\n"
    "  convert                 one FILE to the format of --as\n"
    "  info                    this build and machine, or what each FILE holds, or with --plan how it would be reduced\n"
    "  agree                   whether all machines here give the same bits\n"
    "  explain                 which contracts make of FILE, or of two, what --got says, and the order of one as a --tree\n"
    "  bench                   how fast they are; with CASE..., those with such a word in their names\n"
    "  reveal                  in which order a program adds, by asking it for sums through a --pipe\n"
    "\n"
    "  --axis A,B              reduce these axes; default: all\n"
    "  --keepdims              keep them with extent 1\n"
    "  --order ORDER           how to add, such as exact (the default), sequential, 'lanes(4,fold=left)'; or a rule of sfN\n"
    "  --rule TEXT             a rule of sfN of your own, such as 'bits=24 overflow=wrap' or 'sf31 readout=nearest'\n"
    "  --contract TEXT         a contract, or any part, such as acc=f64:sequential\n"
    "  --as FORMAT             convert the elements first: f16 bf16 f32 f64 i8 i16 i32 i64 sf2 ... sf16\n"
    "  --codes                 do not convert: the integers of the file are the bits of --as\n"
    "  --nan POLICY            propagate or ignore\n"
    "  --over POLICY           raise (the default), warn or ignore, when sfN or an integer overflows\n"
    "  --vanished              for dot and matmul of sfN, count the products that become 0\n"
    "  --plan CONTRACT         for info: which acts a reduction by the contract is made of, over --axis, of FILE or a --shape "
    "A,B,...\n"
    "  --got BITS              for explain: 0x3f800000, a number, or a .npy file of results; --op is the operation, sum by "
    "default\n"
    "  --tree[=dot|svg]        draw the order of the contract that explains it, or of --contract\n"
    "  --separate A B          find a small input on which two contracts differ\n"
    "  --all                   for explain: list every contract\n"
    "  --pipe COMMAND --n N --format FORMAT [--op dot] [--result FORMAT] [--timeout SECONDS] [--trials N]\n"
    "                          for reveal: the program, and what it adds; docs/reveal.md says how it is asked\n"
    "  --quick                 for bench: a few seconds, smaller arrays\n"
    "  --isa NAME              the instruction set to use; bitfold info lists them\n"
    "  --threads N             use at most N threads (all processors)\n"
    "  -o, --output OUT.npy    write the result there\n"
    "  --json, --bits          print one JSON object, or the bits in hex\n"
    "  -h, --help, --version\n"
    "\n"
    "Exit status: 0 done; 1 overflow, machines that differ, or nothing that explains or reveals; 2 unusable input. man bitfold "
    "tells the "
    "rest.\n";

/* A file opened in place of a closed standard stream would get that stream's output. */
static void fill_closed_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
  }
}

static int unknown_verb(const char *verb) {
  const char *names[VERBS + 1] = {NULL};
  char list[256] = "";
  size_t used = 0;
  for (size_t i = 0; i < VERBS; i++) {
    names[i] = verbs[i].name;
    used += (size_t)snprintf(list + used, sizeof list - used, " %s", names[i]);
  }
  return complain(NULL, "%s: no such verb; nearest is %s, of%s", verb, nearest(verb, names), list);
}

static int run(const options *o) {
  size_t i = 0;
  while (o->verb && i < VERBS && strcmp(o->verb, verbs[i].name) != 0) i++;
  if (i == VERBS) return unknown_verb(o->verb);
  if (o->help) {
    (void)fputs(usage, stdout);
    return output_flush();
  }
  if (o->version) {
    (void)printf("bitfold %s\n", bitfold_version());
    return output_flush();
  }
  if (!o->verb) return complain(NULL, "no verb; bitfold sum FILE adds a .npy file, and bitfold --help lists the rest");
  int status = options_allow(o, verbs[i].options);
  return status ? status : verbs[i].run(o);
}

int main(int argc, char **argv) {
  options o;
  fill_closed_streams();
  (void)signal(SIGXFSZ, SIG_IGN); /* a file-size limit is then an error of write, which is reported */
  int status = options_read(argc, argv, &o);
  return status ? status : run(&o);
}
