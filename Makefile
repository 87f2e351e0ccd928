# Every target first sets up .venv, with the packages that it needs and no others: the extras of pyproject.toml.
#   make ENV=uv ...     makes .venv with uv        make ENV=conda ...  makes it with conda from environment.yml
#   make PYTHON=python3.12 ...                     uses another interpreter
ENV    ?= venv
PYTHON ?= python3
LAB    ?= 01

BIN    := .venv/bin
RUN    := $(BIN)/python -m

# Stamps: these extras are installed, in the versions of constraints.txt. READY: all of them.
ENGINE := .venv/.ready-engine
STUDY  := .venv/.ready-lab
GRADE  := .venv/.ready-grade
SITE   := .venv/.ready-site
READY  := .venv/.ready

# A file's tests share kernels and fixtures: neighbors run in one process, until the other one has nothing left.
WORKERS := --numprocesses auto --dist worksteal

# nbgrader starts `alembic` by name, so the environment comes first on PATH.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help lab my-engine grade cohort isolation collect formgrader feedback export forget similarity gradebook-copy
.PHONY: test test-all red-team course verify grafted stubs show-generated bench programs bundle grader-wheel autograder-zip
.PHONY: conformance conformance-cuda ptx gpu browser pythons
.PHONY: container-test lint site clean
.DEFAULT_GOAL := help

help:           ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

lab: $(STUDY)         ## open a lab in JupyterLab (LAB=01), in your own copy under work/
	$(RUN) autograder.student.open_lab $(LAB) $(ARGS)

my-engine: $(STUDY)   ## write your own engine of the labs so far, your functions in it, as one tree into build/my_engine_tree/
	@$(RUN) autograder.student.my_engine $(ARGS)

grade: isolation $(GRADE) ## grade autograder/submitted/ (a sample class of lab 1 while it is empty)
	@$(RUN) autograder.grading $(ARGS)

cohort: isolation $(GRADE) ## grade made-up students of all labs, right, wrong and hostile, in build/cohort/
	@$(RUN) autograder.grading --cohort $(ARGS)

collect: $(GRADE)     ## put a download of Moodle's or Canvas's where it is graded (ZIP=path [LAB=01] [ROSTER=roster.csv])
	$(RUN) autograder.grading.collect "$(ZIP)" $(if $(filter-out file,$(origin LAB)),--lab $(LAB)) $(if $(ROSTER),--roster "$(ROSTER)") $(ARGS)

formgrader: $(GRADE)  ## grade by hand: the written answers of a lab, in the browser (LAB=01)
	$(RUN) autograder.grading.formgrader $(LAB) $(ARGS)

feedback: $(GRADE)    ## after grading by hand or a changed due date: feedback pages, grades.csv, report.html
	$(RUN) autograder.grading.feedback $(ARGS)

export: $(GRADE)      ## write grades as a file that an LMS imports (TO=canvas|moodle|csv LAB=01 [FROM=the LMS's own file] [ROSTER=...])
	@$(RUN) autograder.grading.exports --to "$(TO)" $(if $(filter-out file,$(origin LAB)),--lab $(LAB)) $(if $(FROM),--from "$(FROM)") $(if $(ROSTER),--roster "$(ROSTER)") $(if $(COLUMN),--column "$(COLUMN)") $(ARGS)

forget: $(GRADE)      ## remove every trace of a student from this folder, after asking (STUDENT=ada [ROSTER=...] [ARGS=--dry-run])
	@$(RUN) autograder.grading.forget "$(STUDENT)" $(if $(ROSTER),--roster "$(ROSTER)") $(ARGS)

similarity: $(GRADE)  ## show which answers may have a common source; changes no grade (LAB=01 [EARLIER=an earlier year's folder])
	@$(RUN) autograder.grading.similarity $(if $(filter-out file,$(origin LAB)),--lab $(LAB)) $(if $(EARLIER),--earlier "$(EARLIER)") $(ARGS)

gradebook-copy: $(GRADE) ## copy the gradebook into an empty database, or a copy of it back (TO=postgresql+psycopg://... [FROM=...])
	@$(RUN) autograder.grading.database_copy --to "$(TO)" $(if $(FROM),--from "$(FROM)") $(ARGS)

test: $(READY) bytecode ## run the tests that cover each layer, check and page once, without PyTorch
	$(RUN) pytest $(WORKERS) -m "not slow" $(ARGS)

test-all: $(READY) bytecode ## run all tests, and attacks as an ordinary user; with PyTorch (`make torch`) also the comparisons
	$(RUN) pytest $(WORKERS) --ignore tests/red_team $(ARGS)
	PYTHONPATH=tests $(RUN) red_team --attacks --tier strongest --user nobody

red-team: $(READY)    ## attack the walls and grade the cohort, in every tier there is, as root and as an ordinary user
	PYTHONPATH=tests $(RUN) red_team $(ARGS)

course: $(GRADE)      ## weave solutions/ and engine/ into the notebooks of course/
	$(RUN) autograder.author.weave $(ARGS)

verify: $(READY)      ## mutate every exercise and list the mutants that no check notices
	$(RUN) autograder.proof.verify $(ARGS)

grafted: $(READY)     ## run the engine's tests on a student's engine made of all labs' solutions
	$(RUN) autograder.author.solutions build/my_engine -- pytest --numprocesses auto tests/engine $(ARGS)

conformance: $(READY) torch ## compare operators, gradients, dispatcher and chains of views with PyTorch on its own test inputs
	PYTHONPATH=tests $(RUN) conformance $(ARGS)
	CONFORMANCE_EXAMPLES=10000 $(RUN) pytest tests/engine/test_view_chains.py

conformance-cuda: $(READY) torch ## compare device "cuda", on a GPU or the simulator, with the CPU on PyTorch's test inputs
	PYTHONPATH=tests $(RUN) conformance.devices $(ARGS)

ptx: $(READY) torch cuda ## compile every kernel for a GPU, on a machine without one
	PYTHONPATH=tests $(BIN)/python -W ignore -m conformance.ptx conformance.devices --show 0 $(ARGS)

gpu: $(READY) torch cuda ## on a machine with a GPU: conformance, races and bounds, bandwidth, matmul; into bench/results/
	PYTHONPATH=tests $(RUN) bench.gpu $(ARGS)

stubs: $(ENGINE)      ## write the .pyi files, which type checkers and editors read
	$(RUN) engine.utils.pyi $(ARGS)

show-generated: $(ENGINE) ## write the source that the engine generates in memory into generated/, and count it
	$(RUN) engine.journey.show_generated generated $(ARGS)

bench: $(READY) torch ## measure the engine against PyTorch (ARGS=--write rewrites docs/performance.md)
	$(RUN) bench $(ARGS)

programs: $(READY) torch ## measure ten programs against PyTorch (ARGS=--write rewrites their table in docs/performance.md)
	$(RUN) bench.programs $(ARGS)

browser: $(READY)     ## drive JupyterLab in headless chromium and take screenshots
	$(RUN) tests.browser.drive_lab $(ARGS)

bundle: $(GRADE)      ## what an instructor hands out, as a zip in dist/ (LAB=01)
	$(RUN) autograder.author.bundle $(LAB) $(ARGS)

grader-wheel: $(GRADE) ## all of the grader as a wheel in dist/, for the machines of a cluster
	$(RUN) autograder.author.grader_wheel

autograder-zip: $(GRADE) ## the grader for another system's container, as a zip in dist/ (FOR=gradescope|prairielearn LAB=01)
	@$(RUN) autograder.grading.containers.build --for "$(FOR)" --lab $(LAB) $(ARGS)

pythons: $(GRADE)     ## try the bundle on other Pythons: what is not found is reported as "not run"
	$(RUN) tests.pythons $(ARGS)

container-test: $(GRADE) ## run the devcontainer's steps on a fresh Debian, made by debootstrap; as root
	$(RUN) tests.container

site: $(SITE)         ## build the reading site in build/site/html (ARGS=--student: without solutions, in build/site/student)
	@$(RUN) autograder.author.site $(ARGS)

lint: $(READY)        ## ruff, mypy, English, spelling, stale notebooks and stubs
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) tests.english
	git ls-files '*.md' autograder engine solutions | xargs $(BIN)/codespell
	$(RUN) autograder.author.weave --check
	$(RUN) engine.utils.pyi --check

clean:          ## remove what was made, sample class too; keep submissions, records, grades, instructor's notebooks, work/
	rm -rf .venv build dist generated *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

isolation:      # before anything is installed: can students' code be shut in here?
	@sh autograder/sandbox/isolation.sh $(ARGS)

.PHONY: torch cuda bytecode
bytecode: $(READY)    # numba looks for the kernel of a module that was read from its text under another key
	@$(RUN) compileall -q engine

cuda: $(READY)
	@$(BIN)/python -c "import numba_cuda" 2>/dev/null || $(RUN) pip install -e ".[cuda]"

torch: $(READY)
	@$(BIN)/python -c "import torch" 2>/dev/null || $(RUN) pip install -c constraints.txt -e ".[torch]"

# Megabytes: `du -sm .venv` after each, on Linux with Python 3.11.
$(ENGINE): ABOUT  = the packages of the engine, about 310 MB
$(STUDY):  EXTRAS = [lab]
$(STUDY):  ABOUT  = the packages of [lab], about 930 MB
$(STUDY):  COVERS = $(ENGINE)
$(GRADE):  EXTRAS = [grade]
$(GRADE):  ABOUT  = the packages of [grade], about 730 MB
$(GRADE):  COVERS = $(ENGINE)
$(SITE):   EXTRAS = [lab,grade,site]
$(SITE):   ABOUT  = the packages of [lab,grade,site], about 960 MB
$(SITE):   COVERS = $(ENGINE) $(STUDY) $(GRADE)
$(READY):  EXTRAS = [lab,grade,dev]
$(READY):  ABOUT  = the packages of [lab,grade,dev], about 1,230 MB
$(READY):  COVERS = $(ENGINE) $(STUDY) $(GRADE) $(SITE)

$(ENGINE) $(STUDY) $(GRADE) $(SITE) $(READY): pyproject.toml constraints.txt environment.yml
	@echo "installing $(ABOUT) in all, into .venv (once)"
ifeq ($(ENV),uv)
	@test -x $(BIN)/python || uv venv --seed --python $(PYTHON) .venv
	uv pip install --python $(BIN)/python -c constraints.txt -e ".$(EXTRAS)"
else ifeq ($(ENV),conda)
	test -x $(BIN)/python || conda env create --prefix .venv --file environment.yml
	$(RUN) pip install --no-deps -e .
else
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(RUN) pip install --quiet --disable-pip-version-check -c constraints.txt -e ".$(EXTRAS)"
endif
	@touch $@ $(COVERS)
