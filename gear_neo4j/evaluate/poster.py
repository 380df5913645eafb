"""The table of GeAR's poster on any data set: the systems that can run as configured, and why others cannot."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from gear_neo4j.agents.crag import Crag
from gear_neo4j.agents.gear import GearAgent
from gear_neo4j.agents.ircot import Ircot
from gear_neo4j.evaluate.systems import System
from gear_neo4j.recipes.recipe import AgentRecipe, RetrieverRecipe
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS
from gear_neo4j.retrieval.base import Base
from gear_neo4j.retrieval.hipporag import HippoRag, HippoRag2
from gear_neo4j.retrieval.naive import Naive
from gear_neo4j.retrieval.rank.rankers import BaseName
from gear_neo4j.retrieval.scout import Scout
from gear_neo4j.retrieval.subgraph import Subgraph
from gear_neo4j.retrieval.sync import SyncGE

BASES: tuple[BaseName, ...] = ("bm25", "sbert", "hybrid")
NO_MODEL = "needs a language model: set GEAR_CHAT_MODEL, or --llm oracle where questions have a decomposition"
NO_ORACLE = "needs a language model; the oracle does not play this part"
NO_COLBERT = "needs the extra [colbert], best in a separate environment"
NO_TRIPLES = "needs triples: the data set has none"
Llm = Literal["model", "oracle"] | None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: its label, the key of the published figure, and the system, or why it cannot run."""

    label: str
    key: str
    system: System | None = None
    reason: str = ""


def rows(*, llm: Llm, triples: bool, max_steps: int = 4) -> list[Row]:
    """All systems of the poster, ours, and those registered by users; a system that cannot run has a reason.

    ``llm`` is None if no language model is configured; ``triples`` says whether the data set has any.
    """
    table = [*_single_step(llm, triples), *_graph(llm, triples), *_multi_step(llm, triples, max_steps)]
    if find_spec("pylate") is None:
        table.append(Row("ColBERTv2", "colbert", reason=NO_COLBERT))
    else:
        table.append(Row("ColBERTv2", "colbert", System(recipe=Base(base="colbert"))))
    return [*table, *_own(llm, triples)]


def _single_step(llm: Llm, triples: bool) -> Iterator[Row]:
    for base in BASES:
        yield Row(base, f"base {base}", System(recipe=Base(base=base)))
        yield _row(f"{base} + NaiveGE", f"naive {base}", Naive(base=base), llm, triples)
        yield _row(f"{base} + SyncGE", f"sync {base}", SyncGE(base=base), llm, triples)


def _graph(llm: Llm, triples: bool) -> Iterator[Row]:
    if llm == "oracle":
        yield Row("HippoRAG", "hipporag", reason=NO_ORACLE)
    else:
        yield _row("HippoRAG", "hipporag", HippoRag(), llm, triples)
    name = "HippoRAG 2" if llm == "model" else "HippoRAG 2, unfiltered"
    yield _row(name, "hipporag2", HippoRag2(), llm, triples)
    yield _row("scout", "scout", Scout(), llm, triples)
    yield _row("subgraph", "subgraph", Subgraph(), llm, triples)
    yield _row("CRAG over NaiveGE", "crag", Crag(answer=False), llm, triples)


def _multi_step(llm: Llm, triples: bool, steps: int) -> Iterator[Row]:
    for base in ("bm25", "hybrid"):
        ircot = Ircot(over=Base(base=base), max_steps=steps)
        yield _row(f"IRCoT ({base})", f"ircot base {base}", ircot, llm, triples=True)
    yield _row("HippoRAG 2 w/ IRCoT", "ircot hipporag", Ircot(over=HippoRag2(), max_steps=steps), llm, triples)
    yield _row("GeAR", "gear hybrid", GearAgent(max_steps=steps), llm, triples)


def _own(llm: Llm, triples: bool) -> Iterator[Row]:
    """The recipes registered by users; the oracle cannot play their agents."""
    for entry in (*RETRIEVERS, *AGENTS):
        if entry.own:
            recipe = entry.recipe()
            plays = "model" if llm == "oracle" else llm
            yield _row(entry.name, entry.name, recipe, plays, triples)


def _row(label: str, key: str, recipe: RetrieverRecipe | AgentRecipe, llm: Llm, triples: bool) -> Row:
    if not triples:
        return Row(label, key, reason=NO_TRIPLES)
    if recipe.calls_model and llm is None:
        return Row(label, key, reason=NO_MODEL)
    return Row(label, key, System(recipe=recipe, llm=llm or "model"))
