# Installation and the Debian package.

BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share/cyclestack
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions

HEADERS := $(wildcard include/*.h)
ABOUTS := $(wildcard workloads/*.about)
PRESETS := $(wildcard configs/*.cfg)
COUNTER_GROUPS := $(wildcard src/stats/groups/*.group)

.PHONY: install uninstall deb man clean help
man: $(BUILD)/man/made

$(BUILD)/man/made: $(PROGRAM)
	$(call say,man)
	$(Q)rm -rf $(@D) && mkdir -p $(@D)
	$(Q)$(PROGRAM) --generate-man $(@D)
	@touch $@

$(BUILD)/completion/%: $(PROGRAM)
	@mkdir -p $(@D)
	$(call say,complete)
	$(Q)$(PROGRAM) --generate-completion $* >$@

# The prefix is known only at installation, so this file is written each time.
$(BUILD)/cyclestack.pc: packaging/cyclestack.pc.in FORCE
	$(Q)sed -e 's,@PREFIX@,$(PREFIX),; s,@INCLUDEDIR@,$(INCLUDEDIR),; s,@LIBDIR@,$(LIBDIR),' \
		-e 's,@VERSION@,$(VERSION),; s,@LIBS@,$(LIBS),' $< >$@

LISTEN ?= 127.0.0.1:8650
.PHONY: serve
serve: all
	$(PROGRAM) serve --listen $(LISTEN) --store $(BUILD)/results.db

install: all lib-shared man $(BUILD)/completion/bash $(BUILD)/completion/zsh $(BUILD)/cyclestack.pc
	install -d $(addprefix '$(DESTDIR)',$(BINDIR) $(LIBDIR)/pkgconfig $(INCLUDEDIR) $(BASHDIR) $(ZSHDIR) \
		$(DATADIR)/workloads $(MANDIR)/man1)
	install -m 755 $(PROGRAM) '$(DESTDIR)$(BINDIR)/cyclestack'
	install -m 644 $(BUILD)/pic/libcyclestack.a '$(DESTDIR)$(LIBDIR)/libcyclestack.a'
	install -m 644 $(SHARED) '$(DESTDIR)$(LIBDIR)/$(notdir $(SHARED))'
	ln -sf $(notdir $(SHARED)) '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	ln -sf $(SONAME) '$(DESTDIR)$(LIBDIR)/libcyclestack.so'
	$(if $(HEADERS),install -m 644 $(HEADERS) '$(DESTDIR)$(INCLUDEDIR)/')
	install -m 644 $(BUILD)/cyclestack.pc '$(DESTDIR)$(LIBDIR)/pkgconfig/cyclestack.pc'
	install -m 644 $(BUILD)/man/*.1 '$(DESTDIR)$(MANDIR)/man1/'
	install -m 644 $(BUILD)/completion/bash '$(DESTDIR)$(BASHDIR)/cyclestack'
	install -m 644 $(BUILD)/completion/zsh '$(DESTDIR)$(ZSHDIR)/_cyclestack'
	$(if $(HAVE_CROSS),install -m 755 $(WORKLOADS) '$(DESTDIR)$(DATADIR)/workloads/')
	install -d '$(DESTDIR)$(DATADIR)/kernels'
	install -m 755 $(if $(HAVE_CROSS),$(BUILD)/kernels/collect) $(BUILD)/kernels/collect-host \
		'$(DESTDIR)$(DATADIR)/kernels/'
	$(if $(ABOUTS),install -m 644 $(ABOUTS) '$(DESTDIR)$(DATADIR)/workloads/')
	$(foreach file,$(COUNTER_GROUPS),install -D -m 644 $(file) '$(DESTDIR)$(DATADIR)/groups/$(notdir $(file))' &&) true
	$(foreach file,$(PRESETS),install -D -m 644 $(file) '$(DESTDIR)$(DATADIR)/$(file)' &&) true

uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/cyclestack' '$(DESTDIR)$(LIBDIR)/libcyclestack.a' \
		'$(DESTDIR)$(LIBDIR)'/libcyclestack.so* $(HEADERS:include/%='$(DESTDIR)$(INCLUDEDIR)/%') \
		'$(DESTDIR)$(LIBDIR)/pkgconfig/cyclestack.pc' '$(DESTDIR)$(BASHDIR)/cyclestack' \
		'$(DESTDIR)$(ZSHDIR)/_cyclestack' '$(DESTDIR)$(MANDIR)'/man1/cyclestack.1* \
		'$(DESTDIR)$(MANDIR)'/man1/cyclestack-*.1*
	rm -rf '$(DESTDIR)$(DATADIR)'

# The version is part of the file's name, so an older package beside it is never taken for it.
deb: all lib-shared
	+@BUILD=$(BUILD) VERSION=$(VERSION) packaging/build-deb

clean:
	rm -rf $(BUILD) build-asan build-fuzz

help:
	@sed 's/^# \{0,1\}//' make/help.txt
