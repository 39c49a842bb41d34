# The tasks of this project; CI calls the same ones. `make help` lists them.
SHELL := /bin/sh
BIN := .venv/bin
DAMBREAK_OUT := out/dambreak
PYTEST_WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help dambreak test test-fast lint format bench golden lock clean venv venv-dev

help: ## List the tasks
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) \
	  | awk -F ':.*## ' '{ printf "  make %-10s %s\n", $$1, $$2 }'

dambreak: venv ## Run the 3D dam break on this machine's CPU; writes a picture and a report
	$(BIN)/headwater run dambreak --dp 0.017 --variant cubic --until 0.6 --device cpu \
	  --out $(DAMBREAK_OUT) --overwrite

test: lint ## Everything that CI checks: lint, types, import rule, all tests
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS)

test-fast: venv-dev ## The tests that are not marked slow
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) -m "not slow"

lint: venv-dev ## ruff, mypy --strict, the import rule, the house rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/check_house_rules.py

format: venv-dev ## Format the sources and fix what ruff can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: venv ## Time of a step and its phases, pair rates, warm start; needs idle cores
	$(BIN)/python -m bench

golden: venv-dev ## Refresh the golden texts of IR and generated code; read the diff afterwards
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --update-golden

lock: ## Renew the locked packages in requirements/ (developers; needs `uv` on PATH)
	tools/lock.sh

clean: ## Remove .venv, caches and outputs
	rm -rf .venv .venv.lock out build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf src/*.egg-info

venv: ## Make or refresh .venv with what `headwater` needs
	@tools/venv.sh run

venv-dev: ## The same with the developers' tools
	@tools/venv.sh dev
