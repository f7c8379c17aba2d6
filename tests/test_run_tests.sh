#!/bin/sh
# test_run_tests - programs that pass, fail, crash, hang or end early, and what run_tests.sh makes of them.
#
# SPDX-License-Identifier: Apache-2.0
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
unset EM_TOTALS

program() { # NAME LINE...: an executable of these lines
    name=$1
    shift
    { echo '#!/bin/sh' && printf '%s\n' "$@"; } >"$scratch/$name"
    chmod +x "$scratch/$name"
}
expect() { # TOTALS STATUS NAME...
    totals=$1
    wanted=$2
    shift 2
    names=
    for name in "$@"; do names="$names $scratch/$name"; done
    # shellcheck disable=SC2086 # names are words
    EM_TEST_SECONDS=1 sh "$root/tests/run_tests.sh" "$scratch" $names >"$scratch/said"
    status=$?
    if [ "$(tail -n 1 "$scratch/said")" != "$totals" ] || [ $status != "$wanted" ]; then
        echo "$*: wanted '$totals' and status $wanted, got status $status and:"
        cat "$scratch/said"
        exit 1
    fi
}

program passes "echo '[==========] 3 test(s) run.'" "echo '[  PASSED  ] 3 test(s).'"
program fails "echo '[==========] 3 test(s) run.'" "echo '[  PASSED  ] 2 test(s).'" \
    "echo '[  FAILED  ] 1 test(s), listed below:'" "echo '[  FAILED  ] a_name'" 'exit 1'
program crashes 'kill -SEGV $$'
program hangs 'exec sleep 20'
program says_nothing 'exit 0'
program leaks "echo '[==========] 3 test(s) run.'" "echo '[  PASSED  ] 3 test(s).'" 'exit 23'
program works.sh 'echo all fine'
program breaks.sh 'echo not fine' 'exit 1'
program skips.sh 'echo nothing to look at' 'exit 77'

expect '3 passed, 0 failed' 0 passes
expect '2 passed, 1 failed' 1 fails
expect '0 passed, 1 failed' 1 crashes
expect '0 passed, 1 failed' 1 hangs
expect '0 passed, 1 failed' 1 says_nothing
expect '3 passed, 1 failed' 1 leaks
expect '1 passed, 0 failed' 0 works.sh
expect '0 passed, 1 failed' 1 breaks.sh
expect '0 passed, 0 failed' 0 skips.sh
expect '9 passed, 6 failed' 1 passes fails crashes hangs says_nothing leaks works.sh breaks.sh skips.sh
echo "counted what passes, fails, crashes, hangs and ends early"
