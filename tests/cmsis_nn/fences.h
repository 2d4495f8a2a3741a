/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that may not be touched, on systems that have pages; elsewhere everything here says that there are none. */
#ifndef FENCES_H
#define FENCES_H

#include "suite.h"

/* Address space of more bytes than any size limit allows, none of it accessible; null where there is none. */
void *fence_reserved(void);

/* Makes the call; 0 if it touched a page that it may not touch. */
int fence_survives(const call *c, arm_cmsis_nn_status *status);

enum { FENCED = 32768 };

/* Writable bytes, FENCED of them, between two pages that may not be touched; there are two such places. Null: none here. */
unsigned char *fence_place(int which);

/* Forbids writing to the first place, or allows it again. */
void fence_protect(int forbid);

#endif
