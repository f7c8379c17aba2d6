/* test_cli_run - run, plan and convert with options that clean, as a person meets them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support_program.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[] = "/tmp/edgemill-run-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    setenv("LC_ALL", "C", 1);
    return support_program_begin(folder, "E", "");
}

static int tear_down(void **state)
{
    (void)state;
    return support_program_end(folder);
}

static int begin(void **state)
{
    (void)state;
    return system("find . -mindepth 1 -delete && printf '0 1\\n1 2\\n2 0\\n0 0\\n0 1\\n' > a.el && "
                  "printf '0 1 5\\n1 0 2\\n0 1 7\\n2 2 1\\n' > w.el && printf '0\\n1\\n' > two.txt");
}

static void expect_all(const char *const (*rows)[2], size_t n, int status)
{
    for (size_t i = 0; i < n; i++)
        support_expect_part(rows[i][0], status, rows[i][1]);
}
#define EXPECT_ALL(rows, status) expect_all(rows, sizeof(rows) / sizeof *(rows), status)

static void runs_a_pipeline(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"$E run 'load a.el | csr | sort | save a.csr' && $E convert a.el -o b.csr -q && cmp a.csr b.csr",
         "edgemill: a.el -> a.csr: 3 vertices, 5 arcs, "},
        {"$E run 'load a.el | drop-loops | symmetrize | sort | dedup | csr | save a.csr'",
         "3 vertices, 6 arcs (5 read, 1 loop dropped, 4 reverses added, 2 duplicates dropped), "},
        {"$E run 'load a.el | save a.u32' 2>&1 | head -1; $E run 'load - | csr | save -' < a.el --help",
         "save needs a CSR"},
        {"$E run 'load - | csr | save --to=el -' < a.el 2> /dev/null", "0 1\n0 0\n0 1\n1 2\n2 0\n"},
        {"$E run 'load a.el --base 0 | csr | save --to el -' 2> /dev/null", "0 1\n0 0\n0 1\n1 2\n2 0\n"},
        {"cp a.el 0; $E run 'load a.el | among --base 0 two.txt | csr | save --to el 0'", "a.el -> 0: "},
        {"cp a.el 2; $E run 'load --header 2 | csr'", "2: 3 vertices, 4 arcs"},
        {"printf 'load a.el |  # read\\n\\n  csr\\n | save a.csr\\n' > p.em; $E run -f p.em", "a.el -> a.csr: "},
        {"printf 'load a.el | csr | save a.csr' | $E run --file=-", "a.el -> a.csr: "},
        {"$E run 'load a.el | csr' -q && echo quiet", "quiet"},
        {"$E run 'load a.el | csr'", "note: nothing is saved"},
        {"$E run 'load a.el | drop-loops' -v", "loops dropped                             1"},
        {"$E run 'load a.el | csr | save a.csr' --profile", "load+degrees+offsets+scatter"},
        {"$E run 'load a.el | csr | save a.csr' --report=- -q", "\"output\": \"a.csr\""},
        {"$E run 'load a.el | drop-loops | csr | save a.csr' --report=- -q",
         "\"what\": \"loops dropped\",\n      \"count\": 1"},
        {"$E run 'load a.el w.el --weights=none | csr | save a.csr'", "a.el and 1 more -> a.csr: 3 vertices, 9 arcs"},
    };
    EXPECT_ALL(rows, 0);
}

static void run_refuses_what_makes_no_sense(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"$E run", "a pipeline is wanted"},
        {"$E run load a.el", "a pipeline is one operand: put it in quotes"},
        {"$E run 'load a.el' -f x", "not both"},
        {"$E run 'load a.el | srot'", "column 13: no stage is called 'srot'; did you mean 'sort'?"},
        {"printf 'load a.el |\\n srot' > p.em; $E run -f p.em", "p.em:2:2: no stage is called 'srot'"},
        {"printf 'load a.el |\\n scatter' > p.em; $E run -f p.em", "p.em:2:2: scatter needs offsets"},
        {"$E run 'load a.el | csr | save a.el'", "the output is also the input a.el"},
        {"$E run 'load a.el | csr | save --map=a.csr a.csr'", "are one file, and both are outputs"},
        {"$E run 'load a.el | csr | save a.csr' --report a.csr", "are one file, and both are outputs"},
        {"$E run 'load a.el | among two.txt | csr | save two.txt --to=el'", "the output is also the input two.txt"},
        {"$E run 'load - - | csr'", "named more than once"},
        {"$E run 'load a.el | csr | save --edge-ids=e a.csr'", "column 24: save: --edge-ids needs positions"},
        {"$E run 'load a.el' -q -v", "contradict"},
        {"$E run 'load a.el' --symmetrize", "option --symmetrize does not belong to 'run'"},
        {"printf 'load a\\0.el' > p.em; $E run -f p.em", "a NUL byte"},
        {"printf 'load a.el |\\n csr | save --to=zzz x' > p.em; $E run -f p.em", "p.em:2:13: unknown format zzz"},
        {"printf 'load a.el |\\n csr | save --to=zzz x' > p.em; $E plan -f p.em", "p.em:2:13: unknown format zzz"},
        {"$E run 'load a.el | csr | partition 2 | save b.mtx'", "column 38: save: b.mtx: format mtx cannot hold some"},
        {"$E run 'load --header 2 a.el'", "column 15: load: '2' is no file; a value of --header stands behind =: "
                                          "--header=2"},
        {"$E plan 'load --header 2 a.el'", "--header=2"},
        {"$E run 'load a.el | csr | save --map a.el a.csr'", "the output is also the input a.el"},
        {"$E run 'load a.el --vertices-from two.txt | csr | save --to el two.txt'", "is also the input two.txt"},
        {"$E run 'load a.el | csr | save --map a.csr a.csr'", "are one file, and both are outputs"},
        {"$E run 'load a.el | among --base 1 two.txt | csr | save two.txt --to=el'", "is also the input two.txt"},
    };
    EXPECT_ALL(rows, 2);
    support_expect_part("$E run -f nothing.em", 4, "nothing.em");
    support_expect_part("$E run 'load nothing.el | csr'", 4, "nothing.el");
    support_expect_part("printf '0 x\\n' > bad.el; $E run 'load bad.el | csr | save a.csr'; r=$?; ls; exit $r", 3,
                        "bad.el:1:3: ");
}

static void standard_input_is_read_by_one_stage(void **state)
{
    (void)state;
    static const char *const specs[] = {"load - | among - | csr | save a.csr", "load - | relabel - | csr | save a.csr",
                                        "load - --vertices-from=- | csr | save a.csr", "load - - | csr | save a.csr"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char line[256];
        snprintf(line, sizeof line, "printf '0 1\\n' | $E run '%s'; s=$?; test ! -e a.csr && exit $s", specs[i]);
        support_expect_part(line, 2, "standard input (-) is named more than once");
    }
    support_expect_part("echo '0 1' >a.el; printf '0\\n1\\n' | $E run 'load a.el | among - | csr | save a.csr'", 0,
                        "1 arc");
}

static void convert_cleans_in_one_order(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"$E convert a.el -o a.csr --dedup --symmetrize --drop-loops", "3 vertices, 6 arcs (5 read, 1 loop dropped"},
        {"$E convert a.el -o a.csr --symmetrize", "edgemill: note: 2 arcs are equal to another one; --dedup keeps"},
        {"$E convert a.el -o a.csr --symmetrize --order=input", "note: 2 arcs are equal to another one"},
        {"$E convert w.el -o o.el --dedup=sum -q; cat o.el", "0 1 12\n1 0 2\n2 2 1\n"},
        {"$E convert w.el -o o.el --symmetrize --dedup=count -q; cat o.el", "0 1 3\n1 0 3\n2 2 1\n"},
        {"$E convert w.el -o o.el --filter 'weight > 1 && src < dst' -q; cat o.el", "0 1 5\n0 1 7\n"},
        {"$E convert a.el -o a.csr --transpose --filter 'src == 2' -q && $E run 'load a.csr | csr | save --to=el -' -q",
         "0 2\n"},
        {"$E convert a.el -o a.csr --min-degree 2", "3 vertices, 1 arc (5 read, 4 arcs of low degree dropped)"},
        {"$E convert a.el -o a.csr --among two.txt --relabel=dense --map=a.map", "2 vertices, 3 arcs (5 read, "},
        {"$E convert a.el -o a.csr --relabel=first --transpose --map=a.map -q; cat a.map", "0\t0\n1\t1\n2\t2\n"},
        {"$E convert a.el -o a.csr --drop-loops --edge-ids=a.ids -q; cat a.ids", "0\n4\n1\n2\n"},
        {"$E convert a.el -o a.csr --relabel=bfs --start=2 --map=a.map -q; cat a.map", "0\t2\n1\t0\n2\t1\n"},
        {"$E convert a.el -o a.csr --symmetrize --dedup --drop-loops --verify=self", "self-check passed"},
        {"$E convert a.el -o a.u32 --symmetrize --verify=self", "self-check passed"},
        {"$E convert a.el -o a.csr --dedup -v", "duplicates dropped                        1"},
    };
    EXPECT_ALL(rows, 0);
}

static void convert_refuses_options_that_do_not_fit(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"$E convert a.el -o a.csr --start=1", "--start is where --relabel=bfs begins"},
        {"$E convert a.el -o a.csr --relabel=rcm --start=1", "--start is where --relabel=bfs begins"},
        {"$E convert a.el -o a.csr --filter=src --filter=dst", "--filter is given twice: src and dst"},
        {"$E convert a.el -o a.csr --filter 'src + 1'", "filter"},
        {"$E convert a.el -o a.csr --dedup=most", "most"},
        {"$E convert a.el -o a.csr --map=a.csr", "are one file, and both are outputs"},
        {"$E convert a.el -o a.csr --map=m --edge-ids=m", "are one file, and both are outputs"},
        {"$E convert a.el -o a.csr --map=a.el", "the output is also the input a.el"},
        {"$E convert a.el -o a.csr --among=a.csr --map=a.csr", "a.csr"},
        {"$E convert a.el -o a.csr --min-degree", "--min-degree needs a value"},
        {"$E convert - -o a.csr --among - < a.el", "named more than once"},
        {"$E convert a.el -o a.csr --symmetrize=yes", "--symmetrize takes no value"},
        {"$E info a.el --symmetrize", "option --symmetrize does not belong to 'info'"},
        {"$E verify a.csr --dedup", "--dedup says what is done with an input, and there is no INPUT"},
    };
    EXPECT_ALL(rows, 2);
    support_expect_part("$E convert a.el -o a.csr --among nothing.txt", 4, "nothing.txt");
    support_expect_part("$E convert a.el -o a.csr --map no/a.map", 4, "no/a.map");
}

static void what_plan_convert_prints_makes_the_same_bytes(void **state)
{
    (void)state;
    static const char *const options[] = {
        "",
        "--symmetrize --dedup --drop-loops",
        "--order=input --transpose",
        "--filter 'src < 2 || dst == 0' --dedup=last",
        "--relabel=degree --min-degree 1 --map=m",
        "--relabel=first --symmetrize --map=m --edge-ids=e",
        "--among two.txt --base 0 --separator ' '",
        "--weights=f64 --dedup=mean --order=input",
        "--relabel=random:7 --vertices 9",
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char line[2048];
        snprintf(
            line, sizeof line,
            "cp w.el 'w x.el'; rm -f m e; $E convert 'w x.el' -o 'o 1.csr' %s -q && cat 'o 1.csr' m e 2> /dev/null > "
            "first; rm -f m e; spec=$($E plan convert 'w x.el' -o 'o 1.csr' %s | sed -n 's/^pipeline  //p') && rm "
            "'o 1.csr' && $E run \"$spec\" -q && cat 'o 1.csr' m e 2> /dev/null > second; cmp first second && echo "
            "the same",
            options[i], options[i]);
        support_expect_part(line, 0, "the same");
    }
}

static void plan_says_what_is_known(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"$E plan 'load a.el | csr | sort | save a.csr'; ls", "load+degrees+offsets+scatter+sort"},
        {"$E plan 'load a.el | csr'", "about 5 arcs, by its first lines; at most 6"},
        {"$E plan 'load a.el | csr'", "while the input is read, arcs go straight to the buckets of the rows"},
        {"$E plan 'load - | csr'", "standard input: how much it holds is unknown before it is read"},
        {"$E plan 'load - | csr'", "peak      unknown; at most unknown"},
        {"$E plan 'load - | csr' --given n=1000000,m=50000000", "for the numbers given"},
        {"$E plan 'load a.el | min-degree 2 | csr'", "min-degree looks at the whole list first"},
        {"$E plan convert a.el -o a.csr --dedup", "load+sort+dedup+degrees+offsets+scatter"},
        {"$E plan run 'load a.el | csr' --threads 1", "serial, 1 thread"},
        {"$E convert a.el -o a.csr -q && $E plan 'load a.csr | csr'", "a.csr: csr, 0.0 MiB; 5 arcs\n"},
        {"$E plan 'load a.el | csr' --json", "\"arcs_at_most\": 6"},
        {"$E plan 'load - | csr' --json", "\"peak_bytes\": null"},
        {"$E plan --help", "plan convert ARGUMENT"},
        {"printf '' > e.el; $E plan 'load e.el | csr'", "about 0 arcs"},
        {"$E plan convert a.el -o n.csr -q; test ! -e n.csr && echo nothing", "nothing"},
    };
    EXPECT_ALL(rows, 0);
    static const char *const refused[][2] = {
        {"$E plan 'load a.el | scatter'", "scatter needs offsets"},
        {"$E plan 'load a.el' --given n", "'n' is not NAME=NUMBER"},
        {"$E plan 'load a.el' --given n=x", "n=x: a whole number"},
        {"$E plan 'load a.el' --given dedup=3", "no stage dedup"},
        {"$E plan 'load a.el' --given weights=u8", "weights=u8: it is none"},
        {"$E plan convert a.el", "convert needs an output"},
        {"$E plan", "a pipeline is wanted"},
    };
    EXPECT_ALL(refused, 2);
    support_expect_part("$E plan 'load nothing.el'", 4, "nothing.el");
}

static void plan_takes_its_options_on_both_sides_of_the_command(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "--json convert a.el -o x.csr", "convert --json a.el -o x.csr",       "-o x.csr --json convert a.el",
        "convert a.el -o x.csr --json", "--output=x.csr convert a.el --json",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[256];
        snprintf(line, sizeof line, "$E plan %s", lines[i]);
        support_expect_part(line, 0, "\"pipeline\": \"load a.el | degrees | offsets | scatter | sort | save x.csr\"");
    }
    static const char *const rows[][2] = {
        {"$E plan --threads 1 run 'load a.el | csr'", "serial, 1 thread"},
        {"$E plan --given n=9,m=8 run 'load a.el | csr'", "for the numbers given"},
        {"printf 'load a.el' > convert; $E plan -f convert", "load a.el"},
        {"printf 'load a.el' > run; $E plan --file run --given n=3,m=5", "load a.el"},
        {"cp a.el convert; $E plan convert convert -o x.csr", "load convert |"},
        {"$E plan --symmetrize --threads=2 convert a.el --given n=3,m=5 -o x.csr", "load a.el | symmetrize"},
        {"$E plan --help convert", "plan convert ARGUMENT"},
    };
    EXPECT_ALL(rows, 0);
    static const char *const refused[][2] = {
        {"$E plan --symmetrize 'load a.el'", "option --symmetrize does not belong to 'plan'"},
        {"$E plan --nonsense convert a.el -o x.csr", "unknown option --nonsense"},
        {"$E plan --threads", "--threads needs a value"},
    };
    EXPECT_ALL(refused, 2);
}

static void numbers_are_given_once(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"$E plan 'load a.el | csr' --given=n=5,n=6", "--given: n is given twice: n=5 and n=6"},
        {"$E plan 'load a.el | csr' --given=m=5,n=6,m=5", "--given: m is given twice: m=5 and m=5"},
        {"$E plan 'load a.el' --given=weights=i32,weights=f64", "weights is given twice: weights=i32 and weights=f64"},
        {"$E plan 'load a.el' --given=labels=1,n=2,labels=1", "labels is given twice"},
        {"$E plan 'load a.el | dedup' --given=dedup=1,dedup=2", "dedup is given more often than the pipeline has"},
        {"$E plan 'load a.el | dedup' --given=sort=1", "the pipeline has no stage sort"},
    };
    EXPECT_ALL(rows, 2);
    support_expect_part("$E plan 'load a.el | dedup | dedup' --given=n=3,m=5,dedup=4,dedup=3", 0, "numbers given");
}

/* Status and words are those of the run; and nothing is there afterwards that was not there. */
static void plan_refuses_what_a_run_would_before_it_reads(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int status;
        const char *says;
    } rows[] = {
        {"convert a.el -o a.el", 2, "a.el: the output is also the input a.el"},
        {"convert a.el -o a.csr --map a.csr", 2, "are one file, and both are outputs"},
        {"convert a.el -o no/a.csr", 4, "no/a.csr: cannot write in the folder no: No such file"},
        {"convert a.el -o a.csr --report no/r.json", 4, "no/r.json: cannot write"},
        {"convert a.el -o a.csr --profile=no/r.json", 4, "no/r.json: cannot write"},
        {"convert a.el -o a.csr --map no/m", 4, "no/m: cannot write"},
        {"convert a.el --to=csr -o .", 4, ".: cannot be written: Is a directory"},
        {"convert a.el -o a.csr --among no.txt", 4, "no.txt: open: No such file"},
        {"convert a.el -o a.csr --relabel no.txt", 4, "no.txt: open: No such file"},
        {"convert a.el -o a.csr --vertices-from no.txt", 4, "no.txt: open: No such file"},
        {"convert no.el -o a.csr", 4, "no.el: "},
        {"convert a.el -o a.csr -q -v", 2, "-q and -v contradict each other"},
        {"run 'load a.el | csr | save --to=csr a.el'", 2, "a.el: the output is also the input a.el"},
        {"run 'load a.el | csr | save no/a.csr'", 4, "no/a.csr: cannot write"},
        {"run 'load a.el | csr | partition 2 | save no/a.csr'", 4, "no/a.0.csr: cannot write"},
        {"run 'load a.el | csr | partition 2 | save a.mtx'", 2, "cannot hold some rows of a graph"},
        {"run 'load - | among - | csr'", 2, "named more than once"},
        {"run 'load a.el' -q -v", 2, "-q and -v contradict each other"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[512];
        for (int plans = 0; plans < 2; plans++) {
            snprintf(line, sizeof line, "b=$(ls -A); $E %s %s; s=$?; test \"$b\" = \"$(ls -A)\" && exit $s",
                     plans ? "plan" : "", rows[i].words);
            support_expect_part(line, rows[i].status, rows[i].says);
        }
    }
    support_expect_part("$E plan 'load a.el | csr | partition 2 | save a.csr' > p && echo *", 0, "a.el p two.txt w.el");
    support_expect_part("printf x > a.csr; $E plan convert a.el -o a.csr --report=r > p && cat a.csr && echo *", 0,
                        "xa.csr a.el p two.txt w.el");
}

static void a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
    support_expect_part("printf '\\357\\273\\277load a.el | csr | save --to=el -' > p.em; $E run -q -f p.em", 0, "0 1");
    support_expect_part("printf '\\357\\273\\277srot' > p.em; $E run -f p.em", 2,
                        "p.em:1:1: no stage is called 'srot'");
    support_expect_part("printf '\\357\\273\\277' > p.em; $E plan -f p.em", 2, "an empty pipeline");
}

static void a_value_that_stands_apart_is_told(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"$E convert --dedup sum a.el -o x.csr", "'sum' is no file; a value of --dedup stands behind =: --dedup=sum"},
        {"$E convert a.el -o x.csr --header 2", "--header=2"},
        {"$E convert a.el -o x.csr --verify self", "--verify=self"},
        {"$E convert a.el -o x.csr --verify igraph:3", "--verify=igraph:3"},
        {"$E convert a.el -o x.csr --profile p.json", "--profile=p.json"},
        {"$E run --profile p.json 'load a.el | csr'", "--profile=p.json"},
        {"$E info --header 1 a.el", "--header=1"},
        {"$E verify --dedup max x.csr a.el", "--dedup=max"},
        {"$E plan --dedup mean convert a.el -o x.csr", "--dedup=mean"},
    };
    EXPECT_ALL(rows, 2);
    static const char *const files[][2] = {
        {"cp a.el sum; $E convert --dedup sum -o x.csr", "sum -> x.csr: 3 vertices"},
        {"cp a.el 2; $E convert --header 2 -o x.csr", "2 -> x.csr: 3 vertices"},
        {"$E convert --dedup a.el -o x.csr", "a.el -> x.csr: "},
        {"$E convert --dedup=sum a.el -o x.csr", "a.el -> x.csr: "},
    };
    EXPECT_ALL(files, 0);
    support_expect_part("$E convert --dedup nothing.el -o x.csr", 4, "nothing.el: ");
    support_expect_part("$E convert --dedup -- sum -o", 2, "convert needs an output");
}

static void columns_that_were_chosen_are_not_remarked_on(void **state)
{
    (void)state;
    static const char note[] = "has columns that are not used";
    static const struct {
        const char *words;
        bool is_told;
    } rows[] = {
        {"convert four.el -o x.csr", true},
        {"convert four.el -o x.csr --weights=i64", true},
        {"convert four.el -o x.csr --columns=1,2", false},
        {"convert four.el -o x.csr --columns=1,2,4", false},
        {"convert four.el -o x.csr --weights=none", false},
        {"convert four.el -o x.csr --weights none", false},
        {"run 'load four.el'", true},
        {"run 'load --columns=1,2 four.el'", false},
        {"run 'load four.el --weights=none'", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[256];
        snprintf(line, sizeof line, "echo '0 1 2 3' > four.el; $E %s", rows[i].words);
        const support_said *const got = support_shell(line);
        assert_int_equal(got->status, 0);
        if ((strstr(got->said, note) != NULL) != rows[i].is_told)
            fail_msg("%s\n%s", line, got->said);
    }
}

/* A judge that says with which words it was asked, and finds a difference. */
static void run_has_its_result_judged(void **state)
{
    (void)state;
    support_expect_part(
        "cp -L $E em && printf '#!/bin/sh\\necho \"$@\" >asked; exit 1\\n' >edgemill-igraph && chmod +x "
        "edgemill-igraph && ./em run --verify 'load a.el --base 0 | drop-loops | filter src < 2 | dedup sum | csr | "
        "sort | "
        "save --map m o.csr'",
        1, "o.csr: not the graph that igraph builds from the input; nothing is written");
    support_expect_part("cut -d' ' -f 3- asked", 0,
                        "--as-typed --base 0 --drop-loops --filter=src < 2 --dedup=sum --map=");
    support_expect_part("grep -c -e order=input asked; grep -o -e ' -- a.el$' asked; ls", 0, "0\n -- a.el\n");
    support_expect_part("test ! -e o.csr && test ! -e m && echo neither", 0, "neither");
    support_expect_part("printf '#!/bin/sh\\necho \"$@\" >asked\\n' >edgemill-igraph", 0, "");
    support_expect_part("./em run --verify=igraph:3 'load a.el | transpose | csr | save o.csr' && cat asked", 0,
                        "--as-typed --transpose --order=input --ranges=3 -- a.el");
    support_expect_part("./em run --verify 'load a.el | csr | save o.csr'", 0, "; igraph agrees after");
    support_expect_part("$E run --verify=self 'load a.el | head 3 | csr | sort | save s.csr'", 0, "self-check passed");
    support_expect_part("$E run --verify=self 'load a.el | sort | head 3 | csr | save --to=el s.el'", 0, "self-check");
}

static void run_verifies_only_what_can_be_judged(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"$E run --verify 'load a.el | csr'", "--verify judges what is saved: end the pipeline with: | save FILE"},
        {"$E run --verify 'load a.el | csr | save o.csr | sort'", "--verify judges what is saved"},
        {"$E run --verify 'load a.el | csr | save o.csr | save p.csr'", "judges one file"},
        {"$E run --verify=self 'load a.el | csr | partition 2 | save o.csr'", "judges one file"},
        {"$E run --verify 'load a.el | csr | save --to=csr -'", "written straight to standard output"},
        {"$E run --verify 'load - | csr | save o.csr'", "standard input cannot be read a second time"},
        {"$E run --verify 'load a.el | among - | csr | save o.csr'", "standard input cannot be read a second time"},
        {"$E run --verify 'load a.el | csr | save o.mtx'",
         "column 19: --verify=igraph: save writes neither csr nor npz"},
        {"$E run --verify 'load a.el | sort | head 2 | csr | save o.csr'", "column 20: --verify=igraph: head stands"},
        {"$E run --verify 'load a.el | sort | transpose | csr | save o.csr'",
         "rows in the order of a list that was sorted"},
        {"$E run --verify 'load a.el | relabel first | csr | save o.csr'", "where positions follows load"},
        {"$E run --verify 'load a.el | relabel --start=1 bfs | csr | save o.csr'",
         "has options that the judge does not"},
        {"$E run --verify 'load a.el | symmetrize | positions | csr | save o.csr'", "positions does not follow load"},
        {"$E run --verify 'load w.el --base=1 | among two.txt | csr | save o.csr'", "in one base"},
        {"$E run --verify=most 'load a.el | csr | save o.csr'", "--verify=most: it is igraph, igraph:K or self"},
        {"$E plan run --verify 'load a.el | csr'", "--verify judges what is saved"},
    };
    EXPECT_ALL(rows, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(runs_a_pipeline, begin),
        cmocka_unit_test_setup(run_refuses_what_makes_no_sense, begin),
        cmocka_unit_test_setup(standard_input_is_read_by_one_stage, begin),
        cmocka_unit_test_setup(convert_cleans_in_one_order, begin),
        cmocka_unit_test_setup(convert_refuses_options_that_do_not_fit, begin),
        cmocka_unit_test_setup(what_plan_convert_prints_makes_the_same_bytes, begin),
        cmocka_unit_test_setup(plan_says_what_is_known, begin),
        cmocka_unit_test_setup(plan_takes_its_options_on_both_sides_of_the_command, begin),
        cmocka_unit_test_setup(numbers_are_given_once, begin),
        cmocka_unit_test_setup(plan_refuses_what_a_run_would_before_it_reads, begin),
        cmocka_unit_test_setup(a_byte_order_mark_is_skipped, begin),
        cmocka_unit_test_setup(a_value_that_stands_apart_is_told, begin),
        cmocka_unit_test_setup(run_has_its_result_judged, begin),
        cmocka_unit_test_setup(run_verifies_only_what_can_be_judged, begin),
        cmocka_unit_test_setup(columns_that_were_chosen_are_not_remarked_on, begin),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
