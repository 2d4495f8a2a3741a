/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold, the command: finds the verb and calls it. */
#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *const words[] = {"sum", "mean",   "dot",    "sumsq", "sumabs", "max",
                                    "min", "argmax", "argmin", "info",  "agree",  NULL};

static const char usage[] =
    "usage: bitfold VERB FILE... [OPTION...]\n"
    "\n"
    "Reduces .npy files, with the same bits on every machine.\n"
    "\n"
    "  sum mean sumsq sumabs   of the elements of each FILE; - is standard input\n"
    "  max min argmax argmin\n"
    "  dot                     of two FILEs of one shape\n"
    "  info                    this build and machine, or what each FILE holds\n"
    "  agree                   whether all machines here give the same bits\n"
    "\n"
    "  --axis A,B              reduce these axes; default: all\n"
    "  --keepdims              keep them with extent 1\n"
    "  --order ORDER           how to add, such as exact (the default), sequential, 'lanes(4,fold=left)'; or a rule of sfN\n"
    "  --contract TEXT         a contract, or any part, such as acc=f64:sequential\n"
    "  --as FORMAT             convert the elements first: f16 bf16 f32 f64 i8 i16 i32 sf2 ... sf16\n"
    "  --codes                 do not convert: the integers of the file are the codes of --as\n"
    "  --nan POLICY            propagate or ignore\n"
    "  --over POLICY           raise (the default), warn or ignore, when sfN or an integer overflows\n"
    "  --isa NAME              the instruction set to use; bitfold info lists them\n"
    "  --threads N             use at most N threads (this version uses one)\n"
    "  -o, --output OUT.npy    write the result there\n"
    "  --json, --bits          print one JSON object, or the bits in hex\n"
    "  -h, --help, --version\n"
    "\n"
    "Exit status: 0 done; 1 overflow, or machines that differ; 2 unusable input. man bitfold tells the rest.\n";

/* A file opened in place of a closed standard stream would get that stream's output. */
static void fill_closed_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
  }
}

static int unknown_verb(const char *verb) {
  char list[128] = "";
  size_t used = 0;
  for (size_t i = 0; words[i]; i++) used += (size_t)snprintf(list + used, sizeof list - used, " %s", words[i]);
  return complain(NULL, "%s: no such verb; nearest is %s, of%s", verb, nearest(verb, words), list);
}

static int run(const options *o) {
  size_t i = 0;
  while (o->verb && words[i] && strcmp(o->verb, words[i]) != 0) i++;
  if (o->verb && !words[i]) return unknown_verb(o->verb);
  if (o->help) {
    (void)fputs(usage, stdout);
    return output_flush();
  }
  if (o->version) {
    (void)printf("bitfold %s\n", bitfold_version());
    return output_flush();
  }
  if (!o->verb) return complain(NULL, "no verb; bitfold sum FILE adds a .npy file, and bitfold --help lists the rest");
  if (strcmp(o->verb, "info") == 0) return verb_info(o);
  if (strcmp(o->verb, "agree") == 0) return verb_agree(o);
  return verb_reduce(o);
}

int main(int argc, char **argv) {
  options o;
  fill_closed_streams();
  (void)signal(SIGXFSZ, SIG_IGN); /* a file-size limit is then an error of write, which is reported */
  int status = options_read(argc, argv, &o);
  return status ? status : run(&o);
}
