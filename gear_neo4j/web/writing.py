"""Who may write where: every route that writes checks its caller here, before it reaches a writable Gear.

The view of a caller is read-only. Jobs are done by the service's own ``Gear``, which sees everything, so the collection
of a job comes from its :class:`Grant` only, never from its files. Rights may end while a job waits: :func:`renewed`
returns what is left of a grant, and the worker repeats the checks of the request.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starlette.exceptions import HTTPException

from gear_neo4j.errors import NothingFound
from gear_neo4j.gear import Gear
from gear_neo4j.scope import EVERYTHING, LONGEST_NAME, Scope, checked_name
from gear_neo4j.text.printable import is_storable, single_line
from gear_neo4j.web.callers import Caller
from gear_neo4j.web.credentials import Credential
from gear_neo4j.web.identity.rights import Person
from gear_neo4j.web.ring import Ring

_NO_KEY = ""
REVOKED = "its key was revoked before this was done: send it again with another key"
KEYLESS = "the service now requires a key, and this was sent without one: send it again with a key"
ELSEWHERE = "this key may not write to that collection"


@dataclass(frozen=True, slots=True)
class Grant:
    """The right to write to one collection, with its owner and what the owner may see.

    :func:`grant` makes it for a request, the queue stores it with a job, and the worker uses it as :func:`renewed`.
    """

    owner: str
    collection: str
    scope: Scope = EVERYTHING


class RightsEnded(Exception):
    """A grant is no longer valid; the message is the reason, on one line."""


def refusal_of(caller: Caller) -> str:
    """The reason why a caller may not write; empty if it may."""
    return _refusal(caller.credential)


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
        SettingsError: the name is not valid.
    """
    require_writer(caller)
    name = checked_name(collection, kind="collection")
    held = Grant(owner_of(caller), name, caller.gear.scope)
    if not is_storable(name) or not _is_within(held):
        raise HTTPException(403, ELSEWHERE)
    return held


def renewed(held: Grant, ring: Ring) -> Grant:
    """What is left of a grant under the current keys: it may be narrower, but never wider.

    Raises:
        RightsEnded: its key was revoked, or may no longer write to the collection.
        RightsUnknown: unknown at present; the grant may be valid again later.
    """
    key = require_owner(held.owner, ring)
    left = replace(held, scope=held.scope & (key.scope if key else EVERYTHING))
    if reason := _refusal(key) or ("" if _is_within(left) else ELSEWHERE):
        raise RightsEnded(reason)
    return left


def require_owner(owner: str, ring: Ring) -> Credential | None:
    """The current key of an owner; None for an owner who needed no key, and still needs none.

    Raises:
        RightsEnded, RightsUnknown: see :func:`renewed`.
    """
    if owner == _NO_KEY:
        if not ring.admits(None):
            raise RightsEnded(KEYLESS)
        return None
    if (key := ring.current(owner)) is None:
        raise RightsEnded(REVOKED)
    return key


def require_whole(gear: Gear, view: Gear, held: Grant, sources: Iterable[str]) -> None:
    """Refuse to replace or remove a source if a view hides any of its passages; new sources pass.

    Raises:
        HTTPException: 409; somebody else's document has that name.
    """
    if gear.graph.record() is None:
        return
    for source in sources:
        if _passages(gear, held, source) != _passages(view, held, source):
            raise taken(source)


def taken(source: str) -> HTTPException:
    """The refusal of a name; callers cannot tell whether a stored or a waiting document has it."""
    name = single_line(source)[:LONGEST_NAME]
    detail = f"somebody else's document has the name {name!r}, or waits to be ingested under it: choose another name"
    return HTTPException(409, detail)


def require_source(gear: Gear, view: Gear, held: Grant, source: str) -> None:
    """Refuse to remove a source that does not exist, or of which a view hides any passage.

    Raises:
        NothingFound: in both cases; callers cannot tell which.
    """
    is_there = is_storable(source) and gear.graph.record() is not None
    visible = _passages(view, held, source) if is_there else 0
    if not visible or visible != _passages(gear, held, source):
        raise NothingFound("there is no such source in that collection: GET /api/documents lists them")


def owner_of(caller: Caller) -> str:
    """The owner of a job: the id of the key or of the person, because names may be given to others later."""
    return caller.id


def may_see(caller: Caller, owner: str) -> bool:
    """Whether a caller may see a job: it is the caller's, or the caller sees everything."""
    return caller.gear.scope.is_everything or owner == owner_of(caller)


def _refusal(key: Credential | None) -> str:
    if key is None:
        return ""
    if not key.writes and isinstance(key, Person):
        return "this account only reads: ask the operator for the right to write"
    if not key.writes:
        return "this key only reads: the operator makes one that writes with 'gear keys add --write'"
    if key.where is not None:
        return "this key has a filter, so it may not write: a filter does not apply to new documents"
    return ""


def _is_within(held: Grant) -> bool:
    return held.scope.collections is None or held.collection in held.scope.collections


def _passages(gear: Gear, held: Grant, source: str) -> int:
    return gear.graph.sources.passages(source).get(held.collection, 0)
