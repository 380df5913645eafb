"""The options of a scope: which passages a command may see."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gear_neo4j.cli.options import Decorator, with_options
from gear_neo4j.errors import ScopeRefusal
from gear_neo4j.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from gear_neo4j.gear import Gear

SCOPE: Sequence[Decorator] = (
    click.option("--collection", "collections", multiple=True, help="Only passages of this collection; repeatable."),
    click.option(
        "--as",
        "principals",
        multiple=True,
        metavar="PRINCIPAL",
        help="See what this user or group may read, such as group:legal; can be repeated.",
    ),
    click.option("--where", metavar="FILTER", help='Only passages with such metadata: year >= 2020 and team in ["a"].'),
    click.option("--strict", is_flag=True, help="Leave out the full-text index, whose scores depend on all passages."),
)


def with_scope(command: Callable[..., None]) -> Callable[..., None]:
    """Add the scope options to a command; it receives them as ``scope``."""

    @wraps(command)
    def run(
        *args: Any,
        collections: tuple[str, ...],
        principals: tuple[str, ...],
        where: str | None,
        strict: bool,
        **values: Any,
    ) -> None:
        scope = EVERYTHING.narrowed(
            collections=collections or None, principals=principals or None, where=where, strict=strict
        )
        command(*args, scope=scope, **values)

    return with_options(SCOPE)(run)


def within_scope(gear: "Gear", scope: Scope) -> "Gear":
    """The view of a scope whose collections exist, because their names may be mistyped.

    Raises:
        NothingFound: names a similar collection, and some others.
    """
    if scope.collections and gear.graph.record():
        for collection in sorted(scope.collections):
            gear.graph.collections.require(collection)
    return gear.scoped(scope)


def require_admitted(scope: Scope, saved: Mapping[str, Any], *, file: Path) -> None:
    """Refuse a saved run that may hold what a scope does not admit.

    Raises:
        ScopeRefusal: the run had another scope, or none.
    """
    if not scope.admits(EVERYTHING.narrowed(**saved)):
        raise ScopeRefusal(f"{file} was saved under another scope, and may hold what this one hides: use its own")
