# Every target sets up what it needs from nothing: Python 3.11 or newer and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
LOWEST := .venv-lowest

.PHONY: install demo test test-lowest attack boundscheck bench lint clean

install: $(INSTALLED)

# The torch that the constraints name is installed first, so that nothing later pulls another build.
$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[exact,boost,pyg,spark,mlflow,dask,dev]"
	touch $@

demo: install
	mkdir -p build
	$(BIN)/edgeorbit demo --picture build/demo.png

# The tests of a file stay together: some of them share what takes long to start. Threads that wait for each other do so
# without turning, as there are more of them than cores.
test: lint
	OMP_WAIT_POLICY=passive $(BIN)/python -m pytest --numprocesses auto --dist loadfile

# Damaged inputs of every kind for so many seconds; SEED repeats an attack, KEEP is where findings go.
SECONDS ?= 300
KEEP ?= build/attack
attack: install
	$(BIN)/python -m attack --seconds $(SECONDS) --keep $(KEEP) $(if $(SEED),--seed $(SEED)) $(if $(CASES),--cases $(CASES))

# The tests of all that is compiled, with kernels that check every index; their cache is not that of other kernels.
KERNEL_TESTS := $(addprefix tests/,graph orbits measures pairwise signals data/negatives data/splits evaluation synthetic \
	expressiveness prediction training models)
boundscheck: install
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/build/boundscheck OMP_WAIT_POLICY=passive $(BIN)/python -m pytest \
		--numprocesses auto --dist loadfile tests/test_compiled.py $(KERNEL_TESTS)

# The tests once more, with the lowest version of every dependency that pyproject.toml allows; these need Python 3.11 or
# 3.12. The torch is still the one that the constraints name.
test-lowest: $(LOWEST)/installed
	OMP_WAIT_POLICY=passive $(LOWEST)/bin/python -m pytest --numprocesses auto --dist loadfile tests

$(LOWEST)/installed: pyproject.toml constraints.txt tests/lowest_versions.py
	test -x $(LOWEST)/bin/python || $(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python tests/lowest_versions.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --constraint constraints.txt torch
	$(LOWEST)/bin/python -m pip install --quiet --constraint constraints.txt --constraint $(LOWEST)/lowest.txt \
		--editable ".[exact,boost,pyg,spark,mlflow,dask,dev]"
	touch $@

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# dejavu is built from source; where there is no compiler, the benchmark does without it and says so.
bench: install
	-$(BIN)/python -m pip install --quiet --constraint constraints.txt dejavu-gi
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks --write docs/benchmarks.md

clean:
	rm -rf $(VENV) $(LOWEST) dist build .pytest_cache .mypy_cache .ruff_cache
