"""The events of a run as an iterator: the run has its own thread, the consumer reads from a queue."""

import contextvars
from collections.abc import Callable, Iterator
from queue import Queue
from threading import Thread
from typing import Self

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import Event
from gear_neo4j.cancellation import cancellable

Ask = Callable[[Callable[[Event], None]], Answer]


class EventStream(Iterator[Event]):
    """The events of ``ask``, one by one; its exceptions are raised here.

    If it is closed or dropped early, the run ends at its next step.
    """

    def __init__(self, ask: Ask) -> None:
        self._queue: Queue[Event | BaseException | None] = Queue()
        with cancellable() as self._cancel:
            # The run gets the flag and the rest of the caller's context.
            context = contextvars.copy_context()
        queue = self._queue
        # The thread must not hold a reference to the stream, or it would never be dropped.
        Thread(target=context.run, args=(_run, ask, queue), name="gear-stream", daemon=True).start()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        item = self._queue.get()
        if isinstance(item, Event):
            return item
        # Every further call reports the end again.
        self._queue.put(item if item is None else None)
        if item is not None:
            raise item
        raise StopIteration

    def close(self) -> None:
        """End the run at its next step."""
        self._cancel.set()

    def __del__(self) -> None:
        self.close()


def _run(ask: Ask, queue: "Queue[Event | BaseException | None]") -> None:
    try:
        ask(queue.put)
    except BaseException as error:
        queue.put(error)
    else:
        queue.put(None)
