"""Parsers of lists in a model's reply: triples, numbers and names, from JSON as models write it; nothing is evaluated.

Replies come without thoughts, but may be fenced, surrounded by prose, or cut off. Each parser raises ValueError, with a
reason for the repair prompt, if nothing in a reply is usable.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from gear_neo4j.domain import Fact
from gear_neo4j.roles.json_reader import JsonReader
from gear_neo4j.roles.unstated import UNSTATED
from gear_neo4j.text.printable import is_storable

_QUOTED = r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'"
_TUPLE = re.compile(rf"[(\[]\s*(?:{_QUOTED})\s*,\s*(?:{_QUOTED})\s*,\s*(?:{_QUOTED})\s*,?\s*[)\]]", re.DOTALL)
# What models call the parts of a triple.
_PARTS = (
    ("subject", "head", "source", "from", "entity1", "s"),
    ("predicate", "relation", "relationship", "type", "label", "edge", "p"),
    ("object", "tail", "target", "to", "entity2", "o"),
)
_NAMES = ("name", "text", "value", "id")
_CURLY = str.maketrans("“”„‟", '""""')
# What a model says where a passage says nothing, and the parts of the form.
_UNSTATED = re.compile(rf"\W*|none|null|undefined|(?:{UNSTATED})(?: in .{{1,40}})?", re.IGNORECASE)
# What may be around a triple on a line of its own.
_AROUND = " \t-*•()[],;\"'"
_TAG = re.compile(r"</?\w{1,20}>")
_BULLET = r"\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)?"
# The forms of one line, each with three parts without brackets and arrows in them.
_LINES = tuple(
    re.compile(_BULLET + form + r"\s*[,;.]?\s*")
    for form in (
        r"[(<\[]([^()<>\[\],|]+),([^()<>\[\],|]+),([^()<>\[\],|]+)[)>\]]",
        r"([^—→|]+?)\s*—([^—→|]+)→\s*([^—→|]+)",
        r"([^<>|]+?)\s*-+>([^<>|]+?)-+>([^<>|]+)",
        r"\(?\s*([^|{}]+)\|([^|{}]+)\|([^|{}]+?)\s*\)?",
    )
)
LONGEST_LINE = 1_000
_ITEM = re.compile(r"[^\s,]")
_BRACKET = re.compile(r"[\[({\]]")
_NUMBERS = re.compile(r"\[([\d\s,]*)(?:\]|\Z)")
# Text that may precede a list on its line: punctuation, and a label with a colon.
_LABEL = re.compile(r"[^\w\[\]]*(?:[^\[\]]*[:：][^\w\[\]]*)?")
_SENTENCE_END = re.compile(r"\W*?[.!;\n]|\W*\Z")
LONGEST_LABEL = 60


@dataclass(frozen=True, slots=True)
class Triples:
    """The triples of a reply, in its order and without duplicates, and the number of malformed items."""

    facts: tuple[Fact, ...]
    malformed: int = 0


def parse_triples(text: str, *, key: str) -> Triples:
    """The triples of a JSON reply ``{key: [[s, p, o], ...]}`` or of a bare list; the last one, if there are several.

    Objects with subject, predicate and object also count as triples, and so do tuples, lines and tables. An object that
    is a list makes several; a triple with an end that is *unknown* or *not stated* is none.

    Raises:
        ValueError: there is no list of triples, or none of its items is a triple.

    Example:
        >>> parse_triples('Sure! {"facts": [["Curie", "born in", "Warsaw"], ["Cur', key="facts")
        Triples(facts=(Fact(subject='Curie', predicate='born in', object='Warsaw'),), malformed=1)
    """
    if '"' not in text:
        # Some models write JSON with the quotes of prose.
        text = text.translate(_CURLY)
    lists, is_named = _lists(text, key)
    read = [([_facts(item) for item in items], items) for items in lists]
    for some, _ in reversed(read):
        if any(some):
            facts = dict.fromkeys(fact for found in some for fact in found)
            return Triples(tuple(filter(_is_stated, facts)), some.count([]))
    if not is_named and (lines := _facts_of_lines(text)):
        return Triples(tuple(filter(_is_stated, lines)))
    if not all(items for _, items in read):
        return Triples(())
    raise ValueError(f'no item of "{key}" is three texts' if is_named else f'no list "{key}" of triples in it')


def parse_numbers(text: str, *, most: int) -> tuple[int, ...]:
    """The numbers from 1 to ``most`` of a JSON list of numbers, in its order, each once.

    If there are several lists, the last one with its own line or sentence (or after a label) counts, else the last
    that is not empty: lists within prose are markers or examples.

    Raises:
        ValueError: there is no list of such numbers.

    Example:
        >>> parse_numbers("The passages: [3, 1, 3, 12]", most=10)
        (3, 1)
    """
    numbers = _chosen_numbers(text, most)
    if not numbers:
        raise ValueError(f"no list of numbers from 1 to {most} in it")
    return numbers


def parse_indexes(text: str, *, most: int) -> tuple[int, ...]:
    """The numbers of a reply, counted from 0; an empty list is also an answer.

    Raises:
        ValueError: there is no list, or all its numbers are out of range.

    Example:
        >>> parse_indexes("[2, 1]", most=3), parse_indexes("None of them: []", most=3)
        ((1, 0), ())
    """
    numbers = _chosen_numbers(text, most)
    if numbers is None:
        raise ValueError(f"no list of numbers from 1 to {most} in it")
    return tuple(number - 1 for number in numbers)


def _chosen_numbers(text: str, most: int) -> tuple[int, ...] | None:
    """The numbers in the list that is the answer; None without a list."""
    lists = [(numbers, match) for match in _NUMBERS.finditer(text) if (numbers := _numbers(match[1], most)) is not None]
    alone = [numbers for numbers, match in lists if _has_own_line(text, match)]
    everywhere = [numbers for numbers, _ in lists]
    return alone[-1] if alone else next(filter(None, reversed(everywhere)), everywhere[-1] if everywhere else None)


def _numbers(listed: str, most: int) -> tuple[int, ...] | None:
    """The numbers in range, each once; None if all are out of range."""
    # Python refuses to parse thousands of digits.
    numbers = (int(digits) for digits in re.findall(r"\d+", listed) if len(digits) < 10)
    unique = tuple(dict.fromkeys(number for number in numbers if 1 <= number <= most))
    return unique if unique or not listed.strip() else None


def _has_own_line(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - LONGEST_LABEL) : match.start()].rpartition("\n")[2]
    return bool(_LABEL.fullmatch(before) and _SENTENCE_END.match(text, match.end(), match.end() + LONGEST_LABEL))


def parse_names(text: str) -> tuple[str, ...]:
    """The names of a JSON reply ``{"entities": ["name", ...]}``, or of a bare list of texts, in its order, each once.

    If there are several lists, the last one counts.

    Raises:
        ValueError: there is no list, or no item of it is a name.

    Example:
        >>> parse_names('Sure: {"entities": ["Marie  Curie", "Warsaw", "Warsaw", "Par')
        ('Marie Curie', 'Warsaw')
    """
    lists, is_named = _lists(text, "entities")
    for items in reversed(lists):
        texts = [item for item in items if not isinstance(item, list | dict)]
        names = tuple(dict.fromkeys(name for item in texts if (name := _part(item))))
        # A bare list without any texts is a marker.
        if names and (is_named or any(isinstance(item, str) for item in texts)):
            return names
    if all(lists):
        raise ValueError('no item of "entities" is a name' if lists else 'no list "entities" in it')
    return ()


def _lists(text: str, key: str) -> tuple[list[list[Any]], bool]:
    """The items of the last list under a key, or of all lists if there is none; and whether there is one."""
    named = [match.end() for match in re.finditer(rf"[\"']?{re.escape(key)}[\"']?\s*[:=]\s*\[", text, re.IGNORECASE)]
    reader, lists = JsonReader(text), list[list[Any]]()
    with suppress(ValueError):
        for start in named[-1:] or [match.end() for match in re.finditer(r"\[", text)]:
            lists.append(list(_items(text, start, reader)))
    return lists, bool(named)


def _items(text: str, start: int, reader: JsonReader) -> Iterator[Any]:
    """The items of a JSON list after its opening bracket; None for an item that cannot be read."""
    offset = start
    while item := _ITEM.search(text, offset):
        reader.spend(item.end() - offset)
        if item[0] == "]":
            return
        read = reader.value(item.start())
        value, offset = read or _tuple(text, item.start(), reader)
        yield value


def _tuple(text: str, offset: int, reader: JsonReader) -> tuple[Any, int]:
    if match := _TUPLE.match(text, offset):
        return [part for part in match.groups() if part is not None], match.end()
    following = _BRACKET.search(text, offset + 1)
    end = following.start() if following else len(text)
    reader.spend(end - offset)
    return None, end


def _facts(item: object) -> list[Fact]:
    if isinstance(item, dict):
        fields = {str(key).casefold(): value for key, value in item.items()}
        item = [next((fields[name] for name in names if name in fields), None) for names in _PARTS]
    # A fourth part says more than was asked for, such as a date.
    if not isinstance(item, list) or len(item) not in (3, 4):
        return []
    subject, predicate = (_part(_name(part)) for part in item[:2])
    last = item[2] if isinstance(item[2], list) else [item[2]]
    objects = [_part(_name(part)) for part in last]
    return [Fact(subject, predicate, one) for one in objects] if subject and predicate and all(objects) else []


def _is_stated(fact: Fact) -> bool:
    """Whether a fact says something: both ends are names, and it is not the form itself."""
    parts = (fact.subject, fact.predicate, fact.object)
    is_form = all(part.casefold() in names for part, names in zip(parts, _PARTS, strict=True))
    return not is_form and not any(_UNSTATED.fullmatch(end) for end in (fact.subject, fact.object))


def _name(part: object) -> object:
    """A part of a triple, or its name if it is an object of its own."""
    if isinstance(part, dict):
        fields = {str(key).casefold(): value for key, value in part.items()}
        return next((fields[name] for name in _NAMES if name in fields), None)
    return part


def _facts_of_lines(text: str) -> tuple[Fact, ...]:
    """Triples as lines such as ``(subject | predicate | object)``, or in a table that has these heads."""
    lines = [_TAG.sub(" ", line) for line in text.split("\n") if len(line) <= LONGEST_LINE]
    found = [*_parts_of_table(lines), *(match.groups() for line in lines if (match := _line(line)))]
    facts = ([_part(part.strip(_AROUND)) for part in parts] for parts in found)
    return tuple(dict.fromkeys(Fact(*parts) for parts in facts if all(parts)))


def _line(line: str) -> re.Match[str] | None:
    return next((match for form in _LINES if (match := form.fullmatch(line))), None)


def _parts_of_table(lines: Iterable[str]) -> Iterator[list[str]]:
    """The rows below the heads *subject*, *predicate* and *object*; other tables are of a passage."""
    is_below = False
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if "|" not in line or len(cells) != 3:
            is_below = False
        elif all(cell.casefold() in names for cell, names in zip(cells, _PARTS, strict=True)):
            is_below = True
        elif is_below and any(cell.strip("-: ") for cell in cells):
            yield cells


def _part(value: object) -> str:
    # Models write years as numbers.
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not is_storable(value):
        return ""
    return " ".join(value.split())
