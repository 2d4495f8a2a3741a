/* SPDX-License-Identifier: Apache-2.0 */
/* Puts two .npy files into read-only memory: the assembler includes their bytes, so host and chip have the same file. */
#include "features.h"

/* Where the files are: seen from the folder in which the compiler runs, unless -DDATA='"..."' says otherwise. */
#ifndef DATA
#define DATA "examples/data"
#endif

/* NumPy's header is 128 bytes long here; the elements follow, little-endian, as Cortex-M wants them. */
__asm__(".section .rodata.features, \"a\", %progbits\n"
        ".global features_f32, features_f16\n"
        ".balign 16\n"
        "features_f32: .incbin \"" DATA "/features_f32.npy\", 128\n"
        ".balign 16\n"
        "features_f16: .incbin \"" DATA "/features_f16.npy\", 128\n"
        ".previous\n");
