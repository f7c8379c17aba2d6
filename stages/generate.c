/* generate - the shapes, and what makes arc i of each.
 *
 * R-MAT (Chakrabarti, Zhan, Faloutsos, "R-MAT: A Recursive Model for Graph Mining", SDM 2004): every bit of the two ids
 * is one choice of a quadrant, 32 random bits against three integer thresholds, so two choices a word. Duplicates and
 * loops are kept, as in the Graph500 generator without its clip-and-flip and noise.
 *
 * Cost: about 3 ns a choice, no memory. A shape is a row of the table at the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/generate.h"

#include "stages/random_words.h"

#include <inttypes.h>
#include <string.h>

/* Ids and counts stay far from 2^63, so that sums of two never wrap. */
#define MOST (UINT64_C(1) << 62)
enum { MOST_SCALE = 48 };

static em_status too_many(const char *what, em_error *error)
{
    return em_fail(error, EM_USAGE, "the graph would have more than 2^62 %s", what);
}

static em_status check_vertices(uint64_t n_vertices, em_error *error)
{
    if (n_vertices > MOST)
        return too_many("vertices", error);
    return EM_OK;
}

/* --- R-MAT --------------------------------------------------------------------------------------- */

static em_status rmat_size(em_generator *generator, const em_generate_options *options, em_error *error)
{
    static const uint32_t usual[3] = {570000000, 190000000, 190000000};
    const uint32_t *abc = options->given & EM_GENERATE_ABC ? options->abc : usual;
    const uint64_t factor = options->given & EM_GENERATE_EDGE_FACTOR ? options->edge_factor : 16;
    if (options->scale > MOST_SCALE)
        return em_fail(error, EM_USAGE, "scale %" PRIu64 " is too large: at most %d", options->scale, MOST_SCALE);
    if (factor > MOST >> options->scale)
        return too_many("arcs", error);
    uint64_t sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += abc[i];
        if (sum > EM_BILLION)
            return em_fail(error, EM_USAGE, "the probabilities A, B and C add up to more than 1");
        generator->thresholds[i] = (sum << 32) / EM_BILLION;
    }
    generator->scale = options->scale;
    generator->n_vertices = UINT64_C(1) << options->scale;
    generator->n_arcs = factor << options->scale;
    return EM_OK;
}

static void rmat_arc(const em_generator *generator, uint64_t index, uint64_t *source, uint64_t *target)
{
    const uint64_t a = generator->thresholds[0], ab = generator->thresholds[1], abc = generator->thresholds[2];
    const uint64_t n_words = (generator->scale + 1) / 2;
    uint64_t u = 0, v = 0, word = 0;
    for (uint64_t level = 0; level < generator->scale; level++) {
        word = level % 2 == 0 ? em_word(generator->stream, index * n_words + level / 2) : word >> 32;
        const uint64_t draw = word & UINT32_MAX;
        /* Quadrants in the order A B C D: below ab the source bit is 0, in B and D the target bit is 1. */
        const uint64_t past_a = draw >= a, past_ab = draw >= ab, past_abc = draw >= abc;
        u = u << 1 | past_ab;
        v = v << 1 | (past_a ^ past_ab ^ past_abc);
    }
    *source = u;
    *target = v;
}

/* --- uniform -------------------------------------------------------------------------------------- */

static em_status uniform_size(em_generator *generator, const em_generate_options *options, em_error *error)
{
    if (options->n_arcs > MOST)
        return too_many("arcs", error);
    if (options->n_arcs && !options->n_vertices)
        return em_fail(error, EM_USAGE, "there are no arcs without vertices: give --vertices 1 or more");
    generator->n_vertices = options->n_vertices;
    generator->n_arcs = options->n_arcs;
    return check_vertices(options->n_vertices, error);
}

static void uniform_arc(const em_generator *generator, uint64_t index, uint64_t *source, uint64_t *target)
{
    *source = em_below(em_word(generator->stream, 2 * index), generator->n_vertices);
    *target = em_below(em_word(generator->stream, 2 * index + 1), generator->n_vertices);
}

/* --- grid ----------------------------------------------------------------------------------------- */

static em_status grid_size(em_generator *generator, const em_generate_options *options, em_error *error)
{
    const uint64_t rows = options->n_rows, columns = options->n_columns;
    if (!rows || !columns)
        return em_fail(error, EM_USAGE, "a grid has at least one row and one column");
    if (rows > MOST / 2 / columns)
        return too_many("arcs", error);
    generator->n_rows = rows;
    generator->n_columns = columns;
    generator->n_vertices = rows * columns;
    generator->n_arcs = rows * (columns - 1) + (rows - 1) * columns;
    return EM_OK;
}

/* Vertex by vertex in row order, right before down. A row but the last has 2 * columns - 1 edges: right and down in
 * turn, and only down at the end; the last row has only the edges to the right. */
static void grid_arc(const em_generator *generator, uint64_t index, uint64_t *source, uint64_t *target)
{
    const uint64_t columns = generator->n_columns, a_row = 2 * columns - 1;
    uint64_t row = index / a_row, column = index % a_row;
    bool down = false;
    if (row < generator->n_rows - 1) {
        down = column % 2 == 1 || column == a_row - 1;
        column /= 2;
    }
    *source = row * columns + column;
    *target = down ? *source + columns : *source + 1;
}

/* --- extremes ------------------------------------------------------------------------------------- */

static em_status star_size(em_generator *generator, const em_generate_options *options, em_error *error)
{
    generator->n_vertices = options->n_vertices;
    generator->n_arcs = options->n_vertices ? options->n_vertices - 1 : 0;
    return check_vertices(options->n_vertices, error);
}

static void star_arc(const em_generator *generator, uint64_t index, uint64_t *source, uint64_t *target)
{
    (void)generator;
    *source = 0;
    *target = index + 1;
}

static void path_arc(const em_generator *generator, uint64_t index, uint64_t *source, uint64_t *target)
{
    (void)generator;
    *source = index;
    *target = index + 1;
}

static em_status loops_size(em_generator *generator, const em_generate_options *options, em_error *error)
{
    generator->n_vertices = generator->n_arcs = options->n_vertices;
    return check_vertices(options->n_vertices, error);
}

static void loops_arc(const em_generator *generator, uint64_t index, uint64_t *source, uint64_t *target)
{
    (void)generator;
    *source = *target = index;
}

static em_status clique_size(em_generator *generator, const em_generate_options *options, em_error *error)
{
    const uint64_t n = options->n_vertices;
    if (n > UINT64_C(1) << 31)
        return too_many("arcs", error);
    generator->n_vertices = n;
    generator->n_arcs = n % 2 == 0 ? n / 2 * (n - !!n) : (n - 1) / 2 * n;
    return EM_OK;
}

/* By distance on a ring: n edges each of distance 1, 2, …; at distance n / 2 the last half would repeat the first, and
 * is not counted. So no square root is needed. */
static void clique_arc(const em_generator *generator, uint64_t index, uint64_t *source, uint64_t *target)
{
    const uint64_t n = generator->n_vertices, u = index % n, v = u + index / n + 1;
    *source = u;
    *target = v < n ? v : v - n;
}

static const em_shape_kind shapes[] = {
    {"rmat", "R-MAT: skewed degrees, 2^S vertices, F * 2^S arcs", EM_GENERATE_SCALE,
     EM_GENERATE_SCALE | EM_GENERATE_EDGE_FACTOR | EM_GENERATE_ABC, rmat_size, rmat_arc},
    {"uniform", "M arcs with both ends drawn uniformly", EM_GENERATE_VERTICES | EM_GENERATE_ARCS,
     EM_GENERATE_VERTICES | EM_GENERATE_ARCS, uniform_size, uniform_arc},
    {"grid", "rectangular grid, each undirected edge once", EM_GENERATE_ROWS | EM_GENERATE_COLUMNS,
     EM_GENERATE_ROWS | EM_GENERATE_COLUMNS, grid_size, grid_arc},
    {"star", "vertex 0 to each of the others", EM_GENERATE_VERTICES, EM_GENERATE_VERTICES, star_size, star_arc},
    {"path", "vertex i to i + 1", EM_GENERATE_VERTICES, EM_GENERATE_VERTICES, star_size, path_arc},
    {"clique", "all pairs, each undirected edge once", EM_GENERATE_VERTICES, EM_GENERATE_VERTICES, clique_size,
     clique_arc},
    {"loops", "every vertex to itself", EM_GENERATE_VERTICES, EM_GENERATE_VERTICES, loops_size, loops_arc},
};

size_t em_shape_kinds(const em_shape_kind **kinds)
{
    *kinds = shapes;
    return sizeof shapes / sizeof shapes[0];
}

const em_shape_kind *em_shape_kind_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (strcmp(shapes[i].name, name) == 0)
            return &shapes[i];
    return NULL;
}

/* --- a generator ---------------------------------------------------------------------------------- */

static const char *option_word(uint32_t bits)
{
    static const char *const words[] = {"--scale", "--edge-factor", "--abc",    "--vertices",
                                        "--arcs",  "--rows",        "--columns"};
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (bits >> i & 1)
            return words[i];
    return "?";
}

em_status em_generator_init(em_generator *generator, const em_shape_kind *shape, const em_generate_options *options,
                            em_error *error)
{
    const uint32_t missing = shape->needs & ~options->given, useless = options->given & ~shape->accepts;
    if (missing)
        return em_fail(error, EM_USAGE, "%s needs %s", shape->name, option_word(missing));
    if (useless)
        return em_fail(error, EM_USAGE, "%s means nothing to %s", option_word(useless), shape->name);
    if (options->weights != EM_WEIGHT_NONE && options->weights != EM_WEIGHT_I32 && options->weights != EM_WEIGHT_F64)
        return em_fail(error, EM_USAGE, "weights are none, i32 or f64");
    /* Streams of seeds 1, 2, … must not be shifted copies of each other, hence the mixing; the constants only set the
     * three uses of a seed apart. */
    *generator = (em_generator){.shape = shape,
                                .stream = em_mix(options->seed ^ UINT64_C(0x61726373)),
                                .weight_stream = em_mix(options->seed ^ UINT64_C(0x77656967687473)),
                                .permute = options->permute,
                                .weights = options->weights};
    const em_status status = shape->size(generator, options, error);
    if (status == EM_OK)
        em_permutation_init(&generator->permutation, generator->n_vertices, options->seed);
    return status;
}

void em_generator_arc(const em_generator *generator, uint64_t index, uint64_t *source, uint64_t *target)
{
    generator->shape->arc(generator, index, source, target);
    if (generator->permute) {
        *source = em_permutation_at(&generator->permutation, *source);
        *target = em_permutation_at(&generator->permutation, *target);
    }
}

uint32_t em_generator_weight(const em_generator *generator, uint64_t index)
{
    const uint64_t n = generator->weights == EM_WEIGHT_I32 ? 255 : 999999;
    return (uint32_t)em_below(em_word(generator->weight_stream, index), n) + 1;
}
