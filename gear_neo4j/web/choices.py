"""What a caller may choose: retrievers and agents with options, within what one question may cost the service."""

from collections.abc import Mapping
from typing import Any, TypeVar

from gear_neo4j.errors import ModelError, SettingsError
from gear_neo4j.gear import Gear
from gear_neo4j.recipes.recipe import AgentRecipe, Options, Recipe, RetrieverRecipe
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS, Registry

RecipeType = TypeVar("RecipeType", bound=Recipe)
Choice = str | Mapping[str, Any]
# Options that multiply calls of a model or steps of a walk.
STEPS = frozenset(
    {
        *("max_steps", "max_replans", "max_rewrites", "max_regenerations", "drafts", "sentences", "beam_width"),
        *("concurrency", "length", "steps", "rounds"),
    }
)
MOST_STEPS = 8
MOST = 1_000
LONGEST_SECONDS = 30.0
DEEPEST = 8
LONGEST_LIST = 20
# It sends the question to a company, at the operator's cost.
_WEB = "web"


def retriever_of(choice: Choice, *, base: Choice | None = None) -> RetrieverRecipe:
    """The retriever that a caller chooses, by name or with options; ``base`` is its first stage.

    Raises:
        SettingsError: it is unknown, or an option is unknown or beyond what a caller may choose.
    """
    return _chosen(RETRIEVERS, choice, {} if base is None else {"base": base})


def agent_of(choice: Choice, *, max_steps: int | None = None, seconds: float) -> AgentRecipe:
    """The agent that a caller chooses; it begins no call of a model after ``seconds``.

    Raises:
        SettingsError: it is unknown, or an option is unknown or beyond what a caller may choose.
    """
    recipe = _chosen(AGENTS, choice, {} if max_steps is None else {"max_steps": max_steps})
    if "max_seconds" not in type(recipe).model_fields:
        return recipe
    bound = min(seconds, getattr(recipe, "max_seconds", None) or seconds)
    return recipe.model_copy(update={"max_seconds": bound})


def _chosen(registry: Registry[RecipeType], choice: Choice, options: Mapping[str, Any]) -> RecipeType:
    if _depth(choice) > DEEPEST or _depth(options) > DEEPEST:
        raise SettingsError(f"the {registry.kind} is nested too deeply: at most {DEEPEST} levels may be")
    fields = {"name": choice} if isinstance(choice, str) else dict(choice)
    recipe = registry.recipe({**fields, **options})
    _require_affordable(recipe)
    return recipe


def has_model(gear: Gear) -> bool:
    """Whether there is a chat model; it is opened, and not called."""
    try:
        _ = gear.chat
    except ModelError:
        return False
    return True


def _require_affordable(options: Options) -> None:
    """Check the options that were set, and those of the recipes that they hold."""
    owner = options.label
    if isinstance(options, Recipe) and options.operator_only:
        raise SettingsError(f"{options.name} is not offered here: {options.operator_only}")
    for name in options.model_fields_set:
        value = getattr(options, name)
        if isinstance(value, Options):
            _require_affordable(value)
        elif (name == "allow_cypher" and value) or (name == "tools" and any(map(_is_closed, value))):
            raise SettingsError(f"{owner} may use no tool here that is for the operator of the service")
        elif value == _WEB:
            raise SettingsError(f"{owner}'s {name} may not be {_WEB} here: the service searches its own database only")
        elif value is not None and _is_free_text(options, name):
            raise SettingsError(f"{owner}'s {name} is for the operator of the service: leave it out")
        elif isinstance(value, tuple) and len(value) > LONGEST_LIST:
            raise SettingsError(f"{owner}'s {name} has {len(value)} items: here it may have at most {LONGEST_LIST}")
        elif isinstance(value, int | float) and value > (most := _most(options, name)):
            raise SettingsError(f"{owner}'s {name} is {value:g}: here it may be at most {most:g}")


def _is_closed(tool: object) -> bool:
    """Whether a tool is for the operator alone."""
    entry = AGENTS.entries.get(str(tool)) or RETRIEVERS.entries.get(str(tool))
    return bool(entry and entry.recipe.operator_only)


def _is_free_text(options: Options, name: str) -> bool:
    """Whether an option takes any text, such as the name of a model, rather than one of a list."""
    return type(options).model_fields[name].annotation in (str, str | None)


def _most(options: Options, name: str) -> float:
    """The most that a number may be; what is the default is never too much."""
    default = type(options).model_fields[name].get_default(call_default_factory=True)
    least = float(default) if isinstance(default, int | float) else 0.0
    if name in STEPS:
        return max(MOST_STEPS, least)
    if name == "timeout":
        return max(LONGEST_SECONDS, least)
    return float("inf") if name in ("max_tokens", "max_seconds") else max(MOST, least)


def _depth(value: object) -> int:
    """How deeply a value of JSON is nested, without recursion."""
    level, depth = [value], 0
    while level:
        depth += 1
        level = [
            item
            for holder in level
            for item in (holder.values() if isinstance(holder, Mapping) else holder if isinstance(holder, list) else ())
        ]
    return depth
