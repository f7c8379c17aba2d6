#!/bin/sh
# run_cases - small edge lists with the graph or the error that must come out, where such a collection lies beside the
# project (EM_CASES names the folder; a checkout without it loses nothing but these checks).
#
#   run_cases.sh BUILD
#
# Only cases listed in cases.txt are run: those whose options and formats are built, each expected to pass.
#
# SPDX-License-Identifier: Apache-2.0
set -u
build=$1
folder=${EM_CASES:-../shared/cases}
if [ ! -f "$folder/run.py" ]; then
    echo "no cases beside the project: skipped"
    exit 0
fi
ids=$(sed 's/#.*//' tests/cases.txt)
log=$build/logs/cases.log
mkdir -p "$build/logs"
# shellcheck disable=SC2086 # one word a case
python3 "$folder/run.py" --edgemill "$(pwd)/$build/edgemill" $ids >"$log" 2>&1
cat "$log"
last=$(tail -n 1 "$log")
n_passed=$(echo "$last" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1/p')
n_failed=$(echo "$last" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\2/p')
[ -n "$n_failed" ] || { n_passed=0 && n_failed=1; }
[ -z "${EM_TOTALS:-}" ] || echo "$n_passed $n_failed" >>"$EM_TOTALS"
[ "$n_failed" -eq 0 ]
