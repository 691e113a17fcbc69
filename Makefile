# Kneepoint: `make run` starts the app, `make help` lists everything.
#   PYTHON=python3.12   the Python that makes .venv (3.11 or newer)
#   PORT=8600           another port for `make run`
#   SEED=1 TESTS=tests/maths   which random examples `make fuzz` tries, and where

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.SUFFIXES:

PYTHON ?= python3
PORT ?= 8501
TESTS ?= tests
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
UV := uv==0.13.9
# What Python has compiled is kept: the tests start it a hundred times.
unexport PYTHONDONTWRITEBYTECODE

# What is installed is remembered by an empty file that carries the hash of what was asked for.
asked = $(firstword $(shell { $(PYTHON) -V || true; cat $(1); } 2>&1 | cksum))
APP_INSTALLED := .venv/installed-app-$(call asked,requirements.txt requirements.lock)
DEV_INSTALLED := .venv/installed-dev-$(call asked,requirements.txt requirements.lock requirements-tokenizer.txt requirements-dev.txt)
ENGINE_INSTALLED := .venv-engine/installed-$(call asked,requirements-engine.txt)

.PHONY: help run test test-all test-engine check fuzz mutants install bench library format lint lock docker-steps chromium port clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: port $(APP_INSTALLED) ## start the app on http://127.0.0.1:8501 (PORT=… for another port)
	@exec $(BIN)/python -m streamlit run app.py --server.port $(PORT)

test: install ## run every check a change must pass: format, lint, types, and the tests, those in a browser too
	@$(BIN)/python -m tests.suite test

test-all: install test-engine ## run everything: the full crosses, timed tests, virtual environments, a real engine, planted faults
	@$(BIN)/python -m tests.suite all
	$(BIN)/python -m tests.mutants

test-engine: $(DEV_INSTALLED) $(ENGINE_INSTALLED) ## test sweeps against a real engine on this CPU (installs PyTorch, 1.2 GB)
	KNEEPOINT_ENGINE=.venv-engine/bin $(BIN)/python -m pytest -m engine tests/engine

check: $(DEV_INSTALLED) ## run the quick checks: format, lint, types, and the tests that start nothing
	@$(BIN)/python -m tests.suite check

lint: $(DEV_INSTALLED) ## check format, lint and types
	@$(BIN)/python -m tests.suite lint

fuzz: $(DEV_INSTALLED) ## try a thousand new random examples of each property; prints the seed (SEED=… repeats it)
	@seed=$${SEED:-$$RANDOM$$RANDOM}; echo "make fuzz SEED=$$seed repeats this run."; \
	$(BIN)/python -m pytest -q -n auto --hypothesis-profile fuzz --hypothesis-seed "$$seed" -m "hypothesis or fuzz" $(TESTS)

mutants: install ## plant faults in a copy, one at a time: each must turn a test of `make test` red
	$(BIN)/python -m tests.mutants

install: $(DEV_INSTALLED) chromium ## install what the tests need: the app, its development tools and Chromium

format: $(DEV_INSTALLED) ## format the code and apply the linter's safe fixes
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

bench: $(DEV_INSTALLED) chromium ## measure Kneepoint itself: library, pages, imports (results go to bench-results/)
	$(BIN)/python -m tests.benchmarks

library: $(APP_INSTALLED) ## rebuild data/library, the results that ship, from its recipes
	$(BIN)/python -m data.recipes

lock: ## write requirements.lock, the hashes of what requirements.txt pins (needs uv)
	uv pip compile requirements.txt --generate-hashes --python-version 3.11 --no-annotate --quiet \
		--custom-compile-command "make lock" -o requirements.lock

docker-steps: $(DEV_INSTALLED) ## run the Dockerfile's steps without a Docker engine
	$(BIN)/python -m pytest tests/test_dockerfile.py

clean: ## remove .venv, .venv-engine and the tools' caches
	rm -rf .venv .venv-engine .mypy_cache .pytest_cache .ruff_cache .hypothesis test-results

$(APP_INSTALLED):
	$(call make_venv)
	@echo "Installing the app into .venv (once; about a minute) …"
	$(call pip_install,--require-hashes -r requirements.lock)
	@rm -f .venv/installed-app-*; touch $@

$(DEV_INSTALLED):
	$(call make_venv)
	@echo "Installing the app and its development tools into .venv (once; about a minute) …"
	$(call pip_install,--require-hashes -r requirements.lock)
	$(call pip_install,-r requirements-dev.txt)
	@rm -f .venv/installed-*; touch $@ $(APP_INSTALLED)

$(ENGINE_INSTALLED):
	$(call make_venv)
	@echo "Installing a real engine into .venv-engine (once; a few minutes) …"
	@.venv-engine/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv-engine
	@.venv-engine/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-engine.txt
	@rm -f .venv-engine/installed-*; touch $@

# uv installs several times as fast as pip; where it cannot be had, or reaches no package index, pip does it.
define pip_install
	@$(PIP) $(UV) && $(BIN)/python -m uv pip install --quiet --python $(BIN)/python $(1) || $(PIP) $(1)
endef

define make_venv
	@command -v $(PYTHON) >/dev/null || \
		{ echo "$(PYTHON) was not found: install Python 3.11 or newer (Debian: apt install python3 python3-venv)." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Kneepoint needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) -V 2>&1): name a newer one, such as make $(MAKECMDGOALS) PYTHON=python3.12." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) has no venv module, which makes .venv: install it (Debian: apt install python3-venv)." >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
endef

port:
	@[[ "$(PORT)" =~ ^[0-9]{1,5}$$ ]] && (( 0 < 10#$(PORT) && 10#$(PORT) < 65536 )) || \
		{ echo "PORT=$(PORT) is not a port: give a number from 1 to 65535, such as make run PORT=8502." >&2; exit 1; }
	@! (: </dev/tcp/127.0.0.1/$(PORT)) 2>/dev/null || \
		{ echo "Port $(PORT) is busy: stop what listens there, or choose another, such as make run PORT=8502." >&2; exit 1; }

chromium:
	@if command -v chromium-headless-shell chromium >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium for the browser tests …"; \
		apt-get update -qq && export DEBIAN_FRONTEND=noninteractive && \
		for browser in chromium-headless-shell chromium; do \
			apt-get install -y -qq --no-install-recommends "$$browser" fonts-dejavu >/dev/null && exit; \
		done; exit 1; \
	else \
		echo "The browser tests need Chromium: install it (Debian: apt install chromium fonts-dejavu)." >&2; exit 1; \
	fi
