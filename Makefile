# Needs Python 3.11 or later and make, nothing else.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PY := .venv/bin/python
BENCH_PY := .venv-bench/bin/python
BENCH_PIP := .venv-bench/bin/pip install -q -c constraints.txt
INTEGRATIONS_PY := .venv-integrations/bin/python
RLLIB_PY := .venv-rllib/bin/python
WEB_BUILT := $(foreach part,kuku-bots play,web/$(part)/build web/$(part)/dist)
CHECK_PYTHON = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; set PYTHON=... (this one is %s)" % sys.version.split()[0])'

.DEFAULT_GOAL := help
.PHONY: help demo test test-web test-integrations page lint docs report bench clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/.ready  ## train a small bot, export it and pit it against the scripted ones
	$(PY) train.py --preset demo --run runs/demo
	rm -rf runs/demo/evaluation
	$(PY) evaluate.py runs/demo/bot scripted-normal scripted-easy random \
		--players 2 4 --games 10000 --self-play 1000 --out runs/demo/evaluation

test: .venv/.ready  ## run the tests
	$(PY) -m pytest -n 2 --dist worksteal tests

test-web: .venv/.ready web/node_modules/.ready  ## check, build and test what is in web/
	rm -rf $(WEB_BUILT)
	$(PY) web/vectors.py web/kuku-bots/build/vectors
	cd web && npm run -s lint && npm run -s build && npm run -s build:test && KUKU_PYTHON=$(abspath $(PY)) npm run -s test

page: web/node_modules/.ready  ## build the page to play on, and put it into kuku_env/web
	rm -rf $(WEB_BUILT)
	cd web && npm run -s build && node play/ship.js

test-integrations: .venv-integrations/.ready .venv-rllib/.ready  ## run the tests of the adapters to other libraries
	$(INTEGRATIONS_PY) -m pytest -n 2 --dist worksteal tests/integrations
	$(RLLIB_PY) -m pytest tests/integrations/test_rllib.py tests/integrations/test_rllib_cluster.py
	$(RLLIB_PY) -m pytest tests/integrations/test_page.py -k RLlib

lint: .venv/.ready  ## check style and types
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy kuku_env

docs: .venv/.ready  ## regenerate the tables in docs/ and the layout files from the code
	$(PY) docs/generate.py

report: .venv/.ready  ## pit all bots that come with the package against each other, for docs/report.html
	rm -rf runs/report
	$(PY) -m kuku_env evaluate $$($(PY) -m kuku_env bots kuku-doubt | awk 'NR > 1 { print $$1 }') \
		--games 2000 --self-play 500 --out runs/report
	cp runs/report/report.html docs/report.html

bench: .venv-bench/.ready  ## measure speed beside other libraries, into runs/bench
	$(BENCH_PY) benchmarks/run.py

clean:  ## remove environments and caches (runs/ is kept)
	rm -rf .venv .venv-bench .venv-integrations .venv-rllib build dist web/node_modules $(WEB_BUILT) *.egg-info
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp comes last, so that an interrupted install is done again.
.venv/.ready: pyproject.toml constraints.txt
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv .venv
	.venv/bin/pip install -q -c constraints.txt -e '.[train,evaluate,serve,dev]'
	@touch $@

# Peers live in their own environment: their pins are not ours.
# One that cannot be installed is told of as not measured.
.venv-bench/.ready: pyproject.toml constraints.txt $(wildcard benchmarks/requirements/*.txt)
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv .venv-bench
	$(BENCH_PIP) -r benchmarks/requirements/measuring.txt -e '.[train]'
	-$(BENCH_PIP) -r benchmarks/requirements/pgx.txt
	-$(BENCH_PIP) -r benchmarks/requirements/rlcard.txt
	-$(BENCH_PIP) -r benchmarks/requirements/open_spiel.txt
	-$(BENCH_PIP) -r benchmarks/requirements/pufferlib.txt && $(BENCH_PY) benchmarks/peers/build_tripletriad.py
	@touch $@

# So that the adapters' libraries are neither needed nor seen by the other tests.
.venv-integrations/.ready: pyproject.toml constraints.txt
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv .venv-integrations
	.venv-integrations/bin/pip install -q -c constraints.txt -e '.[train,dev,sb3,open-spiel,torchrl,tianshou,supersuit]'
	@touch $@

# RLlib insists on one version of Gymnasium, older than ours.
.venv-rllib/.ready: pyproject.toml constraints.txt
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv .venv-rllib
	sed '/^gymnasium==/d' constraints.txt > .venv-rllib/constraints.txt
	.venv-rllib/bin/pip install -q -c .venv-rllib/constraints.txt -e '.[train,evaluate,dev,rllib]'
	@touch $@

web/node_modules/.ready: web/package.json web/package-lock.json web/kuku-bots/package.json web/play/package.json
	@node -e 'if (parseInt(process.versions.node) < 20) throw Error("Node 20 or later is needed")'
	cd web && npm ci --no-audit --no-fund
	@touch $@
