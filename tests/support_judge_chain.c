/* support_judge_chain - see support_judge_chain.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_judge_chain.h"

#include <stdio.h>
#include <string.h>

uint64_t judge_random_state;

uint64_t judge_below(uint64_t n)
{
    uint64_t z = (judge_random_state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % n;
}

static void keep_where(struct judge_chain *arcs, const bool *kept)
{
    uint64_t m = 0;
    for (uint64_t i = 0; i < arcs->m; i++) {
        if (kept[i])
            arcs->at[m++] = arcs->at[i];
    }
    arcs->m = m;
}

static const char *const filters[] = {"src<dst", "(src+dst)%3!=0", "degree(src)>=degree(dst)", "weight>0||src==1",
                                      "src*weight<=2&&!(dst==0)"};

static bool holds(const struct judge_chain *arcs, uint64_t choice, const struct judge_arc *arc)
{
    const int64_t s = (int64_t)arc->source, t = (int64_t)arc->target;
    double weight = 0;
    if (arcs->kind == F64)
        memcpy(&weight, &arc->weight, sizeof weight);
    else
        weight = (double)(int64_t)arc->weight;
    switch (choice) {
    case 0:
        return s < t;
    case 1:
        return (s + t) % 3 != 0;
    case 2:
        return judge_out_degree(arcs, arc->source) >= judge_out_degree(arcs, arc->target);
    case 3:
        return weight > 0 || s == 1;
    default:
        return (double)s * weight <= 2 && t != 0;
    }
}

static void mirror(struct judge_chain *arcs)
{
    struct judge_arc all[JUDGE_ARCS] = {{0}};
    uint64_t m = 0;
    for (uint64_t i = 0; i < arcs->m; i++) {
        const struct judge_arc arc = arcs->at[i];
        all[m++] = arc;
        if (arc.source != arc.target)
            all[m++] = (struct judge_arc){arc.target, arc.source, arc.weight, arc.position};
    }
    memcpy(arcs->at, all, sizeof all);
    arcs->m = m;
}

static const char *const policies[] = {"first", "last", "sum", "min", "max", "mean", "count"};

static double fold(const double *weights, uint64_t n, uint64_t policy)
{
    double folded = policy == 1 ? weights[n - 1] : weights[0];
    for (uint64_t i = 1; i < n; i++) {
        if (policy == 2 || policy == 5)
            folded += weights[i];
        if ((policy == 3 && weights[i] < folded) || (policy == 4 && weights[i] > folded))
            folded = weights[i];
    }
    return policy == 5 ? folded / (double)n : policy == 6 ? (double)n : folded;
}

static void fold_duplicates(struct judge_chain *arcs, uint64_t policy)
{
    bool kept[JUDGE_ARCS];
    uint64_t folded[JUDGE_ARCS];
    const int kind = policy == 5 ? F64 : policy == 6 ? I64 : arcs->kind;
    for (uint64_t i = 0; i < arcs->m; i++) {
        double group[JUDGE_ARCS];
        uint64_t n = 0;
        kept[i] = true;
        for (uint64_t k = 0; k < arcs->m; k++) {
            if (arcs->at[k].source != arcs->at[i].source || arcs->at[k].target != arcs->at[i].target)
                continue;
            kept[i] &= k >= i;
            if (arcs->kind == F64)
                memcpy(&group[n++], &arcs->at[k].weight, sizeof(double));
            else
                group[n++] = (double)(int64_t)arcs->at[k].weight;
        }
        const double weight = fold(group, n, policy);
        folded[i] = kind == F64 ? judge_f64_bits(weight) : (uint64_t)(int64_t)weight;
    }
    for (uint64_t i = 0; i < arcs->m; i++)
        arcs->at[i].weight = folded[i];
    arcs->kind = kind;
    keep_where(arcs, kept);
}

/* Ends are renamed; UINT64_MAX: the vertex goes. */
static void rename_vertices(struct judge_chain *arcs, const uint64_t *new_ids, uint64_t n)
{
    uint64_t names[JUDGE_VERTICES] = {0};
    for (uint64_t v = 0; v < arcs->n; v++) {
        if (new_ids[v] != UINT64_MAX)
            names[new_ids[v]] = arcs->names[v];
    }
    memcpy(arcs->names, names, sizeof names);
    for (uint64_t i = 0; i < arcs->m; i++) {
        arcs->at[i].source = new_ids[arcs->at[i].source];
        arcs->at[i].target = new_ids[arcs->at[i].target];
    }
    arcs->n = n;
}

static void keep_largest_component(struct judge_chain *arcs)
{
    uint64_t root[JUDGE_VERTICES] = {0}, size[JUDGE_VERTICES] = {0}, best = 0;
    bool kept[JUDGE_ARCS];
    for (uint64_t v = 0; v < arcs->n; v++)
        root[v] = v;
    for (uint64_t round = 0; round < arcs->n; round++) { /* the smallest id spreads */
        for (uint64_t i = 0; i < arcs->m; i++) {
            uint64_t *a = &root[arcs->at[i].source], *b = &root[arcs->at[i].target];
            *a = *b = *a < *b ? *a : *b;
        }
    }
    for (uint64_t v = 0; v < arcs->n; v++)
        size[root[v]]++;
    for (uint64_t v = 1; v < arcs->n; v++)
        best = size[v] > size[best] ? v : best;
    for (uint64_t i = 0; i < arcs->m; i++)
        kept[i] = root[arcs->at[i].source] == best;
    keep_where(arcs, kept);
}

static uint64_t mixed(uint64_t x)
{
    uint64_t z = x + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static void write_permutation(const struct judge_chain *arcs, uint64_t *new_ids)
{
    char text[1024] = "";
    const bool map = judge_below(2);
    for (uint64_t v = 0; v < arcs->n; v++)
        new_ids[v] = v;
    for (uint64_t v = arcs->n; v > 1; v--) {
        const uint64_t other = judge_below(v), swapped = new_ids[other];
        new_ids[other] = new_ids[v - 1];
        new_ids[v - 1] = swapped;
    }
    for (uint64_t v = 0; v < arcs->n; v++) {
        char line[64];
        snprintf(line, sizeof line, map ? "%d\t%d\n" : "%d\n", (int)new_ids[v], (int)v);
        strcat(text, line);
    }
    judge_put_text("permutation", text);
}

/* Does one step of `kind` and says it in a word. */
void judge_do_step(struct judge_chain *arcs, int kind, char *word, size_t n_word)
{
    static const char *const orders[] = {"dense",    "first", "degree", "degree-asc", "random",
                                         "random:9", "bfs",   "rcm",    "permutation"};
    bool kept[JUDGE_ARCS], listed[JUDGE_VERTICES];
    uint64_t new_ids[JUDGE_VERTICES], keys[JUDGE_VERTICES], n = arcs->n, choice;
    char text[256] = "";
    switch (kind) {
    case 0:
        choice = judge_below(5);
        snprintf(word, n_word, " --filter=%s", filters[choice]);
        for (uint64_t i = 0; i < arcs->m; i++)
            kept[i] = holds(arcs, choice, &arcs->at[i]);
        keep_where(arcs, kept);
        break;
    case 1:
        snprintf(word, n_word, " --drop-loops");
        for (uint64_t i = 0; i < arcs->m; i++)
            kept[i] = arcs->at[i].source != arcs->at[i].target;
        keep_where(arcs, kept);
        break;
    case 2:
        snprintf(word, n_word, " --transpose");
        for (uint64_t i = 0; i < arcs->m; i++)
            arcs->at[i] =
                (struct judge_arc){arcs->at[i].target, arcs->at[i].source, arcs->at[i].weight, arcs->at[i].position};
        break;
    case 3:
        if (arcs->m > JUDGE_ARCS / 2)
            break;
        snprintf(word, n_word, " --symmetrize");
        mirror(arcs);
        break;
    case 4:
        choice = judge_below(7);
        snprintf(word, n_word, " --dedup=%s", policies[choice]);
        fold_duplicates(arcs, choice);
        break;
    case 5:
        snprintf(word, n_word, " --among=among");
        for (uint64_t v = 0; v < arcs->n; v++) {
            listed[v] = judge_below(4) != 0;
            if (listed[v])
                snprintf(text + strlen(text), sizeof text - strlen(text), "%d\n", (int)v);
        }
        judge_put_text("among", text);
        for (uint64_t i = 0; i < arcs->m; i++)
            kept[i] = listed[arcs->at[i].source] && listed[arcs->at[i].target];
        keep_where(arcs, kept);
        break;
    case 6:
        choice = judge_below(4);
        snprintf(word, n_word, " --min-degree=%d", (int)choice);
        for (uint64_t i = 0; i < arcs->m; i++)
            kept[i] = judge_out_degree(arcs, arcs->at[i].source) >= choice &&
                      judge_out_degree(arcs, arcs->at[i].target) >= choice;
        keep_where(arcs, kept);
        break;
    case 7:
        snprintf(word, n_word, " --undirect");
        for (uint64_t i = 0; i < arcs->m; i++)
            kept[i] = arcs->at[i].source <= arcs->at[i].target;
        keep_where(arcs, kept);
        break;
    case 8:
        snprintf(word, n_word, " --largest-component");
        keep_largest_component(arcs);
        break;
    case 9:
        choice = judge_below(50);
        snprintf(word, n_word, " --head=%d", (int)choice);
        arcs->m = arcs->m < choice ? arcs->m : choice;
        break;
    case 10:
        snprintf(word, n_word, " --drop-isolated");
        judge_number_appearances(arcs, false, new_ids, &n);
        rename_vertices(arcs, new_ids, n);
        break;
    default:
        choice = judge_below(9);
        snprintf(word, n_word, " --relabel=%s", orders[choice]);
        if (choice < 2)
            judge_number_appearances(arcs, choice == 1, new_ids, &n);
        for (uint64_t v = 0; v < n && choice >= 2 && choice < 6; v++)
            keys[v] = choice == 2   ? 1000 - judge_out_degree(arcs, v)
                      : choice == 3 ? judge_out_degree(arcs, v)
                                    : mixed(v + (choice == 4 ? 1 : 9));
        if (choice >= 2 && choice < 6)
            judge_order_keys(arcs, keys, new_ids);
        if (choice == 6)
            judge_order_bfs(arcs, 0, new_ids);
        if (choice == 7)
            judge_order_rcm(arcs, new_ids);
        if (choice == 8)
            write_permutation(arcs, new_ids);
        rename_vertices(arcs, new_ids, n);
    }
}

/* A random list, written to in.el. */
void judge_random_arcs(struct judge_chain *arcs, struct judge_arc *text)
{
    char lines[8192] = "";
    *arcs = (struct judge_chain){.m = 1 + judge_below(60), .kind = I64, .text = text};
    const uint64_t n = 1 + judge_below(JUDGE_VERTICES);
    for (uint64_t i = 0; i < arcs->m; i++) {
        const struct judge_arc arc = {judge_below(n), judge_below(n), judge_below(7) - 3, i};
        arcs->at[i] = text[i] = arc;
        arcs->n = arc.source >= arcs->n ? arc.source + 1 : arcs->n;
        arcs->n = arc.target >= arcs->n ? arc.target + 1 : arcs->n;
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%d %d %d\n", (int)arc.source, (int)arc.target,
                 (int)(int64_t)arc.weight);
    }
    for (uint64_t v = 0; v < arcs->n; v++)
        arcs->names[v] = v;
    judge_put_text("in.el", lines);
}
