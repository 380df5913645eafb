"""GraphRAG (Edge et al. 2024) over the graph's triples: its local search and its global search."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, TypeVar

from gear_neo4j.agents.answer import Answer, Judgement
from gear_neo4j.agents.run import OnEvent, Run
from gear_neo4j.communities import store as communities
from gear_neo4j.communities.hierarchy import Community, Hierarchy
from gear_neo4j.domain import Fact, FoundBy, Hit, Hits, Passage
from gear_neo4j.errors import InputError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.models.replies import CHARACTERS_PER_TOKEN
from gear_neo4j.recipes.recipe import AgentRecipe, Budget, option
from gear_neo4j.retrieval.question import Question, checked
from gear_neo4j.retrieval.rank.fusion import Ranked
from gear_neo4j.retrieval.retriever import make_hits, ranked_again
from gear_neo4j.retrieval.subgraph import Subgraph, SubgraphRetriever, passages_of
from gear_neo4j.roles.answering import Thinker
from gear_neo4j.roles.parsers import Draft
from gear_neo4j.roles.reporter import Point, Report, Reporter

# The size of the context of an answer, in tokens, and the shares of reports, passages and facts in it.
CONTEXT = 12_000
REPORTS, PASSAGES, FACTS = 0.15, 0.5, 0.35
SHUFFLE = 86
Item = TypeVar("Item")
NOTHING = "The reports say nothing that would answer this."


class GraphRagLocal(AgentRecipe):
    """GraphRAG's local search: facts around the question's entities, and reports on their communities; one call."""

    name: ClassVar[str] = "graphrag-local"
    unfiltered: ClassVar[str] = "its reports rest on passages that the filter may exclude"
    over: Subgraph = option(Subgraph(), "the subgraph to build on")


class LocalSearch:
    """Local search: a subgraph, the passages that state it, and the reports of its communities."""

    def __init__(self, subgraph: SubgraphRetriever, graph: Graph, *, embedder: Embedder, roles: Thinker) -> None:
        self._subgraph = subgraph
        self._graph = graph
        self._embedder = embedder
        self._roles = roles

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question in one call, from at most k passages and the reports of communities, if any.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        query = Question(question, k=k, embedder=self._embedder)
        run = Run(query.text, self._roles.name, on_event)
        run.begin(query.text)
        subgraph = self._subgraph.subgraph(query)
        passages = self._passages(passages_of(subgraph)[:k])
        reports = self._reports(subgraph.entities) if subgraph.entities else []
        hits = ranked_again([*passages, *reports])
        paths = tuple(fact.path for fact in subgraph.facts)
        ids = tuple(hit.passage.id for hit in hits)
        run.spend(query.milliseconds)
        run.note(base=ids, ranking=ids, merged=ids, paths=paths)
        run.passages.update({hit.passage.id: hit.passage for hit in hits})
        facts = [Fact(fact.triple.subject, fact.triple.predicate, fact.triple.object) for fact in subgraph.facts]
        run.remember(_fit(facts, FACTS))
        name = "graphrag-local"
        exact = subgraph.exact and communities.is_exact(self._graph)
        ranking = Hits(query.text, name, hits, paths, exact, query.milliseconds, facts=run.memory.facts)
        if not hits:
            return run.finish(ranking, Draft(""), stop="no_graph_evidence")
        draft = run.answer(self._roles, [hit.passage for hit in hits], memory=run.memory.facts)
        return run.finish(ranking, draft, stop="model_error" if run.failure else "answerable")

    def _passages(self, items: Sequence[Ranked]) -> list[Hit]:
        hits = make_hits(items, self._graph.store.passages([item.id for item in items]) if items else {})
        return _fit(hits, PASSAGES, text=lambda hit: hit.passage.content)

    def _reports(self, entities: Sequence[str]) -> list[Hit]:
        """The reports of the communities of these entities: most entities first, then highest rank."""
        rows = self._graph.communities.with_report(entities)
        matched = Counter(row["id"] for row in rows)
        rows_by_id = {row["id"]: row for row in rows}
        order = sorted(
            rows_by_id, key=lambda id: (-matched[id], -(rows_by_id[id]["rank"] or 0.0), rows_by_id[id]["size"], id)
        )
        reports = [
            _report_hit(
                id, row["level"], row["size"], Report(row["title"], row["summary"], 0.0, tuple(row["findings"] or ()))
            )
            for id in order
            if (row := rows_by_id[id])
        ]
        return _fit(reports, REPORTS, text=lambda hit: hit.passage.content)


class GraphRagGlobal(Budget):
    """GraphRAG's global search: an answer from the reports of all communities.

    Raises:
        SettingsError: a number is out of its range.
    """

    name: ClassVar[str] = "graphrag-global"
    unfiltered: ClassVar[str] = "its reports rest on passages that the filter may exclude"
    level: int = option(2, "the finest level of reports", least=0)
    concurrency: int = option(4, "number of concurrent calls", least=1, client_most=8)


class GlobalSearch:
    """Global search: collects points from all reports, and answers from the points (map and reduce)."""

    def __init__(self, graph: Graph, *, reporter: Reporter, options: GraphRagGlobal = GraphRagGlobal()) -> None:
        self._graph = graph
        self._reporter = reporter
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question from the reports; the hits are all reports that its points cite, whatever ``k`` is.

        It costs a call for each 12,000 tokens of reports, and one for the answer, unless no point was found.

        Raises:
            InputError: the question is blank, k is below 1, or there are no reports.
        """
        text = checked(question, k=k)
        hierarchy = communities.required(self._graph)
        chosen = list(reports_at(hierarchy, level=self._options.level))
        if not chosen:
            raise InputError("no community has a report: let a model write them ('gear communities build --report')")
        run = Run(
            text, self._reporter.name, on_event, tokens=self._options.max_tokens, seconds=self._options.max_seconds
        )
        run.begin(text)
        points = self._points(run, chosen)
        return self._conclude(run, chosen, points)

    def _points(self, run: Run, chosen: Sequence[Community]) -> list[Point]:
        """The points of all reports, the most helpful first, with their reports as positions in ``chosen``."""
        batches = list(_batches(chosen))
        reporter, question = self._reporter, run.question
        asks = [
            lambda batch=batch: reporter.points(
                question, [community.report for _, community in batch if community.report]
            )
            for batch in batches
        ]
        replies = run.calls("points", asks, together=self._options.concurrency)
        points = [
            replace(point, reports=tuple(batch[index][0] for index in point.reports))
            for batch, reply in zip(batches, replies, strict=True)
            for point in reply or ()
        ]
        points.sort(key=lambda point: -point.score)
        run.note(
            base=tuple(f"community {community.id}" for community in chosen),
            judgements=tuple(Judgement("point", point.text, score=point.score) for point in points),
        )
        return _fit(points, 1.0, text=lambda point: point.text)

    def _conclude(self, run: Run, chosen: Sequence[Community], points: Sequence[Point]) -> Answer:
        order = list(dict.fromkeys(index for point in points for index in point.reports))
        number = {index: rank for rank, index in enumerate(order)}
        reports = [
            _report_hit(community.id, community.level, community.size, community.report)
            for index in order
            if (community := chosen[index]).report
        ]
        hits = ranked_again(reports)
        run.note(merged=tuple(hit.passage.id for hit in hits))
        run.passages.update({hit.passage.id: hit.passage for hit in hits})
        exact = communities.is_exact(self._graph)
        ranking = Hits(run.question, "graphrag-global", hits, exact=exact, usage=dict(run.usage))
        stop = run.stopped()
        if stop == "model_error" or not points:
            text = "" if stop else NOTHING
            return run.finish(ranking, Draft(text), stop=stop or "no_graph_evidence")
        renumbered = [replace(point, reports=tuple(number[index] for index in point.reports)) for point in points]
        draft = run.draft(
            "conclude",
            lambda on_token: self._reporter.conclude(run.question, renumbered, reports=len(hits), on_token=on_token),
        )
        return run.finish(ranking, draft, stop="model_error" if run.failure else stop or "answerable")


def reports_at(hierarchy: Hierarchy, *, level: int) -> Iterator[Community]:
    """The communities whose reports cover the graph: in each branch, the finest ones down to a level."""

    def below(community: Community) -> Iterator[Community]:
        parts = hierarchy.parts(community.id) if community.level < level else []
        finer_reports = [finer for part in parts for finer in below(part)]
        if finer_reports:
            yield from finer_reports
        elif community.report:
            yield community

    for root in hierarchy.roots:
        yield from below(root)


def _batches(chosen: Sequence[Community]) -> Iterator[list[tuple[int, Community]]]:
    """Reports shuffled with a fixed seed, in batches that fit the context, each with its position."""
    order = list(enumerate(chosen))
    random.Random(SHUFFLE).shuffle(order)
    batch: list[tuple[int, Community]] = []
    left = CONTEXT * CHARACTERS_PER_TOKEN
    for index, community in order:
        length = len(community.report.text) + len(community.report.title) if community.report else 0
        if batch and length > left:
            yield batch
            batch, left = [], CONTEXT * CHARACTERS_PER_TOKEN
        batch.append((index, community))
        left -= length
    if batch:
        yield batch


def _report_hit(id: str, level: int, size: int, report: Report | None) -> Hit:
    title, text = (report.title, report.text) if report else ("", "")
    passage = Passage(f"community {id}", title, text, None, f"report of {size} entities, level {level}")
    return Hit(passage, 0.0, 1, (FoundBy("community", 1),))


def _fit(items: Sequence[Item], share: float, *, text: Callable[[Item], str] = str) -> list[Item]:
    """The first items that fit into a share of the context; at least one."""
    left, fitting = share * CONTEXT * CHARACTERS_PER_TOKEN, list[Item]()
    for item in items:
        left -= len(text(item))
        if left < 0 and fitting:
            break
        fitting.append(item)
    return fitting
