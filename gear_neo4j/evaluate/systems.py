"""What is measured: a retriever or an agent with all its options."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gear_neo4j.agents.gear import STEP_K, GearOptions
from gear_neo4j.evaluate.datasets import Query
from gear_neo4j.evaluate.oracle import LABEL, Oracle
from gear_neo4j.evaluate.runs import Answered, ask, ask_agent
from gear_neo4j.gear import Gear
from gear_neo4j.retrieval.beam import Beam
from gear_neo4j.retrieval.catalogue import BaseName, RetrieverName
from gear_neo4j.retrieval.expansion import Score
from gear_neo4j.retrieval.retrievers import BASE_K


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A retriever, or an agent where one is named, and what plays its language model."""

    retriever: RetrieverName = "naive"
    agent: Literal["gear"] | None = None
    llm: Literal["model", "oracle"] = "model"
    base: BaseName = "hybrid"
    base_k: int = BASE_K
    beam: Beam = Beam()
    score: Score = "composed"
    max_steps: int = 4
    step_k: int = STEP_K
    select: bool = False

    @property
    def needs_model(self) -> bool:
        """Whether a language model takes part."""
        return self.agent is not None or self.retriever == "sync"

    @property
    def needs_synonyms(self) -> bool:
        """Whether it walks over synonym edges, which the data set must be given first."""
        return self.agent is None and self.retriever in ("hipporag", "hipporag2", "scout")

    @property
    def oracled(self) -> bool:
        """Whether the oracle plays the language model."""
        return self.needs_model and self.llm == "oracle"

    @property
    def name(self) -> str:
        """What a report calls it.

        Example:
            >>> System(agent="gear", llm="oracle").name
            'gear over hybrid (oracle: upper bound)'
        """
        oracle = f" ({LABEL})" if self.oracled else ""
        return f"{self.agent or self.retriever} over {self.base}{oracle}"

    def described(self) -> dict[str, Any]:
        """What a report says of it."""
        told: dict[str, Any] = {"retriever": self.agent or self.retriever, "base": self.base, "score": self.score}
        if self.needs_model:
            told["llm_kind"] = LABEL if self.oracled else "model"
        return told


def run(
    gear: Gear, system: System, queries: Sequence[Query], *, k: int, on_done: Callable[[], None] = lambda: None
) -> list[Answered]:
    """Ask a system every question.

    Raises:
        InputError: the oracle is asked for, and a question has no decomposition.
        ModelError: a language model is needed, and there is none.
    """
    oracle = Oracle(queries, store=gear.store, embedder=gear.embedder) if system.oracled else None
    base, beam, score = system.base, system.beam, system.score
    if system.agent:
        options = GearOptions(max_steps=system.max_steps, step_k=system.step_k, select=system.select)
        agent = gear.agent(base=base, beam=beam, score=score, options=options, roles=oracle)
        return ask_agent(agent, queries, k=k, on_done=on_done)
    retriever = gear.retriever(system.retriever, base=base, beam=beam, score=score, base_k=system.base_k, reader=oracle)
    return ask(retriever, queries, k=k, on_done=on_done)
