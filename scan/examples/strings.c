/* strings - an operator where the order matters: concatenation, of which the first 24 bytes are kept.
 *
 * a b is not b a, so a scan that ever swaps its arguments is found out; but (a b) c is a (b c), and that is all it
 * needs.
 *
 * Prints:
 *     every|
 *     every prefix|
 *     every prefix of|
 *     every prefix of this|
 *     every prefix of this sen|
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "scan/uses.h"

enum { N = 5 };

static em_status show(em_context *context, em_error *error)
{
    static const char *const WORDS[N] = {"every", " prefix", " of", " this", " sentence"};
    em_first_bytes in[N], out[N] = {{0}};
    for (int i = 0; i < N; i++)
        in[i] = em_first_bytes_of(WORDS[i]);
    const em_scan_call call = {.monoid = em_monoid_first_bytes(), .kind = EM_INCLUSIVE, .in = in, .out = out, .n = N};
    const em_status status = em_scan(context, &call, error);
    for (int i = 0; i < N && status == EM_OK; i++)
        printf("%.*s|\n", (int)out[i].n_bytes, out[i].bytes);
    return status;
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
