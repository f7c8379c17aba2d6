#!/bin/sh
# test_install - installs into a scratch folder and uses what is there as a stranger would: one include, pkg-config.
#
#   test_install.sh BUILD
#
# SPDX-License-Identifier: Apache-2.0
set -eu
build=${1:-build/release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stage=$scratch/stage
build_flags="VARIANT=${build##*/}"
case $build in build/*) ;; *) build_flags="BUILD=$build" ;; esac

${MAKE:-make} --no-print-directory NO_DEPS=1 "$build_flags" DESTDIR="$stage" PREFIX=/opt/em install >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
}

cat >"$scratch/stranger.c" <<'END'
#include <edgemill.h>
#include <stdio.h>
int main(void)
{
    em_context *context = NULL;
    em_error error = {0};
    if (em_context_create(NULL, &context, &error) != EM_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const uint32_t counts[3] = {2, 0, 1};
    uint64_t offsets[4];
    const em_status status = em_scan_offsets(context, EM_U32, counts, offsets, 3, &error);
    em_context_free(context);
    return status != EM_OK || offsets[3] != 3;
}
END
export PKG_CONFIG_PATH="$stage/opt/em/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage"
cc=${CC:-gcc}
cxx=${CXX:-c++}
# shellcheck disable=SC2046 # the words of pkg-config are to be split
$cc -std=gnu17 -Wall -Wextra -Werror $(pkg-config --cflags edgemill) "$scratch/stranger.c" \
    $(pkg-config --libs edgemill) -o "$scratch/stranger"
LD_LIBRARY_PATH="$stage/opt/em/lib" "$scratch/stranger"

# The README's example, word for word, on a graph whose counts are known.
{
    awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside && /^#include/' README.md
    echo 'int main(void) {'
    awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside && !/^#include/' README.md
    echo 'return error.status; }'
} >"$scratch/example.c"
# shellcheck disable=SC2046
$cc -std=gnu17 -Wall -Wextra -Werror $(pkg-config --cflags edgemill) "$scratch/example.c" \
    $(pkg-config --libs edgemill) -o "$scratch/example"
printf '0 1\n1 2\n2 0\n2 3\n' >"$scratch/web.el"
said=$(cd "$scratch" && LD_LIBRARY_PATH="$stage/opt/em/lib" ./example)
if [ "$said" != "4 vertices, 4 arcs" ]; then
    echo "the README's example says: $said"
    exit 1
fi

# The examples, by what is installed alone; one of them makes an operator of its own out of serial.inc.
mkdir "$scratch/examples"
for source in scan/examples/*.c; do
    name=$(basename "$source" .c)
    sed -E 's,^(# *include ")(scan/|io/|stages/|pipeline/),\1edgemill/\2,' "$source" >"$scratch/examples/$name.c"
    # shellcheck disable=SC2046
    $cc -std=c17 -Wall -Wextra -Werror $(pkg-config --cflags edgemill) "$scratch/examples/$name.c" \
        $(pkg-config --libs edgemill) -o "$scratch/examples/$name"
done
LD_LIBRARY_PATH="$stage/opt/em/lib" sh tests/scan/test_examples.sh "$build" "$scratch/examples" || exit 1

# Stages of a program's own.
sh tests/pipeline/user_stage/check.sh "$stage" || exit 1

# Every installed header stands on its own, in plain C17 and in C++17.
for header in $(cd "$stage/opt/em/include" && find . -name '*.h'); do
    echo "#include <${header#./}>" | $cc -std=c17 -pedantic -Wall -Wextra -Werror -I"$stage/opt/em/include" -fsyntax-only -x c -
    if command -v "$cxx" >/dev/null; then
        echo "#include <${header#./}>" |
            $cxx -std=c++17 -pedantic -Wall -Wextra -Werror -I"$stage/opt/em/include" -fsyntax-only -x c++ -
    fi
done

# A stranger may write C++.
if command -v "$cxx" >/dev/null; then
    cat >"$scratch/stranger.cc" <<'END'
#include <edgemill.h>
int main()
{
    em_context *context = nullptr;
    int numbers[3] = {3, 1, 7};
    if (em_context_create(nullptr, &context, nullptr) != EM_OK ||
        em_scan_sum(context, EM_I32, EM_INCLUSIVE, numbers, numbers, 3, nullptr) != EM_OK)
        return 1;
    em_context_free(context);
    return numbers[2] != 11;
}
END
    # shellcheck disable=SC2046
    $cxx -std=c++17 -Wall -Wextra -Werror $(pkg-config --cflags edgemill) "$scratch/stranger.cc" \
        $(pkg-config --libs edgemill) -o "$scratch/stranger_cc"
    LD_LIBRARY_PATH="$stage/opt/em/lib" "$scratch/stranger_cc" || { echo "sums from C++ are wrong"; exit 1; }
fi

# The shared library exports em_* and nothing else.
strange=$(nm -D --defined-only "$stage/opt/em/lib/libedgemill.so.0" | awk '{ print $3 }' | grep -v '^em_' || true)
if [ -n "$strange" ]; then
    echo "libedgemill.so.0 exports: $strange"
    exit 1
fi
"$stage/opt/em/bin/edgemill" --version | grep -q . || exit 1

${MAKE:-make} --no-print-directory NO_DEPS=1 "$build_flags" DESTDIR="$stage" PREFIX=/opt/em uninstall >/dev/null 2>&1
left=$(find "$stage" ! -type d)
if [ -n "$left" ]; then
    echo "uninstall left: $left"
    exit 1
fi
echo "installed, linked by a stranger, uninstalled"
