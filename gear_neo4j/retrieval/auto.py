"""The default: the retriever that fits what the database holds."""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from gear_neo4j.domain import Hits
from gear_neo4j.graph.read.store import Contents
from gear_neo4j.recipes.recipe import RetrieverRecipe
from gear_neo4j.retrieval.base import Base
from gear_neo4j.retrieval.paths import Paths
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.retrieval.scout import Scout

# Scout has already walked these facts: the passages on paths only fill up its list (docs/choosing.md).
BESIDE_SCOUT = 0.0


class Auto(RetrieverRecipe):
    """Chooses for you: ``scout`` for documents, ``paths`` for an adopted graph, both for a graph with documents."""

    name: ClassVar[str] = "auto"
    searches_synonyms: ClassVar[bool] = True


def chosen(contents: Contents, *, strict: bool = False) -> tuple[RetrieverRecipe, str]:
    """The retriever for the contents of a database, and a short reason; docs/choosing.md has the figures.

    Args:
        strict: do not use the full-text index.

    Example:
        >>> [(recipe.title, why) for recipe, why in (chosen(Contents(triples=True)), chosen(Contents(adopted=True)))]
        [('scout', 'documents'), ('paths over hybrid', 'graph')]
    """
    if contents.adopted:
        has_documents = contents.triples or contents.chunks
        return (
            (Paths(base=Scout(), weight=BESIDE_SCOUT), "graph and documents") if has_documents else (Paths(), "graph")
        )
    return (Scout(), "documents") if contents.triples else (Base(base="sbert" if strict else "weighted"), "no triples")


class AutoRetriever:
    """Checks the contents of the database before each search, and delegates to the retriever that fits.

    Args:
        contents: reads what the database holds; one round trip.
        make: makes a retriever from its recipe.
        strict: do not use the full-text index.
    """

    def __init__(
        self,
        contents: Callable[[], Contents],
        make: Callable[[RetrieverRecipe], Retriever],
        *,
        strict: bool = False,
    ) -> None:
        self._contents = contents
        self._make = make
        self._strict = strict
        self._made: dict[str, Retriever] = {}

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """The hits of the chosen retriever; their ``retriever`` states the reason."""
        recipe, why = chosen(self._contents(), strict=self._strict)
        if recipe.title not in self._made:
            self._made[recipe.title] = self._make(recipe)
        hits = self._made[recipe.title].retrieve(question, k=k)
        return replace(hits, retriever=f"{hits.retriever} ({why})")
