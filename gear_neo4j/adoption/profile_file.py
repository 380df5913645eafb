"""Reads, checks and writes profiles as TOML files."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tomli_w

from gear_neo4j.adoption.profile import Chunks, Entities, Facts, Profile
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.text.printable import escaped

BUILT_IN = Path(__file__).parent / "profiles"
# The keys of a table with a single text; all others have lists.
_TEXTS = frozenset({"key", "words", "predicate", "rank"})
# The keys outside tables.
_TOP_TEXTS = ("name", "collection", "readers")
_TOP_LISTS = ("without", "sources", "default_readers")


def built_in() -> dict[str, Path]:
    """The names and files of the built-in profiles."""
    return {path.stem: path for path in sorted(BUILT_IN.glob("*.toml"))}


def load(path: Path) -> Profile:
    """Read a profile from a file.

    Raises:
        InputError: the file is missing, not TOML, or not a valid profile.
    """
    try:
        return parse(path.read_text("utf-8"), file=str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason}") from error


def parse(text: str, *, file: str) -> Profile:
    """Parse a profile.

    Raises:
        InputError: says what is wrong, and where.

    Example:
        >>> profile = parse('name = "mine"\\n[entities.Drug]\\nnames = ["name"]', file="mine.toml")
        >>> profile.entities["Drug"].names
        ('name',)
    """
    top = _load_toml(text, file)
    tables = dict.fromkeys(("entities", "chunks", "relationships", "synonyms"), dict)
    _check(top, {**dict.fromkeys(_TOP_TEXTS, str), **tables, **dict.fromkeys(_TOP_LISTS, list)}, location=file)
    kinds: dict[str, type[Any]] = {"entities": Entities, "chunks": Chunks, "relationships": Facts}
    parts: dict[str, Any] = {
        key: {
            name: _table(kind, table, location=f"{file}: {key}.{legible(name)}")
            for name, table in top.get(key, {}).items()
        }
        for key, kind in kinds.items()
    }
    values: dict[str, Any] = {key: top[key] for key in _TOP_TEXTS if key in top}
    values |= {key: _names(top.get(key, []), file) for key in _TOP_LISTS}
    values["synonyms"] = _synonyms(top.get("synonyms", {}), location=f"{file}: synonyms")
    try:
        profile = Profile(**{"name": Path(file).stem, **values, **parts})
    except SettingsError as error:
        raise InputError(f"{file}: {error}") from error
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
        # Its only other error is for integers with thousands of digits.
        raise InputError(f"{file}: not TOML: a number is too long") from error


def dump(profile: Profile, *, notes: Mapping[str, Sequence[str]] = MappingProxyType({})) -> str:
    """A profile as TOML, with notes on labels as comments, one per line.

    Example:
        >>> profile = Profile(name="mine", entities={"Drug": Entities(names=("name",))})
        >>> parse(dump(profile), file="mine.toml") == profile
        True
    """
    top = _filled(asdict(profile))
    if profile.collection == DEFAULT_COLLECTION:
        del top["collection"]
    tables = {kind: top.pop(kind, {}) for kind in ("entities", "chunks", "relationships")}
    parts = [tomli_w.dumps(top)]
    for kind, of in tables.items():
        for name, table in of.items():
            comments = notes.get(name, ()) if kind == "entities" else ()
            parts.append(tomli_w.dumps({kind: {name: table}}) + "".join(f"# {comment}\n" for comment in comments))
    # Names must survive reading, and must also be safe to print on a terminal.
    return escaped("\n".join(parts))


def _filled(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table without empty values; named tables stay even if they are empty, since their name has a meaning."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            values[key] = {name: _filled(part) if isinstance(part, Mapping) else part for name, part in value.items()}
        elif isinstance(value, tuple):
            values[key] = list(value)
        else:
            values[key] = value
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}


def legible(name: str) -> str:
    """A name of the schema for a message or comment; quoted if it is not a plain word, since it may have line breaks.

    Example:
        >>> legible("unitPrice"), legible("unit\\nprice")
        ('unitPrice', "'unit\\\\nprice'")
    """
    return name if re.fullmatch(r"[\w-]+", name) else repr(name)


def _table(kind: type[Any], given: object, *, location: str) -> Any:
    if not isinstance(given, dict):
        raise InputError(f"{location}: it must be a table")
    fields: dict[str, type[Any]] = {name: str if name in _TEXTS else list for name in kind.__slots__}
    _check(given, fields, location=location)
    values = {key: _names(value, location) if isinstance(value, list) else value for key, value in given.items()}
    if kind is Entities and not (values.get("names") or values.get("key")):
        raise InputError(f"{location}: it needs names, a list of properties, or key, a property")
    if kind is Chunks and not values.get("text"):
        raise InputError(f"{location}: it needs text, a list of properties")
    return kind(**values)


def _synonyms(given: Mapping[str, object], *, location: str) -> dict[str, tuple[str, ...]]:
    _check(given, dict.fromkeys(given, list), location=location)
    return {
        name: _names(texts, f"{location}.{legible(name)}") for name, texts in given.items() if isinstance(texts, list)
    }


def _names(given: list[object], location: str) -> tuple[str, ...]:
    if not all(isinstance(name, str) and name for name in given):
        raise InputError(f"{location}: a list must hold names alone")
    return tuple(map(str, given))


def _check(given: Mapping[str, object], known: Mapping[str, type], *, location: str) -> None:
    for key, value in given.items():
        if key not in known:
            raise InputError(f"{location}: {key!r} is not known; there are {', '.join(known)}")
        if not isinstance(value, known[key]):
            kind = {"str": "a text", "list": "a list", "dict": "a table"}[known[key].__name__]
            raise InputError(f"{location}: {key} must be {kind}")
        if value == "":
            raise InputError(f"{location}: {key} must not be empty: leave it out")
