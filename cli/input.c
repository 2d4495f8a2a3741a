/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor in a memory-mapped .npy file. Nothing is read before the reduction reads it. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int input_map(const char *file, int descriptor, uint64_t size, input *in) {
  if (size == 0) return STATUS_DONE;
  if (size > SIZE_MAX) return complain(file, "%llu bytes; this machine maps fewer", (unsigned long long)size);
  void *map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (map == MAP_FAILED) return complain(file, "cannot be mapped: %s", strerror(errno));
  in->map = map;
  in->map_size = (size_t)size;
  (void)madvise(map, in->map_size, MADV_SEQUENTIAL);
  return STATUS_DONE;
}

/* Maps what a descriptor gives: a regular file as it lies there, anything else through a spool. */
static int map_any(int descriptor, input *in) {
  struct stat about;
  if (fstat(descriptor, &about) != 0) return complain(in->name, "%s", strerror(errno));
  if (S_ISDIR(about.st_mode)) return complain(in->name, "a directory; a .npy file is wanted");
  if (S_ISREG(about.st_mode)) {
    in->file_size = (uint64_t)about.st_size;
    return input_map(in->name, descriptor, in->file_size, in);
  }
  int spool = -1;
  int status = spool_pipe(in->name, descriptor, &spool);
  if (!status && fstat(spool, &about) != 0) status = complain(in->name, "%s", strerror(errno));
  if (!status) {
    in->file_size = (uint64_t)about.st_size;
    status = input_map(in->name, spool, in->file_size, in);
  }
  if (spool >= 0) (void)close(spool);
  return status;
}

/* The bytes that the shape promises are there. More of them are allowed, as np.load allows them. */
static int check_size(const input *in) {
  uint64_t want;
  uint64_t found = in->file_size - in->header.offset;
  uint64_t size = dtype_size(in->header.descr);
  char shape[SHAPE_TEXT_MAX];
  (void)shape_text(in->header.rank, in->header.shape, shape);
  if (__builtin_mul_overflow(in->header.count, size, &want)) return complain(in->name, "the shape %s overflows", shape);
  if (found >= want) return STATUS_DONE;
  return complain(in->name, "truncated: shape %s takes %llu bytes of data; found %llu", shape, (unsigned long long)want,
                  (unsigned long long)found);
}

int input_peek(const char *file, input *in) {
  int is_stdin = strcmp(file, "-") == 0;
  *in = (input){.name = is_stdin ? "standard input" : file};
  int descriptor = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return complain(in->name, "%s", strerror(errno));
  int status = map_any(descriptor, in);
  if (!is_stdin) (void)close(descriptor);
  if (!status) status = npy_read(in->name, in->map, in->map_size, &in->header);
  return status || !dtype_size(in->header.descr) ? status : check_size(in);
}

int input_open(const char *file, bitfold_format as, int codes, input *in) {
  int status = input_peek(file, in);
  if (status) return status;
  return recast(in, as, codes, 0);
}

void input_close(input *in) {
  if (in->map) (void)munmap(in->map, in->map_size);
  in->map = NULL;
}
