/* keep - steps that keep some arcs and drop the others, in order: a rule sets a bit for each arc to keep, and what is
 * kept moves together; not installed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EM_STAGES_KEEP_H
#define EM_STAGES_KEEP_H

#include "stages/stages.h"

typedef struct em_keep_rule {
    /* Sets bit i % 64 of bits[i / 64] where arc i stays; bits past the last arc may be anything. Any worker. An error
     * is EM_MALFORMED at the arc's position. */
    em_status (*test)(const void *state, uint32_t worker, const em_arcs *arcs, uint64_t *bits, em_error *error);
    void *state; /* n_bytes from em_allocate, freed with the step; NULL: none */
    uint64_t n_bytes;
    void (*release)(em_context *context, void *state); /* before that; NULL: nothing */
} em_keep_rule;

/* A step by such a rule; what is dropped is told as `what` ("loops dropped") of the stage that runs. Takes over the
 * rule's state, also when it fails. */
em_status em_keep_open(em_run *run, const char *what, em_keep_rule rule, em_step *step, em_error *error);

/* em_stage.needs_list of a rule that counts over all arcs first, or goes by their numbers. */
bool em_always_needs_list(const void *options, bool knows_weights);

/* bits[] of `arcs` by RULE(source, target), an expression over two ids. */
#define EM_KEEP_BITS(arcs, bits, RULE)                                                                                 \
    do {                                                                                                               \
        if ((arcs)->id_bytes == 4)                                                                                     \
            EM_KEEP_BITS_OF(uint32_t, arcs, bits, RULE);                                                               \
        else                                                                                                           \
            EM_KEEP_BITS_OF(uint64_t, arcs, bits, RULE);                                                               \
    } while (0)
#define EM_KEEP_BITS_OF(type, arcs, bits, RULE)                                                                        \
    do {                                                                                                               \
        const type *pair_ = (arcs)->pairs;                                                                             \
        for (uint32_t word_ = 0; word_ * 64 < (arcs)->n_arcs; word_++) {                                               \
            const uint32_t left_ = (arcs)->n_arcs - word_ * 64, n_ = left_ < 64 ? left_ : 64;                          \
            uint64_t kept_ = 0;                                                                                        \
            for (uint32_t i_ = 0; i_ < n_; i_++, pair_ += 2)                                                           \
                kept_ |= (uint64_t)RULE(pair_[0], pair_[1]) << i_;                                                     \
            (bits)[word_] = kept_;                                                                                     \
        }                                                                                                              \
    } while (0)

#endif
