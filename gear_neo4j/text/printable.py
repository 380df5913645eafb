"""Text that is safe on a terminal, in a log and on a page, whoever wrote it.

A title may contain an escape sequence that clears the screen or writes to the clipboard, and bidirectional controls
display text in another order. Text for people goes through :func:`printable`; text for programs goes through
:func:`escaped`, which keeps its meaning.
"""

import json
import re

# C0 except tab and newline, DEL, C1; the characters with Unicode's property Bidi_Control; halves of surrogate pairs.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_BIDIRECTIONAL = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SURROGATES = "\ud800-\udfff"
_REMOVED = re.compile(f"[{_CONTROLS}{_BIDIRECTIONAL}]")
# Besides the newline, because some terminals also break lines at these.
_BREAKS = re.compile("[\n\t\u2028\u2029]+")
_BROKEN = re.compile(f"[{_SURROGATES}]")
_ESCAPED = re.compile(f"[{_CONTROLS}{_BIDIRECTIONAL}{_SURROGATES}]")


def printable(text: str) -> str:
    """A text without control characters, except tab and newline, and without bidirectional controls.

    Halves of surrogate pairs, which cannot be encoded, become replacement characters.

    Example:
        >>> printable("a \\x1b[2Jtitle\\u202e\\nand a line"), printable("\\ud800")
        ('a [2Jtitle\\nand a line', '\ufffd')
    """
    return _BROKEN.sub("\ufffd", _REMOVED.sub("", text))


def is_storable(text: str) -> bool:
    """Whether a text can be stored and sent: it contains no half of a surrogate pair.

    Example:
        >>> is_storable("鲁迅"), is_storable("\\ud800")
        (True, False)
    """
    return _BROKEN.search(text) is None


def single_line(text: str) -> str:
    """A printable text on one line, such as a title, whose second line could be mistaken for one of ours.

    Example:
        >>> single_line("Prize\\ngear: all passages\\tdeleted")
        'Prize gear: all passages deleted'
    """
    return _BREAKS.sub(" ", printable(text))


def escaped(text: str) -> str:
    r"""JSON, TOML or Cypher with the characters that :func:`printable` removes as ``\uXXXX``; its meaning is the same.

    Example:
        >>> print(escaped('"\x9b2J"'))
        "\u009b2J"
    """
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def json_text(value: object, *, indent: int | None = None, only_ascii: bool = False) -> str:
    r"""JSON with letters of every script unescaped (unless ``only_ascii``), and with all control characters escaped.

    Example:
        >>> print(json_text({"title": "Æ\x1b[2J\u202e"}))
        {"title": "Æ\u001b[2J\u202e"}
    """
    return escaped(json.dumps(value, ensure_ascii=only_ascii, indent=indent))
