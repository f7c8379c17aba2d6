/* chain_relabel - orders of vertices for chain.c, as the definitions say them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void chain_relabel(chain *list, const char *how, uint64_t start);

static uint64_t random_key(uint64_t seed, uint64_t id)
{
    uint64_t z = seed + id + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* order[n] by keys[vertex], ties as they lie. */
static void sort_by(uint64_t *order, uint64_t n, const uint64_t *keys)
{
    for (uint64_t i = 1; i < n; i++)
        for (uint64_t at = i; at > 0 && keys[order[at]] < keys[order[at - 1]]; at--) {
            const uint64_t swapped = order[at];
            order[at] = order[at - 1];
            order[at - 1] = swapped;
        }
}

/* By position where arcs stand at places of the text, else by where they stand in the list. */
static void first_places(const chain *list, bool by_place, uint64_t *keys)
{
    for (uint64_t i = 0; i < list->n_arcs; i++) {
        const chain_arc *const arc = &list->arcs[i];
        const uint64_t place = by_place ? arc->place : 2 * i;
        if (place < keys[arc->source])
            keys[arc->source] = place;
        if ((place ^ 1) < keys[arc->target])
            keys[arc->target] = place ^ 1;
    }
}

static bool joined(const chain *list, uint64_t a, uint64_t b, bool both_ways)
{
    for (uint64_t i = 0; i < list->n_arcs; i++)
        if ((list->arcs[i].source == a && list->arcs[i].target == b) ||
            (both_ways && list->arcs[i].source == b && list->arcs[i].target == a))
            return true;
    return false;
}

static void bfs_from(const chain *list, uint64_t root, bool *seen, uint64_t *order, uint64_t *n)
{
    uint64_t at = *n;
    order[(*n)++] = root;
    seen[root] = true;
    for (; at < *n; at++)
        for (uint64_t v = 0; v < list->n_vertices; v++)
            if (!seen[v] && joined(list, order[at], v, false)) {
                seen[v] = true;
                order[(*n)++] = v;
            }
}

/* --- reverse Cuthill-McKee: on a matrix of who is a neighbour of whom ------------------------------------------------
 */

typedef struct neighbours {
    uint64_t n, *degree;
    bool *are; /* n * n */
} neighbours;

static bool before(const neighbours *of, uint64_t a, uint64_t b)
{
    return of->degree[a] != of->degree[b] ? of->degree[a] < of->degree[b] : a < b;
}

/* Distances from root; the largest is returned. */
static uint64_t distances(const neighbours *of, uint64_t root, uint64_t *distance)
{
    uint64_t farthest = 0;
    for (uint64_t v = 0; v < of->n; v++)
        distance[v] = UINT64_MAX;
    distance[root] = 0;
    for (uint64_t d = 0; d <= farthest; d++)
        for (uint64_t v = 0; v < of->n; v++)
            for (uint64_t w = 0; distance[v] == d && w < of->n; w++)
                if (of->are[v * of->n + w] && distance[w] == UINT64_MAX) {
                    distance[w] = d + 1;
                    farthest = d + 1;
                }
    return farthest;
}

static uint64_t peripheral(const neighbours *of, uint64_t root)
{
    uint64_t *const distance = calloc(of->n + 1, sizeof *distance);
    for (uint64_t depth = distances(of, root, distance);;) {
        uint64_t best = UINT64_MAX;
        for (uint64_t v = 0; v < of->n; v++)
            if (distance[v] == depth && (best == UINT64_MAX || before(of, v, best)))
                best = v;
        const uint64_t deeper = distances(of, best, distance);
        if (deeper <= depth)
            break;
        root = best;
        depth = deeper;
    }
    free(distance);
    return root;
}

static void rcm(const chain *list, uint64_t *order)
{
    const uint64_t n = list->n_vertices;
    neighbours of = {n, calloc(n + 1, sizeof(uint64_t)), calloc(n * n + 1, 1)};
    bool *const seen = calloc(n + 1, 1);
    uint64_t n_ordered = 0;
    for (uint64_t a = 0; a < n; a++)
        for (uint64_t b = 0; b < n; b++)
            of.degree[a] += of.are[a * n + b] = a != b && joined(list, a, b, true);
    for (uint64_t v = 0; v < n; v++) {
        if (seen[v])
            continue;
        uint64_t at = n_ordered;
        order[n_ordered++] = peripheral(&of, v);
        seen[order[at]] = true;
        for (; at < n_ordered; at++) {
            for (;;) {
                uint64_t next = UINT64_MAX;
                for (uint64_t w = 0; w < n; w++)
                    if (of.are[order[at] * n + w] && !seen[w] && (next == UINT64_MAX || before(&of, w, next)))
                        next = w;
                if (next == UINT64_MAX)
                    break;
                seen[next] = true;
                order[n_ordered++] = next;
            }
        }
    }
    for (uint64_t i = 0; i < n / 2; i++) {
        const uint64_t swapped = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = swapped;
    }
    free(of.degree);
    free(of.are);
    free(seen);
}

/* ---
 * ------------------------------------------------------------------------------------------------------------------ */

static uint64_t make_order(const chain *list, const char *how, uint64_t start, uint64_t *order)
{
    const uint64_t n = list->n_vertices;
    uint64_t *const keys = calloc(n + 1, sizeof *keys), n_ordered = 0;
    for (uint64_t v = 0; v < n; v++)
        order[v] = v;
    if (strcmp(how, "dense") == 0 || strncmp(how, "first", 5) == 0) {
        for (uint64_t v = 0; v < n; v++)
            keys[v] = UINT64_MAX;
        first_places(list, strcmp(how, "first-by-place") == 0, keys);
        for (uint64_t v = 0; v < n; v++)
            if (keys[v] != UINT64_MAX)
                order[n_ordered++] = v;
        if (*how == 'f')
            sort_by(order, n_ordered, keys);
    } else if (strncmp(how, "degree", 6) == 0) {
        for (uint64_t i = 0; i < list->n_arcs; i++)
            keys[list->arcs[i].source]++;
        for (uint64_t v = 0; v < n && !how[6]; v++)
            keys[v] = list->n_arcs - keys[v];
        sort_by(order, n_ordered = n, keys);
    } else if (strncmp(how, "random", 6) == 0) {
        const uint64_t seed = how[6] ? strtoull(how + 7, NULL, 10) : 1;
        for (uint64_t v = 0; v < n; v++)
            keys[v] = random_key(seed, v);
        sort_by(order, n_ordered = n, keys);
    } else if (strcmp(how, "bfs") == 0) {
        bool *const seen = calloc(n + 1, 1);
        if (n)
            bfs_from(list, start, seen, order, &n_ordered);
        for (uint64_t v = 0; v < n; v++)
            if (!seen[v])
                bfs_from(list, v, seen, order, &n_ordered);
        free(seen);
    } else if (strcmp(how, "rcm") == 0) {
        rcm(list, order);
        n_ordered = n;
    } else {
        FILE *const file = fopen(how, "r");
        unsigned long long fresh;
        for (; file && fscanf(file, "%llu", &fresh) == 1; n_ordered++)
            order[fresh] = n_ordered;
        if (file)
            fclose(file);
    }
    free(keys);
    return n_ordered;
}

void chain_relabel(chain *list, const char *how, uint64_t start)
{
    uint64_t *const order = calloc(list->n_vertices + 1, sizeof *order);
    uint64_t *const fresh = calloc(list->n_vertices + 1, sizeof *fresh);
    uint64_t *const labels = calloc(list->n_vertices + 1, sizeof *labels);
    const uint64_t n = make_order(list, how, start, order);
    for (uint64_t i = 0; i < n; i++) {
        fresh[order[i]] = i;
        labels[i] = list->labels[order[i]];
    }
    for (uint64_t i = 0; i < list->n_arcs; i++) {
        list->arcs[i].source = fresh[list->arcs[i].source];
        list->arcs[i].target = fresh[list->arcs[i].target];
    }
    free(list->labels);
    list->labels = labels;
    list->n_dropped = list->n_vertices - n;
    list->n_vertices = n;
    free(order);
    free(fresh);
}
