#!/bin/sh
# test_check_layers - plants each kind of wrong include in a copy of the tree and sees check_layers.sh refuse it.
#
# SPDX-License-Identifier: Apache-2.0
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
for folder in scan io stages pipeline; do
    cp -R "$root/$folder" "$copy/"
done
mkdir -p "$copy/pipeline/judge"
n=0

expect_refusal() { # FILE LINE
    [ -f "$copy/$1" ] && had=1 && cp "$copy/$1" "$copy/kept" || had=0
    printf '%s\n' "$2" >>"$copy/$1"
    if sh "$root/tests/check_layers.sh" "$copy" >"$copy/said"; then
        echo "accepted in $1: $2"
        exit 1
    fi
    if ! grep -q "^$1:" "$copy/said"; then
        echo "refused something else than $1: $2"
        cat "$copy/said"
        exit 1
    fi
    if [ "$had" = 1 ]; then mv "$copy/kept" "$copy/$1"; else rm "$copy/$1"; fi
    n=$((n + 1))
}

sh "$root/tests/check_layers.sh" "$copy" || exit 1
expect_refusal scan/base/status.h '#include "io/io.h"'
expect_refusal scan/planted.cu '#include "stages/stages.h"'
expect_refusal scan/planted.inc '#  include "pipeline/pipeline.h"'
expect_refusal scan/planted.c '#define TEMPLATE "io/io.h"'
expect_refusal scan/planted.c '#include "tests/support.h"'
expect_refusal io/io.h '#include "stages/stages.h"'
expect_refusal io/planted.c '#include <pipeline/pipeline.h>'
expect_refusal stages/stages.h '#include "pipeline/pipeline.h"'
expect_refusal pipeline/judge/planted.c '#include "scan/base/status.h"'
expect_refusal pipeline/planted.c '#include "pipeline/judge/main.h"'
expect_refusal io/planted.c '#include "io.h"'
expect_refusal io/planted.c '#include "io/no_such_file.h"'
expect_refusal io/planted.c '#pragma omp parallel for'
expect_refusal stages/planted.c '_Pragma("omp simd")'
expect_refusal stages/planted.c '#include <omp.h>'
sh "$root/tests/check_layers.sh" "$copy" >/dev/null || exit 1
echo "refused $n planted includes and pragmas"
