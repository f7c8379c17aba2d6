/* generate_write - arcs made and formatted side by side, written in order.
 *
 * Arcs are cut in blocks of a fixed number. A worker takes the next block, formats it into a buffer of its own, waits
 * until the blocks before it are written, and writes it: while one writes, the others format. A block is taken only by
 * a worker that runs, and the one before it by a worker that runs or has finished it, so the wait ends.
 *
 * Cost: the bytes are written once, out of cache; memory is one buffer a worker.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/generate.h"

#include "scan/base/parallel.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

/* Two ids of up to 19 digits, two separators, a weight of up to 8 characters, a newline. */
enum { LINE_BYTES = 2 * 19 + 2 + 8 + 1 };
/* About 256 KiB of usual text, which stays in L2. */
enum { BLOCK_ARCS = 16384 };

static const em_generate_format formats[] = {
    {"el", "el txt edgelist edges e", '\t', 0, false},
    {"tsv", "tsv", '\t', 0, false},
    {"csv", "csv", ',', 0, false},
    {"wel", "wel", '\t', 0, true},
    {"u32", "u32", 0, 4, false},
    {"u64", "u64", 0, 8, false},
};

static bool has_word(const char *words, const char *word)
{
    const size_t n = strchr(word, ' ') ? 0 : strlen(word);
    for (const char *at = words; n && (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0))
            return true;
    return false;
}

em_status em_generate_format_find(const char *path, const char *to, const em_generate_format **format, em_error *error)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *point = strrchr(name, '.'), *word = to ? to : strcmp(path, "-") == 0 ? "el" : point ? point + 1 : "";
    *format = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (has_word(formats[i].suffixes, word))
            *format = &formats[i];
    if (*format)
        return EM_OK;
    if (to)
        return em_fail(error, EM_USAGE, "generate cannot write '%s': el, tsv, csv, wel, u32 or u64", to);
    if (strcmp(word, "gz") == 0 || strcmp(word, "zst") == 0)
        return em_fail(error, EM_USAGE, "%s: compressed output is not written: use -o - and pipe it into %s", path,
                       strcmp(word, "gz") == 0 ? "gzip" : "zstd");
    return em_fail(error, EM_USAGE,
                   "%s: the suffix names no format of generate: say --to=el, tsv, csv, wel, u32 or u64", path);
}

em_status em_generate_can_hold(const em_generator *generator, const em_generate_format *format, em_error *error)
{
    if (format->wants_weights && generator->weights == EM_WEIGHT_NONE)
        return em_fail(error, EM_USAGE, "%s holds weights: add --weights=i32 or --weights=f64", format->name);
    if (!format->separator && generator->weights != EM_WEIGHT_NONE)
        return em_fail(error, EM_USAGE, "%s holds no weights: use --to=wel, or --weights=none", format->name);
    if (format->id_bytes == 4 && generator->n_vertices > UINT64_C(1) << 32)
        return em_fail(error, EM_USAGE, "%" PRIu64 " vertices do not fit in u32: use --to=u64", generator->n_vertices);
    return EM_OK;
}

/* No number has more digits. */
enum { COPIED = 20 };

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                  "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                  "8081828384858687888990919293949596979899";

/* Digits are made from the right in a small array of their own, then copied with a fixed length, which is two moves
 * instead of a loop; what lies past the number is overwritten next. */
static inline char *put_number(char *at, uint64_t number)
{
    char digits[2 * COPIED] = {0};
    uint32_t first = COPIED;
    for (; number >= 100; number /= 100)
        memcpy(digits + (first -= 2), digit_pairs + 2 * (number % 100), 2);
    if (number >= 10)
        memcpy(digits + (first -= 2), digit_pairs + 2 * number, 2);
    else
        digits[--first] = (char)('0' + number);
    memcpy(at, digits + first, COPIED);
    return at + (COPIED - first);
}

static char *put_millionths(char *at, uint32_t number)
{
    at[0] = '0';
    at[1] = '.';
    for (int i = 7; i >= 2; i--, number /= 10)
        at[i] = (char)('0' + number % 10);
    return at + 8;
}

static char *put_line(char *at, const em_generator *generator, char separator, uint64_t index)
{
    uint64_t source, target;
    em_generator_arc(generator, index, &source, &target);
    at = put_number(at, source);
    *at++ = separator;
    at = put_number(at, target);
    if (generator->weights != EM_WEIGHT_NONE) {
        const uint32_t weight = em_generator_weight(generator, index);
        *at++ = separator;
        at = generator->weights == EM_WEIGHT_I32 ? put_number(at, weight) : put_millionths(at, weight);
    }
    *at++ = '\n';
    return at;
}

static char *put_pair(char *at, const em_generator *generator, uint8_t id_bytes, uint64_t index)
{
    uint64_t pair[2]; /* little-endian: the low bytes come first */
    em_generator_arc(generator, index, &pair[0], &pair[1]);
    memcpy(at, &pair[0], id_bytes);
    memcpy(at + id_bytes, &pair[1], id_bytes);
    return at + 2 * id_bytes;
}

typedef struct writing {
    em_context *context;
    const em_generator *generator;
    const em_generate_format *format;
    em_output *output;
    uint64_t block_arcs, n_blocks;
    uint64_t next; /* block to be taken */
    pthread_mutex_t lock;
    pthread_cond_t turned;
    uint64_t turn; /* block to be written */
    bool aborted;
} writing;

static uint64_t format_block(const writing *shared, uint64_t block, char *buffer)
{
    const em_generate_format *format = shared->format;
    const uint64_t begin = block * shared->block_arcs, left = shared->generator->n_arcs - begin;
    const uint64_t end = begin + (left < shared->block_arcs ? left : shared->block_arcs);
    char *at = buffer;
    for (uint64_t i = begin; i < end; i++)
        at = format->separator ? put_line(at, shared->generator, format->separator, i)
                               : put_pair(at, shared->generator, format->id_bytes, i);
    return (uint64_t)(at - buffer);
}

/* False: another worker failed. */
static bool wait_for_turn(writing *shared, uint64_t block)
{
    pthread_mutex_lock(&shared->lock);
    while (shared->turn != block && !shared->aborted)
        pthread_cond_wait(&shared->turned, &shared->lock);
    const bool mine = !shared->aborted;
    pthread_mutex_unlock(&shared->lock);
    return mine;
}

static void end_turn(writing *shared, em_status status)
{
    pthread_mutex_lock(&shared->lock);
    shared->turn++;
    shared->aborted |= status != EM_OK;
    pthread_cond_broadcast(&shared->turned);
    pthread_mutex_unlock(&shared->lock);
}

static em_status write_blocks(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    (void)n_workers;
    writing *shared = state;
    const uint64_t n_bytes = shared->block_arcs * LINE_BYTES + COPIED;
    void *buffer = NULL;
    em_status status = em_allocate(shared->context, n_bytes, &buffer, error);
    while (status == EM_OK) {
        const uint64_t block = __atomic_fetch_add(&shared->next, 1, __ATOMIC_RELAXED);
        if (block >= shared->n_blocks)
            break;
        const uint64_t n_formatted = format_block(shared, block, buffer);
        if (!wait_for_turn(shared, block))
            break;
        status = em_output_write(shared->output, buffer, n_formatted, error);
        if (status == EM_OK)
            status = worker ? em_context_check(shared->context, error)
                            : em_context_report(shared->context, "generate", block * shared->block_arcs,
                                                shared->generator->n_arcs, error);
        end_turn(shared, status);
    }
    if (status != EM_OK) {
        pthread_mutex_lock(&shared->lock);
        shared->aborted = true;
        pthread_cond_broadcast(&shared->turned);
        pthread_mutex_unlock(&shared->lock);
    }
    em_free(shared->context, buffer, n_bytes);
    return status;
}

em_status em_generate_write(em_context *context, const em_generator *generator, const em_generate_format *format,
                            em_output *output, em_error *error)
{
    const uint64_t knob = em_context_knobs(context)->chunk_bytes;
    const uint64_t block_arcs = knob ? knob / LINE_BYTES + 1 : BLOCK_ARCS;
    em_status status = em_generate_can_hold(generator, format, error);
    if (status != EM_OK)
        return status;
    writing shared = {.context = context,
                      .generator = generator,
                      .format = format,
                      .output = output,
                      .block_arcs = block_arcs,
                      .n_blocks = generator->n_arcs / block_arcs + (generator->n_arcs % block_arcs != 0),
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .turned = PTHREAD_COND_INITIALIZER};
    const uint64_t n_threads = em_context_threads(context);
    const uint64_t n_useful = shared.n_blocks < n_threads ? shared.n_blocks : n_threads;
    status = em_parallel(context, n_useful ? (uint32_t)n_useful : 1, write_blocks, &shared, error);
    pthread_cond_destroy(&shared.turned);
    pthread_mutex_destroy(&shared.lock);
    return status;
}
