/* id_list - ids in ascending order: those listed in a file, one a line, and those that occur.
 *
 * Files are those of --vertices-from and --among. Blank lines and comments are passed over, as in edge lists; of a line
 * the first field counts. With string ids the whole line is the label, and every line is one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_id(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t sort_ids(uint64_t *ids, uint64_t n)
{
    uint64_t kept = 0;
    if (n)
        qsort(ids, n, sizeof *ids, by_id);
    for (uint64_t i = 0; i < n; i++) {
        if (i == 0 || ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    }
    return kept;
}

bool is_listed(uint64_t id, const uint64_t *list, uint64_t n)
{
    return n > 0 && bsearch(&id, list, n, sizeof id, by_id) != NULL;
}

struct list {
    uint64_t *ids, n, capacity;
};

static void append(struct list *list, uint64_t id)
{
    if (list->n == list->capacity)
        list->ids = grow(list->ids, list->capacity = 2 * list->capacity + 16, sizeof *list->ids);
    list->ids[list->n++] = id;
}

/* The id that a line names. NULL, or what is wrong; UINT64_MAX: none. */
static const char *id_of_line(const struct reading *reading, char *line, bool adds, uint64_t *id)
{
    char *token = line + strspn(line, " \t\r");
    *id = UINT64_MAX;
    if (!*token || (!reading->labels && (*token == '#' || *token == '%' || strncmp(token, "//", 2) == 0)))
        return NULL;
    if (!reading->labels) {
        token += *token == '"';
        return parse_id(token, strcspn(token, " \t\r,;|\""), reading->options->base, id);
    }
    size_t n = strlen(token);
    while (strchr(" \t\r", token[n - 1]))
        n--;
    if (n >= 2 && token[0] == '"' && token[n - 1] == '"') { /* doubled quotes inside stand for one */
        char *to = token;
        for (size_t i = 1; i + 1 < n; i++) {
            *to++ = token[i];
            i += token[i] == '"' && token[i + 1] == '"';
        }
        n = (size_t)(to - token);
    }
    *id = adds ? labels_add(reading->labels, token, n) : labels_find(reading->labels, token, n);
    return NULL;
}

uint64_t *read_id_list(const struct reading *reading, const char *path, bool adds, uint64_t *n_ids)
{
    struct list list = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        fail(EXIT_ENVIRONMENT, "%s: open: %s", path, strerror(errno));
    struct lines *lines = lines_open(path, file);
    char *line;
    size_t n;
    while (lines_next(lines, &line, &n)) {
        uint64_t number = lines_number(lines), id;
        if (number == 1 && n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
            line += 3;
        const char *why = id_of_line(reading, line, adds, &id);
        if (why)
            fail(EXIT_MALFORMED, "%s:%llu: %s", path, (unsigned long long)number, why);
        if (id != UINT64_MAX)
            append(&list, id);
    }
    lines_close(lines);
    close(file);
    *n_ids = sort_ids(list.ids, list.n);
    return list.ids;
}

static void collect_ids(void *state, uint64_t source, uint64_t target, uint64_t weight)
{
    (void)weight;
    append(state, source);
    append(state, target);
}

void find_ids(struct reading *reading, const struct input *inputs)
{
    struct list list = {0};
    for (uint64_t i = 0; i < reading->n_in_set; i++)
        append(&list, reading->vertex_set[i]);
    reading->sink = (struct sink){collect_ids, &list};
    read_inputs(reading, inputs);
    reading->sink = (struct sink){0};
    reading->n_ids = sort_ids(list.ids, list.n);
    reading->ids = list.ids;
}

uint64_t vertices_of(const struct reading *reading)
{
    return reading->ids ? reading->n_ids : reading->n_vertices;
}

void read_vertex_set(struct reading *reading)
{
    reading->vertex_set = read_id_list(reading, reading->options->vertices_from, true, &reading->n_in_set);
}

const char *check_arc(const struct reading *reading, uint64_t source, uint64_t target)
{
    const struct options *options = reading->options;
    if (options->has_vertices && (source >= options->n_vertices || target >= options->n_vertices))
        return "id outside --vertices";
    if (options->vertices_from && (!is_listed(source, reading->vertex_set, reading->n_in_set) ||
                                   !is_listed(target, reading->vertex_set, reading->n_in_set)))
        return "id not in --vertices-from";
    return NULL;
}
