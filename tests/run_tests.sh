#!/bin/sh
# run_tests - runs cmocka programs and test scripts, shows their closing lines, adds up passed and failed.
#
#   run_tests.sh BUILD PROGRAM...
#
# A program that crashes, hangs or ends without closing lines counts as one failure more than it admits. A script
# (*.sh, *.py) is one test; 77 means skipped. Everything printed is kept in BUILD/logs/, shown only where it helps.
# EM_TEST_SECONDS bounds one program, EM_TEST_JOBS says how many run side by side. With EM_TOTALS=FILE a line "passed failed" is appended there.
#
# SPDX-License-Identifier: Apache-2.0
set -u
build=$1
shift
limit=${EM_TEST_SECONDS:-300}
logs=$build/logs
mkdir -p "$logs"

export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1:strict_string_checks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1:allocator_may_return_null=1}"
export EM_BUILD="$build"

# The thread sanitizer of gcc 12 cannot place its shadow where address space layout is very random.
prefix=
if [ "${build##*/}" = tsan ] && setarch -R true 2>/dev/null; then
    prefix='setarch -R'
fi

# Runs one program; leaves its output, status and milliseconds in $logs.
if [ "${EM_RUN_ONE:-}" = 1 ]; then
    unset EM_RUN_ONE # a test may run this script
    program=$1
    log=$logs/${program##*/}.log
    began=$(date +%s%N)
    # shellcheck disable=SC2086 # the prefix is a command and its option, or nothing
    case $program in
    *.sh) timeout -k 5 "$limit" sh "$program" "$build" >"$log" 2>&1 </dev/null ;;
    *.py) timeout -k 5 "$limit" python3 "$program" "$build" >"$log" 2>&1 </dev/null ;;
    *) timeout -k 5 "$limit" $prefix "$program" >"$log" 2>&1 </dev/null ;;
    esac
    echo "$? $((($(date +%s%N) - began) / 1000000))" >"${log%.log}.status"
    exit 0
fi

# Longest first, so that the last one to end is a short one: by the last run, or that of another build; before any run
# scripts come first, which build or run many programs.
by_length() {
    for program in "$@"; do
        [ "${program%.sh}" = "$program" ] && guess=0 || guess=999999
        for kept in "$logs/${program##*/}.status" "${build%/*}"/*/logs/"${program##*/}.status"; do
            [ -r "$kept" ] && read -r status guess <"$kept" && break
        done
        echo "${guess:-0} $program"
    done | sort -s -rn -k 1,1 | cut -d ' ' -f 2-
}

# More threads than processors would spend most of their time waiting for one another, and folders of temporary files on
# their way to a disk.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
in_memory=/dev/shm
if [ -z "${TMPDIR:-}" ] && [ "$(df -Pk "$in_memory" 2>/dev/null | awk 'NR == 2 { print ($4 >= 4 * 1024 * 1024) }')" = 1 ] &&
    probe=$(mktemp "$in_memory/edgemill-XXXXXX" 2>/dev/null); then
    printf '#!/bin/sh\n' >"$probe"
    chmod +x "$probe"
    "$probe" 2>/dev/null && export TMPDIR="$in_memory" # not where nothing may be executed
    rm -f "$probe"
fi

if [ $# -gt 0 ]; then
    by_length "$@" >"$logs/order"
    for program in "$@"; do
        rm -f "$logs/${program##*/}.status"
    done
    EM_RUN_ONE=1 xargs -P "${EM_TEST_JOBS:-2}" -n 1 sh "$0" "$build" <"$logs/order"
fi

n_passed=0
n_failed=0
closing() { # PATTERN FILE: the sum of the numbers in cmocka's closing lines
    sed -n "s/^\[  $1 *\] \([0-9][0-9]*\) test(s).*/\1/p" "$2" | awk '{ n += $1 } END { print n + 0 }'
}

for program in "$@"; do
    name=${program##*/}
    log=$logs/$name.log
    read -r status took <"$logs/$name.status" || { status=1 && took=0; }
    seconds=$(printf '%d.%03d s' $((took / 1000)) $((took % 1000)))
    case $program in
    *.sh | *.py)
        failed=0
        passed=0
        case $status in
        0) passed=1 ;;
        77) ;;
        *) failed=1 ;;
        esac
        if [ "$status" = 77 ]; then
            echo "$name: skipped: $(tail -n 1 "$log") ($seconds)"
        else
            echo "$name: $(tail -n 1 "$log") ($seconds)"
        fi
        ;;
    *)
        passed=$(closing PASSED "$log")
        failed=$(closing FAILED "$log")
        why=
        if [ "$status" -ne 0 ] && [ "$failed" = 0 ]; then
            failed=1
            case $status in
            124 | 137) why=", ran past $limit s" ;;
            *) why=", ended with status $status" ;;
            esac
        elif ! grep -q '^\[==========\] .* run\.' "$log"; then
            failed=$((failed + 1))
            why=", ended without cmocka's closing lines"
        fi
        echo "$name ($seconds)$why"
        grep -E '^\[(==========|  [A-Z ]+)\] [0-9]+ test\(s\)( run)?[.,]' "$log" | sed 's/^/    /'
        ;;
    esac
    if [ "$failed" -gt 0 ]; then
        echo "--- $log"
        grep -vE '^\[ +(RUN|OK) +\]' "$log" | tail -n 60
        echo "---"
    fi
    n_passed=$((n_passed + passed))
    n_failed=$((n_failed + failed))
done

if [ -n "${EM_TOTALS:-}" ]; then
    echo "$n_passed $n_failed" >>"$EM_TOTALS"
else
    echo "$n_passed passed, $n_failed failed"
fi
[ $n_failed -eq 0 ]
