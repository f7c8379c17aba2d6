/* options - the one table of options, and the command line taken apart by it.
 *
 * A stage's options are the command's options: a row that names a stage is passed on to it word for word as
 * "--name=value" and is not interpreted here; the stage's own parser judges the value. The same table gives the help
 * text, so the two cannot drift apart. getopt_long is not used because it accepts abbreviations (a script that says
 * --sep today would change its meaning when a second option begins so) and cannot say what was meant instead.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    READS = EM_CLI_CONVERT | EM_CLI_INFO | EM_CLI_VERIFY_COMMAND,
    CLEANS = EM_CLI_CONVERT | EM_CLI_VERIFY_COMMAND,
    RUNS = EM_CLI_CONVERT | EM_CLI_RUN,
    ALL = READS | RUNS | EM_CLI_PLAN | EM_CLI_LIST | EM_CLI_SCAN | EM_CLI_BENCH,
    MOST_THREADS = 1024,
};

const em_cli_option em_cli_options[EM_CLI_N_OPTIONS] = {
    [EM_CLI_FROM] = {"from", 0, EM_CLI_VALUE, READS, "load", "FORMAT",
                     "see 'edgemill formats' (default: told by content, then suffix, else el)", "Reading"},
    [EM_CLI_SEPARATOR] = {"separator", 0, EM_CLI_VALUE, READS, "load", "C",
                          "one character, or tab, space, \\t (default: found on the first data line)", NULL},
    [EM_CLI_HEADER] = {"header", 0, EM_CLI_MAYBE, READS, "load", "N",
                       "skip N lines (default 1; 0: none); the first that is no comment names the columns", NULL},
    [EM_CLI_COLUMNS] = {"columns", 0, EM_CLI_VALUE, READS, "load", "S,D[,W]",
                        "columns of source, target and weight: numbers from 1, or names of the header", NULL},
    [EM_CLI_COMMENT] = {"comment", 0, EM_CLI_VALUE, READS, "load", "C",
                        "lines that start with C are comments (default: #, % and //)", NULL},
    [EM_CLI_BASE] = {"base", 0, EM_CLI_VALUE, READS, "load", "0|1", "smallest id in the input (default 0)", NULL},
    [EM_CLI_IDS] = {"ids", 0, EM_CLI_VALUE, READS, "load", "number|string",
                    "ids are numbers (default), or labels, which are numbered by first appearance", NULL},
    [EM_CLI_VERTICES] = {"vertices", 0, EM_CLI_VALUE, READS, "load", "N",
                         "there are N vertices; an id past them is an error (default: largest id + 1)", NULL},
    [EM_CLI_VERTICES_FROM] = {"vertices-from", 0, EM_CLI_VALUE, READS, "load", "FILE",
                              "ids listed in FILE, one a line, are the vertices; any other id is an error", NULL},
    [EM_CLI_WEIGHTS] = {"weights", 0, EM_CLI_VALUE, READS, "load", "KIND",
                        "auto, none, i32, i64, f32 or f64 (default auto: a third numeric column holds weights)", NULL},
    [EM_CLI_ON_ERROR] = {"on-error", 0, EM_CLI_VALUE, READS, "load", "fail|skip",
                         "a malformed line stops (default), or is skipped, counted and listed", NULL},
    [EM_CLI_FILTER] = {"filter", 0, EM_CLI_VALUE, CLEANS, "filter", "EXPR",
                       "keep arcs for which EXPR holds, such as 'src != dst && weight > 0.5'",
                       "Cleaning, in this order"},
    [EM_CLI_DROP_LOOPS] = {"drop-loops", 0, EM_CLI_FLAG, CLEANS, "drop-loops", NULL,
                           "drop arcs from a vertex to itself", NULL},
    [EM_CLI_TRANSPOSE] = {"transpose", 0, EM_CLI_FLAG, CLEANS, "transpose", NULL, "swap source and target", NULL},
    [EM_CLI_SYMMETRIZE] = {"symmetrize", 0, EM_CLI_FLAG, CLEANS, "symmetrize", NULL,
                           "add the reverse of every arc that is no loop", NULL},
    [EM_CLI_DEDUP] = {"dedup", 0, EM_CLI_MAYBE, CLEANS, "dedup", "POLICY",
                      "one arc of equal ones remains, whose weight is the first (default), last, sum,\n"
                      "min, max, mean or count",
                      NULL},
    [EM_CLI_AMONG] = {"among", 0, EM_CLI_VALUE, CLEANS, "among", "FILE",
                      "keep arcs among the vertices listed in FILE, one a line", NULL},
    [EM_CLI_MIN_DEGREE] = {"min-degree", 0, EM_CLI_VALUE, CLEANS, "min-degree", "N",
                           "keep arcs among vertices that have at least N arcs out at that point", NULL},
    [EM_CLI_RELABEL] = {"relabel", 0, EM_CLI_VALUE, CLEANS, "relabel", "HOW",
                        "new ids: dense, first, degree, degree-asc, random[:SEED], bfs, rcm, or a FILE of them;\n"
                        "dense and first drop vertices without arcs",
                        NULL},
    [EM_CLI_START] = {"start", 0, EM_CLI_VALUE, CLEANS, "relabel", "ID", "where --relabel=bfs begins (default 0)",
                      NULL},
    [EM_CLI_ORDER] = {"order", 0, EM_CLI_VALUE, READS, NULL, "sorted|input",
                      "order within a row: by target (default), or as the input has it", "Building"},
    [EM_CLI_FILE] = {"file", 'f', EM_CLI_VALUE, EM_CLI_RUN | EM_CLI_PLAN, NULL, "FILE",
                     "read the pipeline from FILE; - is standard input", "Pipeline"},
    [EM_CLI_GIVEN] = {"given", 0, EM_CLI_VALUE, EM_CLI_PLAN, NULL, "LIST",
                      "plan for these numbers: n=N,m=M,weights=KIND and STAGE=K for K arcs behind a stage", NULL},
    [EM_CLI_OUTPUT] = {"output", 'o', EM_CLI_VALUE, EM_CLI_CONVERT, NULL, "FILE",
                       "where the graph goes; - is standard output", "Writing"},
    [EM_CLI_TO] = {"to", 0, EM_CLI_VALUE, EM_CLI_CONVERT, "save", "FORMAT",
                   "format of the output (default: told by its suffix)", NULL},
    [EM_CLI_MAP] = {"map", 0, EM_CLI_VALUE, CLEANS, "save", "FILE",
                    "write the old id or label of every vertex: new<TAB>old a line", NULL},
    [EM_CLI_EDGE_IDS] = {"edge-ids", 0, EM_CLI_VALUE, CLEANS, "save", "FILE",
                         "write the number in the input, from 0, of every stored arc, one a line", NULL},
    [EM_CLI_VERIFY] = {"verify", 0, EM_CLI_MAYBE, RUNS, NULL, "HOW",
                       "check the result before it is published: igraph (default) rebuilds the graph\n"
                       "with igraph and compares all of it, igraph:K compares K ranges of rows, self\n"
                       "checks invariants and a checksum of all arcs",
                       NULL},
    [EM_CLI_ALGORITHM] = {"algorithm", 0, EM_CLI_VALUE, EM_CLI_SCAN, NULL, "NAME",
                          "auto (default, by size), serial, tiled, lookback, or the textbook's hillis-steele\n"
                          "and blelloch (default with --trace, --dot and --svg)",
                          "Scanning"},
    [EM_CLI_OP] = {"op", 0, EM_CLI_VALUE, EM_CLI_SCAN, NULL, "OPERATOR", "one of those below (default sum)", NULL},
    [EM_CLI_TYPE] = {"type", 0, EM_CLI_VALUE, EM_CLI_SCAN, NULL, "TYPE",
                     "u32, i32, u64, i64, f32 or f64 (default: i64 where all numbers are spelled as\n"
                     "integers, else f64; where the operator has no such type, u64, u32 or f32)",
                     NULL},
    [EM_CLI_EXCLUSIVE] = {"exclusive", 0, EM_CLI_FLAG, EM_CLI_SCAN, NULL, NULL,
                          "each result is of what precedes its item (default: the item is in it)", NULL},
    [EM_CLI_INITIAL] = {"initial", 0, EM_CLI_VALUE, EM_CLI_SCAN, NULL, "V", "an item that precedes the first one",
                        NULL},
    [EM_CLI_INPUT] = {"input", 0, EM_CLI_VALUE, EM_CLI_SCAN, NULL, "FILE",
                      "read the numbers from FILE; - is standard input", NULL},
    [EM_CLI_COUNT] = {"count", 0, EM_CLI_VALUE, EM_CLI_SCAN, NULL, "N",
                      "make N items: 0 to N - 1 (low bits in 32 bits), as terms of affine maps of factor 1;\n"
                      "matrices 1:1:0:1 and 1:0:1:1 in turn",
                      NULL},
    [EM_CLI_TRACE] = {"trace", 0, EM_CLI_FLAG, EM_CLI_SCAN, NULL, NULL,
                      "print a table of rounds, or of tiles, instead of the results", "Showing"},
    [EM_CLI_DOT] = {"dot", 0, EM_CLI_FLAG, EM_CLI_SCAN, NULL, NULL,
                    "print the graph of combines for Graphviz instead of the results", NULL},
    [EM_CLI_SVG] = {"svg", 0, EM_CLI_VALUE, EM_CLI_SCAN, NULL, "FILE",
                    "write a picture of the rounds; - replaces the results", NULL},
    [EM_CLI_TIME] = {"time", 0, EM_CLI_FLAG, EM_CLI_SCAN, NULL, NULL,
                     "print elements, ns and GB/s (bytes in and out), the median of 3 to 11 scans, instead of\n"
                     "the results",
                     NULL},
    [EM_CLI_TILE] = {"tile", 0, EM_CLI_VALUE, EM_CLI_SCAN, NULL, "N",
                     "items in a tile of tiled and lookback (default: by size; 4 with --trace);\n"
                     "sums and products of floats take whole leaves of 4096",
                     "Running"},
    [EM_CLI_BENCH_SIZES] = {"sizes", 0, EM_CLI_VALUE, EM_CLI_BENCH, NULL, "LIST",
                            "numbers of elements, such as 1000,64K,1M (K M G are 1000-based)", "What to measure"},
    [EM_CLI_BENCH_MAX] = {"max", 0, EM_CLI_VALUE, EM_CLI_BENCH, NULL, "SIZE",
                          "1, 2 and 5 of every decade from 1K to SIZE (default 100M; of mat2 a quarter)", NULL},
    [EM_CLI_BENCH_TYPES] = {"types", 0, EM_CLI_VALUE, EM_CLI_BENCH, NULL, "LIST",
                            "of u32 i32 u64 i64 f32 f64 mat2 offsets-u32 offsets-u64 (default: all)", NULL},
    [EM_CLI_BENCH_TILES] = {"tiles", 0, EM_CLI_FLAG, EM_CLI_BENCH, NULL, NULL,
                            "instead: 1 to 64 tiles a core, for the first type at the largest size", NULL},
    [EM_CLI_BENCH_TUNE] = {"tune", 0, EM_CLI_FLAG, EM_CLI_BENCH, NULL, NULL,
                           "instead: the numbers of scan/tuning.h and of the operators, measured", NULL},
    [EM_CLI_BENCH_PAIRS] = {"pairs", 0, EM_CLI_VALUE, EM_CLI_BENCH, NULL, "K",
                            "rounds in which everything runs once: odd, 1 to 255 (default 11)", NULL},
    [EM_CLI_BENCH_PEERS] = {"peers", 0, EM_CLI_VALUE, EM_CLI_BENCH, NULL, "FILE",
                            "the peers to load (default: edgemill-peers.so, where the program or libexec is)", NULL},
    [EM_CLI_THREADS] = {"threads", 0, EM_CLI_VALUE, READS | EM_CLI_RUN | EM_CLI_PLAN | EM_CLI_SCAN | EM_CLI_BENCH, NULL,
                        "N", "threads to use, 1 to 1024 (default: the processors this process may use)", "Running"},
    [EM_CLI_DEVICE] = {"device", 0, EM_CLI_VALUE, READS | EM_CLI_RUN | EM_CLI_PLAN, NULL, "auto|cpu",
                       "where to compute (cuda is not built yet)", NULL},
    [EM_CLI_PROFILE] = {"profile", 0, EM_CLI_MAYBE, RUNS, NULL, "FILE",
                        "time, bytes, memory of every stage: a table on standard error, or FILE.json; repeatable",
                        "Reporting"},
    [EM_CLI_REPORT] = {"report", 0, EM_CLI_VALUE, RUNS, NULL, "FILE",
                       "JSON of what was read, kept, skipped and changed", NULL},
    [EM_CLI_JSON] = {"json", 0, EM_CLI_FLAG, EM_CLI_INFO | EM_CLI_PLAN, NULL, NULL, "print JSON", "Reporting"},
    [EM_CLI_BENCH_JSON] = {"json", 0, EM_CLI_VALUE, EM_CLI_BENCH, NULL, "FILE",
                           "write the figures and every time measured as JSON", NULL},
    [EM_CLI_BENCH_SVG] = {"svg", 0, EM_CLI_VALUE, EM_CLI_BENCH, NULL, "FILE",
                          "write a plot of GB/s against the number of elements", NULL},
    [EM_CLI_PROGRESS] = {"progress", 0, EM_CLI_VALUE, RUNS | EM_CLI_INFO, NULL, "WHEN",
                         "auto (default: only on a terminal), always or never", NULL},
    [EM_CLI_QUIET] = {"quiet", 'q', EM_CLI_FLAG, RUNS | EM_CLI_VERIFY_COMMAND, NULL, NULL,
                      "no summary line; warnings and errors stay", NULL},
    [EM_CLI_VERBOSE] = {"verbose", 'v', EM_CLI_FLAG, RUNS, NULL, NULL, "print the whole report on standard error",
                        NULL},
    [EM_CLI_HELP] = {"help", 'h', EM_CLI_FLAG, ALL, NULL, NULL, "print this and exit", "General"},
    [EM_CLI_VERSION] = {"version", 0, EM_CLI_FLAG, ALL, NULL, NULL, "print version and features and exit", NULL},
};

/* Words that the design gives to convert and that are still to be built. */
static const char *const unbuilt[] = {"memory"};

/* The row called name[0, length), the command's own where several are called so; or EM_CLI_N_OPTIONS. */
static int find(const em_cli_line *line, const char *name, size_t length)
{
    int found = EM_CLI_N_OPTIONS;
    for (int id = 0; id < EM_CLI_N_OPTIONS; id++) {
        if (strlen(em_cli_options[id].name) != length || memcmp(em_cli_options[id].name, name, length) != 0)
            continue;
        if (em_cli_options[id].commands & line->command_bit)
            return id;
        found = id;
    }
    return found;
}

static int find_letter(char letter)
{
    int id = 0;
    while (id < EM_CLI_N_OPTIONS && em_cli_options[id].letter != letter)
        id++;
    return id;
}

static em_status unknown(const em_cli_line *line, const char *name, size_t length, em_error *error)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    for (size_t i = 0; i < sizeof unbuilt / sizeof *unbuilt; i++)
        if (strcmp(unbuilt[i], word) == 0)
            return em_fail(error, EM_USAGE, "option --%s is not built yet", word);
    const char *names[EM_CLI_N_OPTIONS];
    size_t n = 0;
    for (int id = 0; id < EM_CLI_N_OPTIONS; id++)
        if (em_cli_options[id].commands & line->command_bit)
            names[n++] = em_cli_options[id].name;
    const char *near = em_nearest(word, names, n);
    if (near)
        return em_fail(error, EM_USAGE, "unknown option --%s; did you mean --%s?", word, near);
    return em_fail(error, EM_USAGE, "unknown option --%s", word);
}

/* Appends "--name" or "--name=value" to a stage's words. */
static void pass_on(em_cli_line *line, const em_cli_option *option, const char *value, char **text)
{
    char *word = *text;
    *text += sprintf(word, value ? "--%s=%s" : "--%s", option->name, value) + 1;
    if (strcmp(option->stage, "load") == 0)
        line->load[line->n_load++] = word;
    else if (strcmp(option->stage, "save") == 0)
        line->save[line->n_save++] = word;
}

static em_status one_of(const char *name, const char *value, const char *first, const char *second, const char *third,
                        em_error *error)
{
    if (strcmp(value, first) == 0 || strcmp(value, second) == 0 || (third && strcmp(value, third) == 0))
        return EM_OK;
    return em_fail(error, EM_USAGE, "--%s=%s: it is %s%s %s%s%s", name, value, first, third ? "," : " or", second,
                   third ? " or " : "", third ? third : "");
}

static em_status parse_threads(em_cli_line *line, const char *value, em_error *error)
{
    uint32_t n = 0;
    const char *at = value;
    while (*at >= '0' && *at <= '9' && n <= MOST_THREADS)
        n = n * 10 + (uint32_t)(*at++ - '0');
    if (*at || at == value || n < 1 || n > MOST_THREADS)
        return em_fail(error, EM_USAGE, "--threads=%s: a number from 1 to %d is wanted", value, (int)MOST_THREADS);
    line->n_threads = n;
    return EM_OK;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static em_status parse_profile(em_cli_line *line, const char *value, em_error *error)
{
    if (ends_with(value, ".trace.json") || ends_with(value, ".html"))
        return em_fail(error, EM_USAGE, "--profile=%s: profiles of this kind are not built yet; .json is", value);
    if (!ends_with(value, ".json"))
        return em_fail(error, EM_USAGE,
                       "--profile=%s: the file must end in .json; without a file the profile is a "
                       "table on standard error",
                       value);
    if (line->n_profiles == EM_CLI_PROFILES)
        return em_fail(error, EM_USAGE, "--profile=%s: more than %d profile files", value, (int)EM_CLI_PROFILES);
    line->profiles[line->n_profiles++] = value;
    return EM_OK;
}

/* Judges the values of the command's own options. */
static em_status own_option(em_cli_line *line, em_cli_id id, const char *value, em_error *error)
{
    const char *name = em_cli_options[id].name;
    if (!value) {
        line->profile_table |= id == EM_CLI_PROFILE;
        return EM_OK;
    }
    switch (id) {
    case EM_CLI_OUTPUT:
    case EM_CLI_FILE:
    case EM_CLI_GIVEN:
    case EM_CLI_REPORT:
    case EM_CLI_SVG:
    case EM_CLI_BENCH_JSON:
    case EM_CLI_BENCH_SVG:
        if (line->given[id])
            return em_fail(error, EM_USAGE, "--%s is given twice: %s and %s", name, line->value[id], value);
        return *value ? EM_OK : em_fail(error, EM_USAGE, "--%s: the file name is empty", name);
    case EM_CLI_DEVICE:
        if (strcmp(value, "cuda") == 0)
            return em_fail(error, EM_USAGE, "option --device=cuda is not built yet");
        return one_of(name, value, "auto", "cpu", NULL, error);
    case EM_CLI_ORDER:
        return one_of(name, value, "sorted", "input", NULL, error);
    case EM_CLI_PROGRESS:
        return one_of(name, value, "auto", "always", "never", error);
    case EM_CLI_THREADS:
        return parse_threads(line, value, error);
    case EM_CLI_PROFILE:
        return parse_profile(line, value, error);
    default:
        return EM_OK;
    }
}

static em_status check_belongs(const em_cli_line *line, int id, em_error *error)
{
    if (em_cli_options[id].commands & line->command_bit)
        return EM_OK;
    return em_fail(error, EM_USAGE, "option --%s does not belong to '%s'", em_cli_options[id].name, line->command);
}

static em_status take(em_cli_line *line, int id, const char *value, char **text, em_error *error)
{
    const em_cli_option *option = &em_cli_options[id];
    if (check_belongs(line, id, error) != EM_OK)
        return EM_USAGE;
    if (option->stage && (strcmp(option->stage, "load") == 0 || strcmp(option->stage, "save") == 0)) {
        /* a name that is missing would be looked for as a file before save is asked */
        if (strcmp(option->stage, "save") == 0 && value && !*value)
            return em_fail(error, EM_USAGE, "--%s needs a value: --%s=%s", option->name, option->name, option->value);
        pass_on(line, option, value, text);
    } else if (option->stage) {
        if (line->given[id] && value && line->value[id])
            return em_fail(error, EM_USAGE, "--%s is given twice: %s and %s", option->name, line->value[id], value);
        if (value && !*value)
            return em_fail(error, EM_USAGE, "--%s needs a value: --%s=%s", option->name, option->name, option->value);
    } else {
        const em_status status = own_option(line, (em_cli_id)id, value, error);
        if (status != EM_OK)
            return status;
    }
    line->given[id] = true;
    line->value[id] = value;
    return EM_OK;
}

/* --name, --name=value, --name value; *at moves past what was used. */
static em_status take_long(em_cli_line *line, int argc, char **argv, int *at, char **text, em_error *error)
{
    const char *name = argv[*at] + 2, *equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const int id = find(line, name, length);
    const char *value = equals ? equals + 1 : NULL;
    if (id == EM_CLI_N_OPTIONS)
        return unknown(line, name, length, error);
    if (check_belongs(line, id, error) != EM_OK) /* whether or not it has the value it takes elsewhere */
        return EM_USAGE;
    const em_cli_kind kind = em_cli_options[id].kind;
    if (kind == EM_CLI_FLAG && value)
        return em_fail(error, EM_USAGE, "option --%s takes no value", em_cli_options[id].name);
    if (kind == EM_CLI_VALUE && !value) {
        if (*at + 1 == argc)
            return em_fail(error, EM_USAGE, "option --%s needs a value: --%s=%s", em_cli_options[id].name,
                           em_cli_options[id].name, em_cli_options[id].value);
        value = argv[++*at];
    }
    return take(line, id, value, text, error);
}

/* -q, -qv, -o FILE, -oFILE. */
static em_status take_short(em_cli_line *line, int argc, char **argv, int *at, char **text, em_error *error)
{
    em_status status = EM_OK;
    if (argv[*at][2] && find(line, argv[*at] + 1, strlen(argv[*at] + 1)) < EM_CLI_N_OPTIONS)
        return em_fail(error, EM_USAGE, "unknown option %s; did you mean -%s?", argv[*at], argv[*at]);
    for (const char *letter = argv[*at] + 1; *letter && status == EM_OK; letter++) {
        const int id = find_letter(*letter);
        if (id == EM_CLI_N_OPTIONS)
            return em_fail(error, EM_USAGE, "unknown option -%c%s", *letter,
                           letter[1] || letter > argv[*at] + 1 ? "; long options begin with two dashes" : "");
        if (em_cli_options[id].kind != EM_CLI_VALUE) {
            status = take(line, id, NULL, text, error);
            continue;
        }
        if (letter[1])
            return take(line, id, letter + 1, text, error);
        if (*at + 1 == argc)
            return em_fail(error, EM_USAGE, "option -%c needs a value: -%c %s", *letter, *letter,
                           em_cli_options[id].value);
        return take(line, id, argv[++*at], text, error);
    }
    return status;
}

/* Whether a word is an operand though it begins with a dash. Numbers to be scanned may be negative, or not numbers at
 * all (-inf); no option begins with these characters. */
static bool is_number(const em_cli_line *line, const char *word)
{
    return line->command_bit == EM_CLI_SCAN && strchr("0123456789.iInN", word[1]);
}

/* Room for every word: no list is longer than argc + 1, and a word passed on is no longer than what it came from. */
static em_status make_room(em_cli_line *line, int argc, char **argv, em_error *error)
{
    size_t n_bytes = 1;
    for (int i = 0; i < argc; i++)
        n_bytes += strlen(argv[i]) + 2;
    const size_t n = (size_t)argc + 1;
    line->pointers = calloc(3 * n, sizeof *line->pointers);
    line->text = malloc(n_bytes);
    if (!line->pointers || !line->text)
        return em_fail(error, EM_NO_MEMORY, "out of memory for %d words", argc);
    line->operands = line->pointers;
    line->load = line->pointers + n;
    line->save = line->pointers + 2 * n;
    return EM_OK;
}

/* Whether a word would do as the value of an option whose value may be left out. */
static bool is_value_of(int id, const char *word)
{
    static const char *const policies[] = {"first", "last", "sum", "min", "max", "mean", "count"};
    switch (id) {
    case EM_CLI_HEADER:
        return *word && word[strspn(word, "0123456789")] == 0;
    case EM_CLI_VERIFY:
        return strcmp(word, "self") == 0 || strcmp(word, "igraph") == 0 || strncmp(word, "igraph:", 7) == 0;
    case EM_CLI_PROFILE:
        return ends_with(word, ".json");
    case EM_CLI_DEDUP:
        for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
            if (strcmp(word, policies[i]) == 0)
                return true;
        return false;
    default:
        return false;
    }
}

/* An operand behind such an option: where there is no file called so, its value was meant. */
static em_status check_operand(int id_before, const char *word, em_error *error)
{
    if (id_before == EM_CLI_N_OPTIONS || !is_value_of(id_before, word) || access(word, F_OK) == 0)
        return EM_OK;
    const char *const name = em_cli_options[id_before].name;
    return em_fail(error, EM_USAGE, "--%s %s: '%s' is no file; a value of --%s stands behind =: --%s=%s", name, word,
                   word, name, name, word);
}

/* The option that a word is if it can have a value and has none; EM_CLI_N_OPTIONS: it is another word. */
static int valueless(const em_cli_line *line, const char *word)
{
    const int id = find(line, word + 2, strlen(word + 2));
    return id < EM_CLI_N_OPTIONS && em_cli_options[id].kind == EM_CLI_MAYBE ? id : EM_CLI_N_OPTIONS;
}

em_status em_cli_parse(em_cli_line *line, unsigned command_bit, int argc, char **argv, em_error *error)
{
    *line = (em_cli_line){.command = argv[0], .command_bit = command_bit};
    em_status status = make_room(line, argc, argv, error);
    char *text = line->text;
    bool only_operands = false;
    int before = EM_CLI_N_OPTIONS; /* the option just in front, if its value was left out */
    for (int at = 1; at < argc && status == EM_OK; at++) {
        const char *word = argv[at];
        if (only_operands || word[0] != '-' || !word[1] || is_number(line, word)) {
            line->operands[line->n_operands++] = argv[at];
            status = check_operand(before, word, error);
            before = EM_CLI_N_OPTIONS;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
            before = EM_CLI_N_OPTIONS;
        } else if (word[1] == '-') {
            before = valueless(line, word);
            status = take_long(line, argc, argv, &at, &text, error);
        } else {
            before = EM_CLI_N_OPTIONS;
            status = take_short(line, argc, argv, &at, &text, error);
        }
        if (line->given[EM_CLI_HELP] || line->given[EM_CLI_VERSION])
            break; /* whatever else is there */
    }
    return status;
}

void em_cli_line_free(em_cli_line *line)
{
    free(line->pointers);
    free(line->text);
    *line = (em_cli_line){0};
}
