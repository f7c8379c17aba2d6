/* support_explorer_memory - the shared words of the explorer's threads under each memory model.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_EXPLORER_MEMORY_H
#define EM_TESTS_SUPPORT_EXPLORER_MEMORY_H

#include "tests/support_explorer.h"

enum { MOST_THREADS = 4, MOST_WORDS = 64, MOST_VALUES = 8, MOST_BUFFERED = 16 };

/* Of each word, the oldest value that may still be found. */
typedef struct view {
    uint8_t least[MOST_WORDS];
} view;

/* All values of a word since the run began, the first being 0; only the newest, but for stale loads. */
typedef struct word {
    uint64_t values[MOST_VALUES];
    view views[MOST_VALUES]; /* what who wrote it had seen */
    bool release[MOST_VALUES];
    uint32_t n_values;
    uint32_t writer; /* plus one; 0: nobody yet */
} word;

typedef struct buffered {
    uint32_t word;
    bool release;
    uint64_t value;
} buffered;

typedef struct buffer {
    buffered entries[MOST_BUFFERED];
    uint32_t n;
} buffer;

typedef struct memory {
    explore_options options;
    uint32_t n_words, n_threads;
    word words[MOST_WORDS];
    buffer buffers[MOST_THREADS];
    view views[MOST_THREADS];
    bool two_writers; /* of one word: the search relies on there being one */
} memory;

void memory_begin(memory *all, const explore_options *options, uint32_t n_words, uint32_t n_threads);
uint64_t memory_newest(const memory *all, uint32_t at);

/* The values [*begin, *end) of a word that a thread may find; what is in its own buffer comes before them all. */
void memory_places(const memory *all, uint32_t thread, uint32_t at, uint32_t *begin, uint32_t *end);
uint64_t memory_load(memory *all, uint32_t thread, uint32_t at, explore_order order, uint32_t place);
void memory_store(memory *all, uint32_t thread, uint32_t at, uint64_t value, explore_order order);
uint64_t memory_increment(memory *all, uint32_t at); /* undivided, orders nothing */

/* A store that waits reaches memory. */
bool memory_may_drain(const memory *all, uint32_t thread, uint32_t entry);
void memory_drain(memory *all, uint32_t thread, uint32_t entry);

/* After a load that found `seen` at `place`: whether another could find something else; it then will. */
bool memory_has_news(const memory *all, uint32_t at, uint32_t place, uint64_t seen);
void memory_pass_by(memory *all, uint32_t thread, uint32_t at, uint32_t place);

/* Accesses that no other thread can tell from their happening at another time. */
bool memory_load_is_local(const memory *all, uint32_t thread, uint32_t at);
bool memory_stores_are_local(const memory *all);

uint64_t memory_hash(const memory *all);
uint64_t explore_mix(uint64_t hash, uint64_t value);

#endif
