# The front door: each target does all the set-up that it needs. What lies behind is in
# config/bootstrap.py (set-up) and manage.py (everything else). ARGS="…" is passed on.

# Whatever runs the set-up may be older than the Python that the project needs. A pyenv shim is there
# for every version and fails for those not chosen, so each is tried.
ifndef PYTHON
PYTHON := $(shell for p in python3 python3.13 python3.12 /usr/bin/python3 \
	$${PYENV_ROOT:-$$HOME/.pyenv}/versions/3.*/bin/python3; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 8))' >/dev/null 2>&1 && { echo "$$p"; break; }; \
	done)
endif
RUN := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help setup environment demo run test stress judges lint stop lock

help:  ## Show this list
	@sed -n 's/^\([a-z]*\):[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

setup: python  ## Make the environment in .venv, start the database, migrate
	@"$(PYTHON)" config/bootstrap.py setup

demo: setup  ## Run the whole thing once on real candles, with no key and no network
	@$(RUN) manage.py demo $(ARGS)

run: setup  ## Run web, worker and bridge, and restart what dies, until Ctrl-C
	@$(RUN) manage.py up $(ARGS)

test: setup  ## Run the tests
	@$(RUN) -m pytest -n 2 --dist worksteal $(ARGS)

stress: setup  ## Run the long tests at their full size
	@TIDEBOOK_STRESS=full $(RUN) -m pytest -m stress $(ARGS)

judges: setup  ## Run the test suites that others wrote
	@$(RUN) -m pytest -m judge $(ARGS)

lint: environment  ## Check format, rules, types and who imports whom
	@.venv/bin/ruff format --check .
	@.venv/bin/ruff check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports

stop:  ## End what demo and run left running, then the database
	@test ! -x $(RUN) || $(RUN) manage.py demo --stop || true
	@test ! -x $(RUN) || $(RUN) manage.py db stop

lock: python  ## Write the hashed requirement files anew from pyproject.toml
	@"$(PYTHON)" config/bootstrap.py lock

environment: python
	@"$(PYTHON)" config/bootstrap.py environment

.PHONY: python
python:
	@test -n "$(PYTHON)" || { echo "setup: no Python was found. Install 3.12 or newer (by apt, dnf, brew" \
		"or pyenv), or name one: make setup PYTHON=/path/to/python3.13" >&2; exit 1; }
