# edgemill - large edge lists to CSR graphs
#
#   make              build the library, the program and the judge into build/$(VARIANT)/
#   make demo         install what is missing, build, convert a bundled graph, verify it, show the profile
#   make test         install what is missing, build, run all tests
#   make VARIANT=debug|asan|tsan …   the same with another build
#
# SPDX-License-Identifier: Apache-2.0

VARIANT ?= release
BUILD   := build/$(VARIANT)

CC       ?= cc
PKG_CONFIG ?= pkg-config
FLAGS_release := -O3
FLAGS_debug   := -O0 -g3
FLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_tsan    := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla -Werror
CFLAGS  ?= -g
EM_CFLAGS := -std=gnu17 -D_GNU_SOURCE -I. $(WARNINGS) $(FLAGS_$(VARIANT)) -fPIC -fvisibility=hidden -ffp-contract=off -fopenmp -pthread -MMD -MP
EM_LDFLAGS := $(filter -fsanitize=%,$(FLAGS_$(VARIANT))) -fopenmp -pthread

LIBS := zlib libzstd libxxhash
have_isal := $(shell $(PKG_CONFIG) --exists libisal && echo 1)
ifeq ($(have_isal),1)
LIBS += libisal
EM_CFLAGS += -DEM_HAVE_ISAL
endif
EM_CFLAGS += $(shell $(PKG_CONFIG) --cflags $(LIBS) jansson)
EM_LIBS := $(shell $(PKG_CONFIG) --libs $(LIBS)) -lm

LIB_SRC := $(wildcard scan/*.c scan/base/*.c io/*.c stages/*.c pipeline/*.c)
CLI_SRC := $(wildcard pipeline/cli/*.c)
JUDGE_SRC := $(wildcard pipeline/judge/*.c)
TEST_SRC := $(wildcard tests/scan/test_*.c tests/io/test_*.c tests/stages/test_*.c tests/pipeline/test_*.c)
TEST_HELP := $(filter-out $(TEST_SRC),$(wildcard tests/*.c))
obj = $(patsubst %.c,$(BUILD)/%.o,$(1))

TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))

all: $(BUILD)/edgemill $(BUILD)/edgemill-igraph
tests: $(TESTS)

MACHINE := $(shell $(CC) -dumpmachine)
ifneq ($(filter x86_64%,$(MACHINE)),)
$(BUILD)/%_avx2.o:   ISA := -mavx2 -mbmi -mbmi2 -mlzcnt
$(BUILD)/%_avx512.o: ISA := -mavx2 -mbmi -mbmi2 -mlzcnt -mavx512f -mavx512bw -mavx512vl -mavx512dq -mprefer-vector-width=512
endif

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(EM_CFLAGS) $(ISA) $(CFLAGS) -c $< -o $@

$(BUILD)/libedgemill.a: $(call obj,$(LIB_SRC))
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/edgemill: $(call obj,$(CLI_SRC)) $(BUILD)/libedgemill.a
	$(CC) $(EM_LDFLAGS) $(LDFLAGS) $^ $(EM_LIBS) $(shell $(PKG_CONFIG) --libs jansson) -o $@

# The judge links igraph (GPL) and none of our library.
$(BUILD)/edgemill-igraph: $(call obj,$(JUDGE_SRC))
	$(CC) $(EM_LDFLAGS) $(LDFLAGS) $^ $(shell $(PKG_CONFIG) --libs igraph zlib libzstd libxxhash) -lm -o $@
$(call obj,$(JUDGE_SRC)): EM_CFLAGS += $(shell $(PKG_CONFIG) --cflags igraph)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(call obj,$(TEST_HELP)) $(BUILD)/libedgemill.a
	$(CC) $(EM_LDFLAGS) $(LDFLAGS) $^ $(EM_LIBS) -lcmocka -o $@

clean:
	rm -rf build

.PHONY: all tests clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
