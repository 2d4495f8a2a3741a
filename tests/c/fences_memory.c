/* SPDX-License-Identifier: Apache-2.0 */
/* The places of fences_memory.h, by mmap. */
#include "fences_memory.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif

sigjmp_buf place_fault;

unsigned char *place_of(enum place which) {
  static unsigned char *places[PLACES];
  if (places[which]) return places[which];
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (PLACE_BYTES % page) return NULL;
  unsigned char *at = mmap(NULL, PLACE_BYTES + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED || mprotect(at + page, PLACE_BYTES, PROT_READ | PROT_WRITE) != 0) return NULL;
  return places[which] = at + page;
}

void place_lock(enum place which, int locked) {
  (void)mprotect(place_of(which), PLACE_BYTES, locked ? PROT_READ : PROT_READ | PROT_WRITE);
}

void place_allow(enum place which, const unsigned char *at, size_t n) {
#if defined(ASAN_POISON_MEMORY_REGION)
  const unsigned char *all = place_of(which);
  ASAN_UNPOISON_MEMORY_REGION(all, PLACE_BYTES);
  if (n == PLACE_BYTES) return;
  ASAN_POISON_MEMORY_REGION(all, (size_t)(at - all));
  ASAN_POISON_MEMORY_REGION(at + n, PLACE_BYTES - n - (size_t)(at - all));
#else
  (void)which, (void)at, (void)n;
#endif
}

static void fault(int number) {
  (void)number;
  siglongjmp(place_fault, 1);
}

void place_watch(int on) {
  static struct sigaction before_segv, before_bus;
  struct sigaction ours = {.sa_handler = fault};
  if (on) sigaction(SIGSEGV, &ours, &before_segv), sigaction(SIGBUS, &ours, &before_bus);
  else sigaction(SIGSEGV, &before_segv, NULL), sigaction(SIGBUS, &before_bus, NULL);
}
