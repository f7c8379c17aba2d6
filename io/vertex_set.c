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

#include <stdio.h>
#include <string.h>

#include "io/source.h"

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
    const char *path;
    uint32_t base;
    uint64_t line;
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

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '|' || c == '\r';
}

static bool is_comment(const char *at, const char *end)
{
    return *at == '#' || *at == '%' || (*at == '/' && end - at > 1 && at[1] == '/');
}

/* The token as a message can show it: printable, and not too long. */
static em_status reject(const listing *list, const char *line, const char *at, const char *end, const char *what,
                        em_error *error)
{
    enum { MOST_SHOWN = 40 };
    char shown[4 * MOST_SHOWN + 4] = "";
    size_t n = 0, n_taken = 0;
    for (const char *c = at; c < end && !is_separator(*c); c++, n_taken++) {
        if (n_taken == MOST_SHOWN) {
            snprintf(shown + n, sizeof shown - n, "...");
            break;
        }
        const unsigned char byte = (unsigned char)*c;
        n += (size_t)snprintf(shown + n, sizeof shown - n, byte < ' ' || byte >= 0x7f ? "\\x%02x" : "%c", byte);
    }
    return em_fail(error, EM_MALFORMED, "%s:%llu:%llu: %s: '%s'", list->path, (unsigned long long)list->line,
                   (unsigned long long)(at - line) + 1, what, shown);
}

/* One line without its newline. */
static em_status parse_line(listing *list, const char *line, const char *end, em_error *error)
{
    const char *token = line;
    uint64_t id = 0;
    list->line++;
    while (token < end && (*token == ' ' || *token == '\t' || *token == '\r'))
        token++;
    if (token == end || is_comment(token, end))
        return EM_OK;
    const bool quoted = *token == '"';
    const char *at = token + quoted;
    const char *digits = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(id, 10, &id) || __builtin_add_overflow(id, (uint64_t)(*at - '0'), &id))
            return reject(list, line, token, end, "vertex id is too large (at most 2^63 - 2)", error);
    if (at == digits && at < end && *at == '-' && end - at > 1 && at[1] >= '0' && at[1] <= '9')
        return reject(list, line, token, end, "negative vertex id", error);
    const bool closed = !quoted || (at < end && *at == '"');
    if (at == digits || !closed || (at + quoted < end && !is_separator(at[quoted])))
        return reject(list, line, token, end, "not a vertex id", error);
    if (id < list->base)
        return reject(list, line, token, end, "vertex id is below the base of 1", error);
    for (at += quoted; at < end && is_separator(*at); at++)
        ;
    list->n_further_lines += at < end;
    id -= list->base;
    if (id > LARGEST_ID)
        return reject(list, line, token, end, "vertex id is too large (at most 2^63 - 2)", error);
    return append(list, id, error);
}

static em_status parse_lines(listing *list, const char *begin, const char *end, em_error *error)
{
    em_status status = EM_OK;
    while (begin < end && status == EM_OK) {
        const char *newline = memchr(begin, '\n', (size_t)(end - begin));
        const char *line_end = newline ? newline : end;
        status = parse_line(list, begin, line_end, error);
        begin = newline ? newline + 1 : end;
    }
    return status;
}

static em_status skip_byte_order_mark(em_source *source, em_error *error)
{
    const char *head;
    uint64_t n_head;
    const em_status status = em_source_peek(source, 3, &head, &n_head, error);
    if (status == EM_OK && n_head >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0)
        em_source_skip(source, 3);
    return status;
}

static em_status parse(listing *list, const char *path, em_error *error)
{
    em_source *source = NULL;
    em_source_reader reader = {0};
    uint64_t chunk = 0;
    em_status status = em_source_open(list->context, path, &source, error);
    if (status == EM_OK)
        status = skip_byte_order_mark(source, error);
    if (status == EM_OK)
        status = em_source_reader_open(source, &reader, error);
    if (status != EM_OK)
        goto done;
    list->path = em_source_path(source);
    while ((status = em_source_next_chunk(&reader, &chunk, error)) == EM_OK && chunk != UINT64_MAX) {
        const char *begin, *end;
        while ((status = em_source_next_piece(&reader, &begin, &end, error)) == EM_OK && begin < end)
            if ((status = parse_lines(list, begin, end, error)) != EM_OK)
                goto done;
        if (status != EM_OK)
            goto done;
    }
done:
    em_source_reader_close(&reader);
    em_source_close(source);
    return status;
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
    listing list = {.context = context, .path = path, .base = base};
    void *memory = NULL;
    *set = NULL;
    em_status status = parse(&list, path, error);
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
