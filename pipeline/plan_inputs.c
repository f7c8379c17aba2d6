/* plan_inputs - see plan_inputs.h.
 *
 * The reader itself is asked: before its first batch it tells what it expects from the file's size and a sample, and
 * then it is stopped. The bound comes from the size alone: a line of two ids has at least four bytes, of three numbers
 * six; and ids that are too sparse for that many arcs are refused, so that vertices are bounded by arcs. A CSR says
 * what it holds in its header.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/plan_inputs.h"

#include "io/csr_file.h"
#include "pipeline/chain.h"
#include "stages/cost.h"
#include "stages/load.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct listener {
    em_read_hint hint;
    uint64_t largest; /* id of the first batch */
    uint8_t weight_kind;
    bool has_begun, has_batch;
} listener;

static em_status begin(void *state, const em_read_hint *hint, em_error *error)
{
    (void)error;
    listener *const heard = state;
    heard->hint = *hint;
    heard->has_begun = true;
    return EM_OK;
}

static em_status take(void *state, uint32_t worker, const em_arc_batch *batch, em_error *error)
{
    (void)worker;
    listener *const heard = state;
    heard->weight_kind = batch->weight_kind;
    heard->largest = em_larger(batch->largest_source, batch->largest_target);
    heard->has_batch = true;
    return em_fail(error, EM_CANCELLED, "seen enough");
}

static bool is_compressed(const char *path)
{
    unsigned char head[4] = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    return n >= 2 && ((head[0] == 0x1f && head[1] == 0x8b) ||
                      (n >= 4 && head[0] == 0x28 && head[1] == 0xb5 && head[2] == 0x2f && head[3] == 0xfd));
}

/* Of a file in the format of its own, which says how much it holds. */
static em_status look_at_csr(em_context *context, em_plan_input *input, uint8_t *weight_kind, em_error *error)
{
    em_csr_file_header header;
    uint64_t checksums[8];
    const em_status status = em_csr_file_facts(context, input->path, &header, checksums, error);
    if (status != EM_OK)
        return status;
    input->n_vertices = header.n_targets ? header.n_targets : header.n_vertices;
    input->n_arcs = input->most_arcs = header.n_arcs;
    input->exact = true;
    *weight_kind = (uint8_t)header.weight_kind;
    return EM_OK;
}

/* One thread reads one piece of the file. */
static em_status look_at_text(const em_read_options *options, em_plan_input *input, uint8_t *weight_kind,
                              em_error *error)
{
    em_context *context = NULL;
    em_read_report report = {0};
    listener heard = {.weight_kind = EM_WEIGHT_UNKNOWN};
    em_error refused = {0};
    em_read_options one = *options;
    one.paths = &input->path;
    one.n_paths = 1;
    one.vertices_from = NULL;
    em_status status = em_context_create(&(em_context_options){.n_threads = 1}, &context, error);
    if (status != EM_OK)
        return status;
    const em_arc_sink sink = {&heard, begin, take};
    status = em_read(context, &one, &sink, &report, &refused);
    em_context_free(context);
    if (status == EM_ENVIRONMENT || status == EM_USAGE || status == EM_NO_MEMORY) {
        em_error_merge(error, &refused);
        return status;
    }
    if (status == EM_OK) { /* it is over before the first arc */
        input->n_vertices = report.n_vertices;
        input->n_arcs = 0;
        *weight_kind = EM_WEIGHT_NONE;
        return EM_OK;
    }
    *weight_kind = heard.has_batch ? heard.weight_kind : EM_WEIGHT_UNKNOWN;
    if (!heard.has_begun || !heard.hint.n_arcs)
        return EM_OK;
    const uint64_t largest = em_larger(heard.largest, em_larger(heard.hint.largest_source, heard.hint.largest_target));
    input->n_arcs = heard.hint.n_arcs;
    input->n_vertices = heard.hint.n_vertices ? heard.hint.n_vertices : largest + 1;
    return EM_OK;
}

/* Arcs that so many bytes can hold. */
static uint64_t most_arcs(const em_plan_input *input, uint8_t weight_kind)
{
    const uint64_t n = input->n_file_bytes;
    if (strcmp(input->format, "u32") == 0)
        return n / 8;
    if (strcmp(input->format, "u64") == 0)
        return n / 16;
    if (strcmp(input->format, "mtx") == 0) /* a symmetric one has each entry twice */
        return 2 * (n / 4 + 1);
    if (strcmp(input->format, "el") == 0 || strcmp(input->format, "csv") == 0)
        return n / (weight_kind != EM_WEIGHT_NONE && weight_kind != EM_WEIGHT_UNKNOWN ? 6 : 4) + 1;
    return n; /* of npz: an index has 4 bytes */
}

static em_status look_at(em_context *context, const em_read_options *options, em_plan_input *input,
                         uint8_t *weight_kind, em_error *error)
{
    const em_format *format = NULL;
    struct stat file;
    *weight_kind = EM_WEIGHT_UNKNOWN;
    if (strcmp(input->path, "-") == 0)
        return EM_OK;
    if (stat(input->path, &file) != 0)
        return em_fail_errno(error, input->path, "open", errno);
    if (!S_ISREG(file.st_mode))
        return EM_OK;
    em_status status = em_format_of_input(context, input->path, options->from, &format, error);
    if (status != EM_OK)
        return status;
    input->format = format->name;
    input->n_file_bytes = (uint64_t)file.st_size;
    if (strcmp(format->name, "csr") == 0)
        return look_at_csr(context, input, weight_kind, error);
    if (strcmp(format->name, "npz") == 0 || strcmp(format->name, "shards") == 0) {
        input->most_arcs = strcmp(format->name, "npz") == 0 ? most_arcs(input, EM_WEIGHT_UNKNOWN) : EM_UNKNOWN;
        return EM_OK;
    }
    if (options->ids == EM_IDS_STRING && is_compressed(input->path))
        return EM_OK;
    status = options->ids == EM_IDS_STRING ? EM_OK : look_at_text(options, input, weight_kind, error);
    if (status != EM_OK || is_compressed(input->path))
        return status;
    input->most_arcs = most_arcs(input, *weight_kind);
    input->exact = strcmp(format->name, "u32") == 0 || strcmp(format->name, "u64") == 0;
    if (input->exact)
        input->n_arcs = input->most_arcs;
    return EM_OK;
}

/* Offsets may take 1 GiB or 64 bytes an arc, and denser ids are ranked in as much. */
static uint64_t most_vertices(uint64_t n_arcs)
{
    const uint64_t least = UINT64_C(1) << 27, n = em_plus(em_times(n_arcs, 8), 1 << 20);
    return n < least ? least : n;
}

static void add_up(const em_load_options *load, em_plan_inputs *found, const em_plan_input *input, uint8_t weight_kind)
{
    em_plan_options *const about = &found->about, *const most = &found->most;
    const bool first = input == found->inputs;
    about->n_arcs = em_plus(about->n_arcs, input->n_arcs);
    most->n_arcs = em_plus(most->n_arcs, input->most_arcs);
    about->n_text_bytes = em_plus(about->n_text_bytes, input->format ? input->n_file_bytes : EM_UNKNOWN);
    about->n_vertices = first ? input->n_vertices : em_larger(about->n_vertices, input->n_vertices);
    if (first || weight_kind == EM_WEIGHT_F64 || weight_kind == EM_WEIGHT_UNKNOWN)
        about->weight_kind = weight_kind;
    static const uint8_t kinds[] = {EM_WEIGHT_UNKNOWN, EM_WEIGHT_NONE, EM_WEIGHT_I32,
                                    EM_WEIGHT_I64,     EM_WEIGHT_F32,  EM_WEIGHT_F64};
    if (load->read.weights != EM_WEIGHTS_AUTO)
        about->weight_kind = kinds[load->read.weights];
    most->weight_kind = about->weight_kind;
}

em_status em_plan_look(const em_pipeline *pipeline, em_plan_inputs *found, em_error *error)
{
    const em_link *const link = pipeline->n_links ? &pipeline->links[0] : NULL;
    *found = (em_plan_inputs){.about = em_plan_options_unknown(), .most = em_plan_options_unknown()};
    if (!link || link->stage != &em_stage_load)
        return EM_OK;
    const em_load_options *const load = link->options;
    void *memory;
    em_status status = em_allocate_array(pipeline->context, load->read.n_paths, sizeof *found->inputs, &memory, error);
    if (status != EM_OK)
        return status;
    found->inputs = memory;
    found->n_inputs = load->read.n_paths;
    found->about.n_arcs = found->most.n_arcs = found->about.n_text_bytes = 0;
    found->is_exact = true;
    for (uint64_t i = 0; i < found->n_inputs && status == EM_OK; i++) {
        uint8_t weight_kind = EM_WEIGHT_UNKNOWN;
        found->inputs[i] = (em_plan_input){
            .path = load->read.paths[i], .n_vertices = EM_UNKNOWN, .n_arcs = EM_UNKNOWN, .most_arcs = EM_UNKNOWN};
        status = look_at(pipeline->context, &load->read, &found->inputs[i], &weight_kind, error);
        add_up(load, found, &found->inputs[i], weight_kind);
        found->is_exact &= found->inputs[i].exact && found->inputs[i].n_vertices != EM_UNKNOWN &&
                           strcmp(found->inputs[i].format, "csr") == 0;
    }
    if (load->read.has_vertices)
        found->about.n_vertices = found->most.n_vertices = load->read.n_vertices;
    else if (found->is_exact)
        found->most.n_vertices = found->about.n_vertices;
    else if (found->most.n_arcs != EM_UNKNOWN)
        found->most.n_vertices = most_vertices(found->most.n_arcs);
    found->most.n_text_bytes = found->about.n_text_bytes;
    found->most.is_bound = !load->read.has_vertices && !found->is_exact;
    if (load->read.ids == EM_IDS_STRING && status == EM_OK) {
        found->about.labels_bytes = EM_UNKNOWN;
        found->most.labels_bytes = found->most.n_text_bytes;
    }
    if (status != EM_OK)
        em_plan_inputs_free(pipeline, found);
    return status;
}

void em_plan_inputs_free(const em_pipeline *pipeline, em_plan_inputs *found)
{
    em_free(pipeline->context, found->inputs, found->n_inputs * sizeof *found->inputs);
    found->inputs = NULL;
    found->n_inputs = 0;
}
