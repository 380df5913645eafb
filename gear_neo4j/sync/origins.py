"""The protocol of origins, which list and read documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gear_neo4j.domain import Passage
from gear_neo4j.sync.passages import PassageMaker


@dataclass(frozen=True, slots=True)
class Listed:
    """A document in the listing of an origin: its name, and its version, which is empty if unknown."""

    name: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The documents of an origin in order, each once, and the numbers of skipped files by suffix.

    ``problems`` holds pairs of a name and a reason.
    """

    documents: tuple[Listed, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document after reading: its passages and the digest of its content, or the ``problem`` with it.

    The digest is empty if the document could not be read at all.
    """

    listed: Listed
    digest: str = ""
    passages: tuple[Passage, ...] = ()
    problem: str | None = None


class Origin(Protocol):
    """A source of documents, such as a folder or a table."""

    @property
    def name(self) -> str:
        """Its name in records."""

    def list(self) -> Listing:
        """List its documents.

        Raises:
            InputError: it does not exist or cannot be read.
        """

    def digest(self, listed: Listed) -> str | None:
        """The digest of a document's content; None if it cannot be read."""

    def read(self, wanted: Sequence[Listed], maker: PassageMaker) -> Iterator[ReadDocument]:
        """Read documents, in any order; documents that have been deleted meanwhile are left out.

        Raises:
            InputError: the origin cannot be read any more.
        """
