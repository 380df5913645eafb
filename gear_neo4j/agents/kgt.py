"""KG-based Thought (Feng et al., GigaScience 2025): analyses the question, and fills in a query template.

The model never writes a query: its analysis, checked against the graph, selects one of five templates.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import ClassVar

from gear_neo4j.agents.answer import Answer, QueryAttempt
from gear_neo4j.agents.run import OnEvent, Run, note_fact, with_note
from gear_neo4j.domain import Fact, Hits
from gear_neo4j.errors import QueryTimeout
from gear_neo4j.graph.read.templates import TemplateName, TemplateResult, Templates
from gear_neo4j.graph.read.typegraph import Chain, TypeGraph
from gear_neo4j.recipes.recipe import Budget
from gear_neo4j.retrieval.linking import EntityLinker
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import ranked
from gear_neo4j.retrieval.retriever import fetch_hits
from gear_neo4j.retrieval.walk.expansion import ExpansionResult
from gear_neo4j.roles.analyst import Analysis, Analyst, Outline
from gear_neo4j.roles.answering import Thinker
from gear_neo4j.roles.parsers import Draft

# Chains to try in order until one returns rows.
TRIED_CHAINS = 5
TRIED_PAIRS = 15
SHOWN_FACTS = 40
MORE = "the graph has more facts than these"
Way = tuple[Sequence[str], Chain]


class Kgt(Budget):
    """KG-based Thought: analyses the question and fills in one of five query templates over an adopted graph."""

    name: ClassVar[str] = "kgt"
    requires_graph: ClassVar[bool] = True
    unscoped: ClassVar[str] = "it reads nodes of your own, which have no readers"


class KgtLoop:
    """Lets the model analyse the question, runs one template over the graph, and answers from its rows.

    Args:
        linker: finds the nodes with a name.
        outline: labels, properties and types of the graph, for the prompt.
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
        """Answer a question from the graph in two calls of the model, with at most k passages that state the facts.

        If no fact matches, the stop reason is ``no_graph_evidence``, and there is no answer.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        query = Question(question, k=k, embedder=self._linker.embedder)
        options = self._options
        run = Run(query.text, self._roles.name, on_event, tokens=options.max_tokens, seconds=options.max_seconds)
        run.begin(query.text)
        analysis = run.call("analysis", lambda: self._analyst.analyse(query.text, self._outline))
        result = self._query_graph(run, query, analysis) if analysis else TemplateResult()
        run.spend(query.milliseconds)
        hits = self._hits(query, result, k=k)
        run.note(paths=result.paths, ranking=tuple(hit.passage.id for hit in hits))
        run.passages.update({hit.passage.id: hit.passage for hit in hits})
        facts = [
            Fact(triple.subject, triple.predicate, triple.object) for path in result.paths for triple in path.triples
        ]
        facts += [Fact(*row) for row in result.properties]
        shown = facts[:SHOWN_FACTS]
        note = MORE if result.more or len(shown) < len(facts) else ""
        run.remember([*note_fact(note), *shown])
        if not result or run.stopped():
            return run.finish(hits, Draft(""), stop=run.stopped() or "no_graph_evidence")
        draft = run.answer(self._roles, [hit.passage for hit in hits], memory=run.memory.facts)
        return run.finish(hits, with_note(draft, note), stop="model_error" if run.failure else "answerable")

    def _query_graph(self, run: Run, question: Question, analysis: Analysis) -> TemplateResult:
        """The result of the first query that returns rows."""
        groups = [self._linker.find(name) for name in analysis.heads]
        missing = [name for name, nodes in zip(analysis.heads, groups, strict=True) if not nodes]
        if missing:
            return self._record_problem(run, analysis, f"the graph has no {missing[0]!r}")
        try:
            for query, ask in self._queries(question, analysis, groups):
                result = ask()
                self._record(run, query, result)
                if result:
                    return result
        except QueryTimeout as error:
            return self._record_problem(run, analysis, str(error))
        return (
            TemplateResult()
            if run.steps[-1].queries
            else self._record_problem(run, analysis, "no chain of types leads there")
        )

    def _queries(
        self, question: Question, analysis: Analysis, groups: Sequence[Sequence[str]]
    ) -> Iterator[tuple[QueryAttempt, Callable[[], TemplateResult]]]:
        """The queries to try, best first."""
        first, templates = groups[0], self._templates
        if analysis.kind == "attribute":
            nodes = [node for group in groups for node in group]
            parameters: dict[str, object] = {"heads": list(analysis.heads), "attribute": analysis.attribute}
            yield (
                self._query("attribute", "kgt_attribute", parameters),
                lambda: templates.attribute(nodes, analysis.attribute),
            )
        elif analysis.kind == "relation":
            parameters = {"heads": list(analysis.heads)}
            yield (
                self._query("relation", "paths_between", parameters),
                lambda: templates.relation(first, groups[1], query=question.vector),
            )
        else:
            several = groups[:2] if analysis.kind == "intersection" else groups[:1]
            ranked_chains = self._chains(question, analysis, several)
            for chains in sorted(product(*ranked_chains), key=_effort)[:TRIED_PAIRS]:
                ways = [(group, chain) for group, (_, chain) in zip(several, chains, strict=True)]
                yield self._chain_query(analysis, ways), lambda ways=ways: templates.follow(*ways)  # type: ignore[misc]

    def _chain_query(self, analysis: Analysis, ways: Sequence[Way]) -> QueryAttempt:
        longest = max(len(chain.types) for _, chain in ways)
        kind = "intersection" if len(ways) > 1 else "one-hop" if longest == 1 else "multi-hop"
        chains = [str(chain) for _, chain in ways]
        return self._query(kind, "kgt_follow", {"heads": list(analysis.heads), "chains": chains})

    def _query(self, template: str, name: TemplateName, parameters: Mapping[str, object]) -> QueryAttempt:
        return QueryAttempt(self._templates.cypher(name), template=template, parameters=parameters)

    def _chains(
        self, question: Question, analysis: Analysis, groups: Sequence[Sequence[str]]
    ) -> list[list[tuple[int, Chain]]]:
        """For each group of nodes, the chains from their labels to the target label, the likeliest first.

        Names are removed from the question before the comparison: a chain contains only labels and types.
        """
        labels = [
            list(dict.fromkeys(label for names in self._templates.labels(group).values() for label in names))
            for group in groups
        ]
        text = question.text
        for name in analysis.heads:
            text = re.sub(re.escape(name), "", text, flags=re.IGNORECASE)
        return [self._likeliest(text, group_labels, analysis.tail) for group_labels in labels]

    def _likeliest(self, text: str, labels: Sequence[str], tail: str) -> list[tuple[int, Chain]]:
        chains = list(dict.fromkeys(chain for label in labels for chain in self._types.chains(label, tail)))
        if not chains:
            return []
        vectors = self._linker.embedder.embed([text, *(chain.words for chain in chains)])
        likeness = vectors[1:] @ vectors[0]
        # A longer chain must not beat a direct one by a slightly higher similarity.
        order = sorted(range(len(chains)), key=lambda index: (len(chains[index].types), -float(likeness[index])))
        return list(enumerate(chains[index] for index in order[:TRIED_CHAINS]))

    def _record(self, run: Run, query: QueryAttempt, result: TemplateResult) -> None:
        rows = [*map(str, result.paths), *(f"{name}: {key} = {value}" for name, key, value in result.properties)]
        run.note(queries=(*run.steps[-1].queries, replace(query, rows=tuple(rows))))

    def _record_problem(self, run: Run, analysis: Analysis, error: str) -> TemplateResult:
        heads: dict[str, object] = {"heads": list(analysis.heads), "tail": analysis.tail}
        tried = QueryAttempt("", error, template=analysis.kind, parameters=heads)
        run.note(queries=(*run.steps[-1].queries, tried))
        return TemplateResult()

    def _hits(self, question: Question, result: TemplateResult, *, k: int) -> Hits:
        """The passages that state the facts."""
        ids = dict.fromkeys(id for path in result.paths for id in path.passage_ids)
        items = ranked("graph", [(id, 0.0) for id in ids])[:k]
        return fetch_hits(self._linker.store, question, items, name="kgt", expansion=ExpansionResult(result.paths))


def _effort(chains: Sequence[tuple[int, Chain]]) -> tuple[int, int]:
    return sum(len(chain.types) for _, chain in chains), sum(index for index, _ in chains)
