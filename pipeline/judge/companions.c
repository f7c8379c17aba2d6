/* companions - the files that convert writes beside a graph: the map of its vertices and the numbers of its arcs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/rebuilt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct lines *open_companion(const char *path, int *file)
{
    *file = open(path, O_RDONLY | O_CLOEXEC);
    if (*file < 0)
        fail(EXIT_ENVIRONMENT, "%s: open: %s", path, strerror(errno));
    return lines_open(path, *file);
}

uint64_t *read_edge_ids(const char *path, uint64_t n_arcs, struct verdict *verdict)
{
    int file;
    struct lines *lines = open_companion(path, &file);
    uint64_t *numbers = allocate(n_arcs, sizeof *numbers), n = 0;
    char *line;
    size_t length;
    bool right = true;
    for (; lines_next(lines, &line, &length); n++) {
        uint64_t number;
        if (!parse_natural(line, length, &number)) {
            differ(verdict, "%s:%" PRIu64 ": no number", path, n + 1);
            right = false;
        } else if (n < n_arcs) {
            numbers[n] = number;
        }
    }
    if (n != n_arcs)
        differ(verdict, "%s: %" PRIu64 " numbers, the file has %" PRIu64 " arcs", path, n, n_arcs);
    lines_close(lines);
    close(file);
    if (right && n == n_arcs)
        return numbers;
    free(numbers);
    return NULL;
}

/* A label as a map file spells it. */
static char *escaped(const char *text, size_t n)
{
    char *made = allocate(2 * n + 1, 1), *to = made;
    for (size_t i = 0; i < n; i++) {
        const char *special = text[i] ? strchr("\tt\nn\\\\", text[i]) : NULL;
        if (special && text[i] != 't' && text[i] != 'n') {
            *to++ = '\\';
            *to++ = special[1];
        } else {
            *to++ = text[i];
        }
    }
    return made;
}

/* What the map must say of a vertex. */
static char *name_text(const struct rebuilt *rebuilt, const struct reading *reading, uint64_t vertex)
{
    uint64_t name = name_of(rebuilt, vertex);
    size_t n;
    if (reading->labels) {
        const char *text = labels_text(reading->labels, name, &n);
        return escaped(text, n);
    }
    char *made = allocate(24, 1);
    snprintf(made, 24, "%" PRIu64, reading->options->base + name);
    return made;
}

/* All lines being the expected ones makes the map the bijection that it must be: the names differ from each other. */
void compare_map(const char *path, const struct rebuilt *rebuilt, const struct reading *reading,
                 struct verdict *verdict)
{
    int file;
    struct lines *lines = open_companion(path, &file);
    uint64_t n_vertices = (uint64_t)igraph_vcount(&rebuilt->graph), n = 0;
    char *line;
    size_t length;
    for (; lines_next(lines, &line, &length); n++) {
        if (n >= n_vertices)
            continue;
        char number[24], *name = name_text(rebuilt, reading, n);
        size_t n_digits = (size_t)snprintf(number, sizeof number, "%" PRIu64 "\t", n);
        if (length != n_digits + strlen(name) || memcmp(line, number, n_digits) != 0 ||
            memcmp(line + n_digits, name, length - n_digits) != 0)
            differ(verdict, "%s:%" PRIu64 ": \"%.60s\", igraph has \"%s%.40s\"", path, n + 1, line, number, name);
        free(name);
    }
    if (n != n_vertices)
        differ(verdict, "%s: %" PRIu64 " lines, igraph has %" PRIu64 " vertices", path, n, n_vertices);
    lines_close(lines);
    close(file);
}
