/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the command share: exit statuses, options, contracts, results. All arithmetic is the library's. */
#ifndef BITFOLD_CLI_H
#define BITFOLD_CLI_H

#include "input.h"

#include <bitfold/bitfold.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Every function below that returns a `status` returns one of these, and has said why if it is not STATUS_DONE. */
enum {
  STATUS_DONE = 0,
  STATUS_NO = 1,      /* the arithmetic said no: overflow under raise, machines that differ, nothing that explains */
  STATUS_UNUSABLE = 2 /* the input, the options or the output cannot be used */
};

/* ---- complain.c: the one line of an error ---------------------------------------------------------------------------------- */

/* Prints `bitfold: FILE: WHAT` (file may be null) as one line on standard error and returns STATUS_UNUSABLE. */
int complain(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- nearest.c: what a mistyped word was meant to be ------------------------------------------------------------------------ */

/* The element of a null-terminated list that is the fewest edits away from word. */
const char *nearest(const char *word, const char *const list[]);

/* ---- rule.c: --rule ---------------------------------------------------------------------------------------------------------- */

enum { RULE_NAME_MAX = 32 };

typedef struct custom_rule {
  bitfold_rule rule;
  char name[RULE_NAME_MAX]; /* what rule.name points to, unless the rule is one of the library's */
} custom_rule;

/* Reads "sf31 readout=nearest". What the text leaves out is as in the rule sf. *custom must stay where it is. */
int rule_read(const char *text, custom_rule *custom);

/* Whether the rule can add codes of this sfN. The library's own always can. */
int rule_check(const char *file, const bitfold_rule *rule, bitfold_format format);

/* One field, under the name that --rule gives it: a word, a number, or a flag. */
typedef struct rule_part {
  const char *name;
  const char *word; /* null for numbers and flags */
  int number;
  int is_flag;
} rule_part;

/* Field number i of a rule; 0 past the end. */
int rule_part_at(const bitfold_rule *rule, size_t i, rule_part *part);

/* ---- options.c -------------------------------------------------------------------------------------------------------------- */

typedef enum over { OVER_RAISE, OVER_WARN, OVER_IGNORE } over;

typedef struct options {
  const char *verb;
  char *const *file; /* file_count of them */
  int file_count;
  uint64_t given; /* one bit per option, by its place in the table of options.c */
  int all_axes;   /* no --axis */
  bitfold_axes axes;
  int keepdims;
  bitfold_format as; /* NONE: the file's own */
  int codes;
  const char *order;
  int has_rule;
  custom_rule rule;
  const char *contract;
  const char *nan; /* "nan=POLICY" */
  over over;
  const char *isa;
  int threads;      /* all processors, if nothing says how many */
  int has_threads;  /* something did */
  const char *plan; /* a contract */
  int shape_rank;   /* of --shape */
  int64_t shape[BITFOLD_RANK_MAX];
  const char *out;
  int json;
  int bits;
  int vanished;
  const char *pipe; /* what reveal asks */
  bitfold_format format;
  bitfold_format result;
  long length;
  long timeout; /* seconds */
  long trials;
  int quick;
  const char *got;       /* what explain is to explain */
  const char *operation; /* --op */
  const char *tree;      /* text, dot or svg */
  const char *separate;  /* a contract; the other one stands where files do */
  int all;
  int help;
  int version;
} options;

/* Reads the command line; options->verb is null if there is none. */
int options_read(int argc, char **argv, options *o);

/* option_words.c: the word after --op, --tree=, --over and --nan. */
int option_operation(const char *name, options *o);
int option_tree(const char *name, options *o);
int option_over(const char *name, options *o);
int option_nan(const char *name, options *o);
int option_format(const char *option, const char *name, bitfold_format *format);
int option_count(const char *option, const char *text, long most, long *count); /* 1 .. most */

/* Refuses options that the verb does not take. allowed: long names, separated by spaces. */
int options_allow(const options *o, const char *allowed);

/* Refuses --codes without an --as that it goes with. */
int options_codes(const options *o);

/* Refuses what cannot go to standard output together, and standard input twice. */
int options_streams(const options *o);

/* ---- progress.c -------------------------------------------------------------------------------------------------------------- */

/* The command does one long thing at a time, so there is one line. unit: bytes per step of `done`, or 0 to show no speed. */
void progress_start(uint64_t unit);
void progress_show(uint64_t done, uint64_t total);

/* Erases the line, if there is one. Errors do so too. */
void progress_stop(void);

/* ---- assemble.c: a contract from options ------------------------------------------------------------------------------------- */

/* What the options say of the contract, before any file is seen. *contract may stay open in parts, and borrows the rule of o. */
int assemble_begin(const options *o, const char *operation, bitfold_contract *contract);

/* Completes a copy of it for elements of this format, the file's own. */
int assemble_end(const char *file, const bitfold_contract *begun, bitfold_format element, bitfold_contract *contract);

/* ---- number.c: one element as text ------------------------------------------------------------------------------------------- */

enum { NUMBER_MAX = 64 };

int format_is_sf(bitfold_format format);
int format_is_integer(bitfold_format format);

/* The integer format in which codes of sfN are stored. */
bitfold_format format_storage(bitfold_format format);

/* Element i of an array, as the integer that is stored. Formats of sfN and integers. */
int64_t number_code(bitfold_format format, const void *data, uint64_t i);

/* Element i as the double that it equals. */
double number_value(bitfold_format format, const void *data, uint64_t i);

/* How many significant digits of a finite value read back as the same element, tried from `least` up. */
int number_digits(bitfold_format format, double value, int least);

/* Element i as its bits in hex. */
const char *number_bits(bitfold_format format, const void *data, uint64_t i, char text[NUMBER_MAX]);

/* Element i for people: shortest digits that bring the bits back; an sfN alone as sf16(0.5), in an array to eight digits. */
const char *number_text(bitfold_format format, const void *data, uint64_t i, int alone, char text[NUMBER_MAX]);

/* ---- views.c: two operands as views of one shape ------------------------------------------------------------------------------
 */

/* NumPy's broadcasting: both become views of the common shape. 0 if there is none. */
int views_broadcast(bitfold_tensor *x, bitfold_tensor *y);

/* NumPy's matmul of two inputs: a dot of *a and *b over their last axis. */
int views_matmul(const input *x, const input *y, bitfold_tensor *a, bitfold_tensor *b);

/* ---- output.c, json.c, store.c: results -------------------------------------------------------------------------------------- */

typedef struct result {
  const char *file; /* the name to print before it, or null */
  bitfold_tensor tensor;
  void *room; /* allocated for the elements, or null */
  const void *data;
  uint64_t count;
  bitfold_report report;    /* its contract and isa only if operation is null */
  const char *operation;    /* of what is no reduction */
  const bitfold_rule *rule; /* to be told in full, or null */
  int has_vanished;
  uint64_t vanished; /* of products products */
  uint64_t products;
} result;

/* Prints as readable text or as --bits. */
void output_text(const result *r);
void output_bits(const result *r);

/* Prints one object on one line. */
int output_json(const result *r);

/* Whether all that was printed has reached standard output. */
int output_flush(void);

/*
 * A file that appears whole or not at all: begin makes a neighbour of it, commit fills that and renames it. What is not committed
 * is removed by abandon, or by the handler of a signal that ends the command. Abandon after begin or commit, whatever they
 * returned.
 */
typedef struct store {
  const char *file;
  char *target; /* where links lead */
  int descriptor;
  int in_place; /* a device, a pipe or standard output, which cannot be replaced */
} store;

int store_begin(store *s, const char *file);
int store_commit(store *s, const result *r);
void store_abandon(store *s);

/* ---- deliver.c: from a computed result to where the options send it -----------------------------------------------------------
 */

/* The policy of --over, for `count` of `total` elements of an operation that clamped. */
int deliver_events(const options *o, const input *in, const char *operation, uint64_t count, uint64_t total);

/* Makes room for the outputs, whose tensor is set but for its data. */
int deliver_room(const char *file, result *r);

/* -o, --json, --bits or text. */
int deliver(const options *o, store *s, const result *r);

/* ---- generate.c: data for agree ---------------------------------------------------------------------------------------------- */

/* Name of kind of data number i, null past the end. */
const char *generate_kind(size_t i);

/* Fills n elements of a format with data of a kind: the same on every machine. */
void generate(size_t kind, bitfold_format format, uint64_t seed, void *data, size_t n);

/* ---- trials.c: contracts for agree ------------------------------------------------------------------------------------------- */

typedef int trial_function(void *context, const bitfold_contract *contract);

/* Calls try with each, until one returns something other than 0. */
int trials_each(bitfold_format format, trial_function *try, void *context);

/* ---- pipe.c: a program that is asked for sums ----------------------------------------------------------------------------------
 */

typedef struct pipe_box {
  const char *command;
  long timeout; /* seconds that an answer may take */
  bitfold_box box;
  uint64_t asked, expected; /* questions, for the progress line */
  int to, from;             /* descriptors, -1 when there are none */
  int process;
  int status; /* not STATUS_DONE: what the program did has been said */
} pipe_box;

/* Starts the command by sh, with its own process group. */
int pipe_start(pipe_box *p);
/* A bitfold_box_function with a pipe_box as its context; docs/reveal.md has the protocol. */
int pipe_ask(void *context, const void *x, const void *y, size_t n, void *result);
/* Whether it has said no more than it was asked; ends it. */
int pipe_stop(pipe_box *p);

/* ---- verb_*.c ---------------------------------------------------------------------------------------------------------------- */

int verb_reduce(const options *o);
int verb_map(const options *o);
int verb_convert(const options *o);
int verb_info(const options *o);
int verb_agree(const options *o);
int verb_bench(const options *o);
int verb_explain(const options *o);
int verb_reveal(const options *o);

#endif
