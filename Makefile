# Everything here works with Python 3.11 or newer, pip and make; the rest is set up in .venv on first use.
#
#   make test ARGS="-k recall"     passes ARGS on: to pytest, to the tour or to the benchmarks
#   make test JOBS=4               how many test processes at once
#   make PYTHON=/path/to/python    makes .venv with this interpreter

PYTHON ?=
JOBS ?= 2
ARGS ?=

VENV := .venv
IN_VENV := $(VENV)/bin/python
RUNS := $(VENV)/ready-to-run
READY := $(VENV)/ready
LOCKED := requirements/run.txt requirements/image.txt requirements/dev.txt

.DEFAULT_GOAL := help
.PHONY: help run tour test check coverage bench bench-recall bench-scale bench-extraction bench-conflicts bench-forgetting bench-taking-in bench-upkeep bench-service bench-contract bench-canaries bench-hostile bench-histories bench-masking bench-mutation bench-poison bench-statements soak reader reference requirements tidy lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

run: $(RUNS) ## the service on your store, ~/.heldtrue, until Ctrl-C
	@HELDTRUE_SERVER_LOG=$${HELDTRUE_SERVER_LOG:-lines} $(VENV)/bin/heldtrue serve $(ARGS)

tour: $(RUNS) ## a guided tour of Heldtrue on a temporary store
	@$(VENV)/bin/heldtrue tour $(ARGS)

test: check ## the checks, then all tests, on SQLite and on a real PostgreSQL
	@$(IN_VENV) -m pytest -n $(JOBS) --dist worksteal $(ARGS)

check: $(READY) ## format, lint, types and import contracts
	@$(IN_VENV) -m ruff format --check .
	@$(IN_VENV) -m ruff check .
	@$(IN_VENV) -m mypy
	@$(VENV)/bin/lint-imports --no-cache

coverage: $(READY) ## all tests, and the share of lines and branches that they run
	@rm -rf .coverage && mkdir .coverage
	@$(IN_VENV) -m coverage run -m pytest -n $(JOBS) --dist worksteal $(ARGS)
	@$(IN_VENV) -m coverage combine --quiet
	@$(IN_VENV) -m coverage report

bench: $(READY) ## the measurements, as ratios
	@$(IN_VENV) -m bench $(ARGS)

bench-recall: $(READY) ## evidence found in LoCoMo's conversations; ARGS=/path/to/locomo10.json
	@$(IN_VENV) -m bench recall $(ARGS)

bench-scale: $(READY) ## recall over 1,000 to 100,000 memories; ARGS=--million for a million too
	@$(IN_VENV) -m bench scale $(ARGS)

bench-extraction: $(READY) ## what is found in labelled messages and documents; ARGS=--thresholds to choose thresholds
	@$(IN_VENV) -m bench extraction $(ARGS)

bench-conflicts: $(READY) ## whether contradictions are noticed; ARGS=--show for the pairs that go wrong
	@$(IN_VENV) -m bench conflicts $(ARGS)

bench-forgetting: $(READY) ## whether what a person rejected comes back in other words; ARGS="--share 0.1" for less
	@$(IN_VENV) -m bench forgetting $(ARGS)

bench-taking-in: $(READY) ## messages a second that are captured and extracted
	@$(IN_VENV) -m bench taking_in $(ARGS)

bench-upkeep: $(READY) ## every job over and over, killed in between; ARGS="--memories 1000 --rounds 10" for less
	@$(IN_VENV) -m bench upkeep $(ARGS)

bench-service: $(READY) ## recall over REST beside recall in process, and a long day of mixed calls; ARGS="--calls 0" for less
	@$(IN_VENV) -m bench service $(ARGS)

bench-contract: $(READY) ## thousands of calls made up from the OpenAPI document
	@$(IN_VENV) -m bench contract $(ARGS)

bench-canaries: $(READY) ## two tenants at once, and whether either ever sees a word of the other
	@$(IN_VENV) -m bench canaries $(ARGS)

bench-hostile: $(READY) ## thousands of malformed requests, and whether any breaks the server
	@$(IN_VENV) -m bench hostile $(ARGS)

bench-vandal: $(READY) ## a thousand changes anywhere in a home, and whether verify finds them; ARGS="--changes 100" for less
	@$(IN_VENV) -m bench vandal $(ARGS)

bench-histories: $(READY) ## random histories under both clocks against a small oracle; ARGS="--count 100" for less
	@$(IN_VENV) -m bench histories $(ARGS)

bench-masking: $(READY) ## secrets and personal data that are masked, and clean texts that are changed; ARGS="FILE --show" for another file
	@$(IN_VENV) -m bench masking $(ARGS)

bench-mutation: $(READY) ## small mistakes put into the code, and how many of them the tests notice
	@$(IN_VENV) -m bench mutation $(ARGS)

bench-poison: $(READY) ## texts that claim to be trusted, through every way in, and whether any gets its wish
	@$(IN_VENV) -m bench poison $(ARGS)

bench-statements: $(READY) ## what becomes of labelled texts that an agent learns: kept, waiting or refused
	@$(IN_VENV) -m bench statements $(ARGS)

soak: $(READY) ## the longest runs, for hours; ARGS=text_fuzz for one of them
	@$(IN_VENV) -m bench soak $(ARGS)

reader: $(READY) ## whether the reader was trained on the labels in this tree, and how to train it anew
	@$(IN_VENV) tools/reader.py

reference: $(READY) ## everything that is generated from the declarations anew: reference, verb index, tools, stub, examples, TypeScript
	@$(IN_VENV) tools/reference.py
	@$(IN_VENV) tools/stubs.py
	@$(IN_VENV) tools/examples.py
	@$(IN_VENV) tools/typescript.py

requirements: $(READY) ## the rows of docs/requirements.md that no test covers
	@$(IN_VENV) tools/requirements.py

tidy: $(READY) ## sizes, conditions and names of the source, in figures
	@$(IN_VENV) -m tests.tidy $(ARGS)

# uv does not read pip's configuration, so what pip knows about the package index goes along as environment.
# Pinned versions are kept where they still fit; make lock ARGS=--upgrade takes the newest. The small locks take their
# versions from the large one, so that an environment can grow from one to the other, and leave out what
# requirements/unused.txt names.
lock: $(READY) ## requirements/*.txt anew from pyproject.toml, for every Python and system
	@test -x $(VENV)/lock/bin/uv || { $(IN_VENV) -m venv $(VENV)/lock && $(VENV)/lock/bin/pip install --quiet uv; }
	@index="$${PIP_INDEX_URL:-$$($(VENV)/lock/bin/pip config get global.index-url 2>/dev/null)}"; \
	 certificates="$${PIP_CERT:-$$($(VENV)/lock/bin/pip config get global.cert 2>/dev/null)}"; \
	 test -z "$$index" || export UV_DEFAULT_INDEX="$$index"; \
	 test -z "$$certificates" || export SSL_CERT_FILE="$$certificates"; \
	 compile="$(VENV)/lock/bin/uv pip compile pyproject.toml --quiet --universal --generate-hashes --no-header $(ARGS)"; \
	 small="$$compile --no-annotate --group build --override requirements/unused.txt --constraint requirements/dev.txt"; \
	 $$compile --all-extras --group dev --output-file requirements/dev.txt && \
	 $$small --extra vectors --output-file requirements/run.txt && \
	 $$small --extra vectors --extra postgres --output-file requirements/image.txt
	@if grep -n '://' $(LOCKED); then echo 'make lock: the lines above name a host'; exit 1; fi

clean: ## removes .venv and everything else that was generated
	rm -rf clients/typescript/node_modules clients/typescript/dist
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A copied checkout brings an environment that points at the old folder, and an interpreter can vanish
# beneath one: in both cases the stamps do not count.
ifneq ($(CURDIR),$(shell test -x $(IN_VENV) && cat $(RUNS) 2>/dev/null))
.PHONY: $(RUNS)
endif
ifneq ($(CURDIR),$(shell test -x $(IN_VENV) && cat $(READY) 2>/dev/null))
.PHONY: $(READY)
endif

define SET_UP
@for python in $(or $(PYTHON),python3.13 python3.12 python3.11 python3 python); do \
    if "$$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
        exec "$$python" tools/environment.py $(1); \
    fi; \
done; \
echo 'heldtrue: no Python 3.11 or newer was found ($(or $(PYTHON),python3.13, python3.12, python3.11, python3, python)).' >&2; \
echo 'heldtrue: install one, or name it: make PYTHON=/path/to/python3' >&2; \
exit 1
endef

$(RUNS): pyproject.toml requirements/run.txt
	$(call SET_UP,run)

$(READY): pyproject.toml requirements/dev.txt
	$(call SET_UP,dev)
