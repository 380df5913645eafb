"""Extracts triples without writing them, for Ray workers and bulk exports."""

from collections.abc import Sequence
from dataclasses import dataclass

from gear_neo4j.domain import Passage
from gear_neo4j.errors import ModelError, ReplyError
from gear_neo4j.extraction.extractor import Extractor
from gear_neo4j.extraction.run import FIRST, Failure, is_void, triples_of
from gear_neo4j.ingestion.admin.corpus_tables import ExtractedTriples
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.models.concurrency import outcomes
from gear_neo4j.roles.lists import Triples
from gear_neo4j.usage import Usage


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The triples that an extractor made from some passages, or why there are none."""

    triples: Sequence[tuple[Passage, Triples]]
    failures: Sequence[Failure]
    usage: Usage
    extractor: str


class PassageReader:
    """Reads passages with an extractor, concurrently."""

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor
        self._void = 0

    def read(self, passages: Sequence[Passage]) -> ExtractionResult:
        """The result of the extractor for some passages.

        Raises:
            ModelError: the model failed permanently, or none of its first ten replies had a triple.
        """
        found: list[tuple[Passage, Triples]] = []
        failures: list[Failure] = []
        usage = Usage()
        for passage, future in outcomes(iter(passages), self._extractor.extract, together=self._extractor.concurrency):
            try:
                outcome = future.result()
                found.append((passage, outcome.value))
                usage, void = usage + outcome.usage, is_void(outcome)
            except ReplyError as error:
                failures.append(Failure(passage, str(error)))
                usage, void = usage + error.usage, True
            self._judge(void=void and usage.calls > 0)
        return ExtractionResult(found, failures, usage, self._extractor.name)

    def _judge(self, *, void: bool) -> None:
        if not void:
            self._void = -1
        elif self._void >= 0:
            self._void += 1
            if self._void == FIRST:
                raise ModelError(
                    f"the model {self._extractor.name} gave no triple for any of the first {FIRST} passages that it "
                    "read: try another GEAR_CHAT_MODEL"
                )


class BulkReader:
    """Adapts an extractor to :class:`~gear_neo4j.ingestion.admin.export.AdminExport`."""

    def __init__(self, extractor: Extractor) -> None:
        self._reader = PassageReader(extractor)

    def __call__(self, passages: Sequence[Passage]) -> ExtractedTriples:
        """The triples that the extractor makes from passages.

        Raises:
            ModelError: see :meth:`Reader.read`.
        """
        extracted = self._reader.read(passages)
        return ExtractedTriples(
            extractor=extracted.extractor,
            triples={passage.id: triples_of([(passage, found)]) for passage, found in extracted.triples},
            problems=[Problem(failure.location, 0, f"no triples: {failure.reason}") for failure in extracted.failures],
            usage=extracted.usage,
        )
