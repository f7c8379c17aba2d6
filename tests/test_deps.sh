#!/bin/sh
# test_deps - deps.sh on a machine that has next to nothing: what it asks apt for, and what it says when it may not.
#
# SPDX-License-Identifier: Apache-2.0
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
for tool in sh awk tr mktemp rm cut env cat tail; do
    ln -s "$(command -v $tool)" "$scratch/bin/$tool"
done
fake() { # NAME LINE...
    name=$1
    shift
    { echo '#!/bin/sh' && printf '%s\n' "$@"; } >"$scratch/bin/$name"
    chmod +x "$scratch/bin/$name"
}
deps() { PATH="$scratch/bin" /bin/sh "$root/tests/deps.sh" "$@" >"$scratch/said" 2>&1; }
fail() {
    echo "$*"
    cat "$scratch/said" "$scratch/asked" 2>/dev/null
    exit 1
}
asked_for() { grep -q "^install .* $1\( \|\$\)" "$scratch/asked"; }

fake apt-get "echo \"\$*\" >>$scratch/asked"
fake id 'echo 0'
deps demo || fail "deps.sh demo failed as root"
for package in make gcc libc6-dev pkg-config zlib1g-dev libzstd-dev libxxhash-dev libisal-dev libjansson-dev libigraph-dev; do
    asked_for $package || fail "the demo did not ask for $package"
done
asked_for libcmocka-dev && fail "the demo asked for what only tests need"
grep -q update "$scratch/asked" && fail "updated although the first try went well"

rm "$scratch/asked"
fake apt-get "echo \"\$*\" >>$scratch/asked" "[ \"\$1\" = update ] && : >$scratch/updated" "[ -f $scratch/updated ]"
deps test || fail "deps.sh test failed where the first install needs an update"
[ "$(grep -c update "$scratch/asked")" = 1 ] || fail "wanted one update"
for package in libcmocka-dev gcc-aarch64-linux-gnu clang; do
    asked_for $package || fail "the tests did not ask for $package"
done

rm "$scratch/asked"
fake id 'echo 1000'
deps build && fail "installed without being root"
grep -q 'sudo apt-get install .*libzstd-dev' "$scratch/said" || fail "did not print the command"
[ -e "$scratch/asked" ] && fail "called apt without being root"
fake true ":"
fake sudo 'shift' 'exec "$@"'
deps build || fail "did not use sudo"
asked_for libzstd-dev || fail "sudo did not reach apt"

rm "$scratch/bin/apt-get"
deps build && fail "succeeded without apt"
grep -q 'missing here.*libzstd-dev' "$scratch/said" || fail "did not name what is missing"
deps no-such-purpose
[ $? = 2 ] || fail "took an unknown purpose"
echo "asks apt for what is missing, and for nothing else"
