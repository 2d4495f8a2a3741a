# SPDX-License-Identifier: Apache-2.0
# The warnings that our own C files are compiled with, as the list bitfold_warnings.
set(bitfold_warnings
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wold-style-definition -Wcast-qual -Wcast-align -Wpointer-arith -Wwrite-strings -Wundef -Wvla -Wdouble-promotion -Wformat=2
    -Werror=implicit-function-declaration)
if(BITFOLD_WERROR)
  list(APPEND bitfold_warnings -Werror)
endif()
