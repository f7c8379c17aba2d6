/* test_cli - the program as a person meets it: run in a folder of its own, judged by status, output and files left.
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

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/edgemill-cli-XXXXXX";

typedef struct result {
    int status;
    char out[32768], err[32768];
} result;

static void slurp(const char *path, char *text, size_t n_bytes)
{
    FILE *file = fopen(path, "rb");
    const size_t n = file ? fread(text, 1, n_bytes - 1, file) : 0;
    text[n] = 0;
    if (file)
        fclose(file);
}

/* Runs a shell line in the test's folder; $E is the program. */
static const result *run(const char *line)
{
    static result got;
    char command[4096];
    snprintf(command, sizeof command, "{ %s\n} > .out 2> .err < /dev/null", line);
    const int status = system(command);
    got.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    slurp(".out", got.out, sizeof got.out);
    slurp(".err", got.err, sizeof got.err);
    return &got;
}

#define expect(line, wanted_status, wanted_words) expect_at(line, wanted_status, wanted_words, __FILE__, __LINE__)

/* Status and a part of standard error. */
static const result *expect_at(const char *line, int status, const char *words, const char *file, int number)
{
    const result *got = run(line);
    if (got->status != status || (words && !strstr(got->err, words))) {
        print_error("%s\n  ended with %d, wanted %d\n  standard error: %s\n  wanted there: %s\n", line, got->status,
                    status, got->err, words ? words : "(anything)");
        _fail(file, number);
    }
    return got;
}

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

/* A clean folder with the small inputs. */
static int begin(void **state)
{
    (void)state;
    return system("chmod -R u+w . && find . -mindepth 1 -delete && printf '0 1\\n1 2\\n2 0\\n0 0\\n' > a.el && "
                  "printf '1 2\\n2 3\\n' > one.el && printf '0 1 2\\n1 2 3\\n' > w.el");
}

static size_t n_entries(void)
{
    size_t n = 0;
    DIR *here = opendir(".");
    for (struct dirent *entry; (entry = readdir(here));)
        if (strcmp(entry->d_name, ".out") != 0 && strcmp(entry->d_name, ".err") != 0)
            n++;
    closedir(here);
    return n - 2; /* . and .. */
}

/* --- help and lists ------------------------------------------------------------------------------- */

static void prints_help_on_standard_output(void **state)
{
    (void)state;
    const char *const lines[] = {"$E --help",         "$E -h",
                                 "$E convert --help", "$E info --help",
                                 "$E verify -h",      "$E formats --help",
                                 "$E stages --help",  "$E convert a.el --help --nonsense",
                                 "$E scan --help"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const result *got = expect(lines[i], 0, NULL);
        assert_non_null(strstr(got->out, "Usage: edgemill"));
        assert_string_equal(got->err, "");
        for (const char *at = got->out, *end; *at; at = end + 1) {
            end = strchr(at, '\n');
            assert_non_null(end);
            size_t columns = 0; /* bytes that begin a character */
            for (const char *byte = at; byte < end; byte++)
                columns += (*byte & 0xC0) != 0x80;
            assert_true(columns <= 120);
        }
    }
}

static void names_version_licence_and_features(void **state)
{
    (void)state;
    const char *const lines[] = {"$E --version", "$E convert --version"};
    for (size_t i = 0; i < 2; i++) {
        const result *got = expect(lines[i], 0, NULL);
        assert_non_null(strstr(got->out, "edgemill 0.1.0\n"));
        assert_non_null(strstr(got->out, "Apache-2.0"));
        assert_non_null(strstr(got->out, "isa-l"));
        assert_non_null(strstr(got->out, "cuda"));
    }
}

static void says_when_standard_output_is_full(void **state)
{
    (void)state;
    expect("$E --help > /dev/full", 4, "No space left on device");
    expect("$E formats > /dev/full", 4, "No space left on device");
    expect("$E info a.el > /dev/full", 4, "No space left on device");
}

static void lists_formats_and_stages(void **state)
{
    (void)state;
    const result *got = expect("$E formats", 0, NULL);
    assert_non_null(strstr(got->out, "\nnpz "));
    assert_non_null(strstr(got->out, ".csr"));
    got = expect("$E stages", 0, NULL);
    assert_non_null(strstr(got->out, "load "));
    assert_non_null(strstr(got->out, "\nscatter "));
    expect("$E stages load", 2, "'load'");
}

/* --- what is refused as usage --------------------------------------------------------------------- */

static void refuses_unknown_commands_with_a_hint(void **state)
{
    (void)state;
    expect("$E", 2, "Usage:");
    expect("$E convrt a.el -o a.csr", 2, "did you mean 'convert'?");
    expect("$E --hlp", 2, "did you mean '--help'?");
    expect("$E frobnicate", 2, "unknown command 'frobnicate'\n");
}

static void says_what_is_not_built_yet(void **state)
{
    (void)state;
    char line[256];
    const char *const options[] = {"memory=4G", "device=cuda"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        snprintf(line, sizeof line, "$E convert a.el -o a.csr --%s", options[i]);
        expect(line, 2, "is not built yet");
        snprintf(line, sizeof line, "$E verify a.csr a.el --%s", options[i]);
        expect(line, 2, "is not built yet");
    }
    expect("$E convert a.el -o a.csr --profile=p.html", 2, "not built yet");
    expect("$E convert a.el -o a.csr --profile=p.trace.json", 2, "not built yet");
    assert_int_equal(n_entries(), 3);
}

static void refuses_unknown_options_with_the_nearest_name(void **state)
{
    (void)state;
    expect("$E convert a.el -o a.csr --seperator=,", 2, "unknown option --seperator; did you mean --separator?");
    expect("$E convert a.el -o a.csr --sep=,", 2, "did you mean --separator?");
    expect("$E convert a.el -o a.csr --thread 2", 2, "did you mean --threads?");
    expect("$E convert a.el -o a.csr --xyzzy", 2, "unknown option --xyzzy\n");
    expect("$E convert a.el -o a.csr -x", 2, "unknown option -x");
    expect("$E convert a.el -output a.csr", 2, "did you mean --output?");
    expect("$E info a.el --to=npz", 2, "--to does not belong to 'info'");
    expect("$E convert a.el -o a.csr --json", 2, "--json does not belong to 'convert'");
    assert_int_equal(n_entries(), 3);
}

static void refuses_values_that_make_no_sense(void **state)
{
    (void)state;
    const char *const threads[] = {"0", "1025", "-1", "two", "", "1x", "99999999999999999999"};
    char line[256];
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        snprintf(line, sizeof line, "$E convert a.el -o a.csr --threads='%s'", threads[i]);
        expect(line, 2, "1 to 1024");
    }
    expect("$E convert a.el -o a.csr --threads", 2, "needs a value");
    expect("$E convert a.el -o", 2, "needs a value");
    expect("$E convert a.el -o a.csr --map=", 2, "--map needs a value");
    expect("$E convert a.el -o a.csr --edge-ids ''", 2, "--edge-ids needs a value");
    expect("$E convert a.el -o a.csr --relabel degre", 4,
           "degre: open: No such file or directory; ways to relabel are");
    expect("printf '# made\\na,b\\n0,1\\n' | $E convert - -o a.csr --header --columns=a,b", 3,
           "no column 'a': ' made'; that is a comment: --header=N skips N lines");
    expect("$E run 'load a.el | csr | save a.csr --map'", 2, "--map needs a value: --map=VALUE");
    expect("$E convert a.el -o a.csr --quiet=1", 2, "takes no value");
    expect("$E convert a.el -o a.csr --order=random", 2, "--order=random");
    expect("$E convert a.el -o a.csr --progress=maybe", 2, "--progress=maybe");
    expect("$E convert a.el -o a.csr --profile=p.txt", 2, ".json");
    expect("$E convert a.el -o a.csr --verify=oracle", 2, "igraph, igraph:K or self");
    expect("$E convert a.el -o a.csr --verify=igraph:0", 2, "igraph:0");
    expect("$E convert a.el -o a.csr -q -v", 2, "contradict");
    expect("$E convert a.el -o a.csr --base=2", 2, "base");
    expect("$E convert a.el -o a.csr --weights=f16", 2, "f16");
    expect("$E convert a.el -o a.csr --from=nonsense", 2, "nonsense");
    expect("$E convert a.el -o a.csr --to=nonsense", 2, "nonsense");
    expect("$E convert -o a.csr", 2, "needs an INPUT");
    expect("$E convert a.el", 2, "-o FILE");
    expect("$E convert a.el -o a.csr -o b.csr", 2, "given twice");
    expect("$E convert - - -o a.csr", 2, "more than once");
    expect("$E info", 2, "one FILE");
    expect("$E verify", 2, "needs a CSR");
    assert_int_equal(n_entries(), 3);
}

static void refuses_outputs_that_are_inputs_or_each_other(void **state)
{
    (void)state;
    run("ln -s a.el soft.csr; ln a.el hard.csr; ln -s later.csr dangling.csr; mkdir sub");
    expect("$E convert a.el -o a.el", 2, "a.el: the output is also the input a.el");
    expect("$E convert a.el -o soft.csr", 2, "also the input");
    expect("$E convert a.el -o hard.csr", 2, "also the input");
    expect("$E convert one.el a.el -o ./sub/../a.el", 2, "also the input");
    expect("$E convert a.el --vertices-from=one.el -o b.csr --report=one.el", 2, "also the input one.el");
    expect("$E convert a.el --to=csr -o - >> a.el", 2, "also the input");
    expect("$E convert - --to=csr -o a.el < a.el", 2, "also the input");
    expect("$E convert a.el -o b.csr --report=b.csr", 2, "one file");
    expect("$E convert a.el -o b.csr --report=sub/../b.csr", 2, "one file");
    expect("$E convert a.el -o later.csr --report=dangling.csr", 2, "one file");
    expect("$E convert a.el -o b.csr --report=p.json --profile=./p.json", 2, "one file");
    expect("$E convert a.el -o b.csr --profile=p.json --profile=p.json", 2, "one file");
    expect("cat a.el", 0, NULL);
    assert_string_equal(run("cat a.el")->out, "0 1\n1 2\n2 0\n0 0\n");
}

static void checks_outputs_before_any_input_is_read(void **state)
{
    (void)state;
    expect("$E convert missing.el -o nowhere/b.csr", 4, "nowhere/b.csr: cannot write in the folder nowhere");
    expect("$E convert missing.el -o a.el/b.csr", 4, "a.el/b.csr");
    expect("mkdir d.csr; $E convert missing.el -o d.csr", 4, "Is a directory");
    expect("$E convert missing.el -o b.csr --report=nowhere/r.json", 4, "nowhere/r.json");
    expect("$E convert missing.el -o b.csr --profile=nowhere/p.json", 4, "nowhere/p.json");
    expect("$E convert missing.el -o b.unknown", 2, "--to");
    expect("$E convert missing.el -o b.csr", 4, "missing.el");
    if (geteuid() != 0)
        expect("mkdir r; chmod a-w r; $E convert missing.el -o r/b.csr", 4, "Permission denied");
}

static void refuses_to_verify_what_cannot_be_read_again(void **state)
{
    (void)state;
    expect("$E convert a.el -o - --to=csr --verify", 2, "standard output cannot be read back");
    expect("$E convert a.el -o /dev/null --to=csr --verify=self", 2, "/dev/null cannot be read back");
    expect("$E convert - -o b.csr --verify < a.el", 2, "standard input cannot be read a second time");
    expect("mkfifo pipe; $E convert pipe -o b.csr --verify", 2, "pipe cannot be read a second time");
    expect("$E convert a.el -o b.el --verify", 2, "csr and npz");
    expect("$E verify b.csr -", 2, "standard input");
    expect("$E verify b.csr --base=1", 2, "no INPUT");
}

/* --- what works ----------------------------------------------------------------------------------- */

static void converts_and_says_so_in_one_line(void **state)
{
    (void)state;
    const result *got = expect("$E convert a.el -o a.csr", 0, "edgemill: a.el -> a.csr: 3 vertices, 4 arcs, ");
    assert_string_equal(got->out, "");
    assert_string_equal(strchr(got->err, '\n'), "\n");
    assert_non_null(strstr(got->err, " s, peak "));
    assert_non_null(strstr(got->err, " MiB\n"));
    assert_string_equal(expect("$E convert -q a.el -o a.csr", 0, NULL)->err, "");
    expect("$E convert w.el -o w.csr", 0, "; weights: column 3, i64\n");
    expect("$E convert one.el one.el a.el -o m.csr", 0, "one.el and 2 more -> m.csr: 4 vertices, 8 arcs");
}

static void takes_options_and_operands_in_any_order(void **state)
{
    (void)state;
    expect("$E convert a.el one.el --threads=2 -o 1.csr", 0, NULL);
    expect("$E convert -o2.csr --threads 1 -- a.el one.el", 0, NULL);
    expect("$E convert a.el --output 3.csr one.el --device cpu --ids=number", 0, NULL);
    expect("$E convert --output=4.csr -q a.el -- one.el", 0, NULL);
    expect("cmp 1.csr 2.csr && cmp 1.csr 3.csr && cmp 1.csr 4.csr", 0, NULL);
    expect("cp a.el ./-dash.el; $E convert -o d.csr -- -dash.el", 0, "-dash.el -> d.csr");
    expect("$E convert - -o s.csr < a.el", 0, "standard input -> s.csr");
    expect("$E convert a.el -o a.csr; $E convert a.el -o - --to=csr | cmp - a.csr", 0, "a.el -> standard output");
}

static void hints_at_what_is_odd_in_the_input(void **state)
{
    (void)state;
    expect("$E convert one.el -o one.csr", 0, "use --base 1");
    assert_null(strstr(expect("$E convert one.el -o one.csr --base=1", 0, NULL)->err, "--base"));
    assert_null(strstr(expect("$E convert one.el -o one.csr --base=0", 0, NULL)->err, "--base"));
    assert_null(strstr(expect("$E convert a.el -o a.csr", 0, NULL)->err, "--base"));
    expect("printf '' > e.el; $E convert e.el -o e.csr", 0, "0 vertices, no edges");
    expect("printf '0 1 5 6\\n1 2 6 7\\n' > x.el; $E convert x.el -o x.csr", 0,
           "2 lines have columns that are not used");
    expect("printf '0 1\\nx y\\n2\\n' > s.el; $E convert s.el -o s.csr --on-error=skip", 0,
           "2 malformed lines were skipped");
    assert_non_null(strstr(run("$E convert s.el -q -o s.csr --on-error=skip")->err, "s.el:2: "));
    expect("printf '0 1 9007199254740993\\n' > r.el; $E convert r.el -o r.csr --weights=f64", 0,
           "1 integer weight is not exact in f64");
}

static void reports_the_same_bytes_as_json(void **state)
{
    (void)state;
    const result *got = expect("$E convert a.el -o a.csr --report=r.json --threads=1 && cat r.json", 0, NULL);
    const char *const parts[] = {
        "\"inputs\": [\n    \"a.el\"", "\"output\": \"a.csr\"", "\"arcs\": 4",     "\"vertices\": 3",   "\"loops\": 1",
        "\"skipped_lines\": 0",        "\"largest\": 2",        "\"isolated\": 0", "\"verified\": null"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_non_null(strstr(got->out, parts[i]));
    expect("mv r.json 1.json; $E convert a.el -o a.csr --report=r.json --threads=3 && cmp r.json 1.json", 0, NULL);
    expect("$E convert a.el -o a.csr --report=- | grep -q '\"arcs\": 4'", 0, NULL);
    /* A path that is not UTF-8 has to go into JSON somehow. */
    expect("cp a.el \"$(printf 'b\\377.el')\"; $E convert b*.el -o b.csr --report=b.json && grep -q 'b?.el' b.json", 0,
           NULL);
    expect("command -v python3 > /dev/null || exit 0; python3 -c \"import json; json.load(open('b.json'))\"", 0, NULL);
}

static void prints_the_whole_report_when_asked(void **state)
{
    (void)state;
    const char *const parts[] = {"loops", "largest out-degree", "comment lines", "checksum of arcs", "rows sorted"};
    const result *got = expect("$E convert a.el -o a.csr -v", 0, "a.el -> a.csr");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_non_null(strstr(got->err, parts[i]));
}

static void profiles_as_a_table_and_as_json(void **state)
{
    (void)state;
    const result *got = expect("$E convert a.el -o a.csr --profile --profile=p.json", 0, "of copy");
    assert_non_null(strstr(got->err, "wall ms"));
    assert_non_null(strstr(got->err, "save"));
    assert_non_null(strstr(got->err, "\ntotal "));
    assert_non_null(strstr(got->err, "VmHWM"));
    got = expect("cat p.json", 0, NULL);
    assert_non_null(strstr(got->out, "\"share_of_copy\""));
    assert_non_null(strstr(got->out, "\"peak_resident_bytes\""));
}

static void a_failure_leaves_everything_as_it_was(void **state)
{
    (void)state;
    expect("$E convert a.el -o a.csr --report=r.json --profile=p.json && cp a.csr before.csr && cp r.json before.json",
           0, NULL);
    const size_t n = n_entries();
    expect("printf '0 1\\nx y\\n' > one.el; $E convert one.el -o a.csr --report=r.json --profile=p.json", 3,
           "one.el:2:");
    assert_int_equal(n_entries(), n);
    expect("cmp a.csr before.csr && cmp r.json before.json", 0, NULL);
}

static void progress_is_shown_only_when_asked_off_a_terminal(void **state)
{
    (void)state;
    expect("(printf '0 1\\n'; sleep 0.6; printf '1 2\\n') | $E convert - -o p.csr --progress=always", 0, "->");
    assert_null(strchr(run("$E convert a.el -o a.csr --progress=auto")->err, '\r'));
    assert_null(strchr(run("$E convert a.el -o a.csr --progress=never")->err, '\r'));
}

static void a_signal_removes_the_temporary_file(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int status;
    } signals[] = {{"TERM", 143}, {"HUP", 129}, {"INT", 130}};
    run("mkfifo pipe");
    const size_t n = n_entries();
    for (size_t i = 0; i < 3; i++) {
        char line[512];
        /* The program runs in the foreground, since a shell has its background jobs ignore SIGINT. */
        snprintf(
            line, sizeof line,
            "sleep 2 > pipe & timeout -s %s --preserve-status 0.5 $E convert pipe -o b.csr; s=$?; kill $!; exit $s",
            signals[i].name);
        expect(line, signals[i].status, NULL);
        assert_int_equal(n_entries(), n);
    }
}

static void info_tells_the_facts_of_every_format(void **state)
{
    (void)state;
    expect("$E convert a.el -o a.csr && $E convert a.el -o a.npz", 0, NULL);
    const char *const files[] = {"a.el", "a.csr", "a.npz"};
    char line[128], first[65536] = "";
    for (size_t i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "$E info %s | grep -E 'vertices|arcs |loops|out-degree|checksum of arcs'",
                 files[i]);
        const result *got = expect(line, 0, NULL);
        assert_non_null(strstr(got->out, "largest out-degree"));
        const char *facts = strstr(got->out, "vertices");
        assert_non_null(facts);
        if (!*first)
            snprintf(first, sizeof first, "%s", facts);
        assert_string_equal(facts, first);
        snprintf(line, sizeof line, "$E info %s --json", files[i]);
        got = expect(line, 0, NULL);
        assert_non_null(strstr(got->out, "\"vertices\": 3"));
        assert_non_null(strstr(got->out, "\"arcs\": 4"));
    }
    expect("$E info a.csr --base=1", 2, "--base says how text is read");
    expect("$E info missing.csr", 4, "missing.csr");
}

static void verify_checks_a_file_alone(void **state)
{
    (void)state;
    expect("$E convert a.el -o a.csr && $E verify a.csr", 0, NULL);
    expect("$E verify -q a.csr", 0, NULL);
    assert_string_equal(run("$E verify -q a.csr")->out, "");
    expect("head -c -3 a.csr > cut.csr; $E verify cut.csr", 3, "cut.csr");
    expect("$E verify a.el", 3, NULL);
    expect("$E convert a.el -o a.csr --verify=self", 0, "self-check passed after ");
    expect("$E convert a.el -o a.npz --verify=self --order=input", 0, "self-check passed after ");
    expect("$E convert a.el -o b.el --verify=self", 0, "self-check passed after ");
}

static void a_judge_that_fails_is_told_of_the_output_and_not_of_its_temporary(void **state)
{
    (void)state;
    run("mkdir bin && cp $E bin && printf '#!/bin/sh\nexit 3\n' >bin/edgemill-igraph && chmod +x bin/edgemill-igraph");
    expect("bin/edgemill convert a.el -o a.csr --verify", 3, "edgemill: a.csr: edgemill-igraph found malformed data");
    expect("test -e a.csr", 1, NULL);
}

static void igraph_judges_what_convert_wrote(void **state)
{
    (void)state;
    if (run("test -x $E-igraph")->status != 0)
        skip();
    expect("$E convert a.el -o a.csr --verify", 0, "igraph agrees after ");
    expect("$E convert w.el one.el -o m.csr --verify", 3, NULL); /* weighted and not */
    expect("$E convert w.el -o w.npz --verify=igraph --order=input", 0, "igraph agrees after ");
    expect("$E convert a.el -o a.csr --verify=igraph:2", 0, "igraph agrees after ");
    expect("$E convert a.el -o a.u32 && $E convert a.u32 -o b.csr --verify && cmp a.csr b.csr", 0, "igraph agrees");
    expect("$E verify a.csr a.el", 0, NULL);
    expect("cp a.el ./-dash.el; $E verify a.csr -- -dash.el", 0, NULL);
    expect("$E verify a.csr one.el", 1, NULL);
    expect("$E verify a.csr a.el --base=1", 3, "a.el:1:");
}

static void an_interrupted_run_takes_the_judge_with_it(void **state)
{
    (void)state;
    if (run("test -x ${E%/*}/edgemill-igraph")->status != 0)
        skip();
    run("$E convert a.el -o a.csr; mkfifo endless");
    expect("$E verify a.csr endless & p=$!\n"
           "for i in 1 2 3 4 5 6 7 8 9 10; do sleep .1; read judge rest < /proc/$p/task/$p/children && break; done\n"
           "kill -TERM $p; wait $p; test $? = 143 || exit 1\n"
           "for i in 1 2 3 4 5 6 7 8 9 10; do sleep .1; grep -q '^State:.[RSD]' /proc/$judge/status || exit 0; done\n"
           "kill $judge; exit 2",
           0, NULL);
}

static void a_line_of_zeros_without_end_is_told_at_its_begin(void **state)
{
    (void)state;
    expect("timeout 5 $E convert /dev/zero -o zero.csr", 3, "/dev/zero:1:1: NUL byte");
    expect("(echo '# x'; cat /dev/zero) | timeout 5 $E convert - -o zero.csr", 3, "standard input:2:1: NUL byte");
    assert_int_equal(n_entries(), 3);
}

/* Sanitizers need more addresses than any limit; clang's libomp takes addresses of its own after the team was tried,
 * and aborts. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define THREADS_MAY_BE_FEW
static void threads_that_do_not_start_are_done_without(void **state)
{
    (void)state;
    expect("ulimit -v 200000; cat a.el | $E convert - -o many.csr --threads=64", 0, NULL); /* 8 MiB of stack each */
    expect("$E convert a.el -o one.csr --threads=1 && cmp one.csr many.csr", 0, NULL);
}
#endif

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        TEST(prints_help_on_standard_output),
        TEST(names_version_licence_and_features),
        TEST(says_when_standard_output_is_full),
        TEST(lists_formats_and_stages),
        TEST(refuses_unknown_commands_with_a_hint),
        TEST(says_what_is_not_built_yet),
        TEST(refuses_unknown_options_with_the_nearest_name),
        TEST(refuses_values_that_make_no_sense),
        TEST(refuses_outputs_that_are_inputs_or_each_other),
        TEST(checks_outputs_before_any_input_is_read),
        TEST(refuses_to_verify_what_cannot_be_read_again),
        TEST(converts_and_says_so_in_one_line),
        TEST(takes_options_and_operands_in_any_order),
        TEST(hints_at_what_is_odd_in_the_input),
        TEST(reports_the_same_bytes_as_json),
        TEST(prints_the_whole_report_when_asked),
        TEST(profiles_as_a_table_and_as_json),
        TEST(a_failure_leaves_everything_as_it_was),
        TEST(progress_is_shown_only_when_asked_off_a_terminal),
        TEST(a_signal_removes_the_temporary_file),
        TEST(info_tells_the_facts_of_every_format),
        TEST(verify_checks_a_file_alone),
        TEST(a_judge_that_fails_is_told_of_the_output_and_not_of_its_temporary),
        TEST(igraph_judges_what_convert_wrote),
        TEST(an_interrupted_run_takes_the_judge_with_it),
        TEST(a_line_of_zeros_without_end_is_told_at_its_begin),
#ifdef THREADS_MAY_BE_FEW
        TEST(threads_that_do_not_start_are_done_without),
#endif
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
