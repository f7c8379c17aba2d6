/* test_cli_shards - shards as a person meets them: written, looked at, put together, judged.
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
#include <string.h>

static char folder[] = "/tmp/edgemill-cli-shards-XXXXXX";

/* In what follows $E is edgemill. */
static int set_up(void **state)
{
    (void)state;
    return support_program_begin(folder, "E", "");
}

static int tear_down(void **state)
{
    (void)state;
    return support_program_end(folder);
}

#define CHAIN_OF(file) "load " file " | csr | partition 3 | save web.csr"
#define SHARDS         "load g.el | degrees | offsets | scatter | sort | partition 3 | "

static int make_graph(void **state)
{
    (void)state;
    support_expect_part("$E generate rmat --scale 10 -q -o g.el && $E convert -q g.el -o g.csr", 0, "");
    support_expect_part("$E run '" SHARDS "save --map=m.tsv web.csr' -q && ls", 0,
                        "g.csr\ng.el\nm.tsv\nweb.0.csr\nweb.1.csr\nweb.2.csr\nweb.csr.json\n");
    support_expect_part("$E run '" SHARDS "save web.npz' -q", 0, "");
    return 0;
}

static void put_together_they_are_the_graph(void **state)
{
    (void)state;
    support_expect_part("$E convert -q web.0.csr web.1.csr web.2.csr -o back.csr && cmp back.csr g.csr", 0, "");
    support_expect_part("$E convert -q web.?.npz -o back.csr && cmp back.csr g.csr", 0, "");
    support_expect_part("$E convert -q web.csr.json -o back.csr && cmp back.csr g.csr", 0, "");
    support_expect_part("$E convert -q web.npz.json -o back.csr && cmp back.csr g.csr", 0, "");
    support_expect_part("$E convert -q web.csr.json --transpose -o t.csr && $E convert -q g.el --transpose -o u.csr && "
                        "cmp t.csr u.csr",
                        0, "");
}

static void what_a_file_promises_stays_true(void **state)
{
    (void)state;
    support_expect_part("$E convert -q g.el -o sym.csr --symmetrize --dedup --drop-loops && "
                        "$E convert -q sym.csr -o again.csr && cmp sym.csr again.csr",
                        0, "");
    support_expect_part("$E run -q 'load sym.csr | csr | sort | partition 3 | save sym3.csr' && "
                        "$E convert -q sym3.csr.json -o again.csr && cmp sym.csr again.csr",
                        0, "");
    support_expect_part("$E convert -q sym.csr sym.csr -o twice.csr && $E info twice.csr | grep -c unique", 1, "0");
    support_expect_part("$E convert -q sym.csr -o half.csr --filter 'src < dst' && $E info half.csr | grep flags", 0,
                        "sorted,unique,no-loops");
    support_expect_part("rm sym* again.csr twice.csr half.csr", 0, "");
}

static void what_is_read_or_written_beside_is_no_shard(void **state)
{
    (void)state;
    support_expect_part("mkdir safe; cp web.* safe; cd safe; $E run '" CHAIN_OF("web.1.csr") "' -q", 2,
                        "web.1.csr: the output is also the input web.1.csr");
    support_expect_part("cd safe; $E run '" CHAIN_OF("web.csr.json") "' -q", 2, "the output is also the input web.");
    support_expect_part("cd safe; $E run 'load web.2.csr | csr | partition 2 | save web.csr' -q", 2,
                        "web.2.csr: the output is also the input web.2.csr"); /* it would go */
    support_expect_part("cd safe; $E run 'load web.csr.json | csr | save web.1.csr' -q", 2,
                        "web.1.csr: the output is also the input web.1.csr");
    support_expect_part("cd safe; $E convert -q ../safe/web.csr.json -o web.1.csr", 2,
                        "web.1.csr: the output is also the input ../safe/web.1.csr");
    support_expect_part("cd safe; $E run -q '" CHAIN_OF("../g.el") "' --report=web.2.csr", 2,
                        "web.2.csr and web.2.csr are one file, and both are outputs");
    support_expect_part("cd safe; $E run -q '" CHAIN_OF("../g.el") "' --profile=./web.csr.json", 2,
                        "./web.csr.json and web.csr.json are one file, and both are outputs");
    support_expect_part("cd safe; for f in *; do cmp $f ../$f || exit; done; cp ../g.csr web.csr; "
                        "$E run -q '" CHAIN_OF("web.csr") "' && cmp web.csr ../g.csr; cd ..; rm -r safe",
                        0, "");
}

static void info_tells_which_rows_a_shard_has(void **state)
{
    (void)state;
    static const char *const files[] = {"web.1.csr", "web.1.npz"};
    for (int i = 0; i < 2; i++) {
        char line[256];
        snprintf(line, sizeof line, "$E info %s", files[i]);
        const support_said *said = support_shell(line);
        assert_int_equal(said->status, 0);
        assert_non_null(strstr(said->said, "  first vertex "));
        assert_non_null(strstr(said->said, "  vertices of the graph "));
        assert_null(strstr(said->said, "isolated"));
        assert_null(strstr(said->said, "structure symmetric"));
        snprintf(line, sizeof line, "$E info %s --json", files[i]);
        said = support_shell(line);
        assert_int_equal(said->status, 0);
        assert_non_null(strstr(said->said, "\"first_vertex\": "));
        assert_non_null(strstr(said->said, "\"structure_symmetric\": null"));
        snprintf(line, sizeof line, "$E verify %s", files[i]);
        support_expect_part(line, 0, "checksums and invariants hold");
    }
    assert_null(strstr(support_shell("$E info g.csr")->said, "first vertex"));
    support_expect_part("$E info web.csr.json", 0, "web.csr.json: shards");
}

static void igraph_judges_a_graph_from_its_shards(void **state)
{
    (void)state;
    if (strstr(support_shell("$E verify g.csr g.el")->said, "libigraph-dev"))
        skip();
    support_expect_part("$E verify g.csr web.0.csr web.1.csr web.2.csr", 0, "igraph agrees");
    support_expect_part("$E verify g.csr web.0.npz web.1.npz web.2.npz", 0, "igraph agrees");
    support_expect_part("$E verify g.csr web.0.csr web.2.csr", 1, "not the graph");
    support_expect_part("$E verify web.1.csr g.el", 2, "web.1.csr: a shard, of some rows of a graph");
    support_expect_part("$E verify g.csr web.csr.json", 0, "igraph agrees");
    support_expect_part("$E convert web.npz.json --from=shards -o back.csr --verify", 0, "igraph agrees");
    support_expect_part("$E convert web.0.csr web.1.csr web.2.csr -o back.csr --verify", 0, "igraph agrees");
}

static void igraph_judges_a_partition_as_a_whole(void **state)
{
    (void)state;
    if (strstr(support_shell("$E verify g.csr g.el")->said, "libigraph-dev"))
        skip();
    support_expect_part("$E verify web.csr.json g.el --map=m.tsv", 0, "igraph agrees: 1021 vertices, 16384 arcs");
    support_expect_part("$E verify web.npz.json g.el && $E verify web.npz.json web.csr.json", 0, "igraph agrees");
    support_expect_part("$E verify web.csr.json g.el --drop-loops", 1, "not the graph that igraph builds");
    support_expect_part("mkdir parts; awk '{print $0, NR % 7}' g.el > parts/w.el", 0, "");
    support_expect_part(
        "cd parts; $E run -q 'load w.el | positions | symmetrize | sort | dedup sum | csr | partition 5 "
        "| save --to=csr --edge-ids=e.txt w.json' && "
        "$E verify w.json w.el --symmetrize --dedup=sum --edge-ids=e.txt",
        0, "weights i64");
    support_expect_part("cd parts; $E verify w.json w.el --symmetrize --dedup=max", 1, "weighs");
    support_expect_part("cd parts; $E run -q 'load w.el | csr | partition 200 | save --to=npz many.json' && "
                        "$E verify many.json w.el --order=input",
                        0, "weights i64");
    support_expect_part("cd parts; cp w.1.csr kept; printf '\\1' | dd of=w.1.csr bs=1 seek=4096 conv=notrunc "
                        "2>/dev/null; $E verify w.json w.el --symmetrize --dedup=sum",
                        3, "w.1.csr: offsets do not go from 0");
    support_expect_part("cd parts; cp kept w.1.csr; sed 's/\"unique\"/\"no-loops\"/' w.json > v.json; "
                        "$E verify v.json w.el --symmetrize --dedup=sum",
                        1, "its flags are not those of the manifest");
    support_expect_part("cd parts; sed 's/\"targets\": \"./\"targets\": \"x/' w.json > v.json; "
                        "$E verify v.json w.el --symmetrize --dedup=sum",
                        1, "in the manifest x");
    support_expect_part("cd parts; mv w.2.csr away; $E verify w.json w.el --symmetrize --dedup=sum", 4,
                        "w.2.csr: open");
    support_expect_part("cd parts; cp w.1.csr w.2.csr; $E verify w.json w.el --symmetrize --dedup=sum", 3,
                        "w.2.csr: not the shard that w.json lists");
    support_expect_part("cd parts; head -c 99 w.json > v.json; $E verify v.json w.el", 3, "v.json:");
    support_expect_part("rm -r parts", 0, "");
}

static void what_cannot_be_is_said(void **state)
{
    (void)state;
    support_expect_part("$E run '" SHARDS "save web.el'", 2, "cannot hold some rows of a graph");
    support_expect_part("$E run '" SHARDS "save --to=csr -'", 2, "standard output");
    support_expect_part("ulimit -n 40; $E run 'load g.el | degrees | offsets | scatter | partition 100 | save x.csr'",
                        4, "ulimit -n");
    support_expect_part("$E convert g.el -o w.json --to=shards", 2, "format shards is read, not written");
    support_expect_part("ls | grep -c x", 1, "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(put_together_they_are_the_graph, make_graph),
        cmocka_unit_test(what_a_file_promises_stays_true),
        cmocka_unit_test(what_is_read_or_written_beside_is_no_shard),
        cmocka_unit_test(info_tells_which_rows_a_shard_has),
        cmocka_unit_test(igraph_judges_a_graph_from_its_shards),
        cmocka_unit_test(igraph_judges_a_partition_as_a_whole),
        cmocka_unit_test(what_cannot_be_is_said),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
