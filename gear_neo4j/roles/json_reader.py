"""Reads JSON values inside a model's reply, in linear time."""

import json
import re
from typing import Any

# A reply is read from each bracket that may open a value; all attempts together may read it at most this many times.
MOST_PASSES = 20
# Deeper values are noise, and would overflow the stack of recursive functions.
DEEPEST = 50
# Raising a JSON error counts the lines of the whole text, which is about this many times cheaper than reading it.
CHEAPER_LINES = 50
_BEGIN = re.compile(r"[\[{\"\-0-9tfnNI]")
_DECODER = json.JSONDecoder()


class JsonReader:
    """Reads the JSON values of one text.

    Example:
        >>> reader = JsonReader('The list: [1, 2].')
        >>> reader.value(10)
        ([1, 2], 16)
        >>> reader.value(0) is None
        True
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._left = MOST_PASSES * (len(text) + 1)

    def value(self, start: int) -> tuple[Any, int] | None:
        """The value at an offset, and the offset of its end; None if there is none.

        Raises:
            ValueError: too much of the text was read repeatedly.
        """
        if not _BEGIN.match(self._text, start):
            return None
        try:
            value, end = _DECODER.raw_decode(self._text, start)
        except json.JSONDecodeError as error:
            # The error of an unclosed string has the position of its beginning, but it was read to the end of the text.
            read_to = len(self._text) if error.msg.startswith("Unterminated") else error.pos
            self.spend(read_to - start + len(self._text) // CHEAPER_LINES)
            return None
        except (ValueError, RecursionError):
            self.spend(len(self._text) - start)
            return None
        self.spend(end - start)
        return None if _is_deep(value) else (value, end)

    def spend(self, characters: int) -> None:
        """Count characters that were read; raises ValueError once there are too many."""
        self._left -= characters
        if self._left < 0:
            raise ValueError("its brackets do not fit together")


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            part
            for one in level
            if isinstance(one, list | dict)
            for part in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True
