/* chain - see chain.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

chain chain_read(const char *text, int kind)
{
    chain list = {.kind = kind, .room = 64};
    list.arcs = calloc(list.room, sizeof *list.arcs);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        unsigned long long source, target;
        char weight[64] = "0";
        if (sscanf(line, "%llu %llu %63s", &source, &target, weight) < 2)
            abort();
        if (list.n_arcs == list.room)
            list.arcs = realloc(list.arcs, (list.room *= 2) * sizeof *list.arcs);
        chain_arc *const arc = &list.arcs[list.n_arcs];
        *arc = (chain_arc){.source = source, .target = target, .place = 2 * list.n_arcs++};
        if (kind == CHAIN_I32 || kind == CHAIN_I64)
            arc->whole = strtoll(weight, NULL, 10);
        else
            arc->real = kind == CHAIN_F32 ? (double)strtof(weight, NULL) : strtod(weight, NULL);
        const uint64_t largest = source > target ? source : target;
        list.n_vertices = largest >= list.n_vertices ? largest + 1 : list.n_vertices;
    }
    if (list.n_arcs == 0) /* no line tells of weights */
        list.kind = CHAIN_NONE;
    list.labels = calloc(list.n_vertices + 1, sizeof *list.labels);
    for (uint64_t i = 0; i < list.n_vertices; i++)
        list.labels[i] = i;
    return list;
}

void chain_free(chain *list)
{
    free(list->arcs);
    free(list->labels);
    free(list->listed);
    *list = (chain){0};
}

void chain_sort(chain *list, bool by_target)
{
    for (uint64_t i = 1; i < list->n_arcs; i++) {
        const chain_arc moved = list->arcs[i];
        uint64_t at = i;
        for (; at > 0; at--) {
            const chain_arc *const before = &list->arcs[at - 1];
            if (before->source < moved.source ||
                (before->source == moved.source && (!by_target || before->target <= moved.target)))
                break;
            list->arcs[at] = *before;
        }
        list->arcs[at] = moved;
    }
}

/* --- arc by arc --------------------------------------------------------------------------------------------------- */

static uint64_t scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void keep_where(chain *list, const bool *keep)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < list->n_arcs; i++)
        if (keep[i])
            list->arcs[n++] = list->arcs[i];
    list->n_dropped = list->n_arcs - n;
    list->n_arcs = n;
}

static void keep_vertices(chain *list, const bool *is_in)
{
    bool *const keep = calloc(list->n_arcs + 1, 1);
    for (uint64_t i = 0; i < list->n_arcs; i++)
        keep[i] = is_in[list->arcs[i].source] && is_in[list->arcs[i].target];
    keep_where(list, keep);
    free(keep);
}

static uint64_t degree_of(const chain *list, uint64_t vertex)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < list->n_arcs; i++)
        n += list->arcs[i].source == vertex;
    return n;
}

static chain_arc reversed(chain_arc arc)
{
    const uint64_t source = arc.source;
    arc.source = arc.target;
    arc.target = source;
    arc.place ^= 1;
    return arc;
}

static void symmetrize(chain *list)
{
    chain_arc *const both = calloc(2 * list->n_arcs + 1, sizeof *both);
    uint64_t n = 0;
    for (uint64_t i = 0; i < list->n_arcs; i++) {
        both[n++] = list->arcs[i];
        if (list->arcs[i].source != list->arcs[i].target)
            both[n++] = reversed(list->arcs[i]);
    }
    free(list->arcs);
    list->arcs = both;
    list->n_arcs = n;
    list->room = 2 * n + 1;
}

static void sample(chain *list, const char *words)
{
    char *colon;
    const double share = strtod(words, &colon);
    const uint64_t seed = *colon ? strtoull(colon + 1, NULL, 10) : 1;
    bool *const keep = calloc(list->n_arcs + 1, 1);
    for (uint64_t i = 0; i < list->n_arcs; i++)
        keep[i] = (double)(scramble(scramble(seed) + (i + 1) * 0x9E3779B97F4A7C15u) >> 11) < share * 9007199254740992.0;
    keep_where(list, keep);
    free(keep);
}

static void among(chain *list, const char *path)
{
    bool *const is_in = calloc(list->n_vertices + 1, 1);
    FILE *const file = fopen(path, "r");
    for (unsigned long long id; file && fscanf(file, "%llu", &id) == 1;)
        if (id < list->n_vertices)
            is_in[id] = true;
    if (file)
        fclose(file);
    keep_vertices(list, is_in);
    free(is_in);
}

static void min_degree(chain *list, uint64_t least)
{
    bool *const is_in = calloc(list->n_vertices + 1, 1);
    for (uint64_t v = 0; v < list->n_vertices; v++)
        is_in[v] = degree_of(list, v) >= least;
    keep_vertices(list, is_in);
    free(is_in);
}

static void largest_component(chain *list)
{
    const uint64_t n = list->n_vertices;
    uint64_t *const root = calloc(n + 1, sizeof *root), best = 0, most = 0;
    bool *const is_in = calloc(n + 1, 1);
    for (uint64_t v = 0; v < n; v++)
        root[v] = v;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t i = 0; i < list->n_arcs; i++) {
            uint64_t *const a = &root[list->arcs[i].source], *const b = &root[list->arcs[i].target];
            if (*a != *b) {
                *a = *b = *a < *b ? *a : *b;
                changed = true;
            }
        }
    }
    for (uint64_t v = 0; v < n; v++) {
        uint64_t size = 0;
        for (uint64_t other = 0; other < n; other++)
            size += root[other] == v;
        if (size > most) {
            most = size;
            best = v;
        }
    }
    for (uint64_t v = 0; v < n; v++)
        is_in[v] = root[v] == best;
    keep_vertices(list, is_in);
    free(root);
    free(is_in);
}

bool chain_filter_holds(const chain *list, const chain_arc *arc, char *const *words, int n_words)
{
    const double left = strcmp(words[0], "weight") == 0
                            ? (list->kind == CHAIN_I32 || list->kind == CHAIN_I64 ? (double)arc->whole : arc->real)
                        : strcmp(words[0], "degree(src)") == 0 ? (double)degree_of(list, arc->source)
                        : strcmp(words[0], "dst") == 0         ? (double)arc->target
                                                               : (double)arc->source;
    const int at = n_words - 2; /* LEFT [% M] RELATION RIGHT */
    const double value = n_words == 5 ? (double)((uint64_t)left % strtoull(words[2], NULL, 10)) : left;
    const double right = strcmp(words[at + 1], "dst") == 0 ? (double)arc->target : strtod(words[at + 1], NULL);
    const char *const relation = words[at];
    return strcmp(relation, "<") == 0    ? value < right
           : strcmp(relation, "<=") == 0 ? value <= right
           : strcmp(relation, "==") == 0 ? value == right
           : strcmp(relation, "!=") == 0 ? value != right
           : strcmp(relation, ">=") == 0 ? value >= right
                                         : value > right;
}

static void filter(chain *list, char *const *words, int n_words)
{
    bool *const keep = calloc(list->n_arcs + 1, 1);
    for (uint64_t i = 0; i < list->n_arcs; i++)
        keep[i] = chain_filter_holds(list, &list->arcs[i], words, n_words);
    keep_where(list, keep);
    free(keep);
}

/* --- duplicates ------------------------------------------------------------------------------------------------------
 */

static bool is_whole(int kind)
{
    return kind == CHAIN_I32 || kind == CHAIN_I64;
}

static void fold(chain_arc *into, const chain_arc *later, const char *policy, int kind)
{
    const bool whole = is_whole(kind);
    const bool less = whole ? later->whole < into->whole : later->real < into->real;
    const bool more = whole ? later->whole > into->whole : later->real > into->real;
    if (strcmp(policy, "last") == 0 || (strcmp(policy, "min") == 0 && less) || (strcmp(policy, "max") == 0 && more)) {
        into->whole = later->whole;
        into->real = later->real;
    } else if (strcmp(policy, "sum") == 0 || strcmp(policy, "mean") == 0 || strcmp(policy, "count") == 0) {
        into->whole += later->whole;
        into->real = kind == CHAIN_F32 ? (double)((float)into->real + (float)later->real) : into->real + later->real;
    }
}

static void dedup(chain *list, const char *policy)
{
    const bool mean = strcmp(policy, "mean") == 0, count = strcmp(policy, "count") == 0;
    if (list->kind == CHAIN_NONE && !count)
        policy = "first";
    for (uint64_t i = 0; i < list->n_arcs; i++) {
        if (count)
            list->arcs[i].whole = 1;
        else if (mean && is_whole(list->kind))
            list->arcs[i].real = (double)list->arcs[i].whole;
    }
    if (count)
        list->kind = CHAIN_I64;
    else if (mean && is_whole(list->kind))
        list->kind = CHAIN_F64;
    bool *const keep = calloc(list->n_arcs + 1, 1);
    for (uint64_t i = 0; i < list->n_arcs; i++) {
        keep[i] = true;
        for (uint64_t before = 0; before < i && keep[i]; before++)
            keep[i] =
                list->arcs[before].source != list->arcs[i].source || list->arcs[before].target != list->arcs[i].target;
    }
    for (uint64_t i = 0; i < list->n_arcs; i++) {
        chain_arc *const arc = &list->arcs[i];
        double n = 1;
        for (uint64_t later = i + 1; keep[i] && later < list->n_arcs; later++)
            if (list->arcs[later].source == arc->source && list->arcs[later].target == arc->target) {
                fold(arc, &list->arcs[later], policy, list->kind);
                n++;
            }
        if (keep[i] && mean && list->kind != CHAIN_NONE)
            arc->real = list->kind == CHAIN_F32 ? (double)(float)(arc->real / n) : arc->real / n;
    }
    keep_where(list, keep);
    free(keep);
}

/* --- by its words
 * ------------------------------------------------------------------------------------------------------ */

void chain_relabel(chain *list, const char *how, uint64_t start);

void chain_apply(chain *list, int n_words, char *const *words)
{
    const char *const name = words[0], *const operand = n_words > 1 ? words[n_words - 1] : "first";
    if (strcmp(name, "drop-loops") == 0 || strcmp(name, "undirect") == 0) {
        bool *const keep = calloc(list->n_arcs + 1, 1);
        for (uint64_t i = 0; i < list->n_arcs; i++)
            keep[i] = *name == 'd' ? list->arcs[i].source != list->arcs[i].target
                                   : list->arcs[i].source <= list->arcs[i].target;
        keep_where(list, keep);
        free(keep);
    } else if (strcmp(name, "transpose") == 0) {
        for (uint64_t i = 0; i < list->n_arcs; i++)
            list->arcs[i] = reversed(list->arcs[i]);
    } else if (strcmp(name, "symmetrize") == 0) {
        symmetrize(list);
    } else if (strcmp(name, "head") == 0) {
        const uint64_t most = strtoull(operand, NULL, 10);
        list->n_arcs = most < list->n_arcs ? most : list->n_arcs;
    } else if (strcmp(name, "sample") == 0) {
        sample(list, operand);
    } else if (strcmp(name, "among") == 0) {
        among(list, operand);
    } else if (strcmp(name, "min-degree") == 0) {
        min_degree(list, strtoull(operand, NULL, 10));
    } else if (strcmp(name, "largest-component") == 0) {
        largest_component(list);
    } else if (strcmp(name, "filter") == 0) {
        filter(list, words + 1, n_words - 1);
    } else if (strcmp(name, "sort") == 0) {
        chain_sort(list, true);
    } else if (strcmp(name, "dedup") == 0) {
        dedup(list, operand);
    } else if (strcmp(name, "drop-isolated") == 0) {
        chain_relabel(list, "dense", 0);
    } else if (strcmp(name, "relabel") == 0) {
        chain_relabel(list, operand, n_words > 2 ? strtoull(strchr(words[1], '=') + 1, NULL, 10) : 0);
    } else if (strcmp(name, "positions") != 0) {
        abort();
    }
}
