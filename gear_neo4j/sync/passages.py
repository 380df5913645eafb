"""Splits documents into passages: files in a separate process, texts in this one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gear_neo4j.domain import Passage, make_passage
from gear_neo4j.ingestion import heads
from gear_neo4j.ingestion.chunking import Converted, check_metadata, chunks, divided
from gear_neo4j.ingestion.conversion import Converter
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.parts import Part


@dataclass(frozen=True, slots=True)
class PassageMaker:
    """Makes passages of at most ``size`` characters."""

    converter: Converter
    size: int
    limits: Limits = DEFAULT_LIMITS

    def of_file(self, path: Path, *, source: str, name: str | None) -> Converted:
        """The passages of a file as a document; ``name`` replaces the file's own in titles and metadata.

        Raises:
            InputError: says why the file cannot be used.
        """
        return self.converter.convert(path, size=self.size, name=name, source=source)

    def of_parts(self, name: str, parts: Iterable[Part], *, metadata: Mapping[str, Any]) -> tuple[Passage, ...]:
        """The passages of a text in parts, without duplicates; ``metadata`` takes precedence over that of the parts.

        Raises:
            InputError: the metadata is too large for the number of passages.
        """
        whole = (replace(part, metadata=heads.fields({**metadata, **part.metadata, **metadata})) for part in parts)
        passages = divided(whole, source=name, size=self.size)
        check_metadata(passages, self.limits)
        return tuple(passages)

    def of_text(self, name: str, title: str, text: str, *, metadata: Mapping[str, Any]) -> tuple[Passage, ...]:
        """The passages of a text, without duplicates."""
        passages: dict[str, Passage] = {}
        for piece in chunks(text, size=self.size):
            passage = make_passage(name, title, piece.text, position=f"character {piece.start + 1}")
            passages.setdefault(passage.id, replace(passage, metadata=metadata))
        return tuple(passages.values())
