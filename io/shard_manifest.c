/* shard_manifest - see shard_manifest.h.
 *
 * Reading opens one shard after the other, so that there are never more mappings than a shard has; what is passed on
 * are rows in their order, as from the file of the whole graph.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/shard_manifest.h"
#include "io/arc_feed.h"
#include "io/csr_file_parts.h"
#include "io/decoder.h"
#include "io/publish.h"
#include "io/whole_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char VERSION_KEY[] = "edgemill_shards";
static const struct {
    const char *name;
    uint64_t fact;
} FLAGS[] = {{"sorted", EM_SORTED}, {"unique", EM_UNIQUE}, {"no-loops", EM_NO_LOOPS}, {"symmetric", EM_SYMMETRIC}};
enum { N_FLAGS = sizeof FLAGS / sizeof *FLAGS };

/* --- writing -------------------------------------------------------------------------------------- */

static void set(json_t *object, const char *key, json_t *value, bool *failed)
{
    *failed |= json_object_set_new(object, key, value) != 0;
}

static json_t *count(uint64_t n)
{
    return json_integer((json_int_t)n); /* below 2^63 */
}

static json_t *checksums_value(const em_shard *shard, bool *failed)
{
    json_t *const sums = json_object();
    for (int i = 0; i < EM_CSR_FILE_SECTIONS; i++) {
        char text[17];
        snprintf(text, sizeof text, "%016" PRIx64, shard->checksums[i]);
        if (shard->checksums[i])
            set(sums, em_csr_file_section_name(i), json_string(text), failed);
    }
    return sums;
}

static json_t *shard_value(const em_shard *shard, bool *failed)
{
    json_t *const value = json_object();
    set(value, "file", json_string(shard->file), failed);
    set(value, "first_vertex", count(shard->first_vertex), failed);
    set(value, "end_vertex", count(shard->end_vertex), failed);
    set(value, "first_arc", count(shard->first_arc), failed);
    set(value, "arcs", count(shard->n_arcs), failed);
    if (shard->has_checksums)
        set(value, "checksums", checksums_value(shard, failed), failed);
    return value;
}

static json_t *manifest_value(const em_shard_manifest *manifest, bool *failed)
{
    json_t *const root = json_object(), *const flags = json_array(), *const shards = json_array();
    for (int i = 0; i < N_FLAGS; i++)
        if (manifest->facts & FLAGS[i].fact)
            *failed |= json_array_append_new(flags, json_string(FLAGS[i].name)) != 0;
    for (uint64_t i = 0; i < manifest->n_shards; i++)
        *failed |= json_array_append_new(shards, shard_value(&manifest->shards[i], failed)) != 0;
    set(root, VERSION_KEY, json_integer(EM_SHARD_MANIFEST_VERSION), failed);
    set(root, "format", json_string(manifest->format->name), failed);
    set(root, "vertices", count(manifest->n_vertices), failed);
    set(root, "arcs", count(manifest->n_arcs), failed);
    set(root, "id_bytes", json_integer(manifest->id_bytes), failed);
    set(root, "weights", json_string(em_weight_name((em_weight_kind)manifest->weight_kind)), failed);
    set(root, "flags", flags, failed);
    set(root, "shards", shards, failed);
    return root;
}

/* Whether JSON can hold the name, which is to say, whether it is UTF-8. */
static em_status check_name(const char *file, em_output *output, em_error *error)
{
    json_t *const name = json_stringn_nocheck(file, strlen(file)), *const checked = json_string(file);
    em_status status = EM_OK;
    if (!name)
        status = em_fail(error, EM_NO_MEMORY, "%s: out of memory for JSON", em_output_path(output));
    else if (!checked)
        status = em_fail(error, EM_USAGE, "%s: a manifest is JSON and cannot hold the name %s, which is not UTF-8",
                         em_output_path(output), file);
    json_decref(name);
    json_decref(checked);
    return status;
}

em_status em_shard_manifest_write(const em_shard_manifest *manifest, em_output *output, em_error *error)
{
    bool failed = false;
    em_status status = EM_OK;
    if (manifest->n_shards) /* they differ in digits alone */
        status = check_name(manifest->shards[0].file, output, error);
    if (status != EM_OK)
        return status;
    json_t *const root = manifest_value(manifest, &failed);
    char *const text = failed ? NULL : json_dumps(root, JSON_INDENT(2));
    if (text)
        status = em_output_write(output, text, strlen(text), error);
    else
        status = em_fail(error, EM_NO_MEMORY, "%s: out of memory for JSON", em_output_path(output));
    if (status == EM_OK)
        status = em_output_write(output, "\n", 1, error);
    free(text);
    json_decref(root);
    return status;
}

/* --- reading -------------------------------------------------------------------------------------- */

bool em_shard_manifest_detect(const unsigned char *head, size_t n_bytes)
{
    static const char wanted[] = "{\"edgemill_shards\"";
    size_t at = 0;
    for (const char *next = wanted; *next; next++) {
        while ((next == wanted || next == wanted + 1) && at < n_bytes && isspace(head[at]))
            at++;
        if (at == n_bytes || head[at] != (unsigned char)*next)
            return false;
        at++;
    }
    return true;
}

static em_status refuse(const char *path, const char *key, const char *what, em_error *error)
{
    return em_fail(error, EM_MALFORMED, "%s: not a list of shards as version %d has it: \"%s\" %s", path,
                   EM_SHARD_MANIFEST_VERSION, key, what);
}

static em_status get_count(const json_t *object, const char *key, const char *path, uint64_t *n, em_error *error)
{
    const json_t *const value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return refuse(path, key, "is no count", error);
    *n = (uint64_t)json_integer_value(value);
    return EM_OK;
}

static em_status get_text(const json_t *object, const char *key, const char *path, const char **text, em_error *error)
{
    *text = json_string_value(json_object_get(object, key));
    return *text ? EM_OK : refuse(path, key, "is no text", error);
}

static em_status get_checksums(const json_t *object, const char *path, em_shard *shard, em_error *error)
{
    const json_t *const sums = json_object_get(object, "checksums");
    shard->has_checksums = sums != NULL;
    for (int i = 0; sums && i < EM_CSR_FILE_SECTIONS; i++) {
        const json_t *const value = json_object_get(sums, em_csr_file_section_name(i));
        if (!value)
            continue;
        const char *const text = json_string_value(value);
        if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
            return refuse(path, em_csr_file_section_name(i), "is no checksum", error);
        shard->checksums[i] = strtoull(text, NULL, 16);
    }
    return EM_OK;
}

static em_status get_shard(const json_t *object, const char *path, em_shard *shard, em_error *error)
{
    em_status status = get_text(object, "file", path, &shard->file, error);
    if (status == EM_OK && (!*shard->file || strchr(shard->file, '/') || strcmp(shard->file, "-") == 0))
        status = refuse(path, "file", "is not the name of a file in the same folder", error);
    if (status == EM_OK)
        status = get_count(object, "first_vertex", path, &shard->first_vertex, error);
    if (status == EM_OK)
        status = get_count(object, "end_vertex", path, &shard->end_vertex, error);
    if (status == EM_OK)
        status = get_count(object, "first_arc", path, &shard->first_arc, error);
    if (status == EM_OK)
        status = get_count(object, "arcs", path, &shard->n_arcs, error);
    return status == EM_OK ? get_checksums(object, path, shard, error) : status;
}

static em_status get_shards(const json_t *root, const char *path, em_shard_manifest *manifest, em_error *error)
{
    const json_t *const list = json_object_get(root, "shards");
    uint64_t vertex = 0, arc = 0;
    void *memory = NULL;
    if (json_array_size(list) == 0)
        return refuse(path, "shards", "is no list of files", error);
    em_status status =
        em_allocate_array(manifest->owner, json_array_size(list), sizeof *manifest->shards, &memory, error);
    if (status != EM_OK)
        return status;
    manifest->shards = memory;
    manifest->n_shards = json_array_size(list);
    memset(memory, 0, manifest->n_shards * sizeof *manifest->shards);
    for (uint64_t i = 0; i < manifest->n_shards; i++) {
        em_shard *const shard = &manifest->shards[i];
        status = get_shard(json_array_get(list, i), path, shard, error);
        if (status != EM_OK)
            return status;
        if (shard->first_vertex != vertex || shard->end_vertex < vertex || shard->first_arc != arc ||
            shard->n_arcs > manifest->n_arcs - arc)
            return em_fail(error, EM_MALFORMED, "%s: %s does not begin where the shard before it ends", path,
                           shard->file);
        vertex = shard->end_vertex;
        arc += shard->n_arcs;
    }
    if (vertex != manifest->n_vertices || arc != manifest->n_arcs)
        return em_fail(error, EM_MALFORMED, "%s: shards end at vertex %llu of %llu and arc %llu of %llu", path,
                       (unsigned long long)vertex, (unsigned long long)manifest->n_vertices, (unsigned long long)arc,
                       (unsigned long long)manifest->n_arcs);
    return EM_OK;
}

static em_status get_flags(const json_t *root, const char *path, em_shard_manifest *manifest, em_error *error)
{
    const json_t *const list = json_object_get(root, "flags");
    if (!json_is_array(list))
        return refuse(path, "flags", "is no list", error);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *const name = json_string_value(json_array_get(list, i));
        int flag = 0;
        while (flag < N_FLAGS && !(name && strcmp(name, FLAGS[flag].name) == 0))
            flag++;
        if (flag == N_FLAGS)
            return refuse(path, "flags", "holds something that is no flag", error);
        manifest->facts |= FLAGS[flag].fact;
    }
    return EM_OK;
}

static em_status get_manifest(const json_t *root, const char *path, em_shard_manifest *manifest, em_error *error)
{
    const char *format = NULL, *weights = NULL;
    uint64_t version = 0, id_bytes = 0;
    em_status status = get_count(root, VERSION_KEY, path, &version, error);
    if (status == EM_OK && version != EM_SHARD_MANIFEST_VERSION)
        status = em_fail(error, EM_MALFORMED, "%s: version %llu of a list of shards; this program reads version %d",
                         path, (unsigned long long)version, EM_SHARD_MANIFEST_VERSION);
    if (status == EM_OK)
        status = get_text(root, "format", path, &format, error);
    if (status == EM_OK)
        status = get_count(root, "vertices", path, &manifest->n_vertices, error);
    if (status == EM_OK)
        status = get_count(root, "arcs", path, &manifest->n_arcs, error);
    if (status == EM_OK)
        status = get_count(root, "id_bytes", path, &id_bytes, error);
    if (status == EM_OK)
        status = get_text(root, "weights", path, &weights, error);
    if (status != EM_OK)
        return status;
    manifest->format = em_format_by_name(format);
    if (!manifest->format || !manifest->format->shards || !manifest->format->open_csr)
        return refuse(path, "format", "is none that shards have", error);
    manifest->id_bytes = (uint8_t)id_bytes;
    if (id_bytes != em_id_bytes(manifest->n_vertices))
        return refuse(path, "id_bytes", "is not what so many vertices need", error);
    while (strcmp(weights, em_weight_name((em_weight_kind)manifest->weight_kind)) != 0)
        if (++manifest->weight_kind > EM_WEIGHT_F64)
            return refuse(path, "weights", "is no kind of weight", error);
    status = get_flags(root, path, manifest, error);
    return status == EM_OK ? get_shards(root, path, manifest, error) : status;
}

em_status em_shard_manifest_open(em_context *context, const char *path, em_shard_manifest *manifest, em_error *error)
{
    em_whole_file *file = NULL;
    const char *const shown = em_input_name(path);
    *manifest = (em_shard_manifest){.owner = context};
    em_status status = em_whole_file_open(context, path, &file, error);
    if (status != EM_OK)
        return status;
    json_error_t where;
    json_t *const root = json_loadb((const char *)file->bytes, file->n_bytes, JSON_REJECT_DUPLICATES, &where);
    manifest->document = root;
    em_whole_file_release(file);
    if (!root)
        status = em_fail(error, json_error_code(&where) == json_error_out_of_memory ? EM_NO_MEMORY : EM_MALFORMED,
                         "%s:%d:%d: not JSON: %s", shown, where.line, where.column, where.text);
    else
        status = get_manifest(root, shown, manifest, error);
    if (status != EM_OK)
        em_shard_manifest_free(manifest);
    return status;
}

void em_shard_manifest_free(em_shard_manifest *manifest)
{
    if (manifest->owner)
        em_free(manifest->owner, manifest->shards, manifest->n_shards * sizeof *manifest->shards);
    json_decref(manifest->document);
    *manifest = (em_shard_manifest){0};
}

/* --- as an input ---------------------------------------------------------------------------------- */

static em_status differs(const char *path, const char *manifest_path, const char *what, em_error *error)
{
    return em_fail(error, EM_MALFORMED, "%s: is not the shard that %s lists: %s", path, manifest_path, what);
}

static em_status check_shard(em_context *context, const em_shard_manifest *manifest, const em_shard *shard,
                             const em_csr *csr, const char *path, const char *manifest_path, em_error *error)
{
    if (csr->n_vertices != shard->end_vertex - shard->first_vertex || em_csr_n_targets(csr) != manifest->n_vertices ||
        csr->first_vertex != shard->first_vertex)
        return differs(path, manifest_path, "it has other vertices", error);
    if (csr->n_arcs != shard->n_arcs)
        return differs(path, manifest_path, "it has another number of arcs", error);
    if (csr->weight_kind != manifest->weight_kind)
        return differs(path, manifest_path, "it has weights of another kind", error);
    if (!shard->has_checksums)
        return EM_OK;
    em_csr_file_header header;
    uint64_t checksums[EM_CSR_FILE_SECTIONS];
    const em_status status = em_csr_file_facts(context, path, &header, checksums, error);
    if (status == EM_OK && memcmp(checksums, shard->checksums, sizeof checksums) != 0)
        return differs(path, manifest_path, "its checksums differ", error);
    return status;
}

static em_status read_shard(em_read_plan *plan, const em_shard_manifest *manifest, const em_shard *shard,
                            const char *path, const char *manifest_path, em_error *error)
{
    em_csr csr = {0};
    struct stat facts;
    em_status status = manifest->format->open_csr(plan->context, path, &csr, error);
    if (status == EM_OK)
        status = check_shard(plan->context, manifest, shard, &csr, path, manifest_path, error);
    if (status == EM_OK) {
        const em_arc_feed feed = em_csr_feed(&csr, path);
        status = em_arc_feed_run(plan, &feed, error);
        if (plan->weighted_path == path) /* which is gone when a later input disagrees */
            plan->weighted_path = manifest_path;
    }
    if (status == EM_OK && stat(path, &facts) == 0)
        plan->report->n_file_bytes += (uint64_t)facts.st_size;
    em_csr_free(&csr);
    return status;
}

em_status em_shard_manifest_read(em_read_plan *plan, const char *path, em_error *error)
{
    em_shard_manifest manifest;
    char shard_path[PATH_MAX];
    const char *const slash = strrchr(path, '/'), *const shown = em_input_name(path);
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    em_status status = em_shard_manifest_open(plan->context, path, &manifest, error);
    if (status != EM_OK)
        return status;
    for (uint64_t i = 0; i < manifest.n_shards && status == EM_OK; i++) {
        const em_shard *const shard = &manifest.shards[i];
        if ((size_t)snprintf(shard_path, sizeof shard_path, "%.*s%s", folder, path, shard->file) >= sizeof shard_path)
            status = em_fail(error, EM_MALFORMED, "%s: the name of a shard is too long", shown);
        else
            status = read_shard(plan, &manifest, shard, shard_path, shown, error);
    }
    if (plan->options->n_paths == 1)
        plan->report->facts = manifest.facts;
    em_shard_manifest_free(&manifest);
    return status;
}
