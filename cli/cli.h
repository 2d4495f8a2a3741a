/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the command share: exit statuses, options, inputs, results. All arithmetic is the library's. */
#ifndef BITFOLD_CLI_H
#define BITFOLD_CLI_H

#include <bitfold/bitfold.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Every function below that returns a `status` returns one of these, and has said why if it is not STATUS_DONE. */
enum {
  STATUS_DONE = 0,
  STATUS_NO = 1,      /* the arithmetic said no: overflow under raise, or machines that differ */
  STATUS_UNUSABLE = 2 /* the input, the options or the output cannot be used */
};

/* ---- complain.c: the one line of an error ---------------------------------------------------------------------------------- */

/* Prints `bitfold: FILE: WHAT` (file may be null) as one line on standard error and returns STATUS_UNUSABLE. */
int complain(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- nearest.c: what a mistyped word was meant to be ------------------------------------------------------------------------ */

/* The element of a null-terminated list that is the fewest edits away from word. */
const char *nearest(const char *word, const char *const list[]);

/* ---- options.c -------------------------------------------------------------------------------------------------------------- */

typedef enum over { OVER_RAISE, OVER_WARN, OVER_IGNORE } over;

typedef struct options {
  const char *verb;
  char *const *file; /* file_count of them */
  int file_count;
  unsigned given; /* one bit per option, by its place in the table of options.c */
  int all_axes;   /* no --axis */
  bitfold_axes axes;
  int keepdims;
  bitfold_format as; /* NONE: the file's own */
  int codes;
  const char *order;
  const char *contract;
  const char *nan; /* "nan=POLICY" */
  over over;
  const char *isa;
  const char *out;
  int json;
  int bits;
  int help;
  int version;
} options;

/* Reads the command line; options->verb is null if there is none. */
int options_read(int argc, char **argv, options *o);

/* Refuses options that the verb does not take. allowed is a null-terminated list of long names. */
int options_allow(const options *o, const char *const allowed[]);

/* Refuses --codes without an --as that it goes with. */
int options_codes(const options *o);

/* ---- dtype.c: NumPy's names for what a file holds ---------------------------------------------------------------------------- */

enum { DTYPE_MAX = 32 };

/* "float32" for "<f4"; writes to text and returns it. */
const char *dtype_name(const char *descr, char text[DTYPE_MAX]);

/* The format of a descr that the library reads as it is, else NONE. */
bitfold_format dtype_format(const char *descr);

/* Bytes of one element, for the descrs of dtype_format and for two-byte words without a meaning of their own; else 0. */
size_t dtype_size(const char *descr);

/* Whether descr is uint16, or the V2 by which bfloat16 arrays are saved. */
int dtype_is_word(const char *descr);

/* Whether the elements have their high byte first; and whether that is not this machine's order. */
int dtype_is_big(const char *descr);
int dtype_swapped(const char *descr);

/* The descr by which a result is written: codes of sfN as int8 or int16, bf16 as uint16. */
const char *dtype_descr(bitfold_format format);

/* ---- npy.c: the header of a .npy file ---------------------------------------------------------------------------------------- */

typedef struct npy {
  char descr[DTYPE_MAX]; /* empty for structured types */
  int fortran;
  int rank;
  int64_t shape[BITFOLD_RANK_MAX];
  uint64_t count;  /* the product of shape */
  uint64_t offset; /* of the first element in the file */
} npy;

/* Reads the header in the first size bytes of a file. */
int npy_read(const char *file, const unsigned char *bytes, size_t size, npy *header);

/* Whether bytes begins as a .npy file does; size may be less than a header. */
int npy_is_magic(const unsigned char *bytes, size_t size);

enum { NPY_HEADER_MAX = 448, SHAPE_TEXT_MAX = 200 };

/* Writes a header for a C-ordered array and returns its length. */
size_t npy_write(const bitfold_tensor *tensor, unsigned char bytes[NPY_HEADER_MAX]);

/* "(3, 4)", as Python writes it. */
const char *shape_text(int rank, const int64_t *shape, char text[SHAPE_TEXT_MAX]);

/* ---- spool.c: temporary files that have no name ------------------------------------------------------------------------------ */

/* Opens one; returns the descriptor, or -1 after saying why. file is whose data it will hold. */
int spool_open(const char *file);

/* Appends to a spool. */
int spool_write(const char *file, int spool, const void *bytes, size_t size);

/* Copies all of a pipe into a spool; *spool becomes its descriptor. */
int spool_pipe(const char *file, int pipe, int *spool);

/* write(2) until all is written; 0, or -1 with errno. */
int write_all(int descriptor, const void *bytes, size_t size);

/* ---- input.c: a tensor in a mapped file -------------------------------------------------------------------------------------- */

typedef struct input {
  const char *name; /* for messages; "standard input" for - */
  npy header;
  bitfold_tensor tensor;
  void *map;
  size_t map_size;
  uint64_t file_size; /* of the .npy file itself, before any conversion */
  uint64_t clamped;   /* elements that --as clamped */
} input;

/* Maps a .npy file and makes it a tensor of the format that --as and --codes say. Close it whatever the status. */
int input_open(const char *file, bitfold_format as, int codes, input *in);

/* The same up to the header: no element is looked at, and none need have a format. */
int input_peek(const char *file, input *in);

void input_close(input *in);

/* Maps size bytes of a descriptor, which may then be closed. */
int input_map(const char *file, int descriptor, uint64_t size, input *in);

/* ---- pages.c: how much of a mapping is in memory ------------------------------------------------------------------------------
 */

/*
 * Around work that reads x (and y, or null), tells how many elements of `unit` bytes are done. along: in the sequence of the file.
 */
void pages_start(const input *x, const input *y, uint64_t unit, int along);
void pages_tell(uint64_t done);
void pages_stop(void);

/* Whether a reduction over these axes (null: all) reads the file from its beginning to its end. */
int pages_along(const input *in, const bitfold_axes *axes);

/* ---- recast.c: --as and --codes ---------------------------------------------------------------------------------------------- */

/* Decides what the elements of in are, and converts them if they are to be something else. */
int recast(input *in, bitfold_format as, int codes);

/* ---- progress.c -------------------------------------------------------------------------------------------------------------- */

/* The command does one long thing at a time, so there is one line. unit: bytes per step of `done`, or 0 to show no speed. */
void progress_start(uint64_t unit);
void progress_show(uint64_t done, uint64_t total);

/* Erases the line, if there is one. Errors do so too. */
void progress_stop(void);

/* ---- assemble.c: a contract from options ------------------------------------------------------------------------------------- */

/* What the options say of the contract, before any file is seen. *contract may stay open in parts. */
int assemble_begin(const options *o, bitfold_contract *contract);

/* Completes a copy of it for elements of this format, the file's own. */
int assemble_end(const char *file, const bitfold_contract *begun, bitfold_format element, bitfold_contract *contract);

/* ---- number.c: one element as text ------------------------------------------------------------------------------------------- */

enum { NUMBER_MAX = 64 };

int format_is_sf(bitfold_format format);
int format_is_integer(bitfold_format format);

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

/* ---- output.c, json.c, store.c: results -------------------------------------------------------------------------------------- */

typedef struct result {
  const char *file; /* the name to print before it, or null */
  bitfold_tensor tensor;
  const void *data;
  uint64_t count;
  bitfold_report report;
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

/* ---- generate.c: data for agree ---------------------------------------------------------------------------------------------- */

/* Name of kind of data number i, null past the end. */
const char *generate_kind(size_t i);

/* Fills n elements of a format with data of a kind: the same on every machine. */
void generate(size_t kind, bitfold_format format, uint64_t seed, void *data, size_t n);

/* ---- trials.c: contracts for agree ------------------------------------------------------------------------------------------- */

typedef int trial_function(void *context, const bitfold_contract *contract);

/* Calls try with each, until one returns something other than 0. */
int trials_each(bitfold_format format, trial_function *try, void *context);

/* ---- verb_*.c ---------------------------------------------------------------------------------------------------------------- */

int verb_reduce(const options *o);
int verb_info(const options *o);
int verb_agree(const options *o);

#endif
