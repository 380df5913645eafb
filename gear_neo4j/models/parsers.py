"""What a model's reply says: literal parsers, which never evaluate anything, for replies as models really write them.

A reply may be fenced, have prose around it, think aloud first, or be cut off. Each parser raises ValueError, with the
reason in words that the model can be told, when nothing in a reply can be used.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gear_neo4j.domain import Fact

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_QUOTED = r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'"
_TUPLE = re.compile(rf"[(\[]\s*(?:{_QUOTED})\s*,\s*(?:{_QUOTED})\s*,\s*(?:{_QUOTED})\s*,?\s*[)\]]", re.DOTALL)
_PARTS = (("subject", "predicate", "object"), ("head", "relation", "tail"))
_VERDICT = re.compile(r"answerable\W*?[:：]\W*(yes|no)\b", re.IGNORECASE)
_REASON = re.compile(r"\b(?:answer|why)\W*?[:：]\s*(.*)", re.IGNORECASE | re.DOTALL)
_NEXT = re.compile(r"next\s+question\W*?[:：]\s*([^\n]*)", re.IGNORECASE)
_ANSWER = re.compile(r"\A\W*answer\W*?[:：]\s*", re.IGNORECASE)
_CITATION = re.compile(r"\s*\[\s*(F?\d+(?:\s*[,;]\s*F?\d+)*)\s*\]", re.IGNORECASE)
_SO = re.compile(r"answer is\W*?:\s*(.+)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"([.!?。！？])(?=\s+[^\W\d_]|[一-龥ぁ-ヿ])")
_ABBREVIATED = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Gen|Col|Lt|Rev|vs|etc|e\.g|i\.e|No|ca|c)|\b[A-Z])\.\Z")
_JSON = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Triples:
    """The triples of a reply in its order, each once, and how many of its items were none."""

    facts: tuple[Fact, ...]
    malformed: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the memory suffices for an answer, and the answer, or what is missing."""

    answerable: bool
    text: str = ""


@dataclass(frozen=True, slots=True)
class Thought:
    """One sentence of reasoning, and the answer where it gives one."""

    text: str
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer with markers ``[1]`` and ``[F1]``, what it cites, and the markers that were removed as made up."""

    text: str
    passages: tuple[int, ...] = ()
    facts: tuple[int, ...] = ()
    removed: tuple[str, ...] = ()


def parse_triples(text: str, *, key: str) -> Triples:
    """The triples of a JSON reply ``{key: [[s, p, o], ...]}``, or of a bare list.

    Objects with subject, predicate and object count as triples, and so do tuples in parentheses.

    Raises:
        ValueError: there is no list of triples, or none of its items is a triple.

    Example:
        >>> parse_triples('Sure! {"facts": [["Curie", "born in", "Warsaw"], ["Cur', key="facts")
        Triples(facts=(Fact(subject='Curie', predicate='born in', object='Warsaw'),), malformed=1)
    """
    body = _THINKING.sub("", text)
    named = re.search(rf"[\"']?{re.escape(key)}[\"']?\s*[:=]\s*\[", body, re.IGNORECASE)
    starts = [named.end()] if named else [match.end() for match in re.finditer(r"\[", body)]
    read = [list(_items(body, start)) for start in starts]
    for items in read:
        facts = [fact for item in items if (fact := _fact(item))]
        if facts:
            return Triples(tuple(dict.fromkeys(facts)), len(items) - len(facts))
    if any(not items for items in read):
        return Triples(())
    raise ValueError(f'no list "{key}" of triples in it' if not named else f'no item of "{key}" is three texts')


def parse_verdict(text: str) -> Verdict:
    """The judgement of a reply ``Answerable: Yes|No`` with ``Answer: ...`` or ``Why: ...``.

    Raises:
        ValueError: it does not say whether the question is answerable.

    Example:
        >>> parse_verdict("**Answerable:** No\\nWhy: his university is missing")
        Verdict(answerable=False, text='his university is missing')
    """
    body = _THINKING.sub("", text)
    said = _VERDICT.search(body)
    if not said:
        raise ValueError('it has no line "Answerable: Yes" or "Answerable: No"')
    reason = _REASON.search(body, said.end())
    return Verdict(said[1].lower() == "yes", " ".join(reason[1].split()).strip("* ") if reason else "")


def parse_thought(text: str) -> Thought:
    """The first sentence of a reply, or the answer that follows ``So the answer is:``.

    Raises:
        ValueError: the reply is empty.

    Example:
        >>> parse_thought("Dr. Hinton studied at Edinburgh. He later moved.").text
        'Dr. Hinton studied at Edinburgh.'
        >>> parse_thought("So the answer is: Edinburgh.").answer
        'Edinburgh'
    """
    body = re.sub(r"\A\W*next thought\W*?:\s*", "", " ".join(_THINKING.sub("", text).split()), flags=re.IGNORECASE)
    if not body:
        raise ValueError("it is empty")
    if said := _SO.search(body):
        return Thought(body, said[1].strip().rstrip(".") or None)
    for end in _SENTENCE_END.finditer(body):
        if not _ABBREVIATED.search(body[: end.end(1)]):
            return Thought(body[: end.end(1)])
    return Thought(body)


def parse_question(text: str) -> str:
    """The next question: what follows ``Next question:``, else the whole reply; empty when the line is empty.

    Raises:
        ValueError: the reply is empty.

    Example:
        >>> parse_question('Next Question: "Where is Edinburgh?"')
        'Where is Edinburgh?'
    """
    body = _THINKING.sub("", text).strip()
    if not body:
        raise ValueError("it is empty")
    labelled = _NEXT.search(body)
    return " ".join((labelled[1] if labelled else body).split()).strip(" \"'*")


def parse_answer(text: str, *, passages: int, facts: int) -> Draft:
    """An answer whose markers were checked: one that stands for nothing that was shown is taken out and told.

    Raises:
        ValueError: the reply is empty.

    Example:
        >>> parse_answer("Answer: Edinburgh [2, 9] [F1].", passages=3, facts=1)
        Draft(text='Edinburgh [2] [F1].', passages=(2,), facts=(1,), removed=('9',))
    """
    body = _ANSWER.sub("", _THINKING.sub("", text).strip(), count=1)
    shown = {str(number) for number in range(1, passages + 1)} | {f"F{number}" for number in range(1, facts + 1)}
    cited: list[str] = []

    def checked(match: re.Match[str]) -> str:
        marks = [mark.strip().upper() for mark in re.split("[,;]", match[1])]
        cited.extend(marks)
        kept = [mark for mark in marks if mark in shown]
        return f" [{', '.join(kept)}]" if kept else ""

    said = _CITATION.sub(checked, body).strip()
    if not said:
        raise ValueError("it is empty")
    marks = list(dict.fromkeys(cited))
    good = [mark for mark in marks if mark in shown]
    return Draft(
        said,
        passages=tuple(int(mark) for mark in good if mark.isdigit()),
        facts=tuple(int(mark[1:]) for mark in good if not mark.isdigit()),
        removed=tuple(mark for mark in marks if mark not in shown),
    )


def parse_numbers(text: str, *, most: int) -> tuple[int, ...]:
    """The numbers from 1 to ``most`` of the first JSON list of numbers, in its order, each once.

    Raises:
        ValueError: there is no list of such numbers.

    Example:
        >>> parse_numbers("The passages: [3, 1, 3, 12]", most=10)
        (3, 1)
    """
    for match in re.finditer(r"\[([\d\s,]*)(?:\]|\Z)", _THINKING.sub("", text)):
        numbers = (int(digits) for digits in re.findall(r"\d+", match[1]))
        kept = tuple(dict.fromkeys(number for number in numbers if 1 <= number <= most))
        if kept:
            return kept
    raise ValueError(f"no list of numbers from 1 to {most} in it")


def parse_places(text: str, *, most: int) -> tuple[int, ...]:
    """The numbers of a reply as places from 0; an empty list is an answer, too.

    Raises:
        ValueError: there is no list, or one of numbers that stand for nothing.

    Example:
        >>> parse_places("[2, 1]", most=3), parse_places("None of them: []", most=3)
        ((1, 0), ())
    """
    if re.search(r"\[\s*\]", _THINKING.sub("", text)):
        return ()
    return tuple(number - 1 for number in parse_numbers(text, most=most))


def parse_names(text: str) -> tuple[str, ...]:
    """The names of a JSON reply ``{"entities": ["name", ...]}``, or of a bare list, in its order, each once.

    Raises:
        ValueError: there is no list, or one without a name in it that is not empty.

    Example:
        >>> parse_names('Sure: {"entities": ["Marie  Curie", "Warsaw", "Warsaw", "Par')
        ('Marie Curie', 'Warsaw')
    """
    body = _THINKING.sub("", text)
    start = body.find("[")
    if start < 0:
        raise ValueError('no list "entities" in it')
    items = list(_items(body, start + 1))
    names = tuple(dict.fromkeys(name for item in items if not isinstance(item, list | dict) and (name := _part(item))))
    if items and not names:
        raise ValueError('no item of "entities" is a name')
    return names


def _items(text: str, start: int) -> Iterator[Any]:
    """The items of a JSON list from behind its bracket; where one cannot be read, the next one is looked for."""
    place = start
    while item := re.compile(r"[^\s,]").search(text, place):
        if item[0] == "]":
            return
        place = item.start()
        try:
            value, place = _JSON.raw_decode(text, place)
        except (ValueError, RecursionError):
            value, place = _tuple(text, place)
        yield value


def _tuple(text: str, place: int) -> tuple[Any, int]:
    if found := _TUPLE.match(text, place):
        return [part for part in found.groups() if part is not None], found.end()
    following = re.compile(r"[\[({\]]").search(text, place + 1)
    return None, following.start() if following else len(text)


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
    if not isinstance(value, str) or any("\ud800" <= character <= "\udfff" for character in value):
        return ""
    return " ".join(value.split())


def without_thinking(text: str) -> str:
    """A reply without what a model thought aloud before it.

    Example:
        >>> without_thinking("<think>Seven?</think>7")
        '7'
    """
    return _THINKING.sub("", text)
