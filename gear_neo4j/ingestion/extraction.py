"""Triples from passages by a language model: in parallel, each passage committed by itself with its status.

Killed at any point, it can be run again: passages with a status are skipped, and a reply received but not yet written
comes from the cache.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Literal

from gear_neo4j.domain import Passage, Triple, make_triple
from gear_neo4j.errors import ModelError, ReplyError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.extractor import Extractor
from gear_neo4j.ingestion.writing import write_triples
from gear_neo4j.models.chat import Reply
from gear_neo4j.models.concurrency import outcomes
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.roles.lists import Triples
from gear_neo4j.roles.prompts import fill
from gear_neo4j.usage import Usage

PASSAGES_A_PAGE = 100
# After this many passages without any triple, the model is judged unable to extract.
FIRST = 10
# Measured on musique_train100: entities and triples as JSON are 1.43 times as long as the passage.
REPLY_LENGTH = 1.43
CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expected cost of an extraction, estimated at four characters a token."""

    passages: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """The state of an extraction: passages in all, done and failed, triples written and malformed."""

    total: int = 0
    done: int = 0
    failed: int = 0
    triples: int = 0
    malformed: int = 0
    usage: Usage = Usage()
    stopped: Literal["", "budget"] = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """A passage that the model gave no usable reply for, and why."""

    passage: Passage
    reason: str

    def __str__(self) -> str:
        place = ", ".join(part for part in (self.passage.source, self.passage.position) if part)
        return f"{place or self.passage.id}: no triples: {self.reason}"


def forecast(passages: int, characters: int) -> Forecast:
    """The expected cost of extracting from passages with this many characters together.

    Example:
        >>> forecast(100, 50_000).usage.calls
        100
    """
    prompt = fill("extraction", passage="")
    sent = passages * (len(prompt.system) + len(prompt.user)) + characters
    spent = Usage(
        calls=passages,
        input_tokens=sent // CHARACTERS_A_TOKEN,
        output_tokens=round(characters * REPLY_LENGTH) // CHARACTERS_A_TOKEN,
        estimated=True,
    )
    return Forecast(passages, spent)


@dataclass(slots=True)
class Extraction:
    """One extraction: the passages of a database without status, read by an extractor.

    Args:
        max_tokens: no passage is started once this many are spent.
        retry_failed: also read the passages whose failure is on record.
        on_failure: called with each passage without a usable reply; it is recorded, and the rest goes on.
        on_progress: called after each passage.
    """

    graph: Graph
    embedder: Embedder
    extractor: Extractor
    max_tokens: int | None = None
    retry_failed: bool = False
    on_failure: Callable[[Failure], None] = lambda _: None
    on_progress: Callable[[ExtractionReport], None] = lambda _: None
    so_far: ExtractionReport = ExtractionReport()
    _held: list[tuple[Passage, Reply[Triples] | ReplyError]] = field(default_factory=list)

    def run(self) -> ExtractionReport:
        """Extract from every passage without status.

        Raises:
            ModelError: the model failed for good, or gave no triple for the first ten passages; what was written before
                stays, and the next run goes on from there.
        """
        backlog = self.graph.extraction.backlog(failed=self.retry_failed)
        self.so_far = replace(self.so_far, total=backlog.passages)
        self.on_progress(self.so_far)
        results = outcomes(
            self._passages(),
            self.extractor.extract,
            together=self.extractor.concurrency,
            go_on=lambda: self.so_far.usage.within(self.max_tokens),
        )
        with closing(results):
            for passage, outcome in results:
                self._settle(passage, outcome)
        self._write_held()
        final = self.so_far
        if not final.usage.within(self.max_tokens) and final.done + final.failed < final.total:
            self.so_far = replace(final, stopped="budget")
        return self.so_far

    def _passages(self) -> Iterator[Passage]:
        after = ""
        while page := self.graph.extraction.page(after=after, limit=PASSAGES_A_PAGE, failed=self.retry_failed):
            yield from page
            after = page[-1].id

    def _settle(self, passage: Passage, future: Future[Reply[Triples]]) -> None:
        """Write the outcome of a passage; until the first triple of all, only hold it."""
        outcome: Reply[Triples] | ReplyError
        try:
            outcome = future.result()
        except ReplyError as error:
            outcome = error
        usage = self.so_far.usage + outcome.usage
        self.so_far = replace(self.so_far, usage=usage)
        if self.so_far.triples == 0 and (isinstance(outcome, ReplyError) or not outcome.value.facts):
            self._held.append((passage, outcome))
            if len(self._held) == FIRST:
                raise ModelError(
                    f"the model {self.extractor.name} gave no triple for any of the first {FIRST} passages: "
                    "try another GEAR_CHAT_MODEL; nothing was recorded",
                    usage=usage,
                )
            return
        self._write(passage, outcome)
        self._write_held()

    def _write_held(self) -> None:
        while self._held:
            self._write(*self._held.pop(0))

    def _write(self, passage: Passage, outcome: Reply[Triples] | ReplyError) -> None:
        if isinstance(outcome, ReplyError):
            self.graph.extraction.record_error(passage.id, error=str(outcome), model=self.extractor.name)
            self.on_failure(Failure(passage, str(outcome)))
            self.so_far = replace(self.so_far, failed=self.so_far.failed + 1)
        else:
            facts = outcome.value.facts
            triples = [make_triple(passage.id, fact.subject, fact.predicate, fact.object) for fact in facts]
            self._write_triples(passage, triples, outcome.value.malformed)
        self.on_progress(self.so_far)

    def _write_triples(self, passage: Passage, triples: list[Triple], malformed: int) -> None:
        written = write_triples(
            self.graph, triples, completed=[passage.id], embedder=self.embedder, model=self.extractor.name
        )
        self.so_far = replace(
            self.so_far,
            done=self.so_far.done + 1,
            triples=self.so_far.triples + written.new,
            malformed=self.so_far.malformed + malformed,
        )
