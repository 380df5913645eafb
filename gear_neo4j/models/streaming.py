"""The visible text of a reply while it is written: without thoughts, and without a label before it."""

import re
from collections.abc import Callable

OnToken = Callable[[str], None]

# Maximum length of a label with its punctuation, so that a reply of punctuation only is not held back to its end.
# Marks of bold text before the label may be closed behind its colon; others there belong to the answer.
ANSWER_LABEL = re.compile(
    r"\A\W{0,40}?(?P<mark>[*_]{0,3})(?:final\s{1,3})?answer[^\w:：]{0,10}[:：](?:(?P=mark)(?=\s|\Z))?\s*", re.IGNORECASE
)
# What models call their thoughts, in tags such as <think>, [THINK] and ◁think▷.
_THOUGHTS = ("reasoning", "thinking", "thought", "think")
_TAG = re.compile(rf"[<\[◁](/?)(?:{'|'.join(_THOUGHTS)})[>\]▷]", re.IGNORECASE)
_LONGEST_TAG = len(max(_THOUGHTS, key=len)) + len("</>")
# The beginnings of tags and labels: text that could still become one is held back.
_BEGUN = sorted({word[:length] for word in _THOUGHTS for length in range(1, len(word) + 1)}, key=len, reverse=True)
_OPEN_TAG = re.compile(rf"[<\[◁]/?(?:{'|'.join(_BEGUN)})?\Z", re.IGNORECASE)
_OPEN_LABEL = re.compile(
    r"\W{0,40}(?:f(?:i(?:na?)?)?|"
    r"(?:final\s{0,3})?(?:a(?:n(?:s(?:w(?:e(?:r[^\w:：]{0,10}(?:[:：][*_]{0,3})?)?)?)?)?)?)?)",
    re.IGNORECASE,
)


class VisibleText:
    """The visible part of a text that comes in pieces, however it is split.

    A model may end thoughts that it did not begin. Those were already passed on, so the text after them starts a new
    paragraph.

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
        self._body = _Body()

    def feed(self, piece: str) -> str:
        """The text that becomes visible with another piece."""
        self._held += piece
        gained = []
        while tag := _TAG.search(self._held):
            ends = bool(tag[1])
            if not self._thinks:
                gained.append(self._body.feed(self._held[: tag.start()]))
                if ends:
                    self._body = _Body(gap="" if self._body.is_empty else "\n\n")
            self._held, self._thinks = self._held[tag.end() :], not ends
        if self._thinks:
            self._held = self._held[-_LONGEST_TAG:]
            return "".join(gained)
        tag = _OPEN_TAG.search(self._held)
        end = tag.start() if tag else len(self._held)
        gained.append(self._body.feed(self._held[:end]))
        self._held = self._held[end:]
        return "".join(gained)

    def end(self) -> str:
        """The text held back because it might have become a tag or a label."""
        rest, self._held = "" if self._thinks else self._held, ""
        return self._body.end(rest)


class _Body:
    """A text without thoughts, in pieces; removes its label and surrounding spaces."""

    def __init__(self, *, gap: str = "") -> None:
        # The beginning, until it is clear whether it is a label.
        self._label: str | None = ""
        self._is_first = True
        self._gap = gap
        self._spaces: list[str] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing was shown so far, not even before the gap."""
        return self._is_first and not self._gap

    def feed(self, text: str) -> str:
        """The text that becomes visible with another piece."""
        if self._label is None:
            return self._stripped(text)
        self._label = (self._label + text).lstrip()
        if _OPEN_LABEL.fullmatch(self._label):
            return ""
        text, self._label = without_label(self._label), None
        return self._stripped(text)

    def end(self, rest: str) -> str:
        """The text held back, with the rest of the text."""
        if self._label is not None:
            rest, self._label = without_label((self._label + rest).strip()), None
        return self._stripped(rest)

    def _stripped(self, text: str) -> str:
        """The text so far, without leading spaces, and without trailing ones, which wait for more text."""
        body = text.rstrip()
        if not body:
            self._spaces.append(text)
            return ""
        gained = self._gap + body.lstrip() if self._is_first else "".join([*self._spaces, body])
        self._spaces, self._is_first = [text[len(body) :]], False
        return gained


def shown(text: str) -> str:
    """The visible part of a whole text.

    Example:
        >>> shown("<think>Varna?</think> **Answer**: In Varna.")
        'In Varna.'
    """
    return without_label(without_thoughts(text).strip())


def without_label(text: str) -> str:
    """A text without the label of an answer at its beginning."""
    return ANSWER_LABEL.sub("", text, count=1)


def without_thoughts(text: str) -> str:
    """A reply without the model's thoughts, as parsers get it.

    Unclosed thoughts extend to the end of the reply. If they are closed but not opened, because the prompt of the model
    opens them, everything before is thoughts.

    Example:
        >>> without_thoughts("<think>Seven?</think>7"), without_thoughts("Seven?</think>7")
        ('7', '7')
    """
    parts, thinks, start = list[str](), False, 0
    for tag in _TAG.finditer(text):
        ends = bool(tag[1])
        if ends and not thinks:
            parts.clear()
        elif not thinks:
            parts.append(text[start : tag.start()])
        thinks, start = not ends, tag.end()
    return "".join(parts if thinks else [*parts, text[start:]])


class Listener:
    """Passes visible text on; ``done`` once it has passed on a piece, because no other reply may follow it."""

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
    """Wraps an error of a listener; not an Exception, so that it is not retried as a failure of the model."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error
