"""Parsers of a judge's reply: statements, and verdicts on them; an incomplete reply is refused.

Like the other parsers, these take replies in fences or with prose around them, evaluate nothing, and raise ValueError
with a reason for the repair prompt.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from gear_neo4j.roles.json_reader import JsonReader

_YES = frozenset({"yes", "true", "1", "supported", "useful"})
_NO = frozenset({"no", "false", "0", "unsupported", "not supported", "useless", "not useful"})


def parse_statements(text: str) -> tuple[str, ...]:
    """The statements of a reply ``{"statements": [...]}``, if any.

    Raises:
        ValueError: there is no such list, or an item is not a text.

    Example:
        >>> parse_statements('Here: {"statements": ["Ana Petkova was an engineer.", " "]}')
        ('Ana Petkova was an engineer.',)
    """
    items = find_object(text, "statements")["statements"]
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError('"statements" is not a list of texts')
    return tuple(" ".join(item.split()) for item in items if item.strip())


def parse_verdicts(text: str, *, key: str, count: int) -> tuple[bool, ...]:
    """The verdicts of a list in a JSON reply, one for each of ``count`` statements, in the statements' order.

    An item is an object with ``verdict`` and perhaps ``number``, or the bare verdict: yes or no, 1 or 0, true or false.

    Raises:
        ValueError: the list is missing or has another length, or an item is not a verdict.

    Example:
        >>> parse_verdicts('{"verdicts": [{"number": 2, "verdict": "no"}, {"number": 1, "verdict": "yes"}]}',
        ...                key="verdicts", count=2)
        (True, False)
    """
    items = find_object(text, key)[key]
    if not isinstance(items, list) or len(items) != count:
        actual = f"{len(items)} items" if isinstance(items, list) else "no list"
        raise ValueError(f'"{key}" has {actual}, and there are {count} statements')
    return tuple(_verdict(item) for item in _in_order(items))


def parse_scores(text: str, *, count: int) -> tuple[float, ...]:
    """The scores of a reply ``{"scores": [...]}``, from -1 to 1, one for each of ``count`` texts, in the texts' order.

    An item is an object with ``score`` and perhaps ``number``, or the bare number.

    Raises:
        ValueError: the list is missing or has another length, or an item is not such a number.

    Example:
        >>> parse_scores('{"scores": [{"number": 2, "score": -1}, {"number": 1, "score": 0.5}]}', count=2)
        (0.5, -1.0)
    """
    items = find_object(text, "scores")["scores"]
    if not isinstance(items, list) or len(items) != count:
        actual = f"{len(items)} items" if isinstance(items, list) else "no list"
        raise ValueError(f'"scores" has {actual}, and there are {count} texts')
    return tuple(_score(item) for item in _in_order(items))


def parse_labels(text: str, *, labels: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The labels of a reply such as ``{"relevant": "yes", "use": 4}``, each one allowed for its key.

    Raises:
        ValueError: a key is missing, or its label is not allowed.

    Example:
        >>> parse_labels('{"relevant": "Yes", "use": 4}', labels={"relevant": ("yes", "no"), "use": ("4", "5")})
        {'relevant': 'yes', 'use': '4'}
    """
    fields = find_object(text, next(iter(labels)))
    chosen = {key: str(fields.get(key)).strip().strip(".").lower() for key in labels}
    for key, label in chosen.items():
        if label not in labels[key]:
            raise ValueError(f'"{key}" is none of {", ".join(labels[key])}')
    return chosen


def parse_useful(text: str) -> bool:
    """The verdict of a reply ``{"why": ..., "verdict": "yes"}``.

    Raises:
        ValueError: there is no verdict.

    Example:
        >>> parse_useful('{"why": "It names the year.", "verdict": "yes"}')
        True
    """
    return _verdict(find_object(text, "verdict"))


def find_object(text: str, key: str) -> Mapping[str, Any]:
    """The last outermost JSON object with a key, because models may repeat the form or revise their reply."""
    reader, end = JsonReader(text), 0
    found: Mapping[str, Any] | None = None
    with suppress(ValueError):
        for match in re.finditer(r"\{", text):
            read = reader.value(match.start()) if match.start() >= end else None
            if read and isinstance(read[0], dict) and key in read[0]:
                found, end = read
    if found is None:
        raise ValueError(f'no whole JSON object with "{key}" in it')
    return found


def _in_order(items: list[Any]) -> list[Any]:
    numbered = {item["number"]: item for item in items if isinstance(item, dict) and type(item.get("number")) is int}
    if not any(isinstance(item, dict) and "number" in item for item in items):
        return items
    if sorted(numbered) != list(range(1, len(items) + 1)):
        raise ValueError(f"the numbers of its verdicts are not 1 to {len(items)}, each once")
    return [numbered[number] for number in sorted(numbered)]


def _score(item: object) -> float:
    value = item.get("score") if isinstance(item, dict) else item
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
        raise ValueError("a score is not a number from -1 to 1")
    return float(value)


def _verdict(item: object) -> bool:
    value = item.get("verdict") if isinstance(item, dict) else item
    word = str(value).strip().strip(".").lower() if isinstance(value, str | int) else ""
    if word not in _YES | _NO:
        raise ValueError('a verdict is neither "yes" nor "no"')
    return word in _YES
