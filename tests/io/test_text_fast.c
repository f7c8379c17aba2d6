/* test_text_fast - the fast loop against the careful parser: what it takes, the careful one takes alike.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support.h"

#include "io/text_fast.h"
#include "io/text_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static em_text_fast *const loops[] = {
    em_text_fast_scalar,
#if defined(__x86_64__)
    em_text_fast_avx2,
    em_text_fast_avx512,
#endif
};
static const char *const names[] = {"scalar", "avx2", "avx512"};

static size_t n_loops(void)
{
    em_context *context;
    assert_int_equal(em_context_create(NULL, &context, NULL), EM_OK);
    const size_t n = (size_t)em_context_isa(context) + 1;
    em_context_free(context);
    return n < sizeof loops / sizeof *loops ? n : sizeof loops / sizeof *loops;
}

typedef struct slack {
    char before[64], text[1024], after[64];
} slack;

/* A line out of pieces that parsers trip over. */
static size_t random_line(uint64_t *seed, char separator, char *line)
{
    static const char *const pieces[] = {"0",
                                         "1",
                                         "7",
                                         "42",
                                         "007",
                                         "99999999",
                                         "123456789",
                                         "4294967295",
                                         "4294967296",
                                         "1234567890123456",
                                         "12345678901234567",
                                         "18446744073709551616",
                                         "0.5",
                                         "3.25",
                                         "1e3",
                                         "-1",
                                         "+4",
                                         ".5",
                                         "5.",
                                         "0x1",
                                         "#",
                                         "a",
                                         "\"1\"",
                                         "1.2.3",
                                         "16777217",
                                         "9007199254740993",
                                         "0.1234567890123456",
                                         "2147483648",
                                         "\r"};
    static const char *const gaps[] = {" ", "\t", "  ", " \t ", ""};
    const char separators[] = {separator, 0}, others[] = {",;| \t"[ref_random(seed) % 5], 0};
    *line = 0;
    if (ref_random(seed) % 8 == 0)
        strcat(line, gaps[ref_random(seed) % 5]);
    const uint64_t n = 1 + ref_random(seed) % 4;
    for (uint64_t i = 0; i < n; i++) {
        if (i) {
            strcat(line, ref_random(seed) % 4 ? "" : gaps[ref_random(seed) % 5]);
            strcat(line, ref_random(seed) % 24 ? separators : others);
            strcat(line, ref_random(seed) % 4 ? "" : gaps[ref_random(seed) % 5]);
        }
        strcat(line, pieces[ref_random(seed) % (ref_random(seed) % 3 ? 7 : sizeof pieces / sizeof *pieces)]);
    }
    if (ref_random(seed) % 6 == 0)
        strcat(line, ref_random(seed) % 2 ? separators : " ");
    if (ref_random(seed) % 5 == 0)
        strcat(line, "\r");
    strcat(line, "\n");
    return strlen(line);
}

static void check_line(em_text_fast *fast, const char *name, const char *line, size_t n_bytes,
                       const em_text_layout *layout, bool wide, bool extra)
{
    static slack memory; /* slack on both sides, filled with digits to catch reads that count them */
    memset(&memory, '9', sizeof memory);
    memcpy(memory.text, line, n_bytes);
    uint64_t pairs[2 * 64], weights[64];
    em_text_batch batch = {.pairs = pairs,
                           .weights = weights,
                           .capacity = 64,
                           .base = layout->base,
                           .smallest = UINT64_MAX,
                           .weight_kind = layout->weight_kind,
                           .separator = layout->separator,
                           .wide = wide,
                           .extra = extra};
    const char *const stop = fast(memory.text, memory.text + n_bytes, &batch);
    em_text_arc arc;
    em_line_fault fault;
    const em_line_kind kind = em_text_parse_line(layout, line, line + n_bytes - 1, layout->weight_kind, &arc, &fault);
    if (batch.n_arcs == 0) {
        assert_ptr_equal(stop, memory.text);
        assert_int_equal(batch.n_extra, 0); /* the careful parser counts them */
        return;
    }
    assert_ptr_equal(stop, memory.text + n_bytes);
    assert_int_equal(batch.n_arcs, 1);
    if (layout->base && kind == EM_LINE_BAD) { /* an id below the base must stand out as the largest */
        assert_true(batch.largest_source == UINT64_MAX || batch.largest_target == UINT64_MAX);
        return;
    }
    if (kind != EM_LINE_ARC)
        fail_msg("%s took %s", name, line);
    assert_int_equal(em_id_at(pairs, wide ? 8 : 4, 0), arc.source);
    assert_int_equal(em_id_at(pairs, wide ? 8 : 4, 1), arc.target);
    assert_int_equal(batch.largest_source, arc.source);
    assert_int_equal(batch.largest_target, arc.target);
    assert_int_equal(batch.smallest, arc.source < arc.target ? arc.source : arc.target);
    assert_int_equal(batch.n_extra, arc.extra_columns);
    assert_false(arc.weight.rounded);
    if (layout->weight_kind) {
        if (arc.weight_kind != layout->weight_kind ||
            memcmp(weights, &arc.weight.value, em_weight_bytes(layout->weight_kind)) != 0)
            fail_msg("%s: weight of %s", name, line);
    }
}

static void takes_nothing_that_the_careful_parser_reads_otherwise(void **state)
{
    (void)state;
    const size_t n = n_loops();
    uint64_t seed = 11, n_lines = 0;
    for (uint32_t round = 0; round < 40000; round++) {
        const char separator = " ,;\t|"[ref_random(&seed) % 5];
        const em_weight_kind kind = (em_weight_kind)(ref_random(&seed) % 5);
        const em_text_layout layout = {.separator = separator,
                                       .plain = true,
                                       .weights_auto = kind == EM_WEIGHT_I64 && round & 1,
                                       .source_column = 1,
                                       .target_column = 2,
                                       .weight_column = kind ? 3 : 0,
                                       .weight_kind = kind,
                                       .base = round & 4 ? 1 : 0,
                                       .id_limit = INT64_MAX,
                                       .id_limit_origin = "test"};
        char line[512];
        const size_t n_bytes = random_line(&seed, separator, line);
        for (size_t i = 0; i < n; i++)
            for (uint32_t way = 0; way < 4; way++)
                check_line(loops[i], names[i], line, n_bytes, &layout, way & 1, way & 2);
        n_lines++;
    }
    assert_int_equal(n_lines, 40000);
}

/* Many lines at once must give what each gives alone; windows and their edges are hit in every way. */
static void windows_hide_no_line(void **state)
{
    (void)state;
    const size_t n = n_loops();
    uint64_t seed = 5;
    static slack memory;
    for (uint32_t round = 0; round < 4000; round++) {
        const em_weight_kind kind = round & 1 ? EM_WEIGHT_F64 : EM_WEIGHT_NONE;
        const bool extra = round & 2;
        memset(&memory, '1', sizeof memory);
        char *at = memory.text;
        double weights[40];
        uint32_t ids[80], n_arcs = 0;
        while (at < memory.text + 900 && n_arcs < 30) {
            const uint32_t u = (uint32_t)(ref_random(&seed) >> (32 + ref_random(&seed) % 32)),
                           v = (uint32_t)(ref_random(&seed) >> (32 + ref_random(&seed) % 32));
            const uint32_t tenths = (uint32_t)(ref_random(&seed) % 10000);
            at +=
                sprintf(at, "%*s%u%*s%u", (int)(ref_random(&seed) % 3), "", u, 1 + (int)(ref_random(&seed) % 3), "", v);
            if (kind)
                at += sprintf(at, " %u.%u", tenths / 10, tenths % 10);
            if (extra && ref_random(&seed) % 2)
                at += sprintf(at, " %s", ref_random(&seed) % 2 ? "77 x.y" : "2020-01-01");
            at += sprintf(at, ref_random(&seed) % 4 ? "\n" : "\r\n");
            weights[n_arcs] = tenths / 10.0;
            ids[2 * n_arcs] = u;
            ids[2 * n_arcs + 1] = v;
            n_arcs++;
        }
        for (size_t i = 0; i < n; i++) {
            uint32_t pairs[128];
            double found[64];
            em_text_batch batch = {.pairs = pairs,
                                   .weights = found,
                                   .capacity = 64,
                                   .smallest = UINT64_MAX,
                                   .weight_kind = kind,
                                   .separator = ' ',
                                   .extra = extra};
            assert_ptr_equal(loops[i](memory.text, at, &batch), at);
            assert_int_equal(batch.n_arcs, n_arcs);
            assert_memory_equal(pairs, ids, n_arcs * 8);
            if (kind)
                assert_memory_equal(found, weights, n_arcs * 8);
        }
    }
}

static void leaves_room_for_a_whole_window(void **state)
{
    (void)state;
    static slack memory;
    for (size_t i = 0; i + 4 < sizeof memory.text; i += 4)
        memcpy(memory.text + i, "0 1\n", 4);
    for (size_t i = 0; i < n_loops(); i++) {
        uint32_t pairs[2 * 40];
        em_text_batch batch = {.pairs = pairs, .capacity = 40, .smallest = UINT64_MAX, .separator = ' '};
        loops[i](memory.text, memory.text + 1000, &batch);
        assert_in_range(batch.n_arcs, 40 - EM_FAST_ROOM + 1, 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_nothing_that_the_careful_parser_reads_otherwise),
        cmocka_unit_test(windows_hide_no_line),
        cmocka_unit_test(leaves_room_for_a_whole_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
