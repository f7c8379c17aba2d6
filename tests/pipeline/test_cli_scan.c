/* test_cli_scan - the command scan as a person meets it: results, tables, pictures, and what it says of bad numbers.
 *
 * The program is the one of the same build: build/VARIANT/edgemill, two folders above this test.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/edgemill-cli-scan-XXXXXX";

/* All that is said; $S is "edgemill scan". */
static void expect(const char *line, const char *says)
{
    const support_said *got = support_shell(line);
    if (got->status != 0 || strcmp(got->said, says) != 0)
        fail_msg("%s\n  ended with %d\n  said: %s\n  wanted: %s", line, got->status, got->said, says);
}

static int set_up(void **state)
{
    (void)state;
    setenv("LC_ALL", "C", 1);
    return support_program_begin(folder, "S", " scan");
}

static int tear_down(void **state)
{
    (void)state;
    return support_program_end(folder);
}

/* --- results ---------------------------------------------------------------------------------------------------- */

static void prints_one_result_a_line(void **state)
{
    (void)state;
    expect("$S 3 1 7 0", "3\n4\n11\n11\n");
    expect("$S --exclusive 3 1 7 0", "0\n3\n4\n11\n");
    expect("$S --exclusive --initial=100 3 1 7 0", "100\n103\n104\n111\n");
    expect("$S --initial -100 3 1 7 0", "-97\n-96\n-89\n-89\n");
    expect("$S --op=max 3 1 7 0", "3\n3\n7\n7\n");
    expect("$S --op=product --type=u32 65536 65536", "65536\n0\n");
    expect("$S --input=/dev/null", "");
    expect("$S --count=4", "0\n1\n3\n6\n");
}

static void negative_numbers_are_operands(void **state)
{
    (void)state;
    expect("$S -3 --op=min -- -5 7", "-3\n-5\n-5\n");
    expect("$S -.5 -1e1", "-0.5\n-10.5\n");
    expect("$S -9223372036854775808", "-9223372036854775808\n");
}

static void texts_may_be_separated_by_anything_usual(void **state)
{
    (void)state;
    expect("printf '1 2\\n3,4 , 5\\t6\\r\\n\\n7,' | $S -", "1\n3\n6\n10\n15\n21\n28\n");
    expect("printf '\\357\\273\\2771 2' > bom.txt; $S --input bom.txt", "1\n3\n");
    expect("$S 1, '2 3' 4", "1\n3\n6\n10\n");
    expect("printf 5 | $S --input=-", "5\n");
    expect("seq 100000 | $S - | tail -n 1", "5000050000\n");
}

static void the_type_follows_from_numbers_and_operator(void **state)
{
    (void)state;
    expect("$S 1 2.5", "1.0\n3.5\n");
    expect("$S 0.1 0.2 --type=f32", "0.1\n0.3\n");
    expect("$S 0.1 0.2", "0.1\n0.30000000000000004\n");
    expect("$S --initial=.5 1", "1.5\n");
    expect("$S --op=log-sum-exp 0", "0.0\n");
    expect("$S --op=wide-sum --type=u32 4294967295 1", "4294967295\n4294967296\n");
    expect("$S --op=wide-sum 18446744073709551615", "18446744073709551615\n");
    expect("$S --op=compensated-sum 1e100 1 -1e100", "1e100\n1e100\n1.0\n");
}

static void items_of_several_numbers_have_colons(void **state)
{
    (void)state;
    expect("$S --op=mat2 1:1:0:1 1:0:1:1 1:0:1:1 1:1:0:1", "1:1:0:1\n2:1:1:1\n3:1:2:1\n3:4:2:3\n");
    expect("$S --op=mat2-prime --exclusive 2147483648:0:0:1", "1:0:0:1\n");
    expect("$S --op=affine 2:1 3:2 1:5", "2:1\n6:5\n6:10\n");
    expect("$S --op=affine 2:1 0.5:-2", "2.0:1.0\n1.0:-1.5\n");
    expect("$S --op=arg-max 5 9 9 10 --exclusive", "none\n5@0\n9@1\n9@1\n");
    expect("$S --op=arg-min 5 -9 -9 --initial=-7@99", "-7@99\n-9@1\n-9@1\n");
}

static void every_algorithm_gives_the_same_results(void **state)
{
    (void)state;
    static const char *const ALGORITHMS[] = {"auto", "serial", "tiled", "lookback", "hillis-steele", "blelloch"};
    static const char *const WHAT[] = {"--count=1000 --type=u32",
                                       "--count=999 --op=xor --exclusive",
                                       "--count=777 --op=mat2 --exclusive --initial=1:2:3:4",
                                       "--count=100 --op=affine --type=u64",
                                       "--count=65 --op=arg-max --initial=3@7",
                                       "--count=1",
                                       "--count=0"};
    for (size_t w = 0; w < sizeof WHAT / sizeof *WHAT; w++)
        for (size_t a = 0; a < sizeof ALGORITHMS / sizeof *ALGORITHMS; a++) {
            char line[256];
            snprintf(line, sizeof line,
                     "$S %s > serial.txt --algorithm=serial && $S %s --algorithm=%s%s | cmp - serial.txt", WHAT[w],
                     WHAT[w], ALGORITHMS[a], a == 2 || a == 3 ? " --tile=7 --threads=3" : "");
            expect(line, "");
        }
}

/* --- shows ------------------------------------------------------------------------------------------------------- */

static void a_trace_is_a_table_of_rounds(void **state)
{
    (void)state;
    expect("$S --algorithm=blelloch --trace 3 1 7 0 4 2 1 6",
           "blelloch: inclusive sum of i64, 8 items\n"
           "phase   distance  [0] [1] [2] [3] [4] [5] [6] [7]  combines\n"
           "items          -    3   1   7   0   4   2   1   6         -\n"
           "up             1    3   4   7   7   4   6   1   7         4\n"
           "up             2    3   4   7  11   4   6   1  13         2\n"
           "up             4    3   4   7  11   4   6   1  24         1\n"
           "root           -    3   4   7  11   4   6   1   0         -\n"
           "down           4    3   4   7   0   4   6   1  11         1\n"
           "down           2    3   0   7   4   4  11   1  17         2\n"
           "down           1    0   3   4  11  11  15  17  18         4\n"
           "include        -    3   4  11  11  15  17  18  24         8\n"
           "combines 14, depth 6\n"
           "inclusive from exclusive: 8 combines more, depth 1 more\n"
           "for comparison: serial 7 in 7 rounds, hillis-steele 17 in 3 rounds\n");
    expect("$S --algorithm=hillis-steele --exclusive --trace 3 1 7 0 4 2 1 6",
           "hillis-steele: exclusive sum of i64, 8 items\n"
           "phase   distance  [0] [1] [2] [3] [4] [5] [6] [7]  combines\n"
           "items          -    3   1   7   0   4   2   1   6         -\n"
           "double         1    3   4   8   7   4   6   3   7         7\n"
           "double         2    3   4  11  11  12  13   7  13         6\n"
           "double         4    3   4  11  11  15  17  18  24         4\n"
           "shift          1    0   3   4  11  11  15  17  18         -\n"
           "combines 17, depth 3\n"
           "for comparison: serial 7 in 7 rounds, blelloch 14 in 6 rounds\n");
    support_expect_part("$S --trace 1 2 3 --exclusive", 0,
                        "3 items, padded to 4 cells with the identity (not shown)\n");
    support_expect_part("$S --trace --algorithm=serial 1 2 --initial=5", 0, "start          -    6   2         1\n");
    support_expect_part("$S --trace --input=/dev/null", 0, "combines 0, depth 0\n");
}

static void a_trace_of_tiles_shows_what_engines_do(void **state)
{
    (void)state;
    const char *tiled = "tile  items       total  prefix  results\n"
                        "   0  0-2            11       0  3 4 11\n"
                        "   1  3-5             6      11  11 15 17\n"
                        "   2  6-7             7      17  18 24\n";
    support_expect_part("$S --algorithm=tiled --trace --tile=3 3 1 7 0 4 2 1 6", 0, tiled);
    const char *lookback = "   0  0-1                4  -                   -          0          4  3 4\n"
                           "   1  2-3                7  0                   0          4         11  11 11\n"
                           "   2  4-5                6  0                   1         11         17  15 17\n"
                           "   3  6-7                7  1                   1         17         24  18 24\n";
    support_expect_part("$S --algorithm=lookback --trace --tile=2 --threads=2 3 1 7 0 4 2 1 6", 0, lookback);
    support_expect_part("$S --algorithm=lookback --trace --count=0", 0, "0 items in 0 tiles of 4");
    support_expect_part("$S --algorithm=tiled --trace 0.5 1.5", 0, "1 tile of 4096 (whole leaves");
}

static void pictures_are_well_formed(void **state)
{
    (void)state;
    support_expect_part("$S --dot 3 1 7", 0, "digraph scan {");
    support_expect_part("$S --dot 3 1 7", 0, "r0c0 -> r1c1;\n    r0c1 -> r1c1;\n");
    expect("$S --svg=a.svg 3 1", "3\n4\n");
    support_expect_part("cat a.svg", 0, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    support_expect_part("tail -n 1 a.svg", 0, "</svg>");
    support_expect_part("$S --svg=- 3 1 | head -n 1", 0, "<svg");
    expect("python3 -c 'import sys, xml.dom.minidom' || exit 0\n"
           "for a in serial hillis-steele blelloch; do for n in 0 1 2 5 8 13; do\n"
           "$S --algorithm=$a --count=$n --op=affine --initial=2:1 --svg=p.svg > /dev/null && "
           "python3 -c 'import xml.dom.minidom as d; d.parse(\"p.svg\")' || echo bad $a $n\ndone; done",
           "");
    expect("echo old > kept.svg; $S --svg=kept.svg x 2> /dev/null; cat kept.svg; ls -A | grep -c 'edgemill-' || true",
           "old\n0\n");
}

static void time_is_a_line(void **state)
{
    (void)state;
    support_expect_part("$S --count=1000 --time", 0, "elements");
    support_expect_part("$S --count=1000 --time --algorithm=hillis-steele --type=f32", 0,
                        "hillis-steele sum             f32");
}

/* --- what is refused ------------------------------------------------------------------------------------------------
 */

static void bad_numbers_are_named_with_their_place(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"$S 1 2x", "operand 2: '2x' is no number"},
        {"$S 1 -", "'-' is all of standard input"},
        {"$S 99999999999999999999", "'99999999999999999999' does not fit i64"},
        {"$S 9223372036854775808", "--type=u64 reads it"},
        {"$S --type=u32 4294967296", "does not fit u32, which ends at 4294967295; --type=u64 reads it"},
        {"$S --type=i32 -2147483649", "does not fit i32, which ends at -2147483648; --type=i64 reads it"},
        {"$S --type=u64 -1", "'-1' is below 0, and the type is u64; --type=i32 reads it"},
        {"$S --type=i64 1.5", "'1.5' is no integer, and the type is i64; --type=f64 reads it"},
        {"$S --op=and 1.5", "'1.5' is no integer"},
        {"$S 1e400", "'1e400' is too large for f64"},
        {"$S --type=f32 1e39", "'1e39' is too large for f32; --type=f64 reads it"},
        {"$S nan", "'nan' is not finite"},
        {"$S -inf", "'-inf' is not finite"},
        {"$S -Infinity", "'-Infinity' is not finite"},
        {"$S --op=mat2 1:2:3", "'1:2:3' is no item of mat2: 4 numbers are wanted, a:b:c:d"},
        {"$S --op=affine 1:2:3", "factor:term"},
        {"$S 1:2", "'1:2' is no number: those of sum are single"},
        {"printf '1\\n2 x\\n' > x.txt; $S --input=x.txt", "x.txt:2:3: 'x' is no number"},
        {"printf '1\\n2 x\\n' > x.txt; $S x.txt", "a file is named by --input=FILE"},
        {"d=$(printf '%0200d' 1); mkdir -p $d/$d/$d; echo x > $d/$d/$d/x; $S --input=$d/$d/$d/x",
         "01/x:1:1: 'x' is no"},
        {"printf '1,,2' | $S -", "standard input:1:3: ',' has no number before it"},
        {"printf '1 \\0 2' | $S -", "standard input:1:3: '?' is no number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        support_expect_part(cases[i][0], i == 1 ? 2 : 3, cases[i][1]);
}

static void usage_errors_name_a_way_out(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"$S", "scan what?"},
        {"$S --op=sun 1", "did you mean sum?"},
        {"$S --algorithm=brent 1", "hillis-steele blelloch"},
        {"$S --type=u16 1", "u32"},
        {"$S --op=mat2 --type=f64 1", "mat2 is defined for u32"},
        {"$S --trace --dot 1", "--trace and --dot"},
        {"$S --trace --time 1", "--trace and --time"},
        {"$S --trace --svg=- 1", "--trace and --svg=-"},
        {"$S --time --svg=- 1", "--time and --svg=-"},
        {"$S --trace --algorithm=auto 1", "cannot be shown"},
        {"$S --dot --algorithm=tiled 1", "--trace shows the tiles"},
        {"$S --tile=3 1", "--tile belongs to"},
        {"$S --algorithm=tiled --tile=0 1", "a number from 1"},
        {"$S --count=3 1", "one place"},
        {"$S --count=x", "--count=x"},
        {"$S --trace --count=1025", "too many to be shown: 1024 at most"},
        {"$S --svg=a.svg --count=257", "256 at most"},
        {"$S --initial=x 1", "--initial: 'x' is no number"},
        {"$S --op=arg-max --initial=1 1", "value@index"},
        {"echo 1 > in.txt; $S --input=in.txt --svg=in.txt", "the output is also the input"},
        {"$S --frobnicate 1", "unknown option --frobnicate"},
        {"$S --exclusiv 1", "did you mean --exclusive?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        support_expect_part(cases[i][0], 2, cases[i][1]);
}

static void failures_of_the_environment_end_with_4(void **state)
{
    (void)state;
    support_expect_part("$S --input=missing.txt", 4, "missing.txt");
    support_expect_part("$S --count=100 > /dev/full", 4, "standard output");
    support_expect_part("$S --svg=no/such/folder.svg 1", 4, "no/such");
    support_expect_part("bash -c '$S --count=100000 | head -n 1; exit ${PIPESTATUS[0]}'", 4, "edgemill: ");
    support_expect_part("$S --count=1099511627776", 4, "memory");
    /* items alone would fit, not with results */
    support_expect_part(
        "$S --time --count=$(awk '/^(Mem|Swap)Total/ { n += $2 } END { printf \"%d\", n * 1024 / 8 * 0.6 }' "
        "/proc/meminfo)",
        4, "memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_one_result_a_line),
        cmocka_unit_test(negative_numbers_are_operands),
        cmocka_unit_test(texts_may_be_separated_by_anything_usual),
        cmocka_unit_test(the_type_follows_from_numbers_and_operator),
        cmocka_unit_test(items_of_several_numbers_have_colons),
        cmocka_unit_test(every_algorithm_gives_the_same_results),
        cmocka_unit_test(a_trace_is_a_table_of_rounds),
        cmocka_unit_test(a_trace_of_tiles_shows_what_engines_do),
        cmocka_unit_test(pictures_are_well_formed),
        cmocka_unit_test(time_is_a_line),
        cmocka_unit_test(bad_numbers_are_named_with_their_place),
        cmocka_unit_test(usage_errors_name_a_way_out),
        cmocka_unit_test(failures_of_the_environment_end_with_4),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
