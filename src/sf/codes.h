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
/* n is at most BF_TILE. */
void bf_codes_add(struct bf_codes *codes, const int32_t *x, const int32_t *y, size_t n, size_t stride);
/* The read-out, after a division by count (1 for a sum). */
int32_t bf_codes_read(struct bf_codes *codes, int is_product, uint64_t count);
struct bf_real bf_codes_over(const struct bf_codes *codes, uint64_t count); /* a mean's accumulator, divided exactly */
/* What one step adds to the accumulator of a rule on integers; y null in a sum. */
int64_t bf_codes_term(const bitfold_rule *rule, int bits, int32_t x, const int32_t *y);
int bf_codes_in_range(bitfold_format format, const int32_t *codes, size_t n);
