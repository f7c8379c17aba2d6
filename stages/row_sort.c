/* row_sort - see row_sort.h.
 *
 * Short rows by insertion; longer ones by least-significant-digit radix sort of 8 bits a pass (a counting sort each,
 * hence stable), passes in which all targets share the digit left out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/row_sort.h"

#include <string.h>

#define ID           uint32_t
#define WEIGHT_BYTES 0
#include "stages/row_sort.inc"
#define WEIGHT_BYTES 4
#include "stages/row_sort.inc"
#define WEIGHT_BYTES 8
#include "stages/row_sort.inc"
#undef ID
#define ID           uint64_t
#define WEIGHT_BYTES 0
#include "stages/row_sort.inc"
#define WEIGHT_BYTES 4
#include "stages/row_sort.inc"
#define WEIGHT_BYTES 8
#include "stages/row_sort.inc"
#undef ID

void em_sort_row(void *targets, void *weights, uint64_t n, uint8_t id_bytes, uint32_t weight_bytes, void *space)
{
    switch (id_bytes << 4 | (int)weight_bytes) {
    case 4 << 4 | 0:
        sort_uint32_t_0(targets, weights, n, space);
        break;
    case 4 << 4 | 4:
        sort_uint32_t_4(targets, weights, n, space);
        break;
    case 4 << 4 | 8:
        sort_uint32_t_8(targets, weights, n, space);
        break;
    case 8 << 4 | 0:
        sort_uint64_t_0(targets, weights, n, space);
        break;
    case 8 << 4 | 4:
        sort_uint64_t_4(targets, weights, n, space);
        break;
    case 8 << 4 | 8:
        sort_uint64_t_8(targets, weights, n, space);
        break;
    }
}

uint64_t em_row_space_bytes(uint64_t n, uint8_t id_bytes, uint32_t weight_bytes, bool has_positions)
{
    if (has_positions && weight_bytes)
        return n * (8 + (id_bytes + 8) + 8);
    return n <= EM_SHORT_ROW ? 0 : n * (id_bytes + (has_positions ? 8 : weight_bytes));
}

/* items[n] come in the order of numbers[n]. */
static void gather(void *items, uint32_t item_bytes, const uint64_t *numbers, uint64_t n, char *space)
{
    for (uint64_t i = 0; i < n; i++)
        memcpy(space + i * item_bytes, (const char *)items + numbers[i] * item_bytes, item_bytes);
    memcpy(items, space, n * item_bytes);
}

/* Weights and positions follow by the numbers of the arcs that moved. */
void em_sort_placed_row(void *targets, void *weights, uint64_t *positions, uint64_t n, uint8_t id_bytes,
                        uint32_t weight_bytes, void *space)
{
    if (!positions || !weight_bytes) {
        em_sort_row(targets, positions ? positions : weights, n, id_bytes, positions ? 8 : weight_bytes, space);
        return;
    }
    uint64_t *const numbers = space;
    for (uint64_t i = 0; i < n; i++)
        numbers[i] = i;
    em_sort_row(targets, numbers, n, id_bytes, sizeof *numbers, numbers + 2 * n);
    gather(weights, weight_bytes, numbers, n, (char *)(numbers + n));
    gather(positions, sizeof *positions, numbers, n, (char *)(numbers + n));
}

const em_row_kernels *em_row_kernels_of(const em_context *context)
{
#if defined(__x86_64__)
    static const em_row_kernels avx512 = {em_sort_ids_avx512, em_unique_ids_avx512};
    if (em_context_isa(context) == EM_ISA_AVX512)
        return &avx512;
#endif
    (void)context;
    return NULL;
}
