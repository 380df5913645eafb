"""Splits documents into passages: files in a separate process, texts in this one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gear_neo4j.domain import Passage, make_passage
from gear_neo4j.ingestion.chunking import Converted, chunks
from gear_neo4j.ingestion.conversion import Converter


@dataclass(frozen=True, slots=True)
class PassageMaker:
    """Makes passages of at most ``size`` characters."""

    converter: Converter
    size: int

    def of_file(self, path: Path, *, source: str, name: str | None) -> Converted:
        """The passages of a file as a document; ``name`` replaces the file's own in titles and metadata.

        Raises:
            InputError: says why the file cannot be used.
        """
        return self.converter.convert(path, size=self.size, name=name, source=source)

    def of_text(self, name: str, title: str, text: str, *, metadata: Mapping[str, Any]) -> tuple[Passage, ...]:
        """The passages of a text, without duplicates."""
        passages: dict[str, Passage] = {}
        for piece in chunks(text, size=self.size):
            passage = make_passage(name, title, piece.text, position=f"character {piece.start + 1}")
            passages.setdefault(passage.id, replace(passage, metadata=metadata))
        return tuple(passages.values())
