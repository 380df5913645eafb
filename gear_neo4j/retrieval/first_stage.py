"""The first stage of a search: the passages that a walk over the graph starts from, and the passages of triples."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Protocol, get_args

from pydantic import BeforeValidator, SerializeAsAny

from gear_neo4j.domain import Passage
from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.read.store import IndexHits, Store
from gear_neo4j.recipes.recipe import RetrieverRecipe
from gear_neo4j.recipes.registry import RETRIEVERS
from gear_neo4j.retrieval.lucene import lucene_query
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import Ranked, fuse, ranked
from gear_neo4j.retrieval.rank.rankers import NOTHING, BaseName, Ranker
from gear_neo4j.retrieval.retriever import Retriever

# Number of passages per linked triple, and of nearby triples whose passages count: the values of GeAR's code.
LINK_K = 5
LINK_TRIPLES = 25


def _first_stage(value: object) -> object:
    rankers = get_args(BaseName)
    if value in rankers:
        return value
    if isinstance(value, str) and value not in RETRIEVERS.entries:
        names = ", ".join((*rankers, *RETRIEVERS.entries))
        raise SettingsError(f"there is no ranker or retriever {value!r}: choose one of {names}")
    return RETRIEVERS.recipe(value)


# An option's type: a ranker by name, or a retriever by name or as a recipe.
FirstStageRecipe = Annotated[BaseName | SerializeAsAny[RetrieverRecipe], BeforeValidator(_first_stage)]


class FirstStage(Protocol):
    """The search for the passages that a walk starts from."""

    @property
    def name(self) -> str:
        """The name that hits carry as their source."""

    def rank(self, question: Question, *, k: int) -> list[Ranked]:
        """At most k passages, best first."""

    def search(self, question: Question, *, k: int) -> tuple[list[Ranked], Mapping[str, Passage]]:
        """At most k passages, best first, and the contents that were fetched with them."""

    @property
    def walks(self) -> bool:
        """Whether its order rests on a walk over the graph."""

    def link(self, questions: Sequence[Question], *, k: int = LINK_K) -> list[list[Ranked]]:
        """The k passages of each triple, which is given as a question (GeAR's passageLink)."""


class RankerStage:
    """A ranker over one database; its look-ups take one round trip, or none.

    Args:
        current: returns the ranker for the current corpus when a search begins.
    """

    walks = False

    def __init__(self, store: Store, current: Callable[[], Ranker]) -> None:
        self._store = store
        self._current = current
        # Made at once, so that a missing extra is reported before the first question.
        self.name = current().name

    def rank(self, question: Question, *, k: int) -> list[Ranked]:
        """At most k passages, best first."""
        ranker = self._ranker(question)
        return _rank(ranker, question, self._look_up(ranker, question, k=k, whole=False), k=k)

    def search(self, question: Question, *, k: int) -> tuple[list[Ranked], Mapping[str, Passage]]:
        """At most k passages, best first, and the contents that were fetched with them.

        Rankers that fuse longer lists, and those in memory, fetch no contents.
        """
        ranker = self._ranker(question)
        lookup = self._look_up(ranker, question, k=k, whole=ranker.depth(k) == k)
        return _rank(ranker, question, lookup, k=k), lookup.passages

    def link(self, questions: Sequence[Question], *, k: int = LINK_K) -> list[list[Ranked]]:
        """The k passages of each triple, which is given as a question (GeAR's passageLink); one round trip for all.

        Fuses two rankings: the base retriever's passages for the triple's text, and the passages of the triples nearest
        to it (GeAR, equation 8).
        """
        if not questions:
            return []
        ranker = self._ranker(questions[0])
        queries = [_query(ranker, question, vector=True) for question in questions]
        with questions[0].timed("base"):
            lookups = self._store.link_passages(queries, k=ranker.depth(k), triples=LINK_TRIPLES)
        linked = []
        for question, row in zip(questions, lookups, strict=True):
            base = ranker.rank(question, row, k=k)
            linked.append(fuse({ranker.name: base, "triples": _passages_stating(row, k)})[:k])
        return linked

    def _ranker(self, question: Question) -> Ranker:
        with question.timed("base"):
            return self._current()

    def _look_up(self, ranker: Ranker, question: Question, *, k: int, whole: bool) -> IndexHits:
        if not ranker.needs:
            return NOTHING
        query = _query(ranker, question, vector="vector" in ranker.needs)
        with question.timed("base"):
            lookup = self._store.find_passages([query], k=ranker.depth(k), whole=whole)[0]
        question.note_cosines(lookup.dense)
        return lookup


class RetrieverStage:
    """Any retriever as the first stage of another; its cost is charged to the question."""

    walks = True

    def __init__(self, store: Store, retriever: Retriever, *, name: str) -> None:
        self._store = store
        self._retriever = retriever
        self.name = name

    def rank(self, question: Question, *, k: int) -> list[Ranked]:
        """At most k passages, best first."""
        return self.search(question, k=k)[0]

    def search(self, question: Question, *, k: int) -> tuple[list[Ranked], Mapping[str, Passage]]:
        """At most k passages, best first, with their contents."""
        hits = self._retriever.retrieve(question.text, k=k)
        question.charge(hits)
        items = [Ranked(hit.passage.id, hit.score, hit.sources) for hit in hits]
        return items, {hit.passage.id: hit.passage for hit in hits}

    def link(self, questions: Sequence[Question], *, k: int = LINK_K) -> list[list[Ranked]]:
        """The k passages of each triple: the passages nearest to it, fused with those of the triples nearest to it.

        One round trip for all; the retriever itself is not used, since it may call a model for each question.
        """
        if not questions:
            return []
        queries = [{"vector": question.vector, "text": None} for question in questions]
        with questions[0].timed("base"):
            lookups = self._store.link_passages(queries, k=k, triples=LINK_TRIPLES)
        return [
            fuse({"sbert": ranked("sbert", row.dense[:k]), "triples": _passages_stating(row, k)})[:k] for row in lookups
        ]


def _query(ranker: Ranker, question: Question, *, vector: bool) -> dict[str, object]:
    """The parameters of the look-up for a question; the vector is only made if it is needed."""
    return {
        "vector": question.vector if vector else None,
        "text": (lucene_query(question.text) or None) if "text" in ranker.needs else None,
    }


def _rank(ranker: Ranker, question: Question, lookup: IndexHits, *, k: int) -> list[Ranked]:
    with question.timed("base"):
        return ranker.rank(question, lookup, k=k)


def _passages_stating(lookup: IndexHits, k: int) -> list[Ranked]:
    """The first k passages that state the nearest triples, each once."""
    return ranked("triples", [(id, 0.0) for id in dict.fromkeys(lookup.stating)][:k])
