/* use_compact - stream compaction: an exclusive sum of flags says where each kept item goes.
 *
 * Three monoids, all of them sums of flags. `kept` is made by serial.inc. Bits come 64 to a word, and a word's 64
 * positions are one result. `mover` writes no positions at all: the tile that knows how many items precede it moves
 * its own, so that flags and items are read once and only what is kept is written. (Blelloch, Prefix sums and their
 * applications, 1990, calls it pack; fused with the chained scan it is CUB's DeviceSelect.)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/monoids.h"
#include "scan/use_arrays.h"
#include "scan/uses.h"

#include <string.h>

SCAN_DEFINE(kept, uint8_t, uint64_t, uint64_t, 0, 0, 800, 0, item != 0, earlier + later, element)

#define MONOID              kept
#define FN(name)            SCAN_PASTE(MONOID, name)
#define SCAN_KERNEL_LINKAGE static
#include "scan/serial.inc"
#undef MONOID

em_status em_compact_positions(em_context *context, const uint8_t *keep, uint64_t n, uint64_t *positions,
                               em_error *error)
{
    const em_scan_call call = {
        .monoid = &kept_scalar, .kind = EM_EXCLUSIVE_TOTAL, .in = keep, .out = positions, .n = n};
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
static uint64_t scan_word(uint64_t word, uint64_t n, uint64_t n_before, uint64_t *positions)
{
    for (uint64_t i = 0; i < n; i++) {
        positions[i] = n_before;
        n_before += word >> i & 1;
    }
    return n_before;
}

static void scan_words(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    (void)how; /* they are exclusive within the word, too */
    const uint64_t *words = tile->in;
    uint64_t *positions = tile->out, n_before = *(uint64_t *)carry;
    for (uint64_t i = 0; i < tile->n; i++)
        n_before = scan_word(words[i], WORD_BITS, n_before, positions + i * WORD_BITS);
    *(uint64_t *)carry = n_before;
    if (next->n)
        reduce_words(monoid, next);
}

/* Never called: an exclusive scan without total writes by its tiles alone. */
static void lower_word(const em_monoid *monoid, const void *element, void *result)
{
    (void)monoid;
    scan_word(0, WORD_BITS, *(const uint64_t *)element, result);
}

static void lift_word(const em_monoid *monoid, const void *item, void *element)
{
    (void)monoid;
    *(uint64_t *)element = (uint64_t)__builtin_popcountll(*(const uint64_t *)item);
}

static const em_monoid WORDS = {.name = "bits",
                                .item_bytes = sizeof(uint64_t),
                                .elem_bytes = sizeof(uint64_t),
                                .result_bytes = WORD_BITS * sizeof(uint64_t),
                                .item_align = _Alignof(uint64_t),
                                .elem_align = _Alignof(uint64_t),
                                .result_align = _Alignof(uint64_t),
                                .item_ps = 30000,
                                .identity = kept_put_identity,
                                .lift = lift_word,
                                .combine = kept_combine_two,
                                .lower = lower_word,
                                .reduce = reduce_words,
                                .scan = scan_words};

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
    const em_scan_call call = {
        .monoid = &WORDS, .kind = EM_EXCLUSIVE, .in = bits, .out = positions, .n = n_whole, .total = &n_kept};
    status = em_scan(context, &call, error);
    if (status != EM_OK)
        return status;
    positions[n] = n_rest ? scan_word(bits[n_whole], n_rest, n_kept, positions + n_whole * WORD_BITS) : n_kept;
    return EM_OK;
}

/* --- moving ------------------------------------------------------------------------------------------------ */

typedef struct mover {
    const uint8_t *keep; /* of all items: which ones a tile has is known by where its flags are */
    const unsigned char *in;
    unsigned char *out;
    uint64_t item_bytes;
} mover;

enum { ROUND_ITEMS = 256, ROUND_BYTES = 16 * ROUND_ITEMS };

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
        kept_reduce_scalar(monoid, next);
}

/* About what a copy of one item adds to the look at its flag. */
static uint32_t item_ps(uint64_t item_bytes)
{
    return item_bytes < 10000 ? 800 + (uint32_t)item_bytes * 100 : 1000000;
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
    em_monoid monoid = kept_scalar;
    monoid.name = "compact";
    monoid.own = &own;
    monoid.result_bytes = monoid.item_bytes; /* so that flags may stand for the output that em_scan does not write */
    monoid.result_align = monoid.item_align;
    monoid.item_ps = item_ps(item_bytes);
    monoid.scan = move_tile;
    uint64_t total = 0;
    const em_scan_call call = {
        .monoid = &monoid, .kind = EM_EXCLUSIVE, .in = keep, .out = (void *)(uintptr_t)keep, .n = n, .total = &total};
    status = em_scan(context, &call, error);
    if (status == EM_OK && n_kept)
        *n_kept = total;
    return status;
}
