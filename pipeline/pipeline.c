/* pipeline - chains of stages: building and checking them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"

#include <stdio.h>
#include <stdlib.h>
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
    for (uint32_t i = 0; i < pipeline->n_links; i++) {
        em_link *const link = &pipeline->links[i];
        link->stage->free_options(pipeline->context, link->options);
        em_free(pipeline->context, link->words, link->words_bytes);
    }
    em_free(pipeline->context, pipeline, sizeof *pipeline);
}

/* Copies argv into one allocation: the pointers, a NULL, then the text. */
static em_status copy_words(em_context *context, int argc, char **argv, em_link *link, em_error *error)
{
    uint64_t n_bytes = ((uint64_t)argc + 1) * sizeof(char *);
    for (int i = 0; i < argc; i++)
        n_bytes += strlen(argv[i]) + 1;
    void *memory;
    const em_status status = em_allocate(context, n_bytes, &memory, error);
    if (status != EM_OK)
        return status;
    link->words = memory;
    link->words_bytes = n_bytes;
    char *text = (char *)(link->words + argc + 1);
    for (int i = 0; i < argc; i++) {
        link->words[i] = text;
        text = stpcpy(text, argv[i]) + 1;
    }
    link->words[argc] = NULL;
    return EM_OK;
}

em_status em_pipeline_add(em_pipeline *pipeline, int argc, char **argv, em_error *error)
{
    const em_stage *const stage = argc > 0 ? em_stage_by_name(pipeline->context, argv[0]) : NULL;
    if (!stage)
        return em_fail(error, EM_USAGE, "no stage is called '%s'; see 'edgemill stages'", argc > 0 ? argv[0] : "");
    if (pipeline->n_links == EM_LINKS)
        return em_fail(error, EM_USAGE, "a pipeline has at most %d stages", EM_LINKS);
    em_link *const link = &pipeline->links[pipeline->n_links];
    *link = (em_link){.stage = stage};
    em_status status = copy_words(pipeline->context, argc, argv, link, error);
    if (status == EM_OK)
        status = stage->parse(pipeline->context, argc, link->words, &link->options, error);
    if (status == EM_OK)
        pipeline->n_links++;
    else
        em_free(pipeline->context, link->words, link->words_bytes);
    return status;
}

const em_form *em_form_for(const em_stage *stage, uint64_t facts)
{
    for (uint32_t i = 0; i < 2; i++) {
        const em_form *const form = &stage->forms[i];
        const bool empty = i > 0 && !form->takes && !form->gives && !form->keeps;
        if (!empty && (form->takes & ~facts) == 0)
            return form;
    }
    return NULL;
}

static const char *fact_name(uint64_t fact)
{
    switch (fact) {
    case EM_HAS_EDGES:
        return "a coordinate list";
    case EM_HAS_DEGREES:
        return "degrees";
    case EM_HAS_OFFSETS:
        return "offsets";
    case EM_HAS_CSR:
        return "a CSR";
    case EM_SORTED:
        return "ordered rows";
    default:
        return "something";
    }
}

static const char *giver_of(const em_context *context, uint64_t fact)
{
    const em_stage *stage;
    for (size_t i = 0; (stage = em_stage_at(context, i)); i++)
        if ((stage->forms[0].gives | stage->forms[1].gives) & fact)
            return stage->name;
    return "no stage";
}

em_status em_pipeline_check(const em_pipeline *pipeline, em_error *error)
{
    uint64_t facts = 0;
    if (pipeline->n_links == 0)
        return em_fail(error, EM_USAGE, "an empty pipeline");
    for (uint32_t i = 0; i < pipeline->n_links; i++) {
        const em_stage *const stage = pipeline->links[i].stage;
        const em_form *const form = em_form_for(stage, facts);
        if (!form) {
            const uint64_t lacking = stage->forms[0].takes & ~facts, first = lacking & -lacking;
            return em_fail(error, EM_USAGE, "stage %u, %s, needs %s, which %s gives%s", i + 1, stage->name,
                           fact_name(first), giver_of(pipeline->context, first),
                           i ? ", and the stages in front of it do not leave it" : "; it is the first stage");
        }
        facts = (facts & form->keeps) | form->gives;
    }
    return EM_OK;
}

static const em_fusion fusions[] = {
#define FUSION(function, ...) {{__VA_ARGS__}, function},
#include "pipeline/fusion_list.inc"
#undef FUSION
};

/* Whether the stage of a link can be one of "*" in a fusion; `first` of a list in memory. */
static bool steps_along(const em_link *link, bool first)
{
    return link->stage->step && (first || !link->stage->needs_list || !link->stage->needs_list(link->options));
}

/* How many links from `at` on a fusion covers; 0: it does not fit. */
static uint32_t covered(const em_pipeline *pipeline, uint32_t at, const em_fusion *fusion)
{
    uint32_t end = at;
    for (uint32_t i = 0; fusion->names[i]; i++) {
        if (strcmp(fusion->names[i], "*") == 0) {
            while (end < pipeline->n_links && steps_along(&pipeline->links[end], end == at))
                end++;
        } else {
            const em_link *const link = &pipeline->links[end];
            const bool loads = end == at && i == 0 && link->stage->needs_list; /* nothing can follow at once */
            if (end == pipeline->n_links || strcmp(link->stage->name, fusion->names[i]) != 0 ||
                (loads && link->stage->needs_list(link->options)))
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
