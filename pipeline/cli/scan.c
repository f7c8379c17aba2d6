/* scan - the command: the scan core on numbers given, read or made; run, timed, traced or drawn.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/scan.h"
#include "io/whole_file.h"
#include "pipeline/cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More would be no table or picture that anyone can read. */
enum { MOST_SHOWN = 1024, MOST_DRAWN = 256 };

typedef struct command {
    em_cli_line line;
    em_context *reader; /* for the file; the scan has a context of its own, with the tile asked for */
    em_scan_job job;
    em_whole_file *file;
    const char *path; /* of the input, "-" for standard input; NULL: operands */
    uint64_t count;   /* of items to make */
    void *items;
    uint64_t items_bytes;
    _Alignas(64) unsigned char initial[64];
} command;

/* --- options --------------------------------------------------------------------------------------------- */

static em_status parse_count(const em_cli_line *line, em_cli_id id, uint64_t least, uint64_t most, uint64_t *count,
                             em_error *error)
{
    const char *text = line->value[id], *at = text;
    uint64_t value = 0;
    bool fits = true;
    if (!text)
        return EM_OK;
    for (; *at >= '0' && *at <= '9'; at++)
        fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, (uint64_t)(*at - '0'), &value);
    if (at == text || *at || !fits || value < least || value > most)
        return em_fail(error, EM_USAGE, "--%s=%s: a number from %" PRIu64 " to %" PRIu64 " is wanted",
                       em_cli_options[id].name, text, least, most);
    *count = value;
    return EM_OK;
}

/* The index of the option's word among names[n]. */
static em_status parse_word(const em_cli_line *line, em_cli_id id, const char *const *names, int n, int *index,
                            em_error *error)
{
    const char *word = line->value[id];
    if (!word)
        return EM_OK;
    for (int i = 0; i < n; i++)
        if (strcmp(word, names[i]) == 0) {
            *index = i;
            return EM_OK;
        }
    const char *near = em_nearest(word, names, (size_t)n);
    char all[256] = "";
    for (int i = 0; i < n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "", names[i]);
    return em_fail(error, EM_USAGE, "--%s=%s is not known%s%s%s: %s", em_cli_options[id].name, word,
                   near ? "; did you mean " : "", near ? near : "", near ? "? It is one of" : "; it is one of", all);
}

static bool given(const command *c, em_cli_id id)
{
    return c->line.given[id];
}

static bool is_textbook(em_scan_algorithm algorithm)
{
    return algorithm == EM_ALGORITHM_HILLIS_STEELE || algorithm == EM_ALGORITHM_BLELLOCH;
}

static bool has_tiles(em_scan_algorithm algorithm)
{
    return algorithm == EM_ALGORITHM_TILED || algorithm == EM_ALGORITHM_LOOKBACK;
}

static bool is_shown(const command *c)
{
    return given(c, EM_CLI_TRACE) || given(c, EM_CLI_DOT) || given(c, EM_CLI_SVG);
}

static em_status parse_words(command *c, em_error *error)
{
    const char *operators[EM_N_OPERATORS], *types[EM_N_TYPES];
    int algorithm = is_shown(c) ? EM_ALGORITHM_BLELLOCH : EM_ALGORITHM_AUTO, operation = EM_SUM, type = -1;
    for (int i = 0; i < EM_N_OPERATORS; i++)
        operators[i] = em_operator_name((em_operator)i);
    for (int i = 0; i < EM_N_TYPES; i++)
        types[i] = em_type_name((em_type)i);
    em_status status =
        parse_word(&c->line, EM_CLI_ALGORITHM, em_scan_algorithm_names, EM_N_ALGORITHMS, &algorithm, error);
    if (status == EM_OK)
        status = parse_word(&c->line, EM_CLI_OP, operators, EM_N_OPERATORS, &operation, error);
    if (status == EM_OK)
        status = parse_word(&c->line, EM_CLI_TYPE, types, EM_N_TYPES, &type, error);
    if (status == EM_OK)
        status = parse_count(&c->line, EM_CLI_TILE, 1, EM_TILE_MOST_ITEMS, &c->job.tile_items, error);
    if (status == EM_OK)
        status = parse_count(&c->line, EM_CLI_COUNT, 0, UINT64_C(1) << 40, &c->count, error);
    c->job.algorithm = (em_scan_algorithm)algorithm;
    c->job.words.operation = (em_operator)operation;
    c->job.words.type = (em_type)type;
    c->job.exclusive = given(c, EM_CLI_EXCLUSIVE);
    c->job.n_workers = c->line.n_threads ? c->line.n_threads : 1;
    return status;
}

static em_status check_together(const command *c, em_error *error)
{
    const em_cli_id shows[] = {EM_CLI_TRACE, EM_CLI_DOT, EM_CLI_TIME};
    int shown[2], n_shown = 0;
    for (int i = 0; i < 3; i++)
        if (given(c, shows[i])) {
            if (n_shown)
                return em_fail(error, EM_USAGE, "--%s and --%s both say what is printed; give one",
                               em_cli_options[shown[0]].name, em_cli_options[shows[i]].name);
            shown[n_shown++] = (int)shows[i];
        }
    const char *svg = c->line.value[EM_CLI_SVG];
    if (n_shown && svg && strcmp(svg, "-") == 0)
        return em_fail(error, EM_USAGE, "--%s and --svg=- both say what is printed; give one",
                       em_cli_options[shown[0]].name);
    if (is_shown(c) && c->job.algorithm == EM_ALGORITHM_AUTO)
        return em_fail(error, EM_USAGE, "--algorithm=auto cannot be shown; name one");
    if ((given(c, EM_CLI_DOT) || given(c, EM_CLI_SVG)) && has_tiles(c->job.algorithm))
        return em_fail(error, EM_USAGE, "--%s draws serial, hillis-steele and blelloch; --trace shows the tiles of %s",
                       given(c, EM_CLI_DOT) ? "dot" : "svg", em_scan_algorithm_names[c->job.algorithm]);
    if (c->job.tile_items && !has_tiles(c->job.algorithm))
        return em_fail(error, EM_USAGE, "--tile belongs to --algorithm=tiled and lookback");
    return EM_OK;
}

/* Numbers come from one place. */
static em_status check_source(command *c, em_error *error)
{
    const em_cli_line *line = &c->line;
    for (int i = 0; i < line->n_operands && line->n_operands > 1; i++)
        if (strcmp(line->operands[i], "-") == 0)
            return em_fail(error, EM_USAGE, "'-' is all of standard input; no other numbers can be given with it");
    if ((line->n_operands > 0) + line->given[EM_CLI_INPUT] + line->given[EM_CLI_COUNT] > 1)
        return em_fail(error, EM_USAGE, "numbers come from one place: operands, --input or --count");
    c->path = line->value[EM_CLI_INPUT];
    if (line->n_operands == 1 && strcmp(line->operands[0], "-") == 0)
        c->path = "-";
    if (c->path && !*c->path)
        return em_fail(error, EM_USAGE, "--input: the file name is empty");
    if (!c->path && !line->n_operands && !line->given[EM_CLI_COUNT])
        return em_fail(error, EM_USAGE, "scan what? NUMBER..., --input=FILE, --count=N, or - for standard input");
    char *inputs[1] = {(char *)c->path};
    const char *outputs[1] = {line->value[EM_CLI_SVG]};
    em_cli_inputs read = {0};
    em_status status = EM_OK;
    if (outputs[0])
        status = em_cli_inputs_open(NULL, inputs, c->path ? 1 : 0, &read, error);
    if (outputs[0] && status == EM_OK)
        status = em_cli_check_outputs(&read, outputs, 1, error);
    em_cli_inputs_free(&read);
    return status;
}

/* --- numbers ------------------------------------------------------------------------------------------------ */

/* Calls for every text there is: the file, or each operand. */
static em_scan_text text_of(const command *c, int i)
{
    if (!c->file || !c->path)
        return (em_scan_text){NULL, i + 1, c->line.operands[i], strlen(c->line.operands[i])};
    return (em_scan_text){strcmp(c->path, "-") ? c->path : "standard input", 0, (const char *)c->file->bytes,
                          c->file->n_bytes};
}

static int n_texts(const command *c)
{
    return c->file ? 1 : c->line.n_operands;
}

static em_status choose_type(command *c, bool fractions, em_error *error)
{
    em_scan_words *words = &c->job.words;
    if (!given(c, EM_CLI_TYPE))
        words->type = em_scan_suitable_type(c->reader, words->operation, fractions);
    words->context = c->reader;
    words->monoid = em_monoid_of(c->reader, words->operation, words->type);
    if (words->monoid)
        return EM_OK;
    char types[64] = "";
    for (int type = 0; type < EM_N_TYPES; type++)
        if (em_monoid_of(c->reader, words->operation, (em_type)type))
            snprintf(types + strlen(types), sizeof types - strlen(types), " %s", em_type_name((em_type)type));
    return em_fail(error, EM_USAGE, "--type=%s: %s is defined for%s", em_type_name(words->type),
                   em_operator_name(words->operation), types);
}

/* Items and results are of one context, so that both together are held against what the machine has; and that is done
 * before the first item is made. */
static em_status make_room(command *c, uint64_t n_items, em_error *error)
{
    const em_monoid *of = c->job.words.monoid;
    const uint64_t item_bytes = of->item_bytes, elem_bytes = is_textbook(c->job.algorithm) ? of->elem_bytes : 0;
    void *all = NULL;
    em_context_options options = {.n_threads = c->line.n_threads};
    options.knobs.tile_bytes = c->job.tile_items * item_bytes;
    em_status status = em_context_create(&options, &c->job.context, error);
    if (status == EM_OK)
        status = em_allocate_array(c->job.context, n_items, item_bytes + of->result_bytes + elem_bytes, &all, error);
    em_free(c->job.context, all, n_items * (item_bytes + of->result_bytes + elem_bytes));
    if (status == EM_OK)
        status = em_allocate_array(c->job.context, n_items, item_bytes, &c->items, error);
    if (status == EM_OK)
        c->items_bytes = n_items * item_bytes;
    return status;
}

static em_status read_numbers(command *c, em_error *error)
{
    const char *initial = c->line.value[EM_CLI_INITIAL];
    em_scan_survey survey = {0};
    em_status status = EM_OK;
    if (initial)
        em_scan_survey_text(&survey, &(em_scan_text){.bytes = initial, .n_bytes = strlen(initial)});
    survey.n_items = c->count;
    if (c->path)
        status = em_whole_file_open(c->reader, c->path, &c->file, error);
    for (int i = 0; i < n_texts(c) && status == EM_OK; i++) {
        const em_scan_text text = text_of(c, i);
        em_scan_survey_text(&survey, &text);
    }
    if (status == EM_OK)
        status = choose_type(c, survey.fractions, error);
    if (status == EM_OK)
        status = make_room(c, survey.n_items, error);
    if (status != EM_OK)
        return status;
    for (; c->job.n < c->count; c->job.n++)
        em_scan_make_item(&c->job.words, c->job.n,
                          (unsigned char *)c->items + c->job.n * c->job.words.monoid->item_bytes);
    for (int i = 0; i < n_texts(c) && status == EM_OK; i++) {
        const em_scan_text text = text_of(c, i);
        status = em_scan_read_text(&c->job.words, &text, c->items, &c->job.n, error);
    }
    if (status == EM_OK && initial)
        status = em_scan_read_initial(&c->job.words, initial, c->initial, error);
    em_whole_file_release(c->file);
    c->file = NULL;
    c->job.items = c->items;
    c->job.initial = initial ? c->initial : NULL;
    return status;
}

/* --- scans --------------------------------------------------------------------------------------------------- */

/* One scan into results[n]; `elements` as well for the algorithms of the textbook. */
static em_status scan_once(const em_scan_job *job, void *results, void *elements, em_error *error)
{
    static const em_scan_engine ENGINES[EM_N_ALGORITHMS] = {[EM_ALGORITHM_SERIAL] = EM_SCAN_SERIAL,
                                                            [EM_ALGORITHM_TILED] = EM_SCAN_TILED,
                                                            [EM_ALGORITHM_LOOKBACK] = EM_SCAN_LOOKBACK};
    const em_monoid *of = job->words.monoid;
    if (!is_textbook(job->algorithm)) {
        const em_scan_call call = {.monoid = of,
                                   .kind = job->exclusive ? EM_EXCLUSIVE : EM_INCLUSIVE,
                                   .engine = ENGINES[job->algorithm],
                                   .in = job->items,
                                   .out = results,
                                   .n = job->n,
                                   .initial = job->initial};
        return em_scan(job->context, &call, error);
    }
    const em_status status = em_scan_run_textbook(job, NULL, elements, error);
    for (uint64_t i = 0; i < job->n && status == EM_OK; i++)
        of->lower(of, (const unsigned char *)elements + i * of->elem_bytes,
                  (unsigned char *)results + i * of->result_bytes);
    return status;
}

static void print_results(em_scan_out *out, const em_scan_job *job, const void *results)
{
    const em_monoid *of = job->words.monoid;
    for (uint64_t i = 0; i < job->n && out->status == EM_OK; i++) {
        char word[EM_SCAN_WORD_BYTES];
        char *end = em_scan_put_result(&job->words, (const unsigned char *)results + i * of->result_bytes, word);
        *end++ = '\n';
        em_scan_put(out, word, (size_t)(end - word));
    }
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The median of up to 11 scans after a first one, as many as half a second allows. */
static em_status time_scans(em_scan_out *out, const em_scan_job *job, void *results, void *elements, em_error *error)
{
    enum { MOST = 11, LEAST = 3, BATCH_NS = 100000, ENOUGH_NS = 500000000 };
    uint64_t ns[MOST], total = 0, per_time = 1;
    int n_times = 0;
    em_status status = scan_once(job, results, elements, error);
    const uint64_t began = em_cli_now_ns();
    if (status == EM_OK)
        status = scan_once(job, results, elements, error);
    const uint64_t first = em_cli_now_ns() - began;
    if (first < BATCH_NS) /* what the clock cannot tell is repeated */
        per_time = 1 + BATCH_NS / (first + 1);
    while (status == EM_OK && n_times < MOST && (n_times < LEAST || total < ENOUGH_NS)) {
        const uint64_t before = em_cli_now_ns();
        for (uint64_t i = 0; i < per_time && status == EM_OK; i++)
            status = scan_once(job, results, elements, error);
        const uint64_t took = em_cli_now_ns() - before;
        ns[n_times++] = took / (per_time ? per_time : 1);
        total += took;
    }
    if (status != EM_OK)
        return status;
    qsort(ns, (size_t)n_times, sizeof *ns, by_size);
    const uint64_t median = ns[n_times / 2] ? ns[n_times / 2] : 1;
    const uint64_t n_bytes = job->n * (job->words.monoid->item_bytes + (uint64_t)job->words.monoid->result_bytes);
    em_scan_printf(out, "%-13s %-15s %-4s %14s %14s %11s %8s %11s\n", "algorithm", "operator", "type", "elements", "ns",
                   "ns/element", "GB/s", "max threads");
    em_scan_printf(
        out, "%-13s %-15s %-4s %14" PRIu64 " %14" PRIu64 " %11.3f %8.2f %11u\n",
        em_scan_algorithm_names[job->algorithm], em_operator_name(job->words.operation), em_type_name(job->words.type),
        job->n, median, job->n ? (double)median / (double)job->n : 0.0, (double)n_bytes / (double)median,
        job->algorithm == EM_ALGORITHM_SERIAL || is_textbook(job->algorithm) ? 1 : em_context_threads(job->context));
    return EM_OK;
}

static em_status run(em_scan_out *out, const em_scan_job *job, bool timed, em_error *error)
{
    const em_monoid *of = job->words.monoid;
    const uint64_t elements_bytes = is_textbook(job->algorithm) ? job->n * of->elem_bytes : 0;
    void *results = NULL, *elements = NULL;
    em_status status = em_allocate_array(job->context, job->n, of->result_bytes, &results, error);
    if (status == EM_OK)
        status = em_allocate(job->context, elements_bytes, &elements, error);
    if (status == EM_OK && timed)
        status = time_scans(out, job, results, elements, error);
    else if (status == EM_OK)
        status = scan_once(job, results, elements, error);
    if (status == EM_OK && !timed)
        print_results(out, job, results);
    em_free(job->context, results, job->n * of->result_bytes);
    em_free(job->context, elements, elements_bytes);
    return status;
}

/* --- shows ---------------------------------------------------------------------------------------------------- */

static em_status draw(const command *c, const em_scan_record *record, em_error *error)
{
    em_scan_out *out = NULL;
    void *memory;
    em_status status = em_allocate(c->job.context, sizeof *out, &memory, error);
    if (status != EM_OK)
        return status;
    out = memory;
    status = em_scan_out_open(c->job.context, c->line.value[EM_CLI_SVG], out, error);
    if (status == EM_OK) {
        em_scan_print_svg(out, record);
        status = em_scan_out_close(out);
    }
    em_free(c->job.context, memory, sizeof *out);
    return status;
}

static em_status show(const command *c, em_scan_out *out, em_error *error)
{
    const em_scan_job *job = &c->job;
    const uint64_t most = given(c, EM_CLI_SVG) ? MOST_DRAWN : MOST_SHOWN;
    em_scan_record record = {0};
    if (job->n > most)
        return em_fail(error, EM_USAGE, "%" PRIu64 " numbers are too many to be shown: %" PRIu64 " at most", job->n,
                       most);
    if (has_tiles(job->algorithm))
        return em_scan_print_tiles(out, job, error);
    em_status status = em_scan_record_make(&record, job, error);
    if (status == EM_OK && given(c, EM_CLI_SVG))
        status = draw(c, &record, error);
    if (status == EM_OK && given(c, EM_CLI_TRACE))
        em_scan_print_table(out, &record);
    if (status == EM_OK && given(c, EM_CLI_DOT))
        em_scan_print_dot(out, &record);
    em_scan_record_free(&record);
    return status;
}

/* A picture on standard output, or a table or graph there, stands for the results. */
static bool prints_results(const command *c)
{
    const char *svg = c->line.value[EM_CLI_SVG];
    return !given(c, EM_CLI_TRACE) && !given(c, EM_CLI_DOT) && !(svg && strcmp(svg, "-") == 0);
}

static em_status print(command *c, em_scan_out *out, em_error *error)
{
    em_status status = em_scan_out_open(c->job.context, "-", out, error);
    if (status != EM_OK)
        return status;
    if (is_shown(c))
        status = show(c, out, error);
    if (status == EM_OK && prints_results(c))
        status = run(out, &c->job, given(c, EM_CLI_TIME), error);
    if (status == EM_OK)
        return em_scan_out_close(out);
    em_output_drop(out->output);
    return status;
}

static em_status scan(command *c, em_error *error)
{
    const em_context_options options = {.n_threads = c->line.n_threads};
    em_scan_out *out = NULL;
    void *memory = NULL;
    em_status status = parse_words(c, error);
    if (status == EM_OK)
        status = check_together(c, error);
    if (status == EM_OK)
        status = check_source(c, error);
    if (status == EM_OK)
        status = em_context_create(&options, &c->reader, error);
    if (status == EM_OK)
        status = read_numbers(c, error);
    if (status == EM_OK)
        status = em_powers_of_ten_make(c->job.context, &c->job.words.powers, error);
    if (status == EM_OK)
        status = em_allocate(c->job.context, sizeof *out, &memory, error);
    out = memory;
    if (status == EM_OK)
        status = print(c, out, error);
    if (c->job.context)
        em_free(c->job.context, memory, sizeof *out);
    return status;
}

static void print_help(void)
{
    em_cli_command_help(
        stdout, "scan [OPTIONS] NUMBER… | --input=FILE | - | --count=N",
        "Scans numbers with the scan core and prints the results, one a line; or shows how an algorithm does it.\n"
        "Numbers are operands (-3 is one), or text: separated by blanks, line ends or commas; - is standard input.",
        EM_CLI_SCAN,
        "Operators: sum product min max and or xor wide-sum compensated-sum log-sum-exp arg-min arg-max affine\n"
        "mat2 mat2-prime. An item of affine is factor:term, of mat2 a:b:c:d (row by row); the earlier one is applied\n"
        "first. arg-min and arg-max give value@index, the index counted from 0.\n"
        "\n"
        "Examples:\n"
        "  edgemill scan --algorithm=blelloch --trace 3 1 7 0 4 2 1 6\n"
        "  edgemill scan --op=max --exclusive --initial=0 - < numbers.txt\n"
        "  edgemill scan --algorithm=hillis-steele --svg=tree.svg 3 1 7 0 4 2 1 6\n"
        "  edgemill scan --count=100000000 --type=u32 --time\n");
}

int em_cli_scan(int argc, char **argv)
{
    command c = {0};
    em_error error = {0};
    int exit_status = 0;
    em_status status = em_cli_parse(&c.line, EM_CLI_SCAN, argc, argv, &error);
    if (status == EM_OK && c.line.given[EM_CLI_HELP])
        print_help();
    else if (status == EM_OK && c.line.given[EM_CLI_VERSION])
        em_cli_version(stdout);
    else if (status == EM_OK)
        status = scan(&c, &error);
    if (status != EM_OK)
        exit_status = em_cli_fail(&error, argv[0]);
    if (c.job.context) {
        em_powers_of_ten_free(c.job.context, c.job.words.powers);
        em_free(c.job.context, c.items, c.items_bytes);
    }
    if (c.reader)
        em_whole_file_release(c.file);
    em_context_free(c.job.context);
    em_context_free(c.reader);
    em_cli_line_free(&c.line);
    return exit_status;
}
