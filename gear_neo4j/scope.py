"""Scopes: which passages of a database a caller may see, by collection, by reader and by metadata."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar
from urllib.parse import quote

from gear_neo4j.errors import SettingsError
from gear_neo4j.filters import Condition, Filter, both, conjunction_of, filter_json, parse_filter

Name = TypeVar("Name")
DEFAULT_COLLECTION = "default"
LONGEST_NAME = 200
# Separates the name of a collection from an id within it, as in ``legal/p1``.
SEPARATOR = "/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a caller may see: the passages of these collections that they may read and that a filter matches.

    None means no condition. ``principals`` are the identities of the caller: passages that name one of them as a reader
    are visible, and so are passages without readers. ``strict`` excludes the full-text index, whose scores depend on
    the word counts of the whole database.

    Example:
        >>> Scope().narrowed(collections=["hr", "legal"]).narrowed(collections=["legal"], where="year >= 2020").json
        {'collections': ['legal'], 'where': {'year': {'gte': 2020}}}
    """

    collections: frozenset[str] | None = None
    principals: frozenset[str] | None = None
    where: Filter | None = None
    strict: bool = False

    def narrowed(
        self,
        *,
        collections: Iterable[str] | str | None = None,
        principals: Iterable[str] | str | None = None,
        where: object = None,
        strict: bool = False,
    ) -> Self:
        """The scope with further conditions: a scope can be narrowed, never widened.

        Args:
            collections: their names.
            principals: the identities of the caller; if the scope has some already, only common ones remain.
            where: a filter as text, as JSON or as a value, as :meth:`gear_neo4j.Gear.scoped` takes it.

        Raises:
            SettingsError: a name is blank or too long, or the filter is wrong.
        """
        return type(self)(
            collections=_common(self.collections, collections, kind="collection"),
            principals=_common(self.principals, principals, kind="principal"),
            where=both(self.where, None if where is None else parse_filter(where)),
            strict=self.strict or strict,
        )

    def __and__(self, other: "Scope") -> Self:
        """What both scopes admit."""
        return self.narrowed(
            collections=other.collections, principals=other.principals, where=other.where, strict=other.strict
        )

    @property
    def is_everything(self) -> bool:
        """Whether it has no condition."""
        return self == EVERYTHING

    @property
    def json(self) -> dict[str, Any]:
        """The scope's conditions as JSON; ``Scope().narrowed(**json)`` restores it."""
        given = {
            "collections": None if self.collections is None else sorted(self.collections),
            "principals": None if self.principals is None else sorted(self.principals),
            "where": None if self.where is None else filter_json(self.where),
            "strict": self.strict or None,
        }
        return {name: value for name, value in given.items() if value is not None}

    @property
    def parameters(self) -> dict[str, Any]:
        """The scope as a query parameter; see ``gear_neo4j.graph.scope.scope_macros``."""
        clauses = conjunction_of(self.where) if self.where else ()
        return {
            "collections": sorted(self.collections or ()),
            "principals": sorted(self.principals or ()),
            "readers": sorted(map(reader_key, self.principals or ())),
            "where": [
                [
                    {
                        "key": metadata_property(condition.field),
                        "negated": negated,
                        **_comparison(condition),
                    }
                    for condition, negated in clause
                ]
                for clause in clauses
            ],
        }

    def admits(self, other: "Scope") -> bool:
        """Whether this scope certainly admits everything that another one admits.

        Example:
            >>> Scope(collections=frozenset({"a", "b"})).admits(Scope(collections=frozenset({"a"})))
            True
        """
        return (
            _covers(self.collections, other.collections)
            and _covers(self.principals, other.principals)
            and (self.where is None or both(other.where, self.where) == other.where)
            and (other.strict or not self.strict)
        )


EVERYTHING = Scope()


def qualified_id(id: str, collection: str) -> str:
    """The id of a passage within a collection, such as ``legal/p1``; unchanged in the default collection.

    Example:
        >>> qualified_id("p1", "legal"), qualified_id("p1", "default")
        ('legal/p1', 'p1')
    """
    return id if collection == DEFAULT_COLLECTION else f"{collection}{SEPARATOR}{id}"


def metadata_property(field: str) -> str:
    """The property of a passage that a filter compares; ``source`` and ``title`` are the passage's own.

    Example:
        >>> metadata_property("year"), metadata_property("source")
        ('meta_year', 'source')
    """
    return field if field in ("source", "title") else metadata_key(field)


def metadata_key(field: str) -> str:
    """The property of a passage that stores a field of its metadata."""
    return f"meta_{field}"


def metadata_of(properties: Iterable[tuple[str, Any]]) -> Mapping[str, Any]:
    """The metadata in the properties of a passage, by field, sorted."""
    return dict(sorted((key.removeprefix("meta_"), value) for key, value in properties))


def checked_name(name: object, *, kind: str) -> str:
    """The name of a collection or a principal.

    Raises:
        SettingsError: it is blank, too long, or, of a collection, holds a slash.

    Example:
        >>> checked_name("legal/2024", kind="collection")
        Traceback (most recent call last):
        gear_neo4j.errors.SettingsError: the collection 'legal/2024' holds a slash: its passages have ids such as ...
    """
    if not isinstance(name, str) or not name.strip() or name != name.strip():
        raise SettingsError(f"the {kind} {name!r} is blank, or begins or ends with a blank: give a name")
    if len(name) > LONGEST_NAME:
        raise SettingsError(
            f"the {kind} {name[:40]!r}... is longer than {LONGEST_NAME} characters: give a shorter name"
        )
    if not name.isprintable():
        raise SettingsError(f"the {kind} {name!r} holds characters that cannot be printed: give another name")
    if kind == "collection" and SEPARATOR in name:
        raise SettingsError(f"the collection {name!r} holds a slash: its passages have ids such as 'legal/p1'")
    return name


def reader_names(names: Iterable[object]) -> tuple[str, ...]:
    """The names of readers: checked, sorted, each once; a text is one name.

    Raises:
        SettingsError: a name cannot be used.

    Example:
        >>> reader_names(["user:ada", "group:legal", "user:ada"])
        ('group:legal', 'user:ada')
    """
    # Checked before they are compared: they may be of any type.
    return tuple(sorted(dict.fromkeys([checked_name(name, kind="reader") for name in _listed(names)])))


def reader_key(name: str) -> str:
    """The name of a reader without spaces, so that several fit into one text; different names have different keys.

    Example:
        >>> reader_key("group:legal"), reader_key("a b")
        ('group:legal', 'a%20b')
    """
    return quote(name, safe=":")


def reader_set(names: Iterable[str]) -> str:
    """A set of readers as one text; communities store such sets.

    Example:
        >>> reader_set(["user:ada", "group:legal"])
        'group:legal user:ada'
    """
    return " ".join(sorted(set(map(reader_key, names))))


def _common(mine: frozenset[str] | None, given: Iterable[str] | str | None, *, kind: str) -> frozenset[str] | None:
    if given is None:
        return mine
    names = frozenset(checked_name(name, kind=kind) for name in _listed(given))
    return names if mine is None else mine & names


def _listed(names: Iterable[Name]) -> Iterable[Name | str]:
    """Names; a text is one name, not an iterable of its letters."""
    return (names,) if isinstance(names, str) else names


def _comparison(condition: Condition) -> dict[str, Any]:
    """What a condition compares, under the name by which ``cypher/fragments/fulfils.cypher`` reads it."""
    match condition.operator:
        case "in":
            return {"values": list(condition.values)}
        case "exists":
            return {"present": True}
        case operator:
            return {operator: condition.values[0]}


def _covers(mine: frozenset[str] | None, other: frozenset[str] | None) -> bool:
    return mine is None or (other is not None and other <= mine)
