"""``gear collections`` and ``gear readers``: the collections of a database, and who may read a document."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from gear_neo4j.cli.confirm import YES, can_ask, confirm
from gear_neo4j.cli.options import CONNECTION, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.reporting import progress_shown
from gear_neo4j.cli.screen import Screen, errors, listing
from gear_neo4j.gear import Gear
from gear_neo4j.graph.read.collections import Collection
from gear_neo4j.graph.write.reader_records import ReaderRecord
from gear_neo4j.ingestion.finding import known_source, similar_document
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.settings import Settings
from gear_neo4j.text.wording import contents, pluralize

COLLECTION = click.option(
    "--collection", default=DEFAULT_COLLECTION, show_default=True, help="The collection that SOURCE is in."
)


@click.command()
@click.option("--drop", metavar="NAME", help="Remove a collection, its triples, and entities without another triple.")
@click.option("--dry-run", is_flag=True, help="With --drop: report what would be removed, without removing it.")
@YES
@json_option
@with_settings(CONNECTION)
def collections(drop: str | None, dry_run: bool, yes: bool, json_file: Path | None, settings: Settings) -> None:
    """List the collections of a database, or drop one.

    A collection begins with the first gear ingest --collection NAME, and ends with its last passage. On a terminal,
    --drop first says how much it will remove, and asks. After an interruption, run the same command again to resume.
    """
    if drop is None and (dry_run or yes):
        raise click.UsageError("--dry-run and --yes need --drop")
    with opened(settings) as gear:
        document, shown = _list(gear) if drop is None else _drop(gear, drop, dry_run=dry_run, yes=yes)
    if not emit(json_file, document):
        Screen().print(shown)


def _list(gear: Gear) -> tuple[dict[str, Any], Table]:
    held = gear.corpus.collections()
    return {"collections": [asdict(collection) for collection in held]}, _table(held)


def _drop(gear: Gear, name: str, *, dry_run: bool, yes: bool) -> tuple[dict[str, Any], str]:
    if not (dry_run or yes) and can_ask():
        weight = gear.corpus.drop(name, dry_run=True)
        size = f"{pluralize(weight.passages, 'passage')} and {pluralize(weight.triples, 'triple')}"
        confirm(f"{size} of the collection {name} in {gear.graph.name}")
    with progress_shown("removed") as on_progress:
        report = gear.corpus.drop(name, dry_run=dry_run, on_progress=on_progress)
    size = contents(report.passages, report.triples, report.entities)
    return asdict(report), f"{size} {'would be removed' if dry_run else 'removed'}"


@click.command()
@click.argument("source", required=False)
@click.option(
    "--set",
    "readers",
    multiple=True,
    metavar="PRINCIPAL",
    help="User or group allowed to read SOURCE, such as group:legal; repeatable. Replaces the current readers.",
)
@click.option("--everybody", is_flag=True, help="Let everybody who may read the collection read SOURCE.")
@COLLECTION
@json_option
@with_settings(CONNECTION)
def readers(
    source: str | None,
    readers: tuple[str, ...],
    everybody: bool,
    collection: str,
    json_file: Path | None,
    settings: Settings,
) -> None:
    """Show or set who may read a document or a source, SOURCE, and its triples.

    SOURCE is the name of a document, such as handbook/travel.md, its path on this machine, or the "source" of JSONL
    lines. Its readers are stored: a new version keeps them, and so does the document when it moves or comes back. If
    SOURCE is a source, such as handbook, this sets the readers of all its documents, and of those that it gets later.
    Without SOURCE, list all records of the collection. A search sees what --as PRINCIPAL may read.

    \b
    gear readers contracts/2024.md --collection legal --set group:legal --set user:ada
    """
    if readers and everybody:
        raise click.UsageError("give either --set, once for each reader, or --everybody")
    if source is None and (readers or everybody):
        raise click.UsageError("name the document or the source, SOURCE, whose readers to set")
    with opened(settings) as gear:
        if source is not None and (readers or everybody):
            changed = gear.corpus.set_readers(source, readers, collection=collection)
            document = {"passages": changed, "readers": sorted(set(readers))}
            is_source = known_source(gear.graph, source, collection=collection) is not None
            later = ", and of new documents" if is_source else ""
            shown: Any = f"{_passages(source, changed)}{later}: {_names(sorted(set(readers)))}"
            if readers and not (changed or is_source):
                _report_new(source, similar_document(gear.graph, source, collection=collection), collection)
        else:
            records = gear.corpus.readers(source, collection=collection)
            if not records and collection != DEFAULT_COLLECTION:
                gear.graph.collections.require(collection)
            document = {"readers": [asdict(record) for record in records]}
            shown = _records(records, source)
    if not emit(json_file, document):
        Screen().print(shown)


def _report_new(source: str, similar: str, collection: str) -> None:
    """Say that no document has this name yet, and which one the user may have meant."""
    where = "" if collection == DEFAULT_COLLECTION else f" in the collection {collection!r}"
    hint = f"did you mean {similar}?" if similar else "its readers are recorded for when it comes"
    errors.print_line(f"no document{where} has the name {source!r} yet: {hint}", style="yellow")


def _passages(source: str, changed: int) -> str:
    return f"{pluralize(changed, 'passage')} of {source}" if changed else source


def _names(readers: Sequence[str]) -> str:
    if not readers:
        return "everybody who may read the collection"
    return ", ".join(filter(None, readers)) or "nobody"


def _records(records: Sequence[ReaderRecord], source: str | None) -> Table | str:
    if not records:
        return f"{source or 'every document'}: {_names(())}"
    table = listing("document", "passages", "readers", numbers=("passages",))
    for record in records:
        kind = " (and new documents)" if record.source.endswith("/") else ""
        table.add_row(f"{record.source}{kind}", f"{record.passages:,}", _names(record.readers))
    return table


def _table(held: list[Collection]) -> Table:
    columns = ("passages", "triples", "with readers")
    table = listing("collection", *columns, numbers=columns)
    for collection in held:
        numbers = (collection.passages, collection.triples, collection.restricted)
        table.add_row(collection.name, *(f"{number:,}" for number in numbers))
    return table
