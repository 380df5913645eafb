"""How far a long piece of work is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is: ``done`` of ``total`` (bytes of its files, or items), and how many items it has finished."""

    stage: str
    done: int
    total: int
    written: int
