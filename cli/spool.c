/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files without a name, for data that comes through a pipe or is converted: they vanish however the command ends. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* /var/tmp before /tmp, which is often memory, and this is for what may not fit there. */
static const char *folder(void) {
  const char *chosen = getenv("TMPDIR");
  if (chosen && chosen[0]) return chosen;
  return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
}

int spool_open(const char *file) {
  char path[4096];
  int descriptor = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  if (snprintf(path, sizeof path, "%s/bitfold-XXXXXX", folder()) < (int)sizeof path) {
    descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0) (void)unlink(path);
  }
  if (descriptor < 0) (void)complain(file, "no temporary file in %s: %s; TMPDIR names another folder", folder(), strerror(errno));
  return descriptor;
}

int write_all(int descriptor, const void *bytes, size_t size) {
  for (const char *at = bytes; size;) {
    ssize_t written = write(descriptor, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return -1;
    at += written;
    size -= (size_t)written;
  }
  return 0;
}

int spool_write(const char *file, int spool, const void *bytes, size_t size) {
  if (write_all(spool, bytes, size) == 0) return STATUS_DONE;
  return complain(file, "temporary file in %s: %s; TMPDIR names another folder", folder(), strerror(errno));
}

/* Copies until the end, or until the first bytes show that this is no .npy file: an endless device is one. */
static int copy(const char *file, int pipe, int spool, unsigned char *buffer, size_t capacity) {
  for (uint64_t total = 0;;) {
    ssize_t got = read(pipe, buffer, capacity);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return complain(file, "%s", strerror(errno));
    if (got == 0) return STATUS_DONE;
    int status = spool_write(file, spool, buffer, (size_t)got);
    if (status) return status;
    if (total == 0 && !npy_is_magic(buffer, (size_t)got)) return STATUS_DONE;
    total += (uint64_t)got;
  }
}

int spool_pipe(const char *file, int pipe, int *spool) {
  enum { CAPACITY = 1 << 20 };
  *spool = spool_open(file);
  if (*spool < 0) return STATUS_UNUSABLE;
  unsigned char *buffer = malloc(CAPACITY);
  int status = buffer ? copy(file, pipe, *spool, buffer, CAPACITY) : complain(file, "out of memory");
  free(buffer);
  return status;
}
