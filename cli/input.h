/* SPDX-License-Identifier: Apache-2.0 */
/* From the name of a .npy file to a tensor: its header, its elements in memory, and their conversion. Part of cli.h. */
#ifndef BITFOLD_CLI_INPUT_H
#define BITFOLD_CLI_INPUT_H

#include <bitfold/bitfold.h>
#include <stddef.h>
#include <stdint.h>

/* ---- dtype.c: NumPy's names for what a file holds ---------------------------------------------------------------------------- */

enum { DTYPE_MAX = 32 };

/* "float32" for "<f4"; writes to text and returns it. */
const char *dtype_name(const char *descr, char text[DTYPE_MAX]);

/* The format that holds every element of a descr, else NONE. bool and unsigned integers have none of their own: theirs is wider. */
bitfold_format dtype_format(const char *descr);
int dtype_is_widened(const char *descr);

/* n elements of such a descr become int64_t, in place; bytes has room for those. */
void dtype_widen(const char *descr, unsigned char *bytes, size_t n);

/* Bytes of one element, for the descrs of dtype_format and for two-byte words without a meaning of their own; else 0. */
size_t dtype_size(const char *descr);

/* Whether descr is uint16, or the V2 by which bfloat16 arrays are saved. */
int dtype_is_word(const char *descr);

/* Whether the elements have their high byte first; and whether that is not this machine's order. */
int dtype_is_big(const char *descr);
int dtype_swapped(const char *descr);

/*
 * The descr by which a result is written, as Python text: "'<f4'", "'<u2'" for bf16, and for sfN a structured type whose one field
 * is named by the format, "[('sf16', '<i2')]".
 */
const char *dtype_descr(bitfold_format format, char text[DTYPE_MAX]);

/* ---- npy.c: the header of a .npy file ---------------------------------------------------------------------------------------- */

typedef struct npy {
  char descr[DTYPE_MAX]; /* empty for structured types, unless there is one field, and that named by the sfN whose codes it holds */
  bitfold_format codes;  /* that sfN, else NONE */
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

/* The format of the elements as they lie there, and what to call them: sfN where they are its codes, else as for the descr. */
bitfold_format npy_format(const npy *header);
const char *npy_dtype(const npy *header, char text[DTYPE_MAX]);

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

/* Decides what the elements of in are, and converts them if they are to be something else, or if always. */
int recast(input *in, bitfold_format as, int codes, int always);

#endif
