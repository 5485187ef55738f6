# One command list for people and for CI. Everything runs in .venv, which `make setup` creates.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Processes that run tests side by side, each with two threads; all cores unless said otherwise.
WORKERS ?= logical
# All packages, with the extras that their tests need.
EDITABLE := --editable 'packages/fieldcraft[jit,robots,gis,solara,roguelike,sc2,football,frames,engines]' --editable packages/gpu \
	--editable 'packages/lab[notebook]' --editable packages/cluster --editable 'packages/worlds[rl]'
# The suite starts a hundred short processes: they don't compile their sources anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: kernels kernels-check size diagram setup docs links names notebooks demo test test-reference test-any-order test-bounds breaks fuzz machines scenarios lint bench gallery pictures format build newcomer clean

setup: $(VENV)/.ready $(VENV)/.native

# Whatever only tests need comes after what a demo needs.
$(VENV)/.ready: $(VENV)/.installed tests/pins.txt tools/requirements.txt $(wildcard packages/*/pyproject.toml)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint tests/pins.txt $(EDITABLE) --requirement tools/requirements.txt
	touch $@

# The native library of kernels for this machine, anew whenever a kernel has changed; its bitcode too.
$(VENV)/.native: $(VENV)/.ready $(wildcard packages/fieldcraft/src/fieldcraft/kernels/*/*.py) $(wildcard packages/fieldcraft/native/*.*)
	$(BIN)/python packages/fieldcraft/native/build.py
	touch $@

# The bitcode of all kernels, made anew by Numba. `kernels-check` says whether that of the repository is the same.
kernels: $(VENV)/.ready
	$(BIN)/python packages/fieldcraft/native/lower.py --all

kernels-check: kernels
	git diff --exit-code --stat -- packages/fieldcraft/native/bitcode

$(VENV)/.installed: packages/fieldcraft/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "fieldcraft needs Python 3.11 or newer; set PYTHON=python3.12, say")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable 'packages/fieldcraft[view,plot,maps]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/fieldcraft run demo --out out/demo

test: setup
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal

# The part of the suite that is marked `reference`, with kernels that run uncompiled.
test-reference: setup
	FIELDCRAFT_REFERENCE=1 $(BIN)/python -m pytest packages/fieldcraft/tests -m reference --numprocesses $(WORKERS) --dist worksteal

# 2,000 mutants of a file for each loader, with true checksums, in bounded time and memory.
fuzz: setup
	FIELDCRAFT_FUZZ=2000 $(BIN)/python -m pytest tests/fuzz --numprocesses $(WORKERS)

# The law "any order" for as long as FIELDCRAFT_ANY_ORDER says, in seconds, from FIELDCRAFT_ANY_ORDER_SEED on.
test-any-order: setup
	FIELDCRAFT_ANY_ORDER=$${FIELDCRAFT_ANY_ORDER:-60} $(BIN)/python -m pytest -s packages/fieldcraft/tests/laws/test_any_order.py -k as_long_as_asked

# Tests of searches, steps and agents, and the law "any order", with kernels that Numba compiles with checks of bounds: an overrun
# is an IndexError. It takes some minutes to compile, and keeps what it has compiled in out/bounds.
BOUNDS := $(addprefix packages/fieldcraft/tests/, kernels/test_bounds.py paths layers/propagation pursuit steering query laws/test_any_order.py)
test-bounds: setup
	NUMBA_BOUNDSCHECK=1 FIELDCRAFT_NUMBA=1 XDG_CACHE_HOME=$(CURDIR)/out/bounds $(BIN)/python -m pytest $(BOUNDS) \
		--numprocesses $(WORKERS) --dist worksteal --timeout 1200

# Breaks 40 lines of the library at random, each in a copy, and reports those that no test of their folder notices.
breaks: setup
	$(BIN)/python tools/breaks.py $(OPTIONS)

# Links libraries for other systems, and runs the C example on AArch64 (qemu-user) and Windows (wine) too, where these are installed.
machines: setup
	FIELDCRAFT_EMULATED=1 $(BIN)/pytest -q packages/fieldcraft/native/tests

# All 66,442 problems of the MovingAI scenario files, from the folder of real data (FIELDCRAFT_DATA).
scenarios: setup
	FIELDCRAFT_SCENARIOS=1000000 $(BIN)/pytest -q packages/fieldcraft/tests/formats/maps/test_scenarios_sample.py

# Statements, syntax nodes, public names, circles of imports: figures that inform.
size: setup
	$(BIN)/python tools/size.py

# The diagram of packages and modules in CONTRIBUTING.md, from the imports.
diagram: setup
	$(BIN)/python tools/diagram.py

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/diagram.py --check

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup
	$(BIN)/python -m bench

# Records a film of every world into docs/gallery and writes docs/gallery.md.
gallery: setup
	$(BIN)/python -m fieldcraft_worlds.gallery

# Draws every picture of the documentation anew; `python docs/pictures.py NAME` draws one.
pictures: setup
	$(BIN)/python docs/pictures.py

# One wheel of the library for each platform, and pure ones of all packages.
build: setup
	$(BIN)/python packages/fieldcraft/native/wheels.py --out dist
	for package in packages/*; do FIELDCRAFT_NATIVE=none $(BIN)/python -m build --outdir dist $$package || exit 1; done

# What a newcomer does, with this machine's wheel in an empty environment: the first picture, README, the tutorial, each starter.
newcomer: setup
	$(BIN)/python packages/fieldcraft/native/wheels.py --out dist manylinux_2_28_$(shell uname -m)
	$(BIN)/python tools/newcomer.py dist/fieldcraft-*-manylinux_2_28_$(shell uname -m).whl

# The site, from the guides and the docstrings; a warning fails it. It needs the library and its extra `docs`; other libraries are mocked.
# Every page is written, since Sphinx loses index entries of pages that it keeps, which the search lists first.
docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable 'packages/fieldcraft[docs]'
	$(BIN)/python -m sphinx --quiet -W --keep-going --jobs auto --write-all -b html docs out/site
	$(BIN)/python docs/live/build.py --out out/site/live
	@echo "The site is in out/site/index.html"

# Links within the site, then those to other places, which need a network.
links: docs
	$(BIN)/python docs/check_links.py out/site
	$(BIN)/python -m sphinx --quiet -b linkcheck docs out/links

# Five guides as notebooks, with their outputs.
notebooks: setup
	$(BIN)/python docs/notebook.py

# The page of all public names.
names: setup
	$(BIN)/python tools/names_page.py

clean:
	rm -rf $(VENV) out dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
