# Every target sets up .venv first if it is missing or out of date.
#   make ENV=uv ...     makes .venv with uv        make ENV=conda ...  makes it with conda from environment.yml
#   make PYTHON=python3.12 ...                     uses another interpreter
ENV    ?= venv
PYTHON ?= python3
LAB    ?= 01

BIN    := .venv/bin
READY  := .venv/.ready
RUN    := $(BIN)/python -m

# nbgrader starts `alembic` by name, so the environment comes first on PATH.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help lab grade test course verify grafted show-generated bench bundle conformance conformance-cuda ptx gpu
.PHONY: browser lint clean
.DEFAULT_GOAL := help

help:           ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

lab: $(READY)         ## open a lab in JupyterLab (LAB=01), in your own copy under work/
	$(RUN) autograder.lab $(LAB) $(ARGS)

grade: $(READY)       ## grade autograder/submitted/ (the sample cohort when it is empty)
	$(RUN) autograder.grading $(ARGS)

test: $(READY)        ## run the tests
	$(RUN) pytest --numprocesses auto $(ARGS)

course: $(READY)      ## weave solutions/ and engine/ into the notebooks of course/
	$(RUN) autograder.weave $(ARGS)

verify: $(READY)      ## mutate every exercise and show that the checks notice
	$(RUN) autograder.verify $(ARGS)

grafted: $(READY)     ## the engine's tests on a student's engine made of all labs' solutions
	$(RUN) autograder.tangle build/my_engine -- pytest --numprocesses auto tests/engine $(ARGS)

conformance: $(READY) torch ## compare operators, gradients and dispatcher with PyTorch on its own test inputs, and 10,000 chains of views
	PYTHONPATH=tests $(RUN) conformance $(ARGS)
	CONFORMANCE_EXAMPLES=10000 $(RUN) pytest tests/engine/test_view_chains.py

conformance-cuda: $(READY) torch ## compare device "cuda", on a GPU or the simulator, with the CPU on PyTorch's test inputs
	PYTHONPATH=tests $(RUN) conformance.devices $(ARGS)

ptx: $(READY) torch cuda ## compile every kernel for a GPU, on a machine without one
	PYTHONPATH=tests $(BIN)/python -W ignore -m conformance.ptx conformance.devices --show 0 $(ARGS)

gpu: $(READY) torch cuda ## on a machine with a GPU: conformance, races and bounds, bandwidth, matmul; into bench/results/
	PYTHONPATH=tests $(RUN) bench.gpu $(ARGS)

show-generated: $(READY) ## write the source that the engine generates in memory into generated/, and count it
	$(RUN) engine.journey.show_generated generated $(ARGS)

bench: $(READY) torch ## measure the engine beside PyTorch
	$(RUN) bench $(ARGS)

browser: $(READY)     ## drive JupyterLab in headless chromium and take screenshots
	$(RUN) tests.browser.drive_lab $(ARGS)

bundle: $(READY)      ## what an instructor hands out, as a zip in dist/ (LAB=01)
	$(RUN) autograder.bundle $(LAB) $(ARGS)

lint: $(READY)        ## ruff, mypy, stale notebooks
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) autograder.weave --check

clean:          ## remove what was made, keep submissions, records, grades and work/
	rm -rf .venv build dist generated *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f solutions/*/lab.ipynb solutions/*/cases.json

.PHONY: torch cuda
cuda: $(READY)
	@$(BIN)/python -c "import numba_cuda" 2>/dev/null || $(RUN) pip install -e ".[cuda]"

torch: $(READY)
	@$(BIN)/python -c "import torch" 2>/dev/null || $(RUN) pip install -c constraints.txt -e ".[torch]"

$(READY): pyproject.toml constraints.txt environment.yml
ifeq ($(ENV),uv)
	test -x $(BIN)/python || uv venv --seed --python $(PYTHON) .venv
	uv pip install --python $(BIN)/python -c constraints.txt -e ".[dev]"
else ifeq ($(ENV),conda)
	test -x $(BIN)/python || conda env create --prefix .venv --file environment.yml
	$(RUN) pip install --no-deps -e .
else
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(RUN) pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
endif
	@touch $(READY)
