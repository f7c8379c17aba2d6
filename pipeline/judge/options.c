/* options - the command line of the judge: convert's options that shape the graph, under the same names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char usage[] =
    "Usage: edgemill-igraph [OPTIONS] CSR INPUT...\n"
    "Rebuilds the graph of INPUT... with igraph and compares it with the file CSR (.csr or .npz).\n"
    "Exit: 0 equal, 1 different, 2 usage, 3 malformed input, 4 environment.\n"
    "\n"
    "  --from=el|csv|u32|u64|npz|csr|mtx   format of the inputs (default: content, then suffix)\n"
    "  --separator=C  --comment=C  --header[=N]  --columns=S,D[,W]  --base=0|1\n"
    "  --vertices=N  --vertices-from=FILE  --weights=auto|none|i32|i64|f32|f64\n"
    "  --on-error=fail|skip  --order=sorted|input  --ids=number|string\n"
    "  --filter=EXPR  --drop-loops  --transpose  --symmetrize  --dedup[=first|last|sum|min|max|mean|count]\n"
    "  --among=FILE  --min-degree=N  --start=ID\n"
    "  --relabel=dense|first|degree|degree-asc|random[:SEED]|bfs|rcm|FILE\n"
    "  --map=FILE  --edge-ids=FILE   judge these, too\n"
    "  --undirect  --largest-component  --head=N  --sample=P[:SEED]  --drop-isolated   only in pipelines\n"
    "  --as-typed          what becomes of the arcs is done in the order typed, and as often\n"
    "  --ranges=K[:SEED]   judge only K of the source ranges, drawn by SEED (default 1)\n"
    "  --memory=BYTES      what igraph may use; more is judged in source ranges one after another\n"
    "  --threads=N         ignored: the judge has one thread\n"
    "  --parent=PID        end when that process, which started the judge, does\n";

enum choice {
    FROM = 1,
    SEPARATOR,
    COMMENT,
    HEADER,
    COLUMNS,
    BASE,
    VERTICES,
    VERTICES_FROM,
    WEIGHTS,
    ON_ERROR,
    ORDER,
    IDS,
    FILTER,
    DROP_LOOPS,
    TRANSPOSE,
    SYMMETRIZE,
    DEDUP,
    AMONG,
    MIN_DEGREE,
    UNDIRECT,
    LARGEST_COMPONENT,
    HEAD,
    SAMPLE,
    DROP_ISOLATED,
    RELABEL,
    AS_TYPED,
    START,
    MAP,
    EDGE_IDS,
    RANGES,
    MEMORY,
    THREADS,
    PARENT,
    HELP
};

static const struct option_name {
    const char *name;
    int argument;
} option_names[] = {
    [FROM] = {"from", required_argument},
    [SEPARATOR] = {"separator", required_argument},
    [COMMENT] = {"comment", required_argument},
    [HEADER] = {"header", optional_argument},
    [COLUMNS] = {"columns", required_argument},
    [BASE] = {"base", required_argument},
    [VERTICES] = {"vertices", required_argument},
    [VERTICES_FROM] = {"vertices-from", required_argument},
    [WEIGHTS] = {"weights", required_argument},
    [ON_ERROR] = {"on-error", required_argument},
    [ORDER] = {"order", required_argument},
    [IDS] = {"ids", required_argument},
    [FILTER] = {"filter", required_argument},
    [DROP_LOOPS] = {"drop-loops", no_argument},
    [TRANSPOSE] = {"transpose", no_argument},
    [SYMMETRIZE] = {"symmetrize", no_argument},
    [DEDUP] = {"dedup", optional_argument},
    [AMONG] = {"among", required_argument},
    [MIN_DEGREE] = {"min-degree", required_argument},
    [UNDIRECT] = {"undirect", no_argument},
    [LARGEST_COMPONENT] = {"largest-component", no_argument},
    [HEAD] = {"head", required_argument},
    [SAMPLE] = {"sample", required_argument},
    [DROP_ISOLATED] = {"drop-isolated", no_argument},
    [RELABEL] = {"relabel", required_argument},
    [AS_TYPED] = {"as-typed", no_argument},
    [START] = {"start", required_argument},
    [MAP] = {"map", required_argument},
    [EDGE_IDS] = {"edge-ids", required_argument},
    [RANGES] = {"ranges", required_argument},
    [MEMORY] = {"memory", required_argument},
    [THREADS] = {"threads", required_argument},
    [PARENT] = {"parent", required_argument},
    [HELP] = {"help", no_argument},
};
enum { N_OPTIONS = sizeof option_names / sizeof *option_names };

/* The number of `word` in a blank-separated list. */
static int one_of(const char *name, const char *word, const char *list)
{
    size_t n = strlen(word);
    int index = 0;
    for (const char *at = list; *at; index++) {
        size_t length = strcspn(at, " ");
        if (length == n && memcmp(at, word, n) == 0)
            return index;
        at += length + (at[length] == ' ');
    }
    fail(EXIT_USAGE, "--%s=%s: one of %s is expected", name, word, list);
}

static uint64_t natural(const char *name, const char *word)
{
    uint64_t value;
    if (!parse_natural(word, strlen(word), &value))
        fail(EXIT_USAGE, "--%s=%s: a number is expected", name, word);
    return value;
}

static char character(const char *name, const char *word)
{
    if (strcmp(word, "tab") == 0 || strcmp(word, "\\t") == 0)
        return '\t';
    if (strcmp(word, "space") == 0)
        return ' ';
    if (strlen(word) != 1)
        fail(EXIT_USAGE, "--%s=%s: one character is expected", name, word);
    return word[0];
}

static void parse_ranges(struct options *options, const char *word)
{
    const char *colon = strchr(word, ':');
    size_t n = colon ? (size_t)(colon - word) : strlen(word);
    options->seed = 1;
    if (!parse_natural(word, n, &options->n_ranges) || options->n_ranges == 0 || options->n_ranges > 1 << 20 ||
        (colon && !parse_natural(colon + 1, strlen(colon + 1), &options->seed)))
        fail(EXIT_USAGE, "--ranges=%s: K or K:SEED is expected", word);
}

/* Whoever interrupts the program that waits for the verdict does not want the judge to go on by itself. */
static void follow_parent(uint64_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || (uint64_t)getppid() != parent)
        fail(EXIT_ENVIRONMENT, "--parent=%" PRIu64 ": is not the parent, or has ended", parent);
}

static void add_step(struct options *options, struct step step)
{
    options->steps = grow(options->steps, (uint64_t)options->n_steps + 1, sizeof step);
    options->steps[options->n_steps++] = step;
}

/* Convert's order; of an option given twice the last one counts. */
static void order_steps(struct options *options)
{
    struct step *ordered = allocate(N_STEP_KINDS, sizeof *ordered);
    uint32_t n = 0;
    for (int kind = 0; kind < N_STEP_KINDS; kind++) {
        bool given = false;
        for (uint32_t i = 0; i < options->n_steps; i++) {
            if (options->steps[i].kind != (enum step_kind)kind)
                continue;
            ordered[n] = options->steps[i];
            given = true;
        }
        n += given;
    }
    free(options->steps);
    options->steps = ordered;
    options->n_steps = n;
}

bool has_step(const struct options *options, enum step_kind kind)
{
    for (uint32_t i = 0; i < options->n_steps; i++) {
        if (options->steps[i].kind == kind)
            return true;
    }
    return false;
}

static void set(struct options *options, int option, const char *word)
{
    const char *name = option_names[option].name;
    switch (option) {
    case FROM:
        options->from = 1 + (enum format)one_of(name, word, "el csv u32 u64 npz csr mtx shards");
        break;
    case SEPARATOR:
        options->separator = character(name, word);
        break;
    case COMMENT:
        options->comment = character(name, word);
        break;
    case HEADER:
        options->header_lines = word ? natural(name, word) : 1;
        break;
    case COLUMNS:
        options->columns = word;
        break;
    case BASE:
        options->base = (uint64_t)one_of(name, word, "0 1");
        break;
    case VERTICES:
        options->has_vertices = true;
        options->n_vertices = natural(name, word);
        break;
    case VERTICES_FROM:
        options->vertices_from = word;
        break;
    case WEIGHTS:
        options->weights = (enum weight_kind)one_of(name, word, "none i32 i64 f32 f64 auto");
        break;
    case ON_ERROR:
        options->skip_malformed = one_of(name, word, "fail skip") == 1;
        break;
    case ORDER:
        options->input_order = one_of(name, word, "sorted input") == 1;
        break;
    case IDS:
        options->string_ids = one_of(name, word, "number string") == 1;
        break;
    case FILTER:
        add_step(options, (struct step){.kind = STEP_FILTER, .word = word});
        break;
    case DROP_LOOPS:
        add_step(options, (struct step){.kind = STEP_DROP_LOOPS});
        break;
    case TRANSPOSE:
        add_step(options, (struct step){.kind = STEP_TRANSPOSE});
        break;
    case SYMMETRIZE:
        add_step(options, (struct step){.kind = STEP_SYMMETRIZE});
        break;
    case DEDUP:
        add_step(options, (struct step){.kind = STEP_DEDUP,
                                        .dedup = (enum dedup)(
                                            word ? one_of(name, word, "first last sum min max mean count") : 0)});
        break;
    case AMONG:
        add_step(options, (struct step){.kind = STEP_AMONG, .word = word});
        break;
    case MIN_DEGREE:
        add_step(options, (struct step){.kind = STEP_MIN_DEGREE, .number = natural(name, word)});
        break;
    case UNDIRECT:
        add_step(options, (struct step){.kind = STEP_UNDIRECT});
        break;
    case LARGEST_COMPONENT:
        add_step(options, (struct step){.kind = STEP_LARGEST_COMPONENT});
        break;
    case HEAD:
        add_step(options, (struct step){.kind = STEP_HEAD, .number = natural(name, word)});
        break;
    case SAMPLE:
        add_step(options, (struct step){.kind = STEP_SAMPLE, .word = word});
        break;
    case DROP_ISOLATED:
        add_step(options, (struct step){.kind = STEP_DROP_ISOLATED});
        break;
    case RELABEL:
        add_step(options, (struct step){.kind = STEP_RELABEL, .word = word});
        break;
    case AS_TYPED:
        options->as_typed = true;
        break;
    case START:
        options->start = word;
        break;
    case MAP:
        options->map = word;
        break;
    case EDGE_IDS:
        options->edge_ids = word;
        break;
    case RANGES:
        parse_ranges(options, word);
        break;
    case MEMORY:
        options->memory_bytes = natural(name, word);
        break;
    case PARENT:
        follow_parent(natural(name, word));
        break;
    case HELP:
        fputs(usage, stdout);
        exit(EXIT_EQUAL);
    default:
        break;
    }
}

void parse_options(int argc, char **argv, struct options *options)
{
    struct option names[N_OPTIONS + 1] = {0};
    int option;
    for (int i = 1; i < N_OPTIONS; i++)
        names[i - 1] = (struct option){option_names[i].name, option_names[i].argument, NULL, i};
    *options = (struct options){.weights = WEIGHT_AUTO};
    unsetenv("POSIXLY_CORRECT"); /* options and operands come in any order */
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (option == '?')
            exit(EXIT_USAGE);
        set(options, option, optarg);
    }
    if (!options->as_typed)
        order_steps(options);
    if (options->string_ids && (options->base || options->has_vertices))
        fail(EXIT_USAGE, "--base and --vertices are about numbers, and --ids=string");
    if (argc - optind < 2)
        fail(EXIT_USAGE, "a CSR file and its inputs are expected; see --help");
    options->candidate = argv[optind];
    options->inputs = argv + optind + 1;
    options->n_inputs = argc - optind - 1;
}
