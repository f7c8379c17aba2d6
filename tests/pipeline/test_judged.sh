#!/bin/sh
# test_judged - what convert and run make of a graph is what igraph makes of it: option by option, in combinations, and
# as chains of stages in any order; and a wrong result is found out.
#
#   test_judged.sh BUILD
#
# Graphs: adversarial ones (empty, one vertex, star, clique, all loops, all duplicates, path, gaps, extreme weights),
# generated ones, and real ones: datasets/ and, where they are, those of EM_DATA (../shared/data), which are larger and
# therefore see fewer options each. The judge is also given the map and the edge ids of every result.
#
# SPDX-License-Identifier: Apache-2.0
set -uf
build=${1:-build/release}
root=$(cd "$(dirname "$0")/../.." && pwd)
case $build in /*) ;; *) build=$PWD/$build ;; esac
data=${EM_DATA:-$root/../shared/data}
edgemill=$build/edgemill
judge=$build/edgemill-igraph
[ -x "$judge" ] || {
    echo "edgemill-igraph is not there"
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
n_judged=0
n_wrong=0
n_found=0

complain() { # WHAT FILE
    n_wrong=$((n_wrong + 1))
    [ $n_wrong -gt 20 ] || { echo "WRONG: $1" && head -n 5 "$2"; }
}

# --- one result -------------------------------------------------------------------------------------------------

# How the graph in hand is read, and the files that options name.
take_graph() { # FILE OPTIONS
    graph=$1
    reading=$2
    # shellcheck disable=SC2086
    "$edgemill" info --json $reading "$graph" >facts 2>errors || complain "info $reading $graph" errors
    n=$(sed -n 's/^ *"vertices": \([0-9]*\).*/\1/p' facts)
    case $reading in *--base=1*) base=1 ;; *) base=0 ;; esac
    awk -v n="$n" -v base=$base 'BEGIN { for (v = 0; v < n; v++) if (v % 4 != 2) print v + base }' >listed
    awk -v n="$n" -v base=$base 'BEGIN { for (v = 0; v < n + 3; v++) print v + base }' >vertices
    awk -v n="$n" 'function gcd(a, b) { return b ? gcd(b, a % b) : a }
        BEGIN { for (step = int(n * 0.62) + 1; gcd(step, n) > 1; step++); for (v = 0; v < n; v++) print (v * step + 5) % n }' >permutation
}

converts() { # OPTIONS: the graph in hand, converted and judged
    # shellcheck disable=SC2086 # options are words
    if ! "$edgemill" convert -q $reading $1 --map=out.map --edge-ids=out.ids -o out.csr "$graph" 2>errors; then
        complain "convert $reading $1 ${graph##*/}" errors
    elif ! "$judge" $reading $1 --map=out.map --edge-ids=out.ids out.csr "$graph" >said 2>&1; then
        complain "judged: convert $reading $1 ${graph##*/}" said
    fi
    n_judged=$((n_judged + 1))
}

differs() { # OPTIONS-OF-CONVERT OPTIONS-OF-THE-JUDGE: a wrong result, and the judge says so
    # shellcheck disable=SC2086
    "$edgemill" convert -q $reading $1 -o out.csr "$graph" 2>errors || complain "convert $1" errors
    # shellcheck disable=SC2086
    "$judge" $reading $2 out.csr "$graph" >said 2>&1
    [ $? = 1 ] || complain "convert $1 passes for $2 on ${graph##*/}" said
    n_found=$((n_found + 1))
}

refuses() { # OPTIONS: both find the input malformed
    # shellcheck disable=SC2086
    "$edgemill" convert -q $reading $1 -o refused.csr "$graph" 2>errors
    [ $? = 3 ] || complain "convert $1 on ${graph##*/} is not refused" errors
    "$edgemill" convert -q -o out.csr "$graph" 2>errors
    # shellcheck disable=SC2086
    "$judge" $reading $1 out.csr "$graph" >said 2>&1
    [ $? = 3 ] || complain "the judge does not refuse $1 on ${graph##*/}" said
    n_found=$((n_found + 1))
}

# --- options ------------------------------------------------------------------------------------------------------

cat >options <<'END'

--drop-loops
--transpose
--symmetrize
--dedup
--dedup=last
--dedup=sum
--dedup=min
--dedup=max
--dedup=mean
--dedup=count
--filter=src<dst
--filter=degree(src)>degree(dst)||src%3==1
--among=listed
--min-degree=2
--relabel=dense
--relabel=first
--relabel=degree
--relabel=degree-asc
--relabel=random
--relabel=bfs
--relabel=rcm
--relabel=permutation
--order=input
--symmetrize --dedup
--symmetrize --dedup=sum --drop-loops
--symmetrize --dedup=mean --order=input
--dedup=count --transpose
--filter=(src+2*dst)%5!=0 --symmetrize --relabel=rcm
--among=listed --relabel=first
--min-degree=3 --symmetrize --dedup=max --relabel=dense
--relabel=first --transpose --drop-loops
--relabel=first --symmetrize --dedup=last
--relabel=degree-asc --order=input --symmetrize
--relabel=random:7 --dedup=min
--relabel=bfs --symmetrize --drop-loops
--relabel=rcm --drop-loops --dedup=sum --order=input
--relabel=permutation --transpose --dedup=last
--order=input --dedup
--order=input --symmetrize --dedup=count
--vertices-from=vertices --relabel=dense
--vertices-from=vertices --relabel=first --min-degree=2
--vertices-from=vertices --relabel=degree --filter=src*dst!=6
--filter=src!=5 --drop-loops --transpose --symmetrize --dedup=sum --among=listed --min-degree=1 --relabel=bfs --order=input
END
n_options=$(wc -l <options)
turn=0

some_options() { # K: the next K of the list, so that graphs take turns
    left=$1
    while [ "$left" -gt 0 ]; do
        turn=$((turn % n_options + 1))
        converts "$(sed -n "${turn}p" options)"
        left=$((left - 1))
    done
}

all_options() {
    some_options "$n_options"
}

# --- chains -------------------------------------------------------------------------------------------------------

# Lines "words of the judge<TAB>stages of the pipeline", drawn by a seed. Nothing hangs on how good the draws are.
chains() { # SEED COUNT
    awk -v seed="$1" -v count="$2" '
        function below(n) { seed = (seed * 1103515245 + 12345) % 2147483648; return int(seed / 65536) % n }
        function add(word, stage) { words = words " " word; stages = stages " | " stage }
        function step(kind, value) {
            if (kind == 0) { value = filters[below(4)]; add("--filter=" value, "filter \"" value "\"") }
            if (kind == 1) add("--drop-loops", "drop-loops")
            if (kind == 2) add("--transpose", "transpose")
            if (kind == 3 && !mirrored++) add("--symmetrize", "symmetrize")
            if (kind == 4) { value = policies[below(7)]; add("--dedup=" value, "dedup " value) }
            if (kind == 5) { value = below(4); add("--min-degree=" value, "min-degree " value) }
            if (kind == 6) add("--undirect", "filter \"src <= dst\"")
            if (kind == 7) add("--largest-component", "largest-component")
            if (kind == 8) add("--drop-isolated", "drop-isolated")
            if (kind == 9) { value = orders[below(7)]; add("--relabel=" value, "relabel " value) }
            if (kind == 11) add("--among=listed", "among listed")
            if (kind == 12) { value = shares[below(3)]; add("--sample=" value, "sample " value) }
            if (kind == 10) { value = 5 + below(1000); add("--head=" value, "head " value) }
        }
        BEGIN {
            split("src<dst|(src+dst)%3!=0|degree(src)>=degree(dst)|src<100&&dst%7!=2", texts, "|")
            for (i in texts) filters[i - 1] = texts[i]
            split("first last sum min max mean count", texts, " ")
            for (i in texts) policies[i - 1] = texts[i]
            split("dense first degree degree-asc random:3 bfs rcm", texts, " ")
            for (i in texts) orders[i - 1] = texts[i]
            split("0.5 0.9:7 1", texts, " ")
            for (i in texts) shares[i - 1] = texts[i]
            while (count-- > 0) {
                words = stages = ""
                mirrored = 0
                for (n = 2 + below(5); n > 0; n--) step(below(13))
                print words "\t" stages
            }
        }'
}

runs() { # SEED COUNT: chains on the graph in hand
    chains "$1" "$2" >drawn
    while IFS='	' read -r words stages; do
        if ! "$edgemill" run -q "load $reading '$graph' | positions $stages | csr | sort | save --map=out.map --edge-ids=out.ids out.csr" 2>errors; then
            complain "run $stages on ${graph##*/}" errors
        elif
            # shellcheck disable=SC2086
            ! "$judge" --as-typed $reading $words --map=out.map --edge-ids=out.ids out.csr "$graph" >said 2>&1
        then
            complain "judged: run $stages on ${graph##*/}" said
        elif [ $((n_judged % 4)) = 0 ] && ! "$edgemill" run -q --verify "load $reading '$graph' | positions $stages | csr | sort | save --edge-ids=out.ids out.csr" 2>errors; then
            complain "run --verify $stages on ${graph##*/}" errors
        fi
        n_judged=$((n_judged + 1))
    done <drawn
}

# --- graphs -------------------------------------------------------------------------------------------------------

: >empty.el
echo '0 0 4' >one.el
echo '2 5 1' >arc.el
awk 'BEGIN { for (i = 1; i < 40; i++) { print 0, i, i % 5; if (i % 3 == 0) print i, 0, 2 } }' >star.el
awk 'BEGIN { for (i = 0; i < 13; i++) for (k = 0; k < 13; k++) if (i != k) print i, k, i * k % 7 - 3 }' >clique.el
awk 'BEGIN { for (i = 19; i >= 0; i--) print i, i, i; print 3, 3, 9 }' >loops.el
awk 'BEGIN { for (i = 0; i < 60; i++) print i % 3 % 2, 1 - i % 3 % 2, i * 7 % 11 - 5 }' >duplicates.el
awk 'BEGIN { for (i = 0; i < 50; i++) print (i * 7) % 51, (i * 7 + 7) % 51 }' >path.el
printf '%s\n' '900 7 2.5' '7 31 -1e-3' '31 900 0.1' '900 7 -2.5' '64 64 1e300' '31 7 1e-300' >gaps.el
printf '%s\n' '0 1 9223372036854775806' '1 2 -9223372036854775808' '0 1 1' '2 0 9007199254740993' >wide.el
"$edgemill" generate -q rmat --scale 8 --edge-factor 9 --weights=i32 -o rmat.wel
"$edgemill" generate -q uniform --vertices 300 --arcs 1500 --weights=f64 -o uniform.wel
"$edgemill" generate -q grid --rows 12 --columns 23 --shuffle -o grid.el

for graph in empty one arc star clique loops duplicates path gaps wide; do
    take_graph "$graph.el" ''
    all_options
done
for graph in rmat.wel uniform.wel grid.el; do
    take_graph "$graph" ''
    all_options
    runs ${#graph} 20
done
for graph in one.el star.el duplicates.el gaps.el path.el; do
    take_graph "$graph" ''
    runs ${#graph}7 8
done

tail -n +2 "$root/datasets/facts.tsv" >real
while IFS='	' read -r file _ _ _ _ how; do
    [ "$how" != - ] || how=
    take_graph "$root/datasets/$file" "$how"
    some_options 6
done <real
n_unread=0
if [ -f "$data/facts.tsv" ]; then
    tail -n +2 "$data/facts.tsv" >real
    while IFS='	' read -r file _; do
        if "$edgemill" info "$data/$file" >facts 2>errors; then
            take_graph "$data/$file" ''
            some_options 2
        else
            n_unread=$((n_unread + 1))
        fi
    done <real
fi

# Names instead of numbers.
awk -F '\t' '/^#/ { next } NR == FNR { name[$1] = $2; next } { print name[$1] "\t" name[$2] }' \
    "$root/datasets/debian-base-names.txt" "$root/datasets/debian-base.tsv" >names.tsv
graph=names.tsv
reading='--ids=string --separator=tab'
cut -f 2 "$root/datasets/debian-base-names.txt" >vertices
head -n 60 vertices >listed
for options in '' --relabel=degree '--among=listed --relabel=first' --vertices-from=vertices '--vertices-from=vertices --relabel=first' \
    '--symmetrize --dedup --relabel=rcm' --relabel=first '--order=input --transpose'; do
    converts "$options"
done

# --- verify, and what must be found ---------------------------------------------------------------------------------

take_graph rmat.wel ''
options='--symmetrize --dedup=sum --relabel=degree'
# shellcheck disable=SC2086
{
    "$edgemill" convert -q $options --map=out.map --edge-ids=out.ids --verify -o out.csr rmat.wel >said 2>&1 || complain "convert --verify" said
    "$edgemill" verify -q out.csr rmat.wel $options >said 2>&1 || complain "verify" said
    "$edgemill" verify -q out.csr rmat.wel $options --map=out.map --edge-ids=out.ids >said 2>&1 || complain "verify with a map" said
    "$edgemill" verify out.csr rmat.wel --symmetrize --dedup=max --relabel=degree >said 2>&1
    [ $? = 1 ] || complain "verify with other options" said
}
differs '' --transpose
differs --transpose ''
differs --drop-loops ''
differs --dedup=min --dedup=max
differs --dedup=first --dedup=last
differs --dedup=mean --dedup=sum
differs --symmetrize '--symmetrize --dedup'
differs '--filter=src<dst' '--filter=src<=dst'
differs '--filter=degree(src)>4' '--filter=degree(src)>=4'
differs --min-degree=2 --min-degree=3
differs --among=listed ''
differs --relabel=degree --relabel=degree-asc
differs --relabel=random:1 --relabel=random:2
differs --relabel=bfs --relabel=rcm
differs --relabel=first --relabel=dense
differs --relabel=dense ''
differs --order=input ''

take_graph wide.el ''
refuses '--filter=weight*2>0'
refuses '--filter=1/src>0'
refuses '--weights=i32'
echo '0 3' >short
refuses --vertices=2
refuses --vertices-from=short
refuses --relabel=short
printf '%s\n' '0 1 9223372036854775807' '1 0 1' >past.el
take_graph past.el ''
refuses '--symmetrize --dedup=sum'
take_graph rmat.wel ''

found() { # WHAT WORDS…
    title=$1
    shift
    "$judge" "$@" out.csr rmat.wel >said 2>&1
    [ $? = 1 ] || complain "$title passes" said
    n_found=$((n_found + 1))
}
converts --relabel=degree
sed '3{h;d;};4{G;}' out.map >bad.map
found "a map with two lines swapped" --relabel=degree --map=bad.map
sed '$d' out.map >bad.map
found "a map without its last line" --relabel=degree --map=bad.map
sed '7s/.*/0/' out.ids >bad.ids
found "a wrong edge id" --relabel=degree --edge-ids=bad.ids
# One byte of the targets: the checksum tells, and the row.
at=$(od -An -t u8 -j 48 -N 8 out.csr | tr -d ' ')
old=$(od -An -t u1 -j "$at" -N 1 out.csr | tr -d ' ')
# shellcheck disable=SC2059 # an octal escape is made
printf "$(printf '\\%03o' $((old ^ 1)))" | dd of=out.csr bs=1 seek="$at" conv=notrunc 2>/dev/null
found "a changed target" --relabel=degree
grep -q 'row 0' said || complain "a changed target is not named" said

[ "$n_unread" = 0 ] || echo "$n_unread graphs are in formats that are not read yet"
echo "$n_judged results judged, $n_found wrong ones found, $n_wrong complaints"
[ "$n_wrong" = 0 ]
