/* test_bench - the command bench as a person meets it: status, what the table, the JSON and the picture hold. Never how
 * long anything takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support_program.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/edgemill-bench-XXXXXX";
static char said[1 << 18]; /* standard output and error together */

/* Runs a shell line in the test's folder; $B is "edgemill bench". Returns the exit status. */
static int run(const char *line)
{
    char command[4096];
    snprintf(command, sizeof command, "{ %s\n} 2>&1 < /dev/null", line);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = 0;
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void expect(const char *line, int wanted, const char *says)
{
    const int status = run(line);
    if (status != wanted || !strstr(said, says))
        fail_msg("%s\n  ended with %d, wanted %d\n  said: %s\n  wanted there: %s", line, status, wanted, said, says);
}

static void expect_said(const char *words)
{
    if (!strstr(said, words))
        fail_msg("wanted: %s\n  said: %s", words, said);
}

static int set_up(void **state)
{
    (void)state;
    setenv("OMP_WAIT_POLICY", "passive", 1); /* tests share cores: a team that spins would wait for its own threads */
    return support_program_begin(folder, "B", " bench");
}

static int tear_down(void **state)
{
    (void)state;
    return support_program_end(folder);
}

static uint32_t count(const char *text, const char *word)
{
    uint32_t n = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

static char *read_file(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void says_what_there_is(void **state)
{
    (void)state;
    expect("$B", 0, "scan ");
    expect_said("compact ");
    expect_said("sort ");
    expect_said("not built yet: load, csr");
    expect("$B --help", 0, "Usage: edgemill bench scan");
    expect("$B scan --help", 0, "--tune");
    expect("$B load", 2, "bench load is not built yet");
    expect("$B fly", 2, "unknown benchmark 'fly'");
    expect("$B scan sort", 2, "'sort' is one too many");
}

static void refuses_values_that_make_no_sense(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } WRONG[] = {
        {"$B scan --sizes 0", "'0' is not a number of elements"},
        {"$B scan --sizes ''", "'' is not a number of elements"},
        {"$B scan --sizes 1K,", "'' is not a number of elements"},
        {"$B scan --sizes K", "'K' is not a number of elements"},
        {"$B scan --sizes 1KK", "'1KK' is not a number of elements"},
        {"$B scan --sizes 1T", "'1T' is not a number of elements"},
        {"$B scan --sizes -5", "'-5' is not a number of elements"},
        {"$B scan --sizes 99999999999999999999999", "is not a number of elements"},
        {"$B scan --sizes 18446744074G", "is not a number of elements"}, /* 290,448,384 modulo 2^64 */
        {"$B scan --max 1.5M", "--max=1.5M"},
        {"$B scan --sizes 1K --max 1M", "exclude each other"},
        {"$B scan --tune --tiles", "exclude each other"},
        {"$B scan --tiles --svg x.svg", "--svg shows sizes"},
        {"$B scan --types i16", "'i16' is not one of u32"},
        {"$B scan --types i32,,u32", "'' is not one of u32"},
        {"$B scan --pairs 2", "an odd number"},
        {"$B scan --pairs 0", "an odd number"},
        {"$B scan --pairs 257", "an odd number"},
        {"$B scan --pairs -1", "an odd number"},
        {"$B scan --pairs 3x", "an odd number"},
        {"$B scan --threads 0", "--threads=0"},
        {"$B scan --order sorted", "does not belong to 'bench'"},
        {"$B scan --tyles", "did you mean --t"},
        {"$B scan --json a --json b", "given twice"},
        {"$B scan --json same --svg same", "same"},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        expect(WRONG[i].line, 2, WRONG[i].says);
}

static void names_what_is_wrong_with_the_peers(void **state)
{
    (void)state;
    expect("echo text > text.so; $B scan --sizes 10 --pairs 1 --types i32 --peers text.so", 4,
           "the peers cannot be loaded");
    expect("$B scan --sizes 10 --pairs 1 --types i32 --peers nothing.so", 4, "the peers cannot be loaded");
    expect("$B scan --sizes 10 --pairs 1 --types i32 --peers ''", 4, "the peers cannot be loaded");
}

/* A peer written for the test: one that is right, one that is wrong. */
static const char PEER[] =
    "cat > peer.c <<'END'\n"
    "#include <stdint.h>\n"
    "typedef struct { const char *name, *element; int32_t kind, threads; void (*run)(const void *, void *, uint64_t, "
    "uint32_t); } peer;\n"
    "static void sum(const void *in, void *out, uint64_t n, uint32_t t) { uint32_t s = 0; (void)t;\n"
    "  for (uint64_t i = 0; i < n; i++) ((uint32_t *)out)[i] = s += ((const uint32_t *)in)[i]; }\n"
    "static void wrong(const void *in, void *out, uint64_t n, uint32_t t) { sum(in, out, n, t); "
    "((uint32_t *)out)[n - 1]++; }\n"
    "static const peer PEERS[] = {{\"sum by hand\", \"u32\", 0, 0, sum}, {\"sum gone wrong\", \"i32\", 0, 1, wrong}};\n"
    "const peer *edgemill_peers(uint32_t abi, uint64_t *n) { *n = 2; return abi == 1 ? PEERS : 0; }\n"
    "END\n"
    "cc -shared -fPIC peer.c -o peer.so";

static void runs_peers_and_refuses_their_wrong_results(void **state)
{
    (void)state;
    if (run(PEER) != 0)
        skip();
    expect("$B scan --sizes 100 --pairs 1 --types u32 --peers peer.so", 0, "best peer: sum by hand");
    expect_said("peers: ./peer.so");
    expect("$B scan --sizes 100 --pairs 1 --types i32 --peers ./peer.so", 1,
           "sum gone wrong of 100 i32 (inclusive) is not what the serial engine gives");
}

static void prints_a_row_for_each_contender(void **state)
{
    (void)state;
    expect("$B scan --sizes 1,1000 --types i32,offsets-u32 --pairs 3 --threads 2", 0, "i32, 1,000 elements");
    expect_said("offsets-u32, 1 elements");
    expect_said("headline: i32, 1,000 elements");
    expect_said("stalls: i32 scans one by one");
    assert_int_equal(count(said, "edgemill serial "), 2 * 2 + 2); /* inclusive and exclusive; offsets have one kind */
    assert_int_equal(count(said, "edgemill lookback "), 2 * 2 + 2);
    assert_int_equal(count(said, "    memcpy "), 2 * 4);
}

static void says_what_does_not_fit_memory(void **state)
{
    (void)state;
    expect("$B scan --sizes 10,1000G --types u64 --pairs 1", 0,
           "left out: u64, 1,000,000,000,000 elements: 16000.0 GB is more than half");
    expect("$B scan --sizes 1000G --types u64 --pairs 1", 0, "left out");
}

/* {"median", "low", "high"}, in order of size. */
static void assert_figure(const json_t *of)
{
    const double median = json_real_value(json_object_get(of, "median")),
                 low = json_real_value(json_object_get(of, "low"));
    const double high = json_real_value(json_object_get(of, "high"));
    assert_true(low > 0 && low <= median && median <= high);
}

static void assert_contender(const json_t *of)
{
    assert_true(json_is_string(json_object_get(of, "name")));
    assert_true(json_is_string(json_object_get(of, "who")));
    assert_true(json_integer_value(json_object_get(of, "threads")) > 0);
    assert_figure(json_object_get(of, "ns"));
    assert_figure(json_object_get(of, "to_best_copy"));
    assert_true(json_real_value(json_object_get(of, "gb_per_s")) > 0);
    assert_int_equal(json_array_size(json_object_get(of, "rounds_ns")), 3);
}

static void writes_json_of_every_time(void **state)
{
    (void)state;
    expect("$B scan --sizes 1,500 --types f32,mat2 --pairs 3 --json out.json", 0, "f32, 500 elements");
    json_t *root = json_load_file("out.json", 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "format")), "edgemill-bench-scan");
    assert_int_equal(json_integer_value(json_object_get(root, "version")), 1);
    const json_t *results = json_object_get(root, "results");
    assert_int_equal(json_array_size(results), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *result = json_array_get(results, i), *contenders = json_object_get(result, "contenders");
        assert_int_equal(json_integer_value(json_object_get(result, "n")), i % 2 ? 500 : 1);
        assert_int_equal(json_integer_value(json_object_get(result, "bytes_in")), (i % 2 ? 500 : 1) * (i < 2 ? 4 : 16));
        assert_figure(json_object_get(result, "best_copy_ns"));
        assert_true(json_array_size(contenders) >= 18);
        for (size_t k = 0; k < json_array_size(contenders); k++)
            assert_contender(json_array_get(contenders, k));
    }
    assert_true(json_array_size(json_object_get(root, "stalls")) > 0);
    assert_int_equal(json_array_size(json_object_get(root, "left_out")), 0);
    json_decref(root);
    expect("$B scan --sizes 10 --types i32 --pairs 1 --json - 2>table.txt >alone.json", 0, "");
    root = json_load_file("alone.json", 0, NULL);
    assert_non_null(root);
    json_decref(root);
    assert_non_null(strstr(read_file("table.txt"), "i32, 10 elements"));
}

static void compacts_beside_a_loop(void **state)
{
    (void)state;
    expect("$B compact --sizes 100,3000 --pairs 3 --json compact.json", 0, "u64, 3,000 items, 90 % kept");
    expect_said("edgemill select, 1 thread");
    json_t *root = json_load_file("compact.json", 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "format")), "edgemill-bench-compact");
    const json_t *results = json_object_get(root, "results");
    assert_int_equal(json_array_size(results), 12);
    for (size_t i = 0; i < 12; i++) {
        const json_t *result = json_array_get(results, i), *contenders = json_object_get(result, "contenders");
        const uint64_t n = i / 3 % 2 ? 3000 : 100, percent = 10 + i % 3 * 40;
        const int64_t n_kept = json_integer_value(json_object_get(result, "n_kept"));
        assert_int_equal(json_integer_value(json_object_get(result, "n")), n);
        assert_int_equal(json_integer_value(json_object_get(result, "percent")), percent);
        assert_true(n_kept > 0 && llabs(n_kept - (int64_t)(n * percent / 100)) < (int64_t)n / 5);
        assert_figure(json_object_get(result, "best_copy_ns"));
        assert_true(json_array_size(contenders) >= 7);
        for (size_t k = 0; k < json_array_size(contenders); k++)
            assert_figure(json_object_get(json_array_get(contenders, k), k < 4 ? "to_best_copy" : "to_loop"));
    }
    json_decref(root);
    expect("$B compact --types f32", 2, "bench compact has u32 and u64");
    expect("$B compact --tune", 2, "belong to bench scan");
    expect("$B compact --svg x.svg", 2, "belong to bench scan");
}

static void sorts_what_it_is_asked_to(void **state)
{
    (void)state;
    static const char *const TYPES[] = {"u32", "u64", "arcs", "pairs"};
    expect("$B sort --sizes 100,3000 --pairs 3 --json sort.json", 0, "arcs, 3,000 records of 8 bytes");
    expect_said("edgemill sort, 1 thread");
    json_t *root = json_load_file("sort.json", 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "format")), "edgemill-bench-sort");
    const json_t *results = json_object_get(root, "results");
    assert_int_equal(json_array_size(results), 8);
    for (size_t i = 0; i < 8; i++) {
        const json_t *result = json_array_get(results, i), *contenders = json_object_get(result, "contenders");
        assert_string_equal(json_string_value(json_object_get(result, "type")), TYPES[i / 2]);
        assert_int_equal(json_integer_value(json_object_get(result, "n")), i % 2 ? 3000 : 100);
        assert_figure(json_object_get(result, "best_copy_ns"));
        assert_true(json_array_size(contenders) >= 6);
        for (size_t k = 0; k < json_array_size(contenders); k++)
            assert_figure(json_object_get(json_array_get(contenders, k), "to_best_copy"));
    }
    json_decref(root);
    expect("$B sort --sizes 50 --types pairs --pairs 1", 0, "pairs, 50 records");
    expect("$B sort --types f32", 2, "bench sort has u32, u64, arcs and pairs, and not 'f32'");
    expect("$B sort --tiles", 2, "belong to bench scan");
}

static void draws_a_line_for_each_contender(void **state)
{
    (void)state;
    expect("$B scan --sizes 10,100,1000 --types i32,f64 --pairs 1 --svg out.svg", 0, "f64, 1,000 elements");
    const char *svg = read_file("out.svg");
    assert_ptr_equal(strstr(svg, "<svg xmlns="), svg);
    assert_string_equal(svg + strlen(svg) - 7, "</svg>\n");
    assert_true(count(svg, "<polyline") >= 2 * 7); /* best copy, memcpy with 1 and all threads, four engines */
    assert_int_equal(count(svg, "<polyline") * 1, count(svg, "class=\"legend\"")); /* each has its name */
    assert_int_equal(count(svg, ">memcpy ("), 4);
    assert_int_equal(count(svg, ">best copy<"), 2);
    assert_int_equal(count(svg, "nan") + count(svg, "inf,") + count(svg, "<script"), 0);
    expect("$B scan --sizes 10 --types i32 --pairs 1 --svg one.svg", 0, "headline");
    assert_int_equal(count(read_file("one.svg"), "nan"), 0);
}

static void leaves_no_file_after_a_failure(void **state)
{
    (void)state;
    expect("$B scan --sizes 10 --types i32 --pairs 1 --json none/out.json", 4, "none");
    expect("echo old > old.json; $B scan --sizes 10 --types i32 --pairs 1 --json old.json --peers none.so; ls -A", 0,
           "old.json");
    assert_string_equal(read_file("old.json"), "old\n");
}

static void sweeps_tiles(void **state)
{
    (void)state;
    expect("$B scan --tiles --sizes 100K --types u64 --pairs 1 --threads 2 --json tiles.json", 0,
           "tiles: look-back over 100,000 elements of u64 by 2 threads");
    json_t *root = json_load_file("tiles.json", 0, NULL);
    const json_t *tilings = json_object_get(json_object_get(root, "tiles"), "tilings");
    assert_int_equal(json_array_size(tilings), 7);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(tilings, 0), "tile_bytes")), 400000);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(tilings, 6), "tile_bytes")), 782 * 8);
    json_decref(root);
    expect("$B scan --tiles --sizes 10 --types offsets-u32", 2, "needs a type other than offsets");
}

static void prints_lines_for_the_tuning(void **state)
{
    (void)state;
    expect("$B scan --tune --sizes 20K --pairs 1 --json tune.json", 0, "SCAN_THREADS_FROM_PS");
    expect_said("SCAN_STREAM_FROM_BYTES");
    expect_said("sum_u32");
    expect_said("log-sum-exp");
    expect_said("#define SCAN_TILES_OF_CACHE");
    json_t *root = json_load_file("tune.json", 0, NULL);
    const json_t *tuning = json_object_get(root, "tuning");
    assert_true(json_array_size(json_object_get(tuning, "items")) > 50);
    assert_true(json_array_size(json_object_get(tuning, "teams")) > 0);
    assert_true(json_array_size(json_object_get(tuning, "streaming")) > 0);
    assert_int_equal(json_array_size(json_object_get(tuning, "tiles")), 2);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_there_is),
        cmocka_unit_test(refuses_values_that_make_no_sense),
        cmocka_unit_test(names_what_is_wrong_with_the_peers),
        cmocka_unit_test(runs_peers_and_refuses_their_wrong_results),
        cmocka_unit_test(prints_a_row_for_each_contender),
        cmocka_unit_test(says_what_does_not_fit_memory),
        cmocka_unit_test(writes_json_of_every_time),
        cmocka_unit_test(compacts_beside_a_loop),
        cmocka_unit_test(sorts_what_it_is_asked_to),
        cmocka_unit_test(draws_a_line_for_each_contender),
        cmocka_unit_test(leaves_no_file_after_a_failure),
        cmocka_unit_test(sweeps_tiles),
        cmocka_unit_test(prints_lines_for_the_tuning),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
