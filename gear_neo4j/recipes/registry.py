"""The registered retrievers, agents and extractors: built-in, the user's own, and those of installed packages.

A recipe is registered with the function that makes it work::

    @register_retriever(Newest)
    def make(session: Session, recipe: Newest) -> Retriever:
        return NewestFirst(session.graph, limit=recipe.limit)

From then on the command line, the evaluation, LangChain and the planner know it by its name. A package registers its
own by an entry point of the group ``gear_neo4j.retrievers``, ``gear_neo4j.agents`` or ``gear_neo4j.extractors``, which
names a module that does so when it is imported.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from threading import RLock
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BeforeValidator, SerializeAsAny

from gear_neo4j.errors import SettingsError
from gear_neo4j.provided import provided
from gear_neo4j.recipes.recipe import AgentRecipe, ExtractorRecipe, Recipe, RetrieverRecipe, View
from gear_neo4j.text.wording import did_you_mean

RecipeType = TypeVar("RecipeType", bound=Recipe)
Make = Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Entry(Generic[RecipeType]):
    """A registered recipe: its type, the function ``(session, recipe)`` that makes it work, and its use as a tool.

    ``tool`` is the line that tells a planner which questions it is for; without one the planner does not get it.
    """

    recipe: type[RecipeType]
    make: Make
    tool: str = ""

    @property
    def name(self) -> str:
        """The name of the recipe."""
        return self.recipe.name

    @property
    def own(self) -> bool:
        """Whether it is a user's own, or another package's."""
        return not self.recipe.__module__.startswith("gear_neo4j.")

    @property
    def summary(self) -> str:
        """The first line of the recipe's documentation."""
        return (self.recipe.__doc__ or "").strip().partition("\n")[0]


class Registry(Generic[RecipeType]):
    """The recipes of one kind by name, in the order in which they were registered.

    The module that registers ours is imported at the first lookup, and so are the entry points; one that fails is kept
    in ``broken``.

    Args:
        kind: what messages call them.
    """

    def __init__(self, kind: str, base: type[RecipeType]) -> None:
        self.kind = kind
        self._base = base
        self._group = f"gear_neo4j.{kind}s"
        self._entries: dict[str, Entry[RecipeType]] = {}
        self._broken: dict[str, str] = {}
        self._lock = RLock()
        self._loaded = False

    def register(self, recipe: type[RecipeType], *, tool: str = "") -> Callable[[Make], Make]:
        """Register a recipe with the function that makes it work; the same type may be registered anew.

        Raises:
            SettingsError: the type is no recipe of this kind, has no name, or another type has that name.
        """
        if not issubclass(recipe, self._base):
            raise SettingsError(f"{recipe.__name__} cannot be registered: derive it from {self._base.__name__}")
        if not recipe.name:
            raise SettingsError(f"{recipe.__name__} has no name: set name: ClassVar[str]")

        def add(make: Make) -> Make:
            known = self._entries.get(recipe.name)
            if known and known.recipe is not recipe:
                raise SettingsError(f"there is a {self.kind} {recipe.name!r} already: choose another name")
            self._entries[recipe.name] = Entry(recipe, make, tool)
            return make

        return add

    def remove(self, name: str) -> None:
        """Take a recipe out again; one that is not there is no error."""
        self._entries.pop(name, None)

    @property
    def entries(self) -> Mapping[str, Entry[RecipeType]]:
        """All entries by name, the built-in ones first."""
        self._load()
        return dict(self._entries)

    @property
    def broken(self) -> Mapping[str, str]:
        """Why entry points could not be loaded, a line for each, by their names."""
        self._load()
        return dict(self._broken)

    def __iter__(self) -> Iterator[Entry[RecipeType]]:
        return iter(self.entries.values())

    def offered(self, view: View) -> list[Entry[RecipeType]]:
        """What a client may choose: not for the operator alone, and without a reason by which a scope refuses it."""
        return [entry for entry in self if not (entry.recipe.operator_only or entry.recipe.refusal(view))]

    def entry(self, name: str) -> Entry[RecipeType]:
        """The entry of a name.

        Raises:
            SettingsError: the name is unknown, or its entry point is broken; names the valid ones.
        """
        entries = self.entries
        if name not in entries:
            if name in self._broken:
                raise SettingsError(f"{self._broken[name]}: choose one of {', '.join(entries)}")
            meant = did_you_mean(name, entries)
            lines = "".join(f"; {line}" for line in self._broken.values())
            raise SettingsError(f"there is no {self.kind} {name!r}: {meant}choose one of {', '.join(entries)}{lines}")
        return entries[name]

    def recipe(self, value: object) -> RecipeType:
        """A recipe from its name, from ``{"name": ..., options}``, or as it is.

        Raises:
            SettingsError: the name or an option is unknown.
        """
        if isinstance(value, self._base):
            return value
        if isinstance(value, str):
            return self.entry(value).recipe()
        if isinstance(value, Mapping) and isinstance(value.get("name"), str):
            options = {key: option for key, option in value.items() if key != "name"}
            return self.entry(value["name"]).recipe(**options)
        raise SettingsError(f"{value!r} is not a known {self.kind}: give a name or a recipe")

    def make(self, session: object, recipe: RecipeType) -> Any:
        """Call the recipe's function."""
        return self.entry(recipe.name).make(session, recipe)

    def _load(self) -> None:
        with self._lock:
            if self._loaded:
                return
            # Before the imports, which may ask for entries themselves.
            self._loaded = True
            try:
                provided(f"{self.kind}s")
            except BaseException:
                self._loaded = False
                raise
            for point in entry_points(group=self._group):
                self._load_point(point)

    def _load_point(self, point: EntryPoint) -> None:
        """Import a module of another package, which may raise anything."""
        try:
            point.load()
        except Exception as error:
            package = f" of the package {point.dist.name}" if point.dist else ""
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            self._broken[point.name] = f"the {self.kind} {point.name!r}{package} could not be loaded ({reason})"


RETRIEVERS = Registry("retriever", RetrieverRecipe)
AGENTS = Registry("agent", AgentRecipe)
EXTRACTORS = Registry("extractor", ExtractorRecipe)
REGISTRIES: tuple[Registry[Any], ...] = (RETRIEVERS, AGENTS, EXTRACTORS)


def register_retriever(recipe: type[RetrieverRecipe], *, tool: str = "") -> Callable[[Make], Make]:
    """Register a retriever with the function ``(session, recipe)`` that makes it.

    Args:
        tool: which questions it is for, in a line; with it a planner may use the retriever.

    Raises:
        SettingsError: the type is no recipe of a retriever, has no name, or another type has that name.
    """
    return RETRIEVERS.register(recipe, tool=tool)


def register_agent(recipe: type[AgentRecipe], *, tool: str = "") -> Callable[[Make], Make]:
    """Register an agent with the function ``(session, recipe)`` that makes it; see :func:`register_retriever`."""
    return AGENTS.register(recipe, tool=tool)


def register_extractor(recipe: type[ExtractorRecipe]) -> Callable[[Make], Make]:
    """Register an extractor with the function ``(session, recipe)`` that makes it; see :func:`register_retriever`."""
    return EXTRACTORS.register(recipe)


# A field that takes a retriever by name or as a recipe.
AnyRetriever = Annotated[SerializeAsAny[RetrieverRecipe], BeforeValidator(RETRIEVERS.recipe)]
