/* fuzz_read - every reader that feeds a sink, with the options and knobs taken from the first bytes of the input.
 *
 * Not only must nothing crash: the same text is read twice, by one thread in one chunk and by several in chunks of
 * a few bytes, and both must give the same arcs and report, or the same error at the same place.
 *
 * Input: byte 0 separator and columns, byte 1 weights, byte 2 format and --on-error, byte 3 chunk_bytes, byte 4
 * piece_bytes and threads, then the text (or gzip, zstd, npz, … told by content).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/io.h"
#include "tests/fuzz/support.h"

#include <pthread.h>
#include <string.h>

enum { N_OPTION_BYTES = 5, MOST_WORKERS = 4 };

typedef struct outcome {
    em_status status;
    em_error error;
    em_read_report report;
    uint64_t n_arcs, largest_id, checksum; /* as the sink saw them */
    pthread_mutex_t lock;
} outcome;

static em_status begin(void *state, const em_read_hint *hint, em_error *error)
{
    (void)state, (void)error;
    must(hint->n_workers >= 1, "a team has a worker");
    return EM_OK;
}

static em_status take(void *state, uint32_t worker, const em_arc_batch *batch, em_error *error)
{
    outcome *seen = state;
    (void)worker, (void)error;
    must(batch->n_arcs >= 1 && batch->n_arcs <= EM_BATCH_ARCS, "a batch holds 1 to 4096 arcs");
    must(batch->id_bytes == 4 || batch->id_bytes == 8, "ids have 4 or 8 bytes");
    must((batch->weights == NULL) == (batch->weight_kind == EM_WEIGHT_NONE), "weights and their kind agree");
    uint64_t largest = 0, sum = 0;
    for (uint32_t i = 0; i < batch->n_arcs; i++) {
        uint64_t source, target;
        if (batch->id_bytes == 4) {
            source = ((const uint32_t *)batch->pairs)[2 * (size_t)i];
            target = ((const uint32_t *)batch->pairs)[2 * (size_t)i + 1];
        } else {
            source = ((const uint64_t *)batch->pairs)[2 * (size_t)i];
            target = ((const uint64_t *)batch->pairs)[2 * (size_t)i + 1];
        }
        must(source <= batch->largest_source && target <= batch->largest_target, "the batch's bounds hold");
        largest = source > largest ? source : largest;
        largest = target > largest ? target : largest;
        sum += em_arc_hash(source, target, 0);
    }
    pthread_mutex_lock(&seen->lock);
    seen->n_arcs += batch->n_arcs;
    seen->checksum += sum;
    seen->largest_id = largest > seen->largest_id ? largest : seen->largest_id;
    pthread_mutex_unlock(&seen->lock);
    return EM_OK;
}

static void read_once(const em_read_options *options, uint32_t n_threads, uint64_t chunk_bytes, uint64_t piece_bytes,
                      outcome *seen)
{
    const em_context_options settings = {.n_threads = n_threads,
                                         .memory_limit_bytes = UINT64_C(1) << 28,
                                         .knobs = {.chunk_bytes = chunk_bytes, .piece_bytes = piece_bytes}};
    em_context *context = NULL;
    must(em_context_create(&settings, &context, NULL) == EM_OK, "a context");
    pthread_mutex_init(&seen->lock, NULL);
    const em_arc_sink sink = {.state = seen, .begin = begin, .take = take};
    seen->status = em_read(context, options, &sink, &seen->report, &seen->error);
    must(em_context_memory(context).current_bytes == 0, "all memory was given back");
    pthread_mutex_destroy(&seen->lock);
    em_context_free(context);
}

static void compare(const outcome *one, const outcome *other)
{
    must(one->status == other->status, "the same status for any number of threads");
    if (one->status != EM_OK) {
        must(one->error.message[0] != 0, "an error has a message");
        must(strcmp(one->error.message, other->error.message) == 0, "the same message for any number of threads");
        return;
    }
    must(one->n_arcs == one->report.n_arcs, "the report counts the arcs that came");
    must(one->n_arcs == 0 || one->largest_id < one->report.n_vertices, "ids are below n");
    must(one->n_arcs == other->n_arcs && one->checksum == other->checksum, "the same arcs for any number of threads");
    must(one->report.n_vertices == other->report.n_vertices && one->report.n_lines == other->report.n_lines &&
             one->report.n_comment_lines == other->report.n_comment_lines &&
             one->report.n_blank_lines == other->report.n_blank_lines &&
             one->report.n_skipped_lines == other->report.n_skipped_lines &&
             one->report.n_extra_column_lines == other->report.n_extra_column_lines &&
             one->report.weight_kind == other->report.weight_kind &&
             one->report.arc_checksum == other->report.arc_checksum,
         "the same report for any number of threads");
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n_bytes)
{
    static const char separators[] = {0, 0, ' ', ',', '\t', ';', '|', 0};
    static const char *const columns[] = {NULL, NULL, "2,1", "1,2,3", "1,2,4", "3,1", "a,b", "src,dst,w"};
    static const char *const formats[] = {NULL, "el", "csv", "u32", "u64", NULL, NULL, "el"};
    if (n_bytes < N_OPTION_BYTES)
        return 0;
    memory_file file = memory_file_open(at + N_OPTION_BYTES, n_bytes - N_OPTION_BYTES);
    const char *const path = file.path;
    const em_read_options options = {.paths = &path,
                                     .n_paths = 1,
                                     .separator = separators[at[0] & 7],
                                     .columns = columns[at[0] >> 3 & 7],
                                     .header_lines = at[0] >> 6 & 1,
                                     .base = at[0] >> 7 & 1,
                                     .weights = (em_weights_option)((at[1] & 7) % 6),
                                     .has_vertices = at[1] >> 3 & 1,
                                     .n_vertices = at[1] >> 4,
                                     .from = formats[at[2] & 7],
                                     .on_error = at[2] >> 3 & 1 ? EM_ON_ERROR_SKIP : EM_ON_ERROR_FAIL,
                                     .checksum = true};
    outcome serial = {0}, parallel = {0};
    read_once(&options, 1, 0, 0, &serial);
    read_once(&options, 1 + at[4] % MOST_WORKERS, 1 + at[3], 1 + at[4] / MOST_WORKERS, &parallel);
    compare(&serial, &parallel);
    memory_file_close(&file);
    return 0;
}
