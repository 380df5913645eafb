"""Cypher taken apart into tokens, as far as it takes to tell its keywords from names, texts and comments."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gear_neo4j.errors import GuardError

Kind = Literal["space", "text", "quoted", "number", "word", "symbol"]
_TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n\r]*|/\*.*?\*/)+)
    |(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<quoted>`(?:[^`]|``)*`)
    |(?P<number>0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    |(?P<word>[^\W\d]\w*)
    |(?P<open>/\*|['"`\\])
    |(?P<symbol>[!-/:-@\[-`{-~])""",
    re.VERBOSE | re.DOTALL,
)
# Cypher 5 resolves \u anywhere in a query, where it is not the second of two backslashes that stands before the u.
_ESCAPE = re.compile(r"\\(?:(\\?)u([0-9a-fA-F]{4})|(.))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query; ``quoted`` is a name in backticks, ``space`` all that only separates."""

    kind: Kind
    text: str

    @property
    def word(self) -> str:
        """A word as a keyword would be written; empty for all else.

        Example:
            >>> Token("word", "\\uff32eturn").word
            'RETURN'
        """
        return unicodedata.normalize("NFKC", self.text).upper() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        """The name that a word or a name in backticks stands for; empty for all else."""
        if self.kind == "quoted":
            return self.text[1:-1].replace("``", "`")
        return self.text if self.kind == "word" else ""


def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a query; comments and odd spaces have become a space or a new line, escapes their letters.

    Raises:
        GuardError: something is not closed, or there is a character that should not be there.

    Example:
        >>> "".join(token.text for token in tokens("RETURN/* all */'// x' // of it"))
        "RETURN '// x'"
        >>> tokens("RETURN 'a")
        Traceback (most recent call last):
        gear_neo4j.errors.GuardError: the query has a ' that is never closed: close it
    """
    return tuple(_split(_resolved(text.strip()).rstrip()))


def _split(text: str) -> Iterator[Token]:
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise GuardError(
                f"the query has the character {_shown(text[place])} outside of quotes: leave it out, or write the name "
                "in backticks"
            )
        place = found.end()
        match found.lastgroup:
            case "open":
                raise GuardError(f"the query has a {found[0]} that is never closed: close it")
            case "space":
                # What was a comment is not sent: the server could see its end in another place.
                if found.start() > 0 and place < len(text):
                    yield Token("space", "\n" if "\n" in found[0] else " ")
            case kind:
                yield Token(kind, found[0])  # type: ignore[arg-type]


def _resolved(text: str) -> str:
    for char in text:
        if unicodedata.category(char) in ("Cc", "Cs") and char not in "\t\n\r":
            raise GuardError(f"the query has the character {_shown(char)}: leave it out")
    return _ESCAPE.sub(_letter, text)


def _letter(escape: re.Match[str]) -> str:
    doubled, digits, other = escape.groups()
    char = chr(int(digits, 16)) if digits else ""
    # Nobody has an honest use for an escaped quote, keyword or space, and servers may count backslashes otherwise.
    if other in ("u", "U") or doubled or (digits and not (char > "\x7f" and char.isprintable())):
        raise GuardError("the query has a \\u escape: write the character itself")
    return char or escape[0]


def _shown(char: str) -> str:
    return f"U+{ord(char):04X}"
