/* support_turns - see support_turns.h.
 *
 * Turns are taken where the fraction of turn * golden ratio is small: a sequence that goes evenly through what it
 * counts, and through every loop nested in it, whatever their lengths (Knuth, TAOCP 3, 6.4: Fibonacci hashing).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_turns.h"

#include <stdlib.h>

static uint64_t share(void)
{
    const char *const wanted = getenv("EM_TEST_SHARE");
    const uint64_t n = wanted ? strtoull(wanted, NULL, 10) : 1;
    return n ? n : 1;
}

bool support_turn(uint64_t *turn)
{
    return (*turn)++ * UINT64_C(0x9E3779B97F4A7C15) <= UINT64_MAX / share();
}

uint64_t support_rounds(uint64_t n)
{
    return (n + share() - 1) / share();
}
