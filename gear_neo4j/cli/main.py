"""The command ``gear``: its subcommands, and how errors are reported."""

import errno
import logging
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click
from click.exceptions import NoArgsIsHelpError

from gear_neo4j.cli.interrupts import explain_interrupt, interruptible
from gear_neo4j.cli.lazy import Groups, LazyGroup
from gear_neo4j.cli.printing import LogLines, say
from gear_neo4j.cli.usage_errors import usage_message
from gear_neo4j.errors import ExitCode, GearError
from gear_neo4j.graph.connection.query_log import log_to, stop
from gear_neo4j.text.redaction import redacted

# The errors of a write to a full or broken disk, or beyond a quota.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
# The location of each command and its line in 'gear --help', which imports none of them, by group.
GROUPS: Groups = {
    "Documents": {
        "ingest": ("gear_neo4j.cli.ingest:ingest", "Write passages and their triples into the graph."),
        "sync": ("gear_neo4j.cli.sync:sync", "Keep a collection in step with folders, addresses or tables."),
        "sources": ("gear_neo4j.cli.sources:sources", "List the sources of a collection."),
        "collections": ("gear_neo4j.cli.collections:collections", "List the collections of a database, or drop one."),
        "readers": ("gear_neo4j.cli.collections:readers", "Show or set who may read a document and its triples."),
        "forget": ("gear_neo4j.cli.forget:forget", "Remove a document or source, and its triples."),
        "export": ("gear_neo4j.cli.export:export", "Convert documents to CSV files for neo4j-admin's bulk import."),
    },
    "Search and answers": {
        "search": ("gear_neo4j.cli.search:search", "Retrieve passages for a question by multi-hop search."),
        "ask": ("gear_neo4j.cli.ask:ask", "Answer a question with a language model, citing passages."),
        "paths": ("gear_neo4j.cli.paths:paths", "Show the nodes that answer a question, and paths among them."),
        "explain": ("gear_neo4j.cli.explain:explain", "Make a page and Cypher of a saved search or answer."),
        "recipes": ("gear_neo4j.cli.recipes:recipes", "List retrievers, agents and extractors, and their options."),
    },
    "Graphs": {
        "import": ("gear_neo4j.cli.adopt:import_command", "Import nodes and relationships from neo4j-admin CSV files."),
        "adopt": ("gear_neo4j.cli.adopt:adopt", "Add a layer of triples to your graph, so it can be searched."),
        "release": ("gear_neo4j.cli.adopt:release", "Remove everything that gear adopt wrote to the graph."),
        "communities": (
            "gear_neo4j.cli.communities:communities",
            "Build and show communities of densely linked entities.",
        ),
        "templates": ("gear_neo4j.cli.templates:templates", "List, add and run queries that you wrote for a graph."),
    },
    "Service": {
        "serve": ("gear_neo4j.cli.serve:serve", "Serve a page, an HTTP API and OpenAI's chat protocol."),
        "keys": ("gear_neo4j.cli.keys:keys", "Add, list and revoke keys for the HTTP service."),
        "usage": ("gear_neo4j.cli.usage:usage", "Show what callers have used of their quotas."),
        "audit": ("gear_neo4j.cli.audit:audit", "Verify and export the audit record of the HTTP service."),
        "mcp": ("gear_neo4j.cli.mcp:mcp", "Serve searches to assistants and editors over MCP."),
    },
    "Setup": {
        "demo": ("gear_neo4j.cli.demo:demo", "Answer multi-hop questions on forty bundled passages."),
        "up": ("gear_neo4j.cli.server:up", "Start a local Neo4j for development, or show its address."),
        "down": ("gear_neo4j.cli.server:down", "Stop a local Neo4j; its data stays."),
        "status": ("gear_neo4j.cli.server:status", "List the local servers: state, address and disk usage."),
        "config": ("gear_neo4j.cli.config:config", "Show each setting with its value and where it comes from."),
        "migrate": ("gear_neo4j.cli.server:migrate", "Migrate a database to the latest schema; verify its indexes."),
        "stats": ("gear_neo4j.cli.stats:stats", "Show what a database holds, its schema and its size."),
        "doctor": ("gear_neo4j.cli.doctor:doctor", "Check a database, and profile searches."),
        "cypher": ("gear_neo4j.cli.cypher:cypher", "List the queries that gear-neo4j sends, or show one."),
        "help": ("gear_neo4j.cli.help:help_command", "Show the help of a command, such as gear help keys add."),
    },
    "Evaluation": {
        "evaluate": ("gear_neo4j.cli.evaluate:evaluate", "Measure a retriever or an agent on a data set."),
        "compare": ("gear_neo4j.cli.compare:compare_command", "Compare two results of gear evaluate --json."),
        "calibrate": ("gear_neo4j.cli.calibrate:calibrate_command", "Fit the thresholds of an evaluator of relevance."),
    },
}


@click.group(cls=LazyGroup, groups=GROUPS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gear-neo4j", prog_name="gear")
@click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks and the log of the driver.")
@click.option(
    "--log-queries",
    type=click.Path(path_type=Path),
    envvar="GEAR_QUERY_LOG",
    expose_value=False,
    callback=lambda context, _, file: _log_queries(context, file),
    help="Append a JSON line per query to a file: name, milliseconds, rows.  [GEAR_QUERY_LOG]",
)
def cli() -> None:
    """Multi-hop retrieval over your own Neo4j: passages, triples, and the paths between them."""


def main(args: Sequence[str] | None = None) -> None:
    """Run a command; print an error as one line on standard error, with its traceback only under --debug.

    However the command ends, the exit code is one of :class:`ExitCode`.
    """
    arguments = sys.argv[1:] if args is None else list(args)
    debug = "--debug" in arguments
    # The driver logs errors that it raises or retries, and pypdf every flaw that it tolerates: noise to a user.
    logging.getLogger("neo4j").setLevel(logging.DEBUG if debug else logging.CRITICAL)
    logging.getLogger("pypdf").setLevel(logging.DEBUG if debug else logging.CRITICAL)
    logging.getLogger().addHandler(log := LogLines(logging.NOTSET if debug else logging.WARNING))
    try:
        with interruptible():
            code = _run([argument for argument in arguments if argument != "--debug"], debug=debug)
    finally:
        logging.getLogger().removeHandler(log)
    sys.exit(code)


def _run(arguments: list[str], *, debug: bool) -> int:
    """Run a command, report its error, and return its exit code."""
    try:
        return cli.main(args=arguments, prog_name="gear", standalone_mode=False) or ExitCode.DONE
    except (GearError, click.ClickException) as error:
        _explain(error, debug=debug)
        return error.exit_code if isinstance(error, GearError) else ExitCode.ERROR
    except (KeyboardInterrupt, click.Abort):
        return explain_interrupt()
    except SystemExit as end:
        # Click and rich exit like this when the reader of their output is gone.
        return ExitCode.UNREAD if end.code == 1 else ExitCode.BUG
    except Exception as error:
        if debug:
            _trace(error)
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            # Errors of files written by name are reported where they occur.
            _report(f"gear: the output cannot be written: {error.strerror}")
            return ExitCode.ERROR
        cause = f"{type(error).__name__}: {redacted(str(error))}"
        _report(f"gear: {cause} (a bug: run again with --debug and report it)")
        return ExitCode.BUG


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
        _trace(error)
    if isinstance(error, NoArgsIsHelpError):
        _report(error.format_message())
        return
    text = usage_message(error) if isinstance(error, click.ClickException) else str(error)
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f" (see {context.command_path} --help)" if context else ""
    _report(f"gear: {' '.join(text.split())}{hint}")


def _trace(error: Exception) -> None:
    """Print a traceback without secrets and control characters, which Python would print."""
    _report(redacted("".join(traceback.format_exception(error))), nl=False)


def _report(text: str, *, nl: bool = True) -> None:
    """Print why a command failed; if standard error cannot be written to, the exit code must suffice."""
    with suppress(OSError):
        say(text, err=True, nl=nl)
