/* support_judge_orders - orders of vertices: see support_judge_chain.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_judge_chain.h"

uint64_t judge_out_degree(const struct judge_chain *arcs, uint64_t v)
{
    uint64_t degree = 0;
    for (uint64_t i = 0; i < arcs->m; i++)
        degree += arcs->at[i].source == v;
    return degree;
}

static bool judge_has_arc(const struct judge_chain *arcs, uint64_t v, uint64_t w)
{
    for (uint64_t i = 0; i < arcs->m; i++) {
        if (arcs->at[i].source == v && arcs->at[i].target == w)
            return true;
    }
    return false;
}

static bool judge_are_neighbours(const struct judge_chain *arcs, uint64_t v, uint64_t w)
{
    return v != w && (judge_has_arc(arcs, v, w) || judge_has_arc(arcs, w, v));
}

static uint64_t judge_n_neighbours(const struct judge_chain *arcs, uint64_t v)
{
    uint64_t n = 0;
    for (uint64_t w = 0; w < arcs->n; w++)
        n += judge_are_neighbours(arcs, v, w);
    return n;
}

/* How far each vertex is, by relaxing every pair again and again; UINT64_MAX: not reached. The last level's number. */
static uint64_t distances(const struct judge_chain *arcs, uint64_t from, uint64_t *far)
{
    uint64_t last = 0;
    for (uint64_t v = 0; v < arcs->n; v++)
        far[v] = v == from ? 0 : UINT64_MAX;
    for (uint64_t round = 0; round < arcs->n; round++) {
        for (uint64_t v = 0; v < arcs->n; v++) {
            for (uint64_t w = 0; w < arcs->n; w++) {
                if (far[v] != UINT64_MAX && judge_are_neighbours(arcs, v, w) && far[v] + 1 < far[w])
                    far[w] = far[v] + 1;
            }
        }
    }
    for (uint64_t v = 0; v < arcs->n; v++)
        last = far[v] != UINT64_MAX && far[v] > last ? far[v] : last;
    return last;
}

static uint64_t far_vertex(const struct judge_chain *arcs, uint64_t root)
{
    for (;;) {
        uint64_t far[JUDGE_VERTICES], candidate = UINT64_MAX;
        const uint64_t depth = distances(arcs, root, far);
        for (uint64_t v = 0; v < arcs->n; v++) {
            if (far[v] == depth &&
                (candidate == UINT64_MAX || judge_n_neighbours(arcs, v) < judge_n_neighbours(arcs, candidate)))
                candidate = v;
        }
        if (distances(arcs, candidate, far) <= depth)
            return root;
        root = candidate;
    }
}

void judge_order_rcm(const struct judge_chain *arcs, uint64_t *new_ids)
{
    uint64_t order[JUDGE_VERTICES] = {0}, n = 0;
    bool placed[JUDGE_VERTICES] = {false};
    for (uint64_t v = 0; v < arcs->n; v++) {
        if (placed[v])
            continue;
        order[n++] = far_vertex(arcs, v);
        placed[order[n - 1]] = true;
        for (uint64_t at = n - 1; at < n; at++) {
            for (;;) {
                uint64_t next = UINT64_MAX;
                for (uint64_t w = 0; w < arcs->n; w++) {
                    if (!placed[w] && judge_are_neighbours(arcs, order[at], w) &&
                        (next == UINT64_MAX || judge_n_neighbours(arcs, w) < judge_n_neighbours(arcs, next)))
                        next = w;
                }
                if (next == UINT64_MAX)
                    break;
                placed[next] = true;
                order[n++] = next;
            }
        }
    }
    for (uint64_t k = 0; k < n; k++)
        new_ids[order[k]] = n - 1 - k;
}

void judge_order_bfs(const struct judge_chain *arcs, uint64_t start, uint64_t *new_ids)
{
    uint64_t order[JUDGE_VERTICES] = {0}, n = 0;
    bool placed[JUDGE_VERTICES] = {false};
    for (uint64_t round = 0; round <= arcs->n; round++) {
        const uint64_t root = round ? round - 1 : start;
        if (root >= arcs->n || placed[root])
            continue;
        placed[root] = true;
        order[n++] = root;
        for (uint64_t at = n - 1; at < n; at++) {
            for (uint64_t w = 0; w < arcs->n; w++) {
                if (!placed[w] && judge_has_arc(arcs, order[at], w)) {
                    placed[w] = true;
                    order[n++] = w;
                }
            }
        }
    }
    for (uint64_t k = 0; k < n; k++)
        new_ids[order[k]] = k;
}

/* The rank of each vertex by (key, id). */
void judge_order_keys(const struct judge_chain *arcs, const uint64_t *keys, uint64_t *new_ids)
{
    for (uint64_t v = 0; v < arcs->n; v++) {
        new_ids[v] = 0;
        for (uint64_t w = 0; w < arcs->n; w++)
            new_ids[v] += keys[w] < keys[v] || (w < v && keys[w] == keys[v]);
    }
}

void judge_number_appearances(const struct judge_chain *arcs, bool by_text, uint64_t *new_ids, uint64_t *n)
{
    *n = 0;
    for (uint64_t v = 0; v < arcs->n; v++)
        new_ids[v] = UINT64_MAX;
    for (uint64_t position = 0; by_text && position < JUDGE_ARCS; position++) {
        bool left = false;
        for (uint64_t i = 0; i < arcs->m; i++)
            left |= arcs->at[i].position == position;
        for (int end = 0; left && end < 2; end++) {
            const uint64_t name = end ? arcs->text[position].target : arcs->text[position].source;
            for (uint64_t v = 0; v < arcs->n; v++) {
                if (arcs->names[v] == name && new_ids[v] == UINT64_MAX)
                    new_ids[v] = (*n)++;
            }
        }
    }
    for (uint64_t v = 0; !by_text && v < arcs->n; v++) {
        bool left = false;
        for (uint64_t i = 0; i < arcs->m; i++)
            left |= arcs->at[i].source == v || arcs->at[i].target == v;
        if (left)
            new_ids[v] = (*n)++;
    }
}
