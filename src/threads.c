/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, where the compiler has OpenMP: the one file of the core that knows of them. Without OpenMP, and in firmware (which names
 * its machine by BITFOLD_MACHINE), pieces run one after the other. No bit depends on any of it.
 *
 * A region inside another one runs on the thread that asked for it, which is OpenMP's own default.
 */
#if defined(_OPENMP) && !defined(BITFOLD_MACHINE) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "kernel.h"

#if defined(_OPENMP) && !defined(BITFOLD_MACHINE)
#include <omp.h>

int bf_parallel(int threads, size_t pieces, bf_piece_fn *piece, void *context) {
  int stopped = 0, stop;
  if ((size_t)threads > pieces) threads = (int)pieces; /* OpenMP aborts where it cannot make as many as it is asked for */
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) private(stop)
  for (size_t i = 0; i < pieces; i++) {
#pragma omp atomic read
    stop = stopped;
    if (stop || !piece(context, i, omp_get_thread_num() == 0)) continue;
#pragma omp atomic write
    stopped = 1;
  }
  return threads;
}

int bitfold_threads(void) { return omp_get_max_threads(); }

/* The child of a fork has none of the threads that OpenMP remembers, and would wait for them: they end before the fork. */
#if defined(__GLIBC__) || defined(__linux__)
#include <pthread.h>
static void pause_threads(void) {
  if (!omp_in_parallel()) (void)omp_pause_resource_all(omp_pause_soft);
}
__attribute__((constructor)) static void watch_forks(void) { (void)pthread_atfork(pause_threads, NULL, NULL); }
#endif

#else
int bf_parallel(int threads, size_t pieces, bf_piece_fn *piece, void *context) {
  (void)threads;
  for (size_t i = 0; i < pieces && !piece(context, i, 1);) i++;
  return 1;
}

int bitfold_threads(void) { return 1; }
#endif
