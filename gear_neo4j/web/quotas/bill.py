"""The tokens of one request, which are counted when it ends."""

from collections.abc import Callable
from threading import Lock

from gear_neo4j.usage import Usage


class Bill:
    """Adds up what the runs of a request spend; threads may share it.

    A run may outlast its request, because the client has left. Its later tokens are counted one reply at a time.

    Args:
        charge: counts tokens in the database.

    Example:
        >>> charged = []
        >>> bill = Bill(charged.append)
        >>> bill.add(Usage(input_tokens=5)), bill.add(Usage(output_tokens=2)), bill.settle()
        (None, None, None)
        >>> bill.add(Usage(input_tokens=1))
        >>> charged
        [7, 1]
    """

    def __init__(self, charge: Callable[[int], object]) -> None:
        self.charge = charge
        self._tokens = 0
        self._is_closed = False
        self._lock = Lock()

    def add(self, usage: Usage) -> None:
        """Add the usage of a reply."""
        with self._lock:
            if not self._is_closed:
                self._tokens += usage.tokens
                return
        if usage.tokens:
            self.charge(usage.tokens)

    def close(self) -> int:
        """The tokens to count now: all so far, and none if it is called again."""
        with self._lock:
            tokens, self._tokens, self._is_closed = self._tokens, 0, True
        return tokens

    def settle(self) -> None:
        """Count the tokens so far."""
        if tokens := self.close():
            self.charge(tokens)
