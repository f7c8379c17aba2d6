/* check - refuses chains that cannot work, before anything is opened: a walk over what every stage takes, gives, keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipeline/chain.h"

#include <stdio.h>
#include <string.h>

enum { FACTS = 64, HAS = EM_HAS_EDGES | EM_HAS_DEGREES | EM_HAS_OFFSETS | EM_HAS_CSR };

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

uint64_t em_pipeline_facts(const em_pipeline *pipeline)
{
    uint64_t facts = 0;
    for (uint32_t i = 0; i < pipeline->n_links; i++) {
        const em_form *const form = em_form_for(pipeline->links[i].stage, facts);
        facts = form ? (facts & form->keeps) | form->gives : facts;
    }
    return facts;
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
    case EM_HAS_POSITIONS:
        return "positions";
    case EM_HAS_PARTS:
        return "parts";
    case EM_SORTED:
        return "sorted arcs";
    case EM_UNIQUE:
        return "arcs without duplicates";
    case EM_NO_LOOPS:
        return "arcs without loops";
    case EM_SYMMETRIC:
        return "a symmetric graph";
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
    return NULL;
}

/* --- what is said ------------------------------------------------------------------------------------------ */

/* The chain up to a stage. */
typedef struct check_walk {
    const em_pipeline *pipeline;
    uint64_t facts;
    uint32_t users[FACTS]; /* number, from 1, of the last stage that used a fact up */
} check_walk;

/* "column 12: sort", or "stage 4, sort," in a chain that comes from no text. */
static void name_link(char *text, size_t n_bytes, const em_pipeline *pipeline, uint32_t index)
{
    const em_link *const link = &pipeline->links[index];
    char place[512];
    if (link->place.column)
        snprintf(text, n_bytes, "%s%s", em_spec_place_text(place, sizeof place, &link->place), link->stage->name);
    else
        snprintf(text, n_bytes, "stage %u, %s,", index + 1, link->stage->name);
}

/* Where a stage that used something up stands, in few words. */
static void name_user(char *text, size_t n_bytes, const em_pipeline *pipeline, uint32_t index)
{
    const em_link *const link = &pipeline->links[index];
    const em_spec_place *const place = &link->place;
    if (!place->column)
        snprintf(text, n_bytes, "stage %u, %s", index + 1, link->stage->name);
    else if (place->many_lines)
        snprintf(text, n_bytes, "%s at line %u, column %u", link->stage->name, place->line, place->column);
    else
        snprintf(text, n_bytes, "%s at column %u", link->stage->name, place->column);
}

/* "a CSR, which scatter gives". */
static void describe_lack(char *text, size_t n_bytes, const check_walk *walk, uint64_t fact)
{
    const char *const giver = giver_of(walk->pipeline->context, fact);
    snprintf(text, n_bytes, "%s, which %s%s%s", fact_name(fact), giver ? giver : "no stage", " gives",
             giver && strcmp(giver, "scatter") == 0 ? " (csr is short for degrees | offsets | scatter)" : "");
}

static em_status refuse(const check_walk *walk, uint32_t index, em_error *error)
{
    const em_stage *const stage = walk->pipeline->links[index].stage;
    char who[640], lacks[2][256], why[256] = "";
    uint64_t firsts[2] = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t lacking = stage->forms[i].takes & ~walk->facts, first = lacking & -lacking;
        if (!lacking || (n && firsts[0] == first))
            continue;
        firsts[n] = first;
        describe_lack(lacks[n], sizeof lacks[n], walk, first);
        n++;
    }
    name_link(who, sizeof who, walk->pipeline, index);
    const uint32_t user = walk->users[__builtin_ctzll(firsts[0])];
    if (user) {
        char what[160];
        name_user(what, sizeof what, walk->pipeline, user - 1);
        snprintf(why, sizeof why, "; %s uses up what there was", what);
    } else {
        snprintf(why, sizeof why, "%s",
                 index ? "; no stage in front of it does" : "; and it is the first stage, with nothing in front of it");
    }
    return em_fail(error, EM_USAGE, "%s needs %s%s%s%s", who, lacks[0], n > 1 ? ", or " : "", n > 1 ? lacks[1] : "",
                   why);
}

/* A source in the middle would throw away what is there. */
static em_status refuse_source(const check_walk *walk, uint32_t index, em_error *error)
{
    char who[640];
    name_link(who, sizeof who, walk->pipeline, index);
    return em_fail(error, EM_USAGE,
                   "%s would throw away what the stages in front of it made; one load reads several files as one list",
                   who);
}

/* What the options of a stage ask for beyond its forms, such as positions, is known to its estimate. */
static em_status ask_estimate(const check_walk *walk, const em_link *link, em_error *error)
{
    const em_shape in = {EM_UNKNOWN, EM_UNKNOWN, walk->facts, .text_bytes = EM_UNKNOWN,
                         .weight_kind = EM_WEIGHT_UNKNOWN};
    em_shape out = in;
    em_cost cost = {0};
    em_error refused = {0};
    if (!link->stage->estimate)
        return EM_OK;
    const em_status status = link->stage->estimate(walk->pipeline->context, link->options, &in, &out, &cost, &refused);
    return status == EM_OK ? EM_OK : em_link_refuse(link, &refused, error);
}

em_status em_pipeline_check(const em_pipeline *pipeline, em_error *error)
{
    check_walk walk = {.pipeline = pipeline};
    if (pipeline->n_links == 0)
        return em_fail(error, EM_USAGE, "an empty pipeline");
    for (uint32_t i = 0; i < pipeline->n_links; i++) {
        const em_link *const link = &pipeline->links[i];
        const em_form *const form = em_form_for(link->stage, walk.facts);
        if (!form)
            return refuse(&walk, i, error);
        if (!form->takes && walk.facts & HAS && !(form->keeps & walk.facts & HAS))
            return refuse_source(&walk, i, error);
        const em_status status = ask_estimate(&walk, link, error);
        if (status != EM_OK)
            return status;
        const uint64_t after = (walk.facts & form->keeps) | form->gives;
        for (uint64_t used = walk.facts & ~after; used; used &= used - 1)
            walk.users[__builtin_ctzll(used)] = i + 1;
        walk.facts = after;
    }
    return EM_OK;
}
