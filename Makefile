# Each target sets up what it needs on a fresh machine with Python 3.11 or newer, git and make.
#
#   make demo     run the story of the README, for real, in a temporary directory
#   make test     run the tests                    make test ARGS="-k restore" PYTHON=python3.13
#   make check    run the linters
#   make format   fix what ruff can fix
#   make bench    compare with git, restic, borg   make bench ARGS="--quick"
#   make eval     describe real changes and compare with the ecosystem's own tools   make eval ARGS="1 24"
#   make torture  kill, starve and race clew at random   make torture ARGS="--seed 7 --minutes 60 --only kills"
#   make figures  print figures of the source tree
#   make docs     write the generated pages again
#   make transcripts   write again what commands print of the recorded session
#   make pictures   write the pictures of it in docs/ again
#   make site     build the documentation site in build/site
#   make man      build the manual page, build/clew.1
#   make completion   write the completion scripts to build/completion
#   make agents   install the agents that npm has (1.2 GB); without them their tests are skipped
#   make test-agents   run those tests alone: real agents and a scripted model
#   make test-praisonai   test clew.compat.praisonai with the real library, which it installs
#   make test-docker   test containers in a separate engine; as root, installs docker.io
#   make clean    remove everything that make made

# An interpreter that is chosen has a virtual environment of its own: make test PYTHON=python3.13
VENV := $(if $(PYTHON),.venv-$(notdir $(PYTHON)),.venv)
PYTHON ?= python3
BIN := $(VENV)/bin
READY := $(VENV)/ready
SITE_VENV := build/site-venv
ARGS ?=
LINTERS := "ruff check" "ruff format --check" mypy "lint-imports --no-logo" codespell

.PHONY: help compiled demo test agents test-agents test-praisonai test-docker check bench eval \
	torture figures docs transcripts pictures site man completion format clean
.DEFAULT_GOAL := help

help:
	@sed -n 's/^#   //p' Makefile

$(READY): pyproject.toml scripts/make-venv
	@scripts/make-venv "$(PYTHON)" $(VENV)
	@touch $@

# Tests start commands thousands of times; bytecode is written once, also where Python may not write it.
compiled: $(READY)
	@$(BIN)/python -m compileall -q src

demo: compiled
	@$(BIN)/python -m demo $(ARGS)

test: compiled
	@scripts/system-packages test
	@$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

agents:
	@scripts/install-agents .agents

test-agents: agents compiled
	@$(BIN)/python -m pytest -q -n auto --dist worksteal tests/real_agents $(ARGS)

test-praisonai: $(READY)
	@scripts/install-praisonai "$(BIN)/python" .agents-praisonai
	@PYTHONPATH=.agents-praisonai/python $(BIN)/python -m pytest -q tests/compat/praisonai $(ARGS)

test-docker: $(READY)
	@scripts/system-packages docker
	@$(BIN)/python -m pytest -q -rs tests/compat/chimera/test_docker.py $(ARGS)

check: $(READY)
	@failed=0; for tool in $(LINTERS); do \
		echo "$$tool"; $(BIN)/$$tool || failed=1; \
	done; exit $$failed

bench: compiled
	@scripts/system-packages bench
	@$(BIN)/python -m benchmarks $(ARGS)

eval: $(READY)
	@scripts/system-packages eval
	@$(BIN)/python -m evaluation $(ARGS)

torture: compiled
	@scripts/system-packages torture
	@$(BIN)/python -m torture $(ARGS)

figures: compiled
	@$(BIN)/python scripts/figures $(ARGS)

docs: $(READY)
	@$(BIN)/python -m clew.detectors.make_index > .index.new && mv .index.new src/clew/detectors/index.py
	@$(BIN)/python -m clew.cli.reference > docs/cli.md.new && mv docs/cli.md.new docs/cli.md
	@$(BIN)/python -m clew.story.reference > docs/facts.md.new && mv docs/facts.md.new docs/facts.md
	@$(BIN)/python -m tests.docs.field_tables

transcripts: compiled
	@$(BIN)/python -m tests.recorded.transcripts

pictures: compiled
	@$(BIN)/python -m tests.recorded.pictures

# mkdocs has a venv of its own: no test needs it, and its dependencies are not ours.
site:
	@test -x $(SITE_VENV)/bin/mkdocs || { "$(PYTHON)" -m venv $(SITE_VENV) && \
		$(SITE_VENV)/bin/pip install -qq --disable-pip-version-check 'mkdocs>=1.6,<2'; }
	@scripts/build-site $(SITE_VENV)/bin/mkdocs build/site

man: $(READY)
	@mkdir -p build
	@$(BIN)/python -m clew.cli.manpage > build/clew.1
	@echo "build/clew.1"

completion: $(READY)
	@mkdir -p build/completion
	@$(BIN)/clew completion bash > build/completion/clew
	@$(BIN)/clew completion zsh > build/completion/_clew
	@$(BIN)/clew completion fish > build/completion/clew.fish
	@echo "build/completion"

format: $(READY)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf .venv .venv-* .agents .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	find src tests benchmarks demo evaluation examples scripts torture -name __pycache__ -prune -exec rm -rf {} +
