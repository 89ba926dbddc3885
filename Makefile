# The only door: every target makes .venv itself and needs nothing but Python 3.11+, git and make.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test check bench golden clean

demo: $(READY)
	$(BIN)/redline demo

test: $(READY)
	$(BIN)/pytest --numprocesses auto

check: $(READY)
	$(BIN)/ruff format --check src tests bench
	$(BIN)/ruff check src tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python bench/startup.py

golden: $(READY)
	$(BIN)/pytest tests --golden-write -p no:randomly -q

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("redline needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf .venv
