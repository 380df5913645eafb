"""The report of an ingest: what it read, wrote and removed."""

from dataclasses import dataclass, field, fields
from typing import Self

from gear_neo4j.ingestion.sources import Files


@dataclass(slots=True)
class IngestReport:
    """What an ingest read, wrote and removed, and what the rules extracted.

    ``problems`` counts what could not be used, each reported as it came up; ``skipped`` counts the files in folders
    that are of no kind that can be ingested, by suffix; ``links`` names the links out of their folders that were not
    followed.
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
    skipped: dict[str, int] = field(default_factory=dict)
    links: tuple[str, ...] = ()

    @classmethod
    def of(cls, files: Files) -> Self:
        """The report of an ingest that begins: what of its files was left out."""
        return cls(skipped=files.skipped, links=tuple(map(str, files.links)))

    def written(self, stage: str) -> int:
        """How many items a stage has written: passages or triples."""
        return self.passages_written if stage == "passages" else self.triples_written

    def add(self, other: Self) -> None:
        """Add the counts of a part of the ingest."""
        for one in fields(self):
            if isinstance(count := getattr(other, one.name), int):
                setattr(self, one.name, getattr(self, one.name) + count)
