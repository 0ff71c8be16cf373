# Every target sets up what it needs from nothing: Python 3.11 or newer and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed

.PHONY: install demo test bench lint clean

install: $(INSTALLED)

# The torch that the constraints name is installed first, so that nothing later pulls another build.
$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[exact,pyg,spark,mlflow,dev]"
	touch $@

demo: install
	mkdir -p build
	$(BIN)/edgeorbit demo --picture build/demo.png

# The tests of a file stay together: some of them share what takes long to start. Threads that wait for each other do so
# without turning, as there are more of them than cores.
test: lint
	OMP_WAIT_POLICY=passive $(BIN)/python -m pytest --numprocesses auto --dist loadfile

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
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache
