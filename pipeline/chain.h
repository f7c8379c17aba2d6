/* chain - the inside of a pipeline; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_PIPELINE_CHAIN_H
#define EM_PIPELINE_CHAIN_H

#include "pipeline/spec.h"

/* One stage of the chain. It owns its words, to which its options may point. */
typedef struct em_link {
    const em_stage *stage;
    void *options;
    char **words;          /* NULL behind the last; all below, and what place.origin is, are in one allocation */
    em_spec_point *points; /* of every byte of the words, NULs included, which lie one behind another; or NULL */
    uint64_t words_bytes, n_text_bytes;
    em_spec_place place; /* of the stage's name */
} em_link;

struct em_pipeline {
    em_context *context;
    em_link links[EM_LINKS];
    uint32_t n_links;
};

/* em_pipeline_add of a stage that stands in a text at `place`; points[…] of the words' bytes, NULs included, may be
 * NULL. Messages begin with the place of what is wrong. */
em_status em_pipeline_add_at(em_pipeline *pipeline, int argc, char **argv, const em_spec_place *place,
                             const em_spec_point *points, em_error *error);
/* Puts what a stage refused into `error`, behind the place of what it points at, else of the stage. Returns the status.
 */
em_status em_link_refuse(const em_link *link, em_error *refused, em_error *error);
/* Takes the links from number n_links on away. */
void em_pipeline_drop_links(em_pipeline *pipeline, uint32_t n_links);

/* Asks every stage for what a run would refuse before it reads: the check, then files that are not there and the like.
 * Opens no output. */
em_status em_pipeline_refusals(const em_pipeline *pipeline, em_error *error);

/* "load+degrees+offsets": n links from `at` on. */
void em_chain_join_names(const em_pipeline *pipeline, uint32_t at, uint32_t n, char *name, size_t n_bytes);

/* What holds behind the last stage, for a chain that check has passed. */
uint64_t em_pipeline_facts(const em_pipeline *pipeline);

/* Stage sequences that one function replaces: the rows of fusion_list.inc. */
typedef struct em_fusion {
    const char *names[8]; /* NULL behind the last */
    em_fused_run *run;
} em_fusion;

/* The first fusion of the list that the links from `at` on begin with, and its length; NULL: none of two stages. */
const em_fusion *em_fusion_at(const em_pipeline *pipeline, uint32_t at, uint32_t *length);

/* The form of a stage whose `takes` hold; NULL: none. */
const em_form *em_form_for(const em_stage *stage, uint64_t facts);

/* Whether the stage of a link must see a list in memory; em_stage.needs_list. */
bool em_link_needs_list(const em_pipeline *pipeline, const em_link *link);

#endif
