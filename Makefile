# The only door: every target makes .venv itself and needs nothing but Python 3.11+, git and make.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test check bench crash race corpus golden clean

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
	$(BIN)/python bench/confirm.py
	$(BIN)/python bench/intake.py
	$(BIN)/python bench/show.py
	$(BIN)/python bench/mcp_server.py
	$(BIN)/python bench/run.py
	$(BIN)/python bench/review.py
	$(BIN)/python bench/proposing.py

# Every kill, error, signal and power-loss point (half an hour); as root, real power cuts of a loop device too.
crash: $(READY)
	REDLINE_CRASH=all REDLINE_POWER_CUT=1 $(BIN)/pytest --numprocesses auto tests/crash -rA

# What writers that race it, and deaths in the middle, lose by redline and by its peers.
race: $(READY)
	$(BIN)/python -m bench.race --trials 20000 --methods redline-guard
	$(BIN)/python -m bench.race --trials 2000 --methods redline-confirm
	$(BIN)/python -m bench.race --trials 3000 --methods git-apply,gnu-patch,check-then-write,check-then-replace
	$(BIN)/python -m bench.crash

# Every real edit of the corpora beside the checkout, through every format.
corpus: $(READY)
	$(BIN)/python -m bench.corpus --peers

golden: $(READY)
	$(BIN)/pytest tests --golden-write -p no:randomly -q

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("redline needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf .venv
