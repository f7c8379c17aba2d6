/* support_explorer - runs a few simulated threads in every order that a memory model allows.
 *
 * A thread stops before each access to shared words; what it waits for is known, so the scheduler carries out one
 * access of one thread at a time and tries every choice, depth first, each run from the beginning. A state that was met
 * before is not entered again: memory, what is under way, and a hash of all that each thread saw, which settles where
 * it stands. The number of schedules is that of paths through the states, so nothing is left out by this, only shared.
 *
 * A failed poll is taken to wait until its word has changed: it would find the same otherwise. Where nobody can go on,
 * somebody waits for ever.
 *
 * Sources: Musuvathi et al., "Finding and Reproducing Heisenbugs in Concurrent Programs", OSDI 2008 (stateless search);
 * SPARC Architecture Manual 9, appendix D (partial store order); Kaiser et al., "Strong Logic for Weak Memory", ECOOP
 * 2017 (views of messages).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_TESTS_SUPPORT_EXPLORER_H
#define EM_TESTS_SUPPORT_EXPLORER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum explore_memory {
    /* One access after another; a store is seen by all at once. */
    EXPLORE_SEQUENTIAL = 0,
    /* A thread's stores wait in its buffer and reach memory in any order, but for those to one word, which keep theirs,
     * and a release, which comes after everything before it. Loads find the newest in the own buffer or in memory. */
    EXPLORE_STORE_BUFFERS,
    /* A load may find any value of a word that is no older than one its thread has seen of it. An acquire that finds a
     * release has seen all that the releasing thread had. (Release and acquire of C11, without loads after stores.) */
    EXPLORE_STALE_LOADS
} explore_memory;

typedef struct explore_options {
    explore_memory memory;
    bool plain_release, plain_acquire; /* planted faults: the order is missing */
    uint32_t n_failures;               /* explore_fails may answer true so many times in a run */
} explore_options;

typedef struct explore_result {
    uint64_t n_runs, n_states;
    double n_schedules;
    const char *wrong; /* what the first wrong run was found by; NULL: all were right */
    char trace[4096];  /* its accesses */
} explore_result;

/* `once` sets up its data and calls explore_team once, then explore_expect for what must hold. Under the thread
 * sanitizer, which cannot follow simulated threads, the test that calls this is skipped. */
explore_result explore_all(const explore_options *options, void (*once)(void *state), void *state);

/* Runs n_threads of `body`, at most 4, over zeroed shared words words[n_words], and one counter. False: the run was
 * given up, as what follows is known; nothing may be expected of it. */
bool explore_team(uint32_t n_threads, void (*body)(void *state, uint32_t thread), void *state, uint64_t *words,
                  uint64_t n_words, uint64_t *counter);
void explore_expect(bool right, const char *what);

/* Accesses of the threads; of who calls from outside, they happen at once. */
typedef enum explore_order { EXPLORE_PLAIN = 0, EXPLORE_RELAXED, EXPLORE_ACQUIRE, EXPLORE_RELEASE } explore_order;
bool explore_is_shared(const void *at);
uint64_t explore_load(const uint64_t *from, explore_order order);
void explore_store(uint64_t *to, uint64_t value, explore_order order);
uint64_t explore_increment(uint64_t *counter);
void explore_pause(void); /* after a load that found nothing yet */
bool explore_fails(void); /* both answers are tried */

#endif
