"""``gear import``, ``gear adopt`` and ``gear release``: graphs from other tools."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import click
from rich.table import Table

from gear_neo4j.adoption.admin_csv import Dialect
from gear_neo4j.adoption.fact_properties import notes
from gear_neo4j.adoption.overlay import AdoptionReport
from gear_neo4j.adoption.profile import Profile
from gear_neo4j.adoption.profile_file import built_in, dump, load
from gear_neo4j.adoption.release import ReleaseReport
from gear_neo4j.adoption.survey import Survey
from gear_neo4j.cli.confirm import YES, can_ask, confirm
from gear_neo4j.cli.options import CONNECTION, EMBEDDING, given_connection, opened, with_settings
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import say, say_toml
from gear_neo4j.cli.progress import waiting
from gear_neo4j.cli.reporting import progress_shown, report_problem
from gear_neo4j.cli.screen import errors
from gear_neo4j.domain import VectorSource
from gear_neo4j.errors import PartialResult, SettingsError
from gear_neo4j.gear import Gear
from gear_neo4j.settings import Settings
from gear_neo4j.text.files import refuse_missing
from gear_neo4j.text.printable import single_line
from gear_neo4j.text.wording import pluralize

SHOWN_PROPERTIES = 6
# Measured on a small machine with embeddings of 384 dimensions, indexes included.
BYTES_A_NODE = 8_000
EMBEDDED_A_SECOND = 150


@click.command("import")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--delimiter", default=",", show_default=True, help="Field separator; TAB for a tab.")
@click.option("--array-delimiter", default=";", show_default=True, help="Separator of list items and labels.")
@click.option("--abandon", is_flag=True, help="Delete what an unfinished import has written, without FILES.")
@YES
@json_option
@with_settings(CONNECTION)
def import_command(
    files: tuple[Path, ...],
    delimiter: str,
    array_delimiter: str,
    abandon: bool,
    yes: bool,
    json_file: Path | None,
    settings: Settings,
) -> None:
    """Import nodes and relationships from neo4j-admin CSV files into the running database.

    FILES have typed headers (:ID, :LABEL, :START_ID, :END_ID, :TYPE, name:int, tags:string[] ...). Invalid rows
    are reported and skipped; the exit code is then 4. After an interruption, run the same command again to resume;
    --abandon gives the import up.

    \b
    gear import nodes.csv relationships.csv
    gear import --abandon
    """
    if abandon == bool(files):
        raise click.UsageError("give FILES to import, or --abandon alone")
    if abandon:
        _abandon(yes=yes, json_file=json_file, settings=settings)
        return
    dialect = Dialect(_character("--delimiter", delimiter), _character("--array-delimiter", array_delimiter))
    # Fail before a server is started: a path may be mistyped.
    refuse_missing(files)
    with opened(settings, create=True) as gear, progress_shown() as on_progress:
        report = gear.overlay.import_csv(files, dialect=dialect, on_problem=report_problem, on_progress=on_progress)
        database = gear.graph.name
    if not emit(json_file, asdict(report)):
        read = f"{pluralize(report.nodes, 'node')} and {pluralize(report.relationships, 'relationship')}"
        say(f"{read} imported into {database}")
    if report.problems:
        raise PartialResult(f"{pluralize(report.problems, 'row')} could not be used, see above; the rest was imported")


def _abandon(*, yes: bool, json_file: Path | None, settings: Settings) -> None:
    with opened(settings) as gear:
        if not yes and can_ask():
            count = gear.overlay.abandon_import(dry_run=True)
            confirm(f"{pluralize(count, 'node')} of an unfinished import into {gear.graph.name}")
        deleted = gear.overlay.abandon_import()
    if not emit(json_file, {"nodes": deleted}):
        say(f"{pluralize(deleted, 'node')} of an unfinished import deleted")


@click.command()
@click.option("--profile", metavar="NAME|FILE", help="The profile: the name of a built-in one, or a TOML file.")
@click.option(
    "--vectors",
    type=click.Choice(get_args(VectorSource)),
    help="encoded: embed the text of each triple; composed: embed each name once, and add up a triple's vector from "
    "its parts, in half the time. Default: that of the existing layer; encoded for a new one.",
)
@click.option(
    "--extract",
    type=click.Choice(("auto", "none")),
    help="auto (the default): if the graph has only passages, extract triples by rules, without a model; none: do not.",
)
@click.option("--collection", help="The collection of passages and triples.  [default: that of the profile]")
@click.option(
    "--readers",
    multiple=True,
    metavar="PRINCIPAL",
    help="User or group allowed to read the nodes without readers of their own; repeatable.  "
    "[default: those of the profile, or everybody]",
)
@click.option("--update", is_flag=True, help="Update the layer after changes to the graph, by the stored profile.")
@click.option("--dry-run", is_flag=True, help="Report what would be written, without writing.")
@json_option
@with_settings(CONNECTION, EMBEDDING)
def adopt(
    profile: str | None,
    vectors: VectorSource | None,
    extract: str | None,
    collection: str | None,
    readers: tuple[str, ...],
    update: bool,
    dry_run: bool,
    json_file: Path | None,
    settings: Settings,
) -> None:
    """Add a layer of triples to an existing graph, so that it can be searched; gear release removes the layer.

    Without a profile, inspect the graph and propose one. The built-in profiles are neo4j-graphrag, llm-graph-builder,
    langchain, langchain-vector, llama-index and graphiti.

    \b
    gear adopt > profile.toml            inspect the graph and propose a profile
    gear adopt --profile profile.toml    adopt the graph; rerun to resume
    gear adopt --update                  after the graph has changed
    """
    chosen = _profile(profile, update=update)
    if chosen is None and not update:
        if vectors or extract or collection or readers or dry_run:
            options = "--vectors, --extract, --collection, --readers and --dry-run"
            raise click.UsageError(f"{options} need --profile or --update")
        with opened(settings) as gear:
            _propose(gear, json_file)
        return
    with opened(settings) as gear, progress_shown() as on_progress:
        report = gear.overlay.adopt(
            chosen,
            vectors=vectors,
            extract=extract != "none",
            collection=collection,
            readers=readers or None,
            dry_run=dry_run,
            on_progress=on_progress,
        )
        dimension = gear.embedder.dimension
    _report(report, json_file, dry_run=dry_run, dimension=dimension)


def _report(report: AdoptionReport, json_file: Path | None, *, dry_run: bool, dimension: int) -> None:
    """Print what was written, or, for a dry run, what would be written and its cost."""
    if report.left_out:
        types = ", ".join(f"{kind} ({count:,})" for kind, count in sorted(report.left_out.items()))
        errors.print_line(f"not adopted, as the profile does not list these types: {types}")
    fields = asdict(report)
    if dry_run:
        pieces = report.passages_written + report.triples_written
        fields["seconds"] = round(pieces / EMBEDDED_A_SECOND)
        fields["bytes"] = round(pieces * BYTES_A_NODE * dimension / 384)
    if not emit(json_file, fields):
        say(_summary(fields, dry_run=dry_run))


@click.command()
@click.option("--dry-run", is_flag=True, help="Report what would be removed, without removing it.")
@YES
@json_option
@with_settings(CONNECTION)
def release(dry_run: bool, yes: bool, json_file: Path | None, settings: Settings) -> None:
    """Remove everything that gear adopt wrote to the graph.

    The graph's own nodes and relationships stay as they are. On a terminal, the command first says how much it will
    remove, and asks.
    """
    with opened(settings) as gear:
        if not (dry_run or yes) and can_ask():
            confirm(f"{_size(gear.overlay.release(dry_run=True))} in {gear.graph.name}")
        with progress_shown("removed") as on_progress:
            report = gear.overlay.release(dry_run=dry_run, on_progress=on_progress)
    if not emit(json_file, asdict(report)):
        say(f"{_size(report)} {'would be removed' if dry_run else 'removed'}")


def _size(report: ReleaseReport) -> str:
    schema = ", with the indexes and the schema of gear-neo4j," if report.schema else ""
    return f"{pluralize(report.passages, 'passage')} and {pluralize(report.triples, 'triple')}{schema}"


def _character(option: str, value: str) -> str:
    text = "\t" if value.upper() == "TAB" else value
    if len(text) != 1 or text in '\r\n"':
        raise SettingsError(f"{option} is {value!r}: it must be one character, or TAB")
    return text


def _profile(chosen: str | None, *, update: bool) -> Profile | None:
    """A built-in profile by its name, or the profile in a file."""
    if chosen is None:
        return None
    if update:
        raise click.UsageError("--update takes the stored profile: give only one of --profile and --update")
    file = built_in().get(chosen) or Path(chosen)
    # A word without folder and suffix is more likely a mistyped name than a missing file.
    if not file.suffix and file == Path(file.name) and not file.exists():
        choices = ", ".join(built_in())
        raise click.UsageError(f"there is no built-in profile {chosen!r}: choose one of {choices}, or name a TOML file")
    return load(file)


def _propose(gear: Gear, json_file: Path | None) -> None:
    with waiting("inspecting the graph"):
        survey = gear.overlay.survey()
        profile = gear.overlay.propose(survey)
    if emit(json_file, asdict(profile)):
        return
    _print_survey(survey)
    say_toml(dump(profile, notes=notes(survey, profile)))
    place = given_connection()
    errors.print()
    errors.print_line(
        f"This is a proposal. Save it with gear adopt{place} > profile.toml, edit it, then run "
        f"gear adopt{place} --profile profile.toml"
    )


def _print_survey(survey: Survey) -> None:
    errors.print(f"{pluralize(survey.nodes, 'node')}; properties, from a sample:")
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("label")
    table.add_column("nodes", justify="right")
    table.add_column("properties")
    for label in sorted(survey.labels.values(), key=lambda label: -label.nodes):
        properties = sorted(label.properties.values(), key=lambda prop: -prop.nodes)
        sampled = max(label.sampled, 1)
        shares = [f"{prop.name} {100 * prop.nodes // sampled} %" for prop in properties[:SHOWN_PROPERTIES]]
        table.add_row(single_line(label.name), f"{label.nodes:,}", ", ".join(shares))
    errors.print(table)
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("type")
    table.add_column("relationships", justify="right")
    table.add_column("between")
    for kind in sorted(survey.types.values(), key=lambda kind: -kind.relationships):
        ends = f"{', '.join(sorted(kind.starts))} → {', '.join(sorted(kind.ends))}"
        table.add_row(single_line(kind.name), f"{kind.relationships:,}", ends)
    errors.print(table)
    for name, index, labels, indexed in survey.indexes:
        errors.print_line(f"{index.lower()} index {name} on {labels} ({indexed})")


def _summary(report: dict[str, Any], *, dry_run: bool) -> str:
    written = f"{pluralize(report['passages_written'], 'passage')} and {pluralize(report['triples_written'], 'triple')}"
    read = f"{pluralize(report['nodes_read'], 'node')} and {pluralize(report['relationships_read'], 'relationship')}"
    if report["properties_read"]:
        read += f", with {pluralize(report['properties_read'], 'property value')}"
    if dry_run:
        return (
            f"{written} would be written over {read}: about "
            f"{max(1, report['seconds'] // 60):,} min and {max(1, report['bytes'] // 1_000_000):,} MB"
        )
    gone = (
        f", {report['passages_removed']:,} and {report['triples_removed']:,} removed"
        if report["triples_removed"]
        else ""
    )
    extracted = f"; {pluralize(report['triples_extracted'], 'triple')} by rules" if report["triples_extracted"] else ""
    nameless = f" ({report['nameless']:,} skipped: an end has no name)" if report["nameless"] else ""
    ended = f" ({report['ended']:,} skipped: expired)" if report["ended"] else ""
    return f"{written} written{gone}{extracted}; {read} read{nameless}{ended}"
