"""The views of callers, one for each scope, kept while in use, because a view caches what searches reuse."""

from collections import OrderedDict
from threading import Lock

from gear_neo4j.gear import Gear
from gear_neo4j.scope import EVERYTHING, Scope

MOST_VIEWS = 64


class Views:
    """Views of one ``Gear`` by scope; beyond ``most``, the least recently used one is dropped."""

    def __init__(self, gear: Gear, *, most: int = MOST_VIEWS) -> None:
        self._gear = gear
        self._most = most
        self._views: OrderedDict[Scope, Gear] = OrderedDict()
        self._lock = Lock()

    def of(self, scope: Scope) -> Gear:
        """The view of a scope; without a condition, the ``Gear`` itself."""
        if scope == EVERYTHING:
            return self._gear
        with self._lock:
            if scope not in self._views:
                self._views[scope] = self._gear.scoped(scope)
            self._views.move_to_end(scope)
            if len(self._views) > self._most:
                self._views.popitem(last=False)
            return self._views[scope]
