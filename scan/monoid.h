/* monoid - an operator as a value: sizes, an identity, and how to combine, reduce and scan.
 *
 * Engines cut an array in tiles and know nothing of elements; a monoid does all that is done to them, a whole tile in
 * one call, so that its loops are compiled where its types are known. Ours come from em_monoid_of. For one of your own,
 * define the names that monoids.h lists (static inline functions) and include serial.inc, which makes a constant
 * `NAME_scalar` out of them, or fill in the functions below by hand. scan/examples/ has both.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_SCAN_MONOID_H
#define EM_SCAN_MONOID_H

#include "scan/base/context.h"
#include "scan/elements.h"

typedef enum em_type { EM_U32 = 0, EM_I32, EM_U64, EM_I64, EM_F32, EM_F64 } em_type;
enum { EM_N_TYPES = 6 };

/* Items and results are numbers of the type, unless said otherwise. Integers wrap. Floating-point sums and products are
 * grouped as monoids.h specifies; min and max order -0 below +0 and give one quiet NaN once there is any. */
typedef enum em_operator {
    EM_SUM = 0,
    EM_PRODUCT,
    EM_MIN,
    EM_MAX,
    EM_AND, /* integers only, as are or and xor */
    EM_OR,
    EM_XOR,
    EM_SUM_WIDE,        /* u32, u64 -> u64 through 128 bits; i32 -> i64; f32 -> f32 through f64 */
    EM_SUM_COMPENSATED, /* f32, f64: error-free additions, what they lose is carried along */
    EM_LOG_SUM_EXP,     /* f32, f64: log(exp(x0) + exp(x1) + ...) without overflow */
    EM_ARG_MIN,         /* em_arg_TYPE -> em_arg_TYPE; of equal values the earlier item; NaN before all, the first */
    EM_ARG_MAX,
    EM_AFFINE,     /* em_affine_TYPE, of u32 u64 f32 f64: the earlier map is applied first */
    EM_MAT2,       /* em_mat2 of u32, modulo 2^32: earlier * later */
    EM_MAT2_PRIME, /* em_mat2 of u32, modulo the prime EM_MAT2_MODULUS */
    EM_N_OPERATORS
} em_operator;
#define EM_MAT2_MODULUS UINT32_C(2147483647) /* 2^31 - 1 */

/* Items in [n], results out[n]. A tile begins at a leaf where the monoid has leaves. */
typedef struct em_tile {
    const void *in;
    void *out; /* of scan; may be in */
    uint64_t n;
    /* Elements: `reduce` writes one for each leaf, the last of which may be cut short, or `lanes` of them, which fold
     * from the left to the whole tile. NULL for a scan of what nobody reduced. */
    void *aggregates;
} em_tile;

/* How a tile is written. */
enum {
    EM_TILE_EXCLUSIVE = 1, /* result i is of what precedes item i; else item i is in it */
    EM_TILE_STREAM = 2     /* past the caches, by non-temporal stores; a hint; em_parallel fences them */
};

/* Most items of one call. It lets kernels prove from the bits of 64-bit items that a tile's sum fits. */
enum { EM_TILE_MOST_ITEMS = 1 << 24 };

/* Constant while it is used; all functions may be called by several threads at once and cannot fail. An element and a
 * result may be bigger or smaller than an item. */
typedef struct em_monoid em_monoid;
struct em_monoid {
    const char *name;
    uint32_t item_bytes, elem_bytes, result_bytes;
    uint32_t item_align, elem_align, result_align;
    uint32_t leaf_items; /* 0: any grouping gives the same bytes. Else tiles are whole leaves: see monoids.h */
    uint32_t lanes;      /* aggregates of a tile without leaves; 0 means 1 */
    uint32_t item_ps;    /* about how long the serial loop takes for an item, picoseconds; 0 means 1000 */
    bool starts_at_zero; /* an exclusive scan without initial value begins with all bits 0, not with the identity */
    bool is_whole;       /* nothing is missing: serial.inc says so, which spares a check */
    const void *own;     /* for the functions */

    void (*identity)(const em_monoid *, void *element);
    void (*lift)(const em_monoid *, const void *item, void *element);
    void (*combine)(const em_monoid *, const void *earlier, const void *later, void *both); /* both may be either */
    void (*lower)(const em_monoid *, const void *element, void *result);
    /* Writes tile->aggregates. tile->n is over 0. */
    void (*reduce)(const em_monoid *, const em_tile *tile);
    /* Writes the scan of the tile, which *carry precedes, and makes *carry the prefix of what follows. Also reduces
     * `next`, where next->n is over 0: the tile that will be scanned after this one, so that its reads overlap with
     * these writes. tile and next do not overlap. */
    void (*scan)(const em_monoid *, const em_tile *tile, void *carry, const em_tile *next, unsigned how);
};

/* The monoid of an operator on a type in the fastest form that the context may use; NULL where the operator is not
 * defined for the type. Valid for ever. */
EM_API const em_monoid *em_monoid_of(const em_context *context, em_operator operation, em_type type);

/* Words for the command line and tables: "sum", "u32"; NULL past the last. */
EM_API const char *em_operator_name(em_operator operation);
EM_API const char *em_type_name(em_type type);

#endif
