"""The systems under test: the recipe of a retriever or an agent, and its language model."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from gear_neo4j.agents.crag import Crag
from gear_neo4j.errors import SettingsError
from gear_neo4j.evaluate.datasets import EvaluationQuery
from gear_neo4j.evaluate.journal import Journals
from gear_neo4j.evaluate.oracle import LABEL
from gear_neo4j.evaluate.oracle_evaluator import OraclePlayer
from gear_neo4j.evaluate.runs import QueryResult, ask, ask_agent
from gear_neo4j.gear import Gear
from gear_neo4j.recipes.recipe import AgentRecipe, Recipe, RetrieverRecipe
from gear_neo4j.retrieval.naive import Naive
from gear_neo4j.retrieval.sync import SyncGE

# Agents that only need what the oracle knows: the relevant passages, and the facts that they state.
PLAYED = frozenset({"gear", "ircot", "crag", "graphrag-local", "paths"})


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A retriever or an agent, and its language model: a real one or the oracle.

    CRAG runs without its answer step: only its retrieval is measured.

    Raises:
        SettingsError: the oracle cannot play the agent.
    """

    recipe: RetrieverRecipe | AgentRecipe = Naive()
    llm: Literal["model", "oracle"] = "model"

    def __post_init__(self) -> None:
        if self.llm == "oracle" and self.agent and self.agent.name not in PLAYED:
            raise SettingsError(
                f"the oracle cannot play {self.agent.name}: it knows which passages are right, not how to judge a text"
            )
        if isinstance(self.recipe, Crag) and self.recipe.answer:
            object.__setattr__(self, "recipe", self.recipe.model_copy(update={"answer": False}))

    @property
    def agent(self) -> AgentRecipe | None:
        """The recipe, if it is an agent's."""
        return self.recipe if isinstance(self.recipe, AgentRecipe) else None

    @property
    def needs_model(self) -> bool:
        """Whether it calls a language model."""
        return self.recipe.calls_model

    @property
    def needs_synonyms(self) -> bool:
        """Whether it walks over synonym edges, which must be linked first."""
        return any(isinstance(link, RetrieverRecipe) and link.searches_synonyms for link in chain(self.recipe))

    @property
    def uses_oracle(self) -> bool:
        """Whether the oracle plays the language model."""
        return self.llm == "oracle" and any(isinstance(link, AgentRecipe | SyncGE) for link in chain(self.recipe))

    @property
    def name(self) -> str:
        """The title in a report.

        Example:
            >>> from gear_neo4j.agents.gear import GearAgent
            >>> System(recipe=GearAgent(), llm="oracle").name
            'gear over auto (oracle: upper bound)'
        """
        return f"{self.recipe.title} ({LABEL})" if self.uses_oracle else self.recipe.title

    def to_json(self) -> dict[str, Any]:
        """The fields of a report: first stage and score, if any, and the whole recipe."""
        links = list(chain(self.recipe))
        base = next((link.base for link in links if isinstance(getattr(link, "base", None), str)), None)
        score = next((link.score for link in links if "score" in type(link).model_fields), None)
        description = {"retriever": self.recipe.name, "base": base, "score": score, "title": self.recipe.title}
        description["recipe"] = self.recipe.model_dump(mode="json")
        if self.needs_model or self.uses_oracle:
            description["llm_kind"] = LABEL if self.uses_oracle else "model"
        return description


def chain(recipe: Recipe) -> Iterator[Any]:
    """A recipe and, recursively, the recipes under it."""
    below: Any = recipe
    while isinstance(below, Recipe):
        yield below
        below = getattr(below, "over", None) or getattr(below, "base", None)


def measure(
    gear: Gear,
    system: System,
    queries: Sequence[EvaluationQuery],
    *,
    ks: Sequence[int],
    separately: bool = False,
    journals: Journals | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> list[QueryResult]:
    """Ask every question once for all k, or, ``separately``, once per k from k passages (the paper's C.2).

    An agent runs once, since the passages that it reads do not depend on k. Costs are those of the largest k.
    ``journals`` record each result and return those of an interrupted run.

    Raises:
        InputError: the oracle is used, but a question has no decomposition.
        ModelError: a language model is needed, but none is set.
    """
    if system.agent or not separately:
        return run(gear, system, queries, k=max(ks), journals=journals, on_done=on_done)
    runs = {k: run(gear, _from(system, k), queries, k=k, journals=journals, on_done=on_done) for k in ks}
    return [
        replace(result, separate={k: runs[k][index].ranking for k in ks}) for index, result in enumerate(runs[max(ks)])
    ]


def run(
    gear: Gear,
    system: System,
    queries: Sequence[EvaluationQuery],
    *,
    k: int,
    journals: Journals | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> list[QueryResult]:
    """Ask a system every question; see :func:`measure`.

    Raises:
        InputError: the oracle is used, but a question has no decomposition.
        ModelError: a language model is needed, but none is set.
    """
    player = OraclePlayer(queries, store=gear.graph.store, embedder=gear.embedder) if system.uses_oracle else None
    about = system.to_json()
    if system.agent:
        answers = journals.answers(about, k=k, queries=queries) if journals else None
        return ask_agent(gear.agent(system.agent, player=player), queries, k=k, journal=answers, on_done=on_done)
    assert isinstance(system.recipe, RetrieverRecipe)
    hits = journals.hits(about, k=k, queries=queries) if journals else None
    retriever = gear.retriever(system.recipe, player=player)
    is_free = system.uses_oracle or not system.needs_model
    return ask(retriever, queries, k=k, journal=hits, warm_up=is_free, on_done=on_done)


def _from(system: System, k: int) -> System:
    """The system, expanding from k passages."""
    if "base_k" not in type(system.recipe).model_fields:
        return system
    return replace(system, recipe=system.recipe.model_copy(update={"base_k": k}))
