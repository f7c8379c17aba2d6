/* shards - the parts of a partitioned graph, joined as its manifest says.
 *
 * The manifest is JSON: what the whole graph is, and of each file its rows, its arcs and, for a .csr, the checksums at
 * its end. What keeps the parts from being put together is malformed; what the manifest says of them beyond that is
 * held against them when they are judged. Cost: every array once more, ids and offsets in 8 bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/judge/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const section_names[] = {"offsets", "targets", "weights", "positions"};
enum { N_SECTIONS = 4, SUMS_BYTES = 8 * N_SECTIONS };

bool is_manifest(const unsigned char *head, size_t n)
{
    return n > 0 && head[0] == '{' && memmem(head, n, "\"edgemill_shards\"", 17);
}

static uint64_t count_of(const struct stored *whole, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        fail(EXIT_MALFORMED, "%s: \"%s\" is no count", whole->path, key);
    return (uint64_t)json_integer_value(value);
}

static const char *text_of(const struct stored *whole, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text)
        fail(EXIT_MALFORMED, "%s: \"%s\" is no text", whole->path, key);
    return text;
}

static void take_flags(struct stored *whole, const json_t *flags)
{
    static const char *const names[] = {"sorted", "unique", "no-loops", "symmetric"};
    bool *const promised[] = {&whole->sorted, &whole->unique, &whole->no_loops, &whole->symmetric};
    for (size_t i = 0; i < json_array_size(flags); i++) {
        const char *name = json_string_value(json_array_get(flags, i));
        int flag = 0;
        while (flag < 4 && !(name && strcmp(name, names[flag]) == 0))
            flag++;
        if (flag == 4)
            fail(EXIT_MALFORMED, "%s: a flag that is not known", whole->path);
        *promised[flag] = true;
    }
}

/* Opens one shard; it must hold the rows and arcs that the manifest says. */
static void open_shard(const struct stored *whole, struct stored *shard, const json_t *entry)
{
    const char *name = text_of(whole, entry, "file"), *slash = strrchr(whole->path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - whole->path) : 0;
    uint64_t first = count_of(whole, entry, "first_vertex"), end = count_of(whole, entry, "end_vertex");
    if (strchr(name, '/'))
        fail(EXIT_MALFORMED, "%s: %s lies in another folder", whole->path, name);
    char *path = allocate(folder + strlen(name) + 1, 1);
    memcpy(path, whole->path, folder);
    memcpy(path + folder, name, strlen(name));
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        fail(EXIT_ENVIRONMENT, "%s: open: %s", path, strerror(errno));
    stored_open(shard, path, file);
    close(file);
    if (shard->is_coo || shard->by_column || shard->shards)
        fail(EXIT_MALFORMED, "%s: no shard", path);
    uint64_t n = shard->n_targets ? shard->n_targets : shard->n_vertices;
    if (n != whole->n_vertices || shard->first_vertex != first || shard->n_vertices != end - first ||
        shard->n_arcs != count_of(whole, entry, "arcs") || shard->kind != whole->kind)
        fail(EXIT_MALFORMED, "%s: not the shard that %s lists", path, whole->path);
}

static void put(unsigned char *bytes, uint64_t index, uint64_t value)
{
    for (int byte = 0; byte < 8; byte++)
        bytes[8 * index + (uint64_t)byte] = (unsigned char)(value >> 8 * byte);
}

/* The shard's rows into the arrays of the whole, behind those before it. */
static void append(struct stored *whole, const struct stored *shard, uint64_t first_arc)
{
    unsigned char *offsets = whole->inflated[0], *targets = whole->inflated[1], *weights = whole->inflated[2],
                  *positions = whole->inflated[3];
    uint32_t n_bytes = weight_bytes(whole->kind);
    if (stored_offset(shard, 0) != 0 || stored_offset(shard, shard->n_vertices) != shard->n_arcs)
        fail(EXIT_MALFORMED, "%s: offsets do not go from 0 to the number of arcs", shard->path);
    for (uint64_t v = 0; v <= shard->n_vertices; v++)
        put(offsets, shard->first_vertex + v, first_arc + stored_offset(shard, v));
    for (uint64_t arc = 0; arc < shard->n_arcs; arc++) {
        put(targets, first_arc + arc, stored_target(shard, arc));
        if (positions)
            put(positions, first_arc + arc, little_endian(shard->positions + 8 * arc, 8));
    }
    if (n_bytes && shard->n_arcs)
        memcpy(weights + first_arc * n_bytes, shard->weights, shard->n_arcs * n_bytes);
}

void open_manifest(struct stored *whole, const unsigned char *bytes, uint64_t n_bytes)
{
    json_error_t where;
    json_t *root = json_loadb((const char *)bytes, n_bytes, 0, &where);
    if (!root)
        fail(EXIT_MALFORMED, "%s:%d: no JSON: %s", whole->path, where.line, where.text);
    const json_t *list = json_object_get(root, "shards");
    const char *weights = text_of(whole, root, "weights");
    whole->manifest = root;
    whole->n_vertices = count_of(whole, root, "vertices");
    whole->n_arcs = count_of(whole, root, "arcs");
    whole->n_shards = json_array_size(list);
    while (whole->kind < WEIGHT_AUTO && strcmp(weights, weight_names[whole->kind]) != 0)
        whole->kind++;
    if (count_of(whole, root, "edgemill_shards") != 1 || whole->kind == WEIGHT_AUTO || whole->n_shards == 0)
        fail(EXIT_MALFORMED, "%s: no list of shards of version 1", whole->path);
    take_flags(whole, json_object_get(root, "flags"));
    whole->shards = allocate(whole->n_shards, sizeof *whole->shards);
    uint64_t vertex = 0, arc = 0, n_with_positions = 0, n_with_arcs = 0;
    for (uint64_t i = 0; i < whole->n_shards; i++) {
        const json_t *entry = json_array_get(list, i);
        struct stored *shard = &whole->shards[i];
        open_shard(whole, shard, entry);
        if (shard->first_vertex != vertex || count_of(whole, entry, "first_arc") != arc)
            fail(EXIT_MALFORMED, "%s: does not begin where the shard before it ends", shard->path);
        vertex += shard->n_vertices;
        arc += shard->n_arcs;
        n_with_arcs += shard->n_arcs > 0;
        n_with_positions += shard->n_arcs > 0 && shard->positions;
    }
    if (vertex != whole->n_vertices || arc != whole->n_arcs || (n_with_positions && n_with_positions != n_with_arcs))
        fail(EXIT_MALFORMED, "%s: its shards are not all of the graph", whole->path);
    whole->offset_bytes = whole->target_bytes = 8;
    whole->offsets = whole->inflated[0] = allocate(whole->n_vertices + 1, 8);
    whole->targets = whole->inflated[1] = allocate(whole->n_arcs, 8);
    whole->weights = whole->inflated[2] = allocate(whole->n_arcs, 8);
    whole->inflated[3] = n_with_positions ? allocate(whole->n_arcs, 8) : NULL;
    whole->positions = whole->inflated[3];
    whole->n_inflated = N_SECTIONS;
    for (uint64_t i = 0, first_arc = 0; i < whole->n_shards; first_arc += whole->shards[i++].n_arcs)
        append(whole, &whole->shards[i], first_arc);
}

/* The sums at the end of a .csr against those in the manifest. */
static void compare_sums(const struct stored *shard, const json_t *sums, struct verdict *verdict)
{
    const unsigned char *stored = (const unsigned char *)shard->mapped + shard->mapped_bytes - SUMS_BYTES;
    for (uint32_t i = 0; i < N_SECTIONS; i++) {
        const char *listed = json_string_value(json_object_get(sums, section_names[i]));
        uint64_t sum = little_endian(stored + (size_t)(8 * i), 8);
        char text[17] = "";
        if (sum)
            snprintf(text, sizeof text, "%016" PRIx64, sum);
        if (strcmp(text, listed ? listed : "") != 0)
            differ(verdict, "%s: the checksum of %s is %s, in the manifest %s", shard->path, section_names[i],
                   *text ? text : "absent", listed ? listed : "absent");
    }
}

void check_shards(const struct stored *whole, struct verdict *verdict)
{
    const json_t *list = json_object_get(whole->manifest, "shards");
    for (uint64_t i = 0; i < whole->n_shards; i++) {
        const struct stored *shard = &whole->shards[i];
        const json_t *sums = json_object_get(json_array_get(list, i), "checksums");
        if (!shard->is_native)
            continue;
        check_csr_sums(shard, verdict);
        if (sums)
            compare_sums(shard, sums, verdict);
        if (shard->sorted != whole->sorted || shard->unique != whole->unique || shard->no_loops != whole->no_loops ||
            (shard->symmetric && !whole->symmetric))
            differ(verdict, "%s: its flags are not those of the manifest", shard->path);
    }
}

void close_shards(struct stored *whole)
{
    for (uint64_t i = 0; i < whole->n_shards; i++) {
        stored_close(&whole->shards[i]);
        free((char *)(uintptr_t)whole->shards[i].path);
    }
    free(whole->shards);
    json_decref(whole->manifest);
}
