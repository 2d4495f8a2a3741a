/* SPDX-License-Identifier: Apache-2.0 */
/* What newlib's printf and exit ask of an operating system: text goes to the host's standard output, memory is what lies below the
 * stack. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "semihosting.h"

enum { STACK_SIZE = 4096 };
extern char heap_start[], stack_top[]; /* link.ld */

int _close(int file);
int _fstat(int file, struct stat *status);
int _getpid(void);
int _isatty(int file);
int _kill(int process, int signal);
int _lseek(int file, int offset, int whence);
int _read(int file, char *to, int size);
int _write(int file, const char *from, int size);
void *_sbrk(ptrdiff_t size);
void _exit(int status);

void _exit(int status) { semihosting_exit(status); }

int _write(int file, const char *from, int size) {
  static const char console[] = ":tt";
  static int handle = -1;
  const uint32_t open[3] = {(uint32_t)(uintptr_t)console, 4 /* "w": standard output */, sizeof console - 1};
  (void)file;
  if (handle < 0) handle = semihosting(SYS_OPEN, open);
  const uint32_t block[3] = {(uint32_t)handle, (uint32_t)(uintptr_t)from, (uint32_t)size};
  return size - semihosting(SYS_WRITE, block); /* it returns how much is left */
}

void *_sbrk(ptrdiff_t size) {
  static char *end = heap_start;
  char *start = end;
  if ((uintptr_t)end + (uintptr_t)size > (uintptr_t)stack_top - STACK_SIZE) {
    errno = ENOMEM;
    return (void *)-1;
  }
  end += size;
  return start;
}

int _fstat(int file, struct stat *status) {
  (void)file;
  status->st_mode = S_IFCHR; /* a console: printed line by line */
  return 0;
}

int _isatty(int file) { return file >= 0; }
int _close(int file) { return file < 0; }
int _getpid(void) { return 1; }
int _read(int file, char *to, int size) { return (void)file, (void)to, (void)size, 0; }
int _lseek(int file, int offset, int whence) { return (void)file, (void)offset, (void)whence, 0; }

/* abort() ends here. */
int _kill(int process, int signal) {
  (void)process;
  semihosting_exit(128 + signal);
}
