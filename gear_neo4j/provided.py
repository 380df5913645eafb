"""What a lower floor asks for and a higher one provides: only the package itself names both."""

from importlib import import_module
from typing import Any

_MODULES: dict[str, str] = {}


def provide(**modules: str) -> None:
    """Name the module of each role; it is imported when it is asked for first."""
    _MODULES.update(modules)


def provided(role: str) -> Any:
    """The module of a role."""
    return import_module(_MODULES[role])
