"""Shared by all adapters: the search, and the metadata of a passage."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from gear_neo4j.domain import Hit, Hits
from gear_neo4j.errors import SettingsError
from gear_neo4j.gear import Gear
from gear_neo4j.recipes.recipe import RetrieverRecipe
from gear_neo4j.recipes.registry import RETRIEVERS
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.retrieval.traced import record_hits, retrieval_span
from gear_neo4j.threads import ThreadLimiter
from gear_neo4j.wire import to_json

_SEARCHES = ThreadLimiter("searches", most=40)


@dataclass(frozen=True, slots=True)
class Search:
    """A recipe over a gear, or a retriever object with its own graph.

    Raises:
        SettingsError: neither a gear nor a retriever object is given, or both.
    """

    gear: Gear | None
    retriever: RetrieverRecipe | Retriever

    def __post_init__(self) -> None:
        if isinstance(self.retriever, RetrieverRecipe):
            if self.gear is None:
                raise SettingsError("there is nothing to search: give gear=..., or a retriever object")
        elif not isinstance(self.retriever, Retriever):
            raise SettingsError(
                f"{self.retriever!r} is not a retriever: give a name, a recipe, or an object that retrieves"
            )
        elif self.gear is not None:
            raise SettingsError("a retriever object brings its own graph: leave out gear")

    def run(self, question: str, *, k: int, where: object = None) -> Hits:
        """Search, within its own tracing span.

        Args:
            where: a metadata filter for this search only, as for :meth:`gear_neo4j.Gear.scoped`.

        Raises:
            SettingsError: the filter cannot be used, or a retriever object is asked to filter.
            GearError: any error of a search.
        """
        source = self.gear.graph.name if self.gear else None
        with retrieval_span(question, k=k, source=source) as active:
            return record_hits(active, self._resolve(where).retrieve(question, k=k))

    async def arun(self, question: str, *, k: int, where: object = None) -> Hits:
        """See :meth:`run`; runs in a thread, and a cancelled search ends at its next step."""
        return await _SEARCHES.run(partial(self.run, question, k=k, where=where), waits=True)

    def _resolve(self, where: object) -> Retriever:
        """The retriever, made from its recipe for each question, because the graph may have changed."""
        if isinstance(self.retriever, RetrieverRecipe) and self.gear is not None:
            gear = self.gear if where is None else self.gear.scoped(where=where)
            return gear.retriever(self.retriever)
        if where is not None:
            raise SettingsError("a retriever object cannot filter: give gear=... and a recipe")
        assert not isinstance(self.retriever, RetrieverRecipe)
        return self.retriever


def recipe_of(retriever: Any, options: Mapping[str, Any]) -> Any:
    """The recipe for a name with options; a recipe or retriever object is returned unchanged.

    Raises:
        SettingsError: the name or an option is unknown, or there are options with a recipe or retriever object.
    """
    if isinstance(retriever, str):
        return RETRIEVERS.recipe({"name": retriever, **options})
    if options:
        raise SettingsError(f"a recipe or object takes no further options: leave out {', '.join(sorted(options))}")
    return retriever


def metadata_of(hit: Hit, hits: Hits) -> dict[str, Any]:
    """The metadata of a passage as JSON: its source, its rank, and the paths through it.

    ``title``, ``source``, ``position``, ``collection``, ``metadata``, ``score``, ``rank``, ``retriever``, ``sources``
    (the rankings that contain it, with its ranks), ``similarity`` and ``paths``, best first. A path has ``text``,
    ``score``, ``triples`` and ``cypher``, the ``statement`` and ``parameters`` that show it in Neo4j Browser.
    """
    fields = to_json(hit)
    kept = ("title", "source", "position", "collection", "metadata", "score", "rank", "sources", "similarity")
    return {
        **{key: fields[key] for key in kept},
        "retriever": hits.retriever,
        "paths": [to_json(path) for path in hits.paths if hit.passage.id in path.passage_ids],
    }
