# make demo   the whole story in one command: environment, local Neo4j, bundled corpus, multi-hop questions
# make test   everything the tests need, then the whole suite against a real Neo4j (or NEO4J_URI)
# make fuzz   the property-based tests on random examples

PYTHON ?= python3
BIN := .venv/bin
# Two processes, each with a Neo4j of its own; a server that NEO4J_URI names serves one at a time. With as many threads
# each as there are cores, torch would spend most of its time waiting for its own threads.
WORKERS := $(if $(NEO4J_URI),,-n 2 --dist loadfile --no-loadscope-reorder)
THREADS := $(if $(NEO4J_URI),,OMP_NUM_THREADS=1)
# Servers that live for minutes: compiling for hours of use, a third of their work, and a collector with threads of its own
# do not pay there.
JVM := $(if $(NEO4J_URI),,JAVA_TOOL_OPTIONS="-XX:+UseSerialGC -XX:Tier4InvocationThreshold=20000 \
	-XX:Tier4MinInvocationThreshold=3000 -XX:Tier4CompileThreshold=60000 -XX:Tier4BackEdgeThreshold=150000 $$JAVA_TOOL_OPTIONS")
DATA := $(or $(GEAR_DATA),../shared/data)

.PHONY: install demo test fuzz lint bench clean
.DEFAULT_GOAL := demo

.venv/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gear-neo4j needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@echo "installing gear-neo4j and what it needs; with torch this takes minutes the first time"
	$(BIN)/python -m pip install --quiet --editable ".[local]"
	touch $@

.venv/.installed-dev: .venv/.installed
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

install: .venv/.installed

demo: install
	$(BIN)/gear demo

test: .venv/.installed-dev
	$(JVM) $(THREADS) $(BIN)/python -m pytest $(WORKERS) $(TESTS)

# Property-based tests take the same examples in every run of 'make test'; this searches others at random, RUNS times.
fuzz: .venv/.installed-dev
	for run in $$(seq $(or $(RUNS),5)); do \
		$(THREADS) $(BIN)/python -m pytest -m hypothesis --hypothesis-profile=random $(or $(TESTS),tests) || exit 1; \
	done

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# SIZE=full ends at 1.5 million triples. The rivals lie beside our environment, for theirs would change versions in it.
bench: .venv/.installed-rivals
	PYTHONPATH=.venv/rivals $(BIN)/python -m benchmarks --size $(or $(SIZE),small)
	PYTHONPATH=.venv/rivals $(BIN)/python -m benchmarks.scoring $(DATA)/musique_train100
	PYTHONPATH=.venv/rivals $(BIN)/python -m benchmarks.writers
	$(BIN)/python -m benchmarks.soak

.venv/.installed-rivals: .venv/.installed-dev benchmarks/rivals/requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --upgrade --target .venv/rivals -r benchmarks/rivals/requirements.txt
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
