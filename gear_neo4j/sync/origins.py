"""The protocol of origins, which list and read documents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from gear_neo4j.domain import Passage
from gear_neo4j.ingestion.lines import LONGEST_SOURCE
from gear_neo4j.ingestion.naming import SourceNames
from gear_neo4j.sync.passages import PassageMaker


@dataclass(frozen=True, slots=True)
class Listed:
    """A document in the listing of an origin: its name, and its version, which is empty if unknown.

    ``key`` is what the origin finds it by: a path below it, an address, or the key of a row. ``readers`` are those that
    the origin names, empty if it names none for this document; None if it says nothing of readers.
    """

    name: str
    version: str = ""
    key: str = ""
    readers: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The documents of an origin in order, each once, and the numbers of skipped files by suffix.

    ``problems`` holds pairs of a name and a reason. ``below`` is what the names of all documents begin with that the
    origin can have. ``failure`` says why the listing ended too early: what is not in it is not gone.
    ``fields_left_out`` counts the fields that cannot be metadata.
    """

    documents: tuple[Listed, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[tuple[str, str], ...] = ()
    below: tuple[str, ...] = ()
    failure: str = ""
    fields_left_out: Mapping[str, int] = field(default_factory=dict)

    def named(self, name: Callable[[Listed], str]) -> "Listing":
        """The documents by other names; of several with one name only the first."""
        documents: dict[str, Listed] = {}
        problems = list(self.problems)
        for listed in self.documents:
            new = replace(listed, name=name(listed))
            if len(new.name) > LONGEST_SOURCE:
                problems.append((listed.key, f"has a name longer than {LONGEST_SOURCE:,} characters: move it up"))
            elif documents.setdefault(new.name, new) is not new:
                problems.append(
                    (listed.key, f"is the same document as {documents[new.name].key}: both are {new.name!r}")
                )
        return replace(self, documents=tuple(documents[one] for one in sorted(documents)), problems=tuple(problems))


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document after reading: its passages and the digest of its content, or the ``problem`` with it.

    ``remarks`` say what was not read of it, or only assumed. The digest is empty if the document could not be read this
    time: what is stored of it stays, and the next sync reads it again.
    """

    listed: Listed
    digest: str = ""
    passages: tuple[Passage, ...] = ()
    problem: str | None = None
    remarks: tuple[str, ...] = ()


class Origin(Protocol):
    """Where documents are, such as a folder or a table."""

    @property
    def name(self) -> str:
        """Where it is, for messages."""

    def named(self, listing: Listing, sources: SourceNames) -> tuple[str, Listing]:
        """Its name in records, and its documents by the names that they have in a collection.

        Raises:
            InputError: the source is known by its name, but none of its documents is there.
        """

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
