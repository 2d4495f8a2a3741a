/* SPDX-License-Identifier: Apache-2.0 */
/* The one line of an error or a warning: `bitfold: FILE: what is wrong; what would be right`. */
#include "cli.h"

#include <stdarg.h>

int complain(const char *file, const char *format, ...) {
  char what[2048];
  char line[6400];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  if (length < 0) what[0] = '\0';
  (void)snprintf(line, sizeof line, "bitfold: %s%s%s", file ? file : "", file ? ": " : "", what);
  /* A file's name may hold anything but NUL; a line feed in it must not make two lines, nor an escape recolour the terminal. */
  for (char *c = line; *c; c++) {
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
  }
  progress_stop();
  (void)fprintf(stderr, "%s\n", line);
  return STATUS_UNUSABLE;
}
