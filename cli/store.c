/* SPDX-License-Identifier: Apache-2.0 */
/* -o: an output file that appears whole or not at all, whatever ends the command. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file to remove if the command is stopped; empty when there is none. Signal handlers see it, so it is changed with care. */
static char unfinished[PATH_MAX];
static volatile sig_atomic_t is_unfinished;

static void remove_and_die(int signal_number) {
  if (is_unfinished) (void)unlink(unfinished);
  (void)signal(signal_number, SIG_DFL);
  (void)raise(signal_number);
}

/* A signal that was ignored on entry, as nohup does, stays so. */
static void watch_signals(void) {
  static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
  struct sigaction old;
  struct sigaction action = {.sa_handler = remove_and_die, .sa_flags = SA_NODEFER};
  for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
    if (sigaction(fatal[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) (void)sigaction(fatal[i], &action, NULL);
  }
}

static mode_t default_mode(void) {
  mode_t mask = umask(0);
  (void)umask(mask);
  return 0666 & ~mask;
}

/* Makes the neighbour. An existing file hands down its mode, as if it were written into. */
static int open_neighbour(store *s, mode_t mode) {
  int length = snprintf(unfinished, sizeof unfinished, "%s.XXXXXX", s->target);
  if (length >= (int)sizeof unfinished) return complain(s->file, "%s", strerror(ENAMETOOLONG));
  watch_signals();
  /* No signal may come between the making of the file and the note that it is there. */
  sigset_t all;
  sigset_t before;
  (void)sigfillset(&all);
  (void)sigprocmask(SIG_SETMASK, &all, &before);
  s->descriptor = mkostemp(unfinished, O_CLOEXEC);
  int error = errno;
  is_unfinished = s->descriptor >= 0;
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  if (s->descriptor < 0) return complain(s->file, "cannot be written: %s", strerror(error));
  return fchmod(s->descriptor, mode) == 0 ? STATUS_DONE : complain(s->file, "cannot be written: %s", strerror(errno));
}

int store_begin(store *s, const char *file) {
  struct stat about;
  *s = (store){.file = file, .descriptor = -1};
  if (strcmp(file, "-") == 0) {
    s->file = "standard output";
    s->descriptor = STDOUT_FILENO;
    s->in_place = 1;
    return STATUS_DONE;
  }
  int exists = stat(file, &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) return complain(file, "a directory; -o names the file to write");
  if (exists && !S_ISREG(about.st_mode)) {
    s->descriptor = open(file, O_WRONLY | O_CLOEXEC);
    s->in_place = 1;
    return s->descriptor < 0 ? complain(file, "cannot be written: %s", strerror(errno)) : STATUS_DONE;
  }
  if (exists && access(file, W_OK) != 0) return complain(file, "cannot be written: %s", strerror(errno));
  s->target = exists ? realpath(file, NULL) : strdup(file);
  if (!s->target) return complain(file, "cannot be written: %s", strerror(errno));
  return open_neighbour(s, exists ? about.st_mode & 07777 : default_mode());
}

/* The new name is on the disk only when its folder is. Some file systems cannot do that, and none is wrong for it. */
static void sync_folder(const char *target) {
  char *folder = strdup(target);
  if (!folder) return;
  char *slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = '\0';
  int descriptor = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    (void)fsync(descriptor);
    (void)close(descriptor);
  }
  free(folder);
}

int store_commit(store *s, const result *r) {
  unsigned char header[NPY_HEADER_MAX];
  size_t length = npy_write(&r->tensor, header);
  size_t size = (size_t)r->count * bitfold_format_size(r->tensor.format);
  int bad = write_all(s->descriptor, header, length) != 0 || write_all(s->descriptor, r->data, size) != 0;
  if (!s->in_place) bad = bad || fsync(s->descriptor) != 0 || rename(unfinished, s->target) != 0;
  int status = bad ? complain(s->file, "cannot be written: %s", strerror(errno)) : STATUS_DONE;
  if (!bad && !s->in_place) {
    is_unfinished = 0;
    sync_folder(s->target);
  }
  store_abandon(s);
  return status;
}

void store_abandon(store *s) {
  if (is_unfinished) (void)unlink(unfinished);
  is_unfinished = 0;
  if (s->descriptor > STDERR_FILENO) (void)close(s->descriptor);
  free(s->target);
  *s = (store){.descriptor = -1};
}
