"""A profile: how the nodes and relationships of a graph read as entities, triples and passages; a file in TOML."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from gear_neo4j.errors import InputError

BUILT_IN = Path(__file__).parent / "profiles"
# What a table of a profile holds one of; all else are lists.
_TEXTS = frozenset({"key", "words", "predicate", "rank"})
_WORDS = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entities:
    """Nodes of a label: the properties that name them (the first that is filled is shown), and those with prose.

    A node without a name is called by its label and the value of ``key``, as in *Order 10248*.
    """

    names: tuple[str, ...] = ()
    key: str | None = None
    text: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunks:
    """Nodes of a label that hold passages: properties of text and title, and types that lead to what they mention.

    ``key`` is the property by which a relationship names the one that states it.
    """

    text: tuple[str, ...]
    title: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Relationships of a type: the words between two names, or a property with those words, and one with a rank.

    A lower rank makes a stronger relationship. One with a value under a property of ``ended`` is no fact any more.
    """

    words: str = ""
    predicate: str | None = None
    rank: str | None = None
    ended: tuple[str, ...] = ()

    @property
    def properties(self) -> tuple[str, ...]:
        """All that is read of a relationship."""
        return tuple(name for name in (self.predicate, self.rank, *self.ended) if name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How a graph is to be read; without ``relationships``, every type between two named nodes is a fact.

    ``without`` names types that are no facts, such as the order of chunks; ``sources`` the properties of a relationship
    with the keys of the chunks that state it.
    """

    name: str
    entities: Mapping[str, Entities] = field(default_factory=dict)
    chunks: Mapping[str, Chunks] = field(default_factory=dict)
    relationships: Mapping[str, Facts] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def name_properties(self) -> tuple[str, ...]:
        """Every property that names a node of some label."""
        return tuple(dict.fromkeys(name for entities in self.entities.values() for name in entities.names))

    @property
    def calling_properties(self) -> tuple[str, ...]:
        """The properties that name nodes, and the keys of nodes without a name."""
        keys = [entities.key for entities in self.entities.values() if entities.key]
        return tuple(dict.fromkeys([*self.name_properties, *keys]))

    def prose_properties(self, label: str) -> tuple[str, ...]:
        """The properties with the texts of a label's nodes."""
        entities, chunks = self.entities.get(label), self.chunks.get(label)
        return (entities.text if entities else ()) + (chunks.text if chunks else ())

    def covers(self, kind: str) -> bool:
        """Whether it mentions a relationship type: as a fact, as no fact, or as a mention.

        Example:
            >>> Profile(name="mine", relationships={"KNEW": Facts()}, without=("NEXT",)).covers("BORN_IN")
            False
        """
        mentions = {name for chunk in self.chunks.values() for name in chunk.mentions}
        return not self.relationships or kind in self.relationships or kind in self.without or kind in mentions

    def predicate(self, kind: str) -> str:
        """The words for a relationship type.

        Example:
            >>> Profile(name="mine").predicate("has_var"), Profile(name="mine").predicate("WORKS_AT")
            ('has var', 'works at')
        """
        facts = self.relationships.get(kind)
        return facts.words if facts and facts.words else words_of(kind)


def words_of(name: str) -> str:
    """The words in a name of the schema; of one in capitals, in small letters.

    Example:
        >>> words_of("ClinicalTrial"), words_of("ACTED_IN"), words_of("治疗"), words_of("hasPartDNA")
        ('clinical trial', 'acted in', '治疗', 'has part dna')
    """
    return " ".join(part for part in _WORDS.split(name) if part).casefold() or name


def built_in() -> dict[str, Path]:
    """The profiles that come with the product: names and files."""
    return {path.stem: path for path in sorted(BUILT_IN.glob("*.toml"))}


def load(path: Path) -> Profile:
    """The profile of a file.

    Raises:
        InputError: it is missing, not TOML, or says something that a profile cannot say.
    """
    try:
        return parse(path.read_text("utf-8"), file=str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason}") from error


def parse(text: str, *, file: str) -> Profile:
    """The profile that a text says.

    Raises:
        InputError: names what is wrong, and where.

    Example:
        >>> profile = parse('name = "mine"\\n[entities.Drug]\\nnames = ["name"]', file="mine.toml")
        >>> profile.entities["Drug"].names
        ('name',)
    """
    top = _load_toml(text, file)
    known = {"name": str, "entities": dict, "chunks": dict, "relationships": dict, "without": list, "sources": list}
    _check(top, known, place=file)
    kinds: dict[str, type[Any]] = {"entities": Entities, "chunks": Chunks, "relationships": Facts}
    tables = {
        key: {
            name: _table(kind, table, place=f"{file}: {key}.{_key(name)}") for name, table in top.get(key, {}).items()
        }
        for key, kind in kinds.items()
    }
    without, sources = (_names(top.get(key, []), file) for key in ("without", "sources"))
    profile = Profile(name=top.get("name", Path(file).stem), without=without, sources=sources, **tables)
    if not (profile.entities or profile.chunks):
        raise InputError(f"{file}: a profile needs [entities.LABEL] or [chunks.LABEL]: 'gear adopt' proposes one")
    if profile.sources and not any(chunk.key for chunk in profile.chunks.values()):
        raise InputError(f"{file}: sources name chunks by a key: some [chunks.LABEL] must say which property that is")
    return profile


def _load_toml(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: not TOML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{file}: not TOML: brackets are nested too deeply") from error
    except ValueError as error:
        # What else it raises is about whole numbers of thousands of digits.
        raise InputError(f"{file}: not TOML: a number is too long") from error


def dump(profile: Profile) -> str:
    """A profile as the text of its file.

    Example:
        >>> profile = Profile(name="mine", entities={"Drug": Entities(names=("name",))})
        >>> parse(dump(profile), file="mine.toml") == profile
        True
    """
    return tomli_w.dumps(_filled(asdict(profile)))


def _filled(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table without what is empty; a table of a name stays, for the name says something."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            values[key] = {name: _filled(part) if isinstance(part, Mapping) else part for name, part in value.items()}
        elif isinstance(value, tuple):
            values[key] = list(value)
        else:
            values[key] = value
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}


def _key(name: str) -> str:
    """A name of the schema in a message, in quotes where it is more than a word, for it may hold line breaks."""
    return name if re.fullmatch(r"[\w-]+", name) else repr(name)


def _table(kind: type[Any], given: object, *, place: str) -> Any:
    if not isinstance(given, dict):
        raise InputError(f"{place}: it must be a table")
    fields: dict[str, type[Any]] = {name: str if name in _TEXTS else list for name in kind.__slots__}
    _check(given, fields, place=place)
    values = {key: _names(value, place) if isinstance(value, list) else value for key, value in given.items()}
    if kind is Entities and not (values.get("names") or values.get("key")):
        raise InputError(f"{place}: it needs names, a list of properties, or key, a property")
    if kind is Chunks and not values.get("text"):
        raise InputError(f"{place}: it needs text, a list of properties")
    return kind(**values)


def _names(given: list[object], place: str) -> tuple[str, ...]:
    if not all(isinstance(name, str) and name for name in given):
        raise InputError(f"{place}: a list must hold names alone")
    return tuple(map(str, given))


def _check(given: Mapping[str, object], known: Mapping[str, type], *, place: str) -> None:
    for key, value in given.items():
        if key not in known:
            raise InputError(f"{place}: {key!r} is not known; there are {', '.join(known)}")
        if not isinstance(value, known[key]):
            kind = {"str": "a text", "list": "a list", "dict": "a table"}[known[key].__name__]
            raise InputError(f"{place}: {key} must be {kind}")
        if value == "":
            raise InputError(f"{place}: {key} must not be empty: leave it out")
