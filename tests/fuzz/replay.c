/* replay - runs a fuzz target over files, without libFuzzer: to look at a finding with any compiler and debugger, and
 * as the main of an AFL++ build (afl-fuzz -i … -o … -- PROGRAM @@).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/fuzz/support.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    static uint8_t input[1 << 20];
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 4;
        }
        const size_t n_bytes = fread(input, 1, sizeof input, file);
        fclose(file);
        LLVMFuzzerTestOneInput(input, n_bytes);
    }
    return 0;
}
