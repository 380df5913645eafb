"""Where documents come from: an origin lists what it holds now, and reads what is asked for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gear_neo4j.domain import Passage
from gear_neo4j.sync.passages import PassageMaker


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as its origin lists it: its name, and its version, which is empty if it cannot be told."""

    name: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The documents of an origin in order, each once, and how many files of other kinds were left out, by suffix.

    ``problems`` are pairs of a name and what is wrong with it.
    """

    documents: tuple[Listed, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as it was read: its passages and the digest of its content, or the ``problem`` with it.

    Without a digest it could not be read at all, and nothing is known of its content.
    """

    listed: Listed
    digest: str = ""
    passages: tuple[Passage, ...] = ()
    problem: str | None = None


class Origin(Protocol):
    """A place that holds documents."""

    @property
    def name(self) -> str:
        """Its name, as records have it."""

    def list(self) -> Listing:
        """What it holds now.

        Raises:
            InputError: it is not there or cannot be read.
        """

    def digest(self, listed: Listed) -> str | None:
        """The digest of a document's content; None if it cannot be read."""

    def read(self, wanted: Sequence[Listed], maker: PassageMaker) -> Iterator[ReadDocument]:
        """The documents that are wanted, in any order; one that is gone meanwhile is left out.

        Raises:
            InputError: the origin cannot be read any more.
        """
