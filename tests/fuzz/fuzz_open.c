/* fuzz_open - files that claim to hold a CSR already: .csr and .npz, told by content.
 *
 * What em_csr_open lets through em_csr_check must judge without a crash, and what that accepts must be safe to walk.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/io.h"
#include "tests/fuzz/support.h"

static void open_once(em_context *context, const char *path)
{
    em_csr csr = {0};
    em_error error = {0};
    const em_status opened = em_csr_open(context, path, &csr, &error);
    must((opened == EM_OK) == (error.status == EM_OK), "an error is set exactly where the call failed");
    if (opened == EM_OK) {
        em_csr_summary summary = {0};
        if (em_csr_check(context, &csr, path, NULL) == EM_OK)
            must(em_csr_summarize(context, &csr, &summary, NULL) == EM_OK, "a checked CSR can be summarized");
    }
    em_csr_free(&csr);
    must(em_context_memory(context).current_bytes == 0, "all memory was given back");
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n_bytes)
{
    const em_context_options settings = {.n_threads = 2, .memory_limit_bytes = UINT64_C(1) << 28};
    em_context *context = NULL;
    must(em_context_create(&settings, &context, NULL) == EM_OK, "a context");
    memory_file file = memory_file_open(at, n_bytes);
    open_once(context, file.path);
    memory_file_close(&file);
    em_context_free(context);
    return 0;
}
