#!/bin/sh
# check - a program outside the tree, built against what is installed, runs stages of its own in a pipeline; test_install
# calls it.
#
#   check.sh STAGE    where PREFIX=/opt/em was installed; PKG_CONFIG_PATH is set
#
# SPDX-License-Identifier: Apache-2.0
set -eu
stage=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp tests/pipeline/user_stage/user_stage.c "$scratch/"
# shellcheck disable=SC2046 # the words of pkg-config are to be split
${CC:-gcc} -std=gnu17 -Wall -Wextra -Werror $(pkg-config --cflags edgemill) "$scratch/user_stage.c" \
    $(pkg-config --libs edgemill) -o "$scratch/user_stage"
export LD_LIBRARY_PATH="$stage/opt/em/lib"
cd "$scratch"
printf '0 1\n0 2\n1 2\n3 0\n2 3\n' >a.el
fail() {
    echo "$1"
    exit 1
}

# The step runs while the input is read; what follows it, too.
./user_stage 'load a.el | keep-even | csr | save --to=el even.el' >said || fail "keep-even did not run"
cat >wanted <<'END'
plan: load+keep-even+degrees+offsets+scatter
plan: save
ran: load+keep-even+degrees+offsets+scatter
ran: save
4 vertices, 3 arcs
END
sed '/^ran: publish/d' said | cmp -s - wanted || fail "said: $(cat said)"
[ "$(sort even.el | tr '\t\n' ' ,')" = '0 2,1 2,3 0,' ] || fail "keep-even left: $(cat even.el)"

# The stage on the whole list, between others.
./user_stage 'load a.el | drop-loops | reverse-ids | keep-even | sort | csr | save --to=el reversed.el' >said ||
    fail "reverse-ids did not run"
grep -q '^plan: reverse-ids$' said || fail "said: $(cat said)"
grep -q '^ran: reverse-ids$' said || fail "said: $(cat said)"
grep -q '^reverse-ids: 5 arcs renamed$' said || fail "said: $(cat said)"
[ "$(tr '\t\n' ' ,' <reversed.el)" = '1 0,3 2,' ] || fail "reverse-ids left: $(cat reversed.el)"

# They are checked and named like any other.
if ./user_stage 'keep-even | csr' >said 2>&1; then fail "ran without a list"; fi
grep -q 'column 1: keep-even needs a coordinate list, which load gives' said || fail "said: $(cat said)"
if ./user_stage 'load a.el | keep-evn' >said 2>&1; then fail "took keep-evn"; fi
grep -q "column 13: no stage is called 'keep-evn'; did you mean 'keep-even'?" said || fail "said: $(cat said)"
if ./user_stage 'load a.el | reverse-ids 3' >said 2>&1; then fail "took an option"; fi
grep -q "column 13: reverse-ids takes no options: '3'" said || fail "said: $(cat said)"
