#!/bin/sh
# check_layers - includes point one way: scan <- io <- stages <- pipeline; the judge shares nothing with any of them.
#
#   check_layers.sh [ROOT]
#
# Also: includes are root-relative and name a file that is there, OpenMP is known to scan/base/parallel.c alone, and
# the top level holds what it should. An include hidden in a macro (#define TEMPLATE "scan/serial.inc") counts.
#
# SPDX-License-Identifier: Apache-2.0
set -u
cd "${1:-.}" || exit 2

find scan io stages pipeline -type f \( -name '*.c' -o -name '*.h' -o -name '*.inc' -o -name '*.cu' -o -name '*.cuh' \
    -o -name '*.cc' -o -name '*.in' \) | LC_ALL=C sort | xargs awk '
function layer_of(path) {
    if (path ~ /^pipeline\/judge\//) return "judge"
    sub(/\/.*/, "", path)
    return path
}
function complain(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; n_wrong++ }
function is_there(path,   line, found) {
    found = (getline line < path) >= 0
    close(path)
    return found
}
BEGIN {
    may["scan"] = " scan "
    may["io"] = " scan io "
    may["stages"] = " scan io stages "
    may["pipeline"] = " scan io stages pipeline "
    may["judge"] = " judge "
}
FNR == 1 { n_files++; own = layer_of(FILENAME) }
/^[ \t]*#[ \t]*(include|define[ \t]+[A-Za-z_][A-Za-z_0-9]*)[ \t]*[ \t"<]/ {
    line = $0
    included = line ~ /^[ \t]*#[ \t]*include/
    if (!match(line, /["<][^">]*[">]/)) next
    quote = substr(line, RSTART, 1)
    path = substr(line, RSTART + 1, RLENGTH - 2)
    ours = path ~ /^(scan|io|stages|pipeline|tests)\//
    if (!included && !ours) next
    if (!included && path !~ /\.(h|inc|cuh|c|cu)$/) next
    if (included && quote == "<" && !ours) {
        if (path == "omp.h" && FILENAME != "scan/base/parallel.c") complain("only scan/base/parallel.c knows OpenMP")
        next
    }
    n_includes++
    if (!ours) complain("\"" path "\" is not root-relative")
    else if (index(may[own], " " layer_of(path) " ") == 0) complain(own " may not include " path)
    else if (quote == "<") complain(path " is ours: write it in quotes")
    else if (!is_there(path)) complain(path " is not there")
}
/^[ \t]*#[ \t]*pragma[ \t]+omp|_Pragma[ \t]*\([ \t]*"[ \t]*omp/ {
    if (FILENAME != "scan/base/parallel.c") complain("only scan/base/parallel.c knows OpenMP")
}
END {
    if (n_wrong) printf "layers: %d wrong\n", n_wrong
    else printf "layers: %d includes in %d files point the right way\n", n_includes, n_files
    exit n_wrong > 0
}' || exit 1

# What git tracks at the top, or what lies there where there is no repository (a release archive, a test's copy).
allowed=' Makefile README.md scan io stages pipeline tests datasets LICENSE CONTRIBUTING.md CHANGES.md DESIGN.md '
for name in $(git ls-files 2>/dev/null | cut -d/ -f1 | sort -u); do
    case $name in .*) continue ;; esac
    case $allowed in
    *" $name "*) ;;
    *)
        echo "$name does not belong at the top level"
        exit 1
        ;;
    esac
done
