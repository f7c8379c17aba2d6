# edgemill - large edge lists to CSR graphs
#
#   make                build the library, the program and the judge into build/release/
#   make demo           install what is missing, build, convert a bundled graph, verify it, show the profile
#   make test           install what is missing, build, run everything: tests, sanitizers, clang, aarch64, fuzzers
#   make check          build and run the tests of one VARIANT, nothing else
#   make test-long      the same as test, with ten minutes for each fuzzer and all repetitions under sanitizers
#   make examples       build the small programs in scan/examples/, each of which says what it prints
#   make bench          the benchmarks, with ratios to what this machine can copy (BENCH_SCAN: words for bench scan)
#   make lint           clang-format, clang-tidy, cppcheck, shellcheck, layers
#   make fuzz           fuzz each reader for FUZZ_SECONDS=10
#   make install        into DESTDIR= PREFIX=/usr/local; make uninstall takes it away
#   make deps           install what is missing for all of the above (apt; as root or with sudo)
#   make check-layers   includes point one way: scan <- io <- stages <- pipeline
#   make check-gpu      the tests that need a CUDA device
#   make clean          remove build/
#
#   VARIANT=release|debug|asan|tsan   which build                CC=gcc|clang|aarch64-linux-gnu-gcc   which compiler
#   CFLAGS= LDFLAGS=                  come last, so they win      NO_DEPS=1    never install anything
#   NO_CUDA=1                         build without nvcc          NO_ISAL=1    inflate with zlib alone
#   WERROR=                           warnings do not stop the build             V=1          show the commands
#
# One non-recursive Makefile: sources are found by wildcard, so a new file in scan/, io/, stages/ or pipeline/ needs no
# line here. Sources named *_avx2.c and *_avx512.c get those instructions and are chosen at run time.
#
# SPDX-License-Identifier: Apache-2.0

VERSION := 0.1.0
SOVERSION := 0
VARIANT ?= release
BUILD   := build/$(VARIANT)
ifeq ($(filter $(VARIANT),release debug asan tsan),)
$(error VARIANT=$(VARIANT) is none of release debug asan tsan)
endif

PREFIX      ?= /usr/local
BINDIR      ?= $(PREFIX)/bin
LIBDIR      ?= $(PREFIX)/lib
INCLUDEDIR  ?= $(PREFIX)/include
LIBEXECDIR  ?= $(PREFIX)/libexec
DATADIR     ?= $(PREFIX)/share

comma := ,
CC         ?= cc
CXX        ?= c++
PKG_CONFIG ?= pkg-config
INSTALL    ?= install
CFLAGS     ?= $(if $(filter asan tsan,$(VARIANT)),-g1,-g)
WERROR     ?= -Werror
FUZZ_SECONDS ?= 10
BENCH_SCAN ?= --max 100M
Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1)')

# --- flags --------------------------------------------------------------------------------------------------------

FLAGS_release := -O3
FLAGS_debug   := -O0 -g3
FLAGS_asan    := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_tsan    := -O1 -fsanitize=thread -fno-omit-frame-pointer
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla $(WERROR)
# Joining the answers of two overflow checks with | is deliberate: both must be made.
WARNINGS += $(if $(findstring clang,$(CC)),-Wno-bitwise-instead-of-logical)
CODE_FLAGS := $(FLAGS_$(VARIANT)) -fPIC -fvisibility=hidden -ffp-contract=off -fopenmp -pthread

has = $(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo 1)
NEEDED := zlib libzstd libxxhash jansson
LIBS := $(NEEDED)
have_isal := $(if $(NO_ISAL),,$(call has,libisal))
ifeq ($(have_isal),1)
LIBS += libisal
ISAL_FLAGS := -DEM_HAVE_ISAL
endif
EM_CFLAGS := -std=gnu17 -D_GNU_SOURCE -I. $(WARNINGS) $(CODE_FLAGS) $(ISAL_FLAGS) \
             $(shell $(PKG_CONFIG) --cflags $(LIBS) 2>/dev/null) $(EXTRA_CFLAGS)
EM_LDFLAGS := $(filter -fsanitize=%,$(FLAGS_$(VARIANT)) $(EXTRA_CFLAGS)) -fopenmp -pthread
EM_LIBS := $(shell $(PKG_CONFIG) --libs $(LIBS) 2>/dev/null) -lm

MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
ifneq ($(filter x86_64%,$(MACHINE)),)
$(BUILD)/%_avx2.o:   ISA := -mavx2 -mbmi -mbmi2
$(BUILD)/%_avx512.o: ISA := -mavx2 -mbmi -mbmi2 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mprefer-vector-width=512
endif

# --- sources ------------------------------------------------------------------------------------------------------

LIB_SRC   := $(wildcard scan/*.c scan/base/*.c io/*.c stages/*.c pipeline/*.c)
CLI_SRC   := $(wildcard pipeline/cli/*.c pipeline/bench/*.c)
JUDGE_SRC := $(wildcard pipeline/judge/*.c)
have_igraph := $(if $(JUDGE_SRC),$(call has,igraph))
TEST_SRC  := $(wildcard tests/scan/test_*.c tests/io/test_*.c tests/stages/test_*.c tests/pipeline/test_*.c tests/faults/test_*.c)
TEST_HELP := $(wildcard tests/*.c)
FUZZ_SRC  := $(wildcard tests/fuzz/fuzz_*.c)
EXAMPLE_SRC := $(wildcard scan/examples/*.c)
# What a program that links the library may include; the installed copies keep these paths under include/edgemill/.
PUBLIC_H  := $(addprefix scan/,scan.h select.h sort.h uses.h monoid.h elements.h monoids.h exp_log.h serial.inc \
                             monoid_value.inc) \
             $(addprefix scan/base/,status.h context.h buffer.h graph.h parallel.h) io/io.h io/publish.h \
             stages/stages.h pipeline/pipeline.h pipeline/plan.h

obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
TESTS  := $(patsubst %.c,$(BUILD)/%,$(TEST_SRC))
EXAMPLES := $(patsubst %.c,$(BUILD)/%,$(EXAMPLE_SRC))
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(FUZZ_SRC))

# CUDA sources are built where nvcc is; elsewhere <name>_absent.c answers in their place. Sanitizers and CUDA do not mix.
CUDA_SRC := $(wildcard scan/*.cu io/*.cu stages/*.cu pipeline/*.cu)
NVCC ?= $(shell command -v nvcc 2>/dev/null)
ifneq ($(filter asan tsan,$(VARIANT)),)
NO_CUDA := 1
endif
ifneq ($(and $(if $(NO_CUDA),,1),$(NVCC),$(CUDA_SRC)),)
# Machine code for the common generations, and PTX of the last one for those to come.
CUDA_ARCHS ?= 75 80 86 89 90
CUDA_LAST := $(lastword $(CUDA_ARCHS))
NVCC_FLAGS := -std=c++17 -O3 -I. --fmad=false --threads 0 -Werror all-warnings -Xcompiler -fPIC,-fvisibility=hidden,-Wall \
              $(foreach a,$(CUDA_ARCHS),-gencode arch=compute_$(a),code=sm_$(a)) \
              -gencode arch=compute_$(CUDA_LAST),code=compute_$(CUDA_LAST) $(NVCCFLAGS)
CUDA_OBJ := $(patsubst %.cu,$(BUILD)/%.cu.o,$(CUDA_SRC))
CUDA_LIBDIR := $(firstword $(wildcard $(dir $(realpath $(NVCC)))../lib64 $(dir $(realpath $(NVCC)))../lib))
PRIVATE_LIBS := $(if $(CUDA_LIBDIR),-L$(CUDA_LIBDIR)) -lcudart_static -ldl -lrt -lstdc++
EM_LIBS += $(PRIVATE_LIBS)
LIB_SRC := $(filter-out $(patsubst %.cu,%_absent.c,$(CUDA_SRC)),$(LIB_SRC))
EM_CFLAGS += -DEM_HAVE_CUDA
endif
LIB_OBJ := $(call obj,$(LIB_SRC)) $(CUDA_OBJ)

# --- build --------------------------------------------------------------------------------------------------------

all: $(BUILD)/libedgemill.a $(BUILD)/libedgemill.so $(BUILD)/edgemill $(BUILD)/edgemill.pc judge
ifeq ($(have_igraph),1)
judge: $(BUILD)/edgemill-igraph
else
judge:
	@echo "igraph is not there: built without edgemill-igraph, so --verify has no judge (make deps installs libigraph-dev)"
endif
tests: all $(TESTS) examples
examples: $(EXAMPLES)
objects: $(call obj,$(LIB_SRC) $(CLI_SRC))

# Objects are made anew when compiler or flags change, such as when a library appears.
FLAGS := $(CC) $(MACHINE) $(EM_CFLAGS) $(CFLAGS) $(NVCC_FLAGS)
ifneq ($(strip $(file <$(BUILD)/flags)),$(strip $(FLAGS)))
.PHONY: $(BUILD)/flags
endif
MISSING := $(strip $(foreach l,$(NEEDED),$(if $(call has,$(l)),,$(l))))
$(BUILD)/flags:
ifneq ($(MISSING),)
	@echo "missing: $(MISSING). 'make deps' installs what the build needs; by hand:"; sh tests/deps.sh --print build; exit 1
endif
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(strip $(FLAGS)))' >$@

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC   $@)
	$(Q)$(CC) $(EM_CFLAGS) $(ISA) -MMD -MP $(CFLAGS) -c $< -o $@

$(BUILD)/%.cu.o: %.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,NVCC $@)
	$(Q)$(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(BUILD)/libedgemill.a: $(LIB_OBJ)
	@rm -f $@
	$(call say,AR   $@)
	$(Q)$(AR) rcs $@ $^

$(BUILD)/libedgemill.so.$(SOVERSION): $(LIB_OBJ)
	$(call say,LINK $@)
	$(Q)$(CC) -shared -Wl,-soname,libedgemill.so.$(SOVERSION) $(if $(filter -fsanitize=%,$(EM_LDFLAGS)),,-Wl$(comma)--no-undefined) $(EM_LDFLAGS) $(LDFLAGS) $^ $(EM_LIBS) -o $@
$(BUILD)/libedgemill.so: $(BUILD)/libedgemill.so.$(SOVERSION)
	@ln -sf $(<F) $@

$(BUILD)/edgemill: $(call obj,$(CLI_SRC)) $(BUILD)/libedgemill.a
	$(call say,LINK $@)
	$(Q)$(CC) $(EM_LDFLAGS) $(LDFLAGS) $^ $(EM_LIBS) -ldl -o $@

$(BUILD)/scan/examples/%: $(BUILD)/scan/examples/%.o $(BUILD)/libedgemill.a
	$(call say,LINK $@)
	$(Q)$(CC) $(EM_LDFLAGS) $(LDFLAGS) $^ $(EM_LIBS) -o $@

# The judge links igraph (GPL) and none of our library.
$(BUILD)/edgemill-igraph: $(call obj,$(JUDGE_SRC))
	@mkdir -p $(@D)
	$(call say,LINK $@)
	$(Q)$(CC) $(EM_LDFLAGS) $(LDFLAGS) $^ $(shell $(PKG_CONFIG) --libs igraph zlib libzstd libxxhash jansson 2>/dev/null) -lm -o $@
$(call obj,$(JUDGE_SRC)): EM_CFLAGS += $(shell $(PKG_CONFIG) --cflags igraph 2>/dev/null)

# Where things will be installed is known to two files, which are made anew when that changes.
FOLDERS := $(PREFIX) $(LIBDIR) $(INCLUDEDIR) $(LIBEXECDIR)
ifneq ($(strip $(file <$(BUILD)/folders)),$(FOLDERS))
.PHONY: $(BUILD)/folders
endif
$(BUILD)/folders: $(BUILD)/flags
	@echo '$(FOLDERS)' >$@
$(BUILD)/pipeline/companion.o: $(BUILD)/folders
$(BUILD)/pipeline/companion.o: EM_CFLAGS += -DEM_LIBEXECDIR='"$(LIBEXECDIR)/edgemill"'

$(BUILD)/edgemill.pc: pipeline/edgemill.pc.in $(BUILD)/folders Makefile
	@sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@VERSION@|$(VERSION)|' \
	    -e 's|@REQUIRES@|$(LIBS)|; s|@LIBS_PRIVATE@|$(PRIVATE_LIBS)|' $< >$@

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(call obj,$(TEST_HELP)) $(BUILD)/libedgemill.a
	$(call say,LINK $@)
	$(Q)$(CC) $(EM_LDFLAGS) $(LDFLAGS) $^ $(EM_LIBS) -lcmocka -o $@

# The parts of the program that are tested by themselves are no part of the library.
$(BUILD)/tests/pipeline/test_bench_statistics: $(call obj,pipeline/bench/statistics.c)

# --- tests --------------------------------------------------------------------------------------------------------

demo: deps-demo
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@sh tests/demo.sh $(BUILD)

test: deps-test
	@MAKE='$(MAKE)' FUZZ_SECONDS='$(FUZZ_SECONDS)' sh tests/test_all.sh

test-long: deps-test
	@MAKE='$(MAKE)' FUZZ_SECONDS=600 EM_TEST_LONG=1 sh tests/test_all.sh

check: tests
	@sh tests/run_tests.sh $(BUILD) $(TESTS)

check-layers:
	@sh tests/check_layers.sh .

check-gpu: all
	@sh tests/check_gpu.sh $(BUILD) $(if $(CUDA_OBJ),built,absent)

bench: deps-bench
	@$(MAKE) --no-print-directory -j$(JOBS) benches
	$(BUILD)/edgemill bench scan $(BENCH_SCAN) --json $(BUILD)/bench-scan.json --svg $(BUILD)/bench-scan.svg
	$(BUILD)/edgemill bench scan --tiles --types i32
	$(BUILD)/edgemill bench compact --json $(BUILD)/bench-compact.json
	$(BUILD)/edgemill bench sort --json $(BUILD)/bench-sort.json
	@echo "== bench_load"; tests/bench/bench_load.py --edgemill $(BUILD)/edgemill $(if $(have_igraph),--igraph $(BUILD)/tests/bench/peer_igraph)
benches: all peers $(if $(have_igraph),$(BUILD)/tests/bench/peer_igraph)
$(BUILD)/tests/bench/peer_igraph: tests/bench/peer_igraph.c
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 $(shell $(PKG_CONFIG) --cflags igraph) $< $(shell $(PKG_CONFIG) --libs igraph) -o $@

# The peers of bench are C++ and an object of their own, with every advantage of this machine; TBB where it is.
have_tbb := $(call has,tbb)
peers: $(BUILD)/edgemill-peers.so
$(BUILD)/edgemill-peers.so: $(wildcard tests/bench/peers_*.cc) pipeline/bench/peer.h
	@mkdir -p $(@D)
	$(call say,CXX  $@)
	$(Q)$(CXX) -std=c++17 -O3 -march=native -fopenmp-simd -fPIC -fvisibility=hidden -I. $(if $(have_tbb),-DEM_HAVE_TBB) \
	    $(CXXFLAGS) -shared $(filter %.cc,$^) $(LDFLAGS) $(if $(have_tbb),-ltbb) -o $@

# A fuzzer is clang's: make fuzz builds everything once more with coverage instrumentation.
fuzz: deps-fuzz
	@$(MAKE) --no-print-directory -j$(JOBS) CC=$(or $(FUZZ_CC),clang) VARIANT=asan BUILD=build/fuzz NO_CUDA=1 \
	    EXTRA_CFLAGS='-fsanitize=fuzzer-no-link' fuzzers
	@sh tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS)
fuzzers: $(FUZZERS) $(BUILD)/edgemill
$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/support.o $(BUILD)/libedgemill.a
	$(call say,LINK $@)
	$(Q)$(CC) $(filter-out -fsanitize=fuzzer-no-link,$(EM_LDFLAGS)) -fsanitize=fuzzer $(LDFLAGS) $^ $(EM_LIBS) -o $@

lint: deps-lint
	@MAKE='$(MAKE)' sh tests/lint.sh '$(EM_CFLAGS)'

# --- dependencies -------------------------------------------------------------------------------------------------

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
deps: deps-all
deps-%:
	@$(if $(NO_DEPS),:,sh tests/deps.sh $*)

# --- install ------------------------------------------------------------------------------------------------------

# Our includes are root-relative; installed headers say edgemill/ before the path, so -I$(INCLUDEDIR) is enough.
install: all
	$(INSTALL) -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBDIR)/pkgconfig $(INCLUDEDIR) $(LIBEXECDIR)/edgemill \
	    $(DATADIR)/man/man1 $(DATADIR)/bash-completion/completions $(DATADIR)/zsh/site-functions \
	    $(DATADIR)/fish/vendor_completions.d)
	$(INSTALL) -m 755 $(BUILD)/edgemill $(DESTDIR)$(BINDIR)/edgemill
	@for h in $(PUBLIC_H); do \
	    $(INSTALL) -d $(DESTDIR)$(INCLUDEDIR)/edgemill/$${h%/*} && \
	    sed -E 's|^(# *include ")(scan/\|io/\|stages/\|pipeline/)|\1edgemill/\2|' $$h >$(BUILD)/header.h && \
	    $(INSTALL) -m 644 $(BUILD)/header.h $(DESTDIR)$(INCLUDEDIR)/edgemill/$$h || exit 1; done
	@sed -E 's|^(# *include ")(scan/\|io/\|stages/\|pipeline/)|\1edgemill/\2|' pipeline/edgemill.h >$(BUILD)/header.h
	$(INSTALL) -m 644 $(BUILD)/header.h $(DESTDIR)$(INCLUDEDIR)/edgemill.h
	$(INSTALL) -m 644 $(BUILD)/libedgemill.a $(DESTDIR)$(LIBDIR)/libedgemill.a
	$(INSTALL) -m 755 $(BUILD)/libedgemill.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libedgemill.so.$(SOVERSION)
	ln -sf libedgemill.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libedgemill.so
	$(INSTALL) -m 644 $(BUILD)/edgemill.pc $(DESTDIR)$(LIBDIR)/pkgconfig/edgemill.pc
	$(if $(have_igraph),$(INSTALL) -m 755 $(BUILD)/edgemill-igraph $(DESTDIR)$(LIBEXECDIR)/edgemill/edgemill-igraph)
	$(if $(wildcard $(BUILD)/edgemill-peers.so),$(INSTALL) -m 755 $(BUILD)/edgemill-peers.so $(DESTDIR)$(LIBEXECDIR)/edgemill/edgemill-peers.so)
	$(INSTALL) -m 644 pipeline/cli/edgemill.1 $(DESTDIR)$(DATADIR)/man/man1/edgemill.1
	$(INSTALL) -m 644 pipeline/cli/completions/edgemill.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/edgemill
	$(INSTALL) -m 644 pipeline/cli/completions/_edgemill $(DESTDIR)$(DATADIR)/zsh/site-functions/_edgemill
	$(INSTALL) -m 644 pipeline/cli/completions/edgemill.fish $(DESTDIR)$(DATADIR)/fish/vendor_completions.d/edgemill.fish

uninstall:
	rm -f $(addprefix $(DESTDIR),$(BINDIR)/edgemill $(LIBDIR)/libedgemill.a $(LIBDIR)/libedgemill.so \
	    $(LIBDIR)/libedgemill.so.$(SOVERSION) $(LIBDIR)/pkgconfig/edgemill.pc $(INCLUDEDIR)/edgemill.h \
	    $(LIBEXECDIR)/edgemill/edgemill-igraph $(LIBEXECDIR)/edgemill/edgemill-peers.so $(DATADIR)/man/man1/edgemill.1 \
	    $(DATADIR)/bash-completion/completions/edgemill $(DATADIR)/zsh/site-functions/_edgemill \
	    $(DATADIR)/fish/vendor_completions.d/edgemill.fish) $(addprefix $(DESTDIR)$(INCLUDEDIR)/edgemill/,$(PUBLIC_H))
	-rmdir $(addprefix $(DESTDIR)$(INCLUDEDIR)/edgemill/,scan/base scan io stages pipeline .) \
	    $(DESTDIR)$(LIBEXECDIR)/edgemill

clean:
	rm -rf build

help:
	@sed -n '/^$$/q; s/^# \{0,1\}//p' Makefile

.DEFAULT_GOAL := all
.PHONY: all judge tests examples objects demo test test-long check check-layers check-gpu bench benches peers fuzz \
        fuzzers lint deps install uninstall clean help
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
