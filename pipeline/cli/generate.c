/* generate - the command: options to a generator, a generator to a file.
 *
 * Everything is checked before the output is opened, so that a mistyped option
 * never touches a file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/generate.h"
#include "pipeline/cli/cli.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

typedef struct request {
    em_generate_options options;
    const em_shape_kind *shape;
    const em_generate_format *format;
    const char *output, *to;
    uint32_t n_threads;
    bool quiet, help, version;
    const char *progress; /* auto, always or never */
} request;

/* EM_GENERATE_… options are their bit numbers. */
enum { SEED = 16, PERMUTE, WEIGHTS, OUTPUT, TO, THREADS, PROGRESS, QUIET, HELP, VERSION };

typedef struct known_option {
    const char *name;
    char letter; /* 0: none */
    bool has_value;
    int word;
} known_option;

static const known_option options_known[] = {
    {"scale", 0, true, 0},
    {"edge-factor", 0, true, 1},
    {"abc", 0, true, 2},
    {"vertices", 0, true, 3},
    {"arcs", 0, true, 4},
    {"rows", 0, true, 5},
    {"columns", 0, true, 6},
    {"seed", 0, true, SEED},
    {"scramble", 0, false, PERMUTE},
    {"shuffle", 0, false, PERMUTE},
    {"weights", 0, true, WEIGHTS},
    {"output", 'o', true, OUTPUT},
    {"to", 0, true, TO},
    {"threads", 0, true, THREADS},
    {"progress", 0, true, PROGRESS},
    {"quiet", 'q', false, QUIET},
    {"help", 'h', false, HELP},
    {"version", 0, false, VERSION},
};
enum { N_OPTIONS = sizeof options_known / sizeof options_known[0] };

static void print_help(void)
{
    fputs("Usage: edgemill generate SHAPE [OPTION]... -o FILE\n"
          "Write a synthetic graph. The same shape, options and seed give the "
          "same bytes everywhere, whatever the "
          "number\n"
          "of threads.\n\nShapes:\n",
          stdout);
    const em_shape_kind *kinds;
    const size_t n_kinds = em_shape_kinds(&kinds);
    for (size_t i = 0; i < n_kinds; i++)
        printf("  %-9s %s\n", kinds[i].name, kinds[i].summary);
    fputs("\nShape and size:\n"
          "  --scale S              rmat: 2^S vertices (0 to 48)\n"
          "  --edge-factor F        rmat: F arcs for every vertex (default 16)\n"
          "  --abc A,B,C            rmat: probabilities of the quadrants, up to "
          "nine decimals (default .57,.19,.19)\n"
          "  --vertices N           uniform, star, path, clique, loops: number of "
          "vertices\n"
          "  --arcs M               uniform: number of arcs\n"
          "  --rows R, --columns C  grid: size\n"
          "\nFor every shape:\n"
          "  --seed N               another graph of the same kind (default 1)\n"
          "  --scramble, --shuffle  give the vertices other ids: a seeded "
          "permutation of 0 to N - 1\n"
          "  --weights=KIND         none (default), i32 (1 to 255) or f64 "
          "(0.000001 to 0.999999, six decimals)\n"
          "  -o, --output FILE      file to write; - is standard output, as text\n"
          "  --to FORMAT            el, tsv (tabs), csv (commas), wel (tabs, with "
          "weights), u32 or u64 (little-endian "
          "pairs);\n"
          "                         else the suffix says: .el .txt .edgelist "
          ".edges .e .tsv .csv .wel .u32 .u64\n"
          "  --threads N            1 to 1024 (default: as many as this process "
          "may use)\n"
          "  --progress=WHEN        auto (default: on a terminal), always or "
          "never, on standard error\n"
          "  -q, --quiet            no summary line\n"
          "  -h, --help             print this and exit\n"
          "  --version              print version and features and exit\n"
          "\nExamples:\n"
          "  edgemill generate rmat --scale 20 -o rmat20.el\n"
          "  edgemill generate grid --rows 3163 --columns 3163 --shuffle "
          "--weights=f64 -o grid.tsv\n"
          "  edgemill generate uniform --vertices 1000 --arcs 50000 -o - | gzip > "
          "small.el.gz\n",
          stdout);
}

/* --- values
 * ---------------------------------------------------------------------------------------
 */

static em_status parse_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *number,
                              em_error *error)
{
    uint64_t value = 0;
    const char *at = text;
    bool fits = true;
    for (; *at >= '0' && *at <= '9'; at++)
        fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, (uint64_t)(*at - '0'), &value);
    if (at == text || *at)
        return em_fail(error, EM_USAGE, "--%s: '%s' is not a whole number", option, text);
    if (!fits || value < least || value > most)
        return em_fail(error, EM_USAGE, "--%s: %s is not in the range %" PRIu64 " to %" PRIu64, option, text, least,
                       most);
    *number = value;
    return EM_OK;
}

/* A decimal from 0 to 1, exactly, in billionths: no float is involved, so every
 * machine reads the same. */
static bool parse_billionths(const char **text, uint32_t *billionths)
{
    const char *at = *text;
    uint64_t value = 0;
    uint32_t n_digits = 0;
    for (; *at >= '0' && *at <= '9' && value <= 1; at++, n_digits++)
        value = value * 10 + (uint64_t)(*at - '0');
    uint64_t unit = EM_BILLION;
    value *= EM_BILLION;
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9'; at++, n_digits++) {
            unit /= 10;
            if (!unit && *at != '0')
                return false; /* more than nine decimals */
            value += unit * (uint64_t)(*at - '0');
        }
    if (!n_digits || value > EM_BILLION)
        return false;
    *billionths = (uint32_t)value;
    *text = at;
    return true;
}

static em_status parse_abc(const char *text, uint32_t abc[3], em_error *error)
{
    const char *at = text;
    for (int i = 0; i < 3; i++)
        if (!parse_billionths(&at, &abc[i]) || *at++ != (i < 2 ? ',' : 0))
            return em_fail(error, EM_USAGE,
                           "--abc: '%s' is not three numbers A,B,C from 0 to 1 of up "
                           "to nine decimals",
                           text);
    return EM_OK;
}

static em_status parse_weights(const char *text, em_weight_kind *kind, em_error *error)
{
    static const em_weight_kind kinds[] = {EM_WEIGHT_NONE, EM_WEIGHT_I32, EM_WEIGHT_F64};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(text, em_weight_name(kinds[i])) == 0) {
            *kind = kinds[i];
            return EM_OK;
        }
    return em_fail(error, EM_USAGE, "--weights: '%s' is not one of none, i32 and f64", text);
}

static em_status check_progress(const char *text, em_error *error)
{
    if (strcmp(text, "auto") == 0 || strcmp(text, "always") == 0 || strcmp(text, "never") == 0)
        return EM_OK;
    return em_fail(error, EM_USAGE, "--progress: '%s' is not one of auto, always and never", text);
}

static em_status parse_parameter(request *asked, const known_option *known, const char *text, em_error *error)
{
    em_generate_options *options = &asked->options;
    uint64_t *const numbers[] = {&options->scale,  &options->edge_factor, NULL, &options->n_vertices, &options->n_arcs,
                                 &options->n_rows, &options->n_columns};
    options->given |= UINT32_C(1) << known->word;
    if (!numbers[known->word])
        return parse_abc(text, options->abc, error);
    return parse_number(known->name, text, 0, UINT64_C(1) << 62, numbers[known->word], error);
}

static em_status parse_option(request *asked, const known_option *known, const char *value, em_error *error)
{
    uint64_t number = 0;
    em_status status = EM_OK;
    switch (known->word) {
    case SEED:
        return parse_number("seed", value, 0, UINT64_MAX, &asked->options.seed, error);
    case PERMUTE:
        asked->options.permute = true;
        return EM_OK;
    case WEIGHTS:
        return parse_weights(value, &asked->options.weights, error);
    case OUTPUT:
        if (asked->output)
            return em_fail(error, EM_USAGE, "there is more than one --output");
        asked->output = value;
        return EM_OK;
    case TO:
        asked->to = value;
        return EM_OK;
    case THREADS:
        status = parse_number("threads", value, 1, 1024, &number, error);
        asked->n_threads = (uint32_t)number;
        return status;
    case PROGRESS:
        asked->progress = value;
        return check_progress(value, error);
    case QUIET:
        asked->quiet = true;
        return EM_OK;
    case HELP:
        asked->help = true;
        return EM_OK;
    case VERSION:
        asked->version = true;
        return EM_OK;
    default:
        return parse_parameter(asked, known, value, error);
    }
}

/* Both only record the message: EM_USAGE is what the caller answers. */
static void unknown_shape(const char *word, em_error *error)
{
    enum { MOST = 32 };
    const char *names[MOST];
    const em_shape_kind *kinds;
    const size_t n_kinds = em_shape_kinds(&kinds);
    for (size_t i = 0; i < n_kinds && i < MOST; i++)
        names[i] = kinds[i].name;
    const char *near = em_nearest(word, names, n_kinds < MOST ? n_kinds : MOST);
    em_fail(error, EM_USAGE, "unknown shape '%s'%s%s%s", word, near ? "; did you mean " : "", near ? near : "",
            near ? "?" : "");
}

static void unknown_option(const char *text, em_error *error)
{
    char word[64];
    const char *names[N_OPTIONS];
    for (int i = 0; i < N_OPTIONS; i++)
        names[i] = options_known[i].name;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    const char *near = text[1] == '-' ? em_nearest(word + 2, names, N_OPTIONS) : NULL;
    em_fail(error, EM_USAGE, "unknown option %s%s%s%s", word, near ? "; did you mean --" : "", near ? near : "",
            near ? "?" : "");
}

static em_status check_words(request *asked, const char *shape, em_error *error)
{
    if (!shape)
        return em_fail(error, EM_USAGE, "generate what? rmat, uniform, grid, …");
    asked->shape = em_shape_kind_by_name(shape);
    if (!asked->shape) {
        unknown_shape(shape, error);
        return EM_USAGE;
    }
    if (!asked->output)
        return em_fail(error, EM_USAGE, "where to? Add -o FILE, or -o - for standard output");
    return em_generate_format_find(asked->output, asked->to, &asked->format, error);
}

/* The option that `text` ("--name", "--name=value", "-o", "-oVALUE") begins
 * with; *value is NULL where none is in it. Names are not abbreviated: a script
 * that says --sc would change its meaning when another option begins so. */
static const known_option *find_option(const char *text, const char **value)
{
    const bool is_long = text[1] == '-';
    const size_t length = strcspn(text + 2, "=");
    *value = is_long ? (text[2 + length] ? text + 2 + length + 1 : NULL) : (text[2] ? text + 2 : NULL);
    for (int i = 0; i < N_OPTIONS; i++) {
        const known_option *known = &options_known[i];
        if (is_long ? strlen(known->name) == length && strncmp(known->name, text + 2, length) == 0
                    : known->letter && known->letter == text[1])
            return known;
    }
    return NULL;
}

static em_status parse(request *asked, int argc, char **argv, em_error *error)
{
    const char *shape = NULL;
    bool options_end = false;
    asked->options.seed = 1;
    asked->progress = "auto";
    for (int i = 1; i < argc; i++) {
        const char *value, *text = argv[i];
        if (options_end || text[0] != '-' || !text[1]) {
            if (shape)
                return em_fail(error, EM_USAGE, "'%s' is one word too many after '%s'", text, shape);
            shape = text;
            continue;
        }
        if (strcmp(text, "--") == 0) {
            options_end = true;
            continue;
        }
        const known_option *known = find_option(text, &value);
        if (!known) {
            unknown_option(text, error);
            return EM_USAGE;
        }
        if (!known->has_value && value)
            return em_fail(error, EM_USAGE, "'%s': --%s takes no value", text, known->name);
        if (known->has_value && !value && i + 1 < argc)
            value = argv[++i];
        if (known->has_value && !value)
            return em_fail(error, EM_USAGE, "'%s' needs a value", text);
        const em_status status = parse_option(asked, known, value ? value : "", error);
        if (status != EM_OK || asked->help || asked->version)
            return status;
    }
    return check_words(asked, shape, error);
}

/* --- output --------------------------------------------------------------------------------------- */

static void print_summary(const request *asked, const em_generator *generator, uint64_t n_bytes, uint64_t wall_ns)
{
    char n[32], m[32], bytes[32];
    fprintf(stderr, "edgemill: %s -> %s: %s vertices, %s arcs, %s bytes, %.2f s\n", generator->shape->name,
            strcmp(asked->output, "-") ? asked->output : "standard output", em_report_count(n, generator->n_vertices),
            em_report_count(m, generator->n_arcs), em_report_count(bytes, n_bytes), (double)wall_ns / 1e9);
}

static em_status write_graph(const request *asked, const em_generator *generator, em_error *error)
{
    em_cli_progress progress;
    em_cli_progress_begin(&progress, asked->progress, asked->quiet);
    const em_context_options options = {
        .n_threads = asked->n_threads, .progress = em_cli_progress_update, .progress_state = &progress};
    em_context *context = NULL;
    em_output *output = NULL;
    uint64_t n_bytes = 0;
    em_status status = em_context_create(&options, &context, error);
    if (status != EM_OK)
        goto done;
    status = em_output_open(context, asked->output, &output, error);
    if (status != EM_OK)
        goto done;
    if (em_output_note(output) && !asked->quiet)
        fprintf(stderr, "edgemill: %s\n", em_output_note(output));
    status = em_generate_write(context, generator, asked->format, output, error);
    em_cli_progress_clear(&progress);
    if (status != EM_OK)
        goto done;
    n_bytes = em_output_n_bytes(output);
    status = em_output_commit(output, error);
    output = NULL;
    if (status == EM_OK && !asked->quiet)
        print_summary(asked, generator, n_bytes, em_cli_now_ns() - progress.command_began_ns);
done:
    em_output_drop(output);
    em_context_free(context);
    return status;
}

int em_cli_generate(int argc, char **argv)
{
    request asked = {0};
    em_generator generator;
    em_error error = {0};
    em_status status = parse(&asked, argc, argv, &error);
    if (status == EM_OK && asked.help) {
        print_help();
        return 0;
    }
    if (status == EM_OK && asked.version) {
        em_cli_version(stdout);
        return 0;
    }
    if (status == EM_OK)
        status = em_generator_init(&generator, asked.shape, &asked.options, &error);
    if (status == EM_OK)
        status = em_generate_can_hold(&generator, asked.format, &error);
    if (status == EM_OK)
        status = write_graph(&asked, &generator, &error);
    return status == EM_OK ? 0 : em_cli_fail(&error, argv[0]);
}
