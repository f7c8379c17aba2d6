#!/bin/sh
# run - lets every fuzzer run for a while over seeds made here; findings stay in BUILD/findings/.
#
#   run.sh BUILD SECONDS
#
# Seeds: the texts below in every container that is told by content, behind the option bytes fuzz_read.c explains; lists
# of labels; CSR files written by the program itself.
#
# SPDX-License-Identifier: Apache-2.0
set -u
build=$1
seconds=$2
seeds=$build/seeds
rm -rf "$seeds"
mkdir -p "$seeds/read" "$seeds/open" "$seeds/labels" "$build/findings"

n=0
seed() { # OPTION-BYTES-IN-OCTAL COMMAND...: the command's output behind the option bytes
    n=$((n + 1))
    options=$1
    shift
    # shellcheck disable=SC2059 # the format is the bytes
    { printf "$options" && "$@"; } >"$seeds/read/$n"
}
plain='\000\000\000\007\005'
seed "$plain" printf '# a comment\n0 1\n1 2\n\n2 0\n'
seed "$plain" printf '\357\273\2770\t1\r\n1\t2\r\n%% more\r\n2\t0'
seed "$plain" printf '0 1 0.5\n1 2 -3e7\n2 0 18446744073709551616\n'
seed "$plain" printf '4294967295 4294967296\n9223372036854775805 0\n'
seed "$plain" printf '1,2\n3 , 4\n5,6,7,8\n'
seed '\130\000\002\003\011' printf '"src";"dst"\n"1";"2"\n3;4;x\n'
seed '\000\000\010\001\002' printf '1 x\n2 3\n\n-1 4\n5\n'
seed '\000\000\003\001\002' printf '\001\000\000\000\002\000\000\000'
printf '0 1 2\n1 2 3\n' | gzip -n >"$build/seed.gz"
seed "$plain" cat "$build/seed.gz"
if command -v zstd >/dev/null; then
    printf '0 1\n1 2\n' | zstd -q >"$build/seed.zst"
    seed "$plain" cat "$build/seed.zst"
fi
for program in build/release/edgemill "$build/edgemill"; do
    [ -x "$program" ] || continue
    for suffix in csr npz; do
        printf '0 1 2\n1 2 3\n3 0 1\n' >"$build/seed.el"
        "$program" convert -q "$build/seed.el" -o "$seeds/open/w.$suffix" 2>/dev/null
        "$program" convert -q --weights=none "$build/seed.el" -o "$seeds/open/u.$suffix" 2>/dev/null
    done
done
for file in "$seeds"/open/*; do
    [ -f "$file" ] && seed "$plain" cat "$file"
done

labels() { # OPTION-BYTES-IN-OCTAL TEXT
    n=$((n + 1))
    # shellcheck disable=SC2059 # the format is the bytes
    printf "$1$2" >"$seeds/labels/$n"
}
labels "$plain" '# a comment\nb a\n# c\n\nc b\n'
labels "$plain" '"n ""1""";"n2"\n"n2" ; n3\r\n'
labels '\000\000\010\001\002' 'a,b,1\nb\n"c,d,2\nb,c,2.5\n'
labels '\001\001\030\002\006' 'a\nb\na b\n"a" c\n'

# Side by side: most of them wait for their own threads.
start() { # PROGRAM: in the background
    name=${1##*/fuzz_}
    corpus=$build/corpus/$name
    mkdir -p "$corpus" "$seeds/$name"
    "$1" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/findings/$name-" "$corpus" "$seeds/$name" >"$build/fuzz_$name.log" 2>&1 &
}
here=$(cd "$(dirname "$0")" && pwd)
export LSAN_OPTIONS="suppressions=$here/leaks.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
running=
for program in "$build"/tests/fuzz/fuzz_*; do
    case $program in *.o | *.d) continue ;; esac
    start "$program"
    running="$running $!:$name"
done
status=0
for one in $running; do
    name=${one#*:}
    log=$build/fuzz_$name.log
    if wait "${one%%:*}"; then
        echo "fuzz_$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $seconds s, nothing found"
    else
        echo "fuzz_$name: found something (in $build/findings, log $log)"
        grep -vE '^#[0-9]' "$log" | tail -n 40
        status=1
    fi
done
exit $status
