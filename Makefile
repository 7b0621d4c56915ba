# Every target creates what it needs; `make help` lists them.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help run test check fmt gen bench long clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "ragmon needs Python 3.11 or newer, $(PYTHON) is older: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[processor]' --group dev
	@touch $@

run: $(STAMP) ## start the processor and the demo app on this machine
	$(BIN)/ragmon demo --serve

test: $(STAMP) ## install what the tests need and run them all
	@tools/install_engines.sh
	$(BIN)/python -m pytest -n 2

check: $(STAMP) ## lint, types, generated files, import table, the wheel by itself
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/ragmon generate --check
	$(BIN)/python -m pytest --quiet tests/test_architecture.py
	PYTHON=$(BIN)/python tools/check_wheel.sh

fmt: $(STAMP) ## format and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

gen: $(STAMP) ## write the generated docs, dashboards and rules again
	$(BIN)/ragmon generate

bench: $(STAMP) ## print the ratios of performance: capture, metrics, decode, settle
	$(BIN)/python -m tools.bench

long: $(STAMP) ## the full lengths of tests that `make test` runs in short
	RAGMON_DAY_REQUESTS=3000 RAGMON_ORDERS=300 $(BIN)/python -m pytest -n 2 \
	  tests/app/test_demo_day.py tests/app/test_any_order.py

clean: ## remove the environment, caches and the demo's state
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis ragmon-state
