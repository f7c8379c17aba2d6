/* test_row_sort - one row at a time against a stable sort by hand and the oracle.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include "stages/row_sort.h"

#include <stdlib.h>
#include <string.h>

static void orders_a_row_by_hand_and_keeps_equal_targets_in_order(void **state)
{
    (void)state;
    uint32_t targets[] = {5, 1, 5, 0, 1};
    int64_t weights[] = {50, 10, 51, 0, 11};
    em_sort_row(targets, weights, 5, 4, 8, NULL);
    const uint32_t sorted[] = {0, 1, 1, 5, 5};
    const int64_t moved[] = {0, 10, 11, 50, 51};
    assert_memory_equal(targets, sorted, sizeof sorted);
    assert_memory_equal(weights, moved, sizeof moved);
}

static void equals_a_stable_sort_for_every_width(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (uint32_t round = 0; round < 400; round++) {
        const uint64_t n = ref_random(&seed) % (round % 4 ? 70 : 900);
        const uint8_t id_bytes = round & 1 ? 4 : 8;
        const uint32_t weight_bytes = round % 3 * 4;
        const uint64_t mask = (UINT64_C(2) << (ref_random(&seed) % (8 * id_bytes - 1))) - 1;
        ref_arc *arcs = malloc((n + 1) * sizeof *arcs);
        char *targets = malloc(n * id_bytes + 1), *weights = malloc(n * weight_bytes + 1),
             *space = malloc(n * (id_bytes + weight_bytes) + 1);
        for (uint64_t i = 0; i < n; i++) {
            arcs[i] = (ref_arc){.target = ref_random(&seed) & mask, .position = i, .weight = (double)i};
            memcpy(targets + i * id_bytes, &arcs[i].target, id_bytes); /* little-endian: the low bytes */
            memcpy(weights + i * weight_bytes, &i, weight_bytes);
        }
        em_sort_row(targets, weight_bytes ? weights : NULL, n, id_bytes, weight_bytes, space);
        ref_graph expected = ref_csr(arcs, n, 1, true);
        for (uint64_t i = 0; i < n; i++) {
            assert_int_equal(em_id_at(targets, id_bytes, i), expected.targets[i]);
            const uint64_t position = (uint64_t)expected.weights[i];
            assert_memory_equal(weights + i * weight_bytes, &position, weight_bytes);
        }
        ref_free(&expected);
        free(arcs);
        free(targets);
        free(weights);
        free(space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_a_row_by_hand_and_keeps_equal_targets_in_order),
        cmocka_unit_test(equals_a_stable_sort_for_every_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
