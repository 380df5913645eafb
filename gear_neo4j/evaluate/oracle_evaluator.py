"""An evaluator that knows the gold passages: the upper bound for any evaluator."""

from collections.abc import Sequence

from gear_neo4j.domain import entity_key
from gear_neo4j.evaluate.datasets import EvaluationQuery
from gear_neo4j.evaluate.oracle import LABEL, Oracle
from gear_neo4j.graph.read.store import Store
from gear_neo4j.models.chat import Reply
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.roles.evaluators import Scores, Thresholds
from gear_neo4j.usage import Usage


class OracleEvaluator:
    """Scores texts from the question's gold passages 1, all others -1."""

    name = LABEL
    thresholds = Thresholds(1.0, -0.5)

    def __init__(self, queries: Sequence[EvaluationQuery], *, store: Store) -> None:
        self._gold = {entity_key(query.question): query.gold for query in queries}
        self._store = store

    def evaluate(self, question: str, texts: Sequence[str]) -> Reply[Scores]:
        """The scores; a text may be a whole passage, or its title with a part of it."""
        gold = self._store.passages(self._gold.get(entity_key(question), ())).values()
        whole = [" ".join(passage.content.split()) for passage in gold]
        parts = [(" ".join(text.split()), " ".join(text.partition("\n")[2].split())) for text in texts]
        in_gold = [any(text in content or (part and part in content) for content in whole) for text, part in parts]
        return Reply(tuple(1.0 if is_gold else -1.0 for is_gold in in_gold), "", Usage(), 0.0)


class OraclePlayer(Oracle):
    """The oracle in all its roles, the evaluator included.

    Raises:
        InputError: a question has no decomposition.
    """

    thresholds = OracleEvaluator.thresholds

    def __init__(self, queries: Sequence[EvaluationQuery], *, store: Store, embedder: Embedder) -> None:
        super().__init__(queries, store=store, embedder=embedder)
        self._evaluator = OracleEvaluator(queries, store=store)

    def evaluate(self, question: str, texts: Sequence[str]) -> Reply[Scores]:
        """The scores of :class:`OracleEvaluator`."""
        return self._evaluator.evaluate(question, texts)
