"""Recipes: a retriever, an agent or an extractor as one frozen value, with its options, their defaults and checks."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Protocol, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic_core import ErrorDetails

from gear_neo4j.errors import SettingsError
from gear_neo4j.scope import Scope


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """What a client of a service may choose for an option; see :func:`option`."""

    most: float | None = None
    operator_only: Callable[[Any], bool] = lambda _: False


def option(
    default: Any,
    description: str,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    client_most: float | None = None,
    operator_only: Callable[[Any], bool] = lambda _: False,
) -> Any:
    """A field of a recipe: its default, a phrase that describes it, and the range of a number (``above`` excludes it).

    Args:
        client_most: the largest number that a client of a service may choose; 1,000 by default.
        operator_only: whether a value is for those who run the service, and no client may choose it.
    """
    field = Field(default, description=description, ge=least, le=most, gt=above, lt=below)
    field.metadata.append(ClientLimits(client_most, operator_only))
    return field


class Options(BaseModel):
    """Frozen options, validated when they are created; an error is one line.

    Raises:
        SettingsError: an option is unknown or out of its range; names the valid options.

    Example:
        >>> class Beam(Options):
        ...     label: ClassVar[str] = "the beam"
        ...     width: int = option(10, "paths kept after each step", least=1)
        >>> Beam(width=0)
        Traceback (most recent call last):
        gear_neo4j.errors.SettingsError: the beam's width is 0: it must be at least 1
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)
    label: ClassVar[str] = "the options"

    @model_validator(mode="wrap")
    @classmethod
    def _explained(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(value, Recipe) and not isinstance(value, cls):
            raise SettingsError(f"{value.title} is given where {cls.label} belongs")
        try:
            return handler(value)
        except ValidationError as error:
            raise SettingsError(_explain(cls, error.errors()[0])) from None


class View(Protocol):
    """A graph as a caller sees it."""

    @property
    def scope(self) -> Scope:
        """What the caller may see."""

    @property
    def admits_graph(self) -> bool:
        """Whether that is every node of the adopted graph; it can take a round trip."""


class Recipe(Options):
    """What a retriever, an agent or an extractor is made from; a subclass sets ``name`` and adds its options.

    One that reads more than a scope admits says so as ``unscoped``, and is refused there; as ``unfiltered``, if only a
    filter of metadata is in its way; as ``whole_graph``, if it reads all nodes of an adopted graph. One that only
    whoever runs gear-neo4j may choose says so as ``operator_only``: no client of a service may name it.
    """

    name: ClassVar[str] = ""
    # Why it is refused under a scope; empty for one that honours it.
    unscoped: ClassVar[str] = ""
    # Why it is refused under a scope with a filter.
    unfiltered: ClassVar[str] = ""
    # Why it is refused under a scope that may hide nodes of the adopted graph.
    whole_graph: ClassVar[str] = ""
    # Why a client of a service may not name it; empty for one that it may.
    operator_only: ClassVar[str] = ""

    @property
    def title(self) -> str:
        """Its name, and the recipes that it is built on: ``crag over naive over hybrid``."""
        below = getattr(self, "over", None) or getattr(self, "base", None)
        return f"{self.name} over {below.title if isinstance(below, Recipe) else below}" if below else self.name

    @classmethod
    def refusal(cls, view: View) -> str:
        """Why it is refused under the scope of a view, in a line; empty if it honours the scope."""
        if cls.unscoped and not view.scope.is_everything:
            return f"{cls.name} is refused under a scope: {cls.unscoped}"
        if cls.unfiltered and view.scope.where is not None:
            return f"{cls.name} is refused under a scope with a filter: {cls.unfiltered}"
        if cls.whole_graph and not view.admits_graph:
            return f"{cls.name} is refused under a scope: {cls.whole_graph}"
        return ""

    @model_serializer(mode="wrap")
    def _with_name(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {"name": self.name, **handler(self)}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.label = cls.name or cls.label


class RetrieverRecipe(Recipe):
    """A retriever and its options.

    Set ``searches_synonyms`` where it walks along synonym edges, which an evaluation then links first.
    """

    searches_synonyms: ClassVar[bool] = False

    @property
    def requires_model(self) -> bool:
        """Whether it needs a language model; by default, if a recipe that it is built on does."""
        below = getattr(self, "base", None)
        return isinstance(below, RetrieverRecipe) and below.requires_model

    @property
    def calls_model(self) -> bool:
        """Whether it calls a language model if there is one; evaluations then use one."""
        return self.requires_model


class AgentRecipe(Recipe):
    """An agent and its options; one that uses a retriever has it as ``over``.

    Set ``requires_graph`` where it answers from an adopted graph only.
    """

    requires_graph: ClassVar[bool] = False

    @property
    def requires_model(self) -> bool:
        """Whether it cannot do without a language model."""
        return True

    @property
    def calls_model(self) -> bool:
        """Whether it calls a language model."""
        return True


class Budget(AgentRecipe):
    """An agent whose run can be bounded.

    No call is begun once a bound is reached; the answer may be one call more.
    """

    max_tokens: int | None = option(
        None, "begin no further call once this many tokens are spent", least=1, client_most=inf
    )
    max_seconds: float | None = option(None, "begin no further call after this many seconds", least=1, client_most=inf)


class ExtractorRecipe(Recipe):
    """An extractor of triples from passages, and its options."""


def option_names(recipe: type[Options]) -> str:
    """The names of the options of a recipe, for a message.

    Example:
        >>> option_names(Budget), option_names(Recipe)
        ('max_tokens, max_seconds', 'none')
    """
    return ", ".join(recipe.model_fields) or "none"


def _explain(owner: type[Options], error: ErrorDetails) -> str:
    location = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{owner.label} has no option {location!r}: its options are {option_names(owner)}"
    limits = error.get("ctx", {})
    match error["type"]:
        case "greater_than_equal" | "less_than_equal":
            limit = f"at least {limits['ge']:g}" if "ge" in limits else f"at most {limits['le']:g}"
        case "greater_than" | "less_than":
            limit = f"above {limits['gt']:g}" if "gt" in limits else f"below {limits['lt']:g}"
        case "literal_error":
            limit = str(limits["expected"]).replace("'", "")
        case _:
            limit = error["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    whose = f"{owner.label}'" if owner.label.endswith("s") else f"{owner.label}'s"
    return f"{whose} {location} is {error['input']!r}: it must be {limit}"
