/* support_turns - how many of the repetitions of a check are made.
 *
 * A check that runs again and again (sizes, threads, tiles, seeds) takes minutes under a sanitizer, which finds what it
 * finds in few of them. EM_TEST_SHARE=N asks for about one of N, spread over all; unset or 1: every one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_TURNS_H
#define EM_TESTS_SUPPORT_TURNS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this repetition is made; the first always is. Counts *turn, which begins at 0. */
bool support_turn(uint64_t *turn);
/* Of n rounds. */
uint64_t support_rounds(uint64_t n);

#endif
