/* verify - a graph file against its inputs, judged by igraph, or against its own checksums and invariants.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/verify.h"
#include "pipeline/cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

em_status em_cli_judge(em_context *context, const em_cli_line *line, char *const *inputs, int n_inputs,
                       const char *csr_path, const char *ranges, int line_to, em_error *error)
{
    char order[32], parts[32];
    char **words = malloc(((size_t)line->n_load + (size_t)n_inputs + 3) * sizeof *words);
    if (!words)
        return em_fail(error, EM_NO_MEMORY, "out of memory for %d words", line->n_load + n_inputs);
    int n = 0;
    for (int i = 0; i < line->n_load; i++)
        words[n++] = line->load[i];
    if (line->value[EM_CLI_ORDER]) {
        snprintf(order, sizeof order, "--order=%s", line->value[EM_CLI_ORDER]);
        words[n++] = order;
    }
    if (ranges) {
        snprintf(parts, sizeof parts, "--ranges=%s", ranges);
        words[n++] = parts;
    }
    words[n++] = "--"; /* an input may begin with a dash */
    for (int i = 0; i < n_inputs; i++)
        words[n++] = inputs[i];
    const em_status status = em_verify_igraph_to(context, NULL, csr_path, n, words, line_to, error);
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
            return em_fail(error, EM_USAGE, "--%s says how an input is read, and there is no INPUT",
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
        status = em_cli_judge(context, line, line->operands + 1, line->n_operands - 1, line->operands[0], NULL,
                              line->given[EM_CLI_QUIET] ? -1 : STDOUT_FILENO, error);
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
            "With INPUT: rebuilds the graph from INPUT with igraph, compares all of it with CSR (.csr or .npz),\n"
            "prints the first differences and ends with status 1 where there are any. Give the options that\n"
            "CSR was made with. Without INPUT: checks the checksums and invariants of the file alone.",
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
