"""``gear communities``: groups of entities that triples tie together, with a model's reports of them."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.tree import Tree

from gear_neo4j.cli.options import CHAT, CONNECTION, errors, opened, settings_from, with_options
from gear_neo4j.communities.build import MOST, SMALLEST
from gear_neo4j.communities.reports import Reported, forecast
from gear_neo4j.communities.store import Community, Hierarchy
from gear_neo4j.errors import InputError
from gear_neo4j.explain.communities import Named, names_of, page
from gear_neo4j.models.openai import open_chat
from gear_neo4j.wording import counted

SHOWN = 10
BUILD = (
    click.option(
        "--size",
        type=click.IntRange(min=SMALLEST),
        help=f"Entities at most; by default {MOST}, and for an update what the last build had.",
    ),
    click.option("--report", is_flag=True, help="Let a language model report on those that have no report."),
    click.option("--max-tokens", type=click.IntRange(min=1), help="Report: begin none once these are spent."),
    click.option("--dry-run", is_flag=True, help="Say what would be found and asked, and write nothing."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    *CHAT,
    *CONNECTION,
)


@click.group()
def communities() -> None:
    """Groups of entities that triples tie together, for graphrag-local and graphrag-global."""


@communities.command()
@with_options(BUILD)
def build(**given: Any) -> None:
    """Find the communities of the whole graph from nothing; the same graph gives the same ones each time.

    \b
    gear communities build                 without any model
    gear communities build --report        and let a model write reports, the smallest first
    """
    _build(afresh=True, **given)


@communities.command()
@with_options(BUILD)
def update(**given: Any) -> None:
    """Follow what changed in the graph since, near to the communities that are there; their reports stay."""
    _build(afresh=False, **given)


@communities.command()
@click.option(
    "--html", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write them as a page to zoom in."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@with_options(CONNECTION)
def show(file: Path | None, as_json: bool, **given: Any) -> None:
    """Show the largest communities, with their reports or their best tied members."""
    with opened(settings_from(given)) as gear:
        found = gear.communities()
        named = names_of(gear.graph, found) if found.communities else {}
        if file is not None:
            _write(file, page(found, named, database=gear.database.name))
    if as_json:
        rows = [
            asdict(one) | {"names": [one.name for one in named.get(id, ())]} for id, one in found.communities.items()
        ]
        click.echo(json.dumps({"stale": found.stale, "communities": rows}, ensure_ascii=False))
        return
    _print(found, named)
    if file is not None:
        click.echo(f"{file}: open it in a browser")


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}") from error


def _build(
    *, afresh: bool, size: int | None, report: bool, max_tokens: int | None, dry_run: bool, as_json: bool, **given: Any
) -> None:
    settings = settings_from(given)
    # Without a model nothing is to be built.
    chat = open_chat(settings, cache=settings.chat_cache) if report and not dry_run else None
    with opened(settings, chat=chat) as gear:
        with errors.status("finding communities"):
            built = gear.build_communities(size=size, afresh=afresh, dry_run=dry_run)
        told: dict[str, Any] = {"communities": asdict(built)}
        said = [f"{counted(sum(built.levels), 'community')} of {counted(built.nodes, 'entity')}"]
        said.append(f"by level {', '.join(f'{one:,}' for one in built.levels)}" if built.levels else "none")
        said.append(f"{built.new:,} new, {built.gone:,} gone")
        if report and not dry_run:
            with _progress_shown() as on_progress:
                reported = gear.report_communities(max_tokens=max_tokens, on_progress=on_progress)
            told["reports"] = asdict(reported)
            said.append(_reported(reported))
        elif not dry_run:
            due = forecast(gear.communities())
            said.append(f"reports of {due.calls:,} would take about {counted(due.tokens, 'token')} (--report)")
    click.echo(json.dumps(told) if as_json else "; ".join(said))


def _reported(found: Reported) -> str:
    about = "about " if found.usage.estimated else ""
    failed = f", {found.failed:,} failed (the same command asks again)" if found.failed else ""
    stopped = ", stopped at the budget of tokens: the same command goes on" if found.stopped else ""
    return f"{found.done:,} of {found.total:,} reports, {about}{counted(found.usage.tokens, 'token')}{failed}{stopped}"


def _print(found: Hierarchy, named: dict[str, tuple[Named, ...]]) -> None:
    if not found.communities:
        click.echo("no communities: 'gear communities build' finds them")
        return
    tree = Tree(f"{counted(len(found.communities), 'community')}, {len(found.roots):,} at the top")
    for root in found.roots[:SHOWN]:
        branch = tree.add(_line(root, named))
        for part in found.parts(root.id)[:3]:
            branch.add(_line(part, named))
    if len(found.roots) > SHOWN:
        tree.add(f"[dim]and {len(found.roots) - SHOWN:,} more: --html FILE shows all[/dim]")
    Console().print(tree)
    if found.stale:
        errors.print("the graph has changed since: 'gear communities update' follows", style="yellow")


def _line(one: Community, named: dict[str, tuple[Named, ...]]) -> str:
    members = ", ".join(f"{member.name}{_labels(member)}" for member in named.get(one.id, ())[:4])
    title = f"[bold]{escape(one.report.title)}[/bold]: " if one.report else ""
    return f"{one.size:,}  {title}{escape(members)}"


def _labels(member: Named) -> str:
    labels = [label for label in member.labels if label != "Entity"]
    return f" ({', '.join(labels)})" if labels else ""


@contextmanager
def _progress_shown() -> Iterator[Callable[[Reported], None]]:
    columns = (
        TextColumn("reports"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=errors) as bars:
        task = bars.add_task("reports", total=None, told="")

        def show(found: Reported) -> None:
            told = counted(found.usage.tokens, "token")
            bars.update(task, completed=found.done + found.failed, total=found.total, told=told)

        yield show
