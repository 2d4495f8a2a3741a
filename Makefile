# SPDX-License-Identifier: Apache-2.0
# The front of the build: `make help` lists what it offers. CMake does the building, in $(BUILD).

BUILD ?= build
PREFIX ?= /usr/local
PYTHON ?= python3
# BITFOLD_WERROR=1 makes warnings errors. An option that is not given keeps the value that $(BUILD) was configured with.
OPTIONS = $(foreach option,BITFOLD_WERROR BITFOLD_SANITIZE BITFOLD_TESTS,$(if $($(option)),-D$(option)=$($(option))))
VENV := build/venv
JOBS := $(shell nproc 2>/dev/null || echo 2)
C_FILES = $(shell find include src cli tests/c examples bench -name '*.[ch]' | sort)
export CTEST_PARALLEL_LEVEL ?= $(JOBS)

.PHONY: all help configure demo data check check-quick check-sanitize check-valgrind check-compilers check-targets \
        bench install format lint hooks clean suite

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

suite: $(VENV)/ready
	@tools/need.sh build check
	@$(MAKE) --no-print-directory all BITFOLD_TESTS=1
	@tools/suite.sh $(BUILD) $(VENV) $(SUITE)

$(VENV)/ready: tests/requirements.txt
	@tools/need.sh check
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	@touch $@

check-valgrind: ## the C tests and the command under valgrind
	@tools/need.sh build check valgrind
	@$(MAKE) --no-print-directory all BITFOLD_TESTS=1
	@tools/check_valgrind.sh $(BUILD)

check-compilers: ## four compilers at five optimisation levels give the golden bits
	@tools/need.sh build compilers
	@tools/check_compilers.sh $(BUILD)/compilers

check-targets: ## the core for Cortex-M0, and the golden bits on big-endian, Arm and 32-bit x86 under emulation
	@tools/need.sh build targets
	@tools/check_targets.sh $(BUILD)/targets

bench: configure ## how long an element takes, beside the plainest C loop of the same order
	@cmake --build $(BUILD) --parallel $(JOBS) --target bench_scalar -- --no-print-directory
	@$(BUILD)/bench/bench_scalar

install: all ## install under PREFIX (default /usr/local), staged in DESTDIR if given
	@cmake --install $(BUILD)

format: ## lay out all C files
	@tools/need.sh lint
	@clang-format -i $(C_FILES)

lint: ## clang-format, clang-tidy and cppcheck; clean or an error
	@tools/need.sh build check lint
	@$(MAKE) --no-print-directory configure BITFOLD_TESTS=1
	@tools/lint.sh $(BUILD) $(C_FILES)

data: ## make the files in examples/data again
	@tools/need.sh check
	@test -x build/venv-data/bin/python || $(PYTHON) -m venv build/venv-data
	@build/venv-data/bin/python -m pip install --quiet --disable-pip-version-check -r tools/data-requirements.txt
	@build/venv-data/bin/python tools/make_data.py examples/data

hooks: ## check the layout of C files before each commit of yours
	@git config core.hooksPath .githooks

clean: ## remove build/
	@rm -rf build compile_commands.json
