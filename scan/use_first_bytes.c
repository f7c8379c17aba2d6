/* use_first_bytes - concatenation cut to its first bytes: a monoid of one's own, made by serial.inc.
 *
 * Cutting is no loss to associativity: only bytes that no longer text would show are dropped. The names that monoids.h
 * lists (item, elem, result; identity, lift, combine, lower) are all that serial.inc needs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/monoids.h"
#include "scan/uses.h"

#include <string.h>

SCAN_INLINE em_first_bytes concatenate(em_first_bytes earlier, em_first_bytes later)
{
    if (earlier.n_bytes >= EM_FIRST_BYTES) /* more in an initial value that nobody cleaned */
        return earlier;
    const unsigned left = EM_FIRST_BYTES - earlier.n_bytes, n = later.n_bytes < left ? later.n_bytes : left;
    memcpy(earlier.bytes + earlier.n_bytes, later.bytes, n);
    earlier.n_bytes = (uint8_t)(earlier.n_bytes + n);
    return earlier;
}

/* Texts that are equal are equal in all their bytes. */
SCAN_INLINE em_first_bytes cleaned(em_first_bytes item)
{
    if (item.n_bytes > EM_FIRST_BYTES)
        item.n_bytes = EM_FIRST_BYTES;
    memset(item.bytes + item.n_bytes, 0, EM_FIRST_BYTES - item.n_bytes);
    return item;
}

SCAN_DEFINE(first_bytes, em_first_bytes, em_first_bytes, em_first_bytes, 0, 0, 8000, (em_first_bytes){0}, cleaned(item),
            concatenate(earlier, later), element)

#define MONOID              first_bytes
#define FN(name)            SCAN_PASTE(MONOID, name)
#define SCAN_KERNEL_LINKAGE static
#include "scan/serial.inc"

const em_monoid *em_monoid_first_bytes(void)
{
    return &first_bytes_scalar;
}

em_first_bytes em_first_bytes_of(const char *text)
{
    em_first_bytes first = {0};
    first.n_bytes = (uint8_t)strnlen(text, EM_FIRST_BYTES);
    memcpy(first.bytes, text, first.n_bytes);
    return first;
}
