/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acts of selections on vectors: includes pick_rows.h and pick_columns.h once per kind of key, with F its name, BITS its width,
 * FLOATS 1 for floats, and V the vectors of those that are compared as floats.
 */
#include "pick_words.h"

#define WIDE_(a, b) a##b
#define WIDE(a, b) WIDE_(a, b)
#define INT WIDE(WIDE(int, BITS), _t)
#define UINT WIDE(WIDE(uint, BITS), _t)
#define INT_MOST ((INT)(UINT64_MAX >> (65 - BITS)))
#define INT_LEAST ((INT)(-INT_MOST - 1))
#define S WIDE(v_i, BITS)
#define U WIDE(v_u, BITS)
#define LARGER WIDE(larger_i, BITS)
#define CHOOSE WIDE(choose_i, BITS)
#define L (VECTOR / sizeof(INT))

#define F f16
#define BITS 16
#define FLOATS 1
#include "pick_rows.h"
#include "pick_columns.h"
#undef F
#undef BITS
#define F f32
#define BITS 32
#define V v_f32
#include "pick_rows.h"
#include "pick_columns.h"
#undef F
#undef BITS
#undef V
#define F f64
#define BITS 64
#define V v_f64
#include "pick_rows.h"
#include "pick_columns.h"
#undef F
#undef BITS
#undef V
#undef FLOATS
#define FLOATS 0
#define F i8
#define BITS 8
#include "pick_rows.h"
#include "pick_columns.h"
#undef F
#undef BITS
#define F i16
#define BITS 16
#include "pick_rows.h"
#include "pick_columns.h"
#undef F
#undef BITS
#define F i32
#define BITS 32
#include "pick_rows.h"
#include "pick_columns.h"
#undef F
#undef BITS
#define F i64
#define BITS 64
#include "pick_rows.h"
#include "pick_columns.h"
#undef F
#undef BITS
#undef FLOATS

static const bf_pick_rows_fn pick_rows = {f16_pick_rows, f32_pick_rows, f64_pick_rows, i8_pick_rows,
                                          i16_pick_rows, i32_pick_rows, i64_pick_rows};
static const bf_pick_columns_fn pick_columns = {f16_pick_columns, f32_pick_columns, f64_pick_columns, i8_pick_columns,
                                                i16_pick_columns, i32_pick_columns, i64_pick_columns};
static const bf_raise_columns_fn raise_columns = {NULL, f32_raise_columns, f64_raise_columns};
