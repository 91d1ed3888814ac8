# Layout, static analysis, fuzzing.

CLANG_FORMAT ?= clang-format
CLANG_TIDY ?= clang-tidy
FUZZ_SECONDS ?= 600
FUZZ_CC ?= clang
FUZZ_BUILD ?= build-fuzz
C_FILES := $(sort $(shell find $(wildcard src include workloads kernels tests fuzz examples) \
	-name '*.[ch]' 2>/dev/null))
SHELL_FILES := .ci/run tests/run bench/run bench/model $(sort $(wildcard packaging/build-deb tests/*/test_*.sh) \
	$(filter-out tools/packages tools/compare-results tools/tabulate-model,$(wildcard tools/*)))

.PHONY: mutate format format-check lint lint-c lint-shell list-c-files fuzz fuzz-programs
format:
	$(CLANG_FORMAT) -i $(C_FILES)

format-check:
	$(CLANG_FORMAT) --dry-run -Werror $(C_FILES)

list-c-files:
	@printf '%s\n' $(C_FILES)

lint: lint-c lint-shell
lint-c:
	$(CLANG_TIDY) --quiet $(SOURCES) -- -std=gnu11 $(CPPFLAGS_ALL) -DCYCLESTACK_VERSION='""' \
		-DCYCLESTACK_COMMIT='""'
lint-shell:
	shellcheck -x -P SCRIPTDIR -P . --severity=warning $(SHELL_FILES)

# Each fuzz/fuzz_NAME.c becomes a libFuzzer program.  New inputs go to
# $(FUZZ_BUILD)/corpus; `make fuzz-merge` adds those that reach new code to fuzz/corpus/NAME.
FUZZ_SOURCES := $(sort $(wildcard fuzz/fuzz_*.c))
FUZZ_NAMES := $(FUZZ_SOURCES:fuzz/fuzz_%.c=%)

.PHONY: $(FUZZ_NAMES:%=fuzz-%) fuzz-guest-calls fuzz-merge
fuzz: fuzz-programs
	@set -e; $(foreach name,$(FUZZ_NAMES),$(MAKE) --no-print-directory fuzz-$(name);) true
	@$(MAKE) --no-print-directory fuzz-guest-calls

fuzz-programs:
ifneq ($(FUZZ_SOURCES),)
	@$(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS)) --no-print-directory \
		BUILD=$(FUZZ_BUILD) CC=$(FUZZ_CC) OPTIMISE=-O1 WERROR= \
		CFLAGS='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
		LDFLAGS='-fsanitize=address,undefined' \
		$(FUZZ_NAMES:%=$(FUZZ_BUILD)/fuzz_%)
endif

$(FUZZ_BUILD)/fuzz_%: fuzz/fuzz_%.c $(FUZZ_BUILD)/libcyclestack.a
	$(call say,fuzzer)
	$(Q)$(FUZZ_CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fsanitize=fuzzer -no-pie -fno-pie -o $@ $< \
		$(FUZZ_BUILD)/libcyclestack.a -Wl,--as-needed $(LIBS) $(PROGRAM_LIBS)

$(FUZZ_NAMES:%=fuzz-%): fuzz-%: fuzz-programs
	@mkdir -p $(FUZZ_BUILD)/corpus/$* fuzz/corpus/$*
	$(FUZZ_BUILD)/fuzz_$* -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -verbosity=0 -artifact_prefix=$(FUZZ_BUILD)/crash-$*- \
		$(FUZZ_BUILD)/corpus/$* fuzz/corpus/$*

# Random system calls on the build with the sanitizers; new seeds until the time is over.
fuzz-guest-calls:
	@$(MAKE) --no-print-directory SANITIZE=1 BUILD=build-asan all
	CALLS_SECONDS=$(FUZZ_SECONDS) BUILD=$(CURDIR)/build-asan bash tests/faults/test_guest_calls.sh

fuzz-merge: fuzz-programs
	@set -e; $(foreach name,$(FUZZ_NAMES),$(FUZZ_BUILD)/fuzz_$(name) -merge=1 -max_len=4096 \
		fuzz/corpus/$(name) $(FUZZ_BUILD)/corpus/$(name);) true

# Small mistakes in the committed source: how many do the tests notice?  AGAIN=1 gives the survivors of
# earlier calls to the tests of this commit; BUDGET=300 is the seconds that the tests of one may take.
MUTANTS ?= 50
SEED ?= 1
IN ?= src
mutate:
	@tools/setup build test mutate
	@BUILD=$(BUILD) tools/mutate -n $(MUTANTS) -s $(SEED) --in $(IN) $(if $(AGAIN),--again) \
		$(if $(REPORT),--report $(REPORT)) $(if $(BUDGET),--budget $(BUDGET))
