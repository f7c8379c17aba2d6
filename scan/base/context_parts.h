/* context_parts - what a context holds, for the files that make it up; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_BASE_CONTEXT_PARTS_H
#define EM_SCAN_BASE_CONTEXT_PARTS_H

#include "scan/base/context.h"
#include "scan/base/pages.h"

struct em_context {
    em_context_options options;
    em_isa isa;
    uint64_t cache_bytes;
    uint64_t machine_bytes;                            /* memory and swap; UINT64_MAX: unknown */
    uint64_t current_bytes, peak_bytes, n_allocations; /* atomic */
    uint64_t most_bytes;                               /* atomic: the highest peak, whatever was reset */
    em_pages pages;
    em_team team;
    int cancelled; /* atomic */
    struct {
        void *at;
        uint64_t n_bytes;
    } slots[EM_N_SLOTS];
};

#endif
