/* test_spec - pipelines as text: words, quotes, places of errors, and the text that a chain gives back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"
#include "stages/load.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

typedef struct fixture {
    em_context *context;
    em_pipeline *pipeline;
    em_error error;
} fixture;

static void begin(fixture *made, const em_knobs *knobs)
{
    const em_context_options options = {.n_threads = 1, .knobs = knobs ? *knobs : (em_knobs){0}};
    *made = (fixture){0};
    assert_int_equal(em_context_create(&options, &made->context, NULL), EM_OK);
    const em_status status = em_pipeline_create(made->context, &made->pipeline, NULL);
    assert_true(status == EM_OK || (knobs && knobs->fail_allocation == 1));
}

static void end(fixture *made)
{
    em_pipeline_free(made->pipeline);
    assert_int_equal(em_context_memory(made->context).current_bytes, 0);
    em_context_free(made->context);
}

/* The words of all stages, each in <>, stages separated by a bar. */
static const char *shown(const em_pipeline *pipeline)
{
    static char text[4096];
    size_t n = 0;
    *text = 0;
    for (uint32_t i = 0; i < pipeline->n_links; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s", i ? "|" : "");
        for (char **word = pipeline->links[i].words; *word; word++)
            n += (size_t)snprintf(text + n, sizeof text - n, "<%s>", *word);
    }
    return text;
}

static void takes_words_quotes_and_comments_apart(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *shown;
    } rows[] = {
        {"load a", "<load><a>"},
        {"load a|sort", "<load><a>|<sort>"},
        {" \t\nload\ta \r\n | \n sort \n", "<load><a>|<sort>"},
        {"load 'a b' \"c d\"", "<load><a b><c d>"},
        {"load a' 'b\" \"c", "<load><a b c>"},
        {"load '' \"\"", "<load><><>"},
        {"load a\\ b \\| \\# \\' \\\" \\\\", "<load><a b><|><#><'><\"><\\>"},
        {"load 'a\\b' \"\\\\ \\\" \\t\"", "<load><a\\b><\\ \" \\t>"},
        {"load '\"' \"'\"", "<load><\"><'>"},
        {"load 'a||b' \"c|d\"", "<load><a||b><c|d>"},
        {"load a # words | sort\n b", "<load><a><b>"},
        {"# first\nload a # more\n| sort #end", "<load><a>|<sort>"},
        {"load a#b '#' \"#c\"", "<load><a#b><#><#c>"},
        {"load a\\\nb", "<load><ab>"},
        {"load a \\\n b", "<load><a><b>"},
        {"load a | csr | save b.csr", "<load><a>|<degrees>|<offsets>|<scatter>|<save><b.csr>"},
        {"csr|csr", "<degrees>|<offsets>|<scatter>|<degrees>|<offsets>|<scatter>"},
        {"load gr\xC3\xBC\xC3\x9F"
         "e.el",
         "<load><gr\xC3\xBC\xC3\x9F"
         "e.el>"},
        {"load a&&b <c >d (e)", "<load><a&&b><<c><>d><(e)>"},
        {"'load' a", "<load><a>"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture made;
        begin(&made, NULL);
        assert_int_equal(em_pipeline_add_spec(made.pipeline, rows[i].spec, &made.error), EM_OK);
        assert_string_equal(shown(made.pipeline), rows[i].shown);
        end(&made);
    }
}

/* Nothing is added, and the message begins so. */
static void check_refused(const char *spec, const char *says)
{
    fixture made;
    begin(&made, NULL);
    assert_int_equal(em_pipeline_add_spec(made.pipeline, spec, &made.error), EM_USAGE);
    if (strncmp(made.error.message, says, strlen(says)) != 0)
        fail_msg("%s\n  says \"%s\", wanted \"%s\"", spec, made.error.message, says);
    assert_int_equal(made.pipeline->n_links, 0);
    assert_null(made.error.at);
    end(&made);
}

static void errors_name_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *says;
    } rows[] = {
        {"", "an empty pipeline"},
        {" \n # nothing\n", "an empty pipeline"},
        {"|", "column 1: an empty stage in front of this |"},
        {"load a |", "column 8: an empty stage behind this |"},
        {"load a | # none", "column 8: an empty stage behind this |"},
        {"load a | | sort", "column 10: an empty stage in front of this |"},
        {"load a || sort", "column 8: an empty stage between | and |; an expression with || stands in quotes"},
        {"load a | sort |\n|sort", "line 2, column 1: an empty stage in front of this |"},
        {"load 'a", "column 6: this ' is not closed"},
        {"load a\"b | sort", "column 7: this \" is not closed"},
        {"load a |\n\n  load 'x\ny", "line 3, column 8: this ' is not closed"},
        {"load a\\", "column 7: a backslash at the end"},
        {"load --separator=\\t a", "column 18: a backslash in front of a letter or digit"},
        {"load a | srot", "column 10: no stage is called 'srot'; did you mean 'sort'?"},
        {"load a | csrs", "column 10: no stage is called 'csrs'; did you mean 'csr'?"},
        {"load a | frobnicate", "column 10: no stage is called 'frobnicate'; 'edgemill stages' lists those there are"},
        {"load a |\nsort |\n  degrees x", "line 3, column 11: degrees takes no options: 'x'"},
        {"load a | csr now", "column 14: csr is short for degrees | offsets | scatter, and takes no options"},
        {"load", "column 1: load: no input"},
        {"load \xC3\xBC\xC3\xBC | xyzzy", "column 11: no stage is called 'xyzzy'"},
        {"load a\t|\txyzzy", "column 10: no stage"},
        {"load a | xyzzy\n", "column 10: no stage"},
        {"load a | ''", "column 10: no stage is called ''"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_refused(rows[i].spec, rows[i].says);
}

/* Of an option the whole word is named, of an operand the letter. */
static void errors_about_a_word_name_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *says;
    } rows[] = {
        {"load a --base=7", "column 8: --base=7: wanted a whole number from 0 to 1"},
        {"load a --base 7", "column 15: --base=7: wanted"},
        {"load --base=0 a --base 1", "column 17: load: --base is given twice: 0 and 1"},
        {"load --foo a", "column 6: load: unknown option '--foo'"},
        {"load --checksum=1 a", "column 6: load: --checksum takes no value"},
        {"load a --from", "column 8: --from needs a value: --from=VALUE"},
        {"load --from= a", "column 6: --from needs a value"},
        {"load a --from ''", "column 15: --from needs a value"},
        {"load \"a b\"   '--foo'", "column 14: load: unknown option '--foo'"},
        {"load \xC3\xBC --foo", "column 8: load: unknown option"},
        {"load a \\\n --foo", "line 2, column 2: load: unknown option"},
        {"load a --from=xx", "column 8: unknown format xx"},
        {"load a --ids=string --base=1", "column 21: --ids=string excludes --base"},
        {"load a --separator 'ab'", "column 20: --separator=ab: wanted one character"},
        {"load a --separator=5", "column 8: --separator=5: digits"},
        {"load a --weights=u8", "column 8: --weights=u8: wanted one of"},
        {"load a | dedup most", "column 16: dedup most: wanted one of"},
        {"load a | dedup --policy=most", "column 16: dedup: --policy=most: wanted one of"},
        {"load a | dedup --policy=sum max", "column 29: dedup takes one policy"},
        {"load a | dedup min max", "column 20: dedup: one POLICY, not 'min' and 'max'"},
        {"load a | head", "column 10: head needs N"},
        {"load a | head -- -3", "column 18: head -3: wanted"},
        {"load a | sample 2", "column 17: sample 2: wanted a probability"},
        {"load a | sample 0.5:x", "column 21: sample: SEED x: wanted"},
        {"load a | relabel random:x", "column 25: relabel random: SEED x: wanted"},
        {"load a | relabel --start=2 rcm", "column 18: relabel: --start is where bfs begins"},
        {"load a | relabel bfs --start -1", "column 30: --start=-1: wanted"},
        {"load a | among x --base 2", "column 25: --base=2: wanted"},
        {"load a | symmetrize --equal-weights x", "column 37: symmetrize takes no operand: 'x'"},
        {"load a | filter src < zed", "column 23: filter: column 7: 'zed' is unknown"},
        {"load a | filter 'src < zed'", "column 24: filter: column 7: 'zed' is unknown"},
        {"load a | filter 'src <\n zed'", "line 2, column 2: filter: column 8: 'zed' is unknown"},
        {"load a | filter 'src <'", "column 24: filter: column 6: the expression ends"},
        {"load a | filter ''", "column 17: filter: an empty expression"},
        {"load a | filter", "column 10: filter: an empty expression"},
        {"load a | csr | save --to=zzz x", "column 21: unknown format zzz"},
        {"load a | csr | save --to zzz x", "column 26: unknown format zzz"},
        {"load a | csr | save x.zz", "column 21: x.zz: no format has the suffix .zz"},
        {"load a | csr | save x.csr y.csr", "column 27: save: one FILE, not"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_refused(rows[i].spec, rows[i].says);
    fixture made;
    begin(&made, NULL);
    assert_int_equal(em_pipeline_add_spec_from(made.pipeline, "load a | csr |\n save --edge-ids=e x.csr", "f", NULL),
                     EM_OK);
    assert_int_equal(em_pipeline_check(made.pipeline, &made.error), EM_USAGE);
    assert_string_equal(made.error.message, "f:2:7: save: --edge-ids needs positions, which the stage positions gives");
    end(&made);
}

static void words_that_come_by_no_text_have_no_place(void **state)
{
    (void)state;
    fixture made;
    char *words[] = {(char *)"load", (char *)"a", (char *)"--base=7"};
    begin(&made, NULL);
    assert_int_equal(em_pipeline_add(made.pipeline, 3, words, &made.error), EM_USAGE);
    assert_string_equal(made.error.message, "--base=7: wanted a whole number from 0 to 1");
    end(&made);
}

static void values_stand_behind_an_equals_sign_or_apart(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"load a --base=1 --from=el --weights=f64 --vertices=3",
         "load --base 1 --from el a --weights f64 --vertices 3"},
        {"load a --separator=tab --comment=%", "load --separator tab a --comment %"},
        {"load a | csr | save --to=npz x --map=m", "load a | csr | save --to npz --map m x"},
        {"load a | relabel --start=3 bfs", "load a | relabel bfs --start 3"},
        {"load a | among --base=1 x", "load a | among --base 1 x"},
        {"load a | sort | dedup --policy=sum", "load a | sort | dedup --policy sum"},
        {"load --header=2 a", "load a --header=2"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[256];
        fixture made[3];
        for (int k = 0; k < 2; k++) {
            begin(&made[k], NULL);
            if (em_pipeline_add_spec(made[k].pipeline, pairs[i][k], &made[k].error) != EM_OK)
                fail_msg("%s: %s", pairs[i][k], made[k].error.message);
        }
        em_pipeline_spec(made[1].pipeline, text, sizeof text);
        begin(&made[2], NULL);
        assert_int_equal(em_pipeline_add_spec(made[2].pipeline, text, NULL), EM_OK);
        const em_load_options *const one = made[0].pipeline->links[0].options, *const other =
                                                                                   made[2].pipeline->links[0].options;
        assert_int_equal(one->read.n_paths, 1);
        assert_int_equal(other->read.n_paths, 1);
        assert_string_equal(one->read.paths[0], other->read.paths[0]);
        assert_int_equal(one->read.base, other->read.base);
        assert_int_equal(one->read.weights, other->read.weights);
        assert_int_equal(one->read.separator, other->read.separator);
        assert_int_equal(one->read.comment, other->read.comment);
        assert_int_equal(one->read.n_vertices, other->read.n_vertices);
        assert_int_equal(one->read.header_lines, other->read.header_lines);
        assert_true(!one->read.from == !other->read.from);
        for (int k = 0; k < 3; k++)
            end(&made[k]);
    }
}

static void a_byte_order_mark_is_no_character(void **state)
{
    (void)state;
    fixture made;
    begin(&made, NULL);
    assert_int_equal(em_pipeline_add_spec(made.pipeline, "\xEF\xBB\xBFload a | sort", NULL), EM_OK);
    assert_string_equal(shown(made.pipeline), "<load><a>|<sort>");
    assert_int_equal(em_pipeline_add_spec_from(made.pipeline, "\xEF\xBB\xBFsort x", "f.em", &made.error), EM_USAGE);
    assert_string_equal(made.error.message, "f.em:1:6: sort takes no options: 'x'");
    end(&made);
}

static void errors_of_a_file_name_it(void **state)
{
    (void)state;
    fixture made;
    begin(&made, NULL);
    assert_int_equal(em_pipeline_add_spec_from(made.pipeline, "load a |\n  srot", "clean.em", &made.error), EM_USAGE);
    assert_string_equal(made.error.message, "clean.em:2:3: no stage is called 'srot'; did you mean 'sort'?");
    made.error = (em_error){0};
    char origin[] = "clean.em"; /* the chain keeps a copy */
    assert_int_equal(em_pipeline_add_spec_from(made.pipeline, "load a |\n  scatter", origin, &made.error), EM_OK);
    memset(origin, 'x', sizeof origin - 1);
    assert_int_equal(em_pipeline_check(made.pipeline, &made.error), EM_USAGE);
    assert_string_equal(made.error.message,
                        "clean.em:2:3: scatter needs offsets, which offsets gives; no stage in front of it does");
    end(&made);
}

static void a_text_that_fails_adds_nothing(void **state)
{
    (void)state;
    fixture made;
    begin(&made, NULL);
    assert_int_equal(em_pipeline_add_spec(made.pipeline, "load a | csr", NULL), EM_OK);
    assert_int_equal(em_pipeline_add_spec(made.pipeline, "sort | srot", NULL), EM_USAGE);
    assert_string_equal(shown(made.pipeline), "<load><a>|<degrees>|<offsets>|<scatter>");
    assert_int_equal(em_pipeline_add_spec(made.pipeline, "sort | save b.csr", NULL), EM_OK);
    assert_string_equal(shown(made.pipeline), "<load><a>|<degrees>|<offsets>|<scatter>|<sort>|<save><b.csr>");
    end(&made);
}

static void a_chain_has_at_most_so_many_stages(void **state)
{
    (void)state;
    fixture made;
    char spec[1024] = "load a";
    begin(&made, NULL);
    for (int i = 1; i < EM_LINKS; i++)
        strcat(spec, "|sort");
    assert_int_equal(em_pipeline_add_spec(made.pipeline, spec, &made.error), EM_OK);
    assert_int_equal(em_pipeline_add_spec(made.pipeline, "sort", &made.error), EM_USAGE);
    assert_non_null(strstr(made.error.message, "at most 64 stages"));
    end(&made);
}

static void check_says_what_is_missing_and_who_used_it(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *says;
    } rows[] = {
        {"degrees", "column 1: degrees needs a coordinate list, which load gives; and it is the first stage"},
        {"load x | offsets", "column 10: offsets needs degrees, which degrees gives; no stage in front of it does"},
        {"load x | scatter", "column 10: scatter needs offsets, which offsets gives; no stage in front"},
        {"load x | save y.csr", "column 10: save needs a CSR, which scatter gives (csr is short for degrees | offsets "
                                "| scatter); no stage in front"},
        {"load x | csr | drop-loops",
         "column 16: drop-loops needs a coordinate list, which load gives; scatter at column "
         "10 uses up what there was"},
        {"load x |\ncsr |\n degrees", "line 3, column 2: degrees needs a coordinate list, which load gives; scatter at "
                                      "line 2, column 1 uses up what there was"},
        {"load x | load y", "column 10: load would throw away what the stages in front of it made"},
        {"load x | csr | load y", "column 16: load would throw away"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture made;
        begin(&made, NULL);
        assert_int_equal(em_pipeline_add_spec(made.pipeline, rows[i].spec, &made.error), EM_OK);
        assert_int_equal(em_pipeline_check(made.pipeline, &made.error), EM_USAGE);
        if (strncmp(made.error.message, rows[i].says, strlen(rows[i].says)) != 0)
            fail_msg("%s\n  says \"%s\", wanted \"%s\"", rows[i].spec, made.error.message, rows[i].says);
        end(&made);
    }
    static const char *const fine[] = {"load x", "load x | csr", "load x | csr | save a.csr | save b.npz",
                                       "load x | csr | save a.csr | sort | save b.csr", "load x | drop-loops"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        fixture made;
        begin(&made, NULL);
        assert_int_equal(em_pipeline_add_spec(made.pipeline, fine[i], &made.error), EM_OK);
        assert_int_equal(em_pipeline_check(made.pipeline, &made.error), EM_OK);
        end(&made);
    }
}

/* --- round trips -------------------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static void random_word(uint64_t *seed, char *word)
{
    static const char letters[] = "ab7 \t\n'\"\\|#-=&<>()\xC3\xBC*$`!;,.:";
    const uint64_t n = next_random(seed) % 9;
    for (uint64_t i = 0; i < n; i++)
        word[i] = letters[next_random(seed) % (sizeof letters - 1)];
    word[n] = 0;
}

static void what_a_chain_gives_back_reads_the_same(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 2000; round++) {
        fixture made, again;
        char words[16][16], first[4096], text[4096], cut[32];
        begin(&made, NULL);
        begin(&again, NULL);
        for (uint64_t stages = 1 + next_random(&seed) % 4; stages; stages--) {
            char *argv[20] = {(char *)"load", (char *)"--"};
            int argc = 2;
            for (uint64_t n = 1 + next_random(&seed) % 4; n; n--) {
                random_word(&seed, words[argc]);
                argv[argc] = words[argc];
                argc++;
            }
            if (next_random(&seed) % 3 == 0)
                argc = 1;
            argv[0] = (char *)(argc == 1 ? "sort" : "load");
            assert_int_equal(em_pipeline_add(made.pipeline, argc, argv, &made.error), EM_OK);
        }
        snprintf(first, sizeof first, "%s", shown(made.pipeline));
        const uint64_t length = em_pipeline_spec(made.pipeline, text, sizeof text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(em_pipeline_spec(made.pipeline, cut, sizeof cut), length);
        assert_int_equal(strncmp(cut, text, sizeof cut - 1), 0);
        assert_int_equal(em_pipeline_spec(made.pipeline, NULL, 0), length);
        if (em_pipeline_add_spec(again.pipeline, text, &again.error) != EM_OK)
            fail_msg("%s\n  %s", text, again.error.message);
        assert_string_equal(shown(again.pipeline), first);
        end(&made);
        end(&again);
    }
}

static void any_text_is_taken_or_refused(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 20000; round++) {
        static const char letters[] = "load sort csr x'\"\\|#\n \t";
        char text[40];
        const uint64_t n = next_random(&seed) % (sizeof text - 1);
        for (uint64_t i = 0; i < n; i++)
            text[i] = letters[next_random(&seed) % (sizeof letters - 1)];
        text[n] = 0;
        fixture made;
        begin(&made, NULL);
        const em_status status = em_pipeline_add_spec(made.pipeline, text, &made.error);
        assert_true(status == EM_OK || status == EM_USAGE);
        assert_true((status == EM_OK) == (made.pipeline->n_links > 0));
        assert_true(status == EM_OK || made.error.message[0]);
        end(&made);
    }
}

static void a_failed_allocation_leaves_nothing(void **state)
{
    (void)state;
    em_status status = EM_NO_MEMORY;
    for (uint64_t i = 1; status != EM_OK; i++) {
        fixture made;
        begin(&made, &(em_knobs){.fail_allocation = i});
        assert_true(i < 100);
        if (made.pipeline) {
            status = em_pipeline_add_spec_from(made.pipeline, "load 'a b' | csr | sort | save x.csr", "f", &made.error);
            assert_true(status == EM_OK || (status == EM_NO_MEMORY && made.pipeline->n_links == 0));
        }
        end(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_words_quotes_and_comments_apart),
        cmocka_unit_test(errors_name_line_and_column),
        cmocka_unit_test(errors_about_a_word_name_its_place),
        cmocka_unit_test(words_that_come_by_no_text_have_no_place),
        cmocka_unit_test(values_stand_behind_an_equals_sign_or_apart),
        cmocka_unit_test(a_byte_order_mark_is_no_character),
        cmocka_unit_test(errors_of_a_file_name_it),
        cmocka_unit_test(a_text_that_fails_adds_nothing),
        cmocka_unit_test(a_chain_has_at_most_so_many_stages),
        cmocka_unit_test(check_says_what_is_missing_and_who_used_it),
        cmocka_unit_test(what_a_chain_gives_back_reads_the_same),
        cmocka_unit_test(any_text_is_taken_or_refused),
        cmocka_unit_test(a_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
