#!/bin/sh
# deps - finds what a purpose needs and installs only what is missing.
#
#   deps.sh build|demo|test|lint|bench|fuzz|all     install what is missing, or print the command and fail
#   deps.sh --print PURPOSE                         print the command only
#
# A package is missing when its probe fails: a pkg-config name, a command, a header, a Python module, or a line that
# must compile. Packages are Debian's and Ubuntu's; elsewhere the list printed names what to look for.
#
# SPDX-License-Identifier: Apache-2.0
set -u

print_only=0
if [ "${1:-}" = --print ]; then
    print_only=1
    shift
fi
purpose=${1:-all}

has_command() { command -v "$1" >/dev/null 2>&1; }
has_library() { has_command pkg-config && pkg-config --exists "$1" 2>/dev/null; }
has_header() { echo "#include <$2>" | "$1" -E -x c - >/dev/null 2>&1; }
# The system's own Python is asked too: a package of the system is of no use to another one.
has_module() { python3 -c "import $1" >/dev/null 2>&1 || /usr/bin/python3 -c "import $1" >/dev/null 2>&1; }
compiles() { # COMPILER FLAGS...: a program with an include of omp.h when -fopenmp is among the flags
    program='int main(void) { return 0; }'
    case " $* " in
    *" -fopenmp "*) program="#include <omp.h>
$program" ;;
    *" -fsanitize=fuzzer "*) program='#include <stddef.h>
int LLVMFuzzerTestOneInput(const unsigned char *at, size_t n) { return at && n ? 0 : 0; }' ;;
    esac
    scratch=$(mktemp) || return 1
    printf '%s\n' "$program" | "$@" -x c - -o "$scratch" >/dev/null 2>&1
    result=$?
    rm -f "$scratch"
    return $result
}

packages=
need() { # PACKAGE PROBE...
    package=$1
    shift
    "$@" || packages="$packages $package"
}

clang_major() { clang -dumpversion 2>/dev/null | cut -d. -f1; }

need_make() { need make has_command make; }
need_build() {
    need_make
    need gcc has_command gcc
    need libc6-dev has_header gcc stdio.h
    need pkg-config has_command pkg-config
    need zlib1g-dev has_library zlib
    need libzstd-dev has_library libzstd
    need libxxhash-dev has_library libxxhash
    need libisal-dev has_library libisal
    need libjansson-dev has_library jansson
}
need_demo() {
    need_build
    need libigraph-dev has_library igraph
}
need_clang() {
    need clang has_command clang
    need libomp-dev compiles clang -fopenmp
    # clang takes its sanitizers and fuzzer from a package of its own version
    major=$(clang_major)
    need "libclang-rt-${major:-14}-dev" compiles clang -fsanitize=fuzzer
}
need_test() {
    need_demo
    need libcmocka-dev has_library cmocka
    need python3 has_command python3
    need python3-scipy has_module scipy
    need gcc-aarch64-linux-gnu has_command aarch64-linux-gnu-gcc
    need libc6-dev-arm64-cross has_header aarch64-linux-gnu-gcc stdio.h
    need qemu-user has_command qemu-aarch64
    need_clang
}
need_lint() {
    need_demo
    need libcmocka-dev has_library cmocka
    need clang has_command clang
    need libomp-dev compiles clang -fopenmp
    for tool in clang-format clang-tidy cppcheck shellcheck; do
        need $tool has_command $tool
    done
}
need_bench() {
    need_build
    need g++ has_command g++
    need libtbb-dev has_library tbb
}
need_fuzz() {
    need_build
    need_clang
}
need_all() {
    need_test
    need_lint
    need_bench
}

case $purpose in
make | build | demo | test | lint | bench | fuzz | all) "need_$purpose" ;;
*)
    echo "deps.sh: unknown purpose $purpose" >&2
    exit 2
    ;;
esac

# shellcheck disable=SC2086 # packages are words
packages=$(printf '%s\n' $packages | awk 'NF && !seen[$0]++' | tr '\n' ' ')
packages=${packages% }
[ -n "$packages" ] || exit 0

command="apt-get install -y --no-install-recommends $packages"
if [ $print_only = 1 ]; then
    echo "    $command"
    exit 0
fi
if ! has_command apt-get; then
    echo "missing here, by their Debian names: $packages" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif has_command sudo && sudo -n true 2>/dev/null; then
    as_root='sudo -n'
else
    echo "missing packages; please run:" >&2
    echo "    sudo apt-get update && sudo $command" >&2
    exit 1
fi

echo "installing: $packages"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
install() { $as_root env DEBIAN_FRONTEND=noninteractive $command >"$log" 2>&1; }
# Package lists may be absent or old: then the first try fails, and one update helps.
if ! install; then
    $as_root apt-get update >"$log" 2>&1 || { cat "$log"; echo "apt-get update failed; later by hand: $command"; exit 1; } >&2
    install || { tail -n 20 "$log"; echo "failed: $command"; exit 1; } >&2
fi
