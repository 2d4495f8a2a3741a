/* SPDX-License-Identifier: Apache-2.0 */
/* Guard pages by mmap, and calls that survive touching one. */
#if defined(__unix__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "fences.h"

#if defined(__unix__)
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf back;

static void fault(int number) {
  (void)number;
  siglongjmp(back, 1);
}

static void *map(size_t size, int access) {
  void *at = mmap(NULL, size, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

void *fence_reserved(void) {
  static void *at;
#if UINTPTR_MAX > UINT32_MAX
  if (!at) at = map((size_t)9 << 30, PROT_NONE);
#endif
  return at;
}

int fence_survives(const call *c, arm_cmsis_nn_status *status) {
  struct sigaction ours = {.sa_handler = fault}, old_segv, old_bus;
  volatile int survived = 0;
  sigaction(SIGSEGV, &ours, &old_segv), sigaction(SIGBUS, &ours, &old_bus);
  if (!sigsetjmp(back, 1)) {
    *status = perform(c);
    survived = 1;
  }
  sigaction(SIGSEGV, &old_segv, NULL), sigaction(SIGBUS, &old_bus, NULL);
  if (!survived) state_enter(0), (void)state_leave(0); /* the call did not come to put the control state back */
  return survived;
}

unsigned char *fence_place(int which) {
  static unsigned char *places[2];
  if (places[which]) return places[which];
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (FENCED % page) return NULL;
  unsigned char *at = map(FENCED + 2 * page, PROT_NONE);
  if (!at || mprotect(at + page, FENCED, PROT_READ | PROT_WRITE)) return NULL;
  return places[which] = at + page;
}

void fence_protect(int forbid) { mprotect(fence_place(0), FENCED, forbid ? PROT_READ : PROT_READ | PROT_WRITE); }

#else
void *fence_reserved(void) { return NULL; }
int fence_survives(const call *c, arm_cmsis_nn_status *status) { return *status = perform(c), 1; }
unsigned char *fence_place(int which) { return (void)which, NULL; }
void fence_protect(int forbid) { (void)forbid; }
#endif
