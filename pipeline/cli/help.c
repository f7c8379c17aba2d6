/* help - --help and --version, written from the option table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/cli/cli.h"

#include <string.h>

enum { TEXT_COLUMN = 32 };

static void print_option(FILE *out, const em_cli_option *option)
{
    int width = option->letter ? fprintf(out, "  -%c, ", option->letter) : fprintf(out, "      ");
    width += fprintf(out, "--%s", option->name);
    if (option->value)
        width += fprintf(out, option->kind == EM_CLI_MAYBE ? "[=%s]" : "=%s", option->value);
    if (width >= TEXT_COLUMN) {
        fputc('\n', out);
        width = 0;
    }
    const char *line = option->help;
    while (line) {
        const char *end = strchr(line, '\n');
        fprintf(out, "%*s%.*s\n", TEXT_COLUMN - width, "", end ? (int)(end - line) : (int)strlen(line), line);
        width = 0;
        line = end ? end + 1 : NULL;
    }
}

void em_cli_command_help(FILE *out, const char *usage, const char *about, unsigned command_bit, const char *more)
{
    fprintf(out, "Usage: edgemill %s\n\n%s\n", usage, about);
    const char *heading = NULL, *printed = NULL;
    for (int id = 0; id < EM_CLI_N_OPTIONS; id++) {
        const em_cli_option *option = &em_cli_options[id];
        if (option->heading)
            heading = option->heading;
        if (!(option->commands & command_bit))
            continue;
        if (heading != printed && (!printed || strcmp(heading, printed) != 0))
            fprintf(out, "\n%s:\n", heading);
        printed = heading;
        print_option(out, option);
    }
    if (more)
        fprintf(out, "\n%s", more);
}

void em_cli_help(FILE *out)
{
    fputs("Usage: edgemill COMMAND [OPTIONS] …\n"
          "\n"
          "Turns edge lists into CSR graphs.\n"
          "\n"
          "Commands:\n"
          "  convert INPUT… -o OUTPUT      read edge lists, clean, build the graph, write it\n"
          "  run PIPELINE                  run a pipeline given as text: load a | csr | save b\n"
          "  plan PIPELINE                 what a pipeline would do and need, without doing it\n"
          "  info FILE                     facts about a graph file\n"
          "  verify CSR [INPUT…]           compare with what igraph builds from INPUT, or check the file alone\n"
          "  generate SHAPE … -o FILE      seeded synthetic graphs: rmat, uniform, grid, …\n"
          "  scan NUMBER…                  run, trace, draw or time the scan core on numbers\n"
          "  bench [scan|compact|sort]     what the parts take, beside what this machine can do\n"
          "  formats                       the file formats that are read and written\n"
          "  stages                        the stages that a pipeline is made of\n"
          "\n"
          "'edgemill COMMAND --help' lists the options of a command; options and operands come in any order.\n"
          "\n"
          "  -h, --help                    print this and exit\n"
          "      --version                 print version and features and exit\n"
          "\n"
          "Exit status: 0 done, 1 a verification found a difference, 2 usage, 3 the input is malformed,\n"
          "4 the environment failed (files, memory, missing programs), 128 + signal when interrupted.\n"
          "\n"
          "Example:\n"
          "  edgemill convert web.txt.gz -o web.csr --verify\n",
          out);
}

void em_cli_version(FILE *out)
{
    fputs("edgemill 0.1.0\n"
          "Licence Apache-2.0: https://www.apache.org/licenses/LICENSE-2.0\n",
          out);
#ifdef EM_HAVE_ISAL
    fputs("gzip: zlib and isa-l\n", out);
#else
    fputs("gzip: zlib (isa-l not built)\n", out);
#endif
#ifdef EM_HAVE_CUDA
    fputs("devices: cpu (cuda not used yet)\n", out);
#else
    fputs("devices: cpu (cuda not built)\n", out);
#endif
}
