/* lists - the commands formats and stages: what is known, one line each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/cli.h"
#include "pipeline/spec.h"

#include <string.h>

/* Handles --help and --version and refuses operands; *go_on: the list is wanted. */
static int list_begin(int argc, char **argv, const char *about, bool *go_on)
{
    em_error error = {0};
    em_cli_line line = {0};
    int status = 0;
    *go_on = false;
    if (em_cli_parse(&line, EM_CLI_LIST, argc, argv, &error) == EM_OK && !line.given[EM_CLI_HELP] &&
        !line.given[EM_CLI_VERSION] && line.n_operands)
        em_fail(&error, EM_USAGE, "%s takes no operands, and '%s' is one", argv[0], line.operands[0]);
    if (error.status != EM_OK)
        status = em_cli_fail(&error, argv[0]);
    else if (line.given[EM_CLI_HELP])
        em_cli_command_help(stdout, argv[0], about, EM_CLI_LIST, NULL);
    else if (line.given[EM_CLI_VERSION])
        em_cli_version(stdout);
    else
        *go_on = true;
    em_cli_line_free(&line);
    return status;
}

int em_cli_formats(int argc, char **argv)
{
    bool go_on;
    const int status =
        list_begin(argc, argv, "Lists the file formats: whether each is read and written, its suffixes.", &go_on);
    if (!go_on)
        return status;
    const em_format *const *formats;
    const size_t n = em_formats(&formats);
    size_t width = strlen("suffixes");
    for (size_t i = 0; i < n; i++)
        width = strlen(formats[i]->suffixes) > width ? strlen(formats[i]->suffixes) : width;
    printf("%-8s %-5s %-6s %-*s %s\n", "format", "read", "write", (int)width, "suffixes", "what it is");
    for (size_t i = 0; i < n; i++)
        printf("%-8s %-5s %-6s %-*s %s\n", formats[i]->name, formats[i]->read || formats[i]->open_csr ? "yes" : "-",
               formats[i]->write ? "yes" : "-", (int)width, formats[i]->suffixes[0] ? formats[i]->suffixes : "-",
               formats[i]->summary);
    return 0;
}

/* Words of a usage line, broken before column 120 and indented below the summary. */
static void print_usage(const char *usage)
{
    enum { INDENT = 13, COLUMNS = 120 };
    size_t column = 0;
    for (const char *at = usage; *at;) {
        const size_t length = strcspn(at, " ");
        if (column && column + 1 + length > COLUMNS) {
            putchar('\n');
            column = 0;
        }
        column += column ? 1 + length : INDENT + length;
        printf("%*s%.*s", column == INDENT + length ? INDENT : 1, "", (int)length, at);
        at += length + strspn(at + length, " ");
    }
    putchar('\n');
}

int em_cli_stages(int argc, char **argv)
{
    bool go_on;
    const int status =
        list_begin(argc, argv, "Lists the stages that a pipeline is made of, each with its options.", &go_on);
    if (!go_on)
        return status;
    const em_stage *stage;
    for (size_t i = 0; (stage = em_stage_at(NULL, i)); i++) {
        printf("%-17s %s\n", stage->name, stage->summary);
        if (stage->usage && strcmp(stage->usage, stage->name) != 0)
            print_usage(stage->usage);
    }
    for (size_t i = 0; em_macro_at(i); i++)
        printf("%-17s %s\n", em_macro_at(i)->name, em_macro_at(i)->summary);
    return 0;
}
