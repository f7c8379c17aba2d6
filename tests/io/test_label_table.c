/* test_label_table - the table of labels, filled by several workers at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include "io/label_table.h"
#include "scan/base/buffer.h"
#include "scan/base/parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_SHARED = 20000, BATCH = 50, N_TEAM = 5 };

typedef struct shared_work {
    em_label_table *table;
    uint64_t ids[N_TEAM][N_SHARED];
} shared_work;

static em_status add_all(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    static const uint32_t steps[N_TEAM] = {1, 3, 7, 9, 11}; /* none has a factor of N_SHARED */
    shared_work *const work = state;
    char texts[BATCH][16];
    em_label_query queries[BATCH];
    for (uint32_t i = 0; i < N_SHARED; i += BATCH) {
        uint32_t which[BATCH];
        for (uint32_t j = 0; j < BATCH; j++) { /* each worker in an order of its own */
            which[j] = (i + j) * steps[worker] % N_SHARED;
            queries[j] = (em_label_query){.at = texts[j], .n_bytes = (uint64_t)sprintf(texts[j], "label %u", which[j])};
        }
        const em_status status = em_label_table_find(work->table, worker, queries, BATCH, error);
        if (status != EM_OK)
            return status;
        for (uint32_t j = 0; j < BATCH; j++)
            work->ids[worker][which[j]] = queries[j].id;
    }
    return EM_OK;
}

static void keeps_a_label_once_whoever_adds_it(void **state)
{
    (void)state;
    em_context *context;
    const em_context_options options = {.n_threads = N_TEAM};
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    shared_work *const work = calloc(1, sizeof *work);
    assert_non_null(work);
    for (int round = 0; round < 5; round++) {
        assert_int_equal(em_label_table_open(context, &work->table, NULL), EM_OK);
        memset(work->ids, 0xff, sizeof work->ids);
        assert_int_equal(em_parallel(context, N_TEAM, add_all, work, NULL), EM_OK);
        assert_int_equal(em_label_table_count(work->table), N_SHARED);
        for (uint32_t i = 0; i < N_SHARED; i++)
            for (uint32_t worker = 1; worker < N_TEAM && work->ids[worker][0] != UINT64_MAX; worker++)
                assert_true(work->ids[worker][i] == work->ids[0][i]);
        em_buffer text, ends;
        assert_int_equal(em_label_table_take(work->table, NULL, &text, &ends, NULL), EM_OK);
        for (uint32_t i = 0; i < N_SHARED; i++) {
            char label[16];
            const int n = sprintf(label, "label %u", i);
            const uint64_t *const at = (const uint64_t *)ends.at + work->ids[0][i];
            assert_true(at[1] - at[0] == (uint64_t)n && memcmp((char *)text.at + at[0], label, (size_t)n) == 0);
        }
        em_buffer_free(&text);
        em_buffer_free(&ends);
        em_label_table_free(work->table);
    }
    free(work);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

static void escapes_what_would_break_a_line(void **state)
{
    (void)state;
    char out[64];
    const uint64_t n = em_label_escape("a\tb\nc\\d", 7, out);
    assert_int_equal(n, 10);
    assert_memory_equal(out, "a\\tb\\nc\\\\d", 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_a_label_once_whoever_adds_it),
        cmocka_unit_test(escapes_what_would_break_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
