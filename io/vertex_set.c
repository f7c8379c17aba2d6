/* vertex_set - the listed ids as a bitmap where they are dense enough, else as a hash table.
 *
 * One bit an id up to the largest costs at most 8 bytes a listed id while the largest is below 64 times their number:
 * then a membership test is one load. Sparser sets become an open-addressing table of at most half load. Either
 * grows out of the plain array that parsing fills. Parsing is one thread's: a list of vertices is far shorter than
 * the edges it belongs to.
 *
 * Cost: one pass over the text, 8 bytes an id, then one random write an id.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/vertex_set.h"

#include "io/each_line.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t LARGEST_ID = INT64_MAX - 1; /* 2^63 - 2 */
static const uint64_t EMPTY = UINT64_MAX;         /* no id, so free to mark empty slots */
enum { BITS_AN_ID = 64, SMALL_BITMAP_IDS = 1 << 16, FIRST_CAPACITY = 1024 };

struct em_vertex_set {
    em_context *context;
    uint64_t end, count, n_further_lines;
    bool is_bitmap;
    uint64_t *words; /* n_words: bits, or slots (a power of two) */
    uint64_t n_words;
};

/* --- parsing ------------------------------------------------------------------------------------- */

typedef struct listing {
    em_context *context;
    uint32_t base;
    uint64_t *ids;
    uint64_t n_ids, capacity, end, n_further_lines;
} listing;

static em_status append(listing *list, uint64_t id, em_error *error)
{
    if (list->n_ids == list->capacity) {
        void *memory;
        const uint64_t capacity = list->capacity ? 2 * list->capacity : FIRST_CAPACITY;
        const em_status status = em_allocate_array(list->context, capacity, sizeof *list->ids, &memory, error);
        if (status != EM_OK)
            return status;
        if (list->n_ids)
            memcpy(memory, list->ids, list->n_ids * sizeof *list->ids);
        em_free(list->context, list->ids, list->capacity * sizeof *list->ids);
        list->ids = memory;
        list->capacity = capacity;
    }
    list->ids[list->n_ids++] = id;
    if (id >= list->end)
        list->end = id + 1;
    return EM_OK;
}

/* One line without its newline. */
static em_status parse_line(void *state, const char *path, uint64_t number, const char *line, const char *end,
                            em_error *error)
{
    listing *const list = state;
    const char *token = line;
    uint64_t id = 0;
    if (em_line_is_idle(&token, end))
        return EM_OK;
    const bool quoted = *token == '"';
    const char *at = token + quoted;
    const char *digits = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(id, 10, &id) || __builtin_add_overflow(id, (uint64_t)(*at - '0'), &id))
            return em_line_refused(path, number, line, token, end, "vertex id is too large (at most 2^63 - 2)", error);
    if (at == digits && at < end && *at == '-' && end - at > 1 && at[1] >= '0' && at[1] <= '9')
        return em_line_refused(path, number, line, token, end, "negative vertex id", error);
    const bool closed = !quoted || (at < end && *at == '"');
    if (at == digits || !closed || (at + quoted < end && !em_separates(at[quoted])))
        return em_line_refused(path, number, line, token, end, "not a vertex id", error);
    if (id < list->base)
        return em_line_refused(path, number, line, token, end, "vertex id is below the base of 1", error);
    for (at += quoted; at < end && em_separates(*at); at++)
        ;
    list->n_further_lines += at < end;
    id -= list->base;
    if (id > LARGEST_ID)
        return em_line_refused(path, number, line, token, end, "vertex id is too large (at most 2^63 - 2)", error);
    return append(list, id, error);
}

/* --- the set ------------------------------------------------------------------------------------- */

/* Spreads ids over slots; the finalizer of MurmurHash3. */
static uint64_t mix(uint64_t h)
{
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

static void fill_bitmap(em_vertex_set *set, const listing *list)
{
    for (uint64_t i = 0; i < list->n_ids; i++) {
        const uint64_t id = list->ids[i], bit = UINT64_C(1) << (id & 63);
        set->count += !(set->words[id >> 6] & bit);
        set->words[id >> 6] |= bit;
    }
}

static void fill_table(em_vertex_set *set, const listing *list)
{
    memset(set->words, 0xff, set->n_words * sizeof *set->words);
    for (uint64_t i = 0; i < list->n_ids; i++) {
        uint64_t slot = mix(list->ids[i]) & (set->n_words - 1);
        while (set->words[slot] != EMPTY && set->words[slot] != list->ids[i])
            slot = (slot + 1) & (set->n_words - 1);
        set->count += set->words[slot] == EMPTY;
        set->words[slot] = list->ids[i];
    }
}

static em_status build(em_vertex_set *set, const listing *list, em_error *error)
{
    void *memory;
    set->end = list->end;
    set->is_bitmap = list->end <= SMALL_BITMAP_IDS || list->end / BITS_AN_ID < list->n_ids;
    set->n_words = list->end / 64 + 1;
    if (!set->is_bitmap)
        for (set->n_words = FIRST_CAPACITY; set->n_words < 2 * list->n_ids;)
            set->n_words *= 2;
    const em_status status = em_allocate_zeroed(set->context, set->n_words * sizeof *set->words, &memory, error);
    if (status != EM_OK)
        return status;
    set->words = memory;
    if (set->is_bitmap)
        fill_bitmap(set, list);
    else
        fill_table(set, list);
    return EM_OK;
}

em_status em_vertex_set_read(em_context *context, const char *path, uint32_t base, em_vertex_set **set, em_error *error)
{
    listing list = {.context = context, .base = base};
    void *memory = NULL;
    *set = NULL;
    em_status status = em_each_line(context, path, parse_line, &list, error);
    if (status == EM_OK)
        status = em_allocate_zeroed(context, sizeof **set, &memory, error);
    if (status != EM_OK)
        goto done;
    em_vertex_set *made = memory;
    made->context = context;
    made->n_further_lines = list.n_further_lines;
    status = build(made, &list, error);
    if (status == EM_OK)
        *set = made;
    else
        em_vertex_set_free(made);
done:
    em_free(context, list.ids, list.capacity * sizeof *list.ids);
    return status;
}

void em_vertex_set_free(em_vertex_set *set)
{
    if (!set)
        return;
    em_free(set->context, set->words, set->n_words * sizeof *set->words);
    em_free(set->context, set, sizeof *set);
}

uint64_t em_vertex_set_end(const em_vertex_set *set)
{
    return set->end;
}

uint64_t em_vertex_set_further_lines(const em_vertex_set *set)
{
    return set->n_further_lines;
}

uint64_t em_vertex_set_count(const em_vertex_set *set)
{
    return set->count;
}

bool em_vertex_set_has(const em_vertex_set *set, uint64_t id)
{
    if (id >= set->end)
        return false;
    if (set->is_bitmap)
        return set->words[id >> 6] >> (id & 63) & 1;
    uint64_t slot = mix(id) & (set->n_words - 1);
    while (set->words[slot] != EMPTY && set->words[slot] != id)
        slot = (slot + 1) & (set->n_words - 1);
    return set->words[slot] == id;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void em_vertex_set_list(const em_vertex_set *set, uint64_t *ids)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < set->n_words; i++) {
        if (!set->is_bitmap && set->words[i] != EMPTY)
            ids[n++] = set->words[i];
        for (uint64_t word = set->is_bitmap ? set->words[i] : 0; word; word &= word - 1)
            ids[n++] = i * 64 + (uint64_t)__builtin_ctzll(word);
    }
    if (!set->is_bitmap && n)
        qsort(ids, n, sizeof *ids, ascending);
}
