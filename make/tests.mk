# Tests: the cmocka programs of tests/unit/, and the targets that run everything.

UNIT_SOURCES := $(sort $(shell find tests/unit -name 'test_*.c' 2>/dev/null))
UNIT_TESTS := $(UNIT_SOURCES:%.c=$(BUILD)/%)
# The emulated rounding modes are compared with the host's, which the compiler must then respect.
CFLAGS_tests/unit/isa/test_softfloat.c = -frounding-math

# Under a parallel make the inner one shares its job slots; otherwise it uses all processors.
inner = $(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS)) --no-print-directory

.PHONY: test check unit-tests setup demo evaluate bench real-workloads
unit-tests: $(UNIT_TESTS)

# A change of the library links them again, without compiling them.
$(UNIT_TESTS:%=%.o): $(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,test)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fno-pie $(CFLAGS_$<) -MMD -MP -c -o $@ $<

$(UNIT_TESTS): %: %.o $(LIBRARY)
	$(Q)$(CC) -no-pie $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(LIBRARY) -lcmocka $(LIBS)
-include $(wildcard $(UNIT_TESTS:%=%.d))

# The inner make decides what to build from the installed packages, so set-up runs before it.
test:
	@tools/setup build test
	@$(inner) check

check: all unit-tests
	@BUILD=$(BUILD) tests/run $(TESTS)

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
