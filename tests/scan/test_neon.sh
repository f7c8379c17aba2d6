#!/bin/sh
# test_neon - the AArch64 kernels against the scalar ones, on this machine: test_simd.c built with the cross compiler,
# without cmocka, and run by qemu's user emulation.
#
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."
cc=${CC_AARCH64:-aarch64-linux-gnu-gcc}
for program in "$cc" qemu-aarch64; do
    command -v "$program" >/dev/null || { echo "no $program"; exit 77; }
done
into=$(mktemp -d)
trap 'rm -rf "$into"' EXIT
"$cc" -std=gnu17 -D_GNU_SOURCE -DWITHOUT_CMOCKA -I. -O2 -Wall -Wextra -Werror -ffp-contract=off -fopenmp -pthread \
    -static tests/scan/test_simd.c scan/simd_*neon.c scan/serial.c scan/monoid_table.c scan/base/*.c -lm \
    -o "$into/test_simd"
qemu-aarch64 "$into/test_simd"
echo passed
