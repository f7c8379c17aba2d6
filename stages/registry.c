/* registry - the stages there are: those of the library, and those that a program registered on a context.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "stages/stages.h"

#include <string.h>

#define STAGE(name) extern const em_stage em_stage_##name;
#include "stages/stage_list.inc"
#undef STAGE

static const em_stage *const stages[] = {
#define STAGE(name) &em_stage_##name,
#include "stages/stage_list.inc"
#undef STAGE
};
enum { N_STAGES = sizeof stages / sizeof *stages };

/* What a context keeps in its slot. */
typedef struct registered {
    size_t n;
    const em_stage *stages[];
} registered;

static uint64_t registered_bytes(size_t n)
{
    return sizeof(registered) + n * sizeof(const em_stage *);
}

const em_stage *em_stage_at(const em_context *context, size_t i)
{
    if (i < N_STAGES)
        return stages[i];
    const registered *const own = context ? em_context_slot_at(context, EM_SLOT_STAGES) : NULL;
    return own && i - N_STAGES < own->n ? own->stages[i - N_STAGES] : NULL;
}

const em_stage *em_stage_by_name(const em_context *context, const char *name)
{
    const em_stage *stage;
    for (size_t i = 0; (stage = em_stage_at(context, i)); i++)
        if (strcmp(stage->name, name) == 0)
            return stage;
    return NULL;
}

static bool is_word(const char *name)
{
    const size_t n = name ? strlen(name) : 0;
    return n > 0 && n < sizeof((em_tally *)NULL)->stage && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == n;
}

em_status em_stage_register(em_context *context, const em_stage *stage, em_error *error)
{
    if (stage->abi != EM_STAGE_ABI)
        return em_fail(error, EM_USAGE, "a stage of abi %u cannot be registered; this library has %d", stage->abi,
                       EM_STAGE_ABI);
    if (!is_word(stage->name))
        return em_fail(error, EM_USAGE, "a stage cannot be called '%s'", stage->name ? stage->name : "");
    if (em_stage_by_name(context, stage->name) || strcmp(stage->name, "csr") == 0) /* csr is short for three */
        return em_fail(error, EM_USAGE, "there is a stage '%s' already", stage->name);
    const bool runs = stage->run[EM_ENGINE_SERIAL] && stage->run[EM_ENGINE_OPENMP];
    const char *const lacking = !stage->parse                      ? "parse"
                                : !stage->free_options             ? "free_options"
                                : !stage->summary || !stage->usage ? "a summary or usage"
                                : !stage->step && !runs ? "a step, or run for the serial and the OpenMP engine"
                                                        : NULL;
    if (lacking)
        return em_fail(error, EM_USAGE, "stage %s lacks %s", stage->name, lacking);
    const registered *const before = em_context_slot_at(context, EM_SLOT_STAGES);
    const size_t n = before ? before->n : 0;
    void *memory;
    const em_status status = em_allocate(context, registered_bytes(n + 1), &memory, error);
    if (status != EM_OK)
        return status;
    registered *const after = memory;
    if (before)
        memcpy(after, before, registered_bytes(n));
    after->stages[n] = stage;
    after->n = n + 1;
    em_context_slot_set(context, EM_SLOT_STAGES, after, registered_bytes(n + 1));
    return EM_OK;
}
