/* decimal - numbers as text: fast, and the same in every locale; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_IO_DECIMAL_H
#define EM_IO_DECIMAL_H

#include "scan/base/context.h"

enum { EM_U64_DIGITS = 20, EM_I64_DIGITS = 20, EM_F64_DIGITS = 28 }; /* room that always suffices */

/* Digits of a number at `into`; returns their end. */
char *em_put_u64(char *into, uint64_t value);
char *em_put_i64(char *into, int64_t value);

/* Powers of ten for the floats below: 10^k = (high * 2^63 + low) * 2^e, rounded up, of 126 bits. */
typedef struct em_powers_of_ten em_powers_of_ten;
em_status em_powers_of_ten_make(em_context *context, em_powers_of_ten **powers, em_error *error);
void em_powers_of_ten_free(em_context *context, em_powers_of_ten *powers); /* NULL is fine */

/* The shortest decimal that reads back as exactly this number, of those the closest one; a point or an exponent is
 * always there, so that it is read back as a float. Finite numbers only. */
char *em_put_f64(char *into, double value, const em_powers_of_ten *powers);
char *em_put_f32(char *into, float value, const em_powers_of_ten *powers);

#endif
