"""The accepted answers, under the keys of several data sets."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

KEYS = ("answer", "answers", "gold_ans", "reference", "answer_aliases", "obj", "possible_answers", "o_aliases")


def answers_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The distinct answers of a question, the main one first.

    Example:
        >>> answers_of({"answer": "G. Stanley Hall", "answer_aliases": ["Stanley Hall"]})
        ('G. Stanley Hall', 'Stanley Hall')
        >>> answers_of({"answers_objects": [{"spans": ["Edinburgh"], "number": "", "date": {"year": ""}}]})
        ('Edinburgh',)
    """
    texts = [text for key in KEYS for text in _texts(row.get(key))]
    objects = row.get("answers_objects")
    for item in objects if isinstance(objects, list) else []:
        texts.extend(_of_object(item))
    return tuple(dict.fromkeys(text for text in texts if text.strip()))


def _texts(value: object) -> Iterator[str]:
    """A text, a number, a list of them, or such a list written as text (PopQA)."""
    if isinstance(value, str):
        texts = _parse_list(value)
        yield from texts if texts is not None else [value]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, list):
        yield from (str(item) for item in value if isinstance(item, str | int | float))


def _parse_list(text: str) -> list[str] | None:
    if not text.startswith("["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) and all(isinstance(item, str) for item in value) else None


def _of_object(item: object) -> Iterator[str]:
    """The spans, the number or the date of an IRCoT answer."""
    if not isinstance(item, dict):
        return
    yield from _texts(item.get("spans"))
    yield from _texts(item.get("number"))
    date = item.get("date")
    if isinstance(date, dict):
        yield " ".join(part for key in ("day", "month", "year") for part in _texts(date.get(key)) if part)
