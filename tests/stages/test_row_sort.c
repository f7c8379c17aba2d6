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

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Every length up to a few registers, then longer ones; spread ids, few ids, one id, in order, in reverse. */
static void kernels_order_bare_rows_and_keep_each_id_once(void **state)
{
    (void)state;
    enum { MOST = 20000 };
    em_context *context;
    assert_int_equal(em_context_create(NULL, &context, NULL), EM_OK);
    const em_row_kernels *const kernels = em_row_kernels_of(context);
    em_context_free(context);
    if (!kernels) {
        skip();
        return;
    }
    uint64_t seed = 5;
    uint32_t *ids = malloc(MOST * 4), *expected = malloc(MOST * 4), *kept = malloc(MOST * 4);
    for (uint64_t n = 0; n <= MOST; n += n < 600 ? 1 : 1 + n / 2)
        for (uint32_t kind = 0; kind < 6; kind++) {
            uint32_t *space = malloc((n + EM_ROW_SLACK) * 4), *row = malloc(n * 4 + 1);
            for (uint64_t i = 0; i < n; i++) {
                const uint32_t r = (uint32_t)ref_random(&seed);
                row[i] = kind == 0   ? r
                         : kind == 1 ? r % 7
                         : kind == 2 ? UINT32_MAX
                         : kind == 3 ? (uint32_t)i
                         : kind == 4 ? (uint32_t)(n - i)
                                     : r % (uint32_t)(n + 1);
            }
            memcpy(expected, row, n * 4);
            qsort(expected, n, 4, by_value);
            kernels->sort(row, n, space);
            assert_memory_equal(row, expected, n * 4);
            uint64_t n_expected = 0;
            for (uint64_t i = 0; i < n; i++)
                if (i == 0 || expected[i] != expected[i - 1])
                    kept[n_expected++] = expected[i];
            assert_int_equal(kernels->unique(row, n, ids), n_expected);
            assert_memory_equal(ids, kept, n_expected * 4);
            assert_int_equal(kernels->unique(row, n, row), n_expected);
            assert_memory_equal(row, kept, n_expected * 4);
            free(space);
            free(row);
        }
    free(ids);
    free(expected);
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_a_row_by_hand_and_keeps_equal_targets_in_order),
        cmocka_unit_test(equals_a_stable_sort_for_every_width),
        cmocka_unit_test(kernels_order_bare_rows_and_keep_each_id_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
