/* SPDX-License-Identifier: Apache-2.0 */
/* Every operation on every kind of format, in orders of every kind and under every rule: the contracts of fences_reduce.c. */
#ifndef FENCES_CONTRACTS_H
#define FENCES_CONTRACTS_H

static const char *const formats[] = {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "sf4", "sf8", "sf12", "sf16"};
enum { FORMATS = sizeof formats / sizeof *formats, FLOATS = 4, INTEGERS = 8 };

/* What follows the format: of floats, of integers, of codes. A star stands for the format. */
static const char *const float_contracts[] = {"sum:*:exact",
                                              "sum:*:sequential",
                                              "sum:*:reverse",
                                              "sum:*:lanes(4,fold=left)",
                                              "sum:*:lanes(5,fold=pairs)",
                                              "sum:*:lanes(16,fold=halves,tail=after)",
                                              "sum:*:lanes(64,fold=pairs)",
                                              "sum:*:canonical(1)",
                                              "sum:*:canonical(8)",
                                              "sum:*:canonical(128)",
                                              "sum:*:pairwise(16,lanes(8,fold=pairs,tail=after))",
                                              "sum:*:blocks(32,sequential)",
                                              "sum:*:blocks(24,exact)",
                                              "sum:*:helia",
                                              "sum:*:numpy",
                                              "mean:*:numpy-1",
                                              "mean:*:exact",
                                              "mean:*:lanes(32)",
                                              "dot:*:exact",
                                              "dot:*:sequential",
                                              "dot:*:lanes(16)",
                                              "dot:*:canonical(16)",
                                              "sumsq:*:exact",
                                              "sumsq:*:lanes(8)",
                                              "sumabs:*:exact",
                                              "sumabs:*:lanes(8)",
                                              "sum:*:acc=f64:sequential",
                                              "sum:*:acc=f64:lanes(8)",
                                              "max:*:nan=propagate",
                                              "max:*:nan=ignore",
                                              "min:*:nan=propagate",
                                              "min:*:nan=ignore",
                                              "argmax:*:nan=propagate",
                                              "argmax:*:nan=ignore",
                                              "argmin:*:nan=propagate",
                                              "argmin:*:nan=ignore"};
static const char *const integer_contracts[] = {"sum:*", "mean:*", "dot:*",    "sumsq:*", "sumabs:*",
                                                "max:*", "min:*",  "argmax:*", "argmin:*"};
static const char *const code_contracts[] = {"sum:*:sf",
                                             "sum:*:atreides-v1",
                                             "sum:*:atreides-v2.1",
                                             "sum:*:systolic24",
                                             "sum:*:sf31",
                                             "sum:*:guarded31",
                                             "sum:*:float32",
                                             "sum:*:edge-int32",
                                             "sum:*:exact",
                                             "dot:*:sf",
                                             "dot:*:sf31",
                                             "dot:*:atreides-v1",
                                             "dot:*:float32",
                                             "dot:*:edge-int32",
                                             "dot:*:systolic24",
                                             "dot:*:guarded31",
                                             "dot:*:exact",
                                             "dot:*:atreides-v2.1",
                                             "mean:*:sf",
                                             "sumsq:*:sf",
                                             "sumabs:*:sf",
                                             "max:*",
                                             "min:*",
                                             "argmax:*",
                                             "argmin:*"};

#endif
