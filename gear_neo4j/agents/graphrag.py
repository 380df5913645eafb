"""GraphRAG (Edge et al. 2024) over the graph's own triples: questions about things, and about the whole of it."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, TypeVar

from gear_neo4j.agents.answer import Answer, Judgement
from gear_neo4j.agents.run import OnEvent, Run
from gear_neo4j.communities import store as communities
from gear_neo4j.communities.store import Community, Hierarchy
from gear_neo4j.domain import Fact, Hit, Hits, Passage, Source
from gear_neo4j.errors import InputError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.models.replies import CHARACTERS_PER_TOKEN
from gear_neo4j.recipes import AgentRecipe, Budget, option
from gear_neo4j.retrieval.fusion import Ranked
from gear_neo4j.retrieval.question import Question, checked
from gear_neo4j.retrieval.retriever import make_hits, ranked_again
from gear_neo4j.retrieval.subgraph import Subgraph, SubgraphRetriever, passages_of
from gear_neo4j.roles.answering import Thinker
from gear_neo4j.roles.parsers import Draft
from gear_neo4j.roles.reporter import Point, Report, Reporter

# What an answer is made from, in tokens, and the shares of reports, passages and facts in it.
CONTEXT = 12_000
REPORTS, PASSAGES, FACTS = 0.15, 0.5, 0.35
SHUFFLE = 86
Item = TypeVar("Item")
NOTHING = "The reports say nothing that would answer this."


class GraphRagLocal(AgentRecipe):
    """GraphRAG's local search: facts around what a question is about, and reports of their communities; one call."""

    name: ClassVar[str] = "graphrag-local"
    over: Subgraph = option(Subgraph(), "the subgraph that it stands on")


class LocalSearch:
    """Local search: a subgraph, the passages that state it, and the reports of the communities that it lies in."""

    def __init__(self, subgraph: SubgraphRetriever, graph: Graph, *, embedder: Embedder, roles: Thinker) -> None:
        self._subgraph = subgraph
        self._graph = graph
        self._embedder = embedder
        self._roles = roles

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question in one call, from at most k passages, and reports, if there are any.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        asked = Question(checked(question, k=k), embedder=self._embedder)
        run = Run(asked.text, self._roles.name, on_event)
        run.begin(asked.text)
        found = self._subgraph.subgraph(asked)
        passages = self._passages(passages_of(found)[:k])
        reports = self._reports(found.entities) if found.entities else []
        hits = ranked_again([*passages, *reports])
        paths = tuple(one.path for one in found.facts)
        ids = tuple(hit.passage.id for hit in hits)
        run.spend(asked.milliseconds)
        run.note(base=ids, ranking=ids, merged=ids, paths=paths)
        run.passages.update({hit.passage.id: hit.passage for hit in hits})
        facts = [Fact(one.triple.subject, one.triple.predicate, one.triple.object) for one in found.facts]
        run.remember(_fitting(facts, FACTS))
        name = "graphrag-local"
        ranking = Hits(asked.text, name, hits, paths, found.exact, asked.milliseconds, facts=run.memory.facts)
        if not hits:
            return run.answered(ranking, Draft(""), stop="no_graph_evidence")
        draft = run.answer(self._roles, [hit.passage for hit in hits], memory=run.memory.facts)
        return run.answered(ranking, draft, stop="model_error" if run.failure else "answerable")

    def _passages(self, items: Sequence[Ranked]) -> list[Hit]:
        hits = make_hits(items, self._graph.store.passages([item.id for item in items]) if items else {})
        return _fitting(hits, PASSAGES, text=lambda hit: hit.passage.content)

    def _reports(self, entities: Sequence[str]) -> list[Hit]:
        """The reports of communities that most of the entities are in, the more important of these first."""
        rows = self._graph.communities.with_report(entities)
        matched = Counter(row["id"] for row in rows)
        found = {row["id"]: row for row in rows}
        order = sorted(found, key=lambda id: (-matched[id], -(found[id]["rank"] or 0.0), found[id]["size"], id))
        said = [
            _shown(
                id, row["level"], row["size"], Report(row["title"], row["summary"], 0.0, tuple(row["findings"] or ()))
            )
            for id in order
            if (row := found[id])
        ]
        return _fitting(said, REPORTS, text=lambda hit: hit.passage.content)


class GraphRagGlobal(Budget):
    """GraphRAG's global search: an answer from the reports of all communities.

    Raises:
        SettingsError: a number is out of its range.
    """

    name: ClassVar[str] = "graphrag-global"
    level: int = option(2, "the finest level of reports", least=0)
    concurrency: int = option(4, "calls at a time", least=1)


class GlobalSearch:
    """Global search: every report is asked what it says to the question, and the answer brings that together."""

    def __init__(self, graph: Graph, *, reporter: Reporter, options: GraphRagGlobal = GraphRagGlobal()) -> None:
        self._graph = graph
        self._reporter = reporter
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question from the reports; the hits are those that its points rest on, however many.

        One call for each 12,000 tokens of reports, and one for the answer; none of that where no report says anything.

        Raises:
            InputError: the question is blank, k is below 1, or there are no reports.
        """
        asked = checked(question, k=k)
        hierarchy = communities.required(self._graph)
        chosen = list(reported(hierarchy, level=self._options.level))
        if not chosen:
            raise InputError("no community has a report: let a model write them ('gear communities build --report')")
        run = Run(asked, self._reporter.name, on_event, tokens=self._options.tokens, seconds=self._options.seconds)
        run.begin(asked)
        points = self._points(run, chosen)
        return self._concluded(run, chosen, points)

    def _points(self, run: Run, chosen: Sequence[Community]) -> list[Point]:
        """What all reports say, the most helpful first; the places of reports are those among ``chosen``."""
        batches = list(_batches(chosen))
        reporter, question = self._reporter, run.question
        asks = [
            lambda some=some: reporter.points(question, [one.report for _, one in some if one.report])
            for some in batches
        ]
        replies = run.calls("points", asks, together=self._options.concurrency)
        points = [
            replace(point, reports=tuple(some[place][0] for place in point.reports))
            for some, found in zip(batches, replies, strict=True)
            for point in found or ()
        ]
        points.sort(key=lambda point: -point.score)
        run.note(
            base=tuple(f"community {one.id}" for one in chosen),
            judgements=tuple(Judgement("point", point.text, score=point.score) for point in points),
        )
        return _fitting(points, 1.0, text=lambda point: point.text)

    def _concluded(self, run: Run, chosen: Sequence[Community], points: Sequence[Point]) -> Answer:
        order = list(dict.fromkeys(place for point in points for place in point.reports))
        number = {place: rank for rank, place in enumerate(order)}
        shown = [_shown(one.id, one.level, one.size, one.report) for place in order if (one := chosen[place]).report]
        hits = ranked_again(shown)
        run.note(merged=tuple(hit.passage.id for hit in hits))
        run.passages.update({hit.passage.id: hit.passage for hit in hits})
        ranking = Hits(run.question, "graphrag-global", hits, usage=dict(run.usage))
        stop = run.stopped()
        if stop == "model_error" or not points:
            text = "" if stop else NOTHING
            return run.answered(ranking, Draft(text), stop=stop or "no_graph_evidence")
        renumbered = [replace(point, reports=tuple(number[place] for place in point.reports)) for point in points]
        draft = run.draft(
            "conclude",
            lambda on_token: self._reporter.conclude(run.question, renumbered, reports=len(hits), on_token=on_token),
        )
        return run.answered(ranking, draft, stop="model_error" if run.failure else stop or "answerable")


def reported(hierarchy: Hierarchy, *, level: int) -> Iterator[Community]:
    """The reports that cover a graph: of each branch the finest down to a level."""

    def below(one: Community) -> Iterator[Community]:
        parts = hierarchy.parts(one.id) if one.level < level else []
        found = [finer for part in parts for finer in below(part)]
        if found:
            yield from found
        elif one.report:
            yield one

    for root in hierarchy.roots:
        yield from below(root)


def _batches(chosen: Sequence[Community]) -> Iterator[list[tuple[int, Community]]]:
    """Reports in a random order that is always the same, as many together as fit, each with its place."""
    order = list(enumerate(chosen))
    random.Random(SHUFFLE).shuffle(order)
    batch: list[tuple[int, Community]] = []
    left = CONTEXT * CHARACTERS_PER_TOKEN
    for place, one in order:
        length = len(one.report.text) + len(one.report.title) if one.report else 0
        if batch and length > left:
            yield batch
            batch, left = [], CONTEXT * CHARACTERS_PER_TOKEN
        batch.append((place, one))
        left -= length
    if batch:
        yield batch


def _shown(id: str, level: int, size: int, report: Report | None) -> Hit:
    title, text = (report.title, report.text) if report else ("", "")
    passage = Passage(f"community {id}", title, text, None, f"report of {size} entities, level {level}")
    return Hit(passage, 0.0, 1, (Source("community", 1),))


def _fitting(items: Sequence[Item], share: float, *, text: Callable[[Item], str] = str) -> list[Item]:
    """The first items that fit into a share of the context; one at least."""
    left, kept = share * CONTEXT * CHARACTERS_PER_TOKEN, list[Item]()
    for item in items:
        left -= len(text(item))
        if left < 0 and kept:
            break
        kept.append(item)
    return kept
