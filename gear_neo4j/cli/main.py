"""The command ``gear``: its group of commands, and how errors are told."""

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from gear_neo4j.cli.lazy import Commands, LazyGroup
from gear_neo4j.errors import GearError
from gear_neo4j.graph.query_log import log_to, stop

# Where each command is, and the first sentence of its help: 'gear --help' imports none of them.
COMMANDS: Commands = {
    "demo": (
        "gear_neo4j.cli.demo:demo",
        "Start a local Neo4j, ingest forty short passages, and answer multi-hop questions; no key, no Docker, no Java.",
    ),
    "up": (
        "gear_neo4j.cli.server:up",
        "Start a local Neo4j (or say where it runs): for development, demos and tests, not for production.",
    ),
    "down": (
        "gear_neo4j.cli.server:down",
        "Stop a local Neo4j; its data stays.",
    ),
    "status": (
        "gear_neo4j.cli.server:status",
        "List the local servers: which run, where, and how much disk their data takes.",
    ),
    "migrate": (
        "gear_neo4j.cli.server:migrate",
        "Bring a database to the newest schema, and verify its indexes.",
    ),
    "doctor": (
        "gear_neo4j.cli.doctor:doctor",
        "Examine a database, and profile a search for each of the QUESTIONS (default: a few of its facts).",
    ),
    "ingest": (
        "gear_neo4j.cli.ingest:ingest",
        "Write passages and their triples into the graph.",
    ),
    "export": (
        "gear_neo4j.cli.export:export",
        "Write what an ingest of SOURCES would write as CSV files, for a database that does not exist yet.",
    ),
    "forget": (
        "gear_neo4j.cli.forget:forget",
        "Remove the passages of SOURCE, their triples, and the entities that nothing else names.",
    ),
    "import": (
        "gear_neo4j.cli.adopt:import_command",
        "Bring nodes and relationships of neo4j-admin's CSV files into the running database.",
    ),
    "adopt": (
        "gear_neo4j.cli.adopt:adopt",
        "Lay triples over a graph that is there, so that it can be searched and asked; "
        "gear release takes them off again.",
    ),
    "release": (
        "gear_neo4j.cli.adopt:release",
        "Take everything that gear adopt wrote out of the graph again.",
    ),
    "communities": (
        "gear_neo4j.cli.communities:communities",
        "Groups of entities that triples tie together, for graphrag-local and graphrag-global.",
    ),
    "search": (
        "gear_neo4j.cli.search:search",
        "Find the passages that answer QUESTION, over several hops.",
    ),
    "paths": (
        "gear_neo4j.cli.paths:paths",
        "Show what QUESTION names in the graph, the shortest paths between, and the facts around; no model is called.",
    ),
    "ask": (
        "gear_neo4j.cli.ask:ask",
        "Answer QUESTION from the graph with a language model, and cite the passages.",
    ),
    "explain": (
        "gear_neo4j.cli.explain:explain",
        "Write RUN.html, a page that shows the paths of a saved run, and RUN.cypher, which shows them in Neo4j.",
    ),
    "evaluate": (
        "gear_neo4j.cli.evaluate:evaluate",
        "Measure a retriever or an agent on a data set: "
        "a folder with corpus.jsonl, queries.jsonl, perhaps triples.jsonl.",
    ),
    "compare": (
        "gear_neo4j.cli.compare:compare_command",
        "Compare two files of gear evaluate --json: B - A with its 95 % interval, and the questions that differ most.",
    ),
    "calibrate": (
        "gear_neo4j.cli.calibrate:calibrate_command",
        "Find the thresholds at which an evaluator tells texts that help with a question from others.",
    ),
}


@click.group(cls=LazyGroup, lazily=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gear-neo4j", prog_name="gear")
@click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks, and what the driver logs.")
@click.option(
    "--log-queries",
    type=click.Path(path_type=Path),
    envvar="GEAR_QUERY_LOG",
    expose_value=False,
    callback=lambda context, _, file: _log_queries(context, file),
    help="Append a line of JSON to a file for each query: its name, milliseconds, rows.  [GEAR_QUERY_LOG]",
)
def cli() -> None:
    """Multi-hop retrieval over your own Neo4j: passages, triples, and the paths between them."""


def main(args: Sequence[str] | None = None) -> None:
    """Run a command; an error is one line on standard error and exit code 2, with a traceback only under --debug."""
    arguments = sys.argv[1:] if args is None else list(args)
    debug = "--debug" in arguments
    # The driver tells of each transaction that it retries, pypdf of each flaw it reads past: not the user's business.
    logging.getLogger("neo4j").setLevel(logging.DEBUG if debug else logging.ERROR)
    logging.getLogger("pypdf").setLevel(logging.DEBUG if debug else logging.CRITICAL)
    try:
        code = cli.main(args=[arg for arg in arguments if arg != "--debug"], standalone_mode=False)
    except (GearError, click.ClickException) as error:
        _explain(error, debug=debug)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("gear: interrupted; what was committed is kept, the same command goes on from there", err=True)
        code = 130
    except Exception as error:
        if debug:
            raise
        click.echo(f"gear: {type(error).__name__}: {error} (a bug; run it again with --debug and report it)", err=True)
        code = 1
    sys.exit(code)


def _log_queries(context: click.Context, file: Path | None) -> None:
    if file is None:
        return
    try:
        handler = log_to(file)
    except OSError as error:
        raise click.UsageError(f"--log-queries {file}: {error.strerror or error}") from error
    context.call_on_close(lambda: stop(handler))


def _explain(error: GearError | click.ClickException, *, debug: bool) -> None:
    if debug and isinstance(error, GearError):
        raise error
    text = error.format_message() if isinstance(error, click.ClickException) else str(error)
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f" ({context.command_path} --help says more)" if context else ""
    click.echo(f"gear: {' '.join(text.split())}{hint}", err=True)
