"""Recipes as the clients of a service name them: a name and a few options."""

from gear_neo4j.errors import SettingsError
from gear_neo4j.recipes.recipe import AgentRecipe, Recipe, RetrieverRecipe
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS


def requested_retriever(name: str | None, *, base: str | None = None) -> RetrieverRecipe:
    """The retriever of a name (default: ``auto``), over another first stage.

    Raises:
        SettingsError: there is no retriever or first stage of that name, the retriever stands on none, or only the
            operator may choose it.

    Example:
        >>> requested_retriever("naive", base="sbert").title
        'naive over sbert'
    """
    _require_open(RETRIEVERS.entry(name or "auto").recipe)
    return RETRIEVERS.recipe({"name": name or "auto"} | ({"base": base} if base else {}))


def requested_agent(name: str | None, *, max_steps: int | None = None, max_seconds: float | None = None) -> AgentRecipe:
    """The agent of a name (default: ``gear``) within bounds.

    ``max_seconds`` bounds only agents with a budget: the caller keeps the time of the others.

    Raises:
        SettingsError: there is no agent of that name, it has no steps to bound, or only the operator may choose it.

    Example:
        >>> requested_agent(None, max_steps=2, max_seconds=45).max_seconds
        45.0
    """
    kind = AGENTS.entry(name or "gear").recipe
    _require_open(kind)
    bounds = {"max_steps": max_steps, "max_seconds": max_seconds if "max_seconds" in kind.model_fields else None}
    return AGENTS.recipe({"name": kind.name} | {bound: value for bound, value in bounds.items() if value is not None})


def _require_open(kind: type[Recipe]) -> None:
    if kind.operator_only:
        raise SettingsError(f"{kind.name} is not offered here: {kind.operator_only}; use it in Python or with gear ask")
