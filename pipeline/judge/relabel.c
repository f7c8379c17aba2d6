/* relabel - new ids for the vertices: an order is found, igraph_permute_vertices puts the graph into it.
 *
 * An order lists the vertices as they come. dense and first drop vertices without arcs before, except those that
 * --vertices-from lists. Which vertex each was at first is carried along.
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

/* --- vertices that go ----------------------------------------------------------------------------- */

static void note_origins(struct rebuilt *rebuilt)
{
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph);
    if (rebuilt->origins)
        return;
    rebuilt->origins = allocate(n, sizeof *rebuilt->origins);
    for (uint64_t v = 0; v < n; v++)
        rebuilt->origins[v] = v;
}

void drop_isolated(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    (void)step;
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph), n_kept = 0;
    igraph_vector_int_t degrees, gone;
    note_origins(rebuilt);
    check(igraph_vector_int_init(&degrees, 0));
    check(igraph_vector_int_init(&gone, 0));
    check(igraph_degree(&rebuilt->graph, &degrees, igraph_vss_all(), IGRAPH_ALL, IGRAPH_LOOPS));
    for (uint64_t v = 0; v < n; v++) {
        bool listed =
            reading->options->vertices_from && is_listed(name_of(rebuilt, v), reading->vertex_set, reading->n_in_set);
        if (VECTOR(degrees)[v] == 0 && !listed)
            check(igraph_vector_int_push_back(&gone, (igraph_integer_t)v));
        else
            rebuilt->origins[n_kept++] = rebuilt->origins[v];
    }
    check(igraph_delete_vertices(&rebuilt->graph, igraph_vss_vector(&gone)));
    igraph_vector_int_destroy(&degrees);
    igraph_vector_int_destroy(&gone);
    check(EANV(&rebuilt->graph, slot_attribute, &rebuilt->slots));
}

/* --- orders --------------------------------------------------------------------------------------- */

struct key {
    uint64_t at, vertex;
};

static int by_key(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* Vertices by (key, id). */
static void order_by_keys(struct key *keys, uint64_t n, uint64_t *order)
{
    if (n)
        qsort(keys, n, sizeof *keys, by_key);
    for (uint64_t k = 0; k < n; k++)
        order[k] = keys[k].vertex;
}

static void order_by_degree(const struct rebuilt *rebuilt, bool ascending, uint64_t *order)
{
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph);
    struct key *keys = allocate(n, sizeof *keys);
    igraph_vector_int_t degrees;
    check(igraph_vector_int_init(&degrees, 0));
    check(igraph_degree(&rebuilt->graph, &degrees, igraph_vss_all(), IGRAPH_OUT, IGRAPH_LOOPS));
    for (uint64_t v = 0; v < n; v++) {
        uint64_t degree = (uint64_t)VECTOR(degrees)[v];
        keys[v] = (struct key){ascending ? degree : UINT64_MAX - degree, v};
    }
    order_by_keys(keys, n, order);
    igraph_vector_int_destroy(&degrees);
    free(keys);
}

static void order_at_random(const struct rebuilt *rebuilt, uint64_t seed, uint64_t *order)
{
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph);
    struct key *keys = allocate(n, sizeof *keys);
    for (uint64_t v = 0; v < n; v++) { /* splitmix64 of seed + v: http://prng.di.unimi.it/splitmix64.c */
        uint64_t z = seed + v + UINT64_C(0x9E3779B97F4A7C15);
        z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
        keys[v] = (struct key){z ^ z >> 31, v};
    }
    order_by_keys(keys, n, order);
    free(keys);
}

static uint64_t start_vertex(const struct rebuilt *rebuilt, const struct reading *reading)
{
    const char *word = reading->options->start;
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph), start = 0;
    if (!word)
        return 0;
    if (!parse_natural(word, strlen(word), &start))
        fail(EXIT_USAGE, "--start=%s: an id is expected", word);
    if (start >= n)
        fail(EXIT_USAGE, "--start=%s: there is no such vertex", word);
    return start;
}

/* igraph visits neighbours by ascending id, and then goes on from the smallest vertex it has not seen. */
static void order_by_bfs(const struct rebuilt *rebuilt, uint64_t start, uint64_t *order)
{
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph);
    igraph_vector_int_t visited;
    if (n == 0)
        return;
    check(igraph_vector_int_init(&visited, 0));
    check(igraph_bfs(&rebuilt->graph, (igraph_integer_t)start, NULL, IGRAPH_OUT, true, NULL, &visited, NULL, NULL, NULL,
                     NULL, NULL, NULL, NULL));
    if ((uint64_t)igraph_vector_int_size(&visited) != n)
        fail(EXIT_ENVIRONMENT, "igraph: breadth-first search missed vertices");
    for (uint64_t k = 0; k < n; k++)
        order[k] = (uint64_t)VECTOR(visited)[k];
    igraph_vector_int_destroy(&visited);
}

/* By first appearance in the text among the arcs that are left; listed vertices without arcs come behind. */
static void order_by_text(const struct rebuilt *rebuilt, uint64_t *order)
{
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph), n_edges = (uint64_t)igraph_ecount(&rebuilt->graph), k = 0;
    uint64_t *vertices = allocate(rebuilt->n_origins, sizeof *vertices); /* by origin: vertex + 1 */
    struct key *keys = allocate(n_edges, sizeof *keys);
    for (uint64_t v = 0; v < n; v++)
        vertices[origin_of(rebuilt, v)] = v + 1;
    for (uint64_t e = 0; e < n_edges; e++)
        keys[e].at = number_of(rebuilt, slot_of(rebuilt, (igraph_integer_t)e));
    if (n_edges)
        qsort(keys, n_edges, sizeof *keys, by_key);
    for (uint64_t i = 0; i < n_edges; i++) {
        for (uint64_t end = 0; end < 2; end++) {
            uint64_t origin = rebuilt->ends[2 * keys[i].at + end];
            if (vertices[origin])
                order[k++] = vertices[origin] - 1;
            vertices[origin] = 0;
        }
    }
    for (uint64_t origin = 0; origin < rebuilt->n_origins; origin++) {
        if (vertices[origin])
            order[k++] = vertices[origin] - 1;
    }
    free(keys);
    free(vertices);
}

/* One number a line, the new id of the vertex of that line, or two as in a map file: new, old. */
static void order_by_file(const char *path, uint64_t n, uint64_t base, uint64_t *order)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        fail(EXIT_ENVIRONMENT, "%s: open: %s", path, strerror(errno));
    unsigned char *new_seen = allocate(n, 1), *old_seen = allocate(n, 1);
    struct lines *lines = lines_open(path, file);
    uint64_t n_found = 0, n_columns = 0;
    char *line;
    size_t length;
    while (lines_next(lines, &line, &length)) {
        uint64_t number = lines_number(lines), ids[2], n_ids = 0;
        char *rest = NULL;
        const char *why = NULL;
        line += strspn(line, " \t\r");
        if (*line == '#' || *line == '%' || strncmp(line, "//", 2) == 0)
            continue;
        for (char *word = strtok_r(line, " \t\r", &rest); word && !why; word = strtok_r(NULL, " \t\r", &rest)) {
            if (n_ids == 2)
                why = "more than two numbers";
            else if (!parse_natural(word, strlen(word), &ids[n_ids++]))
                why = "no number";
        }
        if (n_ids == 0 && !why)
            continue;
        if (n_columns == 0)
            n_columns = n_ids;
        if (n_ids == 1)
            ids[1] = n_found;
        else if (!why && ids[1] < base)
            why = "id 0 with base 1";
        else
            ids[1] -= base;
        if (!why && n_ids != n_columns)
            why = "another number of columns than before";
        if (!why && (ids[0] >= n || ids[1] >= n))
            why = "past the vertices";
        if (!why && (new_seen[ids[0]]++ || old_seen[ids[1]]++))
            why = "a vertex a second time";
        if (why)
            fail(EXIT_MALFORMED, "%s:%" PRIu64 ": %s", path, number, why);
        order[ids[0]] = ids[1];
        n_found++;
    }
    if (n_found != n)
        fail(EXIT_MALFORMED, "%s: %" PRIu64 " vertices, the graph has %" PRIu64, path, n_found, n);
    lines_close(lines);
    close(file);
    free(new_seen);
    free(old_seen);
}

/* --- the step ------------------------------------------------------------------------------------- */

static void find_order(const struct rebuilt *rebuilt, const struct reading *reading, const char *word, uint64_t *order)
{
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph), seed = 1;
    if (strcmp(word, "first") == 0) {
        order_by_text(rebuilt, order);
    } else if (strcmp(word, "degree") == 0 || strcmp(word, "degree-asc") == 0) {
        order_by_degree(rebuilt, word[6] != '\0', order);
    } else if (strcmp(word, "random") == 0) {
        order_at_random(rebuilt, seed, order);
    } else if (strncmp(word, "random:", 7) == 0) {
        if (!parse_natural(word + 7, strlen(word + 7), &seed))
            fail(EXIT_USAGE, "--relabel=%s: a seed is expected", word);
        order_at_random(rebuilt, seed, order);
    } else if (strcmp(word, "bfs") == 0) {
        order_by_bfs(rebuilt, start_vertex(rebuilt, reading), order);
    } else if (strcmp(word, "rcm") == 0) {
        order_rcm(rebuilt, order);
    } else {
        order_by_file(word, n, rebuilt->origins ? 0 : reading->options->base, order);
    }
}

void relabel(struct rebuilt *rebuilt, const struct reading *reading, const struct step *step)
{
    bool dense = strcmp(step->word, "dense") == 0;
    if (dense || strcmp(step->word, "first") == 0)
        drop_isolated(rebuilt, reading, step);
    if (dense)
        return;
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph);
    uint64_t *order = allocate(n, sizeof *order), *origins = allocate(n, sizeof *origins);
    igraph_vector_int_t permutation; /* the new id of every vertex */
    igraph_t permuted;
    find_order(rebuilt, reading, step->word, order);
    check(igraph_vector_int_init(&permutation, (igraph_integer_t)n));
    for (uint64_t k = 0; k < n; k++) {
        VECTOR(permutation)[order[k]] = (igraph_integer_t)k;
        origins[k] = origin_of(rebuilt, order[k]);
    }
    check(igraph_permute_vertices(&rebuilt->graph, &permuted, &permutation));
    igraph_destroy(&rebuilt->graph);
    rebuilt->graph = permuted;
    igraph_vector_int_destroy(&permutation);
    free(order);
    free(rebuilt->origins);
    rebuilt->origins = origins;
}
