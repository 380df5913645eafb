"""Passages read by an extractor, for those who write the triples elsewhere: workers of Ray, and a bulk export."""

from collections.abc import Sequence
from dataclasses import dataclass

from gear_neo4j.domain import Passage
from gear_neo4j.errors import ModelError, ReplyError
from gear_neo4j.extraction.extractor import Extractor
from gear_neo4j.extraction.run import FIRST, Failure, is_void, triples_of
from gear_neo4j.ingestion.admin.corpus_tables import Read
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.models.concurrency import outcomes
from gear_neo4j.roles.lists import Triples
from gear_neo4j.usage import Usage


@dataclass(frozen=True, slots=True)
class Extracted:
    """What an extractor made of some passages: triples, or the reason for which there are none."""

    triples: Sequence[tuple[Passage, Triples]]
    failures: Sequence[Failure]
    usage: Usage
    extractor: str


class Reader:
    """Reads passages by an extractor, as many at a time as it takes."""

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor
        self._void = 0

    def read(self, passages: Sequence[Passage]) -> Extracted:
        """What the extractor makes of passages.

        Raises:
            ModelError: the model failed for good, or its first ten replies of all held no triple.
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
        return Extracted(found, failures, usage, self._extractor.name)

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
    """An extractor as :class:`~gear_neo4j.ingestion.admin.export.AdminExport` calls it."""

    def __init__(self, extractor: Extractor) -> None:
        self._reader = Reader(extractor)

    def __call__(self, passages: Sequence[Passage]) -> Read:
        """The triples that the extractor finds in passages.

        Raises:
            ModelError: see :meth:`Reader.read`.
        """
        extracted = self._reader.read(passages)
        return Read(
            extractor=extracted.extractor,
            triples={passage.id: triples_of([(passage, found)]) for passage, found in extracted.triples},
            problems=[Problem(failure.place, 0, f"no triples: {failure.reason}") for failure in extracted.failures],
            usage=extracted.usage,
        )
