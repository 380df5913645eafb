"""One extraction: waiting passages are read in parallel, and committed with their triples.

A killed extraction can be repeated: passages that were read are skipped, and unwritten replies come from the cache.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from gear_neo4j.domain import Passage, Triple, make_triple
from gear_neo4j.errors import ModelError, ReplyError
from gear_neo4j.extraction.extractor import Extractor
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.extraction_queue import Selection
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.writers import Writers
from gear_neo4j.ingestion.writing import TriplesWritten, write_triples
from gear_neo4j.models.chat import Reply
from gear_neo4j.models.concurrency import outcomes
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.roles.lists import Triples
from gear_neo4j.usage import Usage

PASSAGES_A_PAGE = 500
# After this many initial replies without a triple, the model is considered unable to extract.
FIRST = 10
# On musique_train100 the rules make a triple per 45 characters; an estimate of the load needs no more precision.
CHARACTERS_A_TRIPLE = 50
Outcome = Reply[Triples] | ReplyError


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """The state of an extraction: the extractor, passages in total, done and failed, triples written and malformed.

    ``characters`` is the total length of the passages.
    """

    extractor: str = ""
    total: int = 0
    characters: int = 0
    done: int = 0
    failed: int = 0
    triples: int = 0
    malformed: int = 0
    usage: Usage = Usage()
    stopped: Literal["", "budget"] = ""

    @property
    def progress(self) -> Progress:
        """The passages done so far."""
        return Progress(self.extractor, self.done + self.failed, self.total, self.triples)


@dataclass(frozen=True, slots=True)
class Failure:
    """A passage without a usable result, and the reason."""

    passage: Passage
    reason: str

    @property
    def location(self) -> str:
        """The location of the passage; without a position, its source and id."""
        passage = self.passage
        if passage.source and not passage.position:
            return f"{passage.source}, passage {passage.id}"
        return passage.location or passage.id

    def __str__(self) -> str:
        return f"{self.location}: no triples: {self.reason}"


@dataclass(slots=True)
class Extraction:
    """One extraction from the passages that wait for an extractor.

    Args:
        again: also read passages that other extractors have read.
        max_tokens: start no passage once this many tokens are spent.
        retry_failed: also read passages with a recorded failure.
        collection: read only the passages of this collection; None means all.
        on_failure: called for each passage without a usable reply; the failure is recorded, and the run continues.
        on_progress: called after each commit.
    """

    graph: Graph
    embedder: Embedder
    extractor: Extractor
    again: bool = False
    max_tokens: int | None = None
    retry_failed: bool = False
    collection: str | None = None
    on_failure: Callable[[Failure], None] = lambda _: None
    on_progress: Callable[[ExtractionReport], None] = lambda _: None
    so_far: ExtractionReport = ExtractionReport()
    _held: list[tuple[Passage, Outcome]] = field(default_factory=list)
    _ready: list[tuple[Passage, Triples]] = field(default_factory=list)

    @property
    def selection(self) -> Selection:
        """The passages that the extractor reads."""
        return Selection(self.extractor.name, None if self.again else self.extractor.beside, self.collection)

    def run(self) -> ExtractionReport:
        """Extract from every waiting passage.

        Raises:
            ModelError: the model failed permanently, or none of its first ten replies had a triple; written triples
                stay, and the next run continues from there.
        """
        backlog = self.graph.extraction.backlog(self.selection, failed=self.retry_failed)
        self.so_far = replace(
            self.so_far, extractor=self.extractor.name, total=backlog.passages, characters=backlog.characters
        )
        if not backlog.passages:
            return self.so_far
        self.on_progress(self.so_far)
        results = outcomes(
            self._passages(),
            self.extractor.extract,
            together=self.extractor.concurrency,
            go_on=lambda: self.so_far.usage.within(self.max_tokens),
        )
        expected = backlog.characters // CHARACTERS_A_TRIPLE if self.extractor.batch > 1 else 0
        with (
            self.graph.loading(dimension=self.embedder.dimension, expected=expected),
            closing(results),
            Writers() as writers,
        ):
            for passage, outcome in results:
                self._settle(passage, outcome, writers)
            self._write_held(writers)
            self._commit(writers)
        final = self.so_far
        if not final.usage.within(self.max_tokens) and final.done + final.failed < final.total:
            self.so_far = replace(final, stopped="budget")
        return self.so_far

    def _passages(self) -> Iterator[Passage]:
        after = ""
        while page := self.graph.extraction.page(
            self.selection, after=after, limit=PASSAGES_A_PAGE, failed=self.retry_failed
        ):
            yield from page
            after = page[-1].id

    def _settle(self, passage: Passage, future: Future[Reply[Triples]], writers: Writers) -> None:
        """Handle the outcome of a passage; until the model's first triple, outcomes are only held."""
        outcome: Outcome
        try:
            outcome = future.result()
        except ReplyError as error:
            outcome = error
        usage = self.so_far.usage + outcome.usage
        self.so_far = replace(self.so_far, usage=usage)
        if usage.calls and self.so_far.triples == 0 and is_void(outcome):
            self._held.append((passage, outcome))
            if len(self._held) == FIRST:
                raise ModelError(
                    f"the model {self.extractor.name} gave no triple for any of the first {FIRST} passages: "
                    "try another GEAR_CHAT_MODEL; nothing was recorded",
                    usage=usage,
                )
            return
        self._take(passage, outcome, writers)
        self._write_held(writers)

    def _write_held(self, writers: Writers) -> None:
        while self._held:
            self._take(*self._held.pop(0), writers)

    def _take(self, passage: Passage, outcome: Outcome, writers: Writers) -> None:
        if isinstance(outcome, ReplyError):
            self.graph.extraction.record_error(passage.id, error=str(outcome), extractor=self.extractor.name)
            self.on_failure(Failure(passage, str(outcome)))
            self.so_far = replace(self.so_far, failed=self.so_far.failed + 1)
            self.on_progress(self.so_far)
            return
        self._ready.append((passage, outcome.value))
        if len(self._ready) >= self.extractor.batch:
            self._commit(writers)
        if self.extractor.batch == 1:
            # A paid reply is written before the next one is handled.
            writers.drain()

    def _commit(self, writers: Writers) -> None:
        batch, self._ready = self._ready, []
        if batch:
            writers.submit(partial(self._write, batch), partial(self._written, batch))

    def _write(self, batch: list[tuple[Passage, Triples]]) -> TriplesWritten:
        return write_extracted(self.graph, batch, embedder=self.embedder, extractor=self.extractor.name)

    def _written(self, batch: list[tuple[Passage, Triples]], written: TriplesWritten) -> None:
        self.so_far = replace(
            self.so_far,
            done=self.so_far.done + len(batch),
            triples=self.so_far.triples + written.new,
            malformed=self.so_far.malformed + sum(extracted.malformed for _, extracted in batch),
        )
        self.on_progress(self.so_far)


def triples_of(extracted: Sequence[tuple[Passage, Triples]]) -> list[Triple]:
    """The triples with ids of what was extracted from passages."""
    return [
        make_triple(passage.id, fact.subject, fact.predicate, fact.object)
        for passage, triples in extracted
        for fact in triples.facts
    ]


def write_extracted(
    graph: Graph, extracted: Sequence[tuple[Passage, Triples]], *, embedder: Embedder, extractor: str
) -> TriplesWritten:
    """Write the triples of some passages and mark the passages as read, in one transaction."""
    passages = [passage for passage, _ in extracted]
    return write_triples(
        graph,
        triples_of(extracted),
        completed=[passage.id for passage in passages],
        embedder=embedder,
        extractor=extractor,
        read=passages,
    )


def is_void(outcome: Outcome) -> bool:
    """Whether an outcome has no triple."""
    return isinstance(outcome, ReplyError) or not outcome.value.facts
