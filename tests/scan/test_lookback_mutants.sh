#!/bin/sh
# test_lookback_mutants - the explorer finds each fault planted in the text of the look-back.
#
# A line of lookback.inc is changed in a copy that comes first on the include path; test_lookback_orders must then fail.
#
# SPDX-License-Identifier: Apache-2.0
set -u
cd "$(dirname "$0")/../.." || exit 1
cc=${CC:-cc}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/scan"
flags="-std=gnu17 -D_GNU_SOURCE -I$folder -I. -O1 -w"
n=0

for source in tests/support_explorer.c tests/support_explorer_memory.c scan/base/status.c; do
    name=${source##*/}
    # shellcheck disable=SC2086 # flags are words
    $cc $flags -c "$source" -o "$folder/${name%.c}.o" || exit 1
done

build() {
    # shellcheck disable=SC2086
    $cc $flags tests/scan/test_lookback_orders.c "$folder"/*.o -lcmocka -o "$folder/orders"
}
expect_found() { # WHAT SED-SCRIPT: what the explorer must say of the changed text
    sed "$2" scan/lookback.inc >"$folder/scan/lookback.inc"
    if cmp -s scan/lookback.inc "$folder/scan/lookback.inc"; then
        echo "nothing was changed by $2"
        exit 1
    fi
    build || exit 1
    if timeout 60 "$folder/orders" >"$folder/said" 2>&1 || ! grep -q "ERROR.*: $1" "$folder/said"; then
        echo "not found ($1): $2"
        tail -n 30 "$folder/said"
        exit 1
    fi
    n=$((n + 1))
}

# An announcement before what it announces.
expect_found 'a prefix is wrong' '/FN(put_inclusive)(chain/ { h; d; }; /store_release(status, TILE_INCLUSIVE)/ G'
# A tile folded twice, or left out.
expect_found 'a prefix is wrong' 's/while (++nearest < tile)/while (nearest++ < tile)/'
expect_found 'a prefix is wrong' 's/while (++nearest < tile)/while (++nearest + 1 < tile)/'
# The aggregate taken for the inclusive prefix, and an empty tile for an aggregate.
expect_found 'a prefix is wrong' 's/if (seen == TILE_INCLUSIVE)/if (seen != TILE_ABORTED)/'
expect_found 'a tile was not published' 's/; seen == TILE_EMPTY; seen/; seen == TILE_ABORTED; seen/'
# Giving up that is not passed on, and not noticed.
expect_found 'somebody waits for ever' 's/, TILE_ABORTED);/, TILE_EMPTY);/'
expect_found 'a prefix is wrong' 's/if (seen == TILE_ABORTED)/if (0)/'
# The last word on a tile never said.
expect_found 'a tile was not published' 's/store_release(status, TILE_INCLUSIVE);/if (tile == 0) &/'
echo "$n faults in the look-back were found"
