/* inputs - opens the inputs, tells their formats, and reads all of them in order into a sink.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pass may have to be repeated, so what cannot be rewound is copied to an unnamed file first. */
static int spool(const char *path, int file)
{
    FILE *kept = tmpfile();
    char block[1 << 16];
    ssize_t n;
    if (!kept)
        fail(EXIT_ENVIRONMENT, "%s: temporary file: %s", path, strerror(errno));
    while ((n = read(file, block, sizeof block)) > 0) {
        if (fwrite(block, 1, (size_t)n, kept) != (size_t)n)
            fail(EXIT_ENVIRONMENT, "%s: temporary file: %s", path, strerror(errno));
    }
    if (n < 0 || fflush(kept) != 0)
        fail(EXIT_ENVIRONMENT, "%s: read: %s", path, strerror(errno));
    int rewound = dup(fileno(kept));
    fclose(kept);
    return rewound;
}

static bool ends_with(const char *path, size_t n, const char *suffix)
{
    size_t length = strlen(suffix);
    return n > length && strncasecmp(path + n - length, suffix, length) == 0;
}

static enum format format_by_suffix(const char *path)
{
    size_t n = strlen(path);
    if (ends_with(path, n, ".gz"))
        n -= 3;
    else if (ends_with(path, n, ".zst"))
        n -= 4;
    return ends_with(path, n, ".csv")   ? FORMAT_CSV
           : ends_with(path, n, ".u32") ? FORMAT_U32
           : ends_with(path, n, ".u64") ? FORMAT_U64
                                        : FORMAT_EL;
}

static enum format tell_format(const struct options *options, const char *path, int file, bool *compressed)
{
    static const char banner[] = "%%MatrixMarket";
    unsigned char raw[4] = {0}, head[64] = {0};
    if (pread(file, raw, sizeof raw, 0) < 0)
        fail(EXIT_ENVIRONMENT, "%s: read: %s", path, strerror(errno));
    struct lines *lines = lines_open(path, file);
    size_t n = lines_read(lines, head, sizeof head);
    lines_close(lines);
    *compressed = memcmp(raw, head, n < sizeof raw ? n : sizeof raw) != 0;
    if (options->from != FORMAT_TOLD)
        return options->from;
    if (n >= 8 && memcmp(head, "EDGEMILL", 8) == 0)
        return FORMAT_CSR;
    if (n >= 4 && memcmp(head, "PK\3\4", 4) == 0)
        return FORMAT_NPZ;
    if (n >= sizeof banner - 1 && strncasecmp((const char *)head, banner, sizeof banner - 1) == 0)
        return FORMAT_MTX;
    if (is_manifest(head, n))
        return FORMAT_SHARDS;
    return format_by_suffix(path);
}

struct input *open_inputs(const struct options *options)
{
    struct input *inputs = allocate((uint64_t)options->n_inputs, sizeof *inputs);
    for (int i = 0; i < options->n_inputs; i++) {
        struct input *input = &inputs[i];
        struct stat facts;
        bool standard = strcmp(options->inputs[i], "-") == 0;
        input->path = standard ? "standard input" : options->inputs[i];
        input->file = standard ? dup(STDIN_FILENO) : open(input->path, O_RDONLY | O_CLOEXEC);
        if (input->file < 0 || fstat(input->file, &facts) != 0)
            fail(EXIT_ENVIRONMENT, "%s: open: %s", input->path, strerror(errno));
        if (!S_ISREG(facts.st_mode)) {
            int rewound = spool(input->path, input->file);
            close(input->file);
            input->file = rewound;
        }
        input->format = tell_format(options, input->path, input->file, &input->compressed);
    }
    return inputs;
}

void take_arc(struct reading *reading, uint64_t source, uint64_t target, uint64_t weight)
{
    uint64_t largest = source > target ? source : target;
    if (largest >= reading->n_vertices)
        reading->n_vertices = largest + 1;
    reading->n_arcs++;
    if (reading->sink.take)
        reading->sink.take(reading->sink.state, source, target, weight);
}

void tell_weighted(struct reading *reading, const char *path, bool weighted)
{
    if (reading->told && reading->weighted != weighted)
        fail(EXIT_MALFORMED, "%s: %s weights, unlike the inputs before it", path, weighted ? "has" : "has no");
    reading->told = true;
    reading->weighted = weighted;
}

/* A file that states its own n. */
void tell_vertices(struct reading *reading, const char *path, uint64_t n_vertices)
{
    const struct options *options = reading->options;
    if (options->has_vertices && n_vertices > options->n_vertices)
        fail(EXIT_MALFORMED, "%s: has %llu vertices, more than --vertices", path, (unsigned long long)n_vertices);
    if (n_vertices > reading->n_vertices)
        reading->n_vertices = n_vertices;
}

/* Headerless little-endian pairs. */
static void read_pairs(struct reading *reading, const struct input *input, uint32_t id_bytes)
{
    struct lines *lines = lines_open(input->path, input->file);
    unsigned char pair[16];
    uint64_t number = 0, base = reading->options->base;
    size_t n;
    tell_weighted(reading, input->path, false);
    reading->all_pairs = false;
    while ((n = lines_read(lines, pair, 2 * id_bytes)) == 2 * id_bytes) {
        uint64_t source = little_endian(pair, id_bytes), target = little_endian(pair + id_bytes, id_bytes);
        const char *why = source < base || target < base ? "id 0 with base 1" : NULL;
        if (!why && (source - base >= INT64_MAX || target - base >= INT64_MAX))
            why = "id too large";
        if (!why)
            why = check_arc(reading, source - base, target - base);
        if (why)
            fail(EXIT_MALFORMED, "%s: record %llu: %s", input->path, (unsigned long long)number, why);
        number++;
        take_arc(reading, source - base, target - base, 0);
    }
    if (n)
        fail(EXIT_MALFORMED, "%s: the last record is cut", input->path);
    lines_close(lines);
}

/* A weight of one kind in another, rounded once; a float is no integer. */
static uint64_t convert_weight(uint64_t bits, enum weight_kind from, enum weight_kind to, const char *path)
{
    float narrow;
    double wide;
    uint64_t out = 0;
    bool whole = from == WEIGHT_I32 || from == WEIGHT_I64;
    int64_t integer = from == WEIGHT_I32 ? (int32_t)(uint32_t)bits : (int64_t)bits;
    switch (to) {
    case WEIGHT_I32:
    case WEIGHT_I64:
        if (!whole || (to == WEIGHT_I32 && (integer < INT32_MIN || integer > INT32_MAX)))
            fail(EXIT_MALFORMED, "%s: a weight of type %s is no %s", path, weight_names[from], weight_names[to]);
        return to == WEIGHT_I32 ? (uint32_t)integer : (uint64_t)integer;
    case WEIGHT_F32:
        narrow = whole ? (float)integer : (float)weight_real(from, bits);
        memcpy(&out, &narrow, sizeof narrow);
        return out;
    case WEIGHT_F64:
        wide = weight_real(from, bits);
        memcpy(&out, &wide, sizeof wide);
        return out;
    default:
        return 0;
    }
}

/* The arcs of a stored CSR (row by row), CSC (its transpose, column by column) or COO (as they stand). */
static void read_stored(struct reading *reading, const struct input *input)
{
    struct stored stored = {0};
    stored_open(&stored, input->path, input->file);
    tell_vertices(reading, input->path, stored.n_targets ? stored.n_targets : stored.n_vertices);
    reading->all_pairs = false;
    bool weighted = stored.kind != WEIGHT_NONE && reading->options->weights != WEIGHT_NONE;
    tell_weighted(reading, input->path, weighted);
    if (weighted) {
        reading->declared = stored.kind;
        reading->all_integers &= stored.kind == WEIGHT_I32 || stored.kind == WEIGHT_I64;
    }
    uint64_t row = 0;
    for (uint64_t arc = 0; arc < stored.n_arcs; arc++) {
        while (!stored.is_coo && arc >= stored_offset(&stored, row + 1))
            row++;
        uint64_t source = stored.is_coo ? stored_offset(&stored, arc) : stored.first_vertex + row;
        uint64_t target = stored_target(&stored, arc);
        const char *why = check_arc(reading, source, target);
        if (why)
            fail(EXIT_MALFORMED, "%s: arc %llu: %s", input->path, (unsigned long long)arc, why);
        take_arc(reading, source, target,
                 weighted ? convert_weight(stored_weight(&stored, arc), stored.kind, reading->kind, input->path) : 0);
    }
    stored_close(&stored);
}

void read_inputs(struct reading *reading, const struct input *inputs)
{
    const struct options *options = reading->options;
    reading->told = reading->weighted = false;
    reading->all_integers = reading->all_pairs = true;
    reading->declared = WEIGHT_AUTO;
    reading->n_vertices = options->has_vertices ? options->n_vertices : 0;
    if (options->vertices_from && !options->has_vertices && reading->n_in_set)
        reading->n_vertices = reading->vertex_set[reading->n_in_set - 1] + 1;
    reading->n_arcs = reading->n_skipped = 0;
    for (int i = 0; i < options->n_inputs; i++) {
        if (options->string_ids && inputs[i].format != FORMAT_EL && inputs[i].format != FORMAT_CSV)
            fail(EXIT_USAGE, "%s: --ids=string is for edge lists", inputs[i].path);
        switch (inputs[i].format) {
        case FORMAT_U32:
        case FORMAT_U64:
            read_pairs(reading, &inputs[i], inputs[i].format == FORMAT_U32 ? 4 : 8);
            break;
        case FORMAT_NPZ:
        case FORMAT_CSR:
        case FORMAT_SHARDS:
            read_stored(reading, &inputs[i]);
            break;
        case FORMAT_MTX:
            read_matrix_market(reading, &inputs[i]);
            break;
        default:
            read_text(reading, &inputs[i]);
        }
    }
}

enum weight_kind kind_found(const struct reading *reading)
{
    if (!reading->weighted)
        return WEIGHT_NONE;
    if (reading->options->weights != WEIGHT_AUTO)
        return reading->options->weights;
    if (reading->declared != WEIGHT_AUTO && reading->options->n_inputs == 1)
        return reading->declared;
    return reading->all_integers ? WEIGHT_I64 : WEIGHT_F64;
}
