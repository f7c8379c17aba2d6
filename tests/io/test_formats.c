/* test_formats - which format a file has, or is to get.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/io/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void every_format_has_a_name_a_summary_and_suffixes_of_its_own(void **state)
{
    (void)state;
    const em_format *const *formats;
    const size_t n = em_formats(&formats);
    assert_true(n >= 6);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(em_format_by_name(formats[i]->name), formats[i]);
        assert_true(strlen(formats[i]->summary) > 10);
        assert_non_null(formats[i]->read);
        char suffixes[200], path[300], *rest = suffixes;
        snprintf(suffixes, sizeof suffixes, "%s", formats[i]->suffixes);
        for (char *suffix; (suffix = strsep(&rest, " "));)
            if (*suffix) {
                snprintf(path, sizeof path, "a.b/c%s", suffix);
                assert_ptr_equal(em_format_by_suffix(path), formats[i]);
            }
    }
    assert_null(em_format_by_name("EL"));
}

static void suffixes_are_told_behind_compression_and_in_any_case(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"a.el", "el"},       {"a.EL", "el"},   {"a.wel.gz", "el"}, {"dir.csr/a.txt", "el"},
        {"a.csv.zst", "csv"}, {"a.tsv", "el"},  {"x.edges", "el"},  {"x.edgelist", "el"},
        {"x.e", "el"},        {"x.npz", "npz"}, {"x.csr", "csr"},   {".el", "el"},
        {"a", NULL},          {"a.bin", NULL},  {"a.gz", NULL},     {"dir.el/a", NULL},
        {"a.el.bak", NULL},   {"a.", NULL},     {"", NULL},         {"a.gz.gz", NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const em_format *format = em_format_by_suffix(table[i][0]);
        if (!table[i][1] ? format != NULL : !format || strcmp(format->name, table[i][1]) != 0)
            fail_msg("%s is %s", table[i][0], format ? format->name : "nothing");
    }
}

/* What is planned today may be built tomorrow: then the name, not the refusal, is what comes back. */
static void assert_format_or_not_built(em_status status, const em_format *format, const em_error *error,
                                       const char *name)
{
    char words[64];
    if (em_format_by_name(name)) {
        assert_int_equal(status, EM_OK);
        assert_string_equal(format->name, name);
        return;
    }
    snprintf(words, sizeof words, "format %s is not built yet", name);
    assert_int_equal(status, EM_USAGE);
    files_assert_says(*error, words);
}

static void input_is_told_by_content_then_suffix_then_el(void **state)
{
    (void)state;
    static const struct {
        const char *name, *content, *format, *says;
    } table[] = {
        {"a.el", "0 1\n", "el", NULL},
        {"b.csv", "0,1\n", "csv", NULL},
        {"c.bin", "0 1\n", "el", NULL},
        {"d", "0 1\n", "el", NULL},
        {"e.el", "EDGEMILL\1", "csr", NULL},
        {"f.csr", "PK\3\4", "npz", NULL},
        {"g.csr", "whatever", "csr", NULL},
        {"h.npz", "", "npz", NULL},
        {"i.el", "%%matrixmarket matrix coordinate", "mtx", NULL},
        {"j.mtx", "1 2\n", "mtx", NULL},
        {"k.gr", "p sp 1 1\n", NULL, "--from=dimacs or --from=galois"},
        {"l.adj", "", "ligra", NULL},
        {"m.graph", "3 2\n", "metis", NULL},
        {"n.txt", "% asym weighted\n", "konect", NULL},
        {"o.txt", "% a comment\n1 2\n", "el", NULL},
        {"p.sg", "", "sg", NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const em_format *format;
        em_error error = {0};
        const char *path = files_path(table[i].name);
        files_put_text(path, table[i].content);
        const em_status status = em_format_of_input(context, path, NULL, &format, &error);
        if (table[i].format) {
            assert_format_or_not_built(status, format, &error, table[i].format);
        } else {
            assert_int_equal(status, EM_USAGE);
            files_assert_says(error, table[i].says);
        }
        assert_int_equal(em_format_of_input(context, path, "u32", &format, NULL), EM_OK);
        assert_string_equal(format->name, "u32");
    }
}

static void content_is_seen_through_gzip(void **state)
{
    (void)state;
    char command[900];
    files_put_text(files_path("m.txt"), "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "%s -c '%s' > '%s' 2>/dev/null", i ? "zstd" : "gzip", files_path("m.txt"),
                 files_path("packed.el"));
        if (system(command) != 0)
            continue;
        const em_format *format;
        em_error error = {0};
        const em_status status = em_format_of_input(context, files_path("packed.el"), NULL, &format, &error);
        assert_format_or_not_built(status, format, &error, "mtx");
    }
    files_put(files_path("cut.el"), "\x1f\x8b\x08\0\0\0", 6);
    const em_format *format;
    assert_int_equal(em_format_of_input(context, files_path("cut.el"), NULL, &format, NULL), EM_OK);
}

static void a_pipe_is_not_touched(void **state)
{
    (void)state;
    const em_format *format;
    assert_int_equal(mkfifo(files_path("p.csv"), 0600), 0);
    assert_int_equal(em_format_of_input(context, files_path("p.csv"), NULL, &format, NULL), EM_OK);
    assert_string_equal(format->name, "csv");
    assert_int_equal(em_format_of_input(context, "-", NULL, &format, NULL), EM_OK);
    assert_string_equal(format->name, "el");
    assert_int_equal(em_format_of_input(context, "-", "npz", &format, NULL), EM_OK);
    assert_string_equal(format->name, "npz");
}

static void inputs_that_cannot_be_opened_are_told(void **state)
{
    (void)state;
    const em_format *format;
    em_error error = {0};
    assert_int_equal(em_format_of_input(context, files_path("none.el"), NULL, &format, &error), EM_ENVIRONMENT);
    files_assert_says(error, "none.el: open: No such file or directory");
    error = (em_error){0};
    assert_int_equal(em_format_of_input(context, files_path("."), NULL, &format, &error), EM_ENVIRONMENT);
    files_assert_says(error, "Is a directory");
}

static void names_that_are_not_built_are_told_from_unknown_ones(void **state)
{
    (void)state;
    static const char *const planned[] = {"mtx",      "dimacs", "metis",  "konect", "ligra",   "sg",  "wsg",  "galois",
                                          "graph500", "ldbc",   "parhip", "pigo",   "graphml", "gml", "pajek"};
    const em_format *format;
    for (size_t i = 0; i < sizeof planned / sizeof *planned; i++) {
        em_error error = {0};
        const em_status status = em_format_of_output("x", planned[i], &format, &error);
        if (em_format_by_name(planned[i]) && !em_format_by_name(planned[i])->write)
            files_assert_says(error, "is read, not written");
        else
            assert_format_or_not_built(status, format, &error, planned[i]);
    }
    em_error error = {0};
    assert_int_equal(em_format_of_input(context, "-", "elf", &format, &error), EM_USAGE);
    assert_string_equal(error.message, "unknown format elf; see 'edgemill formats'");
}

static void output_is_told_by_name_or_suffix_and_never_guessed(void **state)
{
    (void)state;
    static const struct {
        const char *path, *to, *format, *says;
    } table[] = {
        {"a.csr", NULL, "csr", NULL},
        {"a.tsv", NULL, "el", NULL},
        {"a.dat", "u64", "u64", NULL},
        {"-", "npz", "npz", NULL},
        {"-", NULL, NULL, "--to"},
        {"a.dat", NULL, NULL, "no format has the suffix .dat; name one with --to"},
        {"a.bin", NULL, NULL, "--to"},
        {"a", NULL, NULL, "has no suffix; name its format with --to"},
        {"a.gr", NULL, NULL, "--to=dimacs or --to=galois"},
        {"a.graphml", NULL, NULL, "graphml"},
        {"a.el.gz", NULL, NULL, "compressed output is not written"},
        {"a.gz", "el", NULL, "compressed output is not written"},
        {"a.gz", NULL, NULL, "a.gz"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const em_format *format;
        em_error error = {0};
        const em_status status = em_format_of_output(table[i].path, table[i].to, &format, &error);
        assert_int_equal(status, table[i].format ? EM_OK : EM_USAGE);
        if (table[i].format)
            assert_string_equal(format->name, table[i].format);
        else
            files_assert_says(error, table[i].says);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(every_format_has_a_name_a_summary_and_suffixes_of_its_own),
        TEST(suffixes_are_told_behind_compression_and_in_any_case),
        TEST(input_is_told_by_content_then_suffix_then_el),
        TEST(content_is_seen_through_gzip),
        TEST(a_pipe_is_not_touched),
        TEST(inputs_that_cannot_be_opened_are_told),
        TEST(names_that_are_not_built_are_told_from_unknown_ones),
        TEST(output_is_told_by_name_or_suffix_and_never_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
