#!/bin/sh
# demo - a real graph goes from text to CSR, is rebuilt by igraph from the same text, and says where the time went.
#
#   demo.sh BUILD
#
# SPDX-License-Identifier: Apache-2.0
set -eu
build=$1
graph=datasets/karate.el
verify=--verify
[ -x "$build/edgemill-igraph" ] || verify=--verify=self
say() { printf '\n$ edgemill %s\n' "$*"; "$build/edgemill" "$@"; }

echo "$graph: $(sed -n '1s/^[#% ]*//p' "$graph")"
say convert $graph -o build/demo.csr $verify --profile
say info build/demo.csr
