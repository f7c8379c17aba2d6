/* test_custom - monoids of a user's own through every engine: by serial.inc, by hand, with leaves, large and small;
 * what fails, what is cancelled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan/monoids.h"
#include "tests/reference.h"
#include "tests/support_scan.h"

enum { MOST = SUPPORT_MOST_ITEMS };

/* --- monoids of a user's own: through serial.inc ------------------------------------------------------------- */

/* Strings one after another, cut to 24 bytes. */
typedef struct beginning {
    uint8_t n;
    char at[24];
} beginning;

static inline beginning join(beginning earlier, beginning later)
{
    beginning both = earlier;
    while (both.n < sizeof both.at && both.n - earlier.n < later.n) {
        both.at[both.n] = later.at[both.n - earlier.n];
        both.n++;
    }
    return both;
}

/* Numbers from low to high; none where low is above high. */
typedef struct interval {
    double low, high;
} interval;

/* A permutation of 25 points; an item swaps two of them. The later one is applied last. */
enum { N_POINTS = 25 };
typedef struct permutation {
    uint64_t of[N_POINTS];
} permutation;

static inline permutation all_in_place(void)
{
    permutation identity;
    for (uint64_t i = 0; i < N_POINTS; i++)
        identity.of[i] = i;
    return identity;
}

static inline permutation swap(uint32_t item)
{
    permutation swapped = all_in_place();
    const uint32_t a = item % N_POINTS, b = item / N_POINTS % N_POINTS;
    swapped.of[a] = b, swapped.of[b] = a;
    return swapped;
}

static inline permutation follow(permutation earlier, permutation later)
{
    permutation both;
    for (uint64_t i = 0; i < N_POINTS; i++)
        both.of[i] = later.of[earlier.of[i]];
    return both;
}

static inline uint64_t number_of(permutation of)
{
    uint64_t number = 0;
    for (uint64_t i = 0; i < 13; i++)
        number = number * N_POINTS + of.of[i];
    return number;
}

SCAN_DEFINE(cut, beginning, beginning, beginning, 0, 0, 9000, (beginning){0}, item, join(earlier, later), element)
SCAN_DEFINE(meet, interval, interval, interval, 0, 0, 2000, ((interval){-INFINITY, INFINITY}), item,
            ((interval){earlier.low > later.low ? earlier.low : later.low,
                        earlier.high < later.high ? earlier.high : later.high}),
            element)
SCAN_DEFINE(shuffle, uint32_t, permutation, uint64_t, 0, 0, 20000, all_in_place(), swap(item), follow(earlier, later),
            number_of(element))
/* Sums of which every grouping shows, in leaves of 64 items. */
SCAN_DEFINE(rough, double, double, double, 64, 1, 700, -0.0, item, earlier + later, SCAN_QUIET(double, element))
#define FN(name)            SCAN_PASTE(MONOID, name)
#define SCAN_KERNEL_LINKAGE static
#define MONOID              cut
#include "scan/serial.inc"
#undef MONOID
#define MONOID meet
#include "scan/serial.inc"
#undef MONOID
#define MONOID shuffle
#include "scan/serial.inc"
#undef MONOID
#define MONOID rough
#include "scan/serial.inc"
#undef MONOID

/* --- by hand: matrices modulo a number that is known when it runs -------------------------------------------- */

static void put_one(const em_monoid *monoid, void *element)
{
    (void)monoid;
    *(em_mat2 *)element = (em_mat2){1, 0, 0, 1};
}

static void lift_matrix(const em_monoid *monoid, const void *item, void *element)
{
    (void)monoid;
    *(em_mat2 *)element = *(const em_mat2 *)item;
}

static uint32_t dot(const em_monoid *monoid, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint64_t modulus = *(const uint32_t *)monoid->own;
    return (uint32_t)(((uint64_t)a * b % modulus + (uint64_t)c * d % modulus) % modulus);
}

static void multiply(const em_monoid *monoid, const void *earlier, const void *later, void *both)
{
    const em_mat2 x = *(const em_mat2 *)earlier, y = *(const em_mat2 *)later;
    *(em_mat2 *)both = (em_mat2){dot(monoid, x.a, y.a, x.b, y.c), dot(monoid, x.a, y.b, x.b, y.d),
                                 dot(monoid, x.c, y.a, x.d, y.c), dot(monoid, x.c, y.b, x.d, y.d)};
}

static void lower_matrix(const em_monoid *monoid, const void *element, void *result)
{
    (void)monoid;
    *(em_mat2 *)result = *(const em_mat2 *)element;
}

static void reduce_matrices(const em_monoid *monoid, const em_tile *tile)
{
    const em_mat2 *items = tile->in;
    em_mat2 product = {1, 0, 0, 1};
    for (uint64_t i = 0; i < tile->n; i++)
        multiply(monoid, &product, &items[i], &product);
    *(em_mat2 *)tile->aggregates = product;
}

static void scan_matrices(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    const em_mat2 *items = tile->in;
    em_mat2 *results = tile->out, before = *(em_mat2 *)carry;
    for (uint64_t i = 0; i < tile->n; i++) {
        em_mat2 with;
        multiply(monoid, &before, &items[i], &with);
        results[i] = how & EM_TILE_EXCLUSIVE ? before : with;
        before = with;
    }
    *(em_mat2 *)carry = before;
    if (next->n)
        reduce_matrices(monoid, next);
}

static em_monoid matrices_modulo(const uint32_t *modulus)
{
    return (em_monoid){.name = "matrices",
                       .item_bytes = sizeof(em_mat2),
                       .elem_bytes = sizeof(em_mat2),
                       .result_bytes = sizeof(em_mat2),
                       .item_align = 4,
                       .elem_align = 4,
                       .result_align = 4,
                       .own = modulus,
                       .identity = put_one,
                       .lift = lift_matrix,
                       .combine = multiply,
                       .lower = lower_matrix,
                       .reduce = reduce_matrices,
                       .scan = scan_matrices};
}

/* --- by hand: leaves of a length that is no power of two ----------------------------------------------------- */

/* An element is its aggregate: how many items it has, and whether every kernel was given a tile that begins at a leaf.
 * Items are their own numbers, so a kernel knows where it is. */
enum { LEAF = 24 };
typedef struct count {
    uint64_t n_items, n_leaves_cut;
} count;

static void count_none(const em_monoid *monoid, void *element)
{
    (void)monoid;
    *(count *)element = (count){0};
}

static void count_one(const em_monoid *monoid, const void *item, void *element)
{
    (void)monoid, (void)item;
    *(count *)element = (count){1, 0};
}

static void add_counts(const em_monoid *monoid, const void *earlier, const void *later, void *both)
{
    (void)monoid;
    const count a = *(const count *)earlier, b = *(const count *)later;
    *(count *)both = (count){a.n_items + b.n_items, a.n_leaves_cut + b.n_leaves_cut};
}

static void lower_count(const em_monoid *monoid, const void *element, void *result)
{
    (void)monoid;
    *(uint64_t *)result = ((const count *)element)->n_items + (((const count *)element)->n_leaves_cut << 32);
}

static void reduce_counts(const em_monoid *monoid, const em_tile *tile)
{
    (void)monoid;
    const uint32_t *items = tile->in;
    count *aggregates = tile->aggregates;
    for (uint64_t i = 0; i < tile->n; i += LEAF)
        *aggregates++ = (count){tile->n - i < LEAF ? tile->n - i : LEAF, items[i] % LEAF != 0};
}

static void scan_counts(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    const uint32_t *items = tile->in;
    uint64_t *results = tile->out;
    count *before = carry;
    for (uint64_t i = 0; i < tile->n; i++) {
        const count one = {1, i == 0 && items[0] % LEAF != 0};
        if (how & EM_TILE_EXCLUSIVE)
            lower_count(monoid, before, &results[i]);
        add_counts(monoid, before, &one, before);
        if (!(how & EM_TILE_EXCLUSIVE))
            lower_count(monoid, before, &results[i]);
    }
    if (next->n)
        reduce_counts(monoid, next);
}

static const em_monoid COUNTS = {.name = "counts",
                                 .item_bytes = 4,
                                 .elem_bytes = sizeof(count),
                                 .result_bytes = 8,
                                 .item_align = 4,
                                 .elem_align = 8,
                                 .result_align = 8,
                                 .leaf_items = LEAF,
                                 .identity = count_none,
                                 .lift = count_one,
                                 .combine = add_counts,
                                 .lower = lower_count,
                                 .reduce = reduce_counts,
                                 .scan = scan_counts};

/* --- how they fare ------------------------------------------------------------------------------------------- */

static void try_custom(const em_monoid *monoid, void *items, const void *initial)
{
    static uint8_t heads[MOST];
    uint64_t seed = 9;
    for (uint64_t i = 0; i < MOST; i++)
        heads[i] = ref_random(&seed) % 100 == 0;
    support_subject own = {.forms = {monoid}, .items = items, .initial = initial};
    support_try_subject(&own);
    own.heads = heads;
    support_try_subject(&own);
}

static void a_monoid_of_one_byte_works(void **state)
{
    (void)state;
    static uint8_t items[MOST];
    uint64_t seed = 1;
    for (uint64_t i = 0; i < MOST; i++)
        items[i] = (uint8_t)ref_random(&seed);
    const uint8_t initial = 0x5A;
    try_custom(support_xor_bytes(), items, &initial);
}

static beginning a_word(uint64_t *seed)
{
    beginning word = {0};
    word.n = (uint8_t)(ref_random(seed) % 4);
    for (uint8_t k = 0; k < word.n; k++)
        word.at[k] = (char)('a' + ref_random(seed) % 26);
    return word;
}

static void a_concatenation_cut_to_its_beginning_works(void **state)
{
    (void)state;
    static beginning items[MOST];
    assert_int_equal(sizeof(beginning), 25);
    uint64_t seed = 2;
    for (uint64_t i = 0; i < MOST; i++)
        if (i % 1000 >= 990 && i % 7 == 0) /* the others stay empty */
            items[i] = a_word(&seed);
    items[0] = items[62] = items[500] = (beginning){2, "xy"};
    const beginning initial = {3, "ini"};
    try_custom(&cut_scalar, items, &initial);
    for (uint64_t i = 0; i < 40; i++)
        items[i] = a_word(&seed);
    try_custom(&cut_scalar, items, &initial);
    beginning out[3] = {{0}};
    const beginning words[3] = {{2, "ed"}, {4, "gemi"}, {2, "ll"}};
    em_context *context = support_scan_context((support_setting){.n_threads = 2, .tile_bytes = 1});
    const em_scan_call call = {.monoid = &cut_scalar, .in = words, .out = out, .n = 3};
    assert_int_equal(em_scan(context, &call, NULL), EM_OK);
    assert_int_equal(out[2].n, 8);
    assert_memory_equal(out[2].at, "edgemill", 8);
    em_context_free(context);
}

static void an_intersection_of_intervals_works(void **state)
{
    (void)state;
    static interval items[MOST];
    uint64_t seed = 3;
    for (uint64_t i = 0; i < MOST; i++) {
        items[i].low = -1000 + (double)(ref_random(&seed) % 10000) * (double)i * 1e-8;
        items[i].high = 1000 - (double)(ref_random(&seed) % 10000) * (double)i * 1e-8;
    }
    const interval initial = {-1000, 500};
    try_custom(&meet_scalar, items, &initial);
}

static void elements_of_200_bytes_work(void **state)
{
    (void)state;
    static uint32_t items[MOST];
    assert_int_equal(sizeof(permutation), 200);
    uint64_t seed = 4;
    for (uint64_t i = 0; i < MOST; i++)
        items[i] = (uint32_t)ref_random(&seed);
    const permutation initial = follow(swap(3), swap(50));
    try_custom(&shuffle_scalar, items, &initial);
}

static void a_monoid_has_leaves_of_its_own_length(void **state)
{
    (void)state;
    static double items[MOST];
    uint64_t seed = 6;
    for (uint64_t i = 0; i < MOST; i++)
        items[i] = (double)(int64_t)ref_random(&seed) * (double)(UINT64_C(1) << ref_random(&seed) % 40);
    const double initial = 0.1;
    assert_int_equal(rough_scalar.leaf_items, 64);
    try_custom(&rough_scalar, items, &initial);
}

enum { WIDE_LANES = 5 };
static void reduce_in_lanes(const em_monoid *monoid, const em_tile *tile)
{
    const uint32_t *items = tile->in;
    permutation *lanes = tile->aggregates;
    for (uint64_t lane = 0; lane < WIDE_LANES; lane++) {
        const uint64_t begin = tile->n * lane / WIDE_LANES, end = tile->n * (lane + 1) / WIDE_LANES;
        const em_tile part = {items + begin, NULL, end - begin, &lanes[lane]};
        monoid->identity(monoid, &lanes[lane]);
        if (part.n)
            shuffle_scalar.reduce(monoid, &part);
    }
}

static void scan_with_lanes(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next,
                            unsigned how)
{
    const em_tile none = {0};
    shuffle_scalar.scan(monoid, tile, carry, &none, how);
    if (next->n)
        reduce_in_lanes(monoid, next);
}

static void large_elements_may_come_in_lanes(void **state)
{
    (void)state;
    static uint32_t items[MOST];
    uint64_t seed = 6;
    for (uint64_t i = 0; i < MOST; i++)
        items[i] = (uint32_t)ref_random(&seed);
    em_monoid monoid = shuffle_scalar;
    monoid.lanes = WIDE_LANES;
    monoid.reduce = reduce_in_lanes;
    monoid.scan = scan_with_lanes;
    const permutation initial = follow(swap(3), swap(50));
    try_custom(&monoid, items, &initial);
}

static void a_monoid_with_a_number_of_its_own_works(void **state)
{
    (void)state;
    static em_mat2 items[MOST];
    uint64_t seed = 5;
    for (uint64_t i = 0; i < MOST; i++)
        items[i] = ref_random(&seed) >> 63 ? (em_mat2){1, 1, 0, 1} : (em_mat2){1, 0, 1, 1};
    const uint32_t moduli[] = {97, 4294967291u};
    const em_mat2 initial = {2, 3, 5, 7};
    for (uint32_t i = 0; i < 2; i++) {
        const em_monoid monoid = matrices_modulo(&moduli[i]);
        try_custom(&monoid, items, &initial);
    }
}

static void counts_every_item(support_setting with, uint64_t n, const uint32_t *items, uint64_t *out)
{
    em_context *context = support_scan_context(with);
    for (em_scan_kind kind = EM_INCLUSIVE; kind <= EM_EXCLUSIVE_TOTAL; kind++) {
        const em_scan_call call = {
            .monoid = &COUNTS, .kind = kind, .engine = with.engine, .in = items, .out = out, .n = n};
        memset(out, 0, (n + 1) * sizeof *out);
        assert_int_equal(em_scan(context, &call, NULL), EM_OK);
        for (uint64_t i = 0; i < n; i++)
            if (out[i] != i + (kind == EM_INCLUSIVE))
                fail_msg("result %llu is %llx, engine %d", (unsigned long long)i, (unsigned long long)out[i],
                         (int)with.engine);
        if (kind == EM_EXCLUSIVE_TOTAL)
            assert_int_equal(out[n], n);
        if (n > MOST)
            break;
    }
    count total;
    assert_int_equal(em_reduce(context, &COUNTS, items, n, &total, NULL), EM_OK);
    assert_int_equal(total.n_items, n);
    assert_int_equal(total.n_leaves_cut, 0);
    em_context_free(context);
}

/* One length is past what a kernel takes in one call, which is no multiple of the leaf. */
static void tiles_begin_at_leaves_of_any_length(void **state)
{
    (void)state;
    const uint64_t most = EM_TILE_MOST_ITEMS + 100;
    uint32_t *items = malloc(most * sizeof *items);
    uint64_t *out = malloc((most + 1) * sizeof *out);
    for (uint64_t i = 0; i < most; i++)
        items[i] = (uint32_t)i;
    for (em_scan_engine engine = EM_SCAN_AUTO; engine < EM_N_SCAN_ENGINES; engine++) {
        for (uint64_t tile = 1; tile < 1000; tile += 95)
            for (uint32_t n_threads = 1; n_threads < 4; n_threads++)
                counts_every_item((support_setting){0, n_threads, tile, engine, false}, 1000 + tile, items, out);
        counts_every_item((support_setting){0, 2, 0, engine, true}, most, items, out);
        counts_every_item((support_setting){0, 2, UINT64_MAX, engine, false}, most, items, out);
    }
    free(items), free(out);
}

/* --- what fails ---------------------------------------------------------------------------------------------- */

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    static uint32_t items[1000];
    static uint64_t out[1001];
    _Alignas(64) permutation total;
    for (em_scan_engine engine = EM_SCAN_AUTO; engine <= EM_N_SCAN_ENGINES; engine++)
        for (uint32_t n_threads = 1; n_threads <= 4; n_threads++) {
            em_status status = EM_NO_MEMORY;
            for (uint64_t fails_at = 1; status != EM_OK; fails_at++) {
                em_context_options options = {.n_threads = n_threads};
                options.knobs = (em_knobs){.tile_bytes = 40, .serial_below = 1, .fail_allocation = fails_at};
                em_context *context;
                assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
                const em_scan_call call = {.monoid = &shuffle_scalar,
                                           .kind = EM_EXCLUSIVE_TOTAL,
                                           .engine = engine,
                                           .in = items,
                                           .out = out,
                                           .n = 1000};
                em_error error = {0};
                status = engine == EM_N_SCAN_ENGINES ? em_reduce(context, &shuffle_scalar, items, 1000, &total, &error)
                                                     : em_scan(context, &call, &error);
                if (status != EM_OK)
                    assert_int_equal(status, EM_NO_MEMORY);
                assert_int_equal(error.status, status);
                assert_int_equal(em_context_memory(context).current_bytes, 0);
                em_context_free(context);
                assert_true(fails_at < 20);
            }
        }
}

static bool refuse(void *state, const char *stage, uint64_t done, uint64_t total)
{
    (void)state, (void)stage, (void)done, (void)total;
    return false;
}

static bool refuse_at_the_third(void *state, const char *stage, uint64_t done, uint64_t total)
{
    (void)stage;
    assert_true(done < total);
    return ++*(int *)state < 3;
}

/* Whoever called is asked between tiles, whatever runs. */
static void a_running_scan_is_cancelled(void **state)
{
    (void)state;
    enum { N = 3000000 };
    double *in = calloc(N, sizeof *in), *out = calloc(N, sizeof *out);
    for (uint32_t engine = EM_SCAN_SERIAL; engine < EM_N_SCAN_ENGINES; engine++)
        for (uint32_t n_threads = 1; n_threads <= 3; n_threads += 2) {
            int n_calls = 0;
            const em_context_options options = {
                .n_threads = n_threads, .progress = refuse_at_the_third, .progress_state = &n_calls};
            em_context *context;
            assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
            const em_scan_call call = {.monoid = em_monoid_of(context, EM_SUM, EM_F64),
                                       .engine = (em_scan_engine)engine,
                                       .in = in,
                                       .out = out,
                                       .n = N};
            const em_status status = em_scan(context, &call, NULL);
            /* without lanes a serial scan is one call, and of a team the caller may come too late for three tiles */
            assert_true(status == (n_calls < 3 ? EM_OK : EM_CANCELLED));
            if (n_threads == 1 && engine != EM_SCAN_SERIAL)
                assert_int_equal(status, EM_CANCELLED);
            assert_int_equal(em_context_memory(context).current_bytes, 0);
            em_context_free(context);
        }
    free(in), free(out);
}

static void stops_once_cancelled(void **state)
{
    (void)state;
    static uint32_t items[1000];
    static uint64_t out[1001];
    _Alignas(64) permutation total;
    for (em_scan_engine engine = EM_SCAN_AUTO; engine < EM_N_SCAN_ENGINES; engine++)
        for (uint32_t n_threads = 1; n_threads <= 4; n_threads++) {
            em_context_options options = {.n_threads = n_threads, .progress = refuse};
            options.knobs = (em_knobs){.tile_bytes = 40, .serial_below = 1};
            em_context *context;
            assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
            assert_int_equal(em_context_report(context, "test", 0, 0, NULL), EM_CANCELLED);
            const em_scan_call call = {.monoid = &shuffle_scalar, .engine = engine, .in = items, .out = out, .n = 1000};
            em_error error = {0};
            assert_int_equal(em_scan(context, &call, &error), EM_CANCELLED);
            assert_int_equal(error.status, EM_CANCELLED);
            assert_int_equal(em_reduce(context, &shuffle_scalar, items, 1000, &total, NULL), EM_CANCELLED);
            assert_int_equal(em_context_memory(context).current_bytes, 0);
            em_context_free(context);
        }
}

int main(int argc, char **argv)
{
    (void)argc;
    support_wait_asleep(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_monoid_of_one_byte_works),
        cmocka_unit_test(a_concatenation_cut_to_its_beginning_works),
        cmocka_unit_test(an_intersection_of_intervals_works),
        cmocka_unit_test(elements_of_200_bytes_work),
        cmocka_unit_test(a_monoid_has_leaves_of_its_own_length),
        cmocka_unit_test(large_elements_may_come_in_lanes),
        cmocka_unit_test(a_monoid_with_a_number_of_its_own_works),
        cmocka_unit_test(tiles_begin_at_leaves_of_any_length),
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(stops_once_cancelled),
        cmocka_unit_test(a_running_scan_is_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
