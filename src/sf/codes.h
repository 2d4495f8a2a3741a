/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of SuperFloat codes by a rule; sum_codes.c. Part of kernel.h. */

struct bf_codes {
  const bitfold_rule *rule;
  int bits;    /* N */
  int clamped; /* some step did */
  int64_t low, high, sum;
  float float_sum; /* instead of sum, for BITFOLD_PRODUCT_FLOAT32 */
};
int bf_rule_is_valid(const bitfold_rule *rule, int width); /* width: N */
void bf_codes_init(struct bf_codes *codes, const bitfold_rule *rule, int bits);
/* Term i is x[i * stride]. */
void bf_codes_add(struct bf_codes *codes, const int32_t *x, const int32_t *y, size_t n, size_t stride);
/* The rule's read-out; or, for a mean, the accumulator divided by a count that is not 0, rounded to nearest. */
int32_t bf_codes_read(struct bf_codes *codes, int is_product, uint64_t count);
struct bf_real bf_codes_over(const struct bf_codes *codes, uint64_t count); /* a mean's accumulator, divided exactly */
/* What each step adds to the accumulator of a rule on integers; y null in a sum, n and stride as above. */
void bf_codes_terms(const struct bf_codes *codes, int64_t *term, const int32_t *x, const int32_t *y, size_t n, size_t stride);
int bf_codes_in_range(bitfold_format format, const int32_t *codes, size_t n);

/* ---- Codes read where they lie, for rules that need no more than 16 bits; in_place.c ---- */

typedef int16_t __attribute__((__may_alias__)) bf_code; /* of sf9 to sf16, in memory */

/* Whether that is done here: smaller processors have no vectors that a compiler could make of plain loops. */
enum { BF_IN_PLACE = !BF_SMALL && sizeof(void *) >= 8 };
/* Outputs side by side; where it pays, enough that a row of them fills a cache line. */
enum { BF_CODES_WIDTH = BF_IN_PLACE ? 64 : 16 };
struct bf_terms;
struct bf_isa;
/*
 * Adds terms from `first` on, at most n, to codes[j] for each output j, and returns how many: 0 where the rule needs more bits, or
 * the codes are neither rows nor neighbours as wide as their memory, aligned, in the machine's byte order.
 */
uint64_t bf_codes_add_in_place(struct bf_codes *codes, const struct bf_terms *terms, uint64_t first, uint64_t n);
/*
 * The same for contiguous codes of one output, of which y is null in a sum; 0 as well where a code is out of range, which is left
 * to be found by whoever adds them in another way.
 */
size_t bf_codes_add_row(const struct bf_isa *isa, struct bf_codes *codes, bitfold_format format, const void *x, const void *y,
                        size_t n);
/* n terms of each output from tiles, n * width <= BF_TILE: term i of output j is x[i * width + j]. */
void bf_codes_add_tile(const struct bf_isa *isa, struct bf_codes *codes, size_t width, const int32_t *x, const int32_t *y,
                       size_t n);
/* Whether the format can hold terms [first, first + n) of both operands; read where they lie if that is possible. */
int bf_codes_are_in_range(const struct bf_terms *terms, uint64_t first, uint64_t n);
