/* verify - a graph file against its inputs, judged by igraph, or against its own checksums and invariants.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/verify.h"
#include "pipeline/cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "--name=value", or "--name" for NULL; the text is moved on. */
static char *word_of(char **text, const char *name, const char *value)
{
    char *const word = *text;
    *text += sprintf(word, value ? "--%s=%s" : "--%s", name, value) + 1;
    return word;
}

em_status em_cli_judge(em_context *context, const em_cli_line *line, char *const *inputs, int n_inputs,
                       const em_cli_files *files, const char *ranges, int line_to, em_error *error)
{
    const char *values[EM_CLI_N_OPTIONS] = {NULL};
    bool passed[EM_CLI_N_OPTIONS] = {false};
    size_t n_bytes = 64;
    for (int id = 0; id < EM_CLI_N_OPTIONS; id++) {
        passed[id] = line->given[id] && (em_cli_options[id].stage || id == EM_CLI_ORDER) && id != EM_CLI_TO;
        values[id] = id == EM_CLI_MAP ? files->map : id == EM_CLI_EDGE_IDS ? files->edge_ids : line->value[id];
        n_bytes += passed[id] ? strlen(em_cli_options[id].name) + (values[id] ? strlen(values[id]) : 0) + 4 : 0;
    }
    const size_t n_words = (size_t)EM_CLI_N_OPTIONS + (size_t)n_inputs + 3;
    char **const words = malloc(n_words * sizeof *words + n_bytes);
    if (!words)
        return em_fail(error, EM_NO_MEMORY, "out of memory for %zu words", n_words);
    char *text = (char *)(words + n_words);
    int n = 0;
    for (int id = 0; id < EM_CLI_N_OPTIONS; id++)
        if (passed[id])
            words[n++] = word_of(&text, em_cli_options[id].name, values[id]);
    if (ranges)
        words[n++] = word_of(&text, "ranges", ranges);
    words[n++] = "--"; /* an input may begin with a dash */
    for (int i = 0; i < n_inputs; i++)
        words[n++] = inputs[i];
    const em_status status = em_verify_igraph_to(context, NULL, files->graph, n, words, line_to, error);
    free(words);
    return status;
}

/* Checksums and invariants of one file. */
static em_status verify_alone(em_context *context, const em_cli_line *line, em_error *error)
{
    const char *path = line->operands[0];
    char vertices[32], arcs[32];
    em_csr csr = {0};
    for (int id = 0; id < EM_CLI_N_OPTIONS; id++)
        if (line->given[id] && (em_cli_options[id].stage || id == EM_CLI_ORDER))
            return em_fail(error, EM_USAGE, "--%s says what is done with an input, and there is no INPUT",
                           em_cli_options[id].name);
    em_status status = em_csr_open(context, path, &csr, error);
    if (status == EM_OK)
        status = em_csr_check(context, &csr, path, error);
    if (status == EM_OK && !line->given[EM_CLI_QUIET])
        printf("%s: checksums and invariants hold: %s vertices, %s arcs\n", path,
               em_report_count(vertices, csr.n_vertices), em_report_count(arcs, csr.n_arcs));
    em_csr_free(&csr);
    return status;
}

static em_status verify(const em_cli_line *line, em_error *error)
{
    const em_context_options options = {.n_threads = line->n_threads};
    em_context *context = NULL;
    if (line->n_operands == 0)
        return em_fail(error, EM_USAGE, "verify needs a CSR file, and the INPUT to compare it with");
    for (int i = 0; i < line->n_operands; i++)
        if (strcmp(line->operands[i], "-") == 0)
            return em_fail(error, EM_USAGE, "verify reads files, not standard input");
    em_status status = em_context_create(&options, &context, error);
    if (status == EM_OK && line->n_operands == 1)
        status = verify_alone(context, line, error);
    else if (status == EM_OK)
        status = em_cli_judge(context, line, line->operands + 1, line->n_operands - 1,
                              &(em_cli_files){line->operands[0], line->value[EM_CLI_MAP], line->value[EM_CLI_EDGE_IDS]},
                              NULL, line->given[EM_CLI_QUIET] ? -1 : STDOUT_FILENO, error);
    em_context_free(context);
    return status;
}

int em_cli_verify(int argc, char **argv)
{
    em_cli_line line = {0};
    em_error error = {0};
    int exit_status = 0;
    em_status status = em_cli_parse(&line, EM_CLI_VERIFY_COMMAND, argc, argv, &error);
    if (status == EM_OK && line.given[EM_CLI_HELP])
        em_cli_command_help(
            stdout, "verify CSR [INPUT… [OPTIONS]]",
            "With INPUT: rebuilds the graph from INPUT with igraph, compares all of it with CSR (.csr, .npz or\n"
            "shards), prints the first differences and ends with status 1 where there are any. Give the options\n"
            "that CSR was made with. Without INPUT: checks the checksums and invariants of the file alone.",
            EM_CLI_VERIFY_COMMAND,
            "Examples:\n"
            "  edgemill verify web.csr web.txt.gz\n"
            "  edgemill verify web.csr\n");
    else if (status == EM_OK && line.given[EM_CLI_VERSION])
        em_cli_version(stdout);
    else if (status == EM_OK)
        status = verify(&line, &error);
    if (status != EM_OK)
        exit_status = em_cli_fail(&error, argv[0]);
    em_cli_line_free(&line);
    return exit_status;
}
