/* temporaries - see temporaries.h.
 *
 * This table is the one exception to "no global state". A signal handler gets no argument, so what it must unlink can
 * only be found through something process-wide; the table holds nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/temporaries.h"
#include "io/publish.h"

#include <errno.h>
#include <unistd.h>

static const char *temporary_paths[EM_TEMPORARIES]; /* atomic; NULL: free */
static int slots_used;                              /* atomic: no slot from here on was ever claimed */
static int next_slot; /* atomic: where to look first, so that many are claimed in no time */

int em_temporary_claim(const char *path)
{
    const int first = __atomic_load_n(&next_slot, __ATOMIC_RELAXED);
    for (int i = 0; i < EM_TEMPORARIES; i++) {
        const char *expected = NULL;
        const int slot = (first + i) % EM_TEMPORARIES;
        int used = __atomic_load_n(&slots_used, __ATOMIC_RELAXED);
        if (__atomic_load_n(&temporary_paths[slot], __ATOMIC_RELAXED))
            continue;
        while (used <= slot &&
               !__atomic_compare_exchange_n(&slots_used, &used, slot + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            ;
        if (__atomic_compare_exchange_n(&temporary_paths[slot], &expected, path, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
            __atomic_store_n(&next_slot, (slot + 1) % EM_TEMPORARIES, __ATOMIC_RELAXED);
            return slot;
        }
    }
    return -1;
}

void em_temporary_release(int slot)
{
    __atomic_store_n(&temporary_paths[slot], NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&next_slot, slot, __ATOMIC_RELAXED); /* so that few outputs keep to few slots */
}

void em_outputs_unlink_all(void)
{
    const int kept = errno;
    const int n = __atomic_load_n(&slots_used, __ATOMIC_SEQ_CST);
    for (int i = 0; i < n; i++) {
        const char *path = __atomic_load_n(&temporary_paths[i], __ATOMIC_ACQUIRE);
        if (path)
            unlink(path);
    }
    errno = kept;
}
