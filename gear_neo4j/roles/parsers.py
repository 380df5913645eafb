"""Parsers of plain-text replies, tolerant of how models write them.

Replies come without thoughts, but may be surrounded by prose or cut off. Each parser raises ValueError, with a reason
for the repair prompt, if nothing in a reply is usable.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gear_neo4j.models.streaming import without_label
from gear_neo4j.roles.citations import check_markers, without_markers
from gear_neo4j.roles.judgements import find_object
from gear_neo4j.roles.unstated import UNSTATED

# These take linear time: no two adjacent parts match the same characters.
_VERDICT = re.compile(
    r"^[^\w\n]*(?:\d{1,2}[.)][^\w\n]*)?answerable[^\w:：=?|\n]*(?:[:：=?|]|\n)\W*"
    r"(yes|no|true|false)\b(?!\s*(?:/|\||or)\s*(?:yes|no|true|false)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER = re.compile(r"\banswer[^\w:：|\n]*[:：|]\s*(.*)", re.IGNORECASE | re.DOTALL)
_WHY = re.compile(r"\b(?:why|reason|explanation|missing)[^\w:：|\n]*[:：|]\s*(.*)", re.IGNORECASE | re.DOTALL)
_UNKNOWN = re.compile(
    rf"(?:the answer is )?(?:{UNSTATED}|not enough information|insufficient (?:information|facts|evidence)"
    r"|i (?:don['’]t|do not) know|(?:can ?not|can['’]t) be (?:determined|answered|inferred))\b[^.!?\n]{0,80}",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"(?:next|new|rewritten|revised|follow-?up)\s+question(?:\s+(?:is|should be|would be|could be))?[^\w:：\n]*[:：\n]"
    r"\s*([^\n]*)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:\d{1,2}[.)]|[-*•])\s+")
_NO_QUESTION = re.compile(
    r"\[?(?:none|n/?a|null|question)\]?|no (?:(?:further|more|additional|next|new|other) )?questions?\b.{0,60}",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"(?<=\?)\s*\([^()]*\)\Z")
_FENCE = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
_SOURCES = re.compile(r"\W*(?:sources|references|citations)\W*", re.IGNORECASE)
_SOURCE = re.compile(r"\s*(?:[-*•]\s+)?\[?(F?[1-9]\d?)(?:\]|[.):])", re.IGNORECASE)
_LABEL = re.compile(r"F?[1-9]\d?", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\{([^{}\n]*)\}")
_KEYWORDS = re.compile(r"\bkeywords[^\w:：]*[:：]", re.IGNORECASE)
# Only at the beginning of a sentence: elsewhere, the phrase may say that the answer is unknown.
_SO = re.compile(
    r"(?:(?:\A|[.!?。！？,;:])[\s\"'*]{0,4}|\b(?:so|thus|therefore|hence),? )the (?:final )?answer is[^\w:]*:\s*(.+)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"([.!?。！？])(?=\s+[^\W\d_]|[一-龥ぁ-ヿ])")
_ABBREVIATED = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Gen|Col|Lt|Rev|vs|etc|e\.g|i\.e|No|ca|c)|\b[A-Z])\.\Z")
_YES = frozenset({"yes", "true"})
_LONGEST_ABBREVIATION = len("Prof.")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the memory suffices for an answer, and the answer or what is missing."""

    answerable: bool
    text: str = ""


@dataclass(frozen=True, slots=True)
class Thought:
    """One sentence of reasoning, and the answer, if it gives one."""

    text: str
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer with markers ``[1]`` and ``[F1]``, its citations, and the invented markers that were removed."""

    text: str
    passages: tuple[int, ...] = ()
    facts: tuple[int, ...] = ()
    removed: tuple[str, ...] = ()


def parse_verdict(text: str) -> Verdict:
    """The verdict of a reply ``Answerable: Yes|No`` with ``Answer: ...`` or ``Why: ...``; the last such line counts.

    A question whose answer is *unknown* or *not stated* is not answerable, whatever the line says.

    Raises:
        ValueError: the reply lacks the line ``Answerable:``.

    Example:
        >>> parse_verdict("**Answerable:** No\\nWhy: his university is missing")
        Verdict(answerable=False, text='his university is missing')
    """
    if stated := _object(text, "answerable"):
        word = str(stated["answerable"]).strip().casefold()
        if word in {*_YES, "no", "false"}:
            keys = ("answer",) if word in _YES else ("why", "reason", "missing")
            return _verdict(word, next((str(stated[key]) for key in keys if stated.get(key)), ""))
    lines = list(_VERDICT.finditer(text))
    if not lines:
        raise ValueError('it has no line "Answerable: Yes" or "Answerable: No"')
    match = lines[-1]
    word = match[1].casefold()
    labelled = (_ANSWER if word in _YES else _WHY).search(text, match.end())
    if labelled:
        return _verdict(word, labelled[1])
    return _verdict(word, "" if word in _YES else text[match.end() :].partition("\n")[0])


def _verdict(word: str, text: str) -> Verdict:
    stripped = " ".join(text.split()).strip("* |,.;:—-" if word not in _YES else "* |")
    if word in _YES and _UNKNOWN.fullmatch(stripped.strip("\"'.[]() ")):
        return Verdict(answerable=False)
    return Verdict(word in _YES, stripped)


def _object(text: str, key: str) -> Mapping[str, Any] | None:
    """The JSON object with a key that a reply consists of, perhaps in a fence."""
    body = _FENCE.sub("", text).strip()
    if not body.startswith("{"):
        return None
    try:
        return find_object(body, key)
    except ValueError:
        return None


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
    body = re.sub(r"\A\W*next thought\W*?:\s*", "", " ".join(text.split()), flags=re.IGNORECASE)
    if not body:
        raise ValueError("it is empty")
    if match := _SO.search(body):
        return Thought(body, match[1].strip().rstrip(".") or None)
    for end in _SENTENCE_END.finditer(body):
        if not _ABBREVIATED.search(body, max(0, end.end(1) - _LONGEST_ABBREVIATION), end.end(1)):
            return Thought(body[: end.end(1)])
    return Thought(body)


def parse_question(text: str) -> str:
    """The next question: the text after the last ``Next question:``, else the question in the reply; may be empty.

    Of several questions without the label, the first of a list counts, and the last of a text.

    Raises:
        ValueError: the reply is empty.

    Example:
        >>> parse_question('Next Question: "Where is Edinburgh?"')
        'Where is Edinburgh?'
    """
    body = _FENCE.sub("", text).strip()
    if not body:
        raise ValueError("it is empty")
    labelled = _NEXT.findall(body)
    question = " ".join((labelled[-1] if labelled else _unlabelled(body)).split()).strip(" \"'*`")
    question = _ASIDE.sub("", question)
    return "" if _NO_QUESTION.fullmatch(question.rstrip(".!")) else question


def _unlabelled(body: str) -> str:
    for key in ("next_question", "question"):
        if stated := _object(body, key):
            return str(stated[key] or "")
    lines = [line.strip(" \"'*") for line in body.splitlines()]
    listed = [_LISTED.sub("", line, count=1) for line in lines if _LISTED.match(line)]
    if questions := [line for line in listed if line.endswith("?")]:
        return questions[0]
    questions = [line for line in lines if line.endswith("?")]
    return re.sub(r"\A(?:\w+\s+)?question\W*?[:：]\s*", "", questions[-1] if questions else body, flags=re.IGNORECASE)


def parse_keywords(text: str) -> str:
    """The query in a reply ``Keywords: a, b``, of at most three keywords.

    Raises:
        ValueError: the reply is empty.

    Example:
        >>> parse_keywords('**Keywords:** "Ana Petkova", employer, 1921, Varna')
        'Ana Petkova, employer, 1921'
    """
    body = _KEYWORDS.split(text)[-1]
    words = [word for part in re.split(r"[,;\n]", body) if (word := part.strip(" \t\"'*.-"))]
    if not words:
        raise ValueError("it is empty")
    return ", ".join(words[:3])


def parse_segment(text: str) -> str:
    """The next sentence of an answer, without markers; empty if the reply says that the answer is complete.

    Raises:
        ValueError: the reply is empty.

    Example:
        >>> parse_segment("Next sentence: She lived in Varna [1]. She drew."), parse_segment("END")
        ('She lived in Varna.', '')
    """
    body = re.sub(r"\A\W*next sentence\W*?[:：]\s*", "", text.strip(), flags=re.IGNORECASE)
    if not body:
        raise ValueError("it is empty")
    if re.fullmatch(r"\W*end\W*", body, re.IGNORECASE):
        return ""
    return parse_thought(without_markers(body)).text


def parse_answer(text: str, *, passages: int, facts: int) -> Draft:
    """An answer with checked markers: markers without a passage or fact are removed from the text and listed.

    Raises:
        ValueError: the reply is empty.

    Example:
        >>> parse_answer("Answer: Edinburgh [2, 9] [F1].", passages=3, facts=1)
        Draft(text='Edinburgh [2] [F1].', passages=(2,), facts=(1,), removed=('9',))
    """
    cited = _without_list_of_sources(_BOXED.sub(r"\1", _stated_answer(text)))
    checked = check_markers(cited, passages=passages, facts=facts)
    answer = checked.text.strip()
    if not answer:
        raise ValueError("it is empty")
    return Draft(
        answer,
        passages=tuple(int(label) for label in checked.cited if label.isdigit()),
        facts=tuple(int(label[1:]) for label in checked.cited if not label.isdigit()),
        removed=checked.removed,
    )


def _without_list_of_sources(text: str) -> str:
    """An answer without the list of its sources below it; if the answer has no markers, it gets those of the list."""
    lines = text.rstrip().split("\n")
    begin = len(lines)
    while begin and (not lines[begin - 1].strip() or _SOURCE.match(lines[begin - 1])):
        begin -= 1
    listed = [match[1] for line in lines[begin:] if (match := _SOURCE.match(line))]
    if not begin or not listed or not _SOURCES.fullmatch(lines[begin - 1]):
        return text
    answer = "\n".join(lines[: begin - 1]).rstrip()
    return answer if without_markers(answer) != answer else f"{answer} [{', '.join(listed)}]"


def _stated_answer(text: str) -> str:
    """An answer without its label; of JSON, the answer with markers for the citations beside it."""
    stated = _object(text, "answer")
    if stated is None or not isinstance(stated["answer"], str):
        return without_label(text.strip())
    cited = next((stated[key] for key in ("citations", "sources", "passages") if stated.get(key)), ())
    listed = cited if isinstance(cited, list) else [cited]
    labels = [label for one in listed if _LABEL.fullmatch(label := str(one).strip("[] "))]
    return stated["answer"] + (f" [{', '.join(labels)}]" if labels else "")
