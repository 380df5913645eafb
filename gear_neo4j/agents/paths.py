"""The recipe of knowledge-graph RAG: one search by paths, and an answer from its facts and passages.

After S. Pal, "Using Knowledge Graphs to enhance Retrieval Augmented Generation" (2024).
"""

from typing import ClassVar

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import OnEvent, Run
from gear_neo4j.domain import Fact
from gear_neo4j.recipes.recipe import AgentRecipe, option
from gear_neo4j.recipes.registry import AnyRetriever
from gear_neo4j.retrieval.paths import Paths
from gear_neo4j.retrieval.question import checked
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.roles.answering import Thinker

SHOWN_FACTS = 30


class PathAgent(AgentRecipe):
    """Plain retrieval-augmented generation: one search (by default with paths) and one call for the answer."""

    name: ClassVar[str] = "paths"
    over: AnyRetriever = option(Paths(), "the retriever to build on")


class PathAnswerer:
    """Retrieves once, and answers from the passages and their triples as facts."""

    def __init__(self, retriever: Retriever, *, roles: Thinker) -> None:
        self._retriever = retriever
        self._roles = roles

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question from at most k passages and 30 facts, in one call of the model.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        run = Run(checked(question, k=k), self._roles.name, on_event)
        run.begin(run.question)
        hits = run.search(self._retriever, k=k)
        run.note(merged=tuple(hit.passage.id for hit in hits))
        facts = [Fact(triple.subject, triple.predicate, triple.object) for triple in hits.triples]
        run.remember(facts[:SHOWN_FACTS])
        draft = run.answer(self._roles, [hit.passage for hit in hits], memory=run.memory.facts)
        return run.finish(hits, draft, stop="answerable" if draft.text else "model_error")
