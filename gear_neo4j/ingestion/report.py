"""The report of an ingest: the items that it read, wrote and removed."""

from dataclasses import dataclass, field, fields
from typing import Self

from gear_neo4j.ingestion.sources import Files


@dataclass(slots=True)
class IngestReport:
    """The items that an ingest read, wrote and removed, and the triples that the rules extracted.

    ``problems`` counts the problems, which are reported as they occur; ``kept_readers`` counts the documents that keep
    their readers, because they were given more without ``widen``. ``skipped`` counts the files in folders that cannot
    be ingested, by suffix; ``links`` names the links out of their folders that were not followed; ``other_names`` has
    the names of folders whose own name was taken.
    """

    documents_read: int = 0
    passages_read: int = 0
    characters_read: int = 0
    passages_written: int = 0
    passages_replaced: int = 0
    passages_removed: int = 0
    triples_read: int = 0
    triples_written: int = 0
    triples_removed: int = 0
    entities_removed: int = 0
    passages_extracted: int = 0
    characters_extracted: int = 0
    triples_extracted: int = 0
    synonyms_written: int = 0
    problems: int = 0
    kept_readers: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    links: tuple[str, ...] = ()
    other_names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Files) -> Self:
        """The initial report of an ingest, with the files that were left out."""
        return cls(skipped=files.skipped, links=tuple(map(str, files.links)))

    def written(self, stage: str) -> int:
        """The number of passages or triples that a stage has written."""
        return self.passages_written if stage == "passages" else self.triples_written

    def add(self, other: Self) -> None:
        """Add the counts of a part of the ingest."""
        for entry in fields(self):
            if isinstance(count := getattr(other, entry.name), int):
                setattr(self, entry.name, getattr(self, entry.name) + count)
