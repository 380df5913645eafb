"""The progress of long-running work."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a stage: ``done`` of ``total`` (bytes or items), and the number of items written."""

    stage: str
    done: int
    total: int
    written: int
