# make demo   everything in one command: environment, local Neo4j, bundled corpus, multi-hop questions
#             with TORCH=cpu, as with every command that installs, torch for processors only: gigabytes less on Linux
# make test   test dependencies, then the whole suite against a real Neo4j (or the one at NEO4J_URI)
# make quick  what needs no server and no model, in about a minute
# make fuzz   the property-based tests on random examples
# make manual the manual, in build/manual
# make audit  known advisories against what is installed
# make floors the fast tests on the lowest version that we allow of each direct dependency
# make sbom   what the package installs, in CycloneDX's format, in build/sbom.json
# make faults every command under faults at random moments
# make scopes searches and answers under scopes, over corpora made at random
# make conformance  the MCP server under the protocol's own test suite, from the npm registry
# make lives  lives of a corpus, made at random: syncs, jobs, keys and kills in any order

PYTHON ?= python3
BIN := .venv/bin
# Two processes, each with its own Neo4j; the server at NEO4J_URI serves only one. With one torch thread per core in each
# process, torch would spend most of its time waiting for its own threads. On two cores a third process gains nothing.
WORKERS := $(if $(NEO4J_URI),,-n 2 --dist loadfile --no-loadscope-reorder)
THREADS := $(if $(NEO4J_URI),,OMP_NUM_THREADS=1)
# These servers live for minutes, so three things do not pay off: compiling for hours of use, a third of their work; a
# collector with its own threads; and verifying the classes of jars whose checksums were verified, a tenth of a start.
# Large pages, which only Linux has, take a third off their work on a virtual machine with slow memory.
JVM := $(if $(NEO4J_URI),,JAVA_TOOL_OPTIONS="-XX:+IgnoreUnrecognizedVMOptions -XX:+UseTransparentHugePages \
	-XX:+UseSerialGC -XX:Tier4InvocationThreshold=20000 -XX:Tier4MinInvocationThreshold=3000 \
	-XX:Tier4CompileThreshold=60000 -XX:Tier4BackEdgeThreshold=150000 \
	-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote $$JAVA_TOOL_OPTIONS")
# For a single test that takes hours; the test's own limit, which grows with its number of runs, still holds.
ONE_LONG_TEST := -o faulthandler_timeout=0
# Some machines forbid Python to keep what it compiles; these tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE
DATA := $(or $(GEAR_DATA),../shared/data)

.PHONY: install demo test quick fuzz faults scopes lives conformance lint manual audit floors sbom bench clean
.DEFAULT_GOAL := demo

# Compiling all modules takes half of the time; Python compiles what it imports.
.venv/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gear-neo4j needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(if $(TORCH),$(BIN)/python -m pip install --quiet --index-url https://download.pytorch.org/whl/$(TORCH) 'torch>=2.11')
	@echo "installing gear-neo4j and its dependencies; the first time this takes minutes because of torch"
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[local]"
	touch $@

.venv/.installed-dev: .venv/.installed
	$(BIN)/python -m pip install --quiet --no-compile --group dev
	touch $@

install: .venv/.installed

demo: install
	$(BIN)/gear demo

test: .venv/.installed-dev
	$(JVM) $(THREADS) $(BIN)/python -m pytest $(WORKERS) $(TESTS)

# Fewer examples of each property, and only the plugins that these tests use; a third process fills the pauses of others.
quick: .venv/.installed-dev
	PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 3 --dist worksteal \
		-p xdist.plugin -p pytest_timeout -p pytest_asyncio.plugin -p _hypothesis_pytestplugin --hypothesis-profile=few \
		--ignore=gear_neo4j/integrations tests/unit gear_neo4j

# Property-based tests take the same examples in every run of 'make test'; this searches others at random, RUNS times.
fuzz: .venv/.installed-dev
	for run in $$(seq $(or $(RUNS),5)); do \
		$(THREADS) $(BIN)/python -m pytest -m hypothesis --hypothesis-profile=random $(or $(TESTS),tests) || exit 1; \
	done

# 'make test' has the table and four random runs with seeds of its own; this has others. A seed is in the test's name:
# 'make faults RUNS=1 SEED=7' repeats one.
faults: .venv/.installed-dev
	$(JVM) $(THREADS) GEAR_FAULT_RUNS=$(or $(RUNS),20) GEAR_FAULT_SEED=$(or $(SEED),$$(date +%s)) \
		$(BIN)/python -m pytest tests/faults -k at_random

# Each corpus is written twice: whole, and what the scope admits of it.
scopes: .venv/.installed-dev
	$(JVM) $(THREADS) GEAR_SCOPE_RUNS=$(or $(RUNS),1000) \
		$(BIN)/python -m pytest tests/integration/test_scopes.py $(ONE_LONG_TEST) \
		--hypothesis-profile=random

# A life is a row of steps; after each, what everybody sees is compared with a model. RUNS lives.
lives: .venv/.installed-dev
	$(JVM) $(THREADS) GEAR_LIVES_RUNS=$(or $(RUNS),2000) $(BIN)/python -m pytest tests/lives $(ONE_LONG_TEST) \
		--hypothesis-profile=random

conformance: .venv/.installed-dev
	$(BIN)/python -m tools.conformance

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

manual: .venv/.installed-dev
	$(BIN)/python -m tools.manual

audit: .venv/.installed-dev
	$(BIN)/python -m tools.audit

# The adapters' frameworks demand newer versions of what the package shares with them, so they are left out.
FLOORS := local report server mcp otel web watch office
FRAMEWORKS := gear_neo4j/integrations tests/unit/test_guard.py
COMMA := ,
SPACE := $(subst ,, )

# In an environment of its own; what the tests themselves need is the newest.
floors: .venv/.installed-dev
	mkdir -p build
	$(BIN)/uv pip compile --quiet --no-build --upgrade --resolution lowest-direct $(FLOORS:%=--extra %) pyproject.toml -o build/floors.txt
	$(BIN)/uv venv --quiet --clear build/floors
	$(BIN)/uv pip install --quiet --python build/floors --constraint build/floors.txt --group fast --editable ".[$(subst $(SPACE),$(COMMA),$(FLOORS))]"
	$(THREADS) build/floors/bin/python -m pytest -q $(WORKERS) tests/unit tests/model gear_neo4j $(FRAMEWORKS:%=--ignore=%)
	rm -rf build/floors

# Of an environment that holds only the package: what its tests need is not shipped.
sbom: .venv/.installed-dev
	mkdir -p build
	$(BIN)/uv venv --quiet --clear build/shipped
	$(BIN)/uv pip install --quiet --python build/shipped ".[local,server,mcp,report,otel,office]"
	$(BIN)/cyclonedx-py environment build/shipped --pyproject pyproject.toml --output-reproducible -o build/sbom.json
	rm -rf build/shipped

# SIZE=full goes up to 1.5 million triples. The rivals are installed beside our environment: they would change its versions.
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
