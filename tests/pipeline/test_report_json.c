/* test_report_json - the report and the profile as JSON, read back by a JSON parser.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/edgemill-json-XXXXXX", path[sizeof folder + 16];
static em_context *context;

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/it.json", folder);
    return em_context_create(NULL, &context, NULL) == EM_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    em_context_free(context);
    unlink(path);
    return rmdir(folder);
}

static json_t *at(json_t *value, const char *first, const char *second)
{
    value = json_object_get(value, first);
    return second ? json_object_get(value, second) : value;
}

static json_t *read_report(const em_report *report)
{
    em_output *output = NULL;
    assert_int_equal(em_output_open(context, path, &output, NULL), EM_OK);
    assert_int_equal(em_report_json(report, output, NULL), EM_OK);
    assert_int_equal(em_output_commit(output, NULL), EM_OK);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    return root;
}

static void numbers_come_back_exact(void **state)
{
    (void)state;
    const char *input = "a.el";
    const em_csr csr = {.n_vertices = UINT64_C(1) << 40,
                        .n_arcs = (UINT64_C(1) << 53) + 1,
                        .id_bytes = 8,
                        .weight_kind = EM_WEIGHT_F32,
                        .facts = EM_SORTED | EM_NO_LOOPS};
    const em_csr_summary summary = {.largest_degree = 12, .sorted = true, .arc_checksum = UINT64_C(0xFEDCBA9876543210)};
    em_read_report read = {.n_arcs = csr.n_arcs, .largest_id = 77, .n_skipped_lines = 1, .n_skipped_kept = 1};
    read.skipped[0] = (em_skipped_line){.line = 9, .path = "a.el", .why = "no \"number\"\t"};
    read.n_notes = 1;
    snprintf(read.notes[0], sizeof read.notes[0], "a note");
    const em_report report = {
        .inputs = &input, .n_inputs = 1, .output = "a.csr", .read = &read, .csr = &csr, .summary = &summary};
    json_t *root = read_report(&report);
    assert_int_equal(json_integer_value(at(root, "graph", "arcs")), (UINT64_C(1) << 53) + 1);
    assert_int_equal(json_integer_value(at(root, "graph", "vertices")), UINT64_C(1) << 40);
    assert_string_equal(json_string_value(at(root, "graph", "arc_checksum")), "fedcba9876543210");
    assert_string_equal(json_string_value(at(root, "graph", "weights")), "f32");
    assert_int_equal(json_array_size(at(root, "graph", "flags")), 2);
    assert_true(json_is_true(at(root, "graph", "structure_symmetric")));
    assert_int_equal(json_integer_value(at(root, "read", "largest_id")), 77);
    json_t *skipped = json_array_get(at(root, "read", "first_skipped"), 0);
    assert_int_equal(json_integer_value(at(skipped, "line", NULL)), 9);
    assert_string_equal(json_string_value(at(skipped, "why", NULL)), "no \"number\"\t");
    assert_string_equal(json_string_value(json_array_get(at(root, "notes", NULL), 0)), "a note");
    assert_string_equal(json_string_value(json_array_get(at(root, "inputs", NULL), 0)), "a.el");
    assert_true(json_is_null(at(root, "verified", NULL)));
    json_decref(root);
}

static void a_path_that_is_not_utf8_stays_readable(void **state)
{
    (void)state;
    const char *inputs[] = {"r\xc3\xa9seau.el", "r\xe9seau.el"};
    json_t *root = read_report(&(em_report){.inputs = inputs, .n_inputs = 2});
    assert_string_equal(json_string_value(json_array_get(at(root, "inputs", NULL), 0)), inputs[0]);
    assert_string_equal(json_string_value(json_array_get(at(root, "inputs", NULL), 1)), "r?seau.el");
    json_decref(root);
}

static void the_profile_holds_what_the_table_shows(void **state)
{
    (void)state;
    em_profile profile = {
        .n_rows = 2, .wall_ns = 7, .cpu_ns = 8, .peak_bytes = 9, .resident_bytes = 10, .n_threads = 3};
    profile.rows[0] = (em_profile_row){{"load", 2000000000, 3, 4000, 8000000000}, false, 11};
    profile.rows[1] = (em_profile_row){{"parse", 0, 0, 0, 0}, true, 0};
    em_output *output = NULL;
    assert_int_equal(em_output_open(context, path, &output, NULL), EM_OK);
    assert_int_equal(em_profile_json(&profile, 16e9, output, NULL), EM_OK);
    assert_int_equal(em_output_commit(output, NULL), EM_OK);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    json_t *row = json_array_get(at(root, "stages", NULL), 0);
    assert_string_equal(json_string_value(at(row, "name", NULL)), "load");
    assert_int_equal(json_integer_value(at(row, "moved_bytes", NULL)), 8000000000);
    assert_true(json_real_value(at(row, "bytes_per_second", NULL)) == 4e9);
    assert_true(json_real_value(at(row, "share_of_copy", NULL)) == 0.25);
    assert_int_equal(json_array_size(at(root, "stages", NULL)), 2);
    assert_int_equal(json_integer_value(at(root, "peak_resident_bytes", NULL)), 10);
    json_decref(root);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    em_output *output = NULL;
    em_error error = {0};
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(em_output_open(context, "/dev/full", &output, &error), EM_OK);
    em_status status = em_report_json(&(em_report){0}, output, &error);
    if (status == EM_OK)
        status = em_output_commit(output, &error);
    else
        em_output_drop(output);
    assert_int_equal(status, EM_ENVIRONMENT);
    assert_non_null(strstr(error.message, "/dev/full"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back_exact),
        cmocka_unit_test(a_path_that_is_not_utf8_stays_readable),
        cmocka_unit_test(the_profile_holds_what_the_table_shows),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
