/* SPDX-License-Identifier: Apache-2.0 */
/* A program as a box: a line says what is wanted, raw little-endian numbers follow, and raw numbers come back, within a time. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STRAY_MS = 20, GONE_MS = 200 };

static double now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- Beginning and end ---- */

static _Noreturn void become(const pipe_box *p, int in, int out) {
  (void)setpgid(0, 0);
  (void)signal(SIGPIPE, SIG_DFL);
  (void)signal(SIGXFSZ, SIG_DFL);
  if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) (void)execl("/bin/sh", "sh", "-c", p->command, (char *)NULL);
  _exit(127);
}

int pipe_start(pipe_box *p) {
  int in[2];
  int out[2];
  p->to = p->from = p->process = -1;
  (void)signal(SIGPIPE, SIG_IGN);
  if (pipe2(in, O_CLOEXEC)) return complain(p->command, "no pipe: %s", strerror(errno));
  if (pipe2(out, O_CLOEXEC)) {
    (void)close(in[0]), (void)close(in[1]);
    return complain(p->command, "no pipe: %s", strerror(errno));
  }
  p->process = fork();
  if (p->process == 0) become(p, in[0], out[1]);
  (void)close(in[0]), (void)close(out[1]);
  p->to = in[1], p->from = out[0];
  if (p->process < 0) return complain(p->command, "cannot be started: %s", strerror(errno));
  (void)setpgid(p->process, p->process);
  (void)fcntl(p->to, F_SETFL, O_NONBLOCK);
  (void)fcntl(p->from, F_SETFL, O_NONBLOCK);
  return STATUS_DONE;
}

/* Says how the program ended; while it closes its output a moment before it ends, that is waited for. */
static int say_end(pipe_box *p) {
  int how = 0;
  pid_t ended = 0;
  const struct timespec pause = {0, 1000000};
  for (int k = 0; !ended && k < GONE_MS; k++) {
    ended = waitpid(p->process, &how, WNOHANG);
    if (!ended) (void)nanosleep(&pause, NULL);
  }
  const unsigned long long answered = p->asked - 1;
  if (ended > 0) p->process = -1;
  if (ended > 0 && WIFSIGNALED(how))
    return complain(p->command, "ended by signal %d (%s) after %llu answers", WTERMSIG(how), strsignal(WTERMSIG(how)), answered);
  if (ended > 0 && WEXITSTATUS(how) == 127)
    return complain(p->command, "cannot be run; --pipe takes a command of the shell, such as ./device_sum");
  if (ended > 0)
    return complain(p->command, "ended with status %d after %llu answers; it must answer until its input ends", WEXITSTATUS(how),
                    answered);
  return complain(p->command, "closed its output after %llu answers; it must answer until its input ends", answered);
}

static void end(pipe_box *p) {
  if (p->to >= 0) (void)close(p->to);
  if (p->from >= 0) (void)close(p->from);
  p->to = p->from = -1;
  const struct timespec pause = {0, 1000000};
  for (int k = 0; p->process > 0 && k < GONE_MS; k++) {
    if (waitpid(p->process, NULL, WNOHANG)) p->process = -1;
    else (void)nanosleep(&pause, NULL);
  }
  if (p->process <= 0) return;
  (void)kill(-p->process, SIGKILL);
  (void)waitpid(p->process, NULL, 0);
  p->process = -1;
}

/* ---- One question ---- */

/* Waits until a descriptor is ready, or for this long; 0 in time, else what has been said. */
static int ready(pipe_box *p, int descriptor, short events, double until) {
  for (;;) {
    struct pollfd one = {descriptor, events, 0};
    const double left = until - now();
    const int found = poll(&one, 1, left <= 0 ? 0 : left > 60 ? 60000 : (int)(left * 1000) + 1);
    if (found > 0) return STATUS_DONE;
    if (found < 0 && errno != EINTR) return complain(p->command, "cannot be asked: %s", strerror(errno));
    if (left <= 0)
      return complain(p->command, "gave no answer to question %llu within %ld s; --timeout allows more",
                      (unsigned long long)p->asked, p->timeout);
  }
}

static int send_bytes(pipe_box *p, const char *bytes, size_t size, double until) {
  while (size) {
    const ssize_t sent = write(p->to, bytes, size);
    if (sent > 0) bytes += sent, size -= (size_t)sent;
    else if (sent < 0 && errno == EPIPE) return say_end(p);
    else if (sent < 0 && errno != EAGAIN && errno != EINTR) return complain(p->command, "cannot be asked: %s", strerror(errno));
    else {
      const int status = ready(p, p->to, POLLOUT, until);
      if (status) return status;
    }
  }
  return STATUS_DONE;
}

static int receive(pipe_box *p, char *bytes, size_t size, double until) {
  while (size) {
    int status = ready(p, p->from, POLLIN, until);
    if (status) return status;
    const ssize_t got = read(p->from, bytes, size);
    if (got == 0) return say_end(p);
    if (got > 0) bytes += got, size -= (size_t)got;
    else if (errno != EAGAIN && errno != EINTR) return complain(p->command, "cannot be read: %s", strerror(errno));
  }
  return STATUS_DONE;
}

/* What came without a question: text for people, for instance. */
static int check_stray(pipe_box *p, int wait, const char *answer, size_t size) {
  char stray[40];
  struct pollfd one = {p->from, POLLIN, 0};
  if (poll(&one, 1, wait) <= 0 || !(one.revents & POLLIN)) return STATUS_DONE;
  const ssize_t got = read(p->from, stray, sizeof stray - 1);
  if (got <= 0) return STATUS_DONE;
  stray[got] = '\0';
  for (ssize_t i = 0; i < got; i++)
    if (stray[i] < ' ' || stray[i] > '~') stray[i] = '?';
  return complain(p->command, "says more than the %zu bytes of an answer: '%.*s%s'; standard output is for raw numbers alone", size,
                  (int)size, answer, stray);
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { IS_BIG = 1 };
#else
enum { IS_BIG = 0 };
#endif
static void swap_bytes(char *bytes, size_t n, size_t size) {
  for (size_t i = 0; IS_BIG && i < n; i++)
    for (size_t k = 0; k < size / 2; k++) {
      const char low = bytes[i * size + k];
      bytes[i * size + k] = bytes[i * size + size - 1 - k];
      bytes[i * size + size - 1 - k] = low;
    }
}

static int ask(pipe_box *p, const void *x, const void *y, size_t n, char *question, size_t line, char *got) {
  const bitfold_box *box = &p->box;
  const size_t size = bitfold_format_size(box->element), answer = bitfold_format_size(box->output);
  const double until = now() + (double)p->timeout;
  memcpy(question + line, x, n * size);
  if (y) memcpy(question + line + n * size, y, n * size);
  swap_bytes(question + line, y ? 2 * n : n, size);
  int status = send_bytes(p, question, line + (y ? 2 : 1) * n * size, until);
  if (!status) status = receive(p, got, answer, until);
  if (!status) status = check_stray(p, p->asked == 1 ? STRAY_MS : 0, got, answer);
  swap_bytes(got, 1, answer);
  return status;
}

int pipe_ask(void *context, const void *x, const void *y, size_t n, void *sum) {
  pipe_box *p = context;
  const bitfold_box *box = &p->box;
  char line[80];
  const size_t length = (size_t)snprintf(line, sizeof line, "%s %s %zu %s\n", bitfold_operation_name(box->operation),
                                         bitfold_format_name(box->element), n, bitfold_format_name(box->output));
  char *question = malloc(length + 2 * n * bitfold_format_size(box->element));
  if (!question) return p->status = complain(NULL, "out of memory");
  memcpy(question, line, length);
  p->asked++;
  progress_show(p->asked, p->asked < p->expected ? p->expected : p->asked);
  p->status = ask(p, x, y, n, question, length, sum);
  free(question);
  return p->status;
}

int pipe_stop(pipe_box *p) {
  int status = p->status || p->from < 0 ? p->status : check_stray(p, STRAY_MS, "", 0);
  end(p);
  return status;
}
