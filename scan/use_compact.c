/* use_compact - stream compaction: an exclusive sum of flags says where each kept item goes.
 *
 * Three monoids, all of them sums of 64-bit counts with tiles of their own. Flags are counted 32 at a time in bytes,
 * and written as positions. Bits come 64 to a word, and a word's 64 positions are one result. A mover writes no
 * positions at all: the tile that knows how many items precede it moves its own, so that flags and items are read once
 * and only what is kept is written. (Blelloch, Prefix sums and their applications, 1990, calls it pack; fused with the
 * chained scan it is CUB's DeviceSelect.)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/kernel.h"
#include "scan/use_arrays.h"
#include "scan/uses.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

/* Counts are added as ever; what is counted and what is written differ. */
static em_monoid make_counting(const char *name, uint32_t item_bytes, uint32_t result_bytes, uint32_t item_ps)
{
    em_monoid counting = sum_u64_scalar;
    counting.name = name;
    counting.item_bytes = counting.item_align = item_bytes;
    counting.result_bytes = result_bytes;
    counting.item_ps = item_ps;
    counting.lift = NULL; /* not needed by scans of whole tiles */
    return counting;
}

/* Past the caches if `stream`. */
SCAN_INLINE void put(uint64_t *at, uint64_t value, const bool stream)
{
#if defined(__x86_64__)
    if (stream) {
        _mm_stream_si64((long long *)(void *)at, (long long)value);
        return;
    }
#endif
    (void)stream;
    *at = value;
}

/* --- flags ------------------------------------------------------------------------------------------------- */

/* A byte counts to 255. */
enum { LANES = 32, ROUNDS = 255 };

static uint64_t count_flags(const uint8_t *keep, uint64_t n)
{
    uint64_t n_kept = 0, i = 0;
    while (n - i >= LANES) {
        const uint64_t n_rounds = (n - i) / LANES < ROUNDS ? (n - i) / LANES : ROUNDS, end = i + n_rounds * LANES;
        uint8_t lanes[LANES] = {0};
        for (; i < end; i += LANES)
            for (uint64_t k = 0; k < LANES; k++)
                lanes[k] = (uint8_t)(lanes[k] + (keep[i + k] != 0));
        for (uint64_t k = 0; k < LANES; k++)
            n_kept += lanes[k];
    }
    for (; i < n; i++)
        n_kept += keep[i] != 0;
    return n_kept;
}

static void reduce_flags(const em_monoid *monoid, const em_tile *tile)
{
    (void)monoid;
    *(uint64_t *)tile->aggregates = count_flags(tile->in, tile->n);
}

SCAN_INLINE uint64_t put_positions(const uint8_t *keep, uint64_t n, uint64_t n_before, uint64_t *positions,
                                   const bool stream)
{
    for (uint64_t i = 0; i < n; i++) {
        put(&positions[i], n_before, stream);
        n_before += keep[i] != 0;
    }
    return n_before;
}

static void scan_flags(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    const uint64_t n_before = *(uint64_t *)carry;
    *(uint64_t *)carry = how & EM_TILE_STREAM ? put_positions(tile->in, tile->n, n_before, tile->out, true)
                                              : put_positions(tile->in, tile->n, n_before, tile->out, false);
    if (next->n)
        reduce_flags(monoid, next);
}

em_status em_compact_positions(em_context *context, const uint8_t *keep, uint64_t n, uint64_t *positions,
                               em_error *error)
{
    em_monoid flags = make_counting("flags", sizeof *keep, sizeof *positions, 450);
    flags.reduce = reduce_flags;
    flags.scan = scan_flags;
    const em_scan_call call = {.monoid = &flags, .kind = EM_EXCLUSIVE_TOTAL, .in = keep, .out = positions, .n = n};
    return em_scan(context, &call, error);
}

/* --- bits -------------------------------------------------------------------------------------------------- */

enum { WORD_BITS = 64 };

static void reduce_words(const em_monoid *monoid, const em_tile *tile)
{
    (void)monoid;
    const uint64_t *words = tile->in;
    uint64_t n_kept = 0;
    for (uint64_t i = 0; i < tile->n; i++)
        n_kept += (uint64_t)__builtin_popcountll(words[i]);
    *(uint64_t *)tile->aggregates = n_kept;
}

/* Positions of n items of one word. */
SCAN_INLINE uint64_t put_word(uint64_t word, uint64_t n, uint64_t n_before, uint64_t *positions, const bool stream)
{
    for (uint64_t i = 0; i < n; i++) {
        put(&positions[i], n_before, stream);
        n_before += word >> i & 1;
    }
    return n_before;
}

SCAN_INLINE uint64_t put_words(const uint64_t *words, uint64_t n, uint64_t n_before, uint64_t *positions,
                               const bool stream)
{
    for (uint64_t i = 0; i < n; i++)
        n_before = put_word(words[i], WORD_BITS, n_before, positions + i * WORD_BITS, stream);
    return n_before;
}

static void scan_words(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    const uint64_t n_before = *(uint64_t *)carry;
    *(uint64_t *)carry = how & EM_TILE_STREAM ? put_words(tile->in, tile->n, n_before, tile->out, true)
                                              : put_words(tile->in, tile->n, n_before, tile->out, false);
    if (next->n)
        reduce_words(monoid, next);
}

/* Whole words are scanned; the last items, which are less than a result, are written here. */
em_status em_compact_positions_of_bits(em_context *context, const uint64_t *bits, uint64_t n, uint64_t *positions,
                                       em_error *error)
{
    const uint64_t n_whole = n / WORD_BITS, n_rest = n % WORD_BITS;
    uint64_t n_kept = 0;
    if (n == UINT64_MAX)
        return em_fail(error, EM_USAGE, "compact: %llu items have no n + 1 positions", (unsigned long long)n);
    const use_array words = {bits, n_whole + (n_rest != 0), sizeof *bits, _Alignof(uint64_t)};
    const use_array out = {positions, n + 1, sizeof *positions, _Alignof(uint64_t)};
    em_status status = use_check_apart("compact", words, out, error);
    if (status != EM_OK)
        return status;
    em_monoid counting = make_counting("bits", sizeof *bits, WORD_BITS * sizeof *positions, 40000);
    counting.reduce = reduce_words;
    counting.scan = scan_words;
    const em_scan_call call = {
        .monoid = &counting, .kind = EM_EXCLUSIVE, .in = bits, .out = positions, .n = n_whole, .total = &n_kept};
    status = em_scan(context, &call, error);
    if (status != EM_OK)
        return status;
    positions[n] = n_rest ? put_word(bits[n_whole], n_rest, n_kept, positions + n_whole * WORD_BITS, false) : n_kept;
    return EM_OK;
}

/* --- moving ------------------------------------------------------------------------------------------------ */

typedef struct mover {
    const uint8_t *keep; /* of all items: which ones a tile has is known by where its flags are */
    const unsigned char *in;
    unsigned char *out;
    uint64_t item_bytes;
} mover;

enum { ROUND_ITEMS = 256, ROUND_BYTES = 32 * ROUND_ITEMS };

/* Kept items of a round are gathered without a branch that depends on a flag, since those are as often as not
 * unpredictable, and leave together: what is gathered too much would be another tile's in `out`. `bytes` is a constant
 * wherever this is inlined. */
SCAN_INLINE uint64_t gather(const unsigned char *in, const uint8_t *keep, uint64_t n, const uint64_t bytes,
                            unsigned char *out)
{
    unsigned char round[ROUND_BYTES];
    uint64_t n_kept = 0;
    for (uint64_t begin = 0; begin < n; begin += ROUND_ITEMS) {
        const uint64_t end = n - begin < ROUND_ITEMS ? n : begin + ROUND_ITEMS;
        uint64_t n_round = 0;
        for (uint64_t i = begin; i < end; i++) {
            memcpy(round + n_round * bytes, in + i * bytes, bytes);
            n_round += keep[i] != 0;
        }
        memcpy(out + n_kept * bytes, round, n_round * bytes);
        n_kept += n_round;
    }
    return n_kept;
}

/* Runs of kept items of any size. */
static uint64_t move_runs(const unsigned char *in, const uint8_t *keep, uint64_t n, uint64_t bytes, unsigned char *out)
{
    uint64_t n_kept = 0;
    for (uint64_t i = 0; i < n;) {
        const uint64_t begin = i;
        while (i < n && keep[i])
            i++;
        if (i > begin)
            memcpy(out + n_kept * bytes, in + begin * bytes, (i - begin) * bytes);
        n_kept += i - begin;
        while (i < n && !keep[i])
            i++;
    }
    return n_kept;
}

static uint64_t move(const unsigned char *in, const uint8_t *keep, uint64_t n, uint64_t bytes, unsigned char *out)
{
    switch (bytes) {
    case 1:
        return gather(in, keep, n, 1, out);
    case 2:
        return gather(in, keep, n, 2, out);
    case 4:
        return gather(in, keep, n, 4, out);
    case 8:
        return gather(in, keep, n, 8, out);
    case 12:
        return gather(in, keep, n, 12, out);
    case 16:
        return gather(in, keep, n, 16, out);
    case 24:
        return gather(in, keep, n, 24, out);
    case 32:
        return gather(in, keep, n, 32, out);
    default:
        return move_runs(in, keep, n, bytes, out);
    }
}

/* tile->out is not written: results are what lies at own->out. */
static void move_tile(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    (void)how;
    const mover *own = monoid->own;
    const uint8_t *keep = tile->in;
    const uint64_t begin = (uint64_t)(keep - own->keep), n_before = *(uint64_t *)carry;
    *(uint64_t *)carry = n_before + move(own->in + begin * own->item_bytes, keep, tile->n, own->item_bytes,
                                         own->out + n_before * own->item_bytes);
    if (next->n)
        reduce_flags(monoid, next);
}

/* 4 bytes 0.50 ns, 8 bytes 0.56 ns, 3 bytes (runs) 5.6 ns, of every other item at random; in cache, one thread. */
static uint32_t item_ps(uint64_t item_bytes)
{
    return item_bytes < 10000 ? 450 + (uint32_t)item_bytes * 25 : 250000;
}

em_status em_compact(em_context *context, uint64_t item_bytes, const void *in, const uint8_t *keep, uint64_t n,
                     void *out, uint64_t *n_kept, em_error *error)
{
    if (item_bytes == 0)
        return em_fail(error, EM_USAGE, "compact: items of no bytes");
    const use_array items = {in, n, item_bytes, 1}, flags = {keep, n, 1, 1}, room = {out, n, item_bytes, 1};
    em_status status = use_check_apart("compact", items, room, error);
    if (status == EM_OK)
        status = use_check_apart("compact", flags, room, error);
    if (status != EM_OK)
        return status;
    const mover own = {keep, in, out, item_bytes};
    /* Results are as large as flags, so that flags may stand for an output that em_scan does not write. */
    em_monoid moving = make_counting("compact", sizeof *keep, sizeof *keep, item_ps(item_bytes));
    moving.result_align = sizeof *keep;
    moving.own = &own;
    moving.reduce = reduce_flags;
    moving.scan = move_tile;
    uint64_t total = 0;
    const em_scan_call call = {
        .monoid = &moving, .kind = EM_EXCLUSIVE, .in = keep, .out = (void *)(uintptr_t)keep, .n = n, .total = &total};
    status = em_scan(context, &call, error);
    if (status == EM_OK && n_kept)
        *n_kept = total;
    return status;
}
