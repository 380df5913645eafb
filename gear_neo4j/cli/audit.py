"""``gear audit``: verifies and exports the record of a service that runs with ``--audit``."""

from datetime import UTC, datetime
from pathlib import Path

import click

from gear_neo4j.cli.printing import say, say_json
from gear_neo4j.errors import InputError
from gear_neo4j.text.wording import pluralize
from gear_neo4j.web.audit.exporting import Selection, exported
from gear_neo4j.web.audit.files import anchor_of, chains_in
from gear_neo4j.web.audit.verifying import ChainReport, verified

FOLDER = click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
TIME = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])


@click.group()
def audit() -> None:
    """The audit record of gear serve --audit FOLDER: verify it, print its anchors, and export its entries."""


@audit.command()
@FOLDER
@click.option(
    "--anchor",
    "anchors",
    metavar="HASH",
    multiple=True,
    help="A hash that gear audit anchor has printed, which must be in the record; repeatable. A chain may begin after "
    "it, if older files were removed.",
)
def verify(folder: Path, anchors: tuple[str, ...]) -> None:
    """Verify that no entry was changed, removed or moved, and print the first place where a chain is broken.

    The exit code is 2 if a chain is broken or an anchor is not in the record. The service may run meanwhile.

    \b
    gear audit verify /var/lib/gear/audit --anchor 5f0c...
    """
    reports = []
    for report in verified(folder, anchors=anchors):
        _show(report)
        reports.append(report)
    if not reports:
        raise InputError(f"{folder} holds no chain: name the folder of gear serve --audit")
    if broken := sum(bool(report.broken) for report in reports):
        raise InputError(f"{broken} of {pluralize(len(reports), 'chain')} {'is' if broken == 1 else 'are'} broken")
    kept = {hash for report in reports for hash in report.kept}
    if missing := next((hash for hash in anchors if hash not in kept), None):
        raise InputError(f"no chain has the anchor {missing}: entries were removed or written anew")


@audit.command()
@FOLDER
def anchor(folder: Path) -> None:
    """Print the anchor of each chain: its name, the number of its last entry, and its hash.

    Keep the hashes where nobody who can write to the folder can change them.

    \b
    gear audit anchor /var/lib/gear/audit
    """
    for chain in chains_in(folder):
        if found := anchor_of(folder, chain):
            say(f"{chain} {found.number} {found.hash}")
        else:
            raise InputError(f"{chain} has no anchor: run gear audit verify")


@audit.command()
@FOLDER
@click.option("--since", type=TIME, metavar="TIME", help="Only entries from this time on, in UTC.")
@click.option("--until", type=TIME, metavar="TIME", help="Only entries before this time, in UTC.")
@click.option("--who", metavar="NAME", help="Only entries of this key or person, by name or subject.")
def export(folder: Path, since: datetime | None, until: datetime | None, who: str | None) -> None:
    """Print entries as lines of JSON, in the order of their times, each with its chain.

    \b
    gear audit export /var/lib/gear/audit --since 2026-11-01 --who ada
    """
    selection = Selection(since=_utc(since), until=_utc(until), who=who)
    for entry in exported(folder, selection):
        say_json(entry)


def _utc(time: datetime | None) -> datetime | None:
    return time and time.replace(tzinfo=UTC)


def _show(report: ChainReport) -> None:
    for torn in report.torn:
        say(f"{report.chain}: {torn}")
    counts = f"{pluralize(report.last.number, 'entry')} in {pluralize(report.files, 'file')}"
    say(f"{report.chain}: broken, {report.broken}" if report.broken else f"{report.chain}: whole, {counts}")
