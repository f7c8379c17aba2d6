/* rcm - the reverse Cuthill-McKee order, written plainly on igraph's neighbour lists.
 *
 * On the graph without directions, loops and parallel edges, component after component by smallest id: from a vertex
 * found by George and Liu's search for a far one, breadth first, neighbours by (degree, id); the whole order reversed.
 * Sources: E. Cuthill, J. McKee, Reducing the bandwidth of sparse symmetric matrices (1969); A. George, J. W. H. Liu,
 * An implementation of a pseudoperipheral node finder (1979). Cost: a few searches a component.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/rebuilt.h"

#include <stdlib.h>

struct key {
    uint64_t degree, vertex;
};

struct search {
    igraph_t graph; /* undirected and simple */
    igraph_vector_int_t degrees, neighbours;
    uint64_t *queue, *levels; /* level + 1 by vertex; 0: not seen */
    struct key *keys;
};

static int by_degree(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->degree != y->degree)
        return x->degree < y->degree ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static struct key key_of(const struct search *search, uint64_t vertex)
{
    return (struct key){(uint64_t)VECTOR(search->degrees)[vertex], vertex};
}

/* Breadth first from `root` over vertices not seen yet; queue[0, result) is the order. */
static uint64_t visit(struct search *search, uint64_t root)
{
    uint64_t n = 1;
    search->queue[0] = root;
    search->levels[root] = 1;
    for (uint64_t at = 0; at < n; at++) {
        uint64_t vertex = search->queue[at], n_new = 0;
        check(igraph_neighbors(&search->graph, &search->neighbours, (igraph_integer_t)vertex, IGRAPH_ALL));
        for (igraph_integer_t i = 0; i < igraph_vector_int_size(&search->neighbours); i++) {
            uint64_t other = (uint64_t)VECTOR(search->neighbours)[i];
            if (search->levels[other])
                continue;
            search->levels[other] = search->levels[vertex] + 1;
            search->keys[n_new++] = key_of(search, other);
        }
        if (n_new)
            qsort(search->keys, n_new, sizeof *search->keys, by_degree);
        for (uint64_t i = 0; i < n_new; i++)
            search->queue[n++] = search->keys[i].vertex;
    }
    return n;
}

/* The vertex to begin with, found from the component's smallest one. Leaves the component unseen. */
static uint64_t find_start(struct search *search, uint64_t root)
{
    uint64_t depth = 0; /* of the search from `root` that found `candidate` */
    for (uint64_t candidate = root;;) {
        uint64_t n = visit(search, candidate), last = search->levels[search->queue[n - 1]];
        struct key far = key_of(search, search->queue[n - 1]);
        for (uint64_t i = n; i-- > 0 && search->levels[search->queue[i]] == last;) {
            struct key other = key_of(search, search->queue[i]);
            if (by_degree(&other, &far) < 0)
                far = other;
        }
        for (uint64_t i = 0; i < n; i++)
            search->levels[search->queue[i]] = 0;
        if (last <= depth)
            return root;
        root = candidate;
        depth = last;
        candidate = far.vertex;
    }
}

void order_rcm(const struct rebuilt *rebuilt, uint64_t *order)
{
    uint64_t n = (uint64_t)igraph_vcount(&rebuilt->graph);
    struct search search = {.levels = allocate(n, sizeof(uint64_t)), .keys = allocate(n, sizeof(struct key))};
    uint64_t *component = allocate(n, sizeof *component), n_done = 0;
    check(igraph_copy(&search.graph, &rebuilt->graph));
    check(igraph_to_undirected(&search.graph, IGRAPH_TO_UNDIRECTED_COLLAPSE, NULL));
    check(igraph_simplify(&search.graph, true, true, NULL));
    check(igraph_vector_int_init(&search.degrees, 0));
    check(igraph_vector_int_init(&search.neighbours, 0));
    check(igraph_degree(&search.graph, &search.degrees, igraph_vss_all(), IGRAPH_ALL, IGRAPH_LOOPS));
    search.queue = component;
    for (uint64_t v = 0; v < n; v++) {
        if (search.levels[v])
            continue;
        uint64_t n_in = visit(&search, find_start(&search, v));
        for (uint64_t i = 0; i < n_in; i++)
            order[n - 1 - n_done++] = component[i];
    }
    igraph_vector_int_destroy(&search.degrees);
    igraph_vector_int_destroy(&search.neighbours);
    igraph_destroy(&search.graph);
    free(search.levels);
    free(search.keys);
    free(component);
}
