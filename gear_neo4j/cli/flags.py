"""Command-line flags derived from the options of retriever and agent recipes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar, get_args, get_origin

import click
from click.shell_completion import CompletionItem

from gear_neo4j.cli.flag import Flag, flags_of, have_one_range, help_of
from gear_neo4j.errors import SettingsError
from gear_neo4j.recipes.recipe import RENAMED, AgentRecipe, Options, Recipe, RetrieverRecipe
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS, Registry
from gear_neo4j.retrieval.rank.rankers import BaseName

PREFIX = "recipe_option_"
RecipeOptions = Mapping[str, Any]
Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
RecipeType = TypeVar("RecipeType", bound=Recipe)


class RecipeCommand(click.Command):
    """A command with the flags of recipes, which reach it as ``options``.

    Args:
        registries: add the flags of every entry, and list the entries in ``--help``.
        recipe: add the flags of this recipe alone; ``only`` limits them.
    """

    def __init__(
        self,
        *args: Any,
        registries: Sequence[Registry[Any]] = (),
        recipe: type[Recipe] | None = None,
        only: Sequence[str] = (),
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._registries = registries
        self._recipe = recipe
        self._only = frozenset(only)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, and the flags of the recipes."""
        recipes = [(entry.name, entry.recipe) for registry in self._registries for entry in registry]
        own = [("", self._recipe)] if self._recipe else []
        return [*super().get_params(ctx), *_merge_flags([*recipes, *own], only=self._only)]

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command with the recipe flags that the user set as ``options``."""
        ctx.params["options"] = _take_options(ctx.params)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The command's own options, then each registry with its entries and their flags."""
        if self._recipe:
            super().format_options(ctx, formatter)
            return
        options = [param for param in super().get_params(ctx) if isinstance(param, click.Option)]
        own = [record for option in options if (record := option.get_help_record(ctx))]
        with formatter.section("Options"):
            formatter.write_dl(own)
        for registry in self._registries:
            with formatter.section(f"{registry.kind.capitalize()}s"):
                formatter.write_dl([(entry.name, entry.summary.replace("``", "")) for entry in registry])
            flags = _merge_flags([(entry.name, entry.recipe) for entry in registry])
            records = [record for flag in flags if (record := flag.get_help_record(ctx))]
            with formatter.section(f"Options of {registry.kind}s, with defaults"):
                formatter.write_dl(records)


def names_of(registry: Registry[Any]) -> Completion:
    """Shell completion of the names in a registry, each with its summary."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [
            CompletionItem(entry.name, help=entry.summary) for entry in registry if entry.name.startswith(incomplete)
        ]

    return complete


def retriever_from(name: str | None, options: RecipeOptions, *, default: str = "auto") -> RetrieverRecipe:
    """The retriever by name, with options.

    Raises:
        SettingsError: unknown retriever, or an option that it does not have.
    """
    return with_options_of(_retriever(name or default), options)


def agent_from(name: str, retriever: str | None, options: RecipeOptions) -> AgentRecipe:
    """The agent by name, over a retriever (default: its own), with options.

    Raises:
        SettingsError: unknown agent or retriever, a retriever that the agent cannot use, or an option that neither has.
    """
    recipe = AGENTS.recipe(name)
    if retriever is not None:
        if "over" not in type(recipe).model_fields:
            raise SettingsError(f"{name} uses no retriever: leave out --retriever")
        over, kind = _retriever(retriever), type(recipe).model_fields["over"].annotation
        if isinstance(kind, type) and issubclass(kind, Recipe) and not isinstance(over, kind):
            raise SettingsError(f"{name} works over {kind.name} only, not {retriever}")
        recipe = type(recipe)(over=over)  # type: ignore[call-arg]
    return with_options_of(recipe, options)


def _retriever(name: str) -> RetrieverRecipe:
    if name in get_args(BaseName) and name not in RETRIEVERS.entries:
        raise SettingsError(f"{name} is a base, not a retriever: give --retriever base --base {name}")
    return RETRIEVERS.recipe(name)


def _take_options(params: dict[str, Any]) -> dict[str, Any]:
    """Pop the recipe flags from the parameters; return those that the user set."""
    names = [key for key in params if key.startswith(PREFIX)]
    values = {key.removeprefix(PREFIX): params.pop(key) for key in names}
    given = {name: value for name, value in values.items() if value not in (None, ())}
    return {RENAMED.get(name, name): value for name, value in given.items()}


def with_options_of(recipe: RecipeType, options: RecipeOptions) -> RecipeType:
    """A recipe with options; each goes to the first in the chain (agent, retriever, first stage) that has it.

    Raises:
        SettingsError: no recipe in the chain has an option; the message lists those they have.
    """
    if len(options) > 1 and "base" in options:
        # The first stage comes first: it may be a retriever with options of its own.
        recipe = with_options_of(recipe, {"base": options["base"]})
        options = {name: value for name, value in options.items() if name != "base"}
    chain = _chain(recipe)
    known = [{flag.name: flag for flag in flags_of(type(link))} for link in chain]
    updates: list[dict[tuple[str, ...], Any]] = [{} for _ in chain]
    for name, value in options.items():
        place = next((place for place, flags in enumerate(known) if name in flags), None)
        if place is None:
            raise SettingsError(_unknown_option(name, chain))
        updates[place][known[place][name].path] = value
    changed: Recipe | None = None
    for place in reversed(range(len(chain))):
        if changed is not None:
            updates[place][(_below(chain[place]),)] = changed
        changed = _with_updates(chain[place], updates[place]) if updates[place] else None
    return changed or recipe  # type: ignore[return-value]


def _chain(recipe: Recipe) -> list[Recipe]:
    links = [recipe]
    while isinstance(below := getattr(links[-1], _below(links[-1]), None), Recipe):
        links.append(below)
    return links


def _below(recipe: Recipe) -> str:
    return "over" if isinstance(recipe, AgentRecipe) else "base"


def _with_updates(recipe: Options, updates: Mapping[tuple[str, ...], Any]) -> Any:
    """A copy with new values; defaults stay unset."""
    values = {name: getattr(recipe, name) for name in recipe.model_fields_set}
    nested: dict[str, dict[tuple[str, ...], Any]] = {}
    for path, value in updates.items():
        if len(path) == 1:
            values[path[0]] = value
        else:
            nested.setdefault(path[0], {})[path[1:]] = value
    values |= {name: _with_updates(getattr(recipe, name), inner) for name, inner in nested.items()}
    return type(recipe)(**values)


def _unknown_option(name: str, chain: Sequence[Recipe]) -> str:
    has = "; ".join(
        f"{link.name} has {', '.join(flag.flag for flag in flags_of(type(link))) or 'no options'}" for link in chain
    )
    unknown = f"--{name.replace('_', '-')} is not an option of {' over '.join(link.name for link in chain)}"
    owners = [entry.name for entry in RETRIEVERS if any(flag.name == name for flag in flags_of(entry.recipe))]
    if owners and not any(flags_of(type(chain[-1]))):
        return f"{unknown}: set --retriever to one that has it ({', '.join(owners)})"
    return f"{unknown}: {has}"


def _merge_flags(
    recipes: Sequence[tuple[str, type[Recipe]]], *, only: frozenset[str] = frozenset()
) -> list[click.Option]:
    """One click option per name, shared by all recipes that have it."""
    flags: dict[str, list[tuple[str, Flag]]] = {}
    for name, recipe in recipes:
        for flag in flags_of(recipe):
            if not only or flag.name in only:
                flags.setdefault(flag.name, []).append((name, flag))
    renamed = [old for old, new in RENAMED.items() if new in flags and old not in flags]
    return [*map(_option, flags.values()), *(_hidden(old, flags[RENAMED[old]]) for old in renamed)]


def _hidden(name: str, owners: Sequence[tuple[str, Flag]]) -> click.Option:
    """The earlier name of an option, which works but is not shown."""
    return click.Option([f"--{name}", f"{PREFIX}{name}"], type=_type([flag for _, flag in owners]), hidden=True)


def _option(owners: Sequence[tuple[str, Flag]]) -> click.Option:
    flag = owners[0][1]
    declaration = f"{flag.flag}/--no-{flag.flag[2:]}" if flag.kind is bool else flag.flag
    return click.Option(
        [declaration, f"{PREFIX}{flag.name}"],
        type=_type([flag for _, flag in owners]),
        default=None,
        multiple=get_origin(flag.kind) is tuple,
        help="  ".join(help_of(owners)),
    )


def _type(flags: Sequence[Flag]) -> Any:
    """The type of an option, with its range if that is the same for every recipe that has the option."""
    kind, limits = flags[0].kind, flags[0].limits
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind in (int, float) and limits and have_one_range(flags):
        ranged: Any = click.IntRange if kind is int else click.FloatRange
        return ranged(**limits)
    return {int: click.INT, float: click.FLOAT, bool: click.BOOL}.get(kind, click.STRING)
