/* bench - the command: what is measured, where the figures go.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/bench/bench.h"
#include "pipeline/bench/compact.h"
#include "pipeline/bench/sort.h"
#include "pipeline/cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Measures parts beside the fastest copy of as many bytes and beside other libraries, in one interleaved\n"
    "run. Standard output gets the table, unless --json or --svg is '-': then standard error does.\n"
    "\n"
    "Benchmarks:\n"
    "  scan                        prefix sums of numbers, 2x2 matrices and CSR offsets\n"
    "  compact                     numbers below a constant, of which 10, 50 and 90 % are kept (--types u32,u64)\n"
    "  sort                        keys, R-MAT arcs, keys with payloads (--types u32,u64,arcs,pairs)\n"
    "Those of load and csr are not built yet ('make bench' in the source tree times load).";
static const char more[] =
    "What takes more than half of the memory available is left out, and said. Peers (libstdc++, TBB, omp simd) are\n"
    "built by 'make bench'.\n"
    "\n"
    "Examples:\n"
    "  edgemill bench scan --types i32,f64 --sizes 1M,100M\n"
    "  edgemill bench scan --max 1G --json scan.json --svg scan.svg\n"
    "  edgemill bench compact --types u32 --sizes 100M\n"
    "  edgemill bench sort --types u64,arcs --sizes 1M,10M\n";

/* --- values ------------------------------------------------------------------------------------------------ */

/* "1000", "64K", "2M", "1G". */
static bool parse_size(const char *text, size_t length, uint64_t *n)
{
    enum { MOST = 40 }; /* bits */
    size_t at = 0;
    *n = 0;
    for (; at < length && text[at] >= '0' && text[at] <= '9' && *n < UINT64_C(1) << MOST; at++)
        *n = *n * 10 + (uint64_t)(text[at] - '0');
    if (at == 0)
        return false;
    if (at + 1 == length) {
        const char unit = (char)(text[at++] & ~0x20);
        const uint64_t factor = unit == 'K' ? 1000 : unit == 'M' ? 1000000 : unit == 'G' ? 1000000000 : 0;
        if (__builtin_mul_overflow(*n, factor, n))
            return false;
    }
    return at == length && *n > 0 && *n <= UINT64_C(1) << MOST;
}

static em_status parse_sizes(bench *run, const char *text, em_error *error)
{
    for (const char *at = text; at;) {
        const size_t length = strcspn(at, ",");
        if (run->n_sizes == BENCH_SIZES)
            return em_fail(error, EM_USAGE, "--sizes: more than %d sizes", (int)BENCH_SIZES);
        if (!parse_size(at, length, &run->sizes[run->n_sizes++]))
            return em_fail(error, EM_USAGE,
                           "--sizes: '%.*s' is not a number of elements from 1 on, such as 1000 or 64K", (int)length,
                           at);
        at = at[length] ? at + length + 1 : NULL;
    }
    run->sizes_given = true;
    return EM_OK;
}

/* 1, 2 and 5 of every decade from 1,000 to the largest, and the largest. */
static em_status sizes_up_to(bench *run, const char *text, em_error *error)
{
    static const uint64_t STEPS[] = {1, 2, 5};
    uint64_t most = 100000000;
    if (text && !parse_size(text, strlen(text), &most))
        return em_fail(error, EM_USAGE, "--max=%s: not a number of elements, such as 100M", text);
    for (uint64_t decade = 1000; decade < most; decade *= 10)
        for (int i = 0; i < 3; i++)
            if (decade * STEPS[i] < most)
                run->sizes[run->n_sizes++] = decade * STEPS[i];
    run->sizes[run->n_sizes++] = most;
    return EM_OK;
}

static em_status parse_types(bench *run, const char *text, em_error *error)
{
    char word[32];
    for (const char *at = text; at;) {
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), at);
        const bench_case *of = bench_case_named(word);
        if (!of)
            return em_fail(error, EM_USAGE,
                           "--types: '%s' is not one of u32 i32 u64 i64 f32 f64 mat2 offsets-u32 offsets-u64", word);
        run->cases |= 1u << (uint32_t)(of - bench_case_at(0));
        at = at[length] ? at + length + 1 : NULL;
    }
    return EM_OK;
}

static em_status parse_pairs(bench *run, const char *text, em_error *error)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || n < 1 || n > BENCH_PAIRS || n % 2 == 0)
        return em_fail(error, EM_USAGE, "--pairs=%s: an odd number from 1 to %d is wanted", text, (int)BENCH_PAIRS);
    run->n_pairs = (uint32_t)n;
    return EM_OK;
}

/* Figures that are asked for on standard output are to be read by a program: the table then goes beside them. */
static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static em_status parse(const em_cli_line *line, bench *run, em_error *error)
{
    const char *sizes = line->value[EM_CLI_BENCH_SIZES], *types = line->value[EM_CLI_BENCH_TYPES];
    const char *pairs = line->value[EM_CLI_BENCH_PAIRS], *most = line->value[EM_CLI_BENCH_MAX];
    *run = (bench){
        .n_threads = line->n_threads,
        .n_pairs = 11,
        .cases = types ? 0 : UINT32_MAX,
        .peers_path = line->value[EM_CLI_BENCH_PEERS],
        .out = is_stdout(line->value[EM_CLI_BENCH_JSON]) || is_stdout(line->value[EM_CLI_BENCH_SVG]) ? stderr : stdout};
    if (sizes && most)
        return em_fail(error, EM_USAGE, "--sizes and --max exclude each other");
    if (line->given[EM_CLI_BENCH_TUNE] && line->given[EM_CLI_BENCH_TILES])
        return em_fail(error, EM_USAGE, "--tune and --tiles exclude each other");
    if (line->given[EM_CLI_BENCH_SVG] && (line->given[EM_CLI_BENCH_TUNE] || line->given[EM_CLI_BENCH_TILES]))
        return em_fail(error, EM_USAGE, "--svg shows sizes: not with --tune or --tiles");
    em_status status = sizes ? parse_sizes(run, sizes, error) : sizes_up_to(run, most, error);
    if (status == EM_OK && types)
        status = parse_types(run, types, error);
    if (status == EM_OK && pairs)
        status = parse_pairs(run, pairs, error);
    return status;
}

/* --- the run ----------------------------------------------------------------------------------------------- */

static em_status measure(bench *run, const em_cli_line *line, em_error *error)
{
    em_status status;
    bench_print_machine(run);
    if (line->given[EM_CLI_BENCH_TUNE]) {
        status = bench_scan_tune(run, error);
        if (status == EM_OK)
            bench_print_tuning(run);
        return status;
    }
    if (line->given[EM_CLI_BENCH_TILES]) {
        status = bench_scan_tiles(run, error);
        if (status == EM_OK)
            bench_print_tiles(run);
        return status;
    }
    status = bench_scan_all(run, error);
    if (status == EM_OK)
        status = bench_scan_stalls(run, error);
    if (status != EM_OK)
        return status;
    bench_print_stalls(run);
    bench_print_end(run);
    return EM_OK;
}

typedef em_status write_figures(const void *figures, em_output *output, em_error *error);

static em_status write_json(const void *run, em_output *output, em_error *error)
{
    return bench_json(run, output, error);
}

static em_status write_svg(const void *run, em_output *output, em_error *error)
{
    return bench_svg(run, output, error);
}

static em_status write_compact(const void *of, em_output *output, em_error *error)
{
    return compact_json(of, output, error);
}

static em_status write_sort(const void *of, em_output *output, em_error *error)
{
    return sort_json(of, output, error);
}

static em_status publish(bench *run, const char *path, write_figures *write, const void *figures, em_error *error)
{
    em_output *output = NULL;
    if (!path)
        return EM_OK;
    em_status status = em_output_open(run->all, path, &output, error);
    if (status != EM_OK)
        return status;
    status = write(figures, output, error);
    if (status == EM_OK)
        return em_output_commit(output, error);
    em_output_drop(output);
    return status;
}

static em_status bench_scan(const em_cli_line *line, em_error *error)
{
    const char *outputs[2];
    int n_outputs = 0;
    bench *run = calloc(1, sizeof *run);
    if (!run)
        return em_fail(error, EM_NO_MEMORY, "out of memory");
    if (line->value[EM_CLI_BENCH_JSON])
        outputs[n_outputs++] = line->value[EM_CLI_BENCH_JSON];
    if (line->value[EM_CLI_BENCH_SVG])
        outputs[n_outputs++] = line->value[EM_CLI_BENCH_SVG];
    em_status status = parse(line, run, error);
    if (status == EM_OK)
        status = em_cli_check_outputs(&(em_cli_inputs){0}, outputs, n_outputs, error);
    if (status == EM_OK)
        status = bench_begin(run, error);
    if (status == EM_OK)
        status = bench_load_peers(run, error);
    if (status == EM_OK)
        status = measure(run, line, error);
    if (status == EM_OK)
        status = publish(run, line->value[EM_CLI_BENCH_JSON], write_json, run, error);
    if (status == EM_OK)
        status = publish(run, line->value[EM_CLI_BENCH_SVG], write_svg, run, error);
    bench_end(run);
    free(run);
    return status;
}

/* --- compact ------------------------------------------------------------------------------------------------- */

/* Options of scan that say nothing here are refused. Without sizes there are three: in the first-level cache, beyond
 * the second, beyond all. */
static em_status parse_compact(const em_cli_line *line, bench *run, em_error *error)
{
    static const uint64_t SIZES[] = {10000, 1000000, 100000000};
    const bench_case *type;
    uint32_t known = 0;
    if (line->given[EM_CLI_BENCH_TUNE] || line->given[EM_CLI_BENCH_TILES] || line->given[EM_CLI_BENCH_SVG])
        return em_fail(error, EM_USAGE, "--tune, --tiles and --svg belong to bench scan");
    const em_status status = parse(line, run, error);
    for (uint32_t i = 0; (type = bench_case_at(i)); i++)
        known |= strcmp(type->name, "u32") == 0 || strcmp(type->name, "u64") == 0 ? 1u << i : 0;
    if (status == EM_OK && line->value[EM_CLI_BENCH_TYPES] && run->cases & ~known)
        return em_fail(error, EM_USAGE, "--types: bench compact has u32 and u64");
    if (!line->value[EM_CLI_BENCH_SIZES] && !line->value[EM_CLI_BENCH_MAX]) {
        memcpy(run->sizes, SIZES, sizeof SIZES);
        run->n_sizes = sizeof SIZES / sizeof *SIZES;
    }
    return status;
}

static em_status bench_compact(const em_cli_line *line, em_error *error)
{
    const char *path = line->value[EM_CLI_BENCH_JSON];
    bench *run = calloc(1, sizeof *run);
    if (!run)
        return em_fail(error, EM_NO_MEMORY, "out of memory");
    compact_bench of = {.run = run};
    em_status status = parse_compact(line, run, error);
    if (status == EM_OK)
        status = em_cli_check_outputs(&(em_cli_inputs){0}, &path, path != NULL, error);
    if (status == EM_OK)
        status = bench_begin(run, error);
    if (status == EM_OK)
        status = bench_load_peers(run, error);
    if (status == EM_OK) {
        bench_print_machine(run);
        status = compact_measure(&of, error);
    }
    if (status == EM_OK)
        compact_print_end(&of);
    if (status == EM_OK)
        status = publish(run, path, write_compact, &of, error);
    compact_free(&of);
    bench_end(run);
    free(run);
    return status;
}

/* --- sort ---------------------------------------------------------------------------------------------------- */

/* Types are other ones than those of scan. Without sizes there are three: in a cache, beyond it, beyond all. */
static em_status parse_sort(const em_cli_line *line, bench *run, em_error *error)
{
    static const uint64_t SIZES[] = {10000, 1000000, 10000000};
    const char *const types = line->value[EM_CLI_BENCH_TYPES];
    em_cli_line rest = *line;
    if (line->given[EM_CLI_BENCH_TUNE] || line->given[EM_CLI_BENCH_TILES] || line->given[EM_CLI_BENCH_SVG])
        return em_fail(error, EM_USAGE, "--tune, --tiles and --svg belong to bench scan");
    rest.value[EM_CLI_BENCH_TYPES] = NULL;
    const em_status status = parse(&rest, run, error);
    if (!line->value[EM_CLI_BENCH_SIZES] && !line->value[EM_CLI_BENCH_MAX]) {
        memcpy(run->sizes, SIZES, sizeof SIZES);
        run->n_sizes = sizeof SIZES / sizeof *SIZES;
    }
    return status == EM_OK && types ? sort_parse_types(run, types, error) : status;
}

static em_status bench_sort_records(const em_cli_line *line, em_error *error)
{
    const char *path = line->value[EM_CLI_BENCH_JSON];
    bench *run = calloc(1, sizeof *run);
    if (!run)
        return em_fail(error, EM_NO_MEMORY, "out of memory");
    sort_bench of = {.run = run};
    em_status status = parse_sort(line, run, error);
    if (status == EM_OK)
        status = em_cli_check_outputs(NULL, &path, path != NULL, error);
    if (status == EM_OK)
        status = bench_begin(run, error);
    if (status == EM_OK)
        status = bench_load_peers(run, error);
    if (status == EM_OK) {
        bench_print_machine(run);
        status = sort_measure(&of, error);
    }
    if (status == EM_OK)
        status = publish(run, path, write_sort, &of, error);
    sort_free(&of);
    bench_end(run);
    free(run);
    return status;
}

/* --- which ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *word, *summary;
    em_status (*run)(const em_cli_line *line, em_error *error); /* NULL: not built yet */
} BENCHMARKS[] = {
    {"scan", "prefix sums of numbers, 2x2 matrices and CSR offsets, beside copies and other libraries", bench_scan},
    {"compact", "numbers below a constant, moved together, beside copies and other libraries", bench_compact},
    {"sort", "keys, arcs and keys with payloads, beside copies and other libraries", bench_sort_records},
    {"load", NULL, NULL},
    {"csr", NULL, NULL},
    {"all", NULL, NULL},
};
enum { N_BENCHMARKS = sizeof BENCHMARKS / sizeof *BENCHMARKS };

static void list_benchmarks(void)
{
    for (int i = 0; i < N_BENCHMARKS; i++)
        if (BENCHMARKS[i].run)
            printf("%-9s %s\n", BENCHMARKS[i].word, BENCHMARKS[i].summary);
    for (int i = 0, n = 0; i < N_BENCHMARKS; i++)
        if (!BENCHMARKS[i].run)
            printf("%s%s", n++ ? ", " : "not built yet: ", BENCHMARKS[i].word);
    putchar('\n');
}

static em_status bench_word(const em_cli_line *line, em_error *error)
{
    if (line->n_operands > 1)
        return em_fail(error, EM_USAGE, "bench takes one word, and '%s' is one too many", line->operands[1]);
    for (int i = 0; i < N_BENCHMARKS; i++)
        if (strcmp(line->operands[0], BENCHMARKS[i].word) == 0)
            return BENCHMARKS[i].run
                       ? BENCHMARKS[i].run(line, error)
                       : em_fail(error, EM_USAGE, "bench %s is not built yet; bench scan, compact and sort are",
                                 BENCHMARKS[i].word);
    return em_fail(error, EM_USAGE, "unknown benchmark '%s'; there are scan, compact and sort", line->operands[0]);
}

int em_cli_bench(int argc, char **argv)
{
    em_cli_line line = {0};
    em_error error = {0};
    int exit_status = 0;
    em_status status = em_cli_parse(&line, EM_CLI_BENCH, argc, argv, &error);
    if (status == EM_OK && line.given[EM_CLI_HELP])
        em_cli_command_help(stdout, "bench scan|compact|sort [OPTIONS]", about, EM_CLI_BENCH, more);
    else if (status == EM_OK && line.given[EM_CLI_VERSION])
        em_cli_version(stdout);
    else if (status == EM_OK && line.n_operands == 0)
        list_benchmarks();
    else if (status == EM_OK)
        status = bench_word(&line, &error);
    if (status != EM_OK)
        exit_status = em_cli_fail(&error, argv[0]);
    em_cli_line_free(&line);
    return exit_status;
}
