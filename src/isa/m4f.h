/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the machine m4f share. */
#ifndef BITFOLD_M4F_H
#define BITFOLD_M4F_H

/* The registers that loops take: s0-s15 are sums or best values, s16-s31 elements. */
#define FLOATS                                                                                                                     \
  "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17", "s18",       \
      "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31"

/* Whether words can be loaded from here. */
static inline int is_aligned(const void *x) { return ((uintptr_t)x & 3) == 0; }

#endif
