/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for CMSIS-NN's header of this name, for a caller whose source includes it and uses the reductions. Put this folder on
 * the include path only where CMSIS-NN itself is not.
 */
#ifndef BITFOLD_DROP_IN_ARM_NNFUNCTIONS_H
#define BITFOLD_DROP_IN_ARM_NNFUNCTIONS_H

#include "../bitfold_arm_nn.h"
#include "../bitfold_arm_nn_integer.h"

#endif
