# Tests: the cmocka programs of tests/unit/, and the targets that run everything.

UNIT_SOURCES := $(sort $(shell find tests/unit -name 'test_*.c' 2>/dev/null))
UNIT_TESTS := $(UNIT_SOURCES:%.c=$(BUILD)/%)
# The emulated rounding modes are compared with the host's, which the compiler must then respect.
CFLAGS_tests/unit/isa/test_softfloat.c = -frounding-math

# Under a parallel make the inner one shares its job slots; otherwise it uses all processors.
inner = $(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS)) --no-print-directory

.PHONY: test check accept unit-tests setup demo evaluate bench real-workloads
unit-tests: $(UNIT_TESTS)

# A change of the library links them again, without compiling them.
UNIT_MAIN := $(BUILD)/tests/unit/main.o
$(UNIT_TESTS:%=%.o) $(UNIT_MAIN): $(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,test)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fno-pie $(CFLAGS_$<) -MMD -MP -c -o $@ $<

# A function that a test replaces (tests/unit/replace.h) is replaced in the library too.
replaced = $$(nm $< | sed -n 's/.* T __wrap_/-Wl,--wrap=/p')
$(UNIT_TESTS): %: %.o $(UNIT_MAIN) $(LIBRARY)
	$(Q)$(CC) -no-pie $(CFLAGS_ALL) $(LDFLAGS_ALL) $(replaced) -o $@ $< $(UNIT_MAIN) \
		$(filter $(COMMANDS),$^) $(LIBRARY) -lcmocka $(LIBS) $(PROGRAM_LIBS)

# What the program has besides the library and its main. A test that defines functions or tables of
# other files of src/cmd itself is linked without those files.
COMMANDS := $(BUILD)/libcommands.a
$(COMMANDS): $(filter-out %/main.o,$(CMD_OBJECTS)) $(BUILD)/sources
	@rm -f $@ && $(AR) rcsD $@ $(filter %.o,$^)
$(filter $(BUILD)/tests/unit/cmd/%,$(UNIT_TESTS)): $(COMMANDS)
-include $(wildcard $(UNIT_TESTS:%=%.d) $(UNIT_MAIN:.o=.d))

# The inner make decides what to build from the installed packages, so set-up runs before it.
test:
	@tools/setup build test
	@$(inner) check

check: all unit-tests
	@BUILD=$(BUILD) tests/run $(TESTS)

# Writes the golden files of unit tests anew, and shows what changed: it is to be read.
accept: all unit-tests
	@ACCEPT=1 BUILD=$(BUILD) tests/run $(if $(TESTS),$(TESTS),tests/unit) || true
	@git --no-pager diff --stat -- tests; git --no-pager diff -- tests

setup:
	@tools/setup build test

demo:
	@tools/setup build
	@$(inner) all
	@BUILD=$(BUILD) tools/demo

bench:
	@tools/setup build test
	@$(inner) all
	@BUILD=$(BUILD) bench/run
	@BUILD=$(BUILD) bench/model

evaluate:
	@tools/setup build test evaluate
	@$(inner) all unit-tests
	@BUILD=$(BUILD) tools/evaluate

real-workloads:
	@if [ -x tools/real-workloads ]; then BUILD=$(BUILD) tools/real-workloads; else \
		echo "tools/real-workloads is not there"; exit 1; fi
