/* support_files - see support_files.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_files.h"

#include "io/read.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[256];

int files_set_up(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    if (!base) /* memory, where there is: nothing to wait for on a sync */
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/edgemill-test-XXXXXX", base);
    assert_non_null(mkdtemp(folder));
    return 0;
}

int files_tear_down(void **state)
{
    (void)state;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            char path[600];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            remove(path);
        }
    closedir(entries);
    rmdir(folder);
    return 0;
}

const char *files_path(const char *name)
{
    static char paths[4][600];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void files_put(const char *path, const void *bytes, size_t n_bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n_bytes, file), n_bytes);
    assert_int_equal(fclose(file), 0);
}

void files_put_text(const char *path, const char *text)
{
    files_put(path, text, strlen(text));
}

unsigned char *files_get(const char *path, size_t *n_bytes)
{
    FILE *file = fopen(path, "rb");
    struct stat facts;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &facts), 0);
    unsigned char *bytes = malloc((size_t)facts.st_size + 1);
    assert_non_null(bytes);
    *n_bytes = fread(bytes, 1, (size_t)facts.st_size, file);
    assert_int_equal(*n_bytes, facts.st_size);
    bytes[*n_bytes] = '\0';
    fclose(file);
    return bytes;
}

int files_count(void)
{
    int n = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    while (readdir(entries))
        n++;
    closedir(entries);
    return n - 2;
}

em_context *files_context(uint32_t n_threads, const em_knobs *knobs)
{
    em_context_options options = {.n_threads = n_threads};
    em_context *context;
    if (knobs)
        options.knobs = *knobs;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

em_csr files_csr(uint64_t n_vertices, const uint64_t *offsets, const uint32_t *targets, em_weight_kind kind,
                 const void *weights)
{
    const uint64_t m = offsets[n_vertices];
    em_csr csr = {.n_vertices = n_vertices, .n_arcs = m, .id_bytes = 4, .weight_kind = (uint8_t)kind};
    csr.offsets = em_buffer_borrow((void *)offsets, (n_vertices + 1) * 8);
    csr.targets = em_buffer_borrow((void *)targets, m * 4);
    if (kind != EM_WEIGHT_NONE)
        csr.weights = em_buffer_borrow((void *)weights, m * em_weight_bytes(kind));
    return csr;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static int compare(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static void put_weight(void *weights, em_weight_kind kind, uint64_t index, int64_t value)
{
    if (kind == EM_WEIGHT_I32)
        ((int32_t *)weights)[index] = (int32_t)value;
    else if (kind == EM_WEIGHT_I64)
        ((int64_t *)weights)[index] = value;
    else if (kind == EM_WEIGHT_F32)
        ((float *)weights)[index] = (float)value / 3e9f;
    else
        ((double *)weights)[index] = (double)value / 3e9;
}

em_csr files_random_csr(em_context *context, uint64_t n, uint64_t m, em_weight_kind kind, uint64_t seed)
{
    em_csr csr = {.n_vertices = n, .id_bytes = 4, .weight_kind = (uint8_t)kind, .facts = EM_SORTED};
    assert_int_equal(em_buffer_allocate(context, &csr.offsets, n + 1, 8, NULL), EM_OK);
    uint64_t *offsets = csr.offsets.at, at = 0;
    for (uint64_t row = 0; row < n; row++) { /* every fourth row is empty */
        offsets[row] = at;
        at += next_random(&seed) % 4 ? next_random(&seed) % (2 * (m / n) + 1) : 0;
    }
    offsets[n] = csr.n_arcs = at;
    assert_int_equal(em_buffer_allocate(context, &csr.targets, at, 4, NULL), EM_OK);
    for (uint64_t i = 0; i < at; i++)
        ((uint32_t *)csr.targets.at)[i] = (uint32_t)(next_random(&seed) % n);
    for (uint64_t row = 0; row < n; row++)
        qsort((uint32_t *)csr.targets.at + offsets[row], offsets[row + 1] - offsets[row], 4, compare);
    if (kind == EM_WEIGHT_NONE)
        return csr;
    assert_int_equal(em_buffer_allocate(context, &csr.weights, at, em_weight_bytes(kind), NULL), EM_OK);
    for (uint64_t i = 0; i < at; i++)
        put_weight(csr.weights.at, kind, i, (int64_t)next_random(&seed));
    return csr;
}

void files_assert_same(const em_csr *a, const em_csr *b)
{
    assert_int_equal(a->n_vertices, b->n_vertices);
    assert_int_equal(a->n_arcs, b->n_arcs);
    assert_int_equal(a->id_bytes, b->id_bytes);
    assert_int_equal(a->weight_kind, b->weight_kind);
    assert_memory_equal(a->offsets.at, b->offsets.at, (a->n_vertices + 1) * 8);
    if (a->n_arcs)
        assert_memory_equal(a->targets.at, b->targets.at, a->n_arcs * a->id_bytes);
    if (a->n_arcs && a->weight_kind)
        assert_memory_equal(a->weights.at, b->weights.at, a->n_arcs * em_weight_bytes(a->weight_kind));
}

em_status files_try_write(em_context *context, const em_csr *csr, const char *format, const char *path, em_error *error)
{
    em_output *output;
    em_status status = em_output_open(context, path, &output, error);
    if (status != EM_OK)
        return status;
    status = em_format_by_name(format)->write(context, csr, output, error);
    if (status == EM_OK)
        return em_output_commit(output, error);
    em_output_drop(output);
    return status;
}

void files_write(em_context *context, const em_csr *csr, const char *format, const char *path)
{
    em_error error = {0};
    if (files_try_write(context, csr, format, path, &error) != EM_OK)
        fail_msg("%s", error.message);
}

/* --- em_read -------------------------------------------------------------------------------------- */

typedef struct collecting {
    files_arcs *into;
    pthread_mutex_t lock;
} collecting;

static em_status collect_begin(void *state, const em_read_hint *hint, em_error *error)
{
    (void)state, (void)error;
    return hint->n_workers > 0 ? EM_OK : EM_USAGE;
}

static em_status collect(void *state, uint32_t worker, const em_arc_batch *batch, em_error *error)
{
    collecting *all = state;
    files_arcs *into = all->into;
    (void)worker, (void)error;
    pthread_mutex_lock(&all->lock);
    if (into->n_arcs + batch->n_arcs > into->room) {
        into->room = 2 * (into->n_arcs + batch->n_arcs);
        into->arcs = realloc(into->arcs, into->room * sizeof *into->arcs);
    }
    into->kind = batch->weight_kind;
    for (uint64_t i = 0; i < batch->n_arcs; i++) {
        const files_arc arc = {.chunk = batch->chunk,
                               .sequence = into->n_arcs,
                               .source = em_id_at(batch->pairs, batch->id_bytes, 2 * i),
                               .target = em_id_at(batch->pairs, batch->id_bytes, 2 * i + 1),
                               .weight = em_weight_bits(batch->weight_kind, batch->weights, i)};
        if (arc.source > batch->largest_source || arc.target > batch->largest_target)
            abort();
        into->arcs[into->n_arcs++] = arc;
    }
    pthread_mutex_unlock(&all->lock);
    return EM_OK;
}

static int by_chunk(const void *a, const void *b)
{
    const files_arc *left = a, *right = b;
    if (left->chunk != right->chunk)
        return left->chunk < right->chunk ? -1 : 1;
    return (left->sequence > right->sequence) - (left->sequence < right->sequence);
}

em_status files_read(em_context *context, const em_read_options *options, files_arcs *into, em_read_report *report,
                     em_error *error)
{
    *into = (files_arcs){0};
    collecting all = {.into = into, .lock = PTHREAD_MUTEX_INITIALIZER};
    const em_arc_sink sink = {.state = &all, .begin = collect_begin, .take = collect};
    const em_status status = em_read(context, options, &sink, report, error);
    if (into->n_arcs)
        qsort(into->arcs, into->n_arcs, sizeof *into->arcs, by_chunk);
    return status;
}

void files_arcs_free(files_arcs *arcs)
{
    free(arcs->arcs);
    *arcs = (files_arcs){0};
}

void files_assert_arcs(const files_arcs *arcs, const em_csr *csr)
{
    const uint64_t *offsets = csr->offsets.at;
    assert_int_equal(arcs->n_arcs, csr->n_arcs);
    for (uint64_t row = 0; row < csr->n_vertices; row++)
        for (uint64_t at = offsets[row]; at < offsets[row + 1]; at++) {
            assert_int_equal(arcs->arcs[at].source, row);
            assert_int_equal(arcs->arcs[at].target, em_id_at(csr->targets.at, csr->id_bytes, at));
            assert_true(arcs->arcs[at].weight == em_weight_bits(csr->weight_kind, csr->weights.at, at));
        }
}

em_csr files_open(em_context *context, const char *path)
{
    em_csr csr;
    em_error error = {0};
    if (em_csr_open(context, path, &csr, &error) != EM_OK)
        fail_msg("%s", error.message);
    return csr;
}

void files_assert_poor_round_trip(em_context *context, const char *format)
{
    em_csr csr = files_random_csr(context, 100, 1000, EM_WEIGHT_F32, 3);
    char path[512];
    snprintf(path, sizeof path, "%s.%s", files_path("poor"), format);
    for (uint64_t n = 1;; n++) {
        em_context *poor = files_context(2, &(em_knobs){.fail_allocation = n});
        em_csr back = {0};
        em_status status = files_try_write(poor, &csr, format, path, NULL);
        assert_int_equal(status == EM_OK ? 1 : 0, files_count());
        if (status == EM_OK)
            status = em_csr_open(poor, path, &back, NULL);
        if (status == EM_OK)
            files_assert_same(&csr, &back);
        em_csr_free(&back);
        assert_int_equal(em_context_memory(poor).current_bytes, 0);
        em_context_free(poor);
        remove(path);
        if (status == EM_OK)
            break;
        assert_int_equal(status, EM_NO_MEMORY);
    }
    em_csr_free(&csr);
}
