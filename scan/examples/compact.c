/* compact - stream compaction: which words have four letters, and where do they go?
 *
 * A sum of flags before each item is the place that it gets, so all threads can move their items at once.
 *
 * Prints:
 *     word     keep position
 *     edge        1        0
 *     vertex      0        1
 *     scan        1        1
 *     tile        1        2
 *     prefix      0        3
 *     sum         0        3
 *     leaf        1        3
 *     head        1        4
 *     5 kept: edge scan tile leaf head
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "scan/uses.h"

enum { N = 8 };

static em_status show(em_context *context, em_error *error)
{
    static const char *const WORDS[N] = {"edge", "vertex", "scan", "tile", "prefix", "sum", "leaf", "head"};
    const char *kept[N];
    uint8_t keep[N];
    uint64_t positions[N + 1], n_kept = 0;
    for (int i = 0; i < N; i++)
        keep[i] = strlen(WORDS[i]) == 4;
    em_status status = em_compact_positions(context, keep, N, positions, error);
    if (status == EM_OK)
        status = em_compact(context, sizeof *WORDS, WORDS, keep, N, kept, &n_kept, error);
    if (status != EM_OK)
        return status;
    printf("word     keep position\n");
    for (int i = 0; i < N; i++)
        printf("%-8s %4d %8d\n", WORDS[i], keep[i], (int)positions[i]);
    printf("%d kept:", (int)n_kept);
    for (uint64_t i = 0; i < n_kept; i++)
        printf(" %s", kept[i]);
    printf("\n");
    return EM_OK;
}

int main(void)
{
    em_context *context = NULL;
    em_error error = {0};
    if (em_context_create(NULL, &context, &error) == EM_OK)
        show(context, &error);
    em_context_free(context);
    if (error.status != EM_OK)
        fprintf(stderr, "%s\n", error.message);
    return em_status_exit(error.status);
}
