"""The table of GeAR's poster on one's own data: which systems can run with what is configured, and why not."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Literal

from gear_neo4j.evaluate.systems import System
from gear_neo4j.retrieval.catalogue import BaseName

BASES: tuple[BaseName, ...] = ("bm25", "sbert", "hybrid")
NO_MODEL = "needs a language model: set GEAR_CHAT_MODEL, or --llm oracle where questions have a decomposition"
NO_ORACLE = "needs a language model; the oracle does not play this part"
NO_COLBERT = "needs the extra [colbert], best in an environment of its own"
NO_TRIPLES = "needs triples: the data set has none"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: its label, the key of the published figure, and the system, or why it cannot run."""

    label: str
    key: str
    system: System | None = None
    reason: str = ""


def rows(*, llm: Literal["model", "oracle"] | None, triples: bool, max_steps: int = 4) -> list[Row]:
    """All systems of the poster and ours, those that cannot run with their reason.

    ``llm`` is None where no language model is configured; ``triples`` says whether the data set has any.
    """
    found = [*_single_step(llm, triples), *_graph(llm, triples), *_multi_step(llm, triples, max_steps)]
    if find_spec("pylate") is None:
        return [*found, Row("ColBERTv2", "colbert", reason=NO_COLBERT)]
    return [*found, Row("ColBERTv2", "colbert", System(retriever="base", base="colbert"))]


def _single_step(llm: Literal["model", "oracle"] | None, triples: bool) -> Iterator[Row]:
    for base in BASES:
        yield Row(base, f"base {base}", System(retriever="base", base=base))
        yield _row(f"{base} + NaiveGE", f"naive {base}", System(retriever="naive", base=base), llm, triples)
        yield _row(f"{base} + SyncGE", f"sync {base}", System(retriever="sync", base=base), llm, triples)


def _graph(llm: Literal["model", "oracle"] | None, triples: bool) -> Iterator[Row]:
    if llm == "oracle":
        yield Row("HippoRAG", "hipporag", reason=NO_ORACLE)
    else:
        yield _row("HippoRAG", "hipporag", System(retriever="hipporag"), llm, triples, model=True)
    name = "HippoRAG 2" if llm == "model" else "HippoRAG 2, unfiltered"
    yield _row(name, "hipporag2", System(retriever="hipporag2"), llm, triples)
    yield _row("scout", "scout", System(retriever="scout"), llm, triples)
    yield _row("subgraph", "subgraph", System(retriever="subgraph"), llm, triples)
    yield _row("CRAG over NaiveGE", "crag", System(agent="crag"), llm, triples)


def _multi_step(llm: Literal["model", "oracle"] | None, triples: bool, steps: int) -> Iterator[Row]:
    for base in ("bm25", "hybrid"):
        system = System(agent="ircot", retriever="base", base=base, max_steps=steps)
        yield _row(f"IRCoT ({base})", f"ircot base {base}", system, llm, triples=True)
    hippo = System(agent="ircot", retriever="hipporag2", max_steps=steps)
    yield _row("HippoRAG 2 w/ IRCoT", "ircot hipporag", hippo, llm, triples)
    yield _row("GeAR", "gear hybrid", System(agent="gear", max_steps=steps), llm, triples)


def _row(
    label: str,
    key: str,
    system: System,
    llm: Literal["model", "oracle"] | None,
    triples: bool,
    *,
    model: bool = False,
) -> Row:
    if not triples:
        return Row(label, key, reason=NO_TRIPLES)
    if (model or system.needs_model) and llm is None:
        return Row(label, key, reason=NO_MODEL)
    return Row(label, key, replace(system, llm=llm) if llm else system)
