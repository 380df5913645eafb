"""An option of a recipe as a flag of the command line: its name, type, range, default and help text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from gear_neo4j.recipes.recipe import Options, Recipe

# Pydantic's bounds of a number: which end of a range each is, and whether the range leaves it out.
BOUNDS = {"ge": ("min", False), "gt": ("min", True), "le": ("max", False), "lt": ("max", True)}


@dataclass(frozen=True, slots=True)
class Flag:
    """A recipe option as a flag: the path to its field, such as ``("beam", "width")``, its type, default and help."""

    path: tuple[str, ...]
    kind: Any
    default: object
    description: str
    limits: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The field's name."""
        return self.path[-1]

    @property
    def flag(self) -> str:
        """The flag on the command line."""
        return f"--{self.name.replace('_', '-')}"


def flags_of(recipe: type[Options], *, path: tuple[str, ...] = ()) -> Iterator[Flag]:
    """The flags of a recipe, those of nested options such as a beam included.

    Example:
        >>> from gear_neo4j.retrieval.naive import Naive
        >>> [flag.flag for flag in flags_of(Naive)][:4]
        ['--base', '--base-k', '--width', '--length']
    """
    for name, info in recipe.model_fields.items():
        kind = _plain(info.annotation)
        if isinstance(kind, type) and issubclass(kind, Options) and not issubclass(kind, Recipe):
            yield from flags_of(kind, path=(*path, name))
        elif name != "over" and _is_flag(kind):
            yield Flag((*path, name), kind, _default(info), info.description or "", _limits(info))


def help_of(owners: Sequence[tuple[str, Flag]]) -> Iterator[str]:
    """The help text of an option for each recipe, with the defaults."""
    descriptions = dict.fromkeys(flag.description for _, flag in owners)
    common = have_one_range([flag for _, flag in owners])
    for description in descriptions:
        shared = [(name, flag) for name, flag in owners if flag.description == description]
        bounds = "" if common else _bounds(shared[0][1].limits)
        yield f"{description[:1].upper()}{description[1:]}.  [{_defaults(shared)}{bounds}]"


def _bounds(limits: Mapping[str, float]) -> str:
    """The ends of a range as help texts show them.

    Example:
        >>> _bounds({"min": 1, "max": 4, "max_open": True})
        '; x>=1; x<4'
    """
    signs = {"min": ("x>=", "x>"), "max": ("x<=", "x<")}
    return "".join(f"; {sign[f'{end}_open' in limits]}{limits[end]:g}" for end, sign in signs.items() if end in limits)


def have_one_range(flags: Sequence[Flag]) -> bool:
    """Whether an option has the same range for every recipe."""
    return all(flag.limits == flags[0].limits for flag in flags)


def _defaults(owners: Sequence[tuple[str, Flag]]) -> str:
    """The default of each recipe: ``naive, sync: 15``."""
    names: dict[str, list[str]] = {}
    for name, flag in owners:
        names.setdefault(_shown(flag.default), []).append(name)
    if "" in names.get(next(iter(names)), ()):
        return next(iter(names)) or "not set"
    return "; ".join(
        f"{', '.join(recipes)}: {default}" if default else ", ".join(recipes) for default, recipes in names.items()
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "" if value is None or value == () else str(value)


def _plain(annotation: Any) -> Any:
    """A type without None; of a choice between a name and a recipe, the type of the name."""
    if get_origin(annotation) in (Union, UnionType):
        kinds = [kind for kind in map(_plain, get_args(annotation)) if kind is not NoneType]
        return str if any(isinstance(kind, type) and issubclass(kind, BaseModel) for kind in kinds) else kinds[0]
    return _plain(get_args(annotation)[0]) if hasattr(annotation, "__metadata__") else annotation


def _is_flag(kind: Any) -> bool:
    return kind in (int, float, bool, str) or get_origin(kind) in (Literal, tuple)


def _limits(info: FieldInfo) -> dict[str, float]:
    """The range of a number as click wants it."""
    limits: dict[str, float] = {}
    for limit in info.metadata:
        for name, (end, is_open) in BOUNDS.items():
            if (bound := getattr(limit, name, None)) is not None:
                limits |= {end: bound} | ({f"{end}_open": True} if is_open else {})
    return limits


def _default(info: FieldInfo) -> object:
    return info.get_default(call_default_factory=True)
