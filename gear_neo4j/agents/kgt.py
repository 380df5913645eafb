"""KG-based Thought (Feng et al., GigaScience 2025): a question analysed, a chain of types chosen, a template filled in.

The model never writes a query: from its analysis, checked against the graph, one of five templates follows.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import ClassVar

from gear_neo4j.agents.answer import Answer, QueryTried
from gear_neo4j.agents.run import OnEvent, Run
from gear_neo4j.domain import Fact, Hits
from gear_neo4j.errors import QueryTimeout
from gear_neo4j.graph.templates import TemplateName, TemplateResult, Templates
from gear_neo4j.graph.typegraph import Chain, TypeGraph
from gear_neo4j.recipes import Budget
from gear_neo4j.retrieval.expansion import Expanded
from gear_neo4j.retrieval.fusion import ranked
from gear_neo4j.retrieval.linking import EntityLinker
from gear_neo4j.retrieval.question import Question, checked
from gear_neo4j.retrieval.retriever import fetched
from gear_neo4j.roles.analyst import Analysis, Analyst, Outline
from gear_neo4j.roles.answering import Thinker
from gear_neo4j.roles.parsers import Draft

# Chains that are tried one after the other, until one of them gives rows.
TRIED_CHAINS = 5
TRIED_PAIRS = 15
SHOWN_FACTS = 40
Way = tuple[Sequence[str], Chain]


class Kgt(Budget):
    """KG-based Thought: a question is analysed, and fills in one of five templates over a graph that was adopted."""

    name: ClassVar[str] = "kgt"


class KgtLoop:
    """One analysis by the model, one template over the graph, one answer from what it gives.

    Args:
        linker: finds the nodes that a name stands for.
        outline: what the model is told of the graph, with the types that tie its labels together.
    """

    def __init__(
        self,
        templates: Templates,
        *,
        linker: EntityLinker,
        outline: Outline,
        types: TypeGraph,
        analyst: Analyst,
        roles: Thinker,
        options: Kgt = Kgt(),
    ) -> None:
        self._templates = templates
        self._linker = linker
        self._outline = outline
        self._types = types
        self._analyst = analyst
        self._roles = roles
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question from the graph in two calls of the model, and at most k passages that state the facts.

        A question of which the graph knows nothing ends with the stop reason ``no_graph_evidence`` and no answer.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        asked = Question(checked(question, k=k), embedder=self._linker.embedder)
        options = self._options
        run = Run(asked.text, self._roles.name, on_event, tokens=options.tokens, seconds=options.seconds)
        run.begin(asked.text)
        analysis = run.call("analysis", lambda: self._analyst.analyse(asked.text, self._outline))
        told = self._told(run, asked, analysis) if analysis else TemplateResult()
        run.spend(asked.milliseconds)
        hits = self._hits(asked, told, k=k)
        run.note(paths=told.paths, ranking=tuple(hit.passage.id for hit in hits))
        run.passages.update({hit.passage.id: hit.passage for hit in hits})
        facts = [Fact(one.subject, one.predicate, one.object) for path in told.paths for one in path.triples]
        run.remember([*facts, *(Fact(*one) for one in told.properties)][:SHOWN_FACTS])
        if not told or run.stopped():
            return run.answered(hits, Draft(""), stop=run.stopped() or "no_graph_evidence")
        draft = run.answer(self._roles, [hit.passage for hit in hits], memory=run.memory.facts)
        return run.answered(hits, draft, stop="model_error" if run.failure else "answerable")

    def _told(self, run: Run, asked: Question, analysis: Analysis) -> TemplateResult:
        """What the graph tells: the first of the queries that gives rows."""
        groups = [self._linker.find(name) for name in analysis.heads]
        missing = [name for name, nodes in zip(analysis.heads, groups, strict=True) if not nodes]
        if missing:
            return self._failed(run, analysis, f"the graph has no {missing[0]!r}")
        try:
            for queried, ask in self._queries(asked, analysis, groups):
                told = ask()
                self._record(run, queried, told)
                if told:
                    return told
        except QueryTimeout as error:
            return self._failed(run, analysis, str(error))
        if run.steps[-1].queries:
            return TemplateResult()
        return self._failed(run, analysis, "no chain of types leads there")

    def _queries(
        self, asked: Question, analysis: Analysis, groups: Sequence[Sequence[str]]
    ) -> Iterator[tuple[QueryTried, Callable[[], TemplateResult]]]:
        """The templates to try, best first."""
        first, templates = groups[0], self._templates
        if analysis.kind == "attribute":
            nodes = [node for group in groups for node in group]
            given: dict[str, object] = {"heads": list(analysis.heads), "attribute": analysis.attribute}
            yield (
                self._query("attribute", "kgt_attribute", given),
                lambda: templates.attribute(nodes, analysis.attribute),
            )
        elif analysis.kind == "relation":
            given = {"heads": list(analysis.heads)}
            yield (
                self._query("relation", "paths_between", given),
                lambda: templates.relation(first, groups[1], query=asked.vector),
            )
        else:
            several = groups[:2] if analysis.kind == "intersection" else groups[:1]
            ranked_chains = self._chains(asked, analysis, several)
            for chains in sorted(product(*ranked_chains), key=_effort)[:TRIED_PAIRS]:
                ways = [(group, chain) for group, (_, chain) in zip(several, chains, strict=True)]
                yield self._queried(analysis, ways), lambda ways=ways: templates.follow(*ways)  # type: ignore[misc]

    def _queried(self, analysis: Analysis, ways: Sequence[Way]) -> QueryTried:
        longest = max(len(chain.types) for _, chain in ways)
        kind = "intersection" if len(ways) > 1 else "one-hop" if longest == 1 else "multi-hop"
        chains = [str(chain) for _, chain in ways]
        return self._query(kind, "kgt_follow", {"heads": list(analysis.heads), "chains": chains})

    def _query(self, template: str, name: TemplateName, parameters: Mapping[str, object]) -> QueryTried:
        return QueryTried(self._templates.cypher(name), template=template, parameters=parameters)

    def _chains(
        self, asked: Question, analysis: Analysis, groups: Sequence[Sequence[str]]
    ) -> list[list[tuple[int, Chain]]]:
        """For each group of nodes the chains from their labels to the label that is asked for, the likeliest first.

        The question is compared without its names, for a chain tells of labels and types alone.
        """
        labels = [
            list(dict.fromkeys(label for one in self._templates.labels(group).values() for label in one))
            for group in groups
        ]
        text = asked.text
        for name in analysis.heads:
            text = re.sub(re.escape(name), "", text, flags=re.IGNORECASE)
        return [self._likeliest(text, found, analysis.tail) for found in labels]

    def _likeliest(self, text: str, labels: Sequence[str], tail: str) -> list[tuple[int, Chain]]:
        chains = list(dict.fromkeys(chain for label in labels for chain in self._types.chains(label, tail)))
        if not chains:
            return []
        vectors = self._linker.embedder.embed([text, *(chain.words for chain in chains)])
        likeness = vectors[1:] @ vectors[0]
        # A longer chain that reads nearer must not win over a direct one by a hair.
        order = sorted(range(len(chains)), key=lambda place: (len(chains[place].types), -float(likeness[place])))
        return list(enumerate(chains[place] for place in order[:TRIED_CHAINS]))

    def _record(self, run: Run, queried: QueryTried, told: TemplateResult) -> None:
        rows = [*map(str, told.paths), *(f"{name}: {key} = {value}" for name, key, value in told.properties)]
        run.note(queries=(*run.steps[-1].queries, replace(queried, rows=tuple(rows))))

    def _failed(self, run: Run, analysis: Analysis, error: str) -> TemplateResult:
        heads: dict[str, object] = {"heads": list(analysis.heads), "tail": analysis.tail}
        tried = QueryTried("", error, template=analysis.kind, parameters=heads)
        run.note(queries=(*run.steps[-1].queries, tried))
        return TemplateResult()

    def _hits(self, asked: Question, told: TemplateResult, *, k: int) -> Hits:
        """The passages that state the facts."""
        ids = dict.fromkeys(id for path in told.paths for id in path.passage_ids)
        items = ranked("graph", [(id, 0.0) for id in ids])[:k]
        return fetched(self._linker.store, asked, items, name="kgt", walked=Expanded(told.paths))


def _effort(chains: Sequence[tuple[int, Chain]]) -> tuple[int, int]:
    return sum(len(chain.types) for _, chain in chains), sum(place for place, _ in chains)
