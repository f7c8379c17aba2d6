/* segmented - the segmented lift of any monoid: scans that begin anew at each head.
 *
 * The lifted element is an element of the monoid below and whether a head lies in it; combining forgets what lies
 * before a head. A tile is cut in runs that no head interrupts, and each run is scanned or reduced by the monoid below,
 * so its kernels do the work. Leaves stay where they are in the array, and a head begins one more: so grouping, too,
 * starts anew at each head, and still does not depend on how the array was cut in tiles. (Blelloch, Vector Models for
 * Data-Parallel Computing, 1990, chapter 4.)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/kernel.h"

#include <string.h>

/* Lanes up to so many bytes are folded on the stack. */
enum { LANES_BYTES = 512 };

/* Elements of `of` that a lifted one has room for: lanes that are too large for the stack are reduced to the place of
 * their aggregate and folded there. */
static uint64_t n_elements(const em_monoid *of)
{
    return of->lanes > 1 && !of->leaf_items && (uint64_t)of->lanes * of->elem_bytes > LANES_BYTES ? of->lanes : 1;
}

/* Behind the elements below, at a multiple of 8 bytes. */
static uint64_t flag_at(const em_monoid *of)
{
    return (n_elements(of) * of->elem_bytes + 7) / 8 * 8;
}

static uint64_t *flag_of(const em_monoid *of, void *lifted)
{
    return (uint64_t *)(void *)((unsigned char *)lifted + flag_at(of));
}

static uint64_t has_head(const em_monoid *of, const void *lifted)
{
    return *(const uint64_t *)(const void *)((const unsigned char *)lifted + flag_at(of));
}

static const scan_segments *own_of(const em_monoid *monoid)
{
    return monoid->own;
}

static void put_identity(const em_monoid *monoid, void *element)
{
    const em_monoid *of = own_of(monoid)->of;
    memset(element, 0, monoid->elem_bytes);
    of->identity(of, element);
}

static void combine(const em_monoid *monoid, const void *earlier, const void *later, void *both)
{
    const scan_segments *own = own_of(monoid);
    const em_monoid *of = own->of;
    const uint64_t later_has = has_head(of, later), any_has = later_has | has_head(of, earlier);
    of->combine(of, later_has ? own->initial : earlier, later, both);
    *flag_of(of, both) = any_has;
}

static void lower(const em_monoid *monoid, const void *element, void *result)
{
    const em_monoid *of = own_of(monoid)->of;
    of->lower(of, element, result);
}

static const uint8_t *heads_at(const scan_segments *own, const void *in)
{
    return own->heads + (uint64_t)((const unsigned char *)in - own->items) / own->of->item_bytes;
}

/* Items from `from` on, below n, before the next head; short runs are looked through here, long ones by the library. */
static uint64_t run_length(const uint8_t *heads, uint64_t from, uint64_t n)
{
    enum { SHORT = 8 };
    uint64_t i = from + 1;
    for (; i < n && i - from < SHORT; i++)
        if (heads[i])
            return i - from;
    while (n - i >= sizeof(uint64_t)) {
        uint64_t flags;
        memcpy(&flags, heads + i, sizeof flags);
        if (flags)
            break;
        i += sizeof flags;
    }
    while (i < n && !heads[i])
        i++;
    return i - from;
}

/* The aggregate of one run, which lies in one leaf. Lanes are folded. */
static void reduce_run(const em_monoid *of, const void *in, uint64_t n, void *aggregate)
{
    if (of->lanes <= 1 || of->leaf_items || n_elements(of) > 1) {
        const em_tile run = {in, NULL, n, aggregate};
        of->reduce(of, &run);
        scan_fold(of, aggregate, (unsigned char *)aggregate + of->elem_bytes, n_elements(of) - 1);
        return;
    }
    _Alignas(64) unsigned char lanes[LANES_BYTES];
    const em_tile run = {in, NULL, n, lanes};
    of->reduce(of, &run);
    memcpy(aggregate, lanes, of->elem_bytes);
    scan_fold(of, aggregate, lanes + of->elem_bytes, of->lanes - 1);
}

/* Where the last run of heads[n] begins. */
static uint64_t last_run(const uint8_t *heads, uint64_t n)
{
    uint64_t i = n;
    while (i >= sizeof(uint64_t)) {
        uint64_t flags;
        memcpy(&flags, heads + i - sizeof flags, sizeof flags);
        if (flags)
            break;
        i -= sizeof flags;
    }
    while (i > 0 && !heads[i - 1])
        i--;
    return i > 0 ? i - 1 : 0;
}

/* A piece within one leaf: only its last run is left of it. */
static void reduce_piece(const em_monoid *monoid, const unsigned char *in, uint64_t n, void *aggregate)
{
    const scan_segments *own = own_of(monoid);
    const uint8_t *heads = heads_at(own, in);
    const uint64_t begin = last_run(heads, n);
    memset(aggregate, 0, monoid->elem_bytes);
    reduce_run(own->of, in + begin * own->of->item_bytes, n - begin, aggregate);
    *flag_of(own->of, aggregate) = heads[begin] != 0;
}

static void reduce(const em_monoid *monoid, const em_tile *tile)
{
    const em_monoid *of = own_of(monoid)->of;
    const uint64_t leaf = of->leaf_items ? of->leaf_items : tile->n;
    unsigned char *aggregate = tile->aggregates;
    for (uint64_t i = 0; i < tile->n; i += leaf, aggregate += monoid->elem_bytes)
        reduce_piece(monoid, (const unsigned char *)tile->in + i * of->item_bytes,
                     tile->n - i < leaf ? tile->n - i : leaf, aggregate);
}

static void scan(const em_monoid *monoid, const em_tile *tile, void *carry, const em_tile *next, unsigned how)
{
    const scan_segments *own = own_of(monoid);
    const em_monoid *of = own->of;
    const uint8_t *heads = heads_at(own, tile->in);
    const uint64_t leaf = of->leaf_items ? of->leaf_items : tile->n;
    const em_tile none = {0};
    for (uint64_t begin = 0; begin < tile->n;) {
        const uint64_t left = tile->n - begin, to_leaf = leaf - begin % leaf;
        const uint64_t n = run_length(heads, begin, begin + (left < to_leaf ? left : to_leaf));
        const em_tile run = {(const unsigned char *)tile->in + begin * of->item_bytes,
                             (unsigned char *)tile->out + begin * of->result_bytes, n, NULL};
        if (heads[begin]) {
            memcpy(carry, own->initial, of->elem_bytes);
            *flag_of(of, carry) = 1;
        }
        of->scan(of, &run, carry, &none, how & EM_TILE_EXCLUSIVE);
        begin += n;
    }
    if (next->n)
        reduce(monoid, next);
}

static uint32_t lifted_align(const em_monoid *of)
{
    return of->elem_align < sizeof(uint64_t) ? sizeof(uint64_t) : of->elem_align;
}

uint64_t scan_segmented_bytes(const em_monoid *of)
{
    const uint64_t align = lifted_align(of);
    return (flag_at(of) + sizeof(uint64_t) + align - 1) / align * align;
}

em_monoid scan_segmented(const scan_segments *own)
{
    em_monoid lifted = *own->of;
    lifted.own = own;
    lifted.elem_bytes = (uint32_t)scan_segmented_bytes(own->of);
    lifted.elem_align = lifted_align(own->of);
    lifted.lanes = 1;
    lifted.identity = put_identity;
    lifted.lift = NULL; /* an item alone does not say whether it is a head */
    lifted.combine = combine;
    lifted.lower = lower;
    lifted.reduce = reduce;
    lifted.scan = scan;
    return lifted;
}
