/* support_explorer - see support_explorer.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_explorer_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <cmocka.h>

#if defined(__SANITIZE_THREAD__)
#define CANNOT_RUN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CANNOT_RUN 1
#endif
#endif

enum { MOST_STEPS = 512, MOST_CHOICES = 96, STACK_BYTES = 128 << 10 };

typedef enum access { LOAD, STORE, INCREMENT, PAUSE, FAIL, DONE } access;
static const char *const access_names[] = {"load", "store", "increment", "pause", "fail", "done"};

typedef struct thread {
    ucontext_t context;
    void *stack;
    /* What it stopped before, and what it then gets. */
    access next;
    explore_order order;
    uint32_t word;
    uint64_t value, answer;
    uint64_t history; /* a hash of all it did and saw */
    /* Its last load. */
    uint32_t last_word, last_place;
    uint64_t last_seen;
} thread;

typedef struct choice {
    uint32_t thread;
    bool drain;
    uint32_t option; /* value of a load, entry of the buffer, answer of FAIL */
} choice;

typedef struct node {
    uint64_t slot; /* of its state */
    uint32_t n_choices, chosen;
    double n_schedules;
} node;

typedef struct step {
    choice taken;
    access what;
    explore_order order;
    uint32_t word;
    uint64_t value;
} step;

typedef struct explorer {
    const explore_options *options;
    /* The search. */
    node path[MOST_STEPS];
    uint32_t depth, n_path;
    uint64_t *states; /* hash table: a state or 0 */
    double *schedules;
    uint64_t capacity;
    explore_result *result;
    const char *wrong;
    /* The run. */
    step steps[MOST_STEPS];
    uint32_t n_steps;
    ucontext_t scheduler;
    thread threads[MOST_THREADS];
    uint32_t n_threads;
    uint32_t running; /* plus one; 0: the scheduler */
    void (*body)(void *state, uint32_t thread);
    void *body_state;
    memory memory;
    uint64_t *shared, *counter; /* the counter is the last word */
    uint32_t n_failed;
    double leaf; /* schedules that this run stands for */
} explorer;

static explorer *now; /* tests run one at a time */

/* --- threads --------------------------------------------------------------------------------------- */

static void to_scheduler(thread *own)
{
    swapcontext(&own->context, &now->scheduler);
}

static void enter(void)
{
    const uint32_t own = now->running - 1;
    now->body(now->body_state, own);
    now->threads[own].next = DONE;
    for (;;)
        to_scheduler(&now->threads[own]);
}

/* Until it stops before its next access. */
static void let_run(uint32_t which)
{
    now->running = which + 1;
    swapcontext(&now->scheduler, &now->threads[which].context);
    now->running = 0;
}

static void start_thread(uint32_t which)
{
    thread *own = &now->threads[which];
    own->history = which + 1;
    if (!own->stack)
        own->stack = malloc(STACK_BYTES);
    getcontext(&own->context);
    own->context.uc_stack.ss_sp = own->stack;
    own->context.uc_stack.ss_size = STACK_BYTES;
    own->context.uc_link = NULL;
    makecontext(&own->context, enter, 0);
    let_run(which);
}

static uint64_t ask(access what, uint32_t at, uint64_t value, explore_order order)
{
    thread *own = &now->threads[now->running - 1];
    own->next = what, own->word = at, own->value = value, own->order = order;
    to_scheduler(own);
    return own->answer;
}

static uint32_t word_of(const uint64_t *at)
{
    return at == now->counter ? now->memory.n_words - 1 : (uint32_t)(at - now->shared);
}

bool explore_is_shared(const void *at)
{
    const uint64_t *word_at = at;
    return now->shared && word_at >= now->shared && word_at < now->shared + now->memory.n_words - 1;
}

uint64_t explore_load(const uint64_t *from, explore_order order)
{
    return now->running ? ask(LOAD, word_of(from), 0, order) : memory_newest(&now->memory, word_of(from));
}

void explore_store(uint64_t *to, uint64_t value, explore_order order)
{
    ask(STORE, word_of(to), value, order);
}

uint64_t explore_increment(uint64_t *counter)
{
    return ask(INCREMENT, word_of(counter), 0, EXPLORE_RELAXED);
}

void explore_pause(void)
{
    ask(PAUSE, 0, 0, EXPLORE_PLAIN);
}

bool explore_fails(void)
{
    return now->options->n_failures && ask(FAIL, 0, 0, EXPLORE_PLAIN);
}

void explore_expect(bool right, const char *what)
{
    if (!right && !now->wrong)
        now->wrong = what;
}

/* --- what can happen next -------------------------------------------------------------------------- */

/* Whether the next access can be had at once, without trying it later too: nobody else can tell. */
static bool is_local(uint32_t which)
{
    const thread *own = &now->threads[which];
    return (own->next == STORE && memory_stores_are_local(&now->memory)) ||
           (own->next == LOAD && memory_load_is_local(&now->memory, which, own->word));
}

static uint32_t list_choices(choice *choices)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < now->n_threads; t++) {
        const thread *own = &now->threads[t];
        uint32_t begin = 0, end = 1;
        if (own->next == LOAD) {
            memory_places(&now->memory, t, own->word, &begin, &end);
        } else if (own->next == FAIL) {
            end = now->n_failed < now->options->n_failures ? 2 : 1;
        } else if (own->next == PAUSE) {
            end = memory_has_news(&now->memory, own->last_word, own->last_place, own->last_seen);
        } else if (own->next == DONE) {
            end = 0;
        }
        for (uint32_t option = begin; option < end; option++)
            choices[n++] = (choice){t, false, option};
        for (uint32_t entry = 0; entry < now->memory.buffers[t].n; entry++)
            if (memory_may_drain(&now->memory, t, entry))
                choices[n++] = (choice){t, true, entry};
        if (n > MOST_CHOICES - MOST_VALUES - MOST_BUFFERED) /* no room for another thread's */
            abort();
    }
    return n;
}

static void carry_out(choice taken)
{
    thread *own = &now->threads[taken.thread];
    step *kept = &now->steps[now->n_steps++];
    if (now->n_steps == MOST_STEPS)
        abort();
    if (taken.drain) {
        const buffered *entry = &now->memory.buffers[taken.thread].entries[taken.option];
        *kept = (step){taken, STORE, EXPLORE_PLAIN, entry->word, entry->value};
        memory_drain(&now->memory, taken.thread, taken.option);
        return;
    }
    own->answer = 0;
    switch (own->next) {
    case LOAD:
        own->answer = memory_load(&now->memory, taken.thread, own->word, own->order, taken.option);
        own->last_word = own->word, own->last_seen = own->answer, own->last_place = taken.option;
        break;
    case STORE:
        memory_store(&now->memory, taken.thread, own->word, own->value, own->order);
        own->answer = own->value;
        break;
    case INCREMENT:
        own->answer = memory_increment(&now->memory, own->word);
        break;
    case PAUSE:
        memory_pass_by(&now->memory, taken.thread, own->last_word, own->last_place);
        break;
    case FAIL:
        own->answer = taken.option;
        now->n_failed += taken.option;
        break;
    case DONE:
        break;
    }
    *kept = (step){taken, own->next, own->order, own->word, own->answer};
    own->history = explore_mix(explore_mix(own->history, own->next), own->answer);
    let_run(taken.thread);
}

/* --- the search ------------------------------------------------------------------------------------ */

static uint64_t hash_state(void)
{
    uint64_t hash = memory_hash(&now->memory);
    for (uint32_t t = 0; t < now->n_threads; t++)
        hash = explore_mix(hash, now->threads[t].history);
    return hash ? hash : 1; /* 0 is an empty slot */
}

static uint64_t slot_of(uint64_t hash)
{
    uint64_t slot = hash & (now->capacity - 1);
    while (now->states[slot] && now->states[slot] != hash)
        slot = (slot + 1) & (now->capacity - 1);
    return slot;
}

/* Makes the next choice of the path, or a first one past its end; false where the state was met before. */
static bool choose(uint32_t n_choices, uint32_t *chosen)
{
    if (now->depth == now->n_path) {
        const uint64_t hash = hash_state(), slot = slot_of(hash);
        if (now->states[slot]) {
            now->leaf = now->schedules[slot];
            return false;
        }
        if (++now->result->n_states > now->capacity / 2 || now->n_path == MOST_STEPS)
            abort();
        now->states[slot] = hash;
        now->path[now->n_path++] = (node){slot, n_choices, 0, 0};
    }
    *chosen = now->path[now->depth++].chosen;
    return true;
}

/* To the next run; false once all is explored. */
static bool backtrack(void)
{
    double n_schedules = now->leaf;
    while (now->n_path > 0) {
        node *last = &now->path[now->n_path - 1];
        last->n_schedules += n_schedules;
        if (++last->chosen < last->n_choices)
            return true;
        n_schedules = last->n_schedules;
        now->schedules[last->slot] = n_schedules;
        now->n_path--;
    }
    now->result->n_schedules = n_schedules;
    return false;
}

static bool all_done(void)
{
    for (uint32_t t = 0; t < now->n_threads; t++)
        if (now->threads[t].next != DONE)
            return false;
    return true;
}

static bool advance_local(void)
{
    for (uint32_t t = 0; t < now->n_threads; t++)
        if (is_local(t)) {
            carry_out((choice){t, false, now->memory.words[now->threads[t].word].n_values - 1});
            return true;
        }
    return false;
}

static bool run_schedule(void)
{
    choice choices[MOST_CHOICES];
    for (;;) {
        while (advance_local())
            ;
        if (all_done())
            break;
        const uint32_t n_choices = list_choices(choices);
        if (n_choices == 0) {
            explore_expect(false, "somebody waits for ever");
            return false;
        }
        uint32_t chosen = 0;
        if (n_choices > 1 && !choose(n_choices, &chosen))
            return false;
        carry_out(choices[chosen]);
    }
    for (uint32_t t = 0; t < now->n_threads; t++) /* joining a thread is a barrier */
        while (now->memory.buffers[t].n)
            memory_drain(&now->memory, t, 0);
    explore_expect(!now->memory.two_writers, "a word has two writers");
    return true;
}

bool explore_team(uint32_t n_threads, void (*body)(void *state, uint32_t thread), void *state, uint64_t *words,
                  uint64_t n_words, uint64_t *counter)
{
    memory_begin(&now->memory, now->options, (uint32_t)n_words + 1, n_threads);
    now->n_threads = n_threads, now->body = body, now->body_state = state;
    now->shared = words, now->counter = counter;
    now->depth = now->n_steps = now->n_failed = 0;
    now->leaf = 1;
    for (uint32_t t = 0; t < n_threads; t++)
        start_thread(t);
    return run_schedule();
}

static void write_trace(char *text, size_t n_bytes)
{
    static const char *const orders[] = {"", " relaxed", " acquire", " release"};
    size_t at = 0;
    for (uint32_t i = 0; i < now->n_steps && at < n_bytes; i++) {
        const step *own = &now->steps[i];
        at += (size_t)snprintf(text + at, n_bytes - at, "thread %u %s%s word %u: %llx\n", own->taken.thread,
                               own->taken.drain ? "drains" : access_names[own->what],
                               own->taken.drain ? "" : orders[own->order], own->word, (unsigned long long)own->value);
    }
}

explore_result explore_all(const explore_options *options, void (*once)(void *state), void *state)
{
    explore_result result = {0};
#ifdef CANNOT_RUN
    skip();
#endif
    now = calloc(1, sizeof *now);
    now->options = options, now->result = &result;
    now->capacity = UINT64_C(1) << 23;
    now->states = calloc(now->capacity, sizeof *now->states);
    now->schedules = calloc(now->capacity, sizeof *now->schedules);
    do {
        result.n_runs++;
        once(state);
        now->shared = NULL;
    } while (!now->wrong && backtrack());
    result.wrong = now->wrong;
    if (result.wrong)
        write_trace(result.trace, sizeof result.trace);
    for (uint32_t t = 0; t < MOST_THREADS; t++)
        free(now->threads[t].stack);
    free(now->states);
    free(now->schedules);
    free(now);
    now = NULL;
    return result;
}
