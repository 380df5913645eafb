"""Recipes as the clients of a service name them: a name and a few options."""

from gear_neo4j.recipes import AgentRecipe, RetrieverRecipe
from gear_neo4j.registry import AGENTS, RETRIEVERS


def requested_retriever(name: str | None, *, base: str | None = None) -> RetrieverRecipe:
    """The retriever of a name (default: ``auto``), over another first stage.

    Raises:
        SettingsError: there is no retriever or first stage of that name, or the retriever stands on none.

    Example:
        >>> requested_retriever("naive", base="sbert").title
        'naive over sbert'
    """
    return RETRIEVERS.recipe({"name": name or "auto"} | ({"base": base} if base else {}))


def requested_agent(name: str | None, *, max_steps: int | None = None, max_seconds: float | None = None) -> AgentRecipe:
    """The agent of a name (default: ``gear``) within bounds.

    ``max_seconds`` bounds only agents with a budget: the caller keeps the time of the others.

    Raises:
        SettingsError: there is no agent of that name, or it has no steps to bound.

    Example:
        >>> requested_agent(None, max_steps=2, max_seconds=45).max_seconds
        45.0
    """
    kind = AGENTS.entry(name or "gear").recipe
    bounds = {"max_steps": max_steps, "max_seconds": max_seconds if "max_seconds" in kind.model_fields else None}
    return AGENTS.recipe({"name": kind.name} | {bound: value for bound, value in bounds.items() if value is not None})
