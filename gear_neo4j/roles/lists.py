"""Parsers of lists in a model's reply: triples, numbers and names, from JSON as models write it; nothing is evaluated.

A reply may be fenced, have prose around it, think aloud first, or be cut off. Each parser raises ValueError,
with a reason for the repair prompt, if nothing in a reply is usable.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gear_neo4j.domain import Fact
from gear_neo4j.roles.json_reader import JsonReader
from gear_neo4j.roles.parsers import without_thinking
from gear_neo4j.text.printable import is_storable

_QUOTED = r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'"
_TUPLE = re.compile(rf"[(\[]\s*(?:{_QUOTED})\s*,\s*(?:{_QUOTED})\s*,\s*(?:{_QUOTED})\s*,?\s*[)\]]", re.DOTALL)
_PARTS = (("subject", "predicate", "object"), ("head", "relation", "tail"))
_ITEM = re.compile(r"[^\s,]")
_BRACKET = re.compile(r"[\[({\]]")


@dataclass(frozen=True, slots=True)
class Triples:
    """The triples of a reply in its order, without duplicates, and the number of malformed items."""

    facts: tuple[Fact, ...]
    malformed: int = 0


def parse_triples(text: str, *, key: str) -> Triples:
    """The triples of a JSON reply ``{key: [[s, p, o], ...]}``, or of a bare list.

    Objects with subject, predicate and object count as triples, and so do tuples in parentheses.

    Raises:
        ValueError: there is no list of triples, or none of its items is a triple.

    Example:
        >>> parse_triples('Sure! {"facts": [["Curie", "born in", "Warsaw"], ["Cur', key="facts")
        Triples(facts=(Fact(subject='Curie', predicate='born in', object='Warsaw'),), malformed=1)
    """
    body = without_thinking(text)
    named = re.search(rf"[\"']?{re.escape(key)}[\"']?\s*[:=]\s*\[", body, re.IGNORECASE)
    starts = [named.end()] if named else [match.end() for match in re.finditer(r"\[", body)]
    reader, is_empty = JsonReader(body), False
    for start in starts:
        items = list(_items(body, start, reader))
        facts = [fact for item in items if (fact := _fact(item))]
        if facts:
            return Triples(tuple(dict.fromkeys(facts)), len(items) - len(facts))
        is_empty = is_empty or not items
    if is_empty:
        return Triples(())
    raise ValueError(f'no list "{key}" of triples in it' if not named else f'no item of "{key}" is three texts')


def parse_numbers(text: str, *, most: int) -> tuple[int, ...]:
    """The numbers from 1 to ``most`` of the first JSON list of numbers, in its order, each once.

    Raises:
        ValueError: there is no list of such numbers.

    Example:
        >>> parse_numbers("The passages: [3, 1, 3, 12]", most=10)
        (3, 1)
    """
    for match in re.finditer(r"\[([\d\s,]*)(?:\]|\Z)", without_thinking(text)):
        # Python refuses to read thousands of digits.
        numbers = (int(digits) for digits in re.findall(r"\d+", match[1]) if len(digits) < 10)
        unique = tuple(dict.fromkeys(number for number in numbers if 1 <= number <= most))
        if unique:
            return unique
    raise ValueError(f"no list of numbers from 1 to {most} in it")


def parse_places(text: str, *, most: int) -> tuple[int, ...]:
    """The numbers of a reply as places from 0; an empty list is an answer, too.

    Raises:
        ValueError: there is no list, or all its numbers are out of range.

    Example:
        >>> parse_places("[2, 1]", most=3), parse_places("None of them: []", most=3)
        ((1, 0), ())
    """
    if re.search(r"\[\s*\]", without_thinking(text)):
        return ()
    return tuple(number - 1 for number in parse_numbers(text, most=most))


def parse_names(text: str) -> tuple[str, ...]:
    """The names of a JSON reply ``{"entities": ["name", ...]}``, or of a bare list, in its order, each once.

    Raises:
        ValueError: there is no list, or no item of it is a name.

    Example:
        >>> parse_names('Sure: {"entities": ["Marie  Curie", "Warsaw", "Warsaw", "Par')
        ('Marie Curie', 'Warsaw')
    """
    body = without_thinking(text)
    start = body.find("[")
    if start < 0:
        raise ValueError('no list "entities" in it')
    items = list(_items(body, start + 1, JsonReader(body)))
    names = tuple(dict.fromkeys(name for item in items if not isinstance(item, list | dict) and (name := _part(item))))
    if items and not names:
        raise ValueError('no item of "entities" is a name')
    return names


def _items(text: str, start: int, reader: JsonReader) -> Iterator[Any]:
    """The items of a JSON list after its opening bracket; an item that cannot be read gives None."""
    place = start
    while item := _ITEM.search(text, place):
        reader.spend(item.end() - place)
        if item[0] == "]":
            return
        read = reader.value(item.start())
        value, place = read or _tuple(text, item.start(), reader)
        yield value


def _tuple(text: str, place: int, reader: JsonReader) -> tuple[Any, int]:
    if match := _TUPLE.match(text, place):
        return [part for part in match.groups() if part is not None], match.end()
    following = _BRACKET.search(text, place + 1)
    end = following.start() if following else len(text)
    reader.spend(end - place)
    return None, end


def _fact(item: object) -> Fact | None:
    if isinstance(item, dict):
        item = next(([item[name] for name in names] for names in _PARTS if all(name in item for name in names)), None)
    if not isinstance(item, list) or len(item) != 3:
        return None
    parts = [_part(part) for part in item]
    return Fact(*parts) if all(parts) else None


def _part(value: object) -> str:
    # Models write years as numbers.
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not is_storable(value):
        return ""
    return " ".join(value.split())
