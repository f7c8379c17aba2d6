/* support_explorer_memory - see support_explorer_memory.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_explorer_memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_stale(const memory *all)
{
    return all->options.memory == EXPLORE_STALE_LOADS;
}

void memory_begin(memory *all, const explore_options *options, uint32_t n_words, uint32_t n_threads)
{
    if (n_words > MOST_WORDS || n_threads > MOST_THREADS)
        abort();
    all->options = *options;
    all->n_words = n_words, all->n_threads = n_threads;
    all->two_writers = false;
    for (uint32_t i = 0; i < n_words; i++) {
        all->words[i].values[0] = 0, all->words[i].release[0] = false;
        all->words[i].n_values = 1, all->words[i].writer = 0;
    }
    for (uint32_t t = 0; t < n_threads; t++) {
        all->buffers[t].n = 0;
        memset(&all->views[t], 0, sizeof all->views[t]);
    }
}

uint64_t memory_newest(const memory *all, uint32_t at)
{
    return all->words[at].values[all->words[at].n_values - 1];
}

static const buffered *find_buffered(const memory *all, uint32_t thread, uint32_t at)
{
    const buffer *own = &all->buffers[thread];
    for (uint32_t i = own->n; i-- > 0;)
        if (own->entries[i].word == at)
            return &own->entries[i];
    return NULL;
}

void memory_places(const memory *all, uint32_t thread, uint32_t at, uint32_t *begin, uint32_t *end)
{
    *end = all->words[at].n_values;
    *begin = is_stale(all) ? all->views[thread].least[at] : *end - 1;
}

uint64_t memory_load(memory *all, uint32_t thread, uint32_t at, explore_order order, uint32_t place)
{
    const buffered *waiting = find_buffered(all, thread, at);
    if (waiting)
        return waiting->value;
    const word *from = &all->words[at];
    view *own = &all->views[thread];
    if (is_stale(all)) {
        own->least[at] = (uint8_t)place;
        if (order == EXPLORE_ACQUIRE && !all->options.plain_acquire && from->release[place])
            for (uint32_t i = 0; i < all->n_words; i++)
                if (from->views[place].least[i] > own->least[i])
                    own->least[i] = from->views[place].least[i];
    }
    return from->values[place];
}

static void write_word(memory *all, uint32_t thread, uint32_t at, uint64_t value, bool release)
{
    word *to = &all->words[at];
    all->two_writers |= to->writer && to->writer != thread + 1;
    to->writer = thread + 1;
    if (!is_stale(all)) {
        to->values[0] = value;
        return;
    }
    if (to->n_values == MOST_VALUES)
        abort();
    all->views[thread].least[at] = (uint8_t)to->n_values;
    to->values[to->n_values] = value;
    to->release[to->n_values] = release;
    to->views[to->n_values++] = all->views[thread];
}

void memory_store(memory *all, uint32_t thread, uint32_t at, uint64_t value, explore_order order)
{
    const bool release = order == EXPLORE_RELEASE && !all->options.plain_release;
    if (all->options.memory != EXPLORE_STORE_BUFFERS) {
        write_word(all, thread, at, value, release);
        return;
    }
    buffer *own = &all->buffers[thread];
    if (own->n == MOST_BUFFERED)
        abort();
    own->entries[own->n++] = (buffered){at, release, value};
}

uint64_t memory_increment(memory *all, uint32_t at)
{
    return all->words[at].values[0]++;
}

bool memory_may_drain(const memory *all, uint32_t thread, uint32_t entry)
{
    const buffered *entries = all->buffers[thread].entries;
    if (entries[entry].release)
        return entry == 0;
    for (uint32_t i = 0; i < entry; i++)
        if (entries[i].word == entries[entry].word)
            return false;
    return true;
}

void memory_drain(memory *all, uint32_t thread, uint32_t entry)
{
    buffer *own = &all->buffers[thread];
    write_word(all, thread, own->entries[entry].word, own->entries[entry].value, false);
    own->n--;
    memmove(&own->entries[entry], &own->entries[entry + 1], (own->n - entry) * sizeof *own->entries);
}

bool memory_has_news(const memory *all, uint32_t at, uint32_t place, uint64_t seen)
{
    return is_stale(all) ? place + 1 < all->words[at].n_values : memory_newest(all, at) != seen;
}

void memory_pass_by(memory *all, uint32_t thread, uint32_t at, uint32_t place)
{
    if (is_stale(all))
        all->views[thread].least[at] = (uint8_t)(place + 1);
}

bool memory_load_is_local(const memory *all, uint32_t thread, uint32_t at)
{
    return all->words[at].writer == thread + 1 || find_buffered(all, thread, at);
}

bool memory_stores_are_local(const memory *all)
{
    return all->options.memory == EXPLORE_STORE_BUFFERS;
}

uint64_t explore_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t mix_view(const memory *all, uint64_t hash, const view *own)
{
    for (uint32_t i = 0; is_stale(all) && i < all->n_words; i++)
        hash = explore_mix(hash, own->least[i]);
    return hash;
}

uint64_t memory_hash(const memory *all)
{
    uint64_t hash = 1;
    for (uint32_t i = 0; i < all->n_words; i++) {
        const word *own = &all->words[i];
        hash = explore_mix(explore_mix(hash, own->n_values), own->values[0]);
        for (uint32_t k = 1; k < own->n_values; k++)
            hash = mix_view(all, explore_mix(hash, own->values[k] << 1 | own->release[k]), &own->views[k]);
    }
    for (uint32_t t = 0; t < all->n_threads; t++) {
        const buffer *own = &all->buffers[t];
        hash = explore_mix(mix_view(all, hash, &all->views[t]), own->n);
        for (uint32_t i = 0; i < own->n; i++)
            hash = explore_mix(explore_mix(hash, own->entries[i].word << 1 | own->entries[i].release),
                               own->entries[i].value);
    }
    return hash;
}
