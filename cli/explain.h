/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the verb explain share: readings of what was got, findings, and drawings. */
#ifndef BITFOLD_CLI_EXPLAIN_H
#define BITFOLD_CLI_EXPLAIN_H

#include "cli.h"

/* What was got, taken for one output format and, of device words, for one encoding. */
typedef struct reading {
  bitfold_tensor tensor; /* its format is the output's */
  const char *encoding;  /* null where there is one only */
  void *room;            /* allocated for the elements, or null */
  input file;            /* the mapping that the tensor lies in, if there is one */
} reading;

enum { READINGS_MAX = 8 };

typedef struct finding {
  bitfold_trial trial;
  const reading *reading;
} finding;

typedef struct explanation {
  const options *o;
  input x;
  input y; /* of dot */
  int is_pair;
  bitfold_contract asked; /* what the options say; the rest is tried */
  reading reading[READINGS_MAX];
  int readings;
  uint64_t outputs;
  finding *finding; /* best first */
  size_t count;
  size_t explaining; /* the first so many explain all outputs */
  void *room;        /* for outputs */
} explanation;

/* ---- got.c: --got ------------------------------------------------------------------------------------------------------------ */

/* Reads bits, a number, or a .npy file as everything that e->asked leaves open. Close the readings whatever the status. */
int got_read(explanation *e);
void got_close(explanation *e);

/* ---- findings.c: what was found, as text or JSON -------------------------------------------------------------------------------
 */

int findings_print(explanation *e);

/* ---- drawing.c: the order of a contract ----------------------------------------------------------------------------------------
 */

/* kind: "text", "dot" or "svg". Writes to `file`, or to standard output where that is null. */
int drawing_make(const bitfold_contract *contract, uint64_t n, const char *kind, const char *file);

/* ---- probe.c: --separate
 * --------------------------------------------------------------------------------------------------------- */

/* Finds an input on which the contracts differ, writes it to -o, and prints both results. */
int probe_find(const options *o);

#endif
