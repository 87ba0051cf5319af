# The newcomer's commands. Everything is installed into .venv, pinned by
# constraints.txt; each target works a second time and after an interruption.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# By the environment, so that the constraints hold for the build's own tools too.
PIP_INSTALL := PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/python -m pip \
	install --quiet --disable-pip-version-check
REPRODUCE_DIR := runs/sample

# What a target runs is not echoed.
.SILENT:

.PHONY: help reproduce replay replay-sample test test-slow lint docs linkcheck fuzz clean

help:
	echo "make reproduce   install, run HyperQA, CosineQA and floors on the bundled data"
	echo "make replay      run recorded figures again, each under a minute; for the night"
	echo "make test        install with the test tools and run the test suite"
	echo "make test-slow   the tests that take many seconds each, as CI does"
	echo "make lint        ruff and mypy"
	echo "make docs        the documents, into build/docs; warnings are errors"
	echo "make linkcheck   ask for each page elsewhere that the documents name"
	echo "make fuzz        316,000 damaged files for the readers; for the night"
	echo "make clean       remove the environment and all that these commands made"

# TensorFlow's notes about the machine would hide what these print.
reproduce replay replay-sample docs fuzz: export TF_CPP_MIN_LOG_LEVEL ?= 3
reproduce: $(VENV)/.installed
	$(BIN)/python -m reproductions.sample --output-dir $(REPRODUCE_DIR) || { \
	echo "(make clean removes what an older version left in $(REPRODUCE_DIR))" >&2; \
	exit 1; }

REPLAY := $(BIN)/python -m reproductions.replay
replay: $(VENV)/.installed
	$(REPLAY) --seconds 60

# Of the bundled questions: two cells that need no other data.
replay-sample: $(VENV)/.installed
	$(call part,Recorded figures$(comma) run again,\
		$(REPLAY) hyperqa/sample/hyperqa/best/seed-1 \
		hyperqa/sample/cosineqa/best/seed-1)

PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal
comma := ,

# What must hold on every backend runs again under JAX and PyTorch.
BACKEND_TESTS := tests/batches tests/layers tests/losses tests/metrics tests/models \
	tests/optimizers tests/test_geometry.py tests/test_hyperboloid.py \
	tests/ranking/test_scoring.py tests/training \
	tests/embeddings/bert/test_network.py \
	tests/embeddings/elmo/test_encoder.py tests/devtools/test_recurrent_benchmark.py

# Most of the time would go into optimising programs that run once, and JAX's
# into compiling what another test, or an earlier run, has compiled.
QUICK_XLA := --xla_backend_optimization_level=0 \
	--xla_llvm_disable_expensive_passes=true --xla_cpu_use_fusion_emitters=false \
	--xla_cpu_parallel_codegen_split_count=1
JAX_TESTS := KERAS_BACKEND=jax \
	JAX_COMPILATION_CACHE_DIR=$(CURDIR)/$(VENV)/jax-cache \
	JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0 \
	JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES=-1

# Says what runs, and how long it took.
define part
echo "== $(1)"; start=$$(date +%s); $(2) || exit 1; \
	echo "== $(1): $$(( $$(date +%s) - start )) s"
endef

test test-slow: export XLA_FLAGS := $(QUICK_XLA)
# Each process would compile the kit and rewrite the tests anew.
test test-slow: export PYTHONDONTWRITEBYTECODE :=
test test-slow: export TF_CPP_MIN_LOG_LEVEL ?= 3
test: $(VENV)/.installed-test
	$(call part,TensorFlow$(comma) the whole suite,$(PYTEST))
	$(call part,JAX$(comma) what can differ there,\
		$(JAX_TESTS) $(PYTEST) $(BACKEND_TESTS))
	$(call part,PyTorch$(comma) what can differ there,\
		KERAS_BACKEND=torch OMP_NUM_THREADS=1 $(PYTEST) $(BACKEND_TESTS))

test-slow: $(VENV)/.installed-test
	$(call part,Tests of many seconds,$(PYTEST) -m slow)

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.installed-docs
	$(BIN)/python -m devtools.sample_site --output build/docs/sample-site
	$(BIN)/python -m sphinx -b html -n -W --keep-going -q docs build/docs
	! grep -rlE '<(script|link|img)[^>]+(src|href)="(https?:)?//' build/docs \
	--include='*.html' || { echo "these pages load from elsewhere" >&2; exit 1; }
	echo build/docs/index.html

linkcheck: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -b linkcheck -n -W --keep-going -q docs \
	build/linkcheck

fuzz: $(VENV)/.installed-fuzz
	$(BIN)/python -m devtools.fuzz

# A stamp is written last and taken away before anything is installed: an
# environment without it was interrupted and may hold half a package, so it is
# made anew.
$(VENV)/.installed: setup.cfg pyproject.toml constraints.txt
	$(call require-python)
	test -f $@ || $(PYTHON) -m venv --clear $(VENV)
	rm -f $@
	echo "Installing the packages into $(VENV): a minute or two"
	$(PIP_INSTALL) -e '.[plots]'
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	rm -f $<
	echo "Installing what the tests need in addition"
	$(PIP_INSTALL) -e '.[plots,jax,torch,bert,onnx,search,serve,test]'
	touch $< $@

# The other stamp is put aside as it is, so that it grows no newer than those
# that wait for it.
$(VENV)/.installed-docs: $(VENV)/.installed
	mv $< $<-aside
	echo "Installing what the documents need in addition"
	$(PIP_INSTALL) -e '.[plots,docs,serve,onnx]'
	mv $<-aside $<
	touch $@

# Where atheris has no wheel, inputs are not guided by coverage.
$(VENV)/.installed-fuzz: $(VENV)/.installed-test
	$(PIP_INSTALL) -e '.[fuzz]' || \
		echo "(atheris cannot be installed here)" >&2
	touch $@

define require-python
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	echo "keras_qa needs Python 3.11 or newer; say which with make PYTHON=python3.12" >&2; \
	exit 1; }
endef

clean:
	rm -rf $(VENV) $(REPRODUCE_DIR) build *.egg-info .pytest_cache \
		.hypothesis .ruff_cache .mypy_cache
