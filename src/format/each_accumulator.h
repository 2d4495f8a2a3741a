/* SPDX-License-Identifier: Apache-2.0 */
/* Includes SELF once per line of accumulators.def, with F naming the format. */
#define F f16
#include SELF
#undef F
#define F bf16
#include SELF
#undef F
#define F f32
#include SELF
#undef F
#define F f64
#include SELF
#undef F
#undef SELF
