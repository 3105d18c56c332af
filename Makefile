# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The one entry to everything; the work is done by CMake, kbuild and the scripts called here.

# Modules are built for this kernel of tools/vm/kernel...
KERNEL  ?= debian
# ... or, if set, for the kernel with this build directory.
KDIR    ?=
# How long "make fuzz" searches.
SECONDS ?= 600
PREFIX  ?= /usr/local
DESTDIR ?=

BUILD   := build/cmake
# As $(KERNEL), but what KDIR names has precedence.
TARGET  := $(or $(KDIR),$(KERNEL))

# A distribution's kernel asks for signatures with a key that only the distribution has.
INSTALL_MODULE := INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=updates CONFIG_MODULE_SIG_ALL=

.PHONY: help
## help      this text
help:
	@echo 'usage: make TARGET [KERNEL=debian|debug] [KDIR=DIRECTORY] [PREFIX=/usr/local] [DESTDIR=]'
	@sed -n 's/^## /  /p' $(MAKEFILE_LIST)

.PHONY: demo
## demo      show what ucmad does, in a virtual machine: needs only this tree and root
demo: vm-deps modules configure
	@cmake --build $(BUILD) --parallel $(shell nproc) --target ucmad-demo ucmad-command
	@tools/vm/run --quiet --module build/modules/debian/drivers/ucmad/ucmad.ko -- demo/run

.PHONY: check
## check     run every test (STAGES="..." for some; tests/run --help lists them)
check:
	@tools/setup/deps build vm check
	@for kernel in debian debug; do tools/vm/kernel $$kernel >/dev/null || exit; done
	@tests/run $(STAGES)

.PHONY: check-all
## check-all likewise, and what takes long: other kernels, the search for data races, mutations
check-all:
	@tools/setup/deps build vm check check-all
	@for kernel in debian debug; do tools/vm/kernel $$kernel >/dev/null || exit; done
	@for kernel in kcsan 6.12 7.2 compile-clang; do tools/vm/kernel $$kernel >/dev/null; done # or their stages say why not
	@tests/run --all

.PHONY: stress
## stress    storms from ever new seeds, in a virtual machine with the debug kernel (HOURS=1)
HOURS ?= 1
stress:
	@$(MAKE) --no-print-directory modules all-cmake KERNEL=debug KDIR=
	@tests/storm/run --hours $(HOURS)

.PHONY: bench
## bench     compare MADs with libibumad and verbs, in a virtual machine
bench: modules
	@tools/setup/deps build vm bench
	@$(MAKE) --no-print-directory configure
	@cmake --build $(BUILD) --parallel $(shell nproc) --target ucmad-bench
	@bench/run

.PHONY: fuzz
## fuzz      look for calls that break the module, for SECONDS=600, and keep what reaches more of it
fuzz: vm-deps configure
	@tools/vm/modules debug
	@cmake --build $(BUILD) --parallel $(shell nproc) --target ucmad-fuzz
	@tests/fuzz/run --seconds $(SECONDS) --seed $$(date +%s) --corpus tests/fuzz/corpus --minimize
	@rm -f tests/fuzz/corpus/*.seq
	@cp build/fuzz/corpus/*.seq tests/fuzz/corpus/

.PHONY: shell
## shell     a root shell in a virtual machine with the module loaded
shell: vm-deps modules
	@tools/vm/shell --kernel $(KERNEL)

.PHONY: modules
## modules   the kernel module, in build/modules/; for this host: KDIR=/lib/modules/$(uname -r)/build
modules: build-deps
	@tools/vm/modules $(TARGET)

.PHONY: lib tools all-cmake
## lib       the library, in build/cmake/lib
## tools     the command-line tools, in build/cmake/tools
lib tools: configure
	@$(MAKE) --no-print-directory -C $(BUILD)/$@

all-cmake: configure
	@cmake --build $(BUILD) --parallel $(shell nproc)

.PHONY: configure
configure: build-deps
	@cmake -S . -B $(BUILD) -G 'Unix Makefiles' -DCMAKE_INSTALL_PREFIX=$(PREFIX) --log-level=WARNING >/dev/null

.PHONY: install
## install   library, headers, tools and configuration files; the module too if KDIR is given
install: all-cmake
	DESTDIR=$(DESTDIR) cmake --install $(BUILD)
	$(if $(KDIR),tools/vm/modules $(KDIR))
	$(if $(KDIR),tools/vm/modules $(KDIR) modules_install $(INSTALL_MODULE))
	$(if $(DESTDIR),,$(if $(KDIR),depmod $$(cat $(KDIR)/include/config/kernel.release)))
	$(if $(wildcard etc),mkdir -p $(DESTDIR)/etc && cp -r etc/. $(DESTDIR)/etc/)

.PHONY: build-deps vm-deps
build-deps:
	@tools/setup/deps build
vm-deps:
	@tools/setup/deps build vm

.PHONY: clean
## clean     remove what was built; the kernels stay in their cache
clean:
	rm -rf build
