# `make` alone lists the targets; each explains itself after its name.

SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV := .venv
PYTHON311 ?= $(shell command -v python3.11 || command -v python3)
INSTALLED := $(VENV)/.installed
NODE_PACKAGES := device/node_modules/.installed
DEVICE := device/dist/.built
HAS_NODE := node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null
HAS_CHROMIUM := node -e 'import("./parity/chromium.mjs").then((it) => process.exit(it.findChromium() ? 0 : 1))'
NO_NODE := there is no Node.js 20 or later here
# DVC starts the stages by the name `python`, so the environment comes first on the path.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.PHONY: help setup device params models play test test-long test-device test-parity lint bench check-repro check-stale keep release \
    clean-work

help:  ## list these targets
	@echo "make <target>:"
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */\1\t/' | awk -F'\t' '{printf "  %-12s %s\n", $$1, $$2}'

setup: $(INSTALLED)  ## make .venv with every package at its pinned version (needs Python 3.11)

$(INSTALLED): requirements.txt constraints.txt
	@"$(PYTHON311)" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	    { echo "Python 3.11 is needed: 'make setup PYTHON311=/path/to/python3.11'"; exit 1; }
	"$(PYTHON311)" -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -c constraints.txt
	@touch $@

device:  ## install and build the TypeScript package of device/ (needs Node.js 20 or later)
	@if $(HAS_NODE); then $(MAKE) --no-print-directory $(DEVICE); else echo "device/ was not built: $(NO_NODE)"; fi

# onnxruntime-node's install script would download CUDA's files; the processor's are in the package.
$(NODE_PACKAGES): device/package-lock.json
	@cd device && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

$(DEVICE): $(NODE_PACKAGES) $(wildcard device/src/*.ts) device/tsconfig.json device/tsconfig.build.json
	@rm -rf device/dist
	@cd device && npm run --silent build
	@touch $@

params: setup  ## compose conf/ into params.yaml
	@python -m tools.params

models: setup device  ## rebuild what changed, say how strong it is; PROFILE=smoke [GAME=...]: all of it, small, in a copy
ifdef PROFILE
	@python -m tools.profile_copy $(PROFILE) $(if $(GAME),game=$(GAME))
else
	$(if $(GAME),$(error GAME needs PROFILE=...; the game of this checkout is chosen in conf/config.yaml))
	@python -m tools.params --check
	@python -m tools.plan
	@dvc repro
	@python -m tools.summary
endif

play: device  ## build the page and serve it on this machine: play against the opponents in models/release
	@if $(HAS_NODE); then cd device && npm run --silent play; else echo "the page was not built: $(NO_NODE)"; exit 1; fi

test: lint device  ## all tests, after style and types
	@python -m pytest -n 2 --dist loadgroup
	@$(MAKE) --no-print-directory test-device test-parity

test-long: lint device  ## all tests, and the long ones: kills at random instants, settings changed one by one, hostile files
	@python -m pytest -n 2 --dist loadgroup --long
	@POCKETZERO_HOSTILE=2000 $(MAKE) --no-print-directory test-device test-parity

test-device: device  ## the tests of device/ alone
	@if $(HAS_NODE); then cd device && npm run --silent check && npm run --silent check:web && npm test --silent && \
	    npm run --silent build:web && if $(HAS_CHROMIUM); then npm run --silent test:browser; \
	    else echo "NOT RUN: what needs Chromium: none is installed here"; fi; \
	else echo "NOT RUN: the tests of device/: $(NO_NODE)"; fi

test-parity: setup device  ## what is committed in models/release, put to every runtime that is here
	@targets=python,compiled,onnxruntime,torch,plain; \
	if $(HAS_NODE); then targets=$$targets,typescript,node,wasm; \
	    if (cd device && $(HAS_CHROMIUM)); then targets=$$targets,chromium,chromium-wasm; \
	    else echo "NOT RUN: parity in the browser: no Chromium is installed here"; fi; \
	else echo "NOT RUN: parity of the device side: $(NO_NODE)"; fi; \
	python -m pocketzero.ship --targets $$targets --positions 1000

lint: setup  ## style and types
	@python -m ruff check .
	@python -m ruff format --check .
	@python -m mypy

bench: setup  ## measure self-play and training against the bare network and this machine's limit
	@python -m bench

check-repro: setup  ## build the committed smoke profile twice from nothing, with 1 and 2 workers, and compare every byte
	@python -m tools.check_repro

check-stale: setup  ## fail where a committed output was not made by the committed sources; needs no data
	@python -m tools.stale

keep: setup  ## after a change that changes no result: prove it on the smoke profile, then keep the models with the new code
	@python -m tools.keep

release: setup  ## judge the models and record them as NAME=..., unless a gate fails or an earlier release was stronger
	@$(if $(NAME),,$(error NAME=... is missing: the release's name, such as NAME=v1))python -m tools.release "$(NAME)"

clean-work: setup  ## throw away the finished steps of long stages (kept so that a killed run can go on)
	@python -c 'import shutil; from pocketzero.work import work_root; shutil.rmtree(work_root(), ignore_errors=True)'
