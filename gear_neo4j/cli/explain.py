"""``gear explain``: a saved answer or search as an HTML page with its paths, and as Cypher for Neo4j Browser."""

from pathlib import Path

import click

from gear_neo4j.cli.output import require_folder
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.scope import require_admitted, with_scope
from gear_neo4j.errors import InputError
from gear_neo4j.explain import SavedRun, page, read_saved, script
from gear_neo4j.scope import Scope
from gear_neo4j.text.files import write_file
from gear_neo4j.text.printable import single_line
from gear_neo4j.text.wording import pluralize


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Output folder; default: that of RUN.")
@with_scope
def explain(run: Path, out: Path | None, scope: Scope) -> None:
    """Write RUN.html, a page with the paths of a saved run, and RUN.cypher, which shows them in Neo4j.

    RUN is the output of gear search --json, gear ask --json or gear ask --trace. The command needs no database and no
    model. With scope options, it refuses a run that was saved under a wider scope.

    \b
    gear ask "Who supervised Hinton?" --json > run.json
    gear explain run.json
    """
    require_folder(out)
    saved = read_saved(run)
    require_admitted(scope, saved.scope, file=run)
    folder = out or run.parent
    for suffix, text in ((".html", page(saved)), (".cypher", script(saved))):
        _write(folder / f"{run.stem}{suffix}", text, run=run)
    _print_summary(saved)
    say(f"\n{folder / run.stem}.html    open it in a browser")
    say(f"{folder / run.stem}.cypher  for Neo4j Browser, or: cypher-shell -f FILE")


def _write(file: Path, text: str, *, run: Path) -> None:
    if file.resolve() == run.resolve():
        raise InputError(f"{file} would overwrite the run itself: choose a folder with --out")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}") from error
    write_file(file, text)


def _print_summary(saved: SavedRun) -> None:
    say(single_line(saved.question))
    if saved.answer:
        say(saved.answer)
    for citation in saved.citations:
        say(single_line(f"  {citation}"))
    say(f"{pluralize(len(saved.paths), 'path')}, {pluralize(len(saved.turns), 'step')}")
