/* SPDX-License-Identifier: Apache-2.0 */
/* Read before each file of the library when it is built as a shared one: it exports what the public header declares, no more. */
#pragma GCC visibility push(default)
#include <bitfold/bitfold.h> /* IWYU pragma: export */
#pragma GCC visibility pop
