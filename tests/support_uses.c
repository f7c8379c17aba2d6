/* support_uses - see support_uses.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/support_uses.h"
#include "tests/support_turns.h"

em_context *uses_team(uint32_t n_threads, uint64_t tile_bytes, uint64_t fail)
{
    em_context_options options = {.n_threads = n_threads};
    options.knobs.tile_bytes = tile_bytes;
    options.knobs.serial_below = 1;
    options.knobs.fail_allocation = fail;
    em_context *context = NULL;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

em_context *uses_serial(void)
{
    em_context_options options = {.n_threads = 2};
    options.knobs.serial_below = UINT64_MAX;
    em_context *context = NULL;
    assert_int_equal(em_context_create(&options, &context, NULL), EM_OK);
    return context;
}

static void check_in(em_context *context, void (*check)(em_context *context, void *state), void *state)
{
    check(context, state);
    assert_int_equal(em_context_memory(context).current_bytes, 0);
    em_context_free(context);
}

void uses_in_every_context(void (*check)(em_context *context, void *state), void *state)
{
    static const uint64_t TILES[] = {1, 7, 100, 20000};
    static uint64_t turn;
    check_in(uses_serial(), check, state);
    for (uint32_t n_threads = 1; n_threads <= 5; n_threads++)
        for (size_t i = 0; i < sizeof TILES / sizeof *TILES; i++)
            if (support_turn(&turn))
                check_in(uses_team(n_threads, TILES[i], 0), check, state);
}

void uses_survives_failing_allocations(em_status (*call)(em_context *context, em_error *error))
{
    em_status status = EM_NO_MEMORY;
    uint64_t fail = 0;
    while (status != EM_OK) {
        em_context *context = uses_team(2, 16, ++fail);
        em_error error = {0};
        status = call(context, &error);
        assert_true(status == EM_OK || status == EM_NO_MEMORY);
        assert_int_equal(error.status, status);
        assert_int_equal(em_context_memory(context).current_bytes, 0);
        em_context_free(context);
    }
    assert_true(fail > 1);
}
