#!/bin/sh
# test_docs - every command and option that the help names is in the man page and in the completions of each shell, and
# every stage in the man page.
#
#   test_docs.sh BUILD
#
# SPDX-License-Identifier: Apache-2.0
set -eu
program=${1:-build/release}/edgemill
folder=pipeline/cli
n=0
missing=
need() { # WORD PATTERN FILE
    n=$((n + 1))
    grep -q -e "$2" "$folder/$3" || missing="$missing
$3 says nothing of $1"
}
commands=$("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p')
for command in $commands; do
    need "$command" "^\\.B.* $command\\>" edgemill.1
    for option in $("$program" "$command" --help | grep -a -o -e '--[a-z][a-z-]*' | sort -u); do
        name=${option#--}
        need "$option" "$(echo "$option" | sed 's/-/\\\\-/g')\\>" edgemill.1
        need "$option" "[{,[:blank:]'\"(|]$option\\>" completions/edgemill.bash
        need "$option" "$option\\>" completions/_edgemill
        need "$option" "-l $name\\>" completions/edgemill.fish
    done
    for file in edgemill.bash _edgemill edgemill.fish; do
        need "$command" "\\<$command\\>" "completions/$file"
    done
done
for format in $("$program" formats | sed '1d; s/ .*//'); do
    for file in edgemill.1 completions/edgemill.bash completions/_edgemill completions/edgemill.fish; do
        need "format $format" "\\<$format\\>" "$file"
    done
done
for stage in $("$program" stages | sed -n 's/^\([a-z][a-z-]*\) .*/\1/p'); do
    need "stage $stage" "\\<$(echo "$stage" | sed 's/-/\\\\-/g')\\>" edgemill.1
done
if [ -n "$missing" ]; then
    echo "$missing" | sort -u
    exit 1
fi
echo "found $n words of the help in the man page and the completions"
