"""What a reader sees of a reply while it is written: its text without thoughts, and without a label before it."""

import re
from collections.abc import Callable

OnToken = Callable[[str], None]

THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
ANSWER_LABEL = re.compile(r"\A\W*answer\W*?[:：]\s*", re.IGNORECASE)
# The beginnings of both: what could still become a tag or a label is held back.
_OPEN_TAG = re.compile(r"<(?:t(?:h(?:i(?:n(?:k(?:i(?:ng?)?)?)?)?)?)?)?\Z", re.IGNORECASE)
_OPEN_LABEL = re.compile(r"\W*(?:a(?:n(?:s(?:w(?:e(?:r\W*)?)?)?)?)?)?", re.IGNORECASE)


class VisibleText:
    """The visible part of a text that comes in pieces; the same whatever the pieces are.

    Example:
        >>> visible = VisibleText()
        >>> [visible.feed(piece) for piece in ("<thi", "nk>Varna?</think>Ans", "wer: In ", "Varna.")]
        ['', '', 'In', ' Varna.']
        >>> visible.end()
        ''
    """

    def __init__(self) -> None:
        self._text = ""
        self._length = 0

    def feed(self, piece: str) -> str:
        """What a further piece of the text makes visible."""
        self._text += piece
        whole = _without_thinking(_OPEN_TAG.sub("", self._text))
        return "" if _OPEN_LABEL.fullmatch(whole) else self._gain(ANSWER_LABEL.sub("", whole, count=1))

    def end(self) -> str:
        """What was held back, because it might have become a tag or a label."""
        return self._gain(shown(self._text))

    def _gain(self, visible: str) -> str:
        gain, self._length = visible[self._length :], len(visible)
        return gain


def shown(text: str) -> str:
    """The visible part of a whole text.

    Example:
        >>> shown("<think>Varna?</think> **Answer**: In Varna.")
        'In Varna.'
    """
    return ANSWER_LABEL.sub("", _without_thinking(text), count=1)


class Listener:
    """Passes visible text on; ``done`` once a piece was passed on, for no other text may follow it."""

    def __init__(self, on_token: OnToken) -> None:
        self._on_token = on_token
        self.done = False

    def hand_on(self, piece: str) -> None:
        """Pass on a piece unless it is empty; raises ListenerError."""
        if piece:
            self.done = True
            try:
                self._on_token(piece)
            except Exception as error:
                raise ListenerError(error) from error


class ListenerError(BaseException):
    """What a listener raised; no Exception, so that retries do not take it for a failure of the model."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def _without_thinking(text: str) -> str:
    return THINKING.sub("", text).strip()
