/* expression_kernels_scalar - the loops of an expression for any processor: vectors of 16 bytes, which the compiler
 * makes what they can be.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>

#define ISA                scalar
#define VECTOR_BYTES       16
#define TWO_BITS(mask)     ((uint64_t)((mask)[0] & 1) | (uint64_t)((mask)[1] & 2))
#define LESS_I(a, b)       TWO_BITS((a) < (b))
#define LESS_EQUAL_I(a, b) TWO_BITS((a) <= (b))
#define EQUAL_I(a, b)      TWO_BITS((a) == (b))
#define LESS_F(a, b)       TWO_BITS((a) < (b))
#define LESS_EQUAL_F(a, b) TWO_BITS((a) <= (b))
#define EQUAL_F(a, b)      TWO_BITS((a) == (b))
#include "stages/expression_kernels.inc"
