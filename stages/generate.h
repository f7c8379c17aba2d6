/* generate - seeded synthetic graphs: arc i is a pure function of (seed, i).
 *
 * Nothing is drawn from a running generator: the words of arc i are the splitmix64 words at positions i * k, i * k + 1,
 * … of the seed's stream (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014; jumping
 * ahead is one multiplication). So any thread may make any arc, and the bytes depend on neither threads nor machine:
 * all choices are comparisons of integers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_GENERATE_H
#define EM_STAGES_GENERATE_H

#include "io/publish.h"
#include "scan/base/graph.h"

/* Parameters a shape may want; bits of em_generate_options.given and em_shape_kind.needs, .accepts. */
enum {
    EM_GENERATE_SCALE = 1 << 0,
    EM_GENERATE_EDGE_FACTOR = 1 << 1,
    EM_GENERATE_ABC = 1 << 2,
    EM_GENERATE_VERTICES = 1 << 3,
    EM_GENERATE_ARCS = 1 << 4,
    EM_GENERATE_ROWS = 1 << 5,
    EM_GENERATE_COLUMNS = 1 << 6
};

enum { EM_BILLION = 1000000000 };

typedef struct em_generate_options {
    uint64_t seed;
    uint32_t given; /* which of the following are set; the others have the shape's defaults */
    uint64_t scale, edge_factor, n_vertices, n_arcs, n_rows, n_columns;
    uint32_t abc[3];        /* probabilities of the R-MAT quadrants in billionths; the fourth is what remains */
    bool permute;           /* ids go through a seeded bijection on 0 … n_vertices - 1 */
    em_weight_kind weights; /* NONE, I32 (1 … 255) or F64 (0.000001 … 0.999999, six decimals) */
} em_generate_options;

/* A bijection on 0 … n - 1: an alternating Feistel network on the smallest power of two that holds n; a value that
 * falls outside is sent through again (cycle walking), less than twice on average. */
typedef struct em_permutation {
    uint64_t n;
    uint64_t keys[6], low_mask, high_mask;
    uint32_t low_bits;
} em_permutation;

typedef struct em_generator em_generator;

/* A row of the table of shapes. */
typedef struct em_shape_kind {
    const char *name, *summary;
    uint32_t needs, accepts; /* EM_GENERATE_… bits; `accepts` includes `needs` */
    /* Fills n_vertices, n_arcs and what `arc` reads; checks ranges. */
    em_status (*size)(em_generator *generator, const em_generate_options *options, em_error *error);
    void (*arc)(const em_generator *generator, uint64_t index, uint64_t *source, uint64_t *target);
} em_shape_kind;

/* Ready to make arcs; owns nothing. */
struct em_generator {
    const em_shape_kind *shape;
    uint64_t n_vertices, n_arcs;
    uint64_t stream, weight_stream;    /* where the two sequences of words start */
    uint64_t scale, n_rows, n_columns; /* as the shape uses them */
    uint64_t thresholds[3];            /* cumulative quadrant probabilities in units of 2^-32 */
    bool permute;
    em_weight_kind weights;
    em_permutation permutation;
};

/* How arcs are written. */
typedef struct em_generate_format {
    const char *name, *suffixes; /* suffixes without the point, space separated */
    char separator;              /* text; 0: little-endian pairs of id_bytes */
    uint8_t id_bytes;
    bool wants_weights;
} em_generate_format;

EM_API size_t em_shape_kinds(const em_shape_kind **kinds);
EM_API const em_shape_kind *em_shape_kind_by_name(const char *name); /* NULL: no such */

/* `to` (a format's name, suffixes count) if not NULL, else the suffix of `path`; "-" alone is text. EM_USAGE. */
EM_API em_status em_generate_format_find(const char *path, const char *to, const em_generate_format **format,
                                         em_error *error);

/* EM_USAGE: a parameter is missing, out of range, or means nothing to this shape. */
EM_API em_status em_generator_init(em_generator *generator, const em_shape_kind *shape,
                                   const em_generate_options *options, em_error *error);
/* Arc `index` < n_arcs. */
EM_API void em_generator_arc(const em_generator *generator, uint64_t index, uint64_t *source, uint64_t *target);
/* The weight of arc `index` as a number of units: 1 (I32) or millionths (F64). */
EM_API uint32_t em_generator_weight(const em_generator *generator, uint64_t index);

EM_API void em_permutation_init(em_permutation *permutation, uint64_t n, uint64_t seed);
EM_API uint64_t em_permutation_at(const em_permutation *permutation, uint64_t index); /* index < n */

/* EM_USAGE: the format cannot hold this graph, or wants weights that are not there. */
EM_API em_status em_generate_can_hold(const em_generator *generator, const em_generate_format *format, em_error *error);
/* Appends all arcs in order; the caller commits or drops the output. All threads of the context work. */
EM_API em_status em_generate_write(em_context *context, const em_generator *generator, const em_generate_format *format,
                                   em_output *output, em_error *error);

#endif
