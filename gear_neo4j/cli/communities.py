"""``gear communities``: communities of densely linked entities, with reports by a language model."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.text import Text
from rich.tree import Tree

from gear_neo4j.cli.options import CHAT, CONNECTION, opened, with_options, with_settings
from gear_neo4j.cli.output import emit, json_option, require_writable
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.progress import stages, waiting
from gear_neo4j.cli.scope import with_scope, within_scope
from gear_neo4j.cli.screen import Screen, errors
from gear_neo4j.communities.build import MOST, SMALLEST, BuildReport
from gear_neo4j.communities.hierarchy import Community, Hierarchy
from gear_neo4j.communities.reports import ReportProgress, forecast
from gear_neo4j.errors import PartialResult
from gear_neo4j.explain.communities import Member, names_of, page
from gear_neo4j.models.openai import open_chat
from gear_neo4j.scope import Scope
from gear_neo4j.settings import Settings
from gear_neo4j.text.files import write_file
from gear_neo4j.text.wording import by_collection, pluralize

SHOWN = 10
BUILD = (
    click.option("--collection", help="Only this collection's communities; default: each collection, one by one."),
    click.option(
        "--size",
        type=click.IntRange(min=SMALLEST),
        help=f"Maximum size of a community; default: {MOST}, or for an update that of the last build.",
    ),
    click.option("--report", is_flag=True, help="Generate missing reports with a language model."),
    click.option(
        "--max-tokens", type=click.IntRange(min=1), help="With --report: token budget; no report is started beyond it."
    ),
    click.option("--dry-run", is_flag=True, help="Report the communities that would be found, without writing."),
    json_option,
)


BUILD_HELP = """Detect the communities of each collection from scratch; the result is deterministic.

\b
gear communities build                 no language model needed
gear communities build --report        also generate reports, smallest communities first
"""
UPDATE_HELP = "Update the communities after changes to the graph; unchanged ones keep their reports."


@click.group()
def communities() -> None:
    """Communities of densely linked entities, for graphrag-local and graphrag-global."""


def _build(
    *,
    afresh: bool,
    collection: str | None,
    size: int | None,
    report: bool,
    max_tokens: int | None,
    dry_run: bool,
    json_file: Path | None,
    settings: Settings,
) -> None:
    if max_tokens and not report:
        raise click.UsageError("--max-tokens is the budget of --report: add --report")
    if report and dry_run:
        raise click.UsageError("--report writes reports: leave out --report or --dry-run")
    # Fail before anything is built if no model is set.
    chat = open_chat(settings, cache=settings.chat_cache) if report else None
    reported = None
    with opened(settings, chat=chat) as gear:
        with waiting("detecting communities"):
            built = gear.communities.build(collection=collection, size=size, afresh=afresh, dry_run=dry_run)
        report_json: dict[str, Any] = {"communities": asdict(built)}
        parts = _build_lines(built)
        if report:
            with _progress_shown() as on_progress:
                reported = gear.communities.report(
                    collection=collection, max_tokens=max_tokens, on_progress=on_progress
                )
            report_json["reports"] = asdict(reported)
            parts.append(_report_line(reported))
        elif not dry_run:
            hierarchy = gear.communities.read()
            due = forecast(hierarchy.of(collection) if collection else hierarchy)
            reports, tokens = pluralize(due.calls, "report"), pluralize(due.tokens, "token")
            parts.append(f"--report would generate {reports} for about {tokens}")
    if not emit(json_file, report_json):
        say("; ".join(parts))
    if reported and (reported.failed or reported.stopped):
        raise PartialResult(f"{pluralize(reported.total - reported.done, 'report')} missing: run the command again")


def _build_lines(built: BuildReport) -> list[str]:
    lines = [f"{pluralize(sum(built.levels), 'community')} of {pluralize(built.nodes, 'entity')}"]
    if len(built.collections) > 1:
        lines.append(by_collection(built.collections))
    lines.append(f"by level {', '.join(f'{count:,}' for count in built.levels)}" if built.levels else "none")
    return [*lines, f"{built.new:,} new, {built.gone:,} gone"]


def _build_command(*, afresh: bool) -> Callable[..., None]:
    return with_options(BUILD)(with_settings(CHAT, CONNECTION)(partial(_build, afresh=afresh)))


communities.command("build", help=BUILD_HELP)(_build_command(afresh=True))
communities.command("update", help=UPDATE_HELP)(_build_command(afresh=False))


@communities.command()
@click.option("--html", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write a zoomable HTML page.")
@with_scope
@json_option
@with_settings(CONNECTION)
def show(file: Path | None, scope: Scope, json_file: Path | None, settings: Settings) -> None:
    """Show the largest communities of each collection, with their reports or best connected members.

    With --as, leave out communities whose reports use hidden passages.
    """
    require_writable(file)
    with opened(settings) as opened_gear:
        gear = within_scope(opened_gear, scope)
        hierarchy = gear.communities.read()
        names = names_of(gear.graph, hierarchy) if hierarchy.communities else {}
        if file is not None:
            write_file(file, page(hierarchy, names, database=gear.graph.name))
    rows = [
        asdict(community) | {"names": [member.name for member in names.get(id, ())]}
        for id, community in hierarchy.communities.items()
    ]
    if emit(json_file, {"stale": hierarchy.stale, "communities": rows}):
        return
    _print(hierarchy, names)
    if file is not None:
        say(f"{file}: open it in a browser")


def _report_line(report: ReportProgress) -> str:
    about = "about " if report.usage.estimated else ""
    failed = f", {report.failed:,} failed" if report.failed else ""
    stopped = ", stopped at the token budget" if report.stopped else ""
    tokens = pluralize(report.usage.tokens, "token")
    return f"{report.done:,} of {report.total:,} reports, {about}{tokens}{failed}{stopped}"


def _print(hierarchy: Hierarchy, names: dict[str, tuple[Member, ...]]) -> None:
    if not hierarchy.communities:
        say("no communities: run 'gear communities build'")
        return
    tree = Tree(_title(hierarchy))
    parts = hierarchy.by_collection()
    for collection, part in parts.items():
        name = collection or "over all collections"
        _add(tree.add(Text(f"{name}: {_title(part)}")) if len(parts) > 1 else tree, part, names)
    Screen().print(tree)
    if hierarchy.stale:
        errors.print("the graph has changed since: run 'gear communities update'", style="yellow")


def _title(hierarchy: Hierarchy) -> str:
    return f"{pluralize(len(hierarchy.communities), 'community')}, {len(hierarchy.roots):,} at the top"


def _add(tree: Tree, hierarchy: Hierarchy, names: dict[str, tuple[Member, ...]]) -> None:
    for root in hierarchy.roots[:SHOWN]:
        branch = tree.add(_line(root, names))
        for part in hierarchy.parts(root.id)[:3]:
            branch.add(_line(part, names))
    if len(hierarchy.roots) > SHOWN:
        tree.add(Text(f"and {len(hierarchy.roots) - SHOWN:,} more: --html FILE shows all", style="dim"))


def _line(community: Community, names: dict[str, tuple[Member, ...]]) -> Text:
    members = ", ".join(f"{member.name}{_labels(member)}" for member in names.get(community.id, ())[:4])
    title = ((community.report.title, "bold"), ": ") if community.report else ()
    return Text.assemble(f"{community.size:,}  ", *title, members)


def _labels(member: Member) -> str:
    labels = [label for label in member.labels if label != "Entity"]
    return f" ({', '.join(labels)})" if labels else ""


@contextmanager
def _progress_shown() -> Iterator[Callable[[ReportProgress], None]]:
    with stages() as show:

        def report_on(reported: ReportProgress) -> None:
            done, tokens = reported.done + reported.failed, pluralize(reported.usage.tokens, "token")
            show("reports", done, reported.total, f"{done:,} of {reported.total:,}, {tokens}")

        yield report_on
