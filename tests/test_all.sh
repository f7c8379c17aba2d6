#!/bin/sh
# test_all - everything that must hold, step by step, each timed: what 'make test' runs once packages are there.
#
# Builds share nothing (build/release, build/asan, …), so a step can be repeated alone: make check VARIANT=asan.
# Every step runs even when one before it failed. The last line is "N passed, N failed" over all cmocka tests and
# script checks; a build that fails counts as one failed check. With NO_DEPS=1 steps whose tools are absent are
# skipped and say so; without it 'make deps-test' has brought the tools.
#
# SPDX-License-Identifier: Apache-2.0
set -u
cd "$(dirname "$0")/.." || exit 2
make=${MAKE:-make}
jobs=$(nproc 2>/dev/null || echo 2)
mkdir -p build
EM_TOTALS=$(pwd)/build/totals
export EM_TOTALS
: >"$EM_TOTALS"
began_all=$(date +%s)

passed() { echo "1 0" >>"$EM_TOTALS"; }
failed() { echo "0 1" >>"$EM_TOTALS"; }
quietly() { # LOG COMMAND...: shows the end of the log where the command fails
    log=$1
    shift
    "$@" >"$log" 2>&1 && return 0
    grep -nE 'error|Error|undefined|warning:' "$log" | head -n 20
    tail -n 20 "$log"
    return 1
}
step() { # NAME COMMAND...
    title=$1
    shift
    printf '\n== %s\n' "$title"
    began=$(date +%s)
    "$@"
    result=$?
    echo "== $title: $([ $result = 0 ] && echo fine || echo FAILED), $(($(date +%s) - began)) s"
}
build_of() { # NAME MAKE-WORDS...: one check
    name=$1
    shift
    # shellcheck disable=SC2086 # make may come with options
    if quietly "build/build-$name.log" $make --no-print-directory NO_DEPS=1 -j"$jobs" "$@"; then
        passed
    else
        echo "build of $name failed (build/build-$name.log)"
        failed
        return 1
    fi
}
programs() { # VARIANT [PATTERN]: test programs whose source matches
    variant=$1
    for source in tests/*/test_*.c; do
        case $source in tests/bench/* | tests/fuzz/*) continue ;; esac
        if [ $# -lt 2 ] || grep -qE "$2" "$source"; then
            name=${source%.c}
            echo "build/$variant/$name"
        fi
    done
}
scripts() { find tests -name 'test_*.sh' ! -name test_all.sh | LC_ALL=C sort; }
skip() { echo "skipped: $1"; }
share() { [ -n "${EM_TEST_LONG:-}" ] && echo 1 || echo "$1"; } # one repetition of so many, see tests/support_turns.h

release() {
    build_of release VARIANT=release tests || return 1
    # shellcheck disable=SC2046 # names of programs have no blanks
    MAKE=$make sh tests/run_tests.sh build/release $(programs release) $(scripts)
}
layers() {
    if sh tests/check_layers.sh .; then passed; else failed && return 1; fi
}
address() {
    build_of asan VARIANT=asan tests || return 1
    # shellcheck disable=SC2046
    EM_TEST_SHARE=$(share 2) sh tests/run_tests.sh build/asan $(programs asan)
}
# What compares numbers, or repeats with chance what another test does by hand, is left out: it takes minutes here.
threads() {
    build_of tsan VARIANT=tsan tests || return 1
    # shellcheck disable=SC2046
    EM_TEST_SHARE=$(share 4) sh tests/run_tests.sh build/tsan \
        $(programs tsan 'n_threads|pthread|em_parallel|threads' | grep -vE '/test_(plan|labels_random)$')
}
with_clang() {
    command -v clang >/dev/null || { skip "no clang"; return 0; }
    build_of clang CC=clang BUILD=build/clang NO_CUDA=1 tests || return 1
    # shellcheck disable=SC2046
    sh tests/run_tests.sh build/clang $(programs clang)
}
# zlib alone inflates, and no CUDA: the other side of each switch. Headers of the libraries are the host's: they do not
# depend on the machine, and nothing is linked.
with_aarch64() {
    command -v aarch64-linux-gnu-gcc >/dev/null || { skip "no aarch64-linux-gnu-gcc"; return 0; }
    build_of aarch64 CC=aarch64-linux-gnu-gcc BUILD=build/aarch64 NO_CUDA=1 NO_ISAL=1 \
        CFLAGS=-O1 EXTRA_CFLAGS='-idirafter /usr/include' objects
}
without_isal() {
    build_of zlib BUILD=build/zlib NO_CUDA=1 NO_ISAL=1 CFLAGS=-O1 all
}
fuzzing() {
    command -v clang >/dev/null || { skip "no clang"; return 0; }
    if $make --no-print-directory NO_DEPS=1 fuzz FUZZ_SECONDS="${FUZZ_SECONDS:-10}" >build/fuzz.log 2>&1; then
        grep -E '^(fuzz|skipped)' build/fuzz.log
        passed
    else
        tail -n 60 build/fuzz.log
        failed
        return 1
    fi
}
cases() {
    sh tests/run_cases.sh build/release
}

step "release: build and all tests" release
step "layers" layers
step "cases" cases
step "address and undefined behaviour" address
step "threads" threads
step "clang" with_clang
step "aarch64 compiles" with_aarch64
step "without libisal and CUDA" without_isal
step "fuzzers" fuzzing

printf '\nall steps: %s s\n' "$(($(date +%s) - began_all))"
awk '{ passed += $1; failed += $2 } END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 || !passed }' "$EM_TOTALS"
