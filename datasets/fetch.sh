#!/bin/sh
# fetch.sh - well-known public graphs: what they should hold, where they are, and a check of what was fetched.
#
# Usage: fetch.sh --list              what is known, with the expected numbers
#        fetch.sh NAME... [-d FOLDER] download, unpack and check (default folder: .)
#        fetch.sh --check NAME FILE   check a file that is there already (.gz as it is)
#
# vertices: as the collection publishes them: those with at least one edge (SNAP, KONECT), the rows (SuiteSparse).
#           edgemill's own n is the largest id + 1, which is more where ids have gaps.
# edges:    as the collection publishes them; an undirected edge counts once (SuiteSparse: stored entries of one
#           triangle and the diagonal where the matrix is symmetric).
# lines:    data lines of the file, which is what edgemill calls arcs before any cleaning. It differs from edges where
#           an undirected file lists both directions; 0: not known, not checked.
#
# Exit status: 0 done, 1 a number differs, 2 usage, 4 the download or a program failed.
#
# SPDX-License-Identifier: Apache-2.0
set -eu

snap=https://snap.stanford.edu/data
konect=http://konect.cc/files
suitesparse=https://sparse.tamu.edu/MM

# name  kind(directed|undirected)  vertices  edges  lines  address
graphs() {
    cat <<END
wiki-Vote          directed    7115      103689      103689      $snap/wiki-Vote.txt.gz
soc-Epinions1      directed    75879     508837      508837      $snap/soc-Epinions1.txt.gz
web-Stanford       directed    281903    2312497     2312497     $snap/web-Stanford.txt.gz
web-Google         directed    875713    5105039     5105039     $snap/web-Google.txt.gz
web-BerkStan       directed    685230    7600595     7600595     $snap/web-BerkStan.txt.gz
wiki-Talk          directed    2394385   5021410     5021410     $snap/wiki-Talk.txt.gz
cit-Patents        directed    3774768   16518948    16518948    $snap/cit-Patents.txt.gz
soc-Pokec          directed    1632803   30622564    30622564    $snap/soc-pokec-relationships.txt.gz
soc-LiveJournal1   directed    4847571   68993773    68993773    $snap/soc-LiveJournal1.txt.gz
twitter-2010       directed    41652230  1468364884  1468364884  $snap/twitter-2010.txt.gz
email-Enron        undirected  36692     183831      367662      $snap/email-Enron.txt.gz
com-DBLP           undirected  317080    1049866     1049866     $snap/bigdata/communities/com-dblp.ungraph.txt.gz
com-Youtube        undirected  1134890   2987624     2987624     $snap/bigdata/communities/com-youtube.ungraph.txt.gz
as-Skitter         undirected  1696415   11095298    11095298    $snap/as-skitter.txt.gz
roadNet-CA         undirected  1965206   2766607     5533214     $snap/roadNet-CA.txt.gz
com-LiveJournal    undirected  3997962   34681189    34681189    $snap/bigdata/communities/com-lj.ungraph.txt.gz
com-Orkut          undirected  3072441   117185083   117185083   $snap/bigdata/communities/com-orkut.ungraph.txt.gz
com-Friendster     undirected  65608366  1806067135  1806067135  $snap/bigdata/communities/com-friendster.ungraph.txt.gz
contiguous-usa     undirected  49        107         107         $konect/download.tsv.contiguous-usa.tar.bz2
opsahl-powergrid   undirected  4941      6594        6594        $konect/download.tsv.opsahl-powergrid.tar.bz2
bcsstk13           undirected  2003      42943       42943       $suitesparse/HB/bcsstk13.tar.gz
delaunay_n15       undirected  32768     98274       98274       $suitesparse/DIMACS10/delaunay_n15.tar.gz
GAP-twitter        directed    61578415  1468364884  1468364884  $suitesparse/GAP/GAP-twitter.tar.gz
GAP-web            directed    50636151  1930292948  1930292948  $suitesparse/GAP/GAP-web.tar.gz
END
}

fail() {
    status=$1
    shift
    echo "fetch.sh: $*" >&2
    exit "$status"
}

usage() {
    sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//;p;}' "$0"
}

# The fields of a graph: sets kind, vertices, edges, lines, address.
look_up() {
    row=$(graphs | awk -v name="$1" '$1 == name')
    [ -n "$row" ] || fail 2 "no graph is called '$1'; see fetch.sh --list"
    # shellcheck disable=SC2086 # a row is words
    set -- $row
    kind=$2 vertices=$3 edges=$4 lines=$5 address=$6
}

show() {
    case $1 in
    *.gz) gzip -dc -- "$1" ;;
    *) cat -- "$1" ;;
    esac
}

# Counts data lines and distinct vertices; from 100 million lines on the vertices would not fit in awk's memory. A
# MatrixMarket file declares its size on the first data line.
count() {
    show "$1" | awk -v most="$2" '
        { sub(/\r$/, "") }
        NR == 1 && /^%%MatrixMarket/ { matrix = 1 }
        /^[ \t]*$/ || /^[#%]/ { next }
        matrix && !declared { declared = $1; next }
        { n++ }
        !matrix && n <= most { if (!($1 in seen)) { seen[$1]; v++ } if (!($2 in seen)) { seen[$2]; v++ } }
        END { printf "%d %d\n", n, matrix ? declared : n <= most ? v : 0 }'
}

check() {
    look_up "$1"
    [ -r "$2" ] || fail 4 "$2: cannot be read"
    most=100000000
    counted=$(count "$2" "$most")
    n_lines=${counted% *} n_vertices=${counted#* } wrong=0
    if [ "$lines" -ne 0 ] && [ "$n_lines" -ne "$lines" ]; then
        echo "$1: $n_lines data lines, not $lines"
        wrong=1
    fi
    if [ "$n_vertices" -eq 0 ] && [ "$n_lines" -gt "$most" ]; then
        echo "$1: too large to count its vertices here; 'edgemill info' tells n"
    elif [ "$n_vertices" -ne "$vertices" ]; then
        echo "$1: $n_vertices vertices, not $vertices"
        wrong=1
    fi
    [ "$wrong" -eq 0 ] || return 1
    echo "$1: $n_lines data lines ($kind, $edges edges, $vertices vertices): as expected"
}

download() {
    if command -v curl >/dev/null 2>&1; then
        curl --fail --location --progress-bar --output "$2" -- "$1"
    elif command -v wget >/dev/null 2>&1; then
        wget -O "$2" -- "$1"
    else
        fail 4 "neither curl nor wget is installed"
    fi
}

# Fetches graph $1 into folder $2; prints the file at the end.
fetch() {
    look_up "$1"
    [ -d "$2" ] || fail 4 "$2: no such folder"
    file=$2/${address##*/}
    if [ ! -e "$file" ]; then
        download "$address" "$file.part" || { rm -f -- "$file.part"; fail 4 "$address: could not be fetched"; }
        mv -- "$file.part" "$file"
    fi
    case $file in
    *.tar.*)
        member=$(tar -tf "$file" | grep -E "/out\\.[^/]*\$|/$1\\.mtx\$" | head -n 1)
        [ -n "$member" ] || fail 4 "$file: holds no graph"
        tar -C "$2" -xf "$file" "$member"
        file=$2/$member
        ;;
    esac
    echo "$file"
    check "$1" "$file"
}

list() {
    printf '%-17s %-10s %10s %12s %12s  %s\n' name kind vertices edges lines address
    graphs | while read -r name kind vertices edges lines address; do
        printf '%-17s %-10s %10s %12s %12s  %s\n' "$name" "$kind" "$vertices" "$edges" "$lines" "$address"
    done
}

case ${1-} in
--list)
    list
    ;;
--check)
    [ $# -eq 3 ] || fail 2 "--check needs a name and a file"
    check "$2" "$3"
    ;;
'' | -h | --help)
    usage
    [ $# -gt 0 ] || exit 2
    ;;
*)
    folder=. names=
    while [ $# -gt 0 ]; do
        case $1 in
        -d)
            [ $# -gt 1 ] || fail 2 "-d needs a folder"
            folder=$2
            shift
            ;;
        -*) fail 2 "unknown option '$1'; see fetch.sh --help" ;;
        *)
            look_up "$1"
            names="$names $1"
            ;;
        esac
        shift
    done
    result=0
    for name in $names; do
        fetch "$name" "$folder" || result=1
    done
    exit "$result"
    ;;
esac
