/* test_sort - radix sorts against examples by hand and a sort by comparison.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_sort.h"

#include <stdlib.h>
#include <string.h>

#include "scan/sort.h"
#include "tests/reference.h"
#include "tests/support_turns.h"

static const uint64_t LENGTHS[] = {0, 1, 2, 3, 24, 25, 64, 65, 300, 2000, 5000};
enum { N_LENGTHS = sizeof LENGTHS / sizeof *LENGTHS };

/* --- by hand --------------------------------------------------------------------------------------------- */

static void sorts_eight_keys(em_context *context, void *state)
{
    (void)state;
    uint32_t narrow[8] = {7, 3, UINT32_MAX, 0, 3, 1U << 31, 8, 1};
    uint64_t wide[8] = {7, 3, UINT64_MAX, 0, 3, UINT64_C(1) << 63, 8, 1};
    const uint32_t narrow_sorted[8] = {0, 1, 3, 3, 7, 8, 1U << 31, UINT32_MAX};
    const uint64_t wide_sorted[8] = {0, 1, 3, 3, 7, 8, UINT64_C(1) << 63, UINT64_MAX};
    assert_int_equal(em_sort(context, EM_U32, narrow, 8, NULL), EM_OK);
    assert_memory_equal(narrow, narrow_sorted, sizeof narrow);
    assert_int_equal(em_sort(context, EM_U64, wide, 8, NULL), EM_OK);
    assert_memory_equal(wide, wide_sorted, sizeof wide);
}

static void keeps_the_order_of_equal_keys(em_context *context, void *state)
{
    (void)state;
    uint32_t keys[6] = {5, 2, 5, 2, 5, 0};
    uint64_t payloads[6] = {10, 11, 12, 13, 14, 15};
    assert_int_equal(em_sort_pairs(context, EM_U32, keys, 8, payloads, 6, NULL), EM_OK);
    const uint32_t sorted[6] = {0, 2, 2, 5, 5, 5};
    const uint64_t along[6] = {15, 11, 13, 10, 12, 14};
    assert_memory_equal(keys, sorted, sizeof keys);
    assert_memory_equal(payloads, along, sizeof payloads);
}

static void sorts_arcs_by_source_and_target(em_context *context, void *state)
{
    (void)state;
    static const uint64_t HINTS[] = {6, 0, 2, 1, UINT64_C(1) << 32}; /* some are wrong */
    for (size_t i = 0; i < sizeof HINTS / sizeof *HINTS; i++) {
        uint32_t sources[6] = {2, 0, 2, 1, 0, 0}, targets[6] = {1, 5, 0, 1, 5, 2};
        uint64_t weights[6] = {10, 11, 12, 13, 14, 15};
        assert_int_equal(em_sort_arcs(context, 4, sources, targets, 8, weights, 6, HINTS[i], NULL), EM_OK);
        const uint32_t in_order[6] = {0, 0, 0, 1, 2, 2}, to[6] = {2, 5, 5, 1, 0, 1};
        const uint64_t along[6] = {15, 11, 14, 13, 12, 10};
        assert_memory_equal(sources, in_order, sizeof sources);
        assert_memory_equal(targets, to, sizeof targets);
        assert_memory_equal(weights, along, sizeof weights);
    }
}

static void sorts_by_hand_in_every_context(void **state)
{
    sort_in_every_context(sorts_eight_keys, *state);
    sort_in_every_context(keeps_the_order_of_equal_keys, *state);
    sort_in_every_context(sorts_arcs_by_source_and_target, *state);
}

/* --- against a sort by comparison ------------------------------------------------------------------------- */

typedef struct choice {
    em_sort_layout layout;
    uint64_t n, each;
    unsigned char *in, *expected, *got;
} choice;

static void check_records(em_context *context, void *state)
{
    const choice *own = state;
    const uint64_t n_bytes = own->n * own->each;
    memcpy(own->got, own->in, n_bytes);
    assert_int_equal(em_sort_records(context, &own->layout, own->got, own->n, NULL), EM_OK);
    assert_memory_equal(own->got, own->expected, n_bytes);
}

static choice choose(sort_kind kind, em_sort_layout layout, uint64_t n)
{
    choice own = {.layout = layout, .n = n, .each = layout.key_bytes + layout.payload_bytes};
    const uint64_t n_bytes = n * own.each + 8;
    const uint32_t high = layout.high ? layout.high : layout.key_bytes * 8;
    own.in = malloc(n_bytes), own.expected = malloc(n_bytes), own.got = malloc(n_bytes);
    for (uint64_t i = 0; i < n; i++) /* payloads are places: stable or not shows */
        memcpy(own.in + i * own.each + layout.key_bytes, &i, layout.payload_bytes);
    sort_fill(kind, own.in, n, layout.key_bytes, own.each, n + kind);
    uint64_t *places = sort_reference(own.in, n, layout.key_bytes, own.each, layout.low, high);
    for (uint64_t i = 0; i < n; i++)
        memcpy(own.expected + i * own.each, own.in + places[i] * own.each, own.each);
    free(places);
    return own;
}

static void forget(choice *own)
{
    free(own->in), free(own->expected), free(own->got);
}

static void records_match_a_sort_by_comparison(void **state)
{
    (void)state;
    for (uint32_t key = 4; key <= 16; key *= 2)
        for (uint32_t payload = 0; payload <= 8; payload += 4)
            for (int kind = 0; kind < SORT_N_KINDS; kind++)
                for (int i = 0; i < N_LENGTHS; i++) {
                    if ((kind + i + (int)(key + payload) / 4) % 3) /* every third of so many */
                        continue;
                    choice own = choose((sort_kind)kind, (em_sort_layout){key, payload, 0, 0}, LENGTHS[i]);
                    sort_in_every_context(check_records, &own);
                    forget(&own);
                }
}

static void only_bits_that_are_asked_for_count(void **state)
{
    (void)state;
    static const uint32_t BITS[][2] = {{0, 1}, {3, 9}, {20, 32}, {5, 5}, {31, 64}, {60, 70}, {64, 128}, {1, 127}};
    for (uint32_t key = 4; key <= 16; key *= 2)
        for (size_t b = 0; b < sizeof BITS / sizeof *BITS; b++)
            for (int i = 3; i < N_LENGTHS; i += 2) {
                if (BITS[b][1] > key * 8)
                    continue;
                choice own = choose(SORT_SPREAD, (em_sort_layout){key, 4, BITS[b][0], BITS[b][1]}, LENGTHS[i]);
                sort_in_every_context(check_records, &own);
                forget(&own);
            }
}

typedef struct columns {
    uint64_t n, n_vertices;
    uint32_t bytes[3]; /* of sources, targets, weights; or of keys, none, payloads */
    unsigned char *in[3], *expected[3], *got[3];
} columns;

static void check_columns(em_context *context, void *state)
{
    const columns *own = state;
    for (int k = 0; k < 3; k++)
        memcpy(own->got[k], own->in[k], own->n * own->bytes[k]);
    if (own->bytes[1])
        assert_int_equal(em_sort_arcs(context, own->bytes[0], own->got[0], own->got[1], own->bytes[2],
                                      own->bytes[2] ? own->got[2] : NULL, own->n, own->n_vertices, NULL),
                         EM_OK);
    else
        assert_int_equal(em_sort_pairs(context, own->bytes[0] == 4 ? EM_U32 : EM_U64, own->got[0], own->bytes[2],
                                       own->got[2], own->n, NULL),
                         EM_OK);
    for (int k = 0; k < 3; k++)
        assert_memory_equal(own->got[k], own->expected[k], own->n * own->bytes[k]);
}

static void try_columns(sort_kind kind, const uint32_t bytes[3], uint64_t n, uint32_t shift, uint64_t n_vertices)
{
    columns own = {.n = n, .n_vertices = n_vertices};
    uint64_t(*keys)[2] = malloc((n + 1) * sizeof *keys);
    sort_fill(kind, keys, n, 16, 16, n + kind);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t mask = bytes[0] == 4 ? UINT32_MAX : UINT64_MAX;
        keys[i][0] = bytes[1] ? (keys[i][0] & mask) >> shift : 0;
        keys[i][1] = (keys[i][1] & mask) >> shift;
    }
    uint64_t *places = sort_reference(keys, n, 16, 16, 0, 128);
    for (int k = 0; k < 3; k++) {
        own.bytes[k] = bytes[k];
        own.in[k] = malloc(n * bytes[k] + 1);
        own.expected[k] = malloc(n * bytes[k] + 1);
        own.got[k] = malloc(n * bytes[k] + 1);
        for (uint64_t i = 0; i < n; i++) {
            memcpy(own.in[k] + i * bytes[k], k == 0 ? &keys[i][1] : k == 1 ? &keys[i][0] : &i, bytes[k]);
            memcpy(own.expected[k] + i * bytes[k],
                   k == 0   ? &keys[places[i]][1]
                   : k == 1 ? &keys[places[i]][0]
                            : &places[i],
                   bytes[k]);
        }
    }
    sort_in_every_context(check_columns, &own);
    for (int k = 0; k < 3; k++)
        free(own.in[k]), free(own.expected[k]), free(own.got[k]);
    free(places), free(keys);
}

static void pairs_match_a_sort_by_comparison(void **state)
{
    (void)state;
    for (uint32_t key = 4; key <= 8; key += 4)
        for (uint32_t payload = 4; payload <= 8; payload += 4)
            for (int kind = 0; kind < SORT_N_KINDS; kind++)
                for (int i = kind % 2; i < N_LENGTHS; i += 2)
                    try_columns((sort_kind)kind, (uint32_t[3]){key, 0, payload}, LENGTHS[i], 0, 0);
}

static void arcs_match_a_sort_by_comparison(void **state)
{
    (void)state;
    for (uint32_t id = 4; id <= 8; id += 4)
        for (uint32_t weight = 0; weight <= 8; weight += 4)
            for (int kind = 0; kind < SORT_N_KINDS; kind++)
                for (int i = (kind + (int)weight / 4) % 4; i < N_LENGTHS; i += 4)
                    for (uint32_t shift = 0; shift < id * 8; shift += id * 4 - 2) {
                        const uint64_t n_vertices = shift ? UINT64_C(1) << (id * 8 - shift) : 0;
                        try_columns((sort_kind)kind, (uint32_t[3]){id, id, weight}, LENGTHS[i], shift, n_vertices);
                    }
}

static void check_arcs(uint64_t (*keys)[2], uint64_t n, uint32_t id_bytes, uint32_t weight_bytes, uint64_t n_vertices)
{
    columns own = {.n = n, .n_vertices = n_vertices, .bytes = {id_bytes, id_bytes, weight_bytes}};
    uint64_t *places = sort_reference(keys, n, 16, 16, 0, 128);
    for (int k = 0; k < 3; k++) {
        own.in[k] = malloc(n * own.bytes[k] + 1), own.expected[k] = malloc(n * own.bytes[k] + 1);
        own.got[k] = malloc(n * own.bytes[k] + 1);
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t j = places[i];
            memcpy(own.in[k] + i * own.bytes[k], k < 2 ? &keys[i][1 - k] : &i, own.bytes[k]);
            memcpy(own.expected[k] + i * own.bytes[k], k < 2 ? &keys[j][1 - k] : &j, own.bytes[k]);
        }
    }
    sort_in_every_context(check_columns, &own);
    for (int k = 0; k < 3; k++)
        free(own.in[k]), free(own.expected[k]), free(own.got[k]);
    free(places);
}

/* The first sample sees small ids only; what it took for the width of a key is wrong. */
static void an_id_that_no_sample_sees_is_sorted_too(void **state)
{
    (void)state;
    enum { N = 5000 };
    static const uint64_t RARE[] = {UINT32_MAX, UINT64_C(1) << 40, UINT64_MAX >> 1, UINT64_MAX};
    uint64_t(*keys)[2] = calloc(N, sizeof *keys), seed = 4;
    for (uint32_t rare = 0; rare < sizeof RARE / sizeof *RARE; rare++)
        for (uint32_t at = 17; at < 60; at += 13)
            for (int of_target = 0; of_target < 2; of_target++) {
                for (uint64_t i = 0; i < N; i++)
                    keys[i][0] = ref_random(&seed) % 4, keys[i][1] = ref_random(&seed) % 4;
                keys[at][!of_target] = RARE[rare];
                check_arcs(keys, N, rare ? 8 : 4, 4, at == 17 ? 4 : 0);
            }
    free(keys);
}

/* Of 36 bits the first digit leaves 32, with which the others are where they belong, whichever of them differ. */
static void arcs_are_whole_that_were_narrow(void **state)
{
    (void)state;
    enum { N = 5000, BITS = 18 };
    static const uint64_t DIFFER[] = {0x3FFFF, 0x38000, 0x30003, 0x7, 0x20000, 0};
    uint64_t(*keys)[2] = calloc(N, sizeof *keys), seed = 4;
    for (int from = 0; from < 6; from++)
        for (int to = 0; to < 6; to++) {
            for (uint64_t i = 0; i < N; i++) {
                keys[i][1] = (ref_random(&seed) & DIFFER[from]) | (0x15555 & ~DIFFER[from]);
                keys[i][0] = (ref_random(&seed) & DIFFER[to]) | (0x2AAAA & ~DIFFER[to]);
                if (i % 3) /* a hub */
                    keys[i][1] = keys[0][1];
            }
            check_arcs(keys, N, from % 2 ? 4 : 8, (uint32_t)(from + to) % 3 * 4, UINT64_C(1) << BITS);
        }
    free(keys);
}

/* What is said beforehand of the memory is right to the lists of parts, and small ids take half as much. */
static void the_scratch_is_what_was_said(void **state)
{
    (void)state;
    enum { N = 300000, LISTS = 300000 };
    uint32_t *sources = malloc(N * sizeof *sources), *targets = malloc(N * sizeof *targets);
    for (uint32_t n_threads = 1; n_threads <= 2; n_threads++)
        for (uint32_t bits = 16; bits <= 32; bits += 4) {
            em_context *context = sort_team(n_threads, 8000, 0);
            const uint64_t said = em_sort_arcs_bytes(context, 4, 0, N, UINT64_C(1) << bits);
            sort_fill(SORT_SPREAD, sources, N, 4, 4, 1), sort_fill(SORT_SPREAD, targets, N, 4, 4, 2);
            for (uint32_t i = 0; i < N; i++)
                sources[i] >>= 32 - bits, targets[i] >>= 32 - bits;
            assert_int_equal(em_sort_arcs(context, 4, sources, targets, 0, NULL, N, UINT64_C(1) << bits, NULL), EM_OK);
            const uint64_t held = em_context_memory(context).peak_bytes;
            assert_true(held >= said && held < said + LISTS);
            assert_int_equal(said > UINT64_C(8) * N, bits > 21);
            em_context_free(context);
        }
    free(sources), free(targets);
}

static void no_more_than_was_said_where_nothing_is_known_of_ids(void **state)
{
    (void)state;
    enum { N = 40177, LISTS = 300000 };
    uint64_t *arrays = malloc(3 * N * sizeof *arrays);
    em_context *context = sort_team(4, 0, 0);
    sort_fill(SORT_SPREAD, arrays, 3 * N, 8, 8, 1);
    for (uint32_t i = 0; i < 2 * N; i++)
        arrays[i] >>= 32;
    assert_int_equal(em_sort_arcs(context, 8, arrays, arrays + N, 8, arrays + 2 * N, N, 0, NULL), EM_OK);
    assert_true(em_context_memory(context).peak_bytes <= em_sort_arcs_bytes(context, 8, 8, N, 0) + LISTS);
    em_context_free(context);
    free(arrays);
}

/* Large enough for the sizes that are built in: streams, several shares, buckets of a cache. */
static void many_keys_come_out_ascending(void **state)
{
    (void)state;
    enum { MANY = 9000000 };
    uint64_t *keys = malloc((uint64_t)MANY * sizeof *keys);
    uint64_t turn = 0;
    for (int kind = 0; kind < SORT_N_KINDS; kind += 3) {
        if (!support_turn(&turn))
            continue;
        em_context *context = NULL;
        const em_context_options options = {.n_threads = 2};
        assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
        sort_fill((sort_kind)kind, keys, MANY, 8, 8, 1);
        uint64_t sum = 0, sorted_sum = 0;
        for (uint64_t i = 0; i < MANY; i++)
            sum += keys[i] * keys[i];
        assert_int_equal(em_sort(context, EM_U64, keys, MANY, NULL), EM_OK);
        for (uint64_t i = 0; i < MANY; i++) {
            sorted_sum += keys[i] * keys[i];
            if (i && keys[i - 1] > keys[i])
                fail_msg("kind %d, key %llu", kind, (unsigned long long)i);
        }
        assert_int_equal(sum, sorted_sum);
        /* The scratch is as large as what is sorted, and little more. */
        assert_true(em_context_memory(context).peak_bytes < UINT64_C(9) * MANY);
        em_context_free(context);
    }
    free(keys);
}

static void sorted_input_takes_no_memory(void **state)
{
    (void)state;
    em_context *context = sort_team(2, 0, 1);
    uint32_t *sources = malloc(400000), *targets = malloc(400000);
    for (uint32_t i = 0; i < 100000; i++)
        sources[i] = i / 7, targets[i] = i % 7;
    assert_int_equal(em_sort_arcs(context, 4, sources, targets, 0, NULL, 100000, 0, NULL), EM_OK);
    assert_int_equal(sources[99999], 14285);
    em_context_free(context);
    free(sources), free(targets);
}

/* --- what is refused, what fails -------------------------------------------------------------------------- */

static void refuses_what_cannot_be_sorted(void **state)
{
    (void)state;
    em_context *context = sort_team(2, 0, 0);
    uint64_t words[64] = {3, 2, 1};
    uint32_t *halves = (uint32_t *)(void *)words;
    char *odd = (char *)words + 1;
    em_sort_layout layout = {8, 0, 0, 0};
    assert_int_equal(em_sort(context, EM_F32, words, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort(context, EM_I64, words, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort(context, EM_U64, odd, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort(context, EM_U64, NULL, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort(context, EM_U64, words, UINT64_MAX, NULL), EM_USAGE);
    assert_int_equal(em_sort_records(context, &layout, odd, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort_records(context, &(em_sort_layout){7, 0, 0, 0}, words, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort_records(context, &(em_sort_layout){8, 5, 0, 0}, words, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort_records(context, &(em_sort_layout){8, 0, 9, 8}, words, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort_records(context, &(em_sort_layout){8, 0, 0, 65}, words, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort_pairs(context, EM_U32, halves, 2, halves + 8, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort_pairs(context, EM_U32, halves, 4, halves + 2, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort_pairs(context, EM_I32, halves, 4, halves + 8, 3, NULL), EM_USAGE);
    assert_int_equal(em_sort_arcs(context, 4, halves, halves + 2, 0, NULL, 3, 0, NULL), EM_USAGE);
    assert_int_equal(em_sort_arcs(context, 2, halves, halves + 9, 0, NULL, 3, 0, NULL), EM_USAGE);
    assert_int_equal(em_sort_arcs(context, 4, halves, halves + 9, 2, halves + 20, 3, 0, NULL), EM_USAGE);
    assert_int_equal(em_sort_arcs(context, 4, halves, halves + 9, 4, halves + 1, 3, 0, NULL), EM_USAGE);
    assert_int_equal(em_sort_arcs(context, 4, halves, halves + 9, 4, NULL, 3, 0, NULL), EM_USAGE);
    assert_int_equal(em_sort_arcs(context, 4, NULL, NULL, 0, NULL, 0, 0, NULL), EM_OK);
    assert_int_equal(words[0], 3);
    em_context_free(context);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    enum { N = 3000 };
    uint32_t *sources = malloc(N * sizeof *sources), *targets = malloc(N * sizeof *targets);
    for (uint64_t bucket_bytes = 0; bucket_bytes < 2; bucket_bytes++) {
        em_status status = EM_NO_MEMORY;
        uint64_t n_failed = 0;
        for (uint64_t fail = 1; status != EM_OK; fail++) {
            em_context *context = sort_team(2, bucket_bytes, fail);
            em_error error = {0};
            sort_fill(SORT_LEVELS, sources, N, 4, 4, 1);
            sort_fill(SORT_SPREAD, targets, N, 4, 4, 2);
            status = em_sort_arcs(context, 4, sources, targets, 0, NULL, N, 0, &error);
            assert_true(status == EM_OK || status == EM_NO_MEMORY);
            assert_int_equal(error.status, status);
            assert_int_equal(em_context_memory(context).current_bytes, 0);
            em_context_free(context);
            n_failed += status != EM_OK;
        }
        assert_true(n_failed > 3);
    }
    free(sources), free(targets);
}

static bool never(void *state, const char *stage, uint64_t done, uint64_t total)
{
    (void)state, (void)stage, (void)done, (void)total;
    return false;
}

static void can_be_cancelled(void **state)
{
    (void)state;
    enum { N = 100000 };
    uint64_t *keys = malloc(N * sizeof *keys);
    em_context *context = NULL;
    const em_context_options options = {.n_threads = 2, .progress = never};
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    sort_fill(SORT_SPREAD, keys, N, 8, 8, 1);
    em_error error = {0};
    assert_int_equal(em_sort(context, EM_U64, keys, N, &error), EM_CANCELLED);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_by_hand_in_every_context),
        cmocka_unit_test(records_match_a_sort_by_comparison),
        cmocka_unit_test(only_bits_that_are_asked_for_count),
        cmocka_unit_test(pairs_match_a_sort_by_comparison),
        cmocka_unit_test(arcs_match_a_sort_by_comparison),
        cmocka_unit_test(an_id_that_no_sample_sees_is_sorted_too),
        cmocka_unit_test(arcs_are_whole_that_were_narrow),
        cmocka_unit_test(the_scratch_is_what_was_said),
        cmocka_unit_test(no_more_than_was_said_where_nothing_is_known_of_ids),
        cmocka_unit_test(many_keys_come_out_ascending),
        cmocka_unit_test(sorted_input_takes_no_memory),
        cmocka_unit_test(refuses_what_cannot_be_sorted),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
