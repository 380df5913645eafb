"""What a client of a service may choose: retrievers and agents with options, within limits on the cost of a question.

The HTTP API, its OpenAI-compatible route and the MCP server all use this module. The limits are declared with each
option (:func:`gear_neo4j.recipes.recipe.option`); the defaults are below.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from gear_neo4j.errors import SettingsError
from gear_neo4j.recipes.recipe import AgentRecipe, ClientLimits, Options, Recipe, RetrieverRecipe
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS, Registry

RecipeType = TypeVar("RecipeType", bound=Recipe)
Choice = str | Mapping[str, Any]
MOST = 1_000
LONGEST_LIST = 20
DEEPEST = 8


def requested_retriever(choice: Choice | None, *, base: Choice | None = None) -> RetrieverRecipe:
    """The retriever that a client chooses, by name (default: ``auto``) or with options, over another first stage.

    Raises:
        SettingsError: it is unknown, or an option is unknown or beyond what a client may choose.

    Example:
        >>> requested_retriever("naive", base="sbert").title
        'naive over sbert'
    """
    return _requested(RETRIEVERS, "auto" if choice is None else choice, {} if base is None else {"base": base})


def requested_agent(choice: Choice | None, *, max_steps: int | None = None, seconds: float) -> AgentRecipe:
    """The agent that a client chooses, by name (default: ``gear``) or with options.

    An agent with a budget starts no model call after ``seconds``; for other agents, the caller must enforce the time.

    Raises:
        SettingsError: it is unknown, or an option is unknown or beyond what a client may choose.

    Example:
        >>> requested_agent(None, max_steps=2, seconds=45).max_seconds
        45.0
    """
    recipe = _requested(
        AGENTS, "gear" if choice is None else choice, {} if max_steps is None else {"max_steps": max_steps}
    )
    if "max_seconds" not in type(recipe).model_fields:
        return recipe
    bound = min(float(seconds), getattr(recipe, "max_seconds", None) or float(seconds))
    return recipe.model_copy(update={"max_seconds": bound})


def _requested(registry: Registry[RecipeType], choice: Choice, options: Mapping[str, Any]) -> RecipeType:
    if _depth(choice) > DEEPEST or _depth(options) > DEEPEST:
        raise SettingsError(f"the {registry.kind} is nested too deeply: use at most {DEEPEST} levels")
    fields = {"name": choice} if isinstance(choice, str) else dict(choice)
    recipe = registry.recipe({**fields, **options})
    _require_affordable(recipe)
    return recipe


def _require_affordable(options: Options) -> None:
    """Check the options that were set, including those of nested recipes."""
    if isinstance(options, Recipe) and options.operator_only:
        raise SettingsError(
            f"{options.name} is not offered here: {options.operator_only}; use it in Python or with gear ask"
        )
    for name in options.model_fields_set:
        value = getattr(options, name)
        if isinstance(value, Options):
            _require_affordable(value)
        elif value is not None and (reason := _refusal(options, name, value)):
            raise SettingsError(f"{options.label}'s {name} {reason}")


def _refusal(options: Options, name: str, value: Any) -> str:
    """The reason why a client may not choose a value; empty if it may."""
    field = type(options).model_fields[name]
    limits = next((limits for limits in field.metadata if isinstance(limits, ClientLimits)), ClientLimits())
    # Free text, such as the name of a model, rather than one of several choices.
    if field.annotation in (str, str | None):
        return "is for the operator of the service: leave it out"
    if limits.operator_only(value):
        return f"may not be {_shown(value)} here: that is for the operator of the service"
    if isinstance(value, tuple) and len(value) > LONGEST_LIST:
        return f"has {len(value)} items: here it may have at most {LONGEST_LIST}"
    default = field.get_default(call_default_factory=True)
    # The default is always allowed.
    most = max(MOST if limits.most is None else limits.most, default if isinstance(default, int | float) else 0)
    if isinstance(value, int | float) and value > most:
        return f"is {value:g}: here it may be at most {most:g}"
    return ""


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()


def _depth(value: object) -> int:
    """The nesting depth of a JSON value, computed without recursion."""
    level, depth = [value], 0
    while level:
        depth += 1
        level = [
            item
            for holder in level
            for item in (holder.values() if isinstance(holder, Mapping) else holder if isinstance(holder, list) else ())
        ]
    return depth
