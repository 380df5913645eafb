"""What of a text is prose: without code, logs, contents and markup, and with the turns of a dialogue apart."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import unescape

from gear_neo4j.ingestion.markdown import without_code

# A dialogue has at least so many turns, and most of them end like sentences.
LEAST_TURNS = 3
LEAST_SENTENCES = 0.6
# A longer line is prose, whatever is in it.
LONGEST_LINE = 500
_TAG_NAMES = (
    "a abbr article b blockquote br center code dd del details div dl dt em figcaption figure font h1 h2 h3 h4 h5 h6 "
    "hr i img ins kbd li mark ol p pre q s section small span strong sub summary sup table tbody td th thead tr tt u ul"
)
_TAG = re.compile(rf"</?(?:{'|'.join(_TAG_NAMES.split())})(?:\s[^<>\n]{{0,500}})?/?>", re.IGNORECASE)
_MACHINE = (
    # A command behind its prompt.
    re.compile(r"[ \t]*\$ \S"),
    # A line of a log: its time and level.
    re.compile(
        r"[ \t]*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*[ \t]+(?:\S{1,40}[ \t]+){0,2}?\[?"
        r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b"
    ),
    # A statement of indented code.
    re.compile(r"(?: {4}|\t).*[;{}][ \t]*\Z"),
    # A line of a table of contents.
    re.compile(r".{1,200}?(?:\.[ \t]?){4,}\d{1,4}[ \t]*\Z"),
)
# A full stop is part of a name only behind a title or an initial.
_NAME = r"[^\W\d_](?:[^:*|<>\n.!?]|(?:(?<=\b[A-Z])|(?<=\b[A-Z][a-z])|(?<=\bMrs)|(?<=\bProf))\.){0,38}"
_TURN = re.compile(
    r"[ \t]*(?:[\[(]?\d{1,2}:\d{2}(?::\d{2})?[\])]?[ \t]*)?"
    rf"(?:<(?P<nick>[^<>\s:][^<>:]{{0,38}})>|(?:\*\*)?(?P<name>{_NAME}):(?:\*\*)?)[ \t]+(?P<words>\S.*)"
)
# The head of a message, of which three lines are one.
_HEAD = re.compile(r"(?:From|To|Cc|Bcc|Sent|Date|Subject|Reply-To|Message-ID|Received|MIME-Version|Content-\S+): .*")
LEAST_HEADS = 3
_GREETING = re.compile(
    r"[ \t]*(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|hallo|liebe[rs]?|guten (?:morgen|tag|abend)|moin|"
    r"sehr geehrte[rs]?|bonjour|bonsoir|ch[eè]re?s?|salut|hola|estimad[oa]s?|buenos d[ií]as|ciao|gentile)\b[^.?]{0,80}",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"[ \t]*(?:--|(?:(?:best|kind|warm) )?regards|best(?: wishes)?|(?:yours )?(?:sincerely|faithfully|truly)|cheers|"
    r"(?:many )?thanks(?: (?:again|in advance))?|cordialement|bien [àa] vous|saludos(?: cordiales)?|cordiali saluti|"
    r"(?:mit )?(?:freundlichen?|besten?|herzlichen?|viele|liebe) gr[üu](?:ß|ss)en?)[,.! \t]*",
    re.IGNORECASE,
)
# The last lines of a message, with its signature.
LONGEST_CLOSING = 8
_MARKS = frozenset("[*_`~")
_ADDRESS = r"\([^()\n]{0,500}(?:\([^()\n]{0,100}\)[^()\n]{0,100})?\)"
# Marks of Markdown, and what stays of them. Two marks of code are a quotation in TeX.
_MARKED = (
    (re.compile(rf"!\[[^\]\[\n]{{0,300}}\]{_ADDRESS}|\[\^[^\]\s]{{1,40}}\](?!:)|~~[^~\n]{{1,300}}~~"), ""),
    (re.compile(rf"\[([^\]\[\n]{{1,300}})\](?:{_ADDRESS}|\[[^\]\[\n]{{0,100}}\])"), r"\1"),
    (re.compile(r"(?<!`)`([^`\n]{1,300})`(?!`)"), r"\1"),
    (re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]{0,299}[^\s*])\1(?![\w*])"), r"\2"),
    (re.compile(r"(?<![\w_])(_{1,3})(?=[^\s_])([^_\n]{0,299}[^\s_])\1(?![\w_])"), r"\2"),
)
_ENDS_SENTENCE = re.compile(r"[.!?…。！？][\"'”’»)]*\Z")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker of a dialogue says at a time; a letter, as in *Q: … A: …*, is no speaker.

    In a chat (``is_chat``), the speaker is in angle brackets.
    """

    speaker: str
    words: str
    is_chat: bool = False


def prose_of(text: str) -> str:
    """A text without fenced code, commands, lines of logs and contents, and without the marks of HTML and Markdown.

    Of a message, its heads are left out, the greeting, and all from the closing on.

    Example:
        >>> prose_of("[Ada](ada.md) <b>King</b> wrote &amp; *read*.\\n$ pip install Paris\\n3. Bath ........ 12")
        'Ada King wrote & read.'
    """
    lines = [line for line in without_code(text).split("\n") if not _is_machine(line)]
    body = [line for line in lines if not _HEAD.fullmatch(line)]
    prose = "\n".join(_body(body) if len(lines) - len(body) >= LEAST_HEADS else lines)
    if "<" in prose:
        prose = _TAG.sub("", prose)
    if not _MARKS.isdisjoint(prose):
        for mark, inside in _MARKED:
            prose = mark.sub(inside, prose)
    return unescape(prose) if "&" in prose else prose


def _body(lines: Sequence[str]) -> list[str]:
    """The lines of a message from its greeting to its closing."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    begin = filled[0] + 1 if filled and _GREETING.fullmatch(lines[filled[0]]) else 0
    closing = (number for number in filled[-LONGEST_CLOSING:] if _CLOSING.fullmatch(lines[number]))
    return list(lines[begin : next(closing, len(lines))])


def _is_machine(line: str) -> bool:
    return len(line) <= LONGEST_LINE and any(kind.match(line) for kind in _MACHINE)


def split_turns(text: str) -> tuple[list[Turn], str]:
    """The turns of the dialogue in a text, and the text without them; lines below a turn belong to it.

    Example:
        >>> turns, rest = split_turns("Minutes\\n\\nAda: I saw Tom.\\nTom: Where?\\nAda: In Bath.")
        >>> turns[-1], rest
        (Turn(speaker='Ada', words='In Bath.', is_chat=False), 'Minutes')
        >>> split_turns("name: Ada\\ntown: Bath")
        ([], 'name: Ada\\ntown: Bath')
    """
    turns: list[Turn] = []
    rest: list[str] = []
    for paragraph in text.split("\n\n"):
        is_turn = False
        for line in paragraph.split("\n"):
            if match := _TURN.fullmatch(line):
                is_turn = True
                turns.append(Turn(match["nick"] or match["name"], match["words"], is_chat=bool(match["nick"])))
            elif is_turn:
                turns[-1] = replace(turns[-1], words=f"{turns[-1].words} {line.strip()}")
            else:
                rest.append(line)
        if not is_turn:
            rest.append("")
    return (turns, "\n".join(rest).strip("\n")) if _is_dialogue(turns) else ([], text)


def _is_dialogue(turns: Sequence[Turn]) -> bool:
    if any(turn.is_chat for turn in turns):
        return True
    speakers = {turn.speaker for turn in turns}
    ends = sum(_ENDS_SENTENCE.search(turn.words.rstrip()) is not None for turn in turns)
    return len(turns) >= LEAST_TURNS and 1 < len(speakers) < len(turns) and ends >= LEAST_SENTENCES * len(turns)
