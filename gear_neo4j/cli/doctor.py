"""``gear doctor``: checks a database and profiles searches on it."""

from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from gear_neo4j.adoption.profile import Profile
from gear_neo4j.cli.options import CONNECTION, EMBEDDING, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.progress import waiting
from gear_neo4j.cli.scope import with_scope, within_scope
from gear_neo4j.cli.screen import Screen
from gear_neo4j.errors import InputError, MigrationError
from gear_neo4j.gear import Gear
from gear_neo4j.gear.doctor import Doctor, Examination
from gear_neo4j.retrieval.walk.beam import Beam
from gear_neo4j.scope import Scope
from gear_neo4j.settings import Settings
from gear_neo4j.text.printable import single_line

STYLES = {"ok": "green", "advice": "yellow", "problem": "red"}


@click.command()
@click.argument("questions", nargs=-1)
@click.option(
    "--hub",
    type=click.IntRange(min=1),
    default=Beam().hub,
    show_default=True,
    help="Triples above which a node is a hub.",
)
@json_option
@with_scope
@with_settings(CONNECTION, EMBEDDING)
def doctor(questions: tuple[str, ...], hub: int, json_file: Path | None, scope: Scope, settings: Settings) -> None:
    """Check a database, and profile a search for each of the QUESTIONS (default: a few facts from the graph).

    With scope options, it also reports the size of the scope and how it is searched. The command changes nothing.
    The exit code is 2 if there is a problem.
    """
    with opened(settings) as gear, waiting("examining"):
        size = within_scope(gear, scope).graph.database.scope_size
        examiner = Doctor(gear.graph, gear.embedder, _profile(gear), Beam(hub=hub), size)
        examination = examiner.examine(questions=questions)
    if not emit(json_file, asdict(examination)):
        show(Screen(), examination)
    if examination.problems:
        raise InputError(f"{examination.problems} of {len(examination.findings)} findings are problems")


def _profile(gear: Gear) -> Profile | None:
    """The stored profile; None if it cannot be read: the examination says why."""
    try:
        return gear.overlay.profile()
    except MigrationError:
        return None


def show(console: Screen, examination: Examination) -> None:
    """Print the findings, the costs of the queries, and the busiest nodes."""
    table = _table("", "", "what to do")
    for finding in examination.findings:
        mark = Text({"ok": "✓", "advice": "!", "problem": "✗"}[finding.level], style=STYLES[finding.level])
        table.add_row(mark, Text(f"{finding.subject}: {finding.detail}"), Text(finding.fix))
    console.print(table)
    if examination.costs:
        costs = _table("query", "runs", "ms, median", "db hits", "rows", "pages from disk", right=1)
        for cost in examination.costs:
            counts = (f"{count:,}" for count in (cost.db_hits, cost.rows, cost.page_misses))
            costs.add_row(cost.query, str(cost.runs), f"{cost.milliseconds:.1f}", *counts)
        console.print(costs, "")
    if examination.busiest:
        busiest = _table("hub", "triples", right=1)
        for name, degree in examination.busiest:
            busiest.add_row(Text(single_line(name or "(no name)")), f"{degree:,}")
        console.print(busiest)


def _table(*columns: str, right: int = 9) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index >= right else "left")
    return table
