/* pipeline - chains of stages, and what fuses in them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"
#include "pipeline/nearest.h"
#include "stages/load.h"

#include <string.h>

em_status em_pipeline_create(em_context *context, em_pipeline **pipeline, em_error *error)
{
    void *memory;
    const em_status status = em_allocate_zeroed(context, sizeof **pipeline, &memory, error);
    *pipeline = memory;
    if (status == EM_OK)
        (*pipeline)->context = context;
    return status;
}

void em_pipeline_free(em_pipeline *pipeline)
{
    if (!pipeline)
        return;
    em_pipeline_drop_links(pipeline, 0);
    em_free(pipeline->context, pipeline, sizeof *pipeline);
}

void em_pipeline_drop_links(em_pipeline *pipeline, uint32_t n_links)
{
    while (pipeline->n_links > n_links) {
        em_link *const link = &pipeline->links[--pipeline->n_links];
        link->stage->free_options(pipeline->context, link->options);
        em_free(pipeline->context, link->words, link->words_bytes);
    }
}

/* Copies argv into one allocation: the pointers, a NULL, the points, then the text, then the name of where it comes
 * from. */
static em_status copy_words(em_context *context, int argc, char **argv, const em_spec_point *points, em_link *link,
                            em_error *error)
{
    const char *const origin = link->place.origin;
    uint64_t n_text = 0, n_bytes = ((uint64_t)argc + 1) * sizeof(char *) + (origin ? strlen(origin) + 1 : 0);
    for (int i = 0; i < argc; i++)
        n_text += strlen(argv[i]) + 1;
    const uint64_t n_points = points ? n_text : 0;
    n_bytes += n_text + n_points * sizeof *points;
    void *memory;
    const em_status status = em_allocate(context, n_bytes, &memory, error);
    if (status != EM_OK)
        return status;
    link->words = memory;
    link->words_bytes = n_bytes;
    link->n_text_bytes = n_text;
    em_spec_point *const kept = (em_spec_point *)(link->words + argc + 1);
    char *text = (char *)(kept + n_points);
    if (points) {
        memcpy(kept, points, n_points * sizeof *points);
        link->points = kept;
    }
    for (int i = 0; i < argc; i++) {
        link->words[i] = text;
        text = stpcpy(text, argv[i]) + 1;
    }
    link->words[argc] = NULL;
    if (origin)
        link->place.origin = strcpy(text, origin);
    return EM_OK;
}

/* The byte of the words that a message names: of an option the whole is wrong, of an operand, which may be a long
 * expression, the letter. EM_UNKNOWN: `at` is nowhere in the words. */
static uint64_t named_byte(const em_link *link, const char *at)
{
    const char *const text = link->words ? link->words[0] : NULL;
    if (!at || !text || at < text || at >= text + link->n_text_bytes)
        return EM_UNKNOWN;
    const char *word = text;
    for (char **next = link->words; *next && *next <= at; next++)
        word = *next;
    return (uint64_t)((strncmp(word, "--", 2) == 0 ? word : at) - text);
}

em_status em_link_refuse(const em_link *link, em_error *refused, em_error *error)
{
    em_spec_place place = link->place;
    const uint64_t byte = named_byte(link, refused->at);
    if (link->points && byte != EM_UNKNOWN) {
        place.line = link->points[byte].line;
        place.column = link->points[byte].column;
    }
    refused->at = NULL; /* it may be gone soon */
    em_spec_place_error(refused, &place);
    em_error_merge(error, refused);
    return refused->status;
}

static em_status unknown(const em_pipeline *pipeline, const char *word, em_error *error)
{
    enum { MOST = 256 };
    const char *names[MOST];
    size_t n = 0;
    const em_stage *stage;
    for (size_t i = 0; i < MOST && (stage = em_stage_at(pipeline->context, i)); i++)
        names[n++] = stage->name;
    for (size_t i = 0; n < MOST && em_macro_at(i); i++)
        names[n++] = em_macro_at(i)->name;
    const char *const near = em_nearest(word, names, n);
    return near ? em_fail(error, EM_USAGE, "no stage is called '%s'; did you mean '%s'?", word, near)
                : em_fail(error, EM_USAGE, "no stage is called '%s'; 'edgemill stages' lists those there are", word);
}

em_status em_pipeline_add(em_pipeline *pipeline, int argc, char **argv, em_error *error)
{
    return em_pipeline_add_at(pipeline, argc, argv, &(em_spec_place){0}, NULL, error);
}

em_status em_pipeline_add_at(em_pipeline *pipeline, int argc, char **argv, const em_spec_place *place,
                             const em_spec_point *points, em_error *error)
{
    const em_stage *const stage = argc > 0 ? em_stage_by_name(pipeline->context, argv[0]) : NULL;
    em_link link = {.stage = stage, .place = *place};
    em_error refused = {0};
    if (!stage || pipeline->n_links == EM_LINKS) {
        if (stage)
            em_fail(&refused, EM_USAGE, "a pipeline has at most %d stages", EM_LINKS);
        else
            unknown(pipeline, argc > 0 ? argv[0] : "", &refused);
        return em_link_refuse(&link, &refused, error);
    }
    em_status status = copy_words(pipeline->context, argc, argv, points, &link, &refused);
    if (status == EM_OK)
        status = stage->parse(pipeline->context, argc, link.words, &link.options, &refused);
    if (status != EM_OK) {
        em_link_refuse(&link, &refused, error);
        em_free(pipeline->context, link.words, link.words_bytes);
        return status;
    }
    pipeline->links[pipeline->n_links++] = link;
    return EM_OK;
}

static const em_fusion fusions[] = {
#define FUSION(function, ...) {{__VA_ARGS__}, function},
#include "pipeline/fusion_list.inc"
#undef FUSION
};

bool em_link_needs_list(const em_pipeline *pipeline, const em_link *link)
{
    const em_link *const source = &pipeline->links[0];
    const bool knows_weights = source->stage == &em_stage_load && em_load_knows_weights(source->options);
    return link->stage->needs_list && link->stage->needs_list(link->options, knows_weights);
}

/* Whether the stage of a link can be one of "*" in a fusion; `first` of a list in memory. */
static bool steps_along(const em_pipeline *pipeline, const em_link *link, bool first)
{
    return link->stage->step && (first || !em_link_needs_list(pipeline, link));
}

/* How many links from `at` on a fusion covers; 0: it does not fit. */
static uint32_t covered(const em_pipeline *pipeline, uint32_t at, const em_fusion *fusion)
{
    uint32_t end = at;
    for (uint32_t i = 0; fusion->names[i]; i++) {
        if (strcmp(fusion->names[i], "*") == 0) {
            while (end < pipeline->n_links && steps_along(pipeline, &pipeline->links[end], end == at))
                end++;
        } else {
            const em_link *const link = &pipeline->links[end];
            if (end == pipeline->n_links || strcmp(link->stage->name, fusion->names[i]) != 0 ||
                (i == 0 && em_link_needs_list(pipeline, link))) /* a load that nothing can follow at once */
                return 0;
            end++;
        }
    }
    return end - at;
}

const em_fusion *em_fusion_at(const em_pipeline *pipeline, uint32_t at, uint32_t *length)
{
    for (size_t i = 0; i < sizeof fusions / sizeof *fusions; i++) {
        *length = covered(pipeline, at, &fusions[i]);
        if (*length > 1)
            return &fusions[i];
    }
    return NULL;
}
