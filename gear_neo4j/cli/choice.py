"""The options that choose a retriever or an agent: ``--retriever``, ``--agent``, ``--base`` and ``--set``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, get_args

import click
from click.shell_completion import CompletionItem

from gear_neo4j.cli.options import Decorator, with_options
from gear_neo4j.errors import GearError, SettingsError
from gear_neo4j.recipes.assignment import assign, reachable
from gear_neo4j.recipes.recipe import AgentRecipe, Recipe, RetrieverRecipe
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS, Registry
from gear_neo4j.retrieval.rank.rankers import BaseName

Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
Pair = tuple[str, str]
SET = "An option of the retriever or agent, such as width=20; repeatable. gear recipes NAME lists them."


@dataclass(frozen=True, slots=True)
class Choice:
    """The retriever or the agent that a user chose, and the options that were set."""

    retriever: str | None
    agent: str | None = None
    options: Sequence[Pair] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the user chose nothing."""
        return self.retriever is None and self.agent is None and not self.options

    def make(self) -> RetrieverRecipe | AgentRecipe:
        """The recipe of the agent, or of the retriever if no agent was chosen.

        Raises:
            SettingsError: a name is unknown, the two do not fit, or an option is unknown or out of its range.
        """
        return self.make_retriever() if self.agent is None else self.make_agent()

    def make_retriever(self) -> RetrieverRecipe:
        """The recipe of the retriever; see :meth:`make`."""
        return assign(_retriever("auto" if self.retriever is None else self.retriever), self.options)

    def make_agent(self) -> AgentRecipe:
        """The recipe of the agent over the retriever; see :meth:`make`."""
        return assign(_agent("gear" if self.agent is None else self.agent, self.retriever), self.options)


def with_choice(*more: str, agent: str | None = None, retriever: str | None = None, agents: bool = True) -> Decorator:
    """Add the options that choose a recipe to a command, which receives a :class:`Choice` as ``choice``.

    Args:
        more: options of retrievers that also become options of the command, like ``base``.
        agent: the default of ``--agent``.
        retriever: the default of ``--retriever``.
        agents: whether the command has ``--agent``.
    """
    named = ("base", *more)
    chosen = [_retriever_option(retriever), *(_named_option(name) for name in named), set_option(_chosen, SET)]
    options = [_agent_option(agent), *chosen] if agents else chosen

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(
            *args: Any, retriever: str | None, assignments: Sequence[Pair], agent: str | None = None, **values: Any
        ) -> None:
            own = [(name, value) for name in named if (value := values.pop(name)) is not None]
            command(*args, choice=Choice(retriever, agent, [*own, *assignments]), **values)

        return with_options(options)(run)

    return add


def names_of(registry: Registry[Any]) -> Completion:
    """Shell completion of the names in a registry, each with its summary."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [
            CompletionItem(entry.name, help=entry.summary) for entry in registry if entry.name.startswith(incomplete)
        ]

    return complete


def _retriever_option(default: str | None) -> Decorator:
    return click.option(
        "--retriever",
        default=default,
        show_default=default is not None,
        shell_complete=names_of(RETRIEVERS),
        help="A retriever; gear recipes lists them." + ("" if default else "  [default: that of the agent, or auto]"),
    )


def _agent_option(default: str | None) -> Decorator:
    return click.option(
        "--agent",
        default=default,
        show_default=default is not None,
        shell_complete=names_of(AGENTS),
        help="An agent; gear recipes lists them.",
    )


def _named_option(name: str) -> Decorator:
    texts = {
        "base": f"What ranks the first passages: {', '.join(get_args(BaseName))}, or a retriever.",
        "base_k": "Number of passages that --base gives to the retriever.",
        "score": "How paths are scored: composed, encoded or last.",
    }
    return click.option(f"--{name.replace('_', '-')}", name, help=texts[name])


def pairs(_context: click.Context, _parameter: click.Parameter, texts: Sequence[str]) -> tuple[Pair, ...]:
    """The callback of an option that takes pairs of a name and a value, repeatedly."""
    if wrong := next((text for text in texts if "=" not in text), None):
        raise click.BadParameter(f"{wrong!r} is not NAME=VALUE, such as damping=0.5")
    return tuple((name, value) for name, _, value in (text.partition("=") for text in texts))


def set_option(chosen: Callable[[click.Context], Recipe], help: str) -> Decorator:
    """Make ``--set``; the shell completes option names of the recipe chosen so far, in their shortest form."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            options = list(reachable(chosen(context)))
        except GearError:
            return []
        last = [option.name.rpartition(".")[2] for option in options]
        names = [
            one.name if "." in incomplete or last.count(name) > 1 else name
            for one, name in zip(options, last, strict=True)
        ]
        return [
            CompletionItem(f"{name}=", help=option.description)
            for name, option in zip(names, options, strict=True)
            if name.startswith(incomplete)
        ]

    return click.option(
        "--set",
        "assignments",
        multiple=True,
        metavar="NAME=VALUE",
        callback=pairs,
        shell_complete=complete,
        help=help,
    )


def with_set(kind: type[Recipe]) -> Decorator:
    """Add ``--set`` for one kind of recipe to a command, which receives the pairs as ``assignments``."""
    help = f"An option of {kind.name}, such as hops=3; repeatable. gear recipes {kind.name} lists them."
    return set_option(lambda _: kind(), help)


def _chosen(context: click.Context) -> Recipe:
    params = context.params
    base = [("base", params["base"])] if params.get("base") else []
    return Choice(params.get("retriever"), params.get("agent"), base).make()


def _retriever(name: str) -> RetrieverRecipe:
    if name in get_args(BaseName) and name not in RETRIEVERS.entries:
        raise SettingsError(f"{name} is a base, not a retriever: give --retriever base --base {name}")
    return RETRIEVERS.recipe(name)


def _agent(name: str, retriever: str | None) -> AgentRecipe:
    recipe = AGENTS.recipe(name)
    if retriever is None:
        return recipe
    if "over" not in type(recipe).model_fields:
        raise SettingsError(f"{name} uses no retriever: leave out --retriever")
    over, kind = _retriever(retriever), type(recipe).model_fields["over"].annotation
    if isinstance(kind, type) and issubclass(kind, Recipe) and not isinstance(over, kind):
        raise SettingsError(f"{name} works over {kind.name} only, not {retriever}")
    return type(recipe)(over=over)  # type: ignore[call-arg]
