#!/bin/sh
# lint - clang-format, clang-tidy, cppcheck, shellcheck and the layers; every step says what it looked at.
#
#   lint.sh "COMPILER FLAGS"
#
# All steps run; the exit status tells whether one of them found something.
#
# SPDX-License-Identifier: Apache-2.0
set -u
flags="$1 $(pkg-config --cflags igraph 2>/dev/null)"
jobs=$(nproc 2>/dev/null || echo 2)
wrong=0
folders='scan io stages pipeline tests'
# shellcheck disable=SC2086 # folders are words
sources() { find $folders -type f \( "$@" \) | LC_ALL=C sort; }

step() { # NAME COMMAND...
    name=$1
    shift
    began=$(date +%s)
    if "$@"; then result=fine; else result=FAILED && wrong=1; fi
    echo "== $name: $result, $(($(date +%s) - began)) s"
}

format() {
    # Include-templates (*.inc) are left out: clang-format does not see that FN(name)(…) is a call or a declaration.
    files=$(sources -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cc')
    echo "clang-format: $(echo "$files" | wc -l) files"
    echo "$files" | xargs clang-format --dry-run -Werror
}

# gcc's flags that clang does not know are taken out; instruction sets come back by file name.
tidy_one='
    case $1 in
    *_avx2.c) isa="-mavx2 -mbmi -mbmi2 -mlzcnt" ;;
    *_avx512.c) isa="-mavx2 -mbmi -mbmi2 -mlzcnt -mavx512f -mavx512bw -mavx512vl -mavx512dq" ;;
    *) isa= ;;
    esac
    case $1 in
    scan/base/status.c | pipeline/judge/*) model= ;;
    *) model="-include tests/lint_model.h" ;;
    esac
    out=$(clang-tidy --quiet --warnings-as-errors="*" "$1" -- $flags $model $isa 2>/dev/null) || { printf "%s\n" "$out"; exit 1; }
'
tidy() {
    files=$(sources -name '*.c' -not -path 'tests/bench/*' -not -path 'tests/pipeline/user_stage/*')
    echo "clang-tidy: $(echo "$files" | wc -l) files"
    export flags
    echo "$files" | xargs -P "$jobs" -n 1 sh -c "$tidy_one" tidy
}

check_cpp() {
    echo "cppcheck: scan io stages pipeline tests"
    mkdir -p build/cppcheck
    # shellcheck disable=SC2046,SC2086
    cppcheck --quiet --enable=warning,performance,portability --error-exitcode=1 --inline-suppr -j "$jobs" \
        --std=c11 --language=c -I. --suppressions-list=.cppcheck --cppcheck-build-dir=build/cppcheck \
        -D__x86_64__ -D_GNU_SOURCE -DEM_HAVE_ISAL -i tests/bench $(find $folders -name '*.c' -not -path 'tests/bench/*')
}

shell_scripts() {
    files=$(find tests datasets .ci -type f \( -name '*.sh' -o -name run \) | LC_ALL=C sort)
    echo "shellcheck: $(echo "$files" | wc -l) files"
    echo "$files" | xargs shellcheck
}

step clang-format format
step clang-tidy tidy
step cppcheck check_cpp
step shellcheck shell_scripts
step layers sh tests/check_layers.sh .
exit $wrong
