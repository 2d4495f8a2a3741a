/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for tensors around which nothing may be touched: between pages without access on a host, between guard bytes elsewhere. */
#if defined(__unix__)
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
#endif
#include <string.h>
#include "relatives.h"

enum { ROOM = CAPACITY * 4, GUARD = 16 };
static int ends; /* whether rooms end at the upper guard; else they begin at the lower one */

void change_side(void) { ends = !ends; }

#if defined(__unix__)
/* Room 0 and room 1 are every second page, those between and around them cannot be touched. */
static char *pages(size_t *page) {
  static char *all;
  *page = (size_t)sysconf(_SC_PAGESIZE);
  if (!all) {
    all = mmap(NULL, 5 * *page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(all + *page, *page, PROT_READ | PROT_WRITE);
    mprotect(all + 3 * *page, *page, PROT_READ | PROT_WRITE);
  }
  return all;
}
static char *whole(int which, size_t *size) { return pages(size) + (which ? 3 : 1) * *size; }
void *forbidden(void) {
  size_t page;
  return pages(&page);
}
#else
static union {
  int32_t aligned;
  char bytes[ROOM + 2 * GUARD];
} rooms[2];
static char *whole(int which, size_t *size) {
  *size = sizeof rooms[which].bytes;
  return rooms[which].bytes;
}
void *forbidden(void) { return rooms; }
#endif

static size_t before(size_t bytes, size_t size) {
#if defined(__unix__)
  return ends ? size - bytes : 0;
#else
  return ends ? size - GUARD - bytes : GUARD;
#endif
}

void *room(int which, size_t bytes) {
  size_t size;
  char *all = whole(which, &size);
  memset(all, PATTERN, size);
  return all + before(bytes, size);
}

const char *touched(int which, size_t bytes) {
  size_t size;
  const char *all = whole(which, &size);
  const size_t start = before(bytes, size);
  for (size_t i = 0; i < size; i++)
    if ((i < start || i >= start + bytes) && (unsigned char)all[i] != PATTERN)
      return which ? "a byte around the output was written" : "a byte around the input was written";
  return NULL;
}
