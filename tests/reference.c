/* reference - see reference.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/reference.h"

#include <stdlib.h>
#include <string.h>

uint64_t ref_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

ref_arc *ref_parse(const char *text, size_t n_bytes, uint64_t *n_arcs)
{
    char *copy = malloc(n_bytes + 1);
    memcpy(copy, text, n_bytes);
    copy[n_bytes] = 0;
    ref_arc *arcs = malloc((n_bytes / 2 + 1) * sizeof *arcs);
    uint64_t n = 0;
    for (char *line = copy, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        for (char *c = line; *c; c++)
            if (strchr(",;|\t\r", *c))
                *c = ' ';
        while (*line == ' ')
            line++;
        if (!*line || *line == '#' || *line == '%' || strncmp(line, "//", 2) == 0)
            continue;
        char *at;
        ref_arc arc = {.position = n, .weight = 1};
        arc.source = strtoull(line, &at, 10);
        arc.target = strtoull(at, &at, 10);
        while (*at == ' ')
            at++;
        if (*at)
            arc.weight = strtod(at, NULL);
        arcs[n++] = arc;
    }
    free(copy);
    *n_arcs = n;
    return arcs;
}

static int by_source(const void *a, const void *b)
{
    const ref_arc *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static int by_source_and_target(const void *a, const void *b)
{
    const ref_arc *x = a, *y = b;
    if (x->source == y->source && x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return by_source(a, b);
}

ref_graph ref_csr(const ref_arc *arcs, uint64_t n_arcs, uint64_t n_vertices, bool sorted)
{
    ref_arc *ordered = malloc((n_arcs + 1) * sizeof *ordered);
    memcpy(ordered, arcs, n_arcs * sizeof *ordered);
    qsort(ordered, n_arcs, sizeof *ordered, sorted ? by_source_and_target : by_source);
    ref_graph graph = {.n_vertices = n_vertices, .n_arcs = n_arcs};
    for (uint64_t i = 0; i < n_arcs && n_vertices == 0; i++) {
        const uint64_t largest = arcs[i].source > arcs[i].target ? arcs[i].source : arcs[i].target;
        if (largest >= graph.n_vertices)
            graph.n_vertices = largest + 1;
    }
    graph.offsets = calloc(graph.n_vertices + 1, sizeof *graph.offsets);
    graph.targets = malloc((n_arcs + 1) * sizeof *graph.targets);
    graph.weights = malloc((n_arcs + 1) * sizeof *graph.weights);
    uint64_t at = 0;
    for (uint64_t v = 0; v < graph.n_vertices; v++) {
        for (; at < n_arcs && ordered[at].source == v; at++) {
            graph.targets[at] = ordered[at].target;
            graph.weights[at] = ordered[at].weight;
        }
        graph.offsets[v + 1] = at;
    }
    free(ordered);
    return graph;
}

void ref_free(ref_graph *graph)
{
    free(graph->offsets);
    free(graph->targets);
    free(graph->weights);
    *graph = (ref_graph){0};
}
