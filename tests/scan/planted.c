/* planted - a scan by a few threads over many small tiles, for the thread sanitizer to watch (test_planted.sh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan/kernel.h"

#include <stdio.h>

#define SCAN_KERNEL_LINKAGE /* the library is not linked, so the name is free */
#define FN(name)            SCAN_PASTE(MONOID, name)
#define MONOID              mat2
#include "scan/serial.inc"

enum { N = 200000, TILE_ITEMS = 3, N_THREADS = 4 };

int main(void)
{
    static em_mat2 in[N], out[N];
    for (uint32_t i = 0; i < N; i++) /* generators whose products never collapse */
        in[i] = i % 3 ? (em_mat2){1, 1, 0, 1} : (em_mat2){1, 0, 1, 1};
    em_context *context;
    if (em_context_create(&(em_context_options){.n_threads = N_THREADS}, &context, NULL) != EM_OK)
        return 2;
    const scan_request request = {
        .monoid = &mat2_scalar, .in = in, .out = out, .n = N, .tile_items = TILE_ITEMS, .n_threads = N_THREADS};
    em_mat2 total = mat2_identity(), expected = total;
    const em_status status = scan_lookback(context, &request, &total, NULL);
    em_context_free(context);
    for (uint32_t i = 0; i < N && status == EM_OK; i++) {
        expected = mat2_combine(expected, in[i]);
        if (out[i].a != expected.a || out[i].b != expected.b || out[i].c != expected.c || out[i].d != expected.d) {
            printf("result %u is wrong\n", i);
            return 3;
        }
    }
    return status == EM_OK ? 0 : 2;
}
