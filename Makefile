# Every target first sets up .venv, with the packages that it needs and no others: the extras of pyproject.toml.
#   make ENV=uv ...     makes .venv with uv        make ENV=conda ...  makes it with conda from environment.yml
#   make PYTHON=python3.12 ...                     uses another interpreter
ENV    := venv
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
# Slow tests often wait for other processes: one worker more than there are processors.
MORE_WORKERS := --numprocesses $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal

# nbgrader starts `alembic` by name, so the environment comes first on PATH.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help lab my-engine bundle grade collect formgrader feedback export forget similarity gradebook-copy
.PHONY: grader-wheel autograder-zip site test test-all site-test department-test handed-out-test planted budget red-team lint course stubs
.PHONY: show-generated verify grafted cohort
.PHONY: pythons container-test browser clean torch conformance conformance-cuda ptx gpu bench programs
.PHONY: isolation bytecode cuda
.DEFAULT_GOAL := help

help:           ## this list
	@awk -F ':.*## ' '/^##@ / { print "\n" substr($$0, 5) } /^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

##@ Students

lab: $(STUDY)         ## open a lab in JupyterLab, your own copy under work/ (LAB=00 to 07)
	$(RUN) autograder.student.open_lab $(LAB) $(ARGS)

my-engine: $(STUDY)   ## your engine of the labs so far as one tree, in build/my_engine_tree/
	@$(RUN) autograder.student.my_engine $(ARGS)

##@ Instructors

bundle: $(GRADE)      ## what you hand out, as a zip in dist/ (LAB=01)
	$(RUN) autograder.author.bundle $(LAB) $(ARGS)

collect: $(GRADE)     ## put Moodle's or Canvas's download where it is graded (ZIP=path [ROSTER=...])
	$(RUN) autograder.grading.collect "$(ZIP)" $(if $(filter-out file,$(origin LAB)),--lab $(LAB)) $(if $(ROSTER),--roster "$(ROSTER)") $(ARGS)

grade: isolation $(GRADE) ## grade autograder/submitted/ (a sample class of lab 1 while it is empty)
	@$(RUN) autograder.grading $(ARGS)

formgrader: $(GRADE)  ## grade by hand: the written answers of a lab, in the browser (LAB=01)
	$(RUN) autograder.grading.formgrader $(LAB) $(ARGS)

feedback: $(GRADE)    ## after grading by hand or a changed due date: pages, grades.csv, report.html
	$(RUN) autograder.grading.feedback $(ARGS)

export: $(GRADE)      ## grades as a file that an LMS imports (TO=canvas|moodle|csv LAB=01 [FROM=])
	@$(RUN) autograder.department.exports --to "$(TO)" $(if $(filter-out file,$(origin LAB)),--lab $(LAB)) $(if $(FROM),--from "$(FROM)") $(if $(ROSTER),--roster "$(ROSTER)") $(if $(COLUMN),--column "$(COLUMN)") $(ARGS)

forget: $(GRADE)      ## remove every trace of a student, after asking (STUDENT=ada [ROSTER=...])
	@$(RUN) autograder.department.forget "$(STUDENT)" $(if $(ROSTER),--roster "$(ROSTER)") $(ARGS)

similarity: $(GRADE)  ## show answers that may have a common source (LAB=01 [EARLIER=folder])
	@$(RUN) autograder.department.similarity $(if $(filter-out file,$(origin LAB)),--lab $(LAB)) $(if $(EARLIER),--earlier "$(EARLIER)") $(ARGS)

gradebook-copy: $(GRADE) ## copy the gradebook to another database (TO=postgresql+psycopg://... [FROM=])
	@$(RUN) autograder.grading.database_copy --to "$(TO)" $(if $(FROM),--from "$(FROM)") $(ARGS)

grader-wheel: $(GRADE) ## all of the grader as a wheel in dist/, for the machines of a cluster
	$(RUN) autograder.author.grader_wheel

autograder-zip: $(GRADE) ## the grader for another system (FOR=gradescope|prairielearn LAB=01)
	@$(RUN) autograder.department.containers.build --for "$(FOR)" --lab $(LAB) $(ARGS)

site: $(SITE)         ## the reading site, in build/site/html (ARGS=--student: without solutions)
	@$(RUN) autograder.author.site $(ARGS)

##@ Contributors

test: $(READY) bytecode ## run the tests that cover each layer, check and page once, without PyTorch
	$(RUN) pytest $(WORKERS) -m "not slow" $(ARGS)

test-all: $(READY) bytecode ## what has no target of its own: slow tests, PyTorch, shut-in code, attacks
	$(RUN) pytest $(MORE_WORKERS) --ignore tests/red_team \
	  -m "(slow or torch or isolated) and not site and not department and not handed_out" $(ARGS)
	PYTHONPATH=tests $(RUN) red_team --attacks --tier strongest --user nobody

planted: $(READY) bytecode ## plant faults in a copy of this tree: a test must find each (ARGS="--jobs 2")
	@$(RUN) tests.planted $(ARGS)

handed-out-test: $(READY) bytecode ## notebooks, bundles, a student's engine, a class where a class lies
	$(RUN) pytest $(MORE_WORKERS) -m handed_out $(ARGS)

department-test: $(READY) bytecode ## clusters, containers, the exchange, a gradebook on a server
	$(RUN) pytest $(MORE_WORKERS) -m department $(ARGS)

budget: $(READY)      ## lines of Python by wing, and what each may have (ARGS="--since REV")
	@$(RUN) tests.budget $(ARGS)

site-test: $(READY)   ## build the whole site, both editions, and test it in a browser
	$(RUN) pytest $(WORKERS) -m site $(ARGS)

red-team: $(READY)    ## attack the walls and grade the cohort, in every tier, as root and as a user
	PYTHONPATH=tests $(RUN) red_team $(ARGS)

lint: $(READY)        ## ruff, mypy, English, spelling, stale notebooks and stubs
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) tests.english
	git ls-files '*.md' autograder engine solutions | xargs $(BIN)/codespell
	$(RUN) autograder.author.weave --check
	$(RUN) engine.utils.pyi --check

course: $(GRADE)      ## weave solutions/ and engine/ into the notebooks of course/
	$(RUN) autograder.author.weave $(ARGS)

stubs: $(ENGINE)      ## write the .pyi files, which type checkers and editors read
	$(RUN) engine.utils.pyi $(ARGS)

show-generated: $(ENGINE) ## write the source that the engine generates in memory into generated/
	$(RUN) engine.journey.show_generated generated $(ARGS)

verify: $(READY)      ## mutate every exercise and list the mutants that no check notices
	$(RUN) autograder.proof.verify $(ARGS)

grafted: $(READY)     ## run the engine's tests on a student's engine made of all labs' solutions
	$(RUN) autograder.author.solutions build/my_engine -- pytest --numprocesses auto tests/engine $(ARGS)

cohort: isolation $(GRADE) ## grade made-up students, right, wrong and hostile, in build/cohort/
	@$(RUN) autograder.grading --cohort $(ARGS)

pythons: $(GRADE)     ## try the bundle on the other Pythons of this machine
	$(RUN) tests.pythons $(ARGS)

container-test: $(GRADE) ## the devcontainer's steps on a fresh Debian, made by debootstrap; as root
	$(RUN) tests.container

browser: $(READY)     ## drive JupyterLab in headless chromium and take screenshots
	$(RUN) tests.browser.drive_lab $(ARGS)

clean:          ## remove what was made and .venv; keep submissions, records, grades and work/
	rm -rf .venv build dist generated *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

##@ With PyTorch, or on a GPU

torch: $(READY)       ## install PyTorch, which only comparisons need
	@$(BIN)/python -c "import torch" 2>/dev/null || $(RUN) pip install -c constraints.txt -e ".[torch]"

conformance: $(READY) torch ## operators, gradients and dispatcher, on PyTorch's own test inputs
	PYTHONPATH=tests $(RUN) conformance $(ARGS)
	CONFORMANCE_EXAMPLES=10000 $(RUN) pytest tests/engine/test_view_chains.py

conformance-cuda: $(READY) torch ## device "cuda", on a GPU or the simulator, on PyTorch's own test inputs
	PYTHONPATH=tests $(RUN) conformance.devices $(ARGS)

ptx: $(READY) torch cuda ## compile every kernel for a GPU, on a machine without one
	PYTHONPATH=tests $(BIN)/python -W ignore -m conformance.ptx conformance.devices --show 0 $(ARGS)

gpu: $(READY) torch cuda ## on a machine with a GPU: conformance, races, bandwidth; into bench/results/
	PYTHONPATH=tests $(RUN) bench.gpu $(ARGS)

bench: $(READY) torch ## time the engine beside PyTorch (ARGS=--write: into docs/performance.md)
	$(RUN) bench $(ARGS)

programs: $(READY) torch ## time ten programs beside PyTorch (ARGS=--write: into docs/performance.md)
	$(RUN) bench.programs $(ARGS)

isolation:      # before anything is installed: can students' code be shut in here?
	@sh autograder/sandbox/isolation.sh $(ARGS)

bytecode: $(READY)    # numba looks for the kernel of a module that was read from its text under another key
	@$(RUN) compileall -q -j 0 engine

cuda: $(READY)
	@$(BIN)/python -c "import numba_cuda" 2>/dev/null || $(RUN) pip install -e ".[cuda]"

$(ENGINE): EXTRAS =
$(STUDY):  EXTRAS = lab
$(STUDY):  COVERS = $(ENGINE)
$(GRADE):  EXTRAS = grade
$(GRADE):  COVERS = $(ENGINE)
$(SITE):   EXTRAS = lab,grade,site
$(SITE):   COVERS = $(ENGINE) $(STUDY) $(GRADE)
$(READY):  EXTRAS = lab,grade,dev
$(READY):  COVERS = $(ENGINE) $(STUDY) $(GRADE) $(SITE)

# The stamps count only while .venv runs, in the folder that it was made in.
ifneq ($(shell PYTHON="$(PYTHON)" sh autograder/environment.sh --serves "" $(ENV)),yes)
.PHONY: $(ENGINE) $(STUDY) $(GRADE) $(SITE) $(READY)
endif
$(ENGINE) $(STUDY) $(GRADE) $(SITE) $(READY): pyproject.toml constraints.txt environment.yml
	@PYTHON="$(PYTHON)" sh autograder/environment.sh "$(EXTRAS)" $(ENV)
	@touch $@ $(COVERS)
