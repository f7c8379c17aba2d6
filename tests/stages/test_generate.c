/* test_generate - the synthetic graphs: fixed bytes for fixed seeds, whatever the threads.
 *
 * The expected arcs and file hashes come from a second implementation, written in Python from the description alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARAMETERS_RMAT = EM_GENERATE_SCALE, PARAMETERS_UNIFORM = EM_GENERATE_VERTICES | EM_GENERATE_ARCS };

static char folder[] = "/tmp/edgemill-generate-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static em_generator prepare(const char *shape, em_generate_options options)
{
    em_generator generator;
    em_error error = {0};
    const em_shape_kind *kind = em_shape_kind_by_name(shape);
    assert_non_null(kind);
    if (em_generator_init(&generator, kind, &options, &error) != EM_OK)
        fail_msg("%s: %s", shape, error.message);
    return generator;
}

static em_generator rmat(uint64_t scale, uint64_t seed)
{
    return prepare("rmat", (em_generate_options){.seed = seed, .given = PARAMETERS_RMAT, .scale = scale});
}

static em_generator uniform(uint64_t n_vertices, uint64_t n_arcs)
{
    return prepare("uniform", (em_generate_options){
                                  .seed = 1, .given = PARAMETERS_UNIFORM, .n_vertices = n_vertices, .n_arcs = n_arcs});
}

static em_generator grid(uint64_t n_rows, uint64_t n_columns)
{
    return prepare("grid", (em_generate_options){.seed = 1,
                                                 .given = EM_GENERATE_ROWS | EM_GENERATE_COLUMNS,
                                                 .n_rows = n_rows,
                                                 .n_columns = n_columns});
}

static em_generator of_vertices(const char *shape, uint64_t n)
{
    return prepare(shape, (em_generate_options){.given = EM_GENERATE_VERTICES, .n_vertices = n});
}

static void expect_arc(const em_generator *generator, uint64_t index, uint64_t source, uint64_t target)
{
    uint64_t u, v;
    em_generator_arc(generator, index, &u, &v);
    assert_int_equal(u, source);
    assert_int_equal(v, target);
}

/* --- arcs ----------------------------------------------------------------------------------------- */

static void makes_the_arcs_of_the_second_implementation(void **state)
{
    (void)state;
    em_generator g = rmat(20, 1);
    assert_int_equal(g.n_vertices, 1048576);
    assert_int_equal(g.n_arcs, 16777216);
    expect_arc(&g, 0, 131080, 141190);
    expect_arc(&g, 1, 10384, 524340);
    expect_arc(&g, 2, 594178, 2132);
    expect_arc(&g, 16777215, 660820, 16385);
    g = rmat(7, 42);
    expect_arc(&g, 0, 9, 2);
    expect_arc(&g, 3, 18, 8);
    g = prepare("rmat", (em_generate_options){.seed = 42,
                                              .given = PARAMETERS_RMAT | EM_GENERATE_ABC,
                                              .scale = 7,
                                              .abc = {250000000, 250000000, 250000000}});
    expect_arc(&g, 0, 11, 121);
    expect_arc(&g, 1, 7, 22);
    g = uniform(1000003, 4);
    expect_arc(&g, 0, 77217, 535179);
    expect_arc(&g, 3, 488584, 71431);
}

static void makes_the_weights_of_the_second_implementation(void **state)
{
    (void)state;
    static const uint32_t integers[] = {156, 123, 1, 140}, millionths[] = {610540, 481797, 3451, 545568};
    em_generator g = rmat(4, 1);
    for (uint64_t i = 0; i < 4; i++) {
        g.weights = EM_WEIGHT_I32;
        assert_int_equal(em_generator_weight(&g, i), integers[i]);
        g.weights = EM_WEIGHT_F64;
        assert_int_equal(em_generator_weight(&g, i), millionths[i]);
    }
}

static void keeps_weights_in_their_range(void **state)
{
    (void)state;
    em_generator g = rmat(4, 5);
    uint32_t least = UINT32_MAX, most = 0;
    g.weights = EM_WEIGHT_I32;
    for (uint64_t i = 0; i < 20000; i++) {
        const uint32_t weight = em_generator_weight(&g, i);
        least = weight < least ? weight : least;
        most = weight > most ? weight : most;
    }
    assert_int_equal(least, 1);
    assert_int_equal(most, 255);
}

static void draws_quadrants_with_the_probabilities_asked_for(void **state)
{
    (void)state;
    enum { DRAWS = 1 << 16 };
    static const double expected[] = {.57, .19, .19, .05};
    const em_generator g = rmat(16, 9);
    for (uint32_t bit = 0; bit < 16; bit += 5) {
        uint64_t counts[4] = {0};
        for (uint64_t i = 0; i < DRAWS; i++) {
            uint64_t u, v;
            em_generator_arc(&g, i, &u, &v);
            counts[(u >> bit & 1) * 2 + (v >> bit & 1)]++;
        }
        for (int q = 0; q < 4; q++) { /* four standard deviations are below 0.008 */
            const double share = (double)counts[q] / DRAWS;
            assert_true(share > expected[q] - 0.008 && share < expected[q] + 0.008);
        }
    }
}

static void a_certain_quadrant_is_always_taken(void **state)
{
    (void)state;
    static const uint64_t sources[] = {0, 0, 255}, targets[] = {0, 255, 0};
    for (int q = 0; q < 3; q++) {
        em_generate_options options = {.given = PARAMETERS_RMAT | EM_GENERATE_ABC, .scale = 8};
        options.abc[q] = EM_BILLION;
        const em_generator g = prepare("rmat", options);
        for (uint64_t i = 0; i < 200; i++)
            expect_arc(&g, i, sources[q], targets[q]);
    }
}

static void lists_each_edge_of_a_grid_once_right_before_down(void **state)
{
    (void)state;
    for (uint64_t rows = 1; rows <= 5; rows++)
        for (uint64_t columns = 1; columns <= 5; columns++) {
            const em_generator g = grid(rows, columns);
            uint64_t index = 0;
            for (uint64_t v = 0; v < rows * columns; v++) {
                if (v % columns + 1 < columns)
                    expect_arc(&g, index++, v, v + 1);
                if (v + columns < rows * columns)
                    expect_arc(&g, index++, v, v + columns);
            }
            assert_int_equal(g.n_arcs, index);
            assert_int_equal(g.n_vertices, rows * columns);
        }
}

static void gives_grid_vertices_their_degrees(void **state)
{
    (void)state;
    enum { ROWS = 6, COLUMNS = 9 };
    em_generator g = grid(ROWS, COLUMNS);
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        uint32_t degrees[ROWS * COLUMNS] = {0}, with_degree[5] = {0};
        g.permute = shuffled;
        for (uint64_t i = 0; i < g.n_arcs; i++) {
            uint64_t u, v;
            em_generator_arc(&g, i, &u, &v);
            degrees[u]++;
            degrees[v]++;
        }
        for (int v = 0; v < ROWS * COLUMNS; v++)
            with_degree[degrees[v]]++;
        assert_int_equal(with_degree[2], 4); /* corners */
        assert_int_equal(with_degree[3], 2 * (ROWS - 2) + 2 * (COLUMNS - 2));
        assert_int_equal(with_degree[4], (ROWS - 2) * (COLUMNS - 2));
    }
}

static void a_clique_has_every_pair_once(void **state)
{
    (void)state;
    enum { MOST = 9 };
    for (uint64_t n = 0; n <= MOST; n++) {
        const em_generator g = of_vertices("clique", n);
        bool seen[MOST][MOST] = {{false}};
        assert_int_equal(g.n_arcs, n ? n * (n - 1) / 2 : 0);
        for (uint64_t i = 0; i < g.n_arcs; i++) {
            uint64_t u, v;
            em_generator_arc(&g, i, &u, &v);
            assert_true(u < n && v < n && u != v && !seen[u][v]);
            seen[u][v] = seen[v][u] = true;
        }
    }
}

static void makes_stars_paths_and_loops(void **state)
{
    (void)state;
    const em_generator star = of_vertices("star", 4), path = of_vertices("path", 4), loops = of_vertices("loops", 4);
    assert_int_equal(star.n_arcs, 3);
    assert_int_equal(path.n_arcs, 3);
    assert_int_equal(loops.n_arcs, 4);
    expect_arc(&star, 2, 0, 3);
    expect_arc(&path, 2, 2, 3);
    expect_arc(&loops, 3, 3, 3);
    assert_int_equal(of_vertices("star", 0).n_arcs, 0);
    assert_int_equal(of_vertices("path", 1).n_arcs, 0);
}

/* --- permutations --------------------------------------------------------------------------------- */

static void permutes_as_the_second_implementation(void **state)
{
    (void)state;
    static const uint64_t expected[] = {405, 446, 496, 163};
    em_permutation permutation;
    em_permutation_init(&permutation, 1000, 1);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(em_permutation_at(&permutation, i), expected[i]);
    em_permutation_init(&permutation, UINT64_C(1) << 40, 7);
    assert_int_equal(em_permutation_at(&permutation, 0), 747182766007);
    assert_int_equal(em_permutation_at(&permutation, 1), 9295573548);
}

static void every_permutation_is_a_bijection(void **state)
{
    (void)state;
    enum { MOST = 70000 };
    static bool seen[MOST];
    uint64_t sizes[140] = {65535, 65536, 65537, MOST, 4095, 4096, 4097, 10007};
    for (uint64_t i = 8; i < 140; i++)
        sizes[i] = i - 7;
    for (int s = 0; s < 140; s++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            em_permutation permutation;
            em_permutation_init(&permutation, sizes[s], seed);
            memset(seen, 0, sizeof seen);
            for (uint64_t i = 0; i < sizes[s]; i++) {
                const uint64_t image = em_permutation_at(&permutation, i);
                assert_true(image < sizes[s] && !seen[image]);
                seen[image] = true;
            }
        }
}

static void a_permutation_moves_almost_everything(void **state)
{
    (void)state;
    em_permutation one, two;
    uint64_t n_fixed = 0, n_same = 0;
    em_permutation_init(&one, 50000, 1);
    em_permutation_init(&two, 50000, 2);
    for (uint64_t i = 0; i < 50000; i++) {
        n_fixed += em_permutation_at(&one, i) == i;
        n_same += em_permutation_at(&one, i) == em_permutation_at(&two, i);
    }
    assert_true(n_fixed < 10 && n_same < 10); /* one each is expected */
}

/* --- files ---------------------------------------------------------------------------------------- */

typedef struct file {
    unsigned char *bytes;
    size_t n_bytes;
} file;

static em_status write_file(const em_context_options *options, const em_generator *generator, const char *path,
                            const char *to, em_error *error)
{
    em_context *context = NULL;
    em_output *output = NULL;
    const em_generate_format *format = NULL;
    assert_int_equal(em_context_create(options, &context, NULL), EM_OK);
    em_status status = em_generate_format_find(path, to, &format, error);
    if (status == EM_OK)
        status = em_output_open(context, path, &output, error);
    if (status == EM_OK)
        status = em_generate_write(context, generator, format, output, error);
    if (status == EM_OK)
        status = em_output_commit(output, error);
    else
        em_output_drop(output);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
    return status;
}

static file made_file(const em_context_options *options, const em_generator *generator, const char *to)
{
    char path[128];
    em_error error = {0};
    file made = {malloc(1 << 22), 0};
    snprintf(path, sizeof path, "%s/out", folder);
    if (write_file(options, generator, path, to, &error) != EM_OK)
        fail_msg("%s", error.message);
    FILE *stream = fopen(path, "rb");
    assert_true(stream && made.bytes);
    made.n_bytes = fread(made.bytes, 1, 1 << 22, stream);
    fclose(stream);
    unlink(path);
    return made;
}

static void expect_hash(const em_generator *generator, const char *to, uint64_t expected)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325); /* FNV-1a */
    const em_context_options options = {.n_threads = 2};
    const file made = made_file(&options, generator, to);
    for (size_t i = 0; i < made.n_bytes; i++)
        hash = (hash ^ made.bytes[i]) * UINT64_C(0x100000001B3);
    free(made.bytes);
    assert_true(hash == expected);
}

static void writes_the_bytes_of_the_second_implementation(void **state)
{
    (void)state;
    em_generator g = rmat(8, 1);
    expect_hash(&g, "el", UINT64_C(0xC6C1B1112157607C));
    g = rmat(8, 3);
    g.weights = EM_WEIGHT_F64;
    expect_hash(&g, "wel", UINT64_C(0xE2D5D15BE48DF2F1));
    g = grid(5, 7);
    g.permute = true;
    expect_hash(&g, "tsv", UINT64_C(0xDC6BF91C734DC818));
    g = uniform(1000, 5000);
    expect_hash(&g, "txt", UINT64_C(0xCCCC369C9446A5D9));
    expect_hash(&g, "u32", UINT64_C(0x6F8A743195C0B5FF));
    expect_hash(&g, "u64", UINT64_C(0xF1B603F23CDBC90F));
    g.weights = EM_WEIGHT_I32;
    expect_hash(&g, "csv", UINT64_C(0x2D572BFB51700269));
}

static void the_bytes_do_not_depend_on_threads_or_blocks(void **state)
{
    (void)state;
    static const uint64_t block_bytes[] = {0, 1, 60, 1000, 20000};
    em_generator g = rmat(8, 7);
    g.permute = true;
    g.weights = EM_WEIGHT_I32;
    const em_context_options one = {.n_threads = 1};
    const file expected = made_file(&one, &g, "el");
    for (uint32_t threads = 1; threads <= 5; threads++)
        for (size_t i = 0; i < sizeof block_bytes / sizeof block_bytes[0]; i++) {
            const em_context_options options = {.n_threads = threads, .knobs.chunk_bytes = block_bytes[i]};
            const file made = made_file(&options, &g, "el");
            assert_int_equal(made.n_bytes, expected.n_bytes);
            assert_memory_equal(made.bytes, expected.bytes, made.n_bytes);
            free(made.bytes);
        }
    free(expected.bytes);
}

static void writes_the_longest_ids_and_no_arcs_at_all(void **state)
{
    (void)state;
    em_generator g = of_vertices("path", UINT64_C(1) << 62);
    char line[64];
    uint64_t u, v;
    em_generator_arc(&g, g.n_arcs - 1, &u, &v);
    assert_int_equal(v, (UINT64_C(1) << 62) - 1);
    g = uniform(UINT64_C(1) << 62, 1);
    em_generator_arc(&g, 0, &u, &v);
    snprintf(line, sizeof line, "%llu\t%llu\n", (unsigned long long)u, (unsigned long long)v);
    file made = made_file(NULL, &g, "el");
    assert_int_equal(made.n_bytes, strlen(line));
    assert_memory_equal(made.bytes, line, made.n_bytes);
    free(made.bytes);
    g = uniform(0, 0);
    made = made_file(NULL, &g, "el");
    assert_int_equal(made.n_bytes, 0);
    free(made.bytes);
}

/* --- refusals and failures ------------------------------------------------------------------------ */

static void refuses_parameters_that_make_no_sense(void **state)
{
    (void)state;
    static const struct {
        const char *shape, *says;
        em_generate_options options;
    } cases[] = {
        {"rmat", "needs --scale", {.given = 0}},
        {"rmat", "--rows means nothing to rmat", {.given = EM_GENERATE_SCALE | EM_GENERATE_ROWS}},
        {"rmat", "at most 48", {.given = EM_GENERATE_SCALE, .scale = 49}},
        {"rmat",
         "2^62 arcs",
         {.given = EM_GENERATE_SCALE | EM_GENERATE_EDGE_FACTOR, .scale = 48, .edge_factor = 16385}},
        {"rmat",
         "more than 1",
         {.given = EM_GENERATE_SCALE | EM_GENERATE_ABC, .scale = 4, .abc = {500000000, 500000000, 1}}},
        {"uniform", "needs --arcs", {.given = EM_GENERATE_VERTICES}},
        {"uniform", "without vertices", {.given = PARAMETERS_UNIFORM, .n_arcs = 1}},
        {"uniform", "2^62 vertices", {.given = PARAMETERS_UNIFORM, .n_arcs = 1, .n_vertices = UINT64_MAX}},
        {"grid", "at least one row", {.given = EM_GENERATE_ROWS | EM_GENERATE_COLUMNS, .n_rows = 3}},
        {"grid",
         "2^62 arcs",
         {.given = EM_GENERATE_ROWS | EM_GENERATE_COLUMNS, .n_rows = UINT64_C(1) << 40, .n_columns = 1 << 22}},
        {"clique", "2^62 arcs", {.given = EM_GENERATE_VERTICES, .n_vertices = UINT64_C(1) << 32}},
        {"star", "weights are", {.given = EM_GENERATE_VERTICES, .weights = EM_WEIGHT_F32}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        em_generator generator;
        em_error error = {0};
        const em_shape_kind *shape = em_shape_kind_by_name(cases[i].shape);
        assert_int_equal(em_generator_init(&generator, shape, &cases[i].options, &error), EM_USAGE);
        if (!strstr(error.message, cases[i].says))
            fail_msg("'%s' lacks '%s'", error.message, cases[i].says);
    }
    assert_null(em_shape_kind_by_name("torus"));
}

static void refuses_formats_that_cannot_hold_the_graph(void **state)
{
    (void)state;
    static const struct {
        const char *path, *to, *name; /* name NULL: refused */
    } cases[] = {
        {"a.el", NULL, "el"},     {"b/c.d/a.txt", NULL, "el"}, {"a.csv", "u32", "u32"}, {"-", NULL, "el"},
        {"a.gz", NULL, NULL},     {"a.d/b", NULL, NULL},       {"a", NULL, NULL},       {"a.el", "npz", NULL},
        {"a.el", "", NULL},       {"a.", NULL, NULL},          {"a.x", "el txt", NULL}, {"a.wel", NULL, "wel"},
        {"a.el.zst", NULL, NULL}, {"a.tx", NULL, NULL},        {"a.x", "xel", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const em_generate_format *format;
        const em_status status = em_generate_format_find(cases[i].path, cases[i].to, &format, NULL);
        assert_int_equal(status, cases[i].name ? EM_OK : EM_USAGE);
        if (cases[i].name)
            assert_string_equal(format->name, cases[i].name);
    }
    const em_generate_format *u32, *wel;
    em_generator g = uniform((UINT64_C(1) << 32) + 1, 1);
    em_generate_format_find("-", "u32", &u32, NULL);
    em_generate_format_find("-", "wel", &wel, NULL);
    assert_int_equal(em_generate_can_hold(&g, u32, NULL), EM_USAGE);
    assert_int_equal(em_generate_can_hold(&g, wel, NULL), EM_USAGE);
    g = uniform(UINT64_C(1) << 32, 1);
    assert_int_equal(em_generate_can_hold(&g, u32, NULL), EM_OK);
    g.weights = EM_WEIGHT_I32;
    assert_int_equal(em_generate_can_hold(&g, u32, NULL), EM_USAGE);
    assert_int_equal(em_generate_can_hold(&g, wel, NULL), EM_OK);
}

static void every_failing_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    char path[128];
    const em_generator g = rmat(6, 1);
    snprintf(path, sizeof path, "%s/out", folder);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        em_status status = EM_NO_MEMORY;
        for (uint64_t number = 1; status != EM_OK && number < 100; number++) {
            const em_context_options options = {.n_threads = threads,
                                                .knobs = {.fail_allocation = number, .chunk_bytes = 100}};
            em_error error = {0};
            status = write_file(&options, &g, path, "el", &error);
            assert_true(status == EM_OK || (status == EM_NO_MEMORY && error.message[0]));
            assert_int_equal(access(path, F_OK), status == EM_OK ? 0 : -1);
        }
        assert_int_equal(status, EM_OK);
        unlink(path);
    }
}

static void a_full_disk_is_an_error_that_names_the_file(void **state)
{
    (void)state;
    const em_generator g = rmat(12, 1);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        const em_context_options options = {.n_threads = threads, .knobs.chunk_bytes = 1000};
        em_error error = {0};
        assert_int_equal(write_file(&options, &g, "/dev/full", "el", &error), EM_ENVIRONMENT);
        assert_non_null(strstr(error.message, "/dev/full"));
    }
}

static bool cancel_late(void *state, const char *stage, uint64_t done, uint64_t total)
{
    int *n_calls = state;
    (void)stage;
    assert_true(done < total);
    return ++*n_calls < 3;
}

static void can_be_cancelled(void **state)
{
    (void)state;
    char path[128];
    const em_generator g = rmat(12, 1);
    snprintf(path, sizeof path, "%s/out", folder);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        int n_calls = 0;
        em_error error = {0};
        const em_context_options options = {
            .n_threads = threads, .progress = cancel_late, .progress_state = &n_calls, .knobs.chunk_bytes = 100};
        const em_status status = write_file(&options, &g, path, "el", &error);
        /* Only the calling thread calls back: on a busy machine the others may have done it all before. */
        assert_true(n_calls >= 3 || threads > 1);
        assert_int_equal(status, n_calls < 3 ? EM_OK : EM_CANCELLED);
        assert_int_equal(access(path, F_OK), n_calls < 3 ? 0 : -1);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_the_arcs_of_the_second_implementation),
        cmocka_unit_test(makes_the_weights_of_the_second_implementation),
        cmocka_unit_test(keeps_weights_in_their_range),
        cmocka_unit_test(draws_quadrants_with_the_probabilities_asked_for),
        cmocka_unit_test(a_certain_quadrant_is_always_taken),
        cmocka_unit_test(lists_each_edge_of_a_grid_once_right_before_down),
        cmocka_unit_test(gives_grid_vertices_their_degrees),
        cmocka_unit_test(a_clique_has_every_pair_once),
        cmocka_unit_test(makes_stars_paths_and_loops),
        cmocka_unit_test(permutes_as_the_second_implementation),
        cmocka_unit_test(every_permutation_is_a_bijection),
        cmocka_unit_test(a_permutation_moves_almost_everything),
        cmocka_unit_test(writes_the_bytes_of_the_second_implementation),
        cmocka_unit_test(the_bytes_do_not_depend_on_threads_or_blocks),
        cmocka_unit_test(writes_the_longest_ids_and_no_arcs_at_all),
        cmocka_unit_test(refuses_parameters_that_make_no_sense),
        cmocka_unit_test(refuses_formats_that_cannot_hold_the_graph),
        cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
        cmocka_unit_test(a_full_disk_is_an_error_that_names_the_file),
        cmocka_unit_test(can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
