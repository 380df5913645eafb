"""What is measured: a retriever or an agent with all its options."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from gear_neo4j.agents.crag import Crag
from gear_neo4j.agents.gear import STEP_K, GearOptions
from gear_neo4j.agents.ircot import IRCoTOptions, Merge
from gear_neo4j.errors import SettingsError
from gear_neo4j.evaluate.datasets import Query
from gear_neo4j.evaluate.oracle import LABEL, Oracle
from gear_neo4j.evaluate.oracle_evaluator import OracleEvaluator
from gear_neo4j.evaluate.runs import Answered, ask, ask_agent
from gear_neo4j.gear import Gear
from gear_neo4j.retrieval.beam import Beam
from gear_neo4j.retrieval.catalogue import BaseName, RetrieverName
from gear_neo4j.retrieval.expansion import Score
from gear_neo4j.retrieval.retriever import BASE_K
from gear_neo4j.roles.evaluators import SimilarityEvaluator

AgentName = Literal["gear", "ircot", "crag", "selfrag", "planner", "graphrag-local", "graphrag-global"]


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A retriever, or an agent where one is named, and what plays its language model.

    Raises:
        SettingsError: the oracle is to play an agent that it cannot play.
    """

    retriever: RetrieverName = "naive"
    agent: AgentName | None = None
    llm: Literal["model", "oracle"] = "model"
    base: BaseName = "hybrid"
    base_k: int = BASE_K
    beam: Beam = Beam()
    score: Score = "composed"
    max_steps: int = 4
    step_k: int = STEP_K
    select: bool = False
    merge: Merge = "max"

    def __post_init__(self) -> None:
        if self.llm == "oracle" and self.agent in ("selfrag", "planner", "graphrag-global"):
            raise SettingsError(f"the oracle cannot play {self.agent}: it knows passages, not what to say of them")

    @property
    def needs_model(self) -> bool:
        """Whether a language model takes part; CRAG is measured by what it retrieves, judged without one."""
        return self.agent not in (None, "crag") or self.retriever in ("sync", "hipporag")

    @property
    def needs_synonyms(self) -> bool:
        """Whether it walks over synonym edges, which the data set must be given first."""
        return self.agent != "gear" and self.retriever in ("hipporag", "hipporag2", "scout")

    @property
    def oracled(self) -> bool:
        """Whether the oracle plays the language model."""
        return self.llm == "oracle" and (self.agent is not None or self.retriever == "sync")

    @property
    def name(self) -> str:
        """What a report calls it.

        Example:
            >>> System(agent="gear", llm="oracle").name
            'gear over hybrid (oracle: upper bound)'
        """
        oracle = f" ({LABEL})" if self.oracled else ""
        plain = self.agent not in ("ircot", "crag", "selfrag") or self.retriever == "base"
        over = self.base if plain else f"{self.retriever} over {self.base}"
        return f"{self.agent or self.retriever} over {over}{oracle}"

    def described(self) -> dict[str, Any]:
        """What a report says of it."""
        told: dict[str, Any] = {"retriever": self.agent or self.retriever, "base": self.base, "score": self.score}
        if self.needs_model or self.oracled:
            told["llm_kind"] = LABEL if self.oracled else "model"
        return told


def measure(
    gear: Gear,
    system: System,
    queries: Sequence[Query],
    *,
    ks: Sequence[int],
    separately: bool = False,
    on_done: Callable[[], None] = lambda: None,
) -> list[Answered]:
    """Ask every question once for all k, or, ``separately``, once for each k from k passages (the paper's C.2).

    An agent reads as many passages a round whatever k is, so it is asked once. Costs are those of the largest k.

    Raises:
        InputError: the oracle is asked for, and a question has no decomposition.
        ModelError: a language model is needed, and there is none.
    """
    if system.agent or not separately:
        return run(gear, system, queries, k=max(ks), on_done=on_done)
    found = {k: run(gear, replace(system, base_k=k), queries, k=k, on_done=on_done) for k in ks}
    return [replace(one, separate={k: found[k][place].ranking for k in ks}) for place, one in enumerate(found[max(ks)])]


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
    if system.agent == "gear":
        options = GearOptions(max_steps=system.max_steps, step_k=system.step_k, select=system.select)
        agent = gear.agent(base=base, beam=beam, score=score, options=options, roles=oracle)
        return ask_agent(agent, queries, k=k, on_done=on_done)
    if system.agent == "graphrag-local":
        return ask_agent(gear.graphrag_local(roles=oracle), queries, k=k, on_done=on_done)
    if system.agent == "graphrag-global":
        return ask_agent(gear.graphrag_global(), queries, k=k, on_done=on_done)
    if system.agent == "planner":
        return ask_agent(gear.planner(), queries, k=k, on_done=on_done)
    retriever = gear.retriever(system.retriever, base=base, beam=beam, score=score, base_k=system.base_k, reader=oracle)
    if system.agent == "ircot":
        how = IRCoTOptions(max_steps=system.max_steps, step_k=system.step_k, merge=system.merge)
        return ask_agent(gear.ircot(retriever, options=how, thinker=oracle), queries, k=k, on_done=on_done)
    if system.agent == "crag":
        judge = OracleEvaluator(queries, store=gear.store) if oracle else SimilarityEvaluator(gear.embedder)
        return ask_agent(Crag(retriever, evaluator=judge), queries, k=k, on_done=on_done)
    if system.agent == "selfrag":
        return ask_agent(gear.selfrag(retriever), queries, k=k, on_done=on_done)
    return ask(retriever, queries, k=k, on_done=on_done)
