/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages of the mapped inputs are in memory: a window around the place of the work, so that no file takes more memory than
 * that. A second thread keeps it, for mapping and unmapping pages takes as long as adding up what is in them.
 */
#include "cli.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

static const uint64_t window = 1 << 24; /* bytes; two ahead, two behind */

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14; older ones refuse it, and the work then faults the pages in itself */
#endif

static struct {
  const input *in[2];
  size_t size;   /* of the larger mapping */
  uint64_t unit; /* bytes per element */
  uint64_t at;   /* bytes done */
  uint64_t freed;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t told;
  int has_thread;
  int stop;
} pages = {.mutex = PTHREAD_MUTEX_INITIALIZER, .told = PTHREAD_COND_INITIALIZER};

static void advise(uint64_t from, uint64_t length, int advice) {
  for (int i = 0; i < 2; i++) {
    if (!pages.in[i] || from >= pages.in[i]->map_size) continue;
    uint64_t left = pages.in[i]->map_size - from;
    (void)madvise((char *)pages.in[i]->map + from, (size_t)(length < left ? length : left), advice);
  }
}

static void *keep_window(void *unused) {
  uint64_t filled = 0;
  (void)unused;
  (void)pthread_mutex_lock(&pages.mutex);
  while (!pages.stop) {
    uint64_t at = pages.at;
    if (pages.freed + 2 * window <= at) {
      (void)pthread_mutex_unlock(&pages.mutex);
      advise(pages.freed, window, MADV_DONTNEED);
      pages.freed += window;
      (void)pthread_mutex_lock(&pages.mutex);
    } else if (filled < at + 2 * window && filled < pages.size) {
      if (filled < at) filled = at / window * window;
      (void)pthread_mutex_unlock(&pages.mutex);
      advise(filled, window, MADV_POPULATE_READ);
      filled += window;
      (void)pthread_mutex_lock(&pages.mutex);
    } else {
      (void)pthread_cond_wait(&pages.told, &pages.mutex);
    }
  }
  (void)pthread_mutex_unlock(&pages.mutex);
  return unused;
}

void pages_start(const input *x, const input *y, uint64_t unit, int along) {
  pages.in[0] = x;
  pages.in[1] = y && y->map ? y : NULL;
  pages.size = pages.in[1] && y->map_size > x->map_size ? y->map_size : x->map_size;
  pages.unit = unit;
  pages.at = 0;
  pages.freed = 0;
  pages.stop = 0;
  pages.has_thread = along && pages.size > 4 * window && pthread_create(&pages.thread, NULL, keep_window, NULL) == 0;
}

void pages_tell(uint64_t done) {
  uint64_t at = done * pages.unit;
  if (pages.has_thread) {
    (void)pthread_mutex_lock(&pages.mutex);
    pages.at = at;
    (void)pthread_cond_signal(&pages.told);
    (void)pthread_mutex_unlock(&pages.mutex);
    return;
  }
  /* A walk across the file may be anywhere in it. All of it is let go, but not so often that this takes longer than the work. */
  uint64_t step = pages.size / 256 > window ? pages.size / 256 : window;
  if (at - pages.freed < step) return;
  advise(0, pages.size, MADV_DONTNEED);
  pages.freed = at;
}

void pages_stop(void) {
  if (!pages.has_thread) return;
  (void)pthread_mutex_lock(&pages.mutex);
  pages.stop = 1;
  (void)pthread_cond_signal(&pages.told);
  (void)pthread_mutex_unlock(&pages.mutex);
  (void)pthread_join(pages.thread, NULL);
  pages.has_thread = 0;
}

int pages_along(const input *in, const bitfold_axes *axes) {
  const int64_t row_max = (int64_t)window / 64; /* bytes; the library may work on several rows at once, but not on more than 64 */
  const bitfold_tensor *t = &in->tensor;
  int reduced[BITFOLD_RANK_MAX] = {0};
  if (in->header.fortran && t->rank > 1) return 0;
  if (!axes) return 1;
  for (int i = 0; i < axes->count; i++) reduced[axes->axis[i] < 0 ? axes->axis[i] + t->rank : axes->axis[i]] = 1;
  int first = 0;
  while (first < t->rank && !reduced[first]) first++;
  for (int i = first; i < t->rank; i++) {
    if (!reduced[i]) return 0;
  }
  return first == 0 || t->stride[first - 1] <= row_max;
}
