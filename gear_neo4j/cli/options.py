"""Options that several commands share: the connection to Neo4j and the models."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import wraps
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

import click

from gear_neo4j.settings import DEFAULT_NAME, Settings

if TYPE_CHECKING:
    from gear_neo4j.gear import Gear
    from gear_neo4j.models.chat import ChatModel
    from gear_neo4j.retrieval.context import Context

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _joined(_context: click.Context, _parameter: click.Parameter, words: Sequence[str]) -> str:
    # Checked here, before a server is started or a model loaded.
    from gear_neo4j.retrieval.question import checked

    return checked(" ".join(words))


def _context(_context: click.Context, _parameter: click.Parameter, value: str) -> "Context":
    from gear_neo4j.retrieval.context import checked_context

    return checked_context(int(value) if value.isdecimal() else value)


CONTEXT: Decorator = click.option(
    "--context",
    metavar="NUMBER|section",
    default="0",
    callback=_context,
    help="Also the passages before and after each one in its document, up to 5, or those of its section.",
)
QUESTION: Decorator = click.argument("question", nargs=-1, required=True, callback=_joined)
CONNECTION: Sequence[Decorator] = (
    click.option("--uri", help="URI of a Neo4j server; default: the local server.  [NEO4J_URI]"),
    click.option("--username", help="User of that server.  [NEO4J_USERNAME; default: neo4j]"),
    click.option("--password", help="Its password; the environment is a safer place for it.  [NEO4J_PASSWORD]"),
    click.option("--database", help="Its database; default: the user's home database.  [NEO4J_DATABASE]"),
    click.option("--name", help="Name of a local server; each has its own data.  [GEAR_NAME; default: default]"),
)
EMBEDDING: Sequence[Decorator] = (
    click.option("--embedding-model", help="A sentence-transformers model or folder.  [GEAR_EMBEDDING_MODEL]"),
)
RERANK: Sequence[Decorator] = (
    click.option("--rerank", metavar="MODEL", help="A cross-encoder that reorders passages.  [GEAR_RERANK]"),
)
CHAT: Sequence[Decorator] = (
    click.option("--chat-model", help="The language model, served at OPENAI_BASE_URL or by OpenAI.  [GEAR_CHAT_MODEL]"),
    click.option("--cache/--no-cache", "chat_cache", default=None, help="Cache its replies.  [GEAR_CHAT_CACHE; on]"),
)
ENV: Sequence[Decorator] = (
    click.option(
        "--env",
        "env_file",
        type=click.Path(path_type=File),
        help="Read settings from a file such as Aura's; the environment overrides it.",
    ),
)
ALL: Sequence[Decorator] = (*CHAT, *CONNECTION, *EMBEDDING, *ENV)
FLAGS = ("uri", "username", "password", "database", "name", "embedding_model", "rerank", "chat_model", "chat_cache")


def with_settings(*groups: Sequence[Decorator]) -> Decorator:
    """Add groups of options (:data:`CHAT`, :data:`CONNECTION`, :data:`EMBEDDING`) and ``--env`` to a command.

    The command gets them as ``settings``. It takes only the groups that it uses: an option without effect misleads.
    """
    options: list[Decorator] = [option for group in (*groups, ENV) for option in group]
    return lambda command: with_options(options)(_with_loaded_settings(command))


def with_options(options: Sequence[Decorator]) -> Decorator:
    """Add options to a command, in their order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def grouped(name: str, group: type[Any], options: Sequence[Decorator]) -> Decorator:
    """Add options to a command, which receives them as one value ``name``: a dataclass whose fields they are."""
    names = [field.name for field in fields(group)]

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(*args: Any, **values: Any) -> None:
            value = group(**{key: values.pop(key) for key in names})
            command(*args, **{name: value}, **values)

        return with_options(options)(run)

    return add


def _with_loaded_settings(command: Callable[..., None]) -> Callable[..., None]:
    @wraps(command)
    def run(*args: Any, env_file: File | None = None, **values: Any) -> None:
        flags = {key: values.pop(key) for key in FLAGS if key in values}
        command(*args, settings=load_settings(env_file, flags), **values)

    return run


def load_settings(env_file: File | None, flags: Mapping[str, Any]) -> Settings:
    """The settings from the environment and ``--env``, overridden by the flags that are set.

    Raises:
        SettingsError: a setting cannot be used.
        click.UsageError: a flag is empty, or another flag would override it.
    """
    given = {key: value for key, value in flags.items() if value is not None}
    if empty := next((key for key, value in given.items() if value == ""), None):
        raise click.UsageError(f"{_flag(empty)} is empty: give a value, or leave it out")
    if "name" in given:
        if "uri" in given:
            raise click.UsageError("--name is for a local server, --uri for any other: give only one of them")
        given["uri"] = None
    settings = replace(Settings.load(env_file=env_file), **given)
    lost = [_flag(key) for key in ("username", "password", "database") if key in given]
    if lost and settings.uri is None:
        raise click.UsageError(f"{', '.join(lost)}: a local server has its own; set --uri for any other server")
    return settings


def _flag(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def given_connection() -> str:
    """The options of the current command that choose the database, for a command that a hint repeats.

    The password is left out: it would stay in the shell's history.
    """
    context = click.get_current_context()
    values = {**context.params, "env": context.params.get("env_file")}
    given = ((key, values.get(key)) for key in ("uri", "username", "database", "name", "env"))
    return "".join(f" {_flag(key)} {shlex.quote(str(value))}" for key, value in given if value is not None)


def own_server(settings: Settings, name: str) -> Settings:
    """The settings with a separate local server, unless the user chose a server."""
    return settings if settings.uri or settings.name != DEFAULT_NAME else replace(settings, name=name)


@contextmanager
def opened(settings: Settings, *, chat: "ChatModel | None" = None, create: bool = False) -> "Iterator[Gear]":
    """Connect by the settings for a block; shows on standard error what it waits for.

    Args:
        create: create the local server if it does not exist; only for commands that write to it.
    """
    # Imported late: gear mcp must answer before the driver and the models are loaded.
    from gear_neo4j.cli.progress import waiting
    from gear_neo4j.gear import Gear

    with waiting("connecting") as report:
        gear = Gear.connect(settings, chat=chat, create=create, report=report)
    with gear:
        yield gear
