#!/bin/sh
# test_planted - the thread sanitizer finds a look-back whose release or acquire is missing, and nothing in ours.
#
# On x86 a missing order changes no instruction, so results stay right: only a tool that knows orders can tell. The
# engine is built from its few sources, with an operator of its own.
#
# SPDX-License-Identifier: Apache-2.0
set -u
cd "$(dirname "$0")/../.." || exit 1
cc=${CC:-cc}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

echo 'int main(void) { return 0; }' >"$folder/none.c"
if ! $cc -fsanitize=thread "$folder/none.c" -o "$folder/none" 2>"$folder/said"; then
    echo "$cc has no thread sanitizer"
    exit 77
fi
# The sanitizer of gcc 12 cannot place its shadow where address space layout is very random.
prefix=
if setarch -R true 2>/dev/null; then
    prefix='setarch -R'
fi
# shellcheck disable=SC2086 # the prefix is a command and its option, or nothing
if ! $prefix "$folder/none" >"$folder/said" 2>&1; then
    echo "the thread sanitizer does not run here"
    exit 77
fi

flags='-std=gnu17 -D_GNU_SOURCE -I. -O1 -g -fsanitize=thread -fopenmp -pthread -ffp-contract=off'
for source in tests/scan/planted.c scan/base/context.c scan/base/memory.c scan/base/pages.c scan/base/status.c \
    scan/base/parallel.c; do
    name=${source##*/}
    # shellcheck disable=SC2086
    $cc $flags -c "$source" -o "$folder/${name%.c}.o" || exit 1
done

built() { # NAME FLAGS...
    name=$1
    shift
    # shellcheck disable=SC2086
    $cc $flags "$@" -c scan/engine_lookback.c -o "$folder/engine_$name.o" &&
        $cc $flags "$folder/engine_$name.o" "$folder"/[cmps]*.o -lm -o "$folder/$name"
}
run() { # NAME TIMES: until a run fails; a busy machine may let one thread do it all
    for _ in $(seq "$2"); do
        # shellcheck disable=SC2086
        TSAN_OPTIONS=halt_on_error=1:exitcode=66 $prefix "$folder/$1" >"$folder/said" 2>&1
        result=$?
        [ $result = 0 ] || return $result
    done
}

built right || exit 1
run right 3 || {
    echo "the look-back as it is: status $?"
    cat "$folder/said"
    exit 1
}
for order in RELEASE ACQUIRE; do
    built "without_$order" -D$order=__ATOMIC_RELAXED '-DLOOKBACK_ACCESSES="tests/scan/planted_accesses.h"' || exit 1
    run "without_$order" 20
    result=$?
    if [ $result != 66 ] || ! grep -q 'WARNING: ThreadSanitizer: data race' "$folder/said"; then
        echo "a missing $order was not found: status $result"
        cat "$folder/said"
        exit 1
    fi
done
echo "a missing release and a missing acquire were found, and nothing else"
