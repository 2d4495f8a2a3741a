# SPDX-License-Identifier: Apache-2.0
# The front of the build: `make help` lists what it offers. CMake does the building, in $(BUILD).

BUILD ?= build
PREFIX ?= /usr/local
PYTHON ?= python3
# BITFOLD_WERROR=1 makes warnings errors. An option that is not given keeps the value that $(BUILD) was configured with.
OPTIONS = $(foreach option,BITFOLD_WERROR BITFOLD_SANITIZE BITFOLD_TESTS,$(if $($(option)),-D$(option)=$($(option))))
VENV := build/venv
PEERS := build/venv-bench
NUMPY1 := build/venv-numpy1
JOBS := $(shell nproc 2>/dev/null || echo 2)
C_FILES = $(shell find include src cli compat python/native tests/c tests/cmsis_nn tests/cmsis_nn_integer examples bench tools -name '*.[ch]' | sort)
export CTEST_PARALLEL_LEVEL ?= $(JOBS)

.PHONY: all help configure demo data python check check-quick check-sanitize check-valgrind check-compilers check-targets \
        check-cortex-m bench peers bench-cortex-m example-cortex-m firmware-tree install format lint hooks clean suite

all: configure ## build the library and the command in build/ (the default)
	@cmake --build $(BUILD) --parallel $(JOBS) -- --no-print-directory

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 24

configure:
	@tools/need.sh build
	@mkdir -p $(BUILD)
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(OPTIONS) $(CMAKE_FLAGS) >$(BUILD)/configure.log 2>&1 || \
	  { cat $(BUILD)/configure.log; exit 1; }
	@$(if $(filter build,$(BUILD)),ln -sf build/compile_commands.json .)

demo: all ## show what it is for, on real data, in a few seconds
	@examples/demo.sh $(BUILD)/bitfold

check: ## build and run every test; the last line counts them
	@$(MAKE) --no-print-directory suite

check-quick: ## the tests that take less than two minutes together
	@$(MAKE) --no-print-directory suite SUITE=quick

check-sanitize: ## the whole suite with the address and undefined-behaviour sanitizers, in build/sanitize
	@$(MAKE) --no-print-directory suite BUILD=build/sanitize BITFOLD_SANITIZE=1 CMAKE_FLAGS=-DCMAKE_BUILD_TYPE=Debug

suite: python $(NUMPY1)/ready
	@tools/need.sh build check
	@$(MAKE) --no-print-directory all BITFOLD_TESTS=1
	@tools/suite.sh $(BUILD) $(VENV) $(SUITE)

python: $(VENV)/ready ## the Python packages bitfold and sf, installed in build/venv
	@tools/need.sh python
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
	  --config-settings=build-dir=../build/python $(if $(BITFOLD_WERROR),--config-settings=cmake.define.BITFOLD_WERROR=1) ./python

$(VENV)/ready: tests/requirements.txt
	@tools/need.sh python
	@$(PYTHON) -m venv $(VENV)
	@echo "installing what tests/requirements.txt names in $(VENV): PyTorch takes a few minutes and gigabytes"
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	@touch $@

# NumPy before 2.3, in a folder of its own, for the processes that tests ask.
$(NUMPY1)/ready: tests/requirements-numpy1.txt | $(VENV)/ready
	@rm -rf $(NUMPY1) && mkdir -p $(NUMPY1)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(NUMPY1) -r $< || \
	  echo "what $< names cannot be installed here; the tests that need it are skipped"
	@touch $@

check-valgrind: ## the C tests and the command under valgrind
	@tools/need.sh build check valgrind
	@$(MAKE) --no-print-directory all BITFOLD_TESTS=1
	@tools/check_valgrind.sh $(BUILD)

check-compilers: ## four compilers at five optimisation levels give the golden bits
	@tools/need.sh build compilers
	@tools/check_compilers.sh $(BUILD)/compilers

check-targets: all ## check-cortex-m, and the golden bits on s390x, ppc64le, riscv64, armhf, aarch64, i386 and other x86-64, emulated
	@tools/need.sh build targets cortex-m
	@BITFOLD_COMMAND=$(abspath $(BUILD))/bitfold tools/check_targets.sh $(BUILD)/targets

check-cortex-m: all ## the twelve arm_* functions for Cortex-M0 to M55: clauses and golden bits in QEMU, instructions, size, stack
	@tools/need.sh build cortex-m
	@BITFOLD_COMMAND=$(abspath $(BUILD))/bitfold tools/check_cortex_m.sh $(BUILD)/cortex-m

bench-cortex-m: ## instructions that the twelve arm_* functions execute on Cortex-M4F and M55, as tables
	@tools/need.sh build cortex-m
	@bench/cortex_m/tables.sh $(BUILD)/bench-cortex-m

example-cortex-m: ## reduce a feature map with the twelve arm_* functions on an emulated Cortex-M55
	@examples/cortex-m/run.sh m55

firmware-tree: ## OUT=folder [MACHINE=helium]: lay out the twelve arm_* functions for a firmware project to copy
	@tools/firmware_tree.sh "$(OUT)" $(MACHINE)

bench: all ## how long an element takes, beside a read, a vector sum or a plain loop of the same bits; about a minute
	@$(BUILD)/bitfold bench

peers: all $(PEERS)/ready ## the same, NumPy, PyTorch and others beside it: writes the tables and the plot of docs/performance.md
	@BITFOLD_LIBRARY=$(abspath $(BUILD))/libbitfold.so PYTHONDONTWRITEBYTECODE=1 $(PEERS)/bin/python bench/peers.py $(BUILD)/bitfold

# On top of $(VENV), so that PyTorch is there once.
$(PEERS)/ready: bench/peers.txt bench/peers-optional.txt | python
	@tools/need.sh peers
	@$(PYTHON) -m venv $(PEERS)
	@$(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > \
	  "$$($(PEERS)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/below.pth"
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -r bench/peers.txt
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -r bench/peers-optional.txt || \
	  echo "what bench/peers-optional.txt names cannot be installed here; it is left out"
	@touch $@

install: all ## install under PREFIX (default /usr/local), staged in DESTDIR if given
	@cmake --install $(BUILD)

format: ## lay out all C files
	@tools/need.sh lint
	@clang-format -i $(C_FILES)

lint: python ## clang-format, clang-tidy and cppcheck; clean or an error
	@tools/need.sh build check lint
	@$(MAKE) --no-print-directory configure BITFOLD_TESTS=1
	@tools/lint.sh $(BUILD) $(C_FILES)

data: ## make the files in examples/data again
	@tools/need.sh check
	@test -x build/venv-data/bin/python || $(PYTHON) -m venv build/venv-data
	@build/venv-data/bin/python -m pip install --quiet --disable-pip-version-check -r tools/data-requirements.txt
	@build/venv-data/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r tools/data-networks.txt
	@build/venv-data/bin/python tools/make_data.py examples/data

hooks: ## check the layout of C files before each commit of yours
	@git config core.hooksPath .githooks

clean: ## remove build/
	@rm -rf build compile_commands.json
