"""What a reader sees of a reply while it is written: its text without thoughts, and without a label before it."""

import re
from collections.abc import Callable

OnToken = Callable[[str], None]

THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
# A label is no longer than this, signs and all, so that a reply of signs alone is not held back to its end.
ANSWER_LABEL = re.compile(r"\A\W{0,40}answer[^\w:：]{0,10}[:：]\s*", re.IGNORECASE)
_THOUGHTS_BEGIN = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_THOUGHTS_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_LONGEST_TAG = len("</thinking>")
# The beginnings of both: what could still become a tag or a label is held back.
_OPEN_TAG = re.compile(r"<(?:t(?:h(?:i(?:n(?:k(?:i(?:ng?)?)?)?)?)?)?)?\Z", re.IGNORECASE)
_OPEN_LABEL = re.compile(r"\W{0,40}(?:a(?:n(?:s(?:w(?:e(?:r[^\w:：]{0,10})?)?)?)?)?)?", re.IGNORECASE)


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
        self._held = ""
        self._thinks = False
        # The beginning, until it is clear whether it is a label.
        self._label: str | None = ""
        self._is_empty = True
        self._spaces: list[str] = []

    def feed(self, piece: str) -> str:
        """What a further piece of the text makes visible."""
        self._held += piece
        parts = []
        while tag := (_THOUGHTS_END if self._thinks else _THOUGHTS_BEGIN).search(self._held):
            if not self._thinks:
                parts.append(self._held[: tag.start()])
            self._held, self._thinks = self._held[tag.end() :], not self._thinks
        if self._thinks:
            self._held = self._held[-_LONGEST_TAG:]
        else:
            tag = _OPEN_TAG.search(self._held)
            place = tag.start() if tag else len(self._held)
            parts.append(self._held[:place])
            self._held = self._held[place:]
        return self._without_label("".join(parts))

    def end(self) -> str:
        """What was held back, because it might have become a tag or a label."""
        rest, self._held = "" if self._thinks else self._held, ""
        if self._label is None:
            return self._stripped(rest)
        return shown(self._label + rest)

    def _without_label(self, text: str) -> str:
        if self._label is None:
            return self._stripped(text)
        self._label = (self._label + text).lstrip()
        if _OPEN_LABEL.fullmatch(self._label):
            return ""
        text, self._label = ANSWER_LABEL.sub("", self._label, count=1), None
        return self._stripped(text)

    def _stripped(self, text: str) -> str:
        """The text so far without spaces at its end, which wait for what follows, and at its beginning."""
        body = text.rstrip()
        if not body:
            self._spaces.append(text)
            return ""
        gain = body.lstrip() if self._is_empty else "".join([*self._spaces, body])
        self._spaces, self._is_empty = [text[len(body) :]], False
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
