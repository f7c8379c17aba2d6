/* test_registry - stages that a program registers: what is refused, who sees them, and what memory they take.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include "stages/options.h"

#include <stdio.h>
#include <string.h>

static em_status run_nothing(em_run *run, const void *options, em_graph *graph, em_error *error)
{
    (void)run;
    (void)options;
    (void)graph;
    (void)error;
    return EM_OK;
}

static em_stage good_stage(const char *name)
{
    return (em_stage){.abi = EM_STAGE_ABI,
                      .name = name,
                      .summary = "does nothing",
                      .usage = name,
                      .forms = {{.takes = EM_HAS_EDGES, .keeps = UINT64_MAX}},
                      .layouts = EM_FLAT,
                      .parse = em_parse_nothing,
                      .free_options = em_free_nothing,
                      .run = {run_nothing, run_nothing, NULL}};
}

static em_context *open_context(const em_knobs *knobs)
{
    em_context *context = NULL;
    const em_context_options options = {.n_threads = 2, .knobs = knobs ? *knobs : (em_knobs){0}};
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

static void a_registered_stage_is_known_to_its_context_alone(void **state)
{
    (void)state;
    em_context *const one = open_context(NULL), *const other = open_context(NULL);
    const em_stage first = good_stage("first-of-mine"), second = good_stage("second_of_mine2");
    size_t n = 0;
    while (em_stage_at(NULL, n))
        n++;
    assert_int_equal(em_stage_register(one, &first, NULL), EM_OK);
    assert_int_equal(em_stage_register(one, &second, NULL), EM_OK);
    assert_ptr_equal(em_stage_by_name(one, "first-of-mine"), &first);
    assert_ptr_equal(em_stage_at(one, n), &first);
    assert_ptr_equal(em_stage_at(one, n + 1), &second);
    assert_null(em_stage_at(one, n + 2));
    assert_null(em_stage_by_name(other, "first-of-mine"));
    assert_null(em_stage_at(other, n));
    assert_int_equal(em_stage_register(other, &first, NULL), EM_OK);
    em_context_free(one);
    em_context_free(other);
}

static void refuses_what_is_no_stage(void **state)
{
    (void)state;
    em_context *const context = open_context(NULL);
    struct {
        em_stage stage;
        const char *says;
    } rows[16];
    size_t n = 0;
#define ROW(change, words)                                                                                             \
    do {                                                                                                               \
        em_stage stage = good_stage("mine");                                                                           \
        change;                                                                                                        \
        rows[n].stage = stage;                                                                                         \
        rows[n++].says = words;                                                                                        \
    } while (0)
    ROW(stage.abi = EM_STAGE_ABI - 1, "abi");
    ROW(stage.abi = EM_STAGE_ABI + 1, "abi");
    ROW(stage.name = NULL, "cannot be called ''");
    ROW(stage.name = "", "cannot be called ''");
    ROW(stage.name = "two words", "cannot be called 'two words'");
    ROW(stage.name = "-mine", "cannot be called '-mine'");
    ROW(stage.name = "mine|yours", "cannot be called");
    ROW(stage.name = "a-name-that-no-tally-has-room-for", "cannot be called");
    ROW(stage.name = "load", "there is a stage 'load' already");
    ROW(stage.name = "csr", "there is a stage 'csr' already");
    ROW(stage.parse = NULL, "lacks");
    ROW(stage.free_options = NULL, "lacks");
    ROW(stage.summary = NULL, "lacks");
    ROW(stage.usage = NULL, "lacks");
    ROW(stage.run[EM_ENGINE_SERIAL] = NULL, "lacks");
    ROW(stage.run[EM_ENGINE_OPENMP] = NULL, "lacks");
#undef ROW
    for (size_t i = 0; i < n; i++) {
        em_error error = {0};
        if (em_stage_register(context, &rows[i].stage, &error) != EM_USAGE || !strstr(error.message, rows[i].says))
            fail_msg("row %zu: \"%s\" does not say \"%s\"", i, error.message, rows[i].says);
    }
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

static void a_name_is_taken_once(void **state)
{
    (void)state;
    em_context *const context = open_context(NULL);
    const em_stage first = good_stage("mine"), second = good_stage("mine");
    em_error error = {0};
    assert_int_equal(em_stage_register(context, &first, NULL), EM_OK);
    assert_int_equal(em_stage_register(context, &second, &error), EM_USAGE);
    assert_string_equal(error.message, "there is a stage 'mine' already");
    em_context_free(context);
}

static void without_memory_the_stages_stay(void **state)
{
    (void)state;
    em_context *const context = open_context(&(em_knobs){.fail_allocation = 2});
    const em_stage first = good_stage("first"), second = good_stage("second");
    assert_int_equal(em_stage_register(context, &first, NULL), EM_OK);
    assert_int_equal(em_stage_register(context, &second, NULL), EM_NO_MEMORY);
    assert_ptr_equal(em_stage_by_name(context, "first"), &first);
    assert_null(em_stage_by_name(context, "second"));
    em_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_registered_stage_is_known_to_its_context_alone),
        cmocka_unit_test(refuses_what_is_no_stage),
        cmocka_unit_test(a_name_is_taken_once),
        cmocka_unit_test(without_memory_the_stages_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
