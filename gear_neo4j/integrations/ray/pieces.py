"""Pieces of work between the stages of an ingest on Ray, pickled, because Arrow cannot represent them."""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gear_neo4j.extraction.reader import ExtractionResult
from gear_neo4j.extraction.run import ExtractionReport, Failure
from gear_neo4j.ingestion.batches import BatchOutcome
from gear_neo4j.ingestion.reading import PassageBatch, TripleBatch
from gear_neo4j.models.embeddings import Vectors

Row: TypeAlias = dict[str, Any]


class Packed:
    """A value that can be a row of a dataset."""

    __slots__ = ()

    def row(self) -> Row:
        """The row; :func:`unpacked` reverses this."""
        return {"piece": pickle.dumps(self)}


Batch: TypeAlias = PassageBatch | TripleBatch | ExtractionResult


@dataclass(frozen=True, slots=True)
class Piece(Packed):
    """Batches that one process writes in order, with vectors by text; ``size`` counts bytes or passages."""

    batches: Sequence[Batch]
    size: int
    vectors: Mapping[str, Vectors] = field(default_factory=dict)

    def rows(self) -> Row:
        """The piece as a batch of one row."""
        return {"piece": [pickle.dumps(self)]}


@dataclass(frozen=True, slots=True)
class Written(Packed):
    """The outcome of a piece."""

    size: int
    outcomes: Sequence[BatchOutcome] = ()
    extraction: ExtractionReport | None = None
    failures: Sequence[Failure] = ()


def unpacked(row: Row) -> Any:
    """The value in a row, or in the only row of a batch."""
    content = row["piece"]
    return pickle.loads(content[0] if isinstance(content, list) else content)
