"""A tokeniser for Cypher, exact enough to distinguish keywords, names, strings and comments."""

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
# Cypher 5 resolves \u anywhere in a query, unless another backslash precedes it.
_ESCAPE = re.compile(r"\\(?:(\\?)u([0-9a-fA-F]{4})|(.))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query; ``quoted`` is a name in backticks, ``space`` is whitespace or comments."""

    kind: Kind
    text: str

    @property
    def word(self) -> str:
        """A word in the spelling of a keyword; empty for all other kinds.

        Example:
            >>> Token("word", "\\uff32eturn").word
            'RETURN'
        """
        return unicodedata.normalize("NFKC", self.text).upper() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        """The name in a word or in backticks; empty for all other kinds."""
        if self.kind == "quoted":
            return self.text[1:-1].replace("``", "`")
        return self.text if self.kind == "word" else ""


def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a query, with escapes resolved; comments and odd spaces become a space or a new line.

    Raises:
        GuardError: something is not closed, or a character is not allowed.

    Example:
        >>> "".join(token.text for token in tokens("RETURN/* all */'// x' // of it"))
        "RETURN '// x'"
        >>> tokens("RETURN 'a")
        Traceback (most recent call last):
        gear_neo4j.errors.GuardError: the query has a ' that is never closed: close it
    """
    return tuple(_split(_resolve_escapes(text.strip()).rstrip()))


def _split(text: str) -> Iterator[Token]:
    offset = 0
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        if match is None:
            raise GuardError(
                f"the query has the character {_code_point(text[offset])} outside of quotes: leave it out, or write "
                "the name in backticks"
            )
        offset = match.end()
        match match.lastgroup:
            case "open":
                raise GuardError(f"the query has a {match[0]} that is never closed: close it")
            case "space":
                # Comments are never sent: the server might end them elsewhere.
                if match.start() > 0 and offset < len(text):
                    yield Token("space", "\n" if "\n" in match[0] else " ")
            case kind:
                yield Token(kind, match[0])  # type: ignore[arg-type]


def _resolve_escapes(text: str) -> str:
    for char in text:
        if unicodedata.category(char) in ("Cc", "Cs") and char not in "\t\n\r":
            raise GuardError(f"the query has the character {_code_point(char)}: leave it out")
    return _ESCAPE.sub(_letter, text)


def _letter(escape: re.Match[str]) -> str:
    doubled, digits, other = escape.groups()
    char = chr(int(digits, 16)) if digits else ""
    # Escaped quotes, keywords and spaces have no honest use, and servers may count backslashes differently.
    if other in ("u", "U") or doubled or (digits and not (char > "\x7f" and char.isprintable())):
        raise GuardError("the query has a \\u escape: write the character itself")
    return char or escape[0]


def _code_point(char: str) -> str:
    return f"U+{ord(char):04X}"
