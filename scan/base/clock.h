/* clock - wall and processor time; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_BASE_CLOCK_H
#define EM_SCAN_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC (wall), CLOCK_PROCESS_CPUTIME_ID (all threads of the process) or
 * CLOCK_THREAD_CPUTIME_ID (the calling one). Any thread. */
static inline uint64_t em_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
