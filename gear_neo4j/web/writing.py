"""Who may write where: every route that writes passes here, and only what comes out of here reaches a writable Gear.

A view of a caller is read-only. A job is done by the service's own ``Gear``, which sees everything, so it gets its
collection from a :class:`Grant` and from nothing in its files.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from starlette.exceptions import HTTPException

from gear_neo4j.errors import NothingFound
from gear_neo4j.gear import Gear
from gear_neo4j.scope import checked_name
from gear_neo4j.text.printable import is_storable
from gear_neo4j.web.callers import Caller

_NO_KEY = ""


@dataclass(frozen=True, slots=True)
class Grant:
    """The right to write to one collection, and whose it is; only :func:`grant` makes it."""

    owner: str
    collection: str


def refusal_of(caller: Caller) -> str:
    """The reason why a caller may not write; empty if it may."""
    if caller.key is None:
        return ""
    if not caller.key.writes:
        return "this key only reads: the operator makes one that writes with 'gear keys add --write'"
    if caller.key.where is not None:
        return "this key is limited by a filter, which cannot be applied to what is written"
    return ""


def require_writer(caller: Caller) -> None:
    """Refuse a caller who may write nowhere.

    Raises:
        HTTPException: 403.
    """
    if reason := refusal_of(caller):
        raise HTTPException(403, reason)


def grant(caller: Caller, collection: str) -> Grant:
    """The right of a caller to write to a collection; names are compared letter by letter.

    Raises:
        HTTPException: 403, the caller may not write, or not there.
        SettingsError: the name is none.
    """
    require_writer(caller)
    name = checked_name(collection, kind="collection")
    allowed = caller.gear.scope.collections
    if not is_storable(name) or (allowed is not None and name not in allowed):
        raise HTTPException(403, "this key may not write to that collection")
    return Grant(owner_of(caller), name)


def require_whole(gear: Gear, caller: Caller, held: Grant, sources: Iterable[str]) -> None:
    """Refuse to replace or remove a source of which the caller does not see every passage; unknown ones pass.

    Raises:
        HTTPException: 409; somebody else's document has that name.
    """
    if gear.graph.record() is None:
        return
    for source in sources:
        every, visible = _passages(gear, held, source), _passages(caller.gear, held, source)
        if every != visible:
            detail = "a document of that name is there already, which this key may not see: choose another name"
            raise HTTPException(409, detail)


def require_source(gear: Gear, caller: Caller, held: Grant, source: str) -> None:
    """Refuse to remove a source that is not there, or of which the caller does not see every passage.

    Raises:
        NothingFound: in both cases; callers cannot tell which.
    """
    is_there = is_storable(source) and gear.graph.record() is not None
    visible = _passages(caller.gear, held, source) if is_there else 0
    if not visible or visible != _passages(gear, held, source):
        raise NothingFound("there is no such source in that collection: GET /api/documents lists them")


def owner_of(caller: Caller) -> str:
    """Whose a job is: the digest of the key, because a later key may have the name of a revoked one."""
    return caller.key.sha256 if caller.key else _NO_KEY


def may_see(caller: Caller, owner: str) -> bool:
    """Whether a caller may see a job: it is the caller's, or the caller sees everything."""
    return caller.gear.scope.is_everything or owner == owner_of(caller)


def _passages(gear: Gear, held: Grant, source: str) -> int:
    return gear.graph.sources.passages(source).get(held.collection, 0)
