"""Parsers of plain-text replies, tolerant of how models write them.

Replies come without thoughts, but may be surrounded by prose or cut off. Each parser raises ValueError, with a reason
for the repair prompt, if nothing in a reply is usable.
"""

import re
from dataclasses import dataclass

from gear_neo4j.models.streaming import without_label
from gear_neo4j.roles.citations import check_markers, without_markers

# These take linear time: no two adjacent parts match the same characters.
_VERDICT = re.compile(
    r"^[^\w\n]*(?:\d{1,2}[.)][^\w\n]*)?answerable[^\w:：\n]*[:：]\W*(yes|no)\b(?!\s*(?:/|\||or)\s*(?:yes|no)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_REASON = re.compile(r"\b(?:answer|why)[^\w:：]*[:：]\s*(.*)", re.IGNORECASE | re.DOTALL)
_NEXT = re.compile(r"next\s+question[^\w:：]*[:：]\s*([^\n]*)", re.IGNORECASE)
_KEYWORDS = re.compile(r"\bkeywords[^\w:：]*[:：]", re.IGNORECASE)
# Only at the beginning of a sentence: elsewhere, the phrase may say that the answer is unknown.
_SO = re.compile(
    r"(?:(?:\A|[.!?。！？,;:])[\s\"'*]{0,4}|\b(?:so|thus|therefore|hence),? )the (?:final )?answer is[^\w:]*:\s*(.+)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"([.!?。！？])(?=\s+[^\W\d_]|[一-龥ぁ-ヿ])")
_ABBREVIATED = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Gen|Col|Lt|Rev|vs|etc|e\.g|i\.e|No|ca|c)|\b[A-Z])\.\Z")
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

    Raises:
        ValueError: the reply lacks the line ``Answerable:``.

    Example:
        >>> parse_verdict("**Answerable:** No\\nWhy: his university is missing")
        Verdict(answerable=False, text='his university is missing')
    """
    lines = list(_VERDICT.finditer(text))
    if not lines:
        raise ValueError('it has no line "Answerable: Yes" or "Answerable: No"')
    match = lines[-1]
    reason = _REASON.search(text, match.end())
    return Verdict(match[1].lower() == "yes", " ".join(reason[1].split()).strip("* ") if reason else "")


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
    """The next question: the text after the last ``Next question:``, else the whole reply; may be empty.

    Raises:
        ValueError: the reply is empty.

    Example:
        >>> parse_question('Next Question: "Where is Edinburgh?"')
        'Where is Edinburgh?'
    """
    body = text.strip()
    if not body:
        raise ValueError("it is empty")
    labelled = _NEXT.findall(body)
    return " ".join((labelled[-1] if labelled else body).split()).strip(" \"'*")


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
    checked = check_markers(without_label(text.strip()), passages=passages, facts=facts)
    answer = checked.text.strip()
    if not answer:
        raise ValueError("it is empty")
    return Draft(
        answer,
        passages=tuple(int(label) for label in checked.cited if label.isdigit()),
        facts=tuple(int(label[1:]) for label in checked.cited if not label.isdigit()),
        removed=checked.removed,
    )
