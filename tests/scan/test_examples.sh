#!/bin/sh
# test_examples - every program of scan/examples prints what its first comment says.
#
#   test_examples.sh BUILD [FOLDER]      FOLDER: where the programs are, if not in BUILD/scan/examples
#
# SPDX-License-Identifier: Apache-2.0
set -u
folder=${2:-${1:-build/release}/scan/examples}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
n=0
for source in scan/examples/*.c; do
    name=$(basename "$source" .c)
    awk '/^ \* Prints:$/ { inside = 1; next } inside && !/^ \*     / { exit } inside { print substr($0, 8) }' \
        "$source" >"$scratch/expected"
    "$folder/$name" >"$scratch/printed" || {
        echo "$folder/$name ended with status $?"
        exit 1
    }
    if [ ! -s "$scratch/expected" ] || ! diff -u "$scratch/expected" "$scratch/printed"; then
        echo "$source does not print what it says"
        exit 1
    fi
    n=$((n + 1))
done
[ $n -gt 0 ] || exit 1
echo "$n examples print what they say"
