# The kernels of event inspection: one collector, for the simulated machine and for this one. A build
# whose loops the compiler has changed is refused by name.

KERNEL_SOURCES := $(sort $(wildcard kernels/*.c))
# The order of blocks, and a branch for each condition, are part of what is measured.
KERNEL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g -static -Wall -Wextra -Werror -fno-reorder-blocks \
	-fno-if-conversion -fno-if-conversion2 -fno-crossjumping -fno-thread-jumps \
	-fno-tree-vectorize -fno-unroll-loops -ffile-prefix-map=$(CURDIR)=.
CROSS_OBJDUMP := $(CROSS_CC:gcc=objdump)

.PHONY: kernels
all: kernels
kernels: $(if $(HAVE_CROSS),$(BUILD)/kernels/collect) $(BUILD)/kernels/collect-host

$(BUILD)/kernel-flags: FORCE
	$(call remember,$(CC) $(CROSS_CC) $(KERNEL_CFLAGS))

$(BUILD)/kernels/collect: $(KERNEL_SOURCES) kernels/kernel.h kernels/expected.txt $(BUILD)/kernel-flags
	@mkdir -p $(@D)
	$(call say,kernels)
	$(Q)$(CROSS_CC) $(KERNEL_CFLAGS) -o $@.new $(KERNEL_SOURCES)
	$(Q)tools/hold-kernels $@.new $(CROSS_OBJDUMP)
	@mv $@.new $@

$(BUILD)/kernels/collect-host: $(KERNEL_SOURCES) kernels/kernel.h kernels/expected.txt $(BUILD)/kernel-flags
	@mkdir -p $(@D)
	$(call say,kernels)
	$(Q)$(CC) $(KERNEL_CFLAGS) -o $@.new $(KERNEL_SOURCES)
	$(Q)tools/hold-kernels $@.new
	@mv $@.new $@

$(BUILD)/src/classify/expected.o $(BUILD)/pic/src/classify/expected.o: kernels/expected.txt
