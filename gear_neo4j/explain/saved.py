"""Reads a saved answer, search or trace into one common type."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as File
from typing import Any, Literal

from gear_neo4j.agents.answer import Answer, Citation, Judgement, QueryAttempt, ToolCall, Trace
from gear_neo4j.agents.ranking import final_ranking
from gear_neo4j.domain import EntityHit, Fact, Figure, Hit, Hits, Passage, Path
from gear_neo4j.retrieval.reasons import found_by
from gear_neo4j.roles.parsers import parse_answer
from gear_neo4j.wire import read_run

_RANKED = 20


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a run: its paths, best first, the facts noted from them, and the verdict.

    Agents that query the graph have ``queries``, agents with critics ``judgements``, planning agents ``plan`` and
    ``tool_calls``.
    """

    number: int
    question: str
    paths: tuple[Path, ...] = ()
    facts: tuple[Fact, ...] = ()
    verdict: str = ""
    queries: tuple[QueryAttempt, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    plan: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A saved run; ``provenance`` says why each passage was found, if the file has that.

    ``entities``, ``figure`` and ``doubt`` come from a search over an adopted graph. ``scope`` is the JSON of the scope,
    empty without one.
    """

    kind: Literal["search", "answer", "trace"]
    question: str
    turns: tuple[Turn, ...]
    by: str = ""
    ranking: tuple[str, ...] = ()
    passages: Mapping[str, Passage] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    citations: tuple[Citation, ...] = ()
    entities: tuple[EntityHit, ...] = ()
    figure: Figure | None = None
    doubt: str = ""
    scope: Mapping[str, Any] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths of all turns."""
        return tuple(path for turn in self.turns for path in turn.paths)

    @property
    def cited(self) -> dict[str, tuple[str, ...]]:
        """The markers of each passage that the answer cites, by its id."""
        markers: dict[str, tuple[str, ...]] = {}
        for citation in self.citations:
            if citation.passage:
                markers[citation.passage.id] = (*markers.get(citation.passage.id, ()), citation.marker)
        return markers


def read_saved(file: File) -> SavedRun:
    """Read the output of ``gear search --json``, ``gear ask --json`` or ``gear ask --trace``.

    Raises:
        InputError: the file cannot be read, or is not a saved run.
    """
    return saved_from(read_run(file))


def saved_from(run: Hits | Answer | Trace) -> SavedRun:
    """The parts of a run to show.

    Example:
        >>> saved_from(Hits("Who?", "naive", ())).kind
        'search'
    """
    match run:
        case Hits():
            return _search(run)
        case Answer():
            return _answer(run)
        case Trace():
            return _trace(run)


def _search(hits: Hits) -> SavedRun:
    return SavedRun(
        "search",
        hits.question,
        (Turn(1, hits.question, hits.paths),),
        by=hits.retriever,
        ranking=tuple(hit.passage.id for hit in hits),
        passages={hit.passage.id: hit.passage for hit in hits},
        provenance=_provenance(hits),
        entities=hits.entities,
        figure=hits.figure,
        doubt=hits.doubt,
        scope=hits.scope,
    )


def _answer(answer: Answer) -> SavedRun:
    passages = {hit.passage.id: hit.passage for hit in answer.hits}
    return SavedRun(
        "answer",
        answer.question,
        _turns(answer.trace),
        by=answer.trace.roles,
        ranking=tuple(passages),
        passages=_title_only(answer.trace) | passages,
        provenance=_provenance(answer.hits),
        answer=answer.text,
        citations=answer.citations,
        entities=answer.hits.entities,
        figure=answer.hits.figure,
        doubt=answer.hits.doubt,
        scope=answer.trace.scope,
    )


def _trace(trace: Trace) -> SavedRun:
    passages = _title_only(trace)
    ranking = tuple(item.id for item in final_ranking(trace))[:_RANKED]
    return SavedRun(
        "trace",
        trace.question,
        _turns(trace),
        by=trace.roles,
        ranking=ranking,
        passages=passages,
        answer=trace.answer,
        citations=_citations(trace, ranking, passages),
        scope=trace.scope,
    )


def _citations(trace: Trace, ranking: Sequence[str], passages: Mapping[str, Passage]) -> tuple[Citation, ...]:
    """The citations of a trace's answer, whose markers number passages and facts in these orders."""
    if not trace.answer.strip():
        return ()
    draft = parse_answer(trace.answer, passages=len(ranking), facts=len(trace.gist))
    numbered = [passages.get(id, Passage(id, "", "")) for id in ranking]
    cited = [Citation(str(number), passage=numbered[number - 1]) for number in draft.passages]
    return (*cited, *(Citation(f"F{number}", fact=trace.gist[number - 1]) for number in draft.facts))


def _turns(trace: Trace) -> tuple[Turn, ...]:
    words = {None: "", True: "These facts suffice: ", False: "Still missing: "}
    return tuple(
        Turn(
            step.number,
            step.question,
            step.paths,
            step.gist,
            # The reason of agents that decide on an action already names it.
            ("" if step.action else words[step.answerable]) + step.reason,
            step.queries,
            step.judgements,
            step.plan,
            step.tool_calls,
        )
        for step in trace.steps
    )


def _title_only(trace: Trace) -> dict[str, Passage]:
    return {id: Passage(id, title, "") for id, title in trace.titles.items()}


def _provenance(hits: Hits) -> dict[str, str]:
    """Why each hit was found, as text: its score, its ranks, and the path to it."""
    return {hit.passage.id: " · ".join(filter(None, _reasons(hit, hits))) for hit in hits}


def _reasons(hit: Hit, hits: Hits) -> tuple[str, ...]:
    path = hits.path_to(hit.passage.id)
    return f"score {hit.score:.3f}", found_by(hit, question=hits.question), f"via {path}" if path else ""
