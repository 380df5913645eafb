"""One database view for a whole server, opened by the first call."""

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from gear_neo4j.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from starlette.requests import Request

    from gear_neo4j.gear.front import Gear


class OneGear:
    """Returns the same view for every request; if a call cannot open it, the next one tries again.

    Args:
        connect: opens the connection, even if the call is cancelled meanwhile.
        scope: what the server may see.
    """

    def __init__(self, connect: "Callable[[], Gear]", *, scope: Scope = EVERYTHING) -> None:
        self._connect = connect
        self._scope = scope
        self._opening = Lock()
        self._gear: Gear | None = None
        self._view: Gear | None = None

    def gear_for(self, _: "Request | None") -> "Gear":
        """The view, for any request.

        Raises:
            GearError: it cannot be opened; the next call tries again.
        """
        with self._opening:
            if self._view is None:
                self._gear = self._connect()
                self._view = self._gear.scoped(self._scope)
            return self._view

    def close(self) -> None:
        """Close the connection, if it was opened."""
        with self._opening:
            if self._gear is not None:
                self._gear.close()
                self._gear = self._view = None
