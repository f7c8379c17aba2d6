/* simd_mat2_avx2 - products of 2x2 matrices modulo 2^32 in 256-bit registers, chosen at run time.
 *
 * A product waits for the one before it for 12 cycles, of which its own operations fill 3. So a tile is cut in lanes,
 * contiguous parts whose prefixes come from the products that `reduce` wrote, and a register holds the running products
 * of two of them: (a a c c) (x) (a' b' a' b') + (b b d d) (x) (c' d' c' d') of the earlier and the later matrices. Half
 * a matrix is spread by the load itself. In the same loop the next tile is reduced.
 *
 * Registers of 512 bits were counted, not tried: they multiply no more numbers a cycle, and have two ports, not three,
 * for all the rest.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include "scan/simd.h"
#include "scan/simd_float.h"

#include <immintrin.h>
#include <string.h>

/* STEP matrices of a lane fill a line. Of 4 and 8 lanes 4 are faster when they are scanned and reduced in one loop
 * (1.56 and 1.8 ns an item), which is four chains already. A tile that nobody reduced is cut in blocks that stay in the
 * first-level cache between their reduction and their scan; below LEAST items the scalar loop does. */
enum { LANES = 4, PAIRS = LANES / 2, STEP = 4, BLOCK = 1024, LEAST = 64 };

/* Items of each lane but the last, which takes the rest. */
static uint64_t lane_items(uint64_t n)
{
    return n / LANES / STEP * STEP;
}

/* A half of *earlier twice, then a half of *later twice. */
SIMD_INLINE __m256i spread_halves(const em_mat2 *earlier, const em_mat2 *later, const int half)
{
    long long lower, upper;
    memcpy(&lower, (const char *)earlier + half * 8, sizeof lower);
    memcpy(&upper, (const char *)later + half * 8, sizeof upper);
    return _mm256_blend_epi32(_mm256_set1_epi64x(lower), _mm256_set1_epi64x(upper), 0xF0);
}

/* Two products, of `earlier` by one item of each of two lanes. */
SIMD_INLINE __m256i multiply(__m256i earlier, const em_mat2 *p, const em_mat2 *q)
{
    const __m256i by_a = _mm256_shuffle_epi32(earlier, 0xA0), by_b = _mm256_shuffle_epi32(earlier, 0xF5);
    return _mm256_add_epi32(_mm256_mullo_epi32(by_a, spread_halves(p, q, 0)),
                            _mm256_mullo_epi32(by_b, spread_halves(p, q, 1)));
}

SIMD_INLINE __m256i load_two(const em_mat2 *two)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)two);
}

SIMD_INLINE void store_two(em_mat2 *two, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)two, v);
}

SIMD_INLINE void store_one(em_mat2 *one, __m256i v, const int half)
{
    _mm_storeu_si128((__m128i *)(void *)one, half ? _mm256_extracti128_si256(v, 1) : _mm256_castsi256_si128(v));
}

SIMD_INLINE void put_two(em_mat2 *two, __m256i v, bool stream)
{
    if (stream)
        _mm256_stream_si256((__m256i *)(void *)two, v);
    else
        store_two(two, v);
}

/* --- reduction ------------------------------------------------------------------------------------------------ */

static em_mat2 reduce_rest(const em_mat2 *in, uint64_t n, em_mat2 product)
{
    for (uint64_t i = 0; i < n; i++)
        product = mat2_combine(product, in[i]);
    return product;
}

static void identities(em_mat2 aggregates[LANES])
{
    for (unsigned lane = 0; lane < LANES; lane++)
        aggregates[lane] = mat2_identity();
}

static void reduce_lanes(const em_mat2 *in, uint64_t n, em_mat2 aggregates[LANES])
{
    const uint64_t each = lane_items(n);
    __m256i sums[PAIRS];
    identities(aggregates);
    for (unsigned pair = 0; pair < PAIRS; pair++)
        sums[pair] = load_two(aggregates);
    for (uint64_t i = 0; i < each; i++)
        for (unsigned pair = 0; pair < PAIRS; pair++) {
            const em_mat2 *p = in + 2 * pair * each + i;
            sums[pair] = multiply(sums[pair], p, p + each);
        }
    for (unsigned pair = 0; pair < PAIRS; pair++)
        store_two(aggregates + 2 * pair, sums[pair]);
    aggregates[LANES - 1] = reduce_rest(in + LANES * each, n - LANES * each, aggregates[LANES - 1]);
}

/* --- scan ------------------------------------------------------------------------------------------------------- */

static em_mat2 scan_rest(const em_mat2 *in, em_mat2 *out, uint64_t n, em_mat2 carry, bool exclusive)
{
    for (uint64_t i = 0; i < n; i++) {
        const em_mat2 with = mat2_combine(carry, in[i]);
        out[i] = exclusive ? carry : with;
        carry = with;
    }
    return carry;
}

/* What is done to lanes of `each` items. Where results begin in the middle of a register's place (`past` is 1) they
 * are written one place later than they come, and so are exclusive ones. */
typedef struct walk {
    const em_mat2 *in;
    em_mat2 *out;
    const em_mat2 *next;
    uint64_t each, past;
    bool stream;
} walk;

/* A line of each of two lanes. */
SIMD_INLINE void put_lines(const walk *with, uint64_t i, unsigned pair, const __m256i result[STEP])
{
    em_mat2 *p = with->out + 2 * pair * with->each + i, *q = p + with->each;
    const __m256i p0 = _mm256_permute2x128_si256(result[0], result[1], 0x20);
    const __m256i q0 = _mm256_permute2x128_si256(result[0], result[1], 0x31);
    const __m256i p1 = _mm256_permute2x128_si256(result[2], result[3], 0x20);
    const __m256i q1 = _mm256_permute2x128_si256(result[2], result[3], 0x31);
    if (with->past && i == 0) {
        store_one(p, p0, 1), put_two(p + 1, p1, with->stream);
        store_one(q, q0, 1), put_two(q + 1, q1, with->stream);
    } else {
        p -= with->past, q -= with->past;
        put_two(p, p0, with->stream), put_two(p + 2, p1, with->stream);
        put_two(q, q0, with->stream), put_two(q + 2, q1, with->stream);
    }
}

/* STEP items of two pairs of lanes, item by item, so that what does not wait for each other stands together. Results
 * are written `late` after they come; before[] are the last two of a pair. */
SIMD_INLINE void scan_step(const walk *with, uint64_t i, unsigned pair, __m256i before[2][2], __m256i sum[2],
                           const int late, const bool fuse)
{
    const uint64_t each = with->each, at = 2 * pair * each + i;
    __m256i all[2][STEP + 2];
    for (unsigned g = 0; g < 2; g++)
        all[g][0] = before[g][0], all[g][1] = before[g][1];
    for (unsigned k = 0; k < STEP; k++)
        for (unsigned g = 0; g < 2; g++) {
            const em_mat2 *p = with->in + at + 2 * g * each + k, *of_next = with->next + at + 2 * g * each + k;
            all[g][k + 2] = multiply(all[g][k + 1], p, p + each);
            if (fuse)
                sum[g] = multiply(sum[g], of_next, of_next + each);
        }
    for (unsigned g = 0; g < 2; g++) {
        before[g][0] = all[g][STEP], before[g][1] = all[g][STEP + 1];
        put_lines(with, i, pair + g, all[g] + 2 - late);
    }
}

SIMD_INLINE void scan_so(const walk *with, em_mat2 prefixes[LANES], em_mat2 sums[LANES], const int late,
                         const bool fuse)
{
    __m256i before[PAIRS][2], sum[PAIRS];
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        before[pair][0] = before[pair][1] = load_two(prefixes + 2 * pair);
        sum[pair] = load_two(sums + 2 * pair);
    }
    const uint64_t each = with->each;
    for (uint64_t i = 0; i < each; i += STEP)
        for (unsigned pair = 0; pair < PAIRS; pair += 2) {
            for (unsigned lane = 2 * pair; fuse && lane < 2 * pair + 4; lane++)
                SIMD_PREFETCH(with->next + lane * each + i);
            scan_step(with, i, pair, before + pair, sum + pair, late, fuse);
        }
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        if (with->past) {
            store_one(with->out + (2 * pair + 1) * each - 1, before[pair][late < 2], 0);
            store_one(with->out + (2 * pair + 2) * each - 1, before[pair][late < 2], 1);
        }
        store_two(prefixes + 2 * pair, before[pair][1]);
        store_two(sums + 2 * pair, sum[pair]);
    }
}

SIMD_APART void scan_by(const walk *with, em_mat2 prefixes[LANES], unsigned late)
{
    em_mat2 sums[LANES];
    identities(sums);
    if (late == 0)
        scan_so(with, prefixes, sums, 0, false);
    else if (late == 1)
        scan_so(with, prefixes, sums, 1, false);
    else
        scan_so(with, prefixes, sums, 2, false);
}

SIMD_APART void scan_and_reduce_by(const walk *with, em_mat2 prefixes[LANES], em_mat2 sums[LANES], unsigned late)
{
    if (late == 0)
        scan_so(with, prefixes, sums, 0, true);
    else if (late == 1)
        scan_so(with, prefixes, sums, 1, true);
    else
        scan_so(with, prefixes, sums, 2, true);
}

/* Scans what was reduced, and reduces `next`. */
static void scan_lanes(const em_tile *tile, em_mat2 *carry, const em_tile *next, unsigned how)
{
    const uint64_t each = lane_items(tile->n), done = LANES * each;
    const em_mat2 *in = tile->in, *aggregates = tile->aggregates, *next_in = next->in;
    em_mat2 *out = tile->out, *next_aggregates = next->aggregates;
    const bool exclusive = how & EM_TILE_EXCLUSIVE;
    walk with = {in, out, next_in, each, 0, how & EM_TILE_STREAM && (uintptr_t)out % sizeof *out == 0};
    with.past = with.stream ? (uintptr_t)out / sizeof *out % 2 : 0;
    const unsigned late = (unsigned)with.past + exclusive;

    em_mat2 prefixes[LANES] = {*carry};
    for (unsigned lane = 1; lane < LANES; lane++)
        prefixes[lane] = mat2_combine(prefixes[lane - 1], aggregates[lane - 1]);
    const bool both = each && next->n == tile->n;
    if (both) {
        identities(next_aggregates);
        scan_and_reduce_by(&with, prefixes, next_aggregates, late);
        next_aggregates[LANES - 1] = reduce_rest(next_in + done, next->n - done, next_aggregates[LANES - 1]);
    } else if (each) {
        scan_by(&with, prefixes, late);
    }
    *carry = scan_rest(in + done, out + done, tile->n - done, prefixes[LANES - 1], exclusive);
    if (next->n && !both)
        reduce_lanes(next_in, next->n, next_aggregates);
}

/* Block by block: each is reduced while the one before it is scanned. */
static void scan_blocks(const em_tile *tile, em_mat2 *carry, unsigned how)
{
    em_mat2 aggregates[2][LANES];
    const em_mat2 *in = tile->in;
    em_mat2 *out = tile->out;
    em_tile now = {in, out, tile->n < BLOCK ? tile->n : BLOCK, aggregates[0]};
    reduce_lanes(in, now.n, now.aggregates);
    for (uint64_t i = 0; now.n;) {
        i += now.n;
        const uint64_t left = tile->n - i;
        const em_tile next = {in + i, out + i, left < BLOCK ? left : BLOCK,
                              aggregates[now.aggregates == aggregates[0]]};
        scan_lanes(&now, carry, &next, how);
        now = next;
    }
}

static void reduce_tile(const em_monoid *monoid, const em_tile *tile)
{
    (void)monoid;
    reduce_lanes(tile->in, tile->n, tile->aggregates);
}

static void scan_tile(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    if (tile->aggregates) {
        scan_lanes(tile, carry, next, how);
        return;
    }
    if (tile->n < LEAST)
        *(em_mat2 *)carry = scan_rest(tile->in, tile->out, tile->n, *(em_mat2 *)carry, how & EM_TILE_EXCLUSIVE);
    else
        scan_blocks(tile, carry, how);
    if (next->n)
        reduce_tile(monoid, next);
}

#define MONOID   mat2
#define FN(name) SCAN_PASTE(MONOID, name)
#include "scan/monoid_value.inc"
const em_monoid mat2_avx2 = SCAN_MONOID_VALUE(reduce_tile, scan_tile, LANES, 1700);
#else
typedef int no_avx2_here;
#endif
