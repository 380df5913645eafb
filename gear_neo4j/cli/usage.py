"""``gear usage``: what the callers of the HTTP service have used of their quotas."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from gear_neo4j.cli.options import CONNECTION, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.screen import Screen, listing
from gear_neo4j.graph.write.usage_store import CallerUsage
from gear_neo4j.settings import Settings
from gear_neo4j.text.printable import single_line
from gear_neo4j.web.quotas.periods import day_of, month_of, now

COLUMNS = ("requests today", "tokens today", "requests this month", "tokens this month")


@click.command()
@json_option
@with_settings(CONNECTION)
def usage(json_file: Path | None, settings: Settings) -> None:
    """Show what each caller of gear serve has used, today and this month (UTC); only those with a quota are counted."""
    time = now()
    with opened(settings) as gear:
        callers = gear.graph.usage.all(day=day_of(time).name, month=month_of(time).name)
    if not emit(json_file, {"callers": [asdict(caller) for caller in callers]}):
        Screen().print(_table(callers) if callers else "no caller with a quota has used anything this month")


def _table(callers: Sequence[CallerUsage]) -> Table:
    table = listing("caller", *COLUMNS, numbers=COLUMNS)
    for caller in callers:
        numbers = (number for used in (caller.today, caller.this_month) for number in (used.requests, used.tokens))
        table.add_row(single_line(caller.name), *(f"{number:,}" for number in numbers))
    return table
