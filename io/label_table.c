/* label_table - see label_table.h.
 *
 * Labels lie in blocks that never move, each worker filling its own. 64 shards, told by bits of the hash, have open
 * addressing tables of addresses with 16 bits of the hash beside them. Looking up takes no lock: an entry is whole
 * before its slot is written. Adding locks the shard. A table that grew is freed once no worker can be reading it,
 * which each worker's `since` tells (quiescent states: Hart, McKenney, Brown, Walpole 2007, "Performance of memory
 * reclamation for lockless synchronization"). Queries come by the dozen, so that the two lines of memory that each
 * one needs are fetched side by side. The hash is XXH3-64; equal hashes are no proof, bytes are compared.
 *
 * Cost: a label takes 12 bytes, its text, and 11 to 21 bytes of slots; a lookup two cache misses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/label_table.h"

#include "scan/base/buffer.h"
#include "scan/base/parallel.h"
#include "scan/scan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { SHARD_BITS = 6, N_SHARDS = 1 << SHARD_BITS, FIRST_SLOTS = 16 };
enum { TAG_SHIFT = 48, SHARD_SHIFT = TAG_SHIFT - SHARD_BITS };
enum { BLOCK_FIRST = 1 << 12, BLOCK_MOST = EM_HUGE_PAGE_BYTES, OWN_BLOCK_BYTES = 1 << 16 };
enum { REHASH_AHEAD = 8 }; /* entries fetched before they are needed */
static const uint64_t ADDRESS_MASK = (UINT64_C(1) << TAG_SHIFT) - 1;
static const uint64_t NOWHERE = UINT64_MAX; /* of `since`: not looking anything up */

/* A label as it lies in a block, at a multiple of 4. */
typedef struct entry {
    uint32_t id_low, id_high, n_bytes;
    char text[];
} entry;

typedef struct block {
    struct block *next;
    uint64_t n_bytes, used; /* entries from the first byte behind this header on, to `used` */
} block;

typedef struct slots {
    uint64_t mask, epoch;
    struct slots *next;
    uint64_t at[]; /* 0: free; else the entry's address and the hash's upper bits */
} slots;

typedef struct shard {
    _Alignas(64) slots *slots; /* atomic; NULL: nothing added */
    uint64_t n;
    pthread_mutex_t lock;
} shard;

typedef struct label_worker {
    _Alignas(64) uint64_t since; /* atomic */
    block *open;                 /* where small labels go */
    uint64_t block_bytes;        /* of the next block */
} label_worker;

struct em_label_table {
    shard shards[N_SHARDS];
    em_context *context;
    label_worker *workers;
    uint32_t n_workers;
    bool closed, shared;
    uint64_t n;           /* atomic */
    uint64_t epoch;       /* atomic */
    block *blocks;        /* all of them, behind `lock` */
    slots *retired;       /* behind `lock` */
    pthread_mutex_t lock; /* taken last */
};

static uint64_t id_of(const entry *label)
{
    return (uint64_t)label->id_high << 32 | label->id_low;
}

/* From here to the next entry. */
static uint64_t entry_bytes(uint64_t n_bytes)
{
    return (sizeof(entry) + n_bytes + 3) & ~UINT64_C(3);
}

static uint64_t slots_bytes(uint64_t mask)
{
    return sizeof(slots) + (mask + 1) * sizeof(uint64_t);
}

/* --- blocks --------------------------------------------------------------------------------------------- */

static em_status new_block(em_label_table *table, uint64_t n_bytes, block **made, em_error *error)
{
    void *memory;
    const em_status status = em_allocate(table->context, n_bytes, &memory, error);
    if (status != EM_OK)
        return status;
    block *const fresh = memory;
    if ((uintptr_t)memory + n_bytes > ADDRESS_MASK) {
        em_free(table->context, memory, n_bytes);
        return em_fail(error, EM_NO_MEMORY, "labels: an address of more than %d bits", (int)TAG_SHIFT);
    }
    pthread_mutex_lock(&table->lock);
    *fresh = (block){.next = table->blocks, .n_bytes = n_bytes, .used = sizeof *fresh};
    table->blocks = fresh;
    pthread_mutex_unlock(&table->lock);
    *made = fresh;
    return EM_OK;
}

static em_status new_entry(em_label_table *table, label_worker *worker, const em_label_query *query, entry **made,
                           em_error *error)
{
    const uint64_t n_bytes = entry_bytes(query->n_bytes);
    block *into = worker->open;
    if (n_bytes > OWN_BLOCK_BYTES) {
        const em_status status = new_block(table, sizeof *into + n_bytes, &into, error);
        if (status != EM_OK)
            return status;
    } else if (!into || into->n_bytes - into->used < n_bytes) {
        uint64_t wanted = worker->block_bytes ? worker->block_bytes : BLOCK_FIRST;
        while (wanted < sizeof *into + n_bytes)
            wanted *= 2;
        const em_status status = new_block(table, wanted, &into, error);
        if (status != EM_OK)
            return status;
        worker->open = into;
        worker->block_bytes = wanted < BLOCK_MOST ? 2 * wanted : BLOCK_MOST;
    }
    *made = (entry *)((char *)into + into->used);
    into->used += n_bytes;
    (*made)->n_bytes = (uint32_t)query->n_bytes;
    memcpy((*made)->text, query->at, query->n_bytes);
    return EM_OK;
}

/* --- slots ------------------------------------------------------------------------------------------------ */

static shard *shard_of(em_label_table *table, uint64_t hash)
{
    return &table->shards[hash >> SHARD_SHIFT & (N_SHARDS - 1)];
}

static const entry *entry_at(uint64_t slot)
{
    return (const entry *)(uintptr_t)(slot & ADDRESS_MASK);
}

/* memcmp's answer for the short ones, which most are, without the call. */
static bool is_same(const char *a, const char *b, uint64_t n)
{
    if (n > 16 || n < 4)
        return memcmp(a, b, n) == 0;
    uint64_t first[2] = {0}, last[2] = {0};
    if (n >= 8) {
        memcpy(&first[0], a, 8);
        memcpy(&first[1], b, 8);
        memcpy(&last[0], a + n - 8, 8);
        memcpy(&last[1], b + n - 8, 8);
    } else {
        memcpy(&first[0], a, 4);
        memcpy(&first[1], b, 4);
        memcpy(&last[0], a + n - 4, 4);
        memcpy(&last[1], b + n - 4, 4);
    }
    return ((first[0] ^ first[1]) | (last[0] ^ last[1])) == 0;
}

static bool is_entry(const entry *label, const em_label_query *query)
{
    return label->n_bytes == query->n_bytes && is_same(label->text, query->at, query->n_bytes);
}

/* Frees what no worker can be reading any more. */
static void retire(em_label_table *table, slots *old)
{
    pthread_mutex_lock(&table->lock);
    old->epoch = __atomic_fetch_add(&table->epoch, 1, __ATOMIC_SEQ_CST);
    old->next = table->retired;
    table->retired = old;
    uint64_t oldest = NOWHERE;
    for (uint32_t i = 0; i < table->n_workers; i++) {
        const uint64_t since = __atomic_load_n(&table->workers[i].since, __ATOMIC_SEQ_CST);
        oldest = since < oldest ? since : oldest;
    }
    for (slots **at = &table->retired; *at;) {
        slots *const one = *at;
        if (one->epoch < oldest) {
            *at = one->next;
            em_free(table->context, one, slots_bytes(one->mask));
        } else {
            at = &one->next;
        }
    }
    pthread_mutex_unlock(&table->lock);
}

static void put(slots *into, uint64_t hash, uint64_t slot)
{
    uint64_t at = hash & into->mask;
    while (into->at[at])
        at = (at + 1) & into->mask;
    __atomic_store_n(&into->at[at], slot, __ATOMIC_RELEASE);
}

/* Twice the slots. Hashes are taken anew: keeping them would cost 8 bytes a label. */
static em_status grow(em_label_table *table, shard *home, em_error *error)
{
    slots *const old = home->slots;
    const uint64_t mask = old ? 2 * old->mask + 1 : FIRST_SLOTS - 1;
    void *memory;
    const em_status status = em_allocate_zeroed(table->context, slots_bytes(mask), &memory, error);
    if (status != EM_OK)
        return status;
    slots *const fresh = memory;
    fresh->mask = mask;
    for (uint64_t i = 0; old && i <= old->mask; i++) {
        if (i + REHASH_AHEAD <= old->mask)
            __builtin_prefetch(entry_at(old->at[i + REHASH_AHEAD]));
        if (!old->at[i])
            continue;
        const entry *const label = entry_at(old->at[i]);
        put(fresh, XXH3_64bits(label->text, label->n_bytes), old->at[i]);
    }
    __atomic_store_n(&home->slots, fresh, __ATOMIC_SEQ_CST);
    if (old)
        retire(table, old);
    return EM_OK;
}

/* The label, or NULL. */
static const entry *find(const slots *in, const em_label_query *query)
{
    for (uint64_t at = query->hash & in->mask;; at = (at + 1) & in->mask) {
        const uint64_t slot = __atomic_load_n(&in->at[at], __ATOMIC_ACQUIRE);
        if (!slot)
            return NULL;
        if (slot >> TAG_SHIFT == query->hash >> TAG_SHIFT && is_entry(entry_at(slot), query))
            return entry_at(slot);
    }
}

/* The first label with the query's tag, most likely the one that is sought; or NULL. */
static const entry *guess(const slots *in, const em_label_query *query)
{
    for (uint64_t at = query->hash & in->mask;; at = (at + 1) & in->mask) {
        const uint64_t slot = __atomic_load_n(&in->at[at], __ATOMIC_ACQUIRE);
        if (!slot || slot >> TAG_SHIFT == query->hash >> TAG_SHIFT)
            return entry_at(slot);
    }
}

static em_status add(em_label_table *table, uint32_t number, em_label_query *query, em_error *error)
{
    shard *const home = shard_of(table, query->hash);
    em_status status = EM_OK;
    entry *made;
    pthread_mutex_lock(&home->lock);
    const entry *const label = home->slots ? find(home->slots, query) : NULL; /* another worker was faster */
    if (label) {
        query->id = id_of(label);
        goto done;
    }
    if ((!home->slots || 4 * (home->n + 1) > 3 * (home->slots->mask + 1)) &&
        (status = grow(table, home, error)) != EM_OK)
        goto done;
    if ((status = new_entry(table, &table->workers[number], query, &made, error)) != EM_OK)
        goto done;
    query->id = __atomic_fetch_add(&table->n, 1, __ATOMIC_RELAXED);
    made->id_low = (uint32_t)query->id;
    made->id_high = (uint32_t)(query->id >> 32);
    home->n++;
    put(home->slots, query->hash, query->hash >> TAG_SHIFT << TAG_SHIFT | (uintptr_t)made);
done:
    pthread_mutex_unlock(&home->lock);
    return status;
}

/* --- lookups ---------------------------------------------------------------------------------------------- */

static slots *slots_of(em_label_table *table, uint64_t hash)
{
    return __atomic_load_n(&shard_of(table, hash)->slots, __ATOMIC_SEQ_CST);
}

em_status em_label_table_find(em_label_table *table, uint32_t worker, em_label_query *queries, uint32_t n,
                              em_error *error)
{
    uint64_t *const since = &table->workers[worker].since;
    em_status status = EM_OK;
    __atomic_store_n(since, __atomic_load_n(&table->epoch, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < n; i++) {
        queries[i].hash = XXH3_64bits(queries[i].at, queries[i].n_bytes);
        const slots *const in = slots_of(table, queries[i].hash);
        if (in)
            __builtin_prefetch(&in->at[queries[i].hash & in->mask]);
    }
    for (uint32_t i = 0; i < n; i++) {
        const slots *const in = slots_of(table, queries[i].hash);
        queries[i].found = in ? guess(in, &queries[i]) : NULL;
        __builtin_prefetch(queries[i].found);
    }
    for (uint32_t i = 0; i < n && status == EM_OK; i++) {
        em_label_query *const query = &queries[i];
        const entry *label = query->found;
        if (label && !is_entry(label, query))
            label = find(slots_of(table, query->hash), query);
        query->id = label ? id_of(label) : EM_LABEL_UNKNOWN;
        if (!label && !table->closed)
            status = add(table, worker, query, error);
    }
    __atomic_store_n(since, NOWHERE, __ATOMIC_SEQ_CST);
    return status;
}

/* --- life --------------------------------------------------------------------------------------------------- */

em_status em_label_table_open(em_context *context, em_label_table **table, em_error *error)
{
    void *memory;
    const uint32_t n_workers = em_context_threads(context);
    *table = NULL;
    em_status status = em_allocate_zeroed(context, sizeof **table, &memory, error);
    if (status != EM_OK)
        return status;
    em_label_table *const made = memory;
    made->context = context;
    status = em_allocate_zeroed(context, n_workers * sizeof *made->workers, &memory, error);
    if (status != EM_OK) {
        em_free(context, made, sizeof *made);
        return status;
    }
    made->workers = memory;
    made->n_workers = n_workers;
    for (uint32_t i = 0; i < n_workers; i++)
        made->workers[i].since = NOWHERE;
    for (int i = 0; i < N_SHARDS; i++)
        pthread_mutex_init(&made->shards[i].lock, NULL);
    pthread_mutex_init(&made->lock, NULL);
    *table = made;
    return EM_OK;
}

void em_label_table_end_lookups(em_label_table *table)
{
    for (int i = 0; i < N_SHARDS; i++) {
        slots *const one = table->shards[i].slots;
        if (one)
            em_free(table->context, one, slots_bytes(one->mask));
        table->shards[i].slots = NULL;
    }
    while (table->retired) {
        slots *const one = table->retired;
        table->retired = one->next;
        em_free(table->context, one, slots_bytes(one->mask));
    }
}

void em_label_table_free(em_label_table *table)
{
    if (!table)
        return;
    em_label_table_end_lookups(table);
    while (table->blocks) {
        block *const one = table->blocks;
        table->blocks = one->next;
        em_free(table->context, one, one->n_bytes);
    }
    for (int i = 0; i < N_SHARDS; i++)
        pthread_mutex_destroy(&table->shards[i].lock);
    pthread_mutex_destroy(&table->lock);
    em_free(table->context, table->workers, table->n_workers * sizeof *table->workers);
    em_free(table->context, table, sizeof *table);
}

uint64_t em_label_table_count(const em_label_table *table)
{
    return table ? __atomic_load_n(&table->n, __ATOMIC_RELAXED) : 0;
}

void em_label_table_close(em_label_table *table)
{
    table->closed = true;
}

void em_label_table_share(em_label_table *table)
{
    table->shared = true;
}

bool em_label_table_is_ordered(const em_label_table *table)
{
    return table->closed || !table->shared;
}

/* --- taking the labels out ---------------------------------------------------------------------------------- */

typedef struct take_work {
    em_label_table *table;
    const uint64_t *numbers;
    uint64_t *ends;
    char *text;  /* NULL: lengths are written, else bytes */
    block *next; /* atomic */
} take_work;

static void take_block(const take_work *work, const block *from)
{
    for (uint64_t at = sizeof *from; at < from->used;) {
        const entry *const label = (const entry *)((const char *)from + at);
        const uint64_t id = id_of(label), final = work->numbers ? work->numbers[id] : id;
        if (work->text)
            memcpy(work->text + work->ends[final], label->text, label->n_bytes);
        else
            work->ends[final] = label->n_bytes;
        at += entry_bytes(label->n_bytes);
    }
}

static em_status take_blocks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)worker;
    (void)n_workers;
    take_work *const work = state;
    block *mine = __atomic_load_n(&work->next, __ATOMIC_ACQUIRE);
    for (;;) {
        const em_status status = em_context_check(work->table->context, error);
        if (status != EM_OK)
            return status;
        while (mine &&
               !__atomic_compare_exchange_n(&work->next, &mine, mine->next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            ;
        if (!mine)
            return EM_OK;
        take_block(work, mine);
        mine = __atomic_load_n(&work->next, __ATOMIC_ACQUIRE);
    }
}

em_status em_label_table_take(em_label_table *table, const uint64_t *numbers, em_buffer *text, em_buffer *ends,
                              em_error *error)
{
    em_context *const context = table->context;
    const uint64_t n = em_label_table_count(table);
    *text = *ends = (em_buffer){0};
    em_label_table_end_lookups(table);
    em_status status = em_buffer_allocate(context, ends, n + 1, sizeof(uint64_t), error);
    if (status != EM_OK)
        return status;
    take_work work = {.table = table, .numbers = numbers, .ends = ends->at, .next = table->blocks};
    const uint32_t n_workers = table->blocks && table->blocks->next ? 0 : 1; /* one block wakes nobody */
    if ((status = em_parallel(context, n_workers, take_blocks, &work, error)) != EM_OK ||
        (status = em_scan_offsets(context, EM_U64, ends->at, ends->at, n, error)) != EM_OK ||
        (status = em_buffer_allocate(context, text, work.ends[n], 1, error)) != EM_OK)
        goto done;
    work.text = text->at;
    work.next = table->blocks;
    status = em_parallel(context, n_workers, take_blocks, &work, error);
done:
    if (status != EM_OK) {
        em_buffer_free(text);
        em_buffer_free(ends);
    }
    return status;
}

uint64_t em_label_escape(const char *label, uint64_t n_bytes, char *into)
{
    char *out = into;
    for (uint64_t i = 0; i < n_bytes; i++) {
        const char c = label[i], letter = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\\' ? '\\' : 0;
        if (letter)
            *out++ = '\\';
        *out++ = letter ? letter : c;
    }
    return (uint64_t)(out - into);
}
