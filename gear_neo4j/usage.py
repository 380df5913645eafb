"""The calls of language models and their cost."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls and tokens of a language model; adds up with ``+``.

    ``calls`` counts the requests that it answered, each repair of an unusable reply included; ``cached``
    counts the answers from the cache, which cost nothing. ``estimated`` is True if a reply did not report its tokens,
    which are then estimated as a quarter of the characters.

    Example:
        >>> Usage(calls=1, input_tokens=900, output_tokens=50) + Usage(cached=1)
        Usage(calls=1, input_tokens=900, output_tokens=50, cached=1, retries=0, estimated=False)
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached: int = 0
    retries: int = 0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached + other.cached,
            self.retries + other.retries,
            self.estimated or other.estimated,
        )

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens

    def within(self, most: int | None) -> bool:
        """Whether fewer than ``most`` tokens are spent; always without a limit.

        Example:
            >>> Usage(input_tokens=90, output_tokens=10).within(100)
            False
        """
        return most is None or self.tokens < most

    def cost(self, price: tuple[float, float]) -> float:
        """The cost of the tokens, at prices per million input and output tokens.

        Example:
            >>> Usage(calls=1, input_tokens=2_000_000, output_tokens=500_000).cost((0.15, 0.60))
            0.6
        """
        return (self.input_tokens * price[0] + self.output_tokens * price[1]) / 1_000_000


OnUsage = Callable[[Usage], object]
_LISTENER: ContextVar[OnUsage | None] = ContextVar("gear_neo4j_usage", default=None)


def listen(on_usage: OnUsage) -> Token[OnUsage | None]:
    """Report each reply of a model from now on: in this context, and in threads that run in a copy of it.

    ``on_usage`` is called in the thread of the call. Whoever started a run hears of its replies even if the run fails,
    is cancelled, or outlasts its caller.
    """
    return _LISTENER.set(on_usage)


@contextmanager
def listening(on_usage: OnUsage) -> Iterator[None]:
    """:func:`listen` in a block.

    Example:
        >>> heard = []
        >>> with listening(heard.append):
        ...     spend(Usage(calls=1, input_tokens=9))
        >>> spend(Usage(calls=1))
        >>> [usage.tokens for usage in heard]
        [9]
    """
    token = listen(on_usage)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def spend(usage: Usage) -> None:
    """Report the usage of a reply to the listener, if any."""
    if on_usage := _LISTENER.get():
        on_usage(usage)
