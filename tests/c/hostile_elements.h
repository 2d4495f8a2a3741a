/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile rows of any element format, those of hostile.h for floats among them. */
#ifndef HOSTILE_ELEMENTS_H
#define HOSTILE_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <bitfold/bitfold.h>

enum { ELEMENT_KINDS = 28 };

/* Writes n patterns of one kind, zero-extended. Codes of sfN are within their width; -1.0 is among them in some kinds. */
void hostile_elements(bitfold_format format, unsigned kind, size_t n, uint64_t *state, uint64_t *patterns);

/* One element of the machine's byte order, or of the other one. */
void element_store(uint64_t pattern, size_t size, int swapped, void *to);
uint64_t element_load(const void *from, size_t size, int swapped);

#endif
