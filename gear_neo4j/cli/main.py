"""The command ``gear``: its group of commands, and how errors are told."""

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from gear_neo4j.cli.adopt import adopt, import_command, release
from gear_neo4j.cli.ask import ask
from gear_neo4j.cli.calibrate import calibrate_command
from gear_neo4j.cli.communities import communities
from gear_neo4j.cli.compare import compare_command
from gear_neo4j.cli.demo import demo
from gear_neo4j.cli.doctor import doctor
from gear_neo4j.cli.evaluate import evaluate
from gear_neo4j.cli.explain import explain
from gear_neo4j.cli.export import export
from gear_neo4j.cli.forget import forget
from gear_neo4j.cli.ingest import ingest
from gear_neo4j.cli.paths import paths
from gear_neo4j.cli.search import search
from gear_neo4j.cli.server import down, migrate, status, up
from gear_neo4j.errors import GearError
from gear_neo4j.graph.query_log import log_to, stop

COMMANDS = (
    *(demo, up, down, status, migrate, doctor),
    *(ingest, export, forget, import_command, adopt, release, communities),
    *(search, paths, ask, explain, evaluate, compare_command, calibrate_command),
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
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


for command in COMMANDS:
    cli.add_command(command)


def main(args: Sequence[str] | None = None) -> None:
    """Run a command; an error is one line on standard error and exit code 2, with a traceback only under --debug."""
    given = sys.argv[1:] if args is None else list(args)
    debug = "--debug" in given
    # The driver tells of each transaction that it retries, pypdf of each flaw it reads past: not the user's business.
    logging.getLogger("neo4j").setLevel(logging.DEBUG if debug else logging.ERROR)
    logging.getLogger("pypdf").setLevel(logging.DEBUG if debug else logging.CRITICAL)
    try:
        code = cli.main(args=[arg for arg in given if arg != "--debug"], standalone_mode=False)
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
