/* save_shards - the parts of a graph, a file each, and a manifest that lists them.
 *
 * A shard is the same CSR with other pointers: its targets, weights and positions lie in the graph's own arrays, and
 * its offsets, which must begin with 0, are shifted in place and shifted back. So writing shards takes no memory, and
 * moves the offsets four times more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/csr_file.h"
#include "io/shard_stale.h"
#include "scan/base/parallel.h"
#include "stages/save.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* --- names ---------------------------------------------------------------------------------------- */

static const char MANIFEST_SUFFIX[] = ".json";
enum { MANIFEST_SUFFIX_BYTES = sizeof MANIFEST_SUFFIX - 1 };

static const char *last_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The names of shards: stem, number, suffix. */
typedef struct naming {
    int stem_bytes, digits;
    const char *path; /* begins with the stem */
    char suffix[16];
    char manifest[PATH_MAX];
} naming;

static em_status name_shards(const em_save_options *save, uint64_t n_parts, naming *names, em_error *error)
{
    const char *const path = save->path, *const name = last_name(path);
    size_t n = strlen(path);
    const bool is_manifest = n - (size_t)(name - path) > MANIFEST_SUFFIX_BYTES &&
                             strcasecmp(path + n - MANIFEST_SUFFIX_BYTES, MANIFEST_SUFFIX) == 0;
    *names = (naming){.path = path, .digits = snprintf(NULL, 0, "%llu", (unsigned long long)n_parts - 1)};
    if ((size_t)snprintf(names->manifest, sizeof names->manifest, "%s%s", path, is_manifest ? "" : MANIFEST_SUFFIX) >=
        sizeof names->manifest)
        return em_fail(error, EM_ENVIRONMENT, "save: %s: the name is too long", path);
    /* web.json, or a name without a suffix: the format's first one */
    snprintf(names->suffix, sizeof names->suffix, "%.*s", (int)strcspn(save->format->suffixes, " "),
             save->format->suffixes);
    n -= is_manifest ? MANIFEST_SUFFIX_BYTES : 0;
    const char *dot = path + n;
    while (dot > name && *--dot != '.')
        ;
    const size_t length = (size_t)(path + n - dot);
    const bool has_suffix = dot > name && length < sizeof names->suffix;
    /* of web.csr.json it is .csr, but of my.web.json it is not .web */
    if (has_suffix && (!is_manifest || (length == strlen(names->suffix) && !strncasecmp(dot, names->suffix, length)))) {
        snprintf(names->suffix, sizeof names->suffix, "%.*s", (int)length, dot);
        n -= length;
    }
    names->stem_bytes = (int)n;
    return EM_OK;
}

static em_status name_shard(const naming *names, uint64_t part, char path[PATH_MAX], em_error *error)
{
    const int n = snprintf(path, PATH_MAX, "%.*s.%0*llu%s", names->stem_bytes, names->path, names->digits,
                           (unsigned long long)part, names->suffix);
    return n < PATH_MAX ? EM_OK : em_fail(error, EM_ENVIRONMENT, "save: %s: the name is too long", names->path);
}

em_status em_save_shard_path(const em_save_options *save, uint64_t n_parts, uint64_t part, char path[PATH_MAX],
                             em_error *error)
{
    naming names;
    const em_status status = name_shards(save, n_parts, &names, error);
    if (status != EM_OK || part < n_parts)
        return status == EM_OK ? name_shard(&names, part, path, error) : status;
    memcpy(path, names.manifest, strlen(names.manifest) + 1);
    return EM_OK;
}

/* --- opening -------------------------------------------------------------------------------------- */

/* Names of shards are made from the path, which must be one of a file: not beside a device, nor within a folder that
 * the path ends in. */
static em_status check_path(const char *path, em_error *error)
{
    const char *const name = last_name(path);
    struct stat facts;
    if (strcmp(path, "-") == 0)
        return em_fail(error, EM_USAGE, "save: shards are files; standard output cannot hold them");
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return em_fail(error, EM_USAGE, "save: %s: shards are files named after the output, and this is a folder",
                       path);
    const bool linked = lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode); /* /dev/stdout may lead to a file */
    if ((linked && strncmp(path, "/dev/", 5) == 0) || (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)))
        return em_fail(error, EM_USAGE, "save: %s: shards are files named after the output, and this is a %s", path,
                       !linked && S_ISDIR(facts.st_mode) ? "folder" : "device or a pipe");
    return EM_OK;
}

/* An output holds its file and its folder open. */
static em_status check_handles(const em_save_options *save, uint64_t n_parts, em_error *error)
{
    struct rlimit limit;
    const uint64_t wanted = 2 * (n_parts + 1) + 16;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || wanted <= limit.rlim_cur)
        return EM_OK;
    return em_fail(error, EM_ENVIRONMENT,
                   "save: %s: %llu shards are written together and take %llu open files, and the limit is %llu; "
                   "raise it (ulimit -n)",
                   save->path, (unsigned long long)n_parts, (unsigned long long)wanted,
                   (unsigned long long)limit.rlim_cur);
}

em_status em_save_shards_open(em_run *run, const em_save_options *save, uint64_t n_parts, em_error *error)
{
    naming names;
    char path[PATH_MAX];
    if (!save->format->shards)
        return em_point_at(error, save->path,
                           em_fail(error, EM_USAGE,
                                   "save: %s: format %s cannot hold some rows of a graph; csr and npz can", save->path,
                                   save->format->name));
    em_status status = em_point_at(error, save->path, check_path(save->path, error));
    if (status == EM_OK)
        status = check_handles(save, n_parts, error);
    if (status == EM_OK)
        status = name_shards(save, n_parts, &names, error);
    for (uint64_t part = 0; part < n_parts && status == EM_OK; part++) {
        status = name_shard(&names, part, path, error);
        if (status == EM_OK)
            status = em_run_open_output(run, save, path, error);
        if (status == EM_OK && !run->opens_nothing && !em_output_is_regular(run->outputs[run->n_outputs - 1].output))
            status = em_fail(error, EM_USAGE, "save: %s: a shard must be a file", path);
    }
    if (status == EM_OK)
        status = em_run_open_output(run, save, names.manifest, error);
    if (status == EM_OK && !run->opens_nothing && !em_output_is_regular(run->outputs[run->n_outputs - 1].output))
        status = em_fail(error, EM_USAGE, "save: %s: a manifest must be a file", names.manifest);
    return status;
}

/* --- writing -------------------------------------------------------------------------------------- */

typedef struct shift {
    uint64_t *offsets, n, by; /* by: added, wrapping around */
} shift;

static em_status shift_some(void *state, uint32_t worker, uint32_t n_workers, em_error *error)
{
    const shift *const all = state;
    const uint64_t end = em_share(all->n, worker + 1, n_workers);
    (void)error;
    for (uint64_t i = em_share(all->n, worker, n_workers); i < end; i++)
        all->offsets[i] += all->by;
    return EM_OK;
}

static em_status shift_offsets(em_context *context, uint64_t *offsets, uint64_t n, uint64_t by, em_error *error)
{
    enum { FEW = 1 << 16 };
    shift all = {offsets, n, by};
    return by ? em_parallel(context, n < FEW ? 1 : 0, shift_some, &all, error) : EM_OK;
}

static em_buffer part_of(const em_buffer *whole, uint64_t begin, uint64_t end, uint64_t size)
{
    return whole->at ? em_buffer_borrow((char *)whole->at + begin * size, (end - begin) * size) : (em_buffer){0};
}

/* Rows begin to end - 1, except that offsets are not shifted. */
static em_csr shard_of(const em_csr *csr, uint64_t begin, uint64_t end)
{
    const uint64_t *const offsets = csr->offsets.at;
    const uint64_t first = offsets[begin], last = offsets[end];
    return (em_csr){.n_vertices = end - begin,
                    .n_arcs = last - first,
                    .first_vertex = begin,
                    .n_targets = csr->n_vertices,
                    .id_bytes = csr->id_bytes,
                    .weight_kind = csr->weight_kind,
                    .facts = end - begin == csr->n_vertices ? csr->facts : csr->facts & ~(uint64_t)EM_SYMMETRIC,
                    .offsets = part_of(&csr->offsets, begin, end + 1, sizeof(uint64_t)),
                    .targets = part_of(&csr->targets, first, last, csr->id_bytes),
                    .weights = part_of(&csr->weights, first, last, em_weight_bytes(csr->weight_kind)),
                    .positions = part_of(&csr->positions, first, last, sizeof(uint64_t))};
}

/* Writes rows begin to end - 1 and fills what the manifest says of them. */
static em_status save_shard(em_run *run, const em_save_options *save, const em_csr *csr, uint64_t begin, uint64_t end,
                            em_output *output, em_shard *shard, em_error *error)
{
    const em_csr part = shard_of(csr, begin, end);
    uint64_t *const offsets = part.offsets.at;
    const uint64_t first_arc = offsets[0];
    *shard = (em_shard){.file = last_name(em_output_path(output)),
                        .first_vertex = begin,
                        .end_vertex = end,
                        .first_arc = first_arc,
                        .n_arcs = part.n_arcs};
    em_status status = shift_offsets(run->context, offsets, part.n_vertices + 1, 0 - first_arc, error);
    if (status != EM_OK)
        return status;
    status = save->format->write(run->context, &part, output, error);
    const em_status back = shift_offsets(run->context, offsets, part.n_vertices + 1, first_arc, error);
    if (status == EM_OK)
        status = back;
    if (status == EM_OK && strcmp(save->format->name, "csr") == 0) {
        em_csr_file_header header;
        shard->has_checksums = true;
        status = em_csr_file_facts(run->context, em_output_temporary(output), &header, shard->checksums, error);
    }
    return status;
}

static em_status check_parts(const em_csr *csr, const uint64_t *parts, uint64_t n_parts, em_error *error)
{
    bool fits = parts[0] == 0 && parts[n_parts] == csr->n_vertices;
    for (uint64_t part = 0; part < n_parts; part++)
        fits &= parts[part] <= parts[part + 1];
    return fits ? EM_OK : em_fail(error, EM_USAGE, "save: the parts are not those of this graph");
}

/* --- shards of an older manifest -------------------------------------------------------------------- */

typedef struct superseding {
    const em_run *run;
    em_output *manifest;
    uint64_t n;
    char list[160]; /* of their names, as many as fit */
} superseding;

static em_status supersede(void *state, const char *file, em_error *error)
{
    superseding *const all = state;
    for (uint32_t i = 0; i < all->run->n_outputs; i++) /* the map, perhaps, is written there */
        if (strcmp(last_name(em_output_path(all->run->outputs[i].output)), file) == 0)
            return EM_OK;
    const size_t at = strlen(all->list), left = sizeof all->list - at;
    if (strlen(file) + 8 < left)
        snprintf(all->list + at, left, "%s%s", all->n ? ", " : "", file);
    else if (left > 6 && (at < 3 || strcmp(all->list + at - 3, "…") != 0))
        snprintf(all->list + at, left, " …");
    all->n++;
    return em_output_supersede(all->manifest, file, error);
}

em_status em_save_stale_shards(em_context *context, const em_save_options *save, uint64_t n_parts,
                               em_status (*take)(void *state, const char *file, em_error *error), void *state,
                               em_error *error)
{
    naming names;
    const em_status status = name_shards(save, n_parts, &names, error);
    if (status != EM_OK)
        return status;
    const char *const stem = last_name(save->path);
    const em_shard_names own = {.stem = stem,
                                .stem_bytes = names.stem_bytes - (int)(stem - save->path),
                                .n = n_parts,
                                .digits = names.digits,
                                .suffix = names.suffix};
    return em_shards_stale(context, names.manifest, &own, take, state, error);
}

/* Shards that only the older manifest lists go when the new one is there. */
static em_status supersede_stale(em_run *run, const em_save_options *save, uint64_t n_parts, em_output *manifest,
                                 em_error *error)
{
    superseding all = {.run = run, .manifest = manifest};
    const em_status status = em_save_stale_shards(run->context, save, n_parts, supersede, &all, error);
    if (status == EM_OK && all.n)
        em_note(run->read, "%s: %llu shard%s of the partition before %s removed: %s",
                last_name(em_output_path(manifest)), (unsigned long long)all.n, all.n == 1 ? "" : "s",
                all.n == 1 ? "is" : "are", all.list);
    return status;
}

em_status em_save_shards(em_run *run, const em_save_options *save, const em_run_output *outputs, em_graph *graph,
                         em_error *error)
{
    const em_csr *const csr = &graph->csr;
    const uint64_t *const parts = graph->parts.at, n_parts = graph->parts.n_bytes / sizeof *parts - 1;
    void *memory = NULL;
    em_status status = check_parts(csr, parts, n_parts, error);
    if (status == EM_OK)
        status = em_allocate_array(run->context, n_parts, sizeof(em_shard), &memory, error);
    if (status != EM_OK)
        return status;
    em_shard *const shards = memory;
    for (uint64_t part = 0; part < n_parts && status == EM_OK; part++)
        status = save_shard(run, save, csr, parts[part], parts[part + 1], outputs[part].output, &shards[part], error);
    const em_shard_manifest manifest = {.format = save->format,
                                        .n_vertices = csr->n_vertices,
                                        .n_arcs = csr->n_arcs,
                                        .id_bytes = csr->id_bytes,
                                        .weight_kind = csr->weight_kind,
                                        .facts = csr->facts,
                                        .shards = shards,
                                        .n_shards = n_parts};
    if (status == EM_OK)
        status = em_shard_manifest_write(&manifest, outputs[n_parts].output, error);
    if (status == EM_OK)
        status = supersede_stale(run, save, n_parts, outputs[n_parts].output, error);
    em_free(run->context, shards, n_parts * sizeof *shards);
    return status;
}
