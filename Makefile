# cyclestack: the build.  `make help` lists the targets.
#
# Sources are found by wildcard: src/cmd/ goes into the program only, every other folder of src/
# into the library.  Objects mirror src/ under $(BUILD); a change of compiler or flags rebuilds them.

BUILD ?= build
CROSS_CC ?= riscv64-linux-gnu-gcc
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
# Debian 12 has gcc 12 as cc; make's built-in default would hide an unset CC.
ifeq ($(origin CC),default)
CC := gcc
endif
AR ?= ar
# Commands are shown in short; V=1 shows them whole.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-9s %s\n' '$(1)' '$(patsubst $(CURDIR)/%,%,$@)')
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

VERSION := $(shell cat VERSION)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wcast-qual -Wwrite-strings -Wvla
WERROR ?= -Werror
OPTIMISE ?= -O3
ifdef SANITIZE
OPTIMISE := -O1
SANITIZE_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
# Checks of the stack and of buffers for all that handles what comes from outside; not for the
# folders that run per cycle or instruction and see no bytes of a file or guest.  The sanitizers
# check more.
HOT_FOLDERS := core count isa mem pred signal
HARDEN := $(if $(findstring -fsanitize,$(SANITIZE_FLAGS) $(CFLAGS)),,-fstack-protector-strong \
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
harden = $(if $(filter $(HOT_FOLDERS:%=src/%/%),$<),,$(HARDEN))
# Empty, as in `#define _GNU_SOURCE`: a source that says so itself then does not redefine it.
CPPFLAGS_ALL := -D_GNU_SOURCE= -Isrc -Iinclude $(CPPFLAGS)
CFLAGS_ALL := -std=gnu11 $(OPTIMISE) -g -fno-plt -ffp-contract=off $(WARNINGS) $(WERROR) \
	-ffile-prefix-map=$(CURDIR)=. $(SANITIZE_FLAGS) $(CFLAGS)
LDFLAGS_ALL := -Wl,--as-needed -Wl,-z,relro,-z,now $(SANITIZE_FLAGS) $(LDFLAGS)
LIBS ?= -lconfig -lseccomp -ljansson -lnettle -lsqlite3 -lz -ldw -lelf -liberty -lm -lpthread
# Of the program alone: who embeds the library needs no server.
PROGRAM_LIBS ?= -lmicrohttpd

SOURCES := $(sort $(wildcard src/*/*.c src/*/*/*.c))
CMD_SOURCES := $(filter src/cmd/%,$(SOURCES))
LIB_SOURCES := $(filter-out src/cmd/%,$(SOURCES))
LIB_OBJECTS := $(LIB_SOURCES:%.c=$(BUILD)/%.o)
CMD_OBJECTS := $(CMD_SOURCES:%.c=$(BUILD)/%.o)
# The server is a part of the program; the library that is installed has none of it.
PIC_OBJECTS := $(patsubst %.c,$(BUILD)/pic/%.o,$(filter-out src/web/%,$(LIB_SOURCES)))

PROGRAM := $(BUILD)/cyclestack
LIBRARY := $(BUILD)/libcyclestack.a
SONAME := libcyclestack.so.$(SOVERSION)
SHARED := $(BUILD)/libcyclestack.so.$(VERSION)

# Workloads run on the simulated machine; without the cross compiler everything else still builds.
HAVE_CROSS := $(shell command -v $(CROSS_CC) 2>/dev/null)
WORKLOAD_SOURCES := $(sort $(wildcard workloads/*.c))
WORKLOADS := $(WORKLOAD_SOURCES:workloads/%.c=$(BUILD)/workloads/%)
CONFIGS := $(patsubst %,$(BUILD)/%,$(wildcard configs/*.cfg))
GROUPS := $(patsubst src/stats/%,$(BUILD)/%,$(wildcard src/stats/groups/*.group))
WORKLOAD_ABOUTS := $(patsubst %,$(BUILD)/%,$(wildcard workloads/*.about))
WORKLOAD_CFLAGS := -std=gnu11 -O2 -g -static -ffp-contract=off -Wall -Wextra -Werror \
	-ffile-prefix-map=$(CURDIR)=.

.PHONY: all configs lib lib-shared program workloads FORCE
all: lib program workloads configs
configs: $(CONFIGS) $(GROUPS)
lib: $(LIBRARY)
lib-shared: $(SHARED) $(BUILD)/pic/libcyclestack.a
program: $(if $(CMD_SOURCES),$(PROGRAM))
ifneq ($(HAVE_CROSS),)
workloads: $(WORKLOADS) $(WORKLOAD_ABOUTS)
else
workloads:
	@echo "note: no $(CROSS_CC): the workloads are not built"
endif

$(PROGRAM): $(CMD_OBJECTS) $(LIBRARY)
	$(call say,link)
	$(Q)$(CC) -no-pie $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@.new $(CMD_OBJECTS) $(LIBRARY) $(LIBS) $(PROGRAM_LIBS)
	@mv $@.new $@

# Built anew each time: ar would keep members whose source is gone.
$(LIBRARY): $(LIB_OBJECTS) $(BUILD)/sources
	$(call say,archive)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(LIB_OBJECTS)

# Library users link position-independent programs, so what is installed comes from these objects.
$(BUILD)/pic/libcyclestack.a: $(PIC_OBJECTS) $(BUILD)/sources
	$(call say,archive)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(PIC_OBJECTS)

$(SHARED): $(PIC_OBJECTS) $(BUILD)/sources
	$(call say,link)
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--exclude-libs,libiberty.a $(CFLAGS_ALL) \
		$(LDFLAGS_ALL) -o $@ $(PIC_OBJECTS) $(LIBS)
	@ln -sf $(notdir $@) $(BUILD)/$(SONAME)
	@ln -sf $(SONAME) $(BUILD)/libcyclestack.so

# One source may need flags of its own: CFLAGS_src/folder/file.c = ...
$(BUILD)/src/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(harden) -fno-pie $(CFLAGS_$<) -MMD -MP -c -o $@ $<

$(BUILD)/pic/src/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(harden) -fPIC $(CFLAGS_$<) -MMD -MP -c -o $@ $<

# The styles, scripts and symbols of pages are embedded unchanged.
DOC_PAGE_FILES := src/doc/page.css src/doc/page.js src/doc/patterns.svg
$(BUILD)/src/config/builtin.o $(BUILD)/pic/src/config/builtin.o: configs/midcore.cfg
$(BUILD)/src/doc/page.o $(BUILD)/pic/src/doc/page.o: $(DOC_PAGE_FILES)
$(BUILD)/src/web/assets.o: $(wildcard src/web/*.html src/web/*.js src/web/*.css src/web/*.json) src/doc/page.css
$(BUILD)/src/rtl/templates.o $(BUILD)/pic/src/rtl/templates.o: $(wildcard src/rtl/templates/*)

# Rows are passed to inlined functions only: no call depends on how the host would pass them.
CFLAGS_src/count/retime_lanes.c = -Wno-psabi
CFLAGS_src/cmd/version.c = -DCYCLESTACK_VERSION='"$(VERSION)"' -DCYCLESTACK_COMMIT='"$(COMMIT)"'
$(BUILD)/src/cmd/version.o: $(BUILD)/commit

# Dependency files are in a folder of their own, because this one has the layout of the installed one.
$(BUILD)/workloads/%: workloads/%.c $(BUILD)/workload-flags
	@mkdir -p $(@D) $(BUILD)/workload-deps
	$(call say,workload)
	$(Q)$(CROSS_CC) $(WORKLOAD_CFLAGS) -MMD -MP -MF $(BUILD)/workload-deps/$*.d -o $@ $< -lm

$(BUILD)/configs/%.cfg: configs/%.cfg
	@mkdir -p $(@D)
	cp $< $@

$(BUILD)/groups/%.group: src/stats/groups/%.group
	@mkdir -p $(@D)
	@cp $< $@

$(BUILD)/workloads/%.about: workloads/%.about
	@mkdir -p $(@D)
	@cp $< $@

# These files are rewritten only if their contents change, so objects can depend on them.
remember = @mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || \
	printf '%s\n' '$(subst ','\'',$(1))' >$@
$(BUILD)/flags: FORCE
	$(call remember,$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(HARDEN) $(LDFLAGS_ALL) $(LIBS) $(PROGRAM_LIBS))
$(BUILD)/workload-flags: FORCE
	$(call remember,$(CROSS_CC) $(WORKLOAD_CFLAGS))
$(BUILD)/commit: FORCE
	$(call remember,$(VERSION) $(COMMIT))
$(BUILD)/sources: FORCE
	$(call remember,$(LIB_SOURCES))

-include $(LIB_OBJECTS:.o=.d) $(CMD_OBJECTS:.o=.d) $(wildcard $(PIC_OBJECTS:.o=.d)) \
	$(wildcard $(BUILD)/workload-deps/*.d)
include $(sort $(wildcard make/*.mk))
