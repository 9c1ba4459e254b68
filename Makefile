# Each target sets up all it needs on a fresh machine with Python 3.11 or newer, git and make.
#
#   make demo     watch clew do its job, for real, in a temporary directory
#   make test     run the tests                    make test ARGS="-k restore"
#   make agents   install the agents that npm has (1.2 GB); their tests are skipped without
#   make test-agents   those tests alone: real agents, and a scripted model
#   make test-praisonai   the tests of clew.compat.praisonai with the real library; installs it
#   make test-docker   the tests of containers, in an engine of their own; as root, installs docker.io
#   make check    run the linters
#   make bench    compare with git, restic, borg   make bench ARGS="--quick"
#   make eval     tell real changes, judged by the ecosystem's own tools   make eval ARGS="1 24"
#   make docs     write the generated pages again
#   make clean    remove everything that make made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
ARGS ?=
LINTERS := "ruff check" "ruff format --check" mypy "lint-imports --no-logo" codespell

.PHONY: help compiled demo test agents test-agents test-praisonai test-docker check bench eval docs format clean
.DEFAULT_GOAL := help

help:
	@sed -n 's/^#   //p' Makefile

$(READY): pyproject.toml scripts/make-venv
	@scripts/make-venv "$(PYTHON)" $(VENV)
	@touch $@

# Commands are started thousands of times: compiled once, also where Python may write no bytecode.
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

docs: $(READY)
	@$(BIN)/python -m clew.detectors.make_index > .index.new && mv .index.new src/clew/detectors/index.py
	@$(BIN)/python -m clew.cli.reference > docs/cli.md.new && mv docs/cli.md.new docs/cli.md
	@$(BIN)/python -m clew.story.reference > docs/facts.md.new && mv docs/facts.md.new docs/facts.md

format: $(READY)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) .agents .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
	find src tests benchmarks demo evaluation examples scripts -name __pycache__ -prune -exec rm -rf {} +
