"""The options of a recipe as text names and sets them: ``base_k=5``, ``beam.width=20``, ``over.damping=0.5``."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from gear_neo4j.errors import SettingsError
from gear_neo4j.recipes.recipe import Options, Recipe
from gear_neo4j.recipes.registry import RETRIEVERS
from gear_neo4j.text.wording import did_you_mean

RecipeType = TypeVar("RecipeType", bound=Recipe)
Assignments = Iterable[tuple[str, str]]
# The fields that hold the retriever of an agent, which --retriever sets, and the first stage of a retriever.
OVER, BASE = "over", "base"
_KINDS: Mapping[Any, str] = {int: "integer", float: "number", bool: "true or false", str: "text", tuple: "list"}
# Pydantic's bounds of a number, in words.
_BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


@dataclass(frozen=True, slots=True)
class RecipeOption:
    """An option of a recipe: its name with a dot for each level, such as ``beam.width``, and its field."""

    name: str
    field: FieldInfo

    @property
    def type(self) -> str:
        """What it takes, in words.

        Example:
            >>> from gear_neo4j.retrieval.naive import Naive
            >>> [option.type for option in options_of(Naive)][1:3]
            ['integer, at least 1', 'integer, at least 1']
        """
        bounds = (
            f"{words} {getattr(limit, bound):g}"
            for limit in self.field.metadata
            for bound, words in _BOUNDS.items()
            if getattr(limit, bound, None) is not None
        )
        return ", ".join([*dict.fromkeys(_kinds(self.field.annotation)), *bounds])

    @property
    def default(self) -> str:
        """Its default as text that sets it; empty if there is none."""
        value = self.field.get_default(call_default_factory=True)
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, Recipe):
            return value.title
        return "" if value is None or value == () else str(value)

    @property
    def description(self) -> str:
        """What it is, as a phrase."""
        return self.field.description or ""

    def read(self, text: str) -> Any:
        """The value of a text: as it stands, a list by commas, else JSON if it is any. The recipe checks it."""
        kinds = set(_plain(self.field.annotation))
        choices = {str(value): value for kind in kinds if get_origin(kind) is Literal for value in get_args(kind)}
        if text in choices:
            return choices[text]
        if kinds == {tuple} and not text.startswith("["):
            return tuple(part.strip() for part in text.split(",") if part.strip())
        if kinds == {str}:
            return text
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text


def options_of(kind: type[Options], *, prefix: str = "") -> Iterator[RecipeOption]:
    """The options of a recipe, those of a group such as a beam included; not the retriever of an agent.

    Example:
        >>> from gear_neo4j.retrieval.naive import Naive
        >>> [option.name for option in options_of(Naive)][:3]
        ['base', 'base_k', 'beam.width']
    """
    for name, field in kind.model_fields.items():
        group = field.annotation
        if isinstance(group, type) and issubclass(group, Options) and not issubclass(group, Recipe):
            yield from options_of(group, prefix=f"{prefix}{name}.")
        elif name != OVER:
            yield RecipeOption(f"{prefix}{name}", field)


def reachable(recipe: Recipe) -> Iterator[RecipeOption]:
    """The options of a recipe, and of the recipes that it is built on, the nearest first."""
    for prefix, link in _chain(recipe):
        yield from options_of(type(link), prefix=prefix)


def assign(recipe: RecipeType, assignments: Assignments) -> RecipeType:
    """A recipe with options by name, such as ``beam.width``, whose beginning may be left out.

    A name means an option of the recipe itself or, if it has none of that name, of a recipe that it is built on.

    Raises:
        SettingsError: a name is unknown, ambiguous or set twice, or a value cannot be used.

    Example:
        >>> from gear_neo4j.retrieval.naive import Naive
        >>> assign(Naive(), [("width", "3"), ("base", "sbert")]).beam.width
        3
    """
    pairs, done = list(assignments), list[str]()
    # The recipes that it is built on come first, the nearest first: they decide which other options there are.
    for pair in sorted(filter(_sets_base, pairs), key=lambda pair: pair[0].count(".")):
        recipe = _assigned(recipe, [pair], done)
    return _assigned(recipe, [pair for pair in pairs if not _sets_base(pair)], done)


def _sets_base(pair: tuple[str, str]) -> bool:
    return pair[0].rpartition(".")[2] == BASE


def _assigned(recipe: RecipeType, pairs: Assignments, done: list[str]) -> RecipeType:
    """A recipe with new values, all at once, as some are valid only together; ``done`` gets the names."""
    values: dict[str, Any] = {}
    for name, text in pairs:
        option = _found(recipe, name)
        if option.name in done:
            raise SettingsError(f"{option.name} is set twice: give it once")
        done.append(option.name)
        values[option.name] = option.read(text)
    updated: RecipeType = _updated(recipe, values) if values else recipe
    return updated


def _updated(recipe: Options, values: Mapping[str, Any]) -> Any:
    """A copy with new values by dotted name; defaults stay unset."""
    fields = {name: getattr(recipe, name) for name in recipe.model_fields_set}
    groups: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        head, dot, rest = name.partition(".")
        if dot:
            groups.setdefault(head, {})[rest] = value
        else:
            fields[head] = value
    fields |= {head: _updated(getattr(recipe, head), inner) for head, inner in groups.items()}
    return type(recipe)(**fields)


def _chain(recipe: Recipe) -> Iterator[tuple[str, Recipe]]:
    """A recipe and the recipes that it is built on, each with the prefix of its options' names."""
    prefix, link = "", recipe
    while True:
        yield prefix, link
        name = next((name for name in (OVER, BASE) if isinstance(getattr(link, name, None), Recipe)), None)
        if name is None:
            return
        prefix, link = f"{prefix}{name}.", getattr(link, name)


def _found(recipe: Recipe, name: str) -> RecipeOption:
    own, every = list(options_of(type(recipe))), list(reachable(recipe))
    for options in (own, every):
        exact = [option for option in options if option.name == name]
        found = exact or [option for option in options if option.name.endswith(f".{name}")]
        if len(found) == 1:
            return found[0]
        if found:
            forms = " or ".join(option.name for option in found)
            raise SettingsError(f"{name} is an option of more than one part of {_titled(recipe)}: give {forms}")
    raise SettingsError(_unknown(recipe, name, every))


def _unknown(recipe: Recipe, name: str, options: Sequence[RecipeOption]) -> str:
    problem = f"{_titled(recipe)} has no option {name!r}"
    owners = [
        entry.name
        for entry in RETRIEVERS
        if any(f".{one.name}".endswith(f".{name}") for one in options_of(entry.recipe))
    ]
    if owners and not list(options_of(type(_links(recipe)[-1]))):
        return f"{problem}: choose a retriever that has it with --retriever ({', '.join(owners)})"
    names = [option.name for option in options]
    meant = did_you_mean(name, [*names, *(one.rpartition(".")[2] for one in names)])
    return f"{problem}: {meant}its options are {', '.join(names) or 'none'}"


def _links(recipe: Recipe) -> list[Recipe]:
    return [link for _, link in _chain(recipe)]


def _titled(recipe: Recipe) -> str:
    return " over ".join(link.name for link in _links(recipe))


def _plain(annotation: Any) -> Iterator[Any]:
    """The types that a value may have: those of a choice one by one, without None, and lists as ``tuple``."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        for part in get_args(annotation):
            yield from _plain(part)
    elif hasattr(annotation, "__metadata__"):
        yield from _plain(get_args(annotation)[0])
    elif origin is Literal:
        yield annotation
    elif annotation is not NoneType:
        yield origin or annotation


def _kinds(annotation: Any) -> Iterator[str]:
    for kind in _plain(annotation):
        if get_origin(kind) is Literal:
            yield from map(str, get_args(kind))
        elif isinstance(kind, type) and issubclass(kind, Recipe):
            yield "or a retriever"
        else:
            yield _KINDS.get(kind, "JSON")
