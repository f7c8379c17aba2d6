/* cli - what the commands share: the option table, the parsed command line, messages, progress.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_CLI_CLI_H
#define EM_PIPELINE_CLI_CLI_H

#include "pipeline/nearest.h"
#include "pipeline/pipeline.h"
#include "pipeline/report.h"

#include <stdio.h>
#include <sys/stat.h>

/* --- options ------------------------------------------------------------------------------------- */

/* Every option of the program, in the order of the help; options.c says what each is. */
typedef enum em_cli_id {
    EM_CLI_FROM = 0,
    EM_CLI_SEPARATOR,
    EM_CLI_HEADER,
    EM_CLI_COLUMNS,
    EM_CLI_COMMENT,
    EM_CLI_BASE,
    EM_CLI_IDS,
    EM_CLI_VERTICES,
    EM_CLI_VERTICES_FROM,
    EM_CLI_WEIGHTS,
    EM_CLI_ON_ERROR,
    EM_CLI_FILTER,
    EM_CLI_DROP_LOOPS,
    EM_CLI_TRANSPOSE,
    EM_CLI_SYMMETRIZE,
    EM_CLI_DEDUP,
    EM_CLI_AMONG,
    EM_CLI_MIN_DEGREE,
    EM_CLI_RELABEL,
    EM_CLI_START,
    EM_CLI_ORDER,
    EM_CLI_FILE,
    EM_CLI_GIVEN,
    EM_CLI_OUTPUT,
    EM_CLI_TO,
    EM_CLI_MAP,
    EM_CLI_EDGE_IDS,
    EM_CLI_VERIFY,
    EM_CLI_ALGORITHM,
    EM_CLI_OP,
    EM_CLI_TYPE,
    EM_CLI_EXCLUSIVE,
    EM_CLI_INITIAL,
    EM_CLI_INPUT,
    EM_CLI_COUNT,
    EM_CLI_TRACE,
    EM_CLI_DOT,
    EM_CLI_SVG,
    EM_CLI_TIME,
    EM_CLI_TILE,
    EM_CLI_BENCH_SIZES,
    EM_CLI_BENCH_MAX,
    EM_CLI_BENCH_TYPES,
    EM_CLI_BENCH_TILES,
    EM_CLI_BENCH_TUNE,
    EM_CLI_BENCH_PAIRS,
    EM_CLI_BENCH_PEERS,
    EM_CLI_THREADS,
    EM_CLI_DEVICE,
    EM_CLI_PROFILE,
    EM_CLI_REPORT,
    EM_CLI_JSON,
    EM_CLI_BENCH_JSON,
    EM_CLI_BENCH_SVG,
    EM_CLI_PROGRESS,
    EM_CLI_QUIET,
    EM_CLI_VERBOSE,
    EM_CLI_HELP,
    EM_CLI_VERSION,
    EM_CLI_N_OPTIONS
} em_cli_id;

/* Commands as bits of em_cli_option.commands. */
enum {
    EM_CLI_CONVERT = 1,
    EM_CLI_INFO = 2,
    EM_CLI_VERIFY_COMMAND = 4,
    EM_CLI_LIST = 8,
    EM_CLI_SCAN = 16,
    EM_CLI_BENCH = 32,
    EM_CLI_RUN = 64,
    EM_CLI_PLAN = 128
};

typedef enum em_cli_kind { EM_CLI_FLAG = 0, EM_CLI_VALUE, EM_CLI_MAYBE } em_cli_kind;

typedef struct em_cli_option {
    const char *name; /* without dashes */
    char letter;      /* 0: none */
    em_cli_kind kind; /* MAYBE: only as --name=value */
    unsigned commands;
    const char *stage;        /* the stage this goes to, or is, word for word; NULL: the command's own */
    const char *value, *help; /* of the help text */
    const char *heading;      /* not NULL: opens a group of the help text */
} em_cli_option;

extern const em_cli_option em_cli_options[EM_CLI_N_OPTIONS];

enum { EM_CLI_PROFILES = 4 };

/* A command line, taken apart. {0} is fine to free. */
typedef struct em_cli_line {
    const char *command;
    unsigned command_bit;
    char **operands; /* n_operands + 1, NULL behind them */
    int n_operands;
    char **load, **save; /* words for these stages: "--name=value" */
    int n_load, n_save;
    bool given[EM_CLI_N_OPTIONS];
    const char *value[EM_CLI_N_OPTIONS]; /* the last one given; NULL: none */
    const char *profiles[EM_CLI_PROFILES];
    int n_profiles;
    bool profile_table; /* --profile without a file */
    uint32_t n_threads; /* 0: not given */
    char **pointers;
    char *text;
} em_cli_line;

/* argv[0] is the command's name. EM_USAGE: unknown, misplaced or unbuilt options, bad values. */
em_status em_cli_parse(em_cli_line *line, unsigned command_bit, int argc, char **argv, em_error *error);
void em_cli_line_free(em_cli_line *line);

/* --- help ---------------------------------------------------------------------------------------- */

void em_cli_help(FILE *out);
void em_cli_command_help(FILE *out, const char *usage, const char *about, unsigned command_bit, const char *more);
void em_cli_version(FILE *out);

/* --- messages ------------------------------------------------------------------------------------ */

/* "edgemill: message" on standard error and the exit status; usage errors also name the help of `command`. */
int em_cli_fail(const em_error *error, const char *command);

/* --- progress ------------------------------------------------------------------------------------ */

/* A line on standard error that is overwritten; at most ten times a second. */
typedef struct em_cli_progress {
    bool enabled;
    uint64_t command_began_ns, began_ns, last_ns;
    char stage[48];
    int width; /* of the line on the screen */
} em_cli_progress;

uint64_t em_cli_now_ns(void);
/* `when`: auto, always, never, or NULL (auto). */
void em_cli_progress_begin(em_cli_progress *progress, const char *when, bool quiet);
bool em_cli_progress_update(void *state, const char *stage, uint64_t done, uint64_t total);
void em_cli_progress_clear(em_cli_progress *progress);

/* --- parts of convert and run --------------------------------------------------------------------- */

/* The files that are read, by device and inode. */
typedef struct em_cli_input {
    dev_t device;
    ino_t inode;
    char *name;
} em_cli_input;
typedef struct em_cli_inputs {
    em_cli_input *list;
    size_t n, capacity;
} em_cli_inputs;

/* paths[n_paths], "-" standard input; those that are not there are left out. With a context the shards of a manifest
 * are among them. The caller frees. */
em_status em_cli_inputs_open(em_context *context, char *const *paths, int n_paths, em_cli_inputs *inputs,
                             em_error *error);
const char *em_cli_inputs_find(const em_cli_inputs *inputs, const struct stat *at); /* its name; NULL: not read */
void em_cli_inputs_free(em_cli_inputs *inputs);                                     /* {0} is fine */

/* Refuses outputs that are inputs or each other (EM_USAGE), then those that cannot be written (EM_ENVIRONMENT);
 * opens nothing. outputs[n_outputs] are paths, "-" is standard output. */
em_status em_cli_check_outputs(const em_cli_inputs *inputs, const char *const *outputs, int n_outputs, em_error *error);
/* The same of one more output beside outputs[n_outputs]: cheap enough for every shard. */
em_status em_cli_check_shard(const em_cli_inputs *inputs, const char *const *outputs, int n_outputs, const char *shard,
                             em_error *error);

/* What was done, for the summary line. */
typedef struct em_cli_summary {
    const em_report *report;
    const em_graph *graph;
    uint64_t wall_ns, verify_ns, peak_bytes; /* wall_ns without the check */
    uint64_t n_parallel;                     /* arcs that --dedup would drop, behind a symmetrize without one */
    bool base_given, columns_given;          /* columns: or that weights are not wanted */
} em_cli_summary;

void em_cli_summary_print(const em_cli_summary *summary);
/* Lines about data that was dropped or changed; printed even with -q. */
void em_cli_warnings_print(const em_read_report *read);

/* What is judged: the graph, and where they are wanted the map and the edge ids. */
typedef struct em_cli_files {
    const char *graph, *map, *edge_ids; /* NULL: none */
} em_cli_files;

/* igraph's judgement of the files against the inputs and options of the line; `ranges` "K" or NULL: all. The judge's
 * line of agreement goes to the file descriptor `line_to`; -1: nowhere. */
em_status em_cli_judge(em_context *context, const em_cli_line *line, char *const *inputs, int n_inputs,
                       const em_cli_files *files, const char *ranges, int line_to, em_error *error);

/* --- commands: argv[0] is the command's name; they return the exit status -------------------------- */

int em_cli_convert(int argc, char **argv);
int em_cli_run(int argc, char **argv);
int em_cli_plan(int argc, char **argv);
int em_cli_info(int argc, char **argv);
int em_cli_verify(int argc, char **argv);
int em_cli_generate(int argc, char **argv);
int em_cli_scan(int argc, char **argv);
int em_cli_bench(int argc, char **argv);
int em_cli_formats(int argc, char **argv);
int em_cli_stages(int argc, char **argv);

#endif
