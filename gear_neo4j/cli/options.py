"""Options that several commands share: the connection to Neo4j and the models."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path as File
from typing import Any, TypeVar

import click

from gear_neo4j.cli.progress import errors as errors
from gear_neo4j.cli.progress import waiting
from gear_neo4j.gear import Gear
from gear_neo4j.models.chat import ChatModel
from gear_neo4j.settings import DEFAULT_NAME, Settings

Command = TypeVar("Command", bound=Callable[..., Any])

_CONNECTION = (
    click.option("--uri", help="URI of a Neo4j server; default: the local server.  [NEO4J_URI]"),
    click.option("--username", help="[NEO4J_USERNAME; default: neo4j]"),
    click.option("--password", help="Better set in the environment.  [NEO4J_PASSWORD]"),
    click.option("--database", help="Name of the database; default: the user's home database.  [NEO4J_DATABASE]"),
    click.option("--name", help="Name of the local server; each has its own data.  [GEAR_NAME; default: default]"),
    click.option("--embedding-model", help="A sentence-transformers model or folder.  [GEAR_EMBEDDING_MODEL]"),
    click.option(
        "--env",
        "env_file",
        type=click.Path(path_type=File),
        help="A file of NEO4J_... lines, such as Aura's credentials.",
    ),
)
_CHAT = (
    click.option("--chat-model", help="The language model, served at OPENAI_BASE_URL or by OpenAI.  [GEAR_CHAT_MODEL]"),
    click.option("--cache/--no-cache", "chat_cache", default=None, help="Cache its replies.  [GEAR_CHAT_CACHE; on]"),
)
_KEYS = ("uri", "username", "password", "database", "name", "embedding_model", "chat_model", "chat_cache")


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Add the connection options to a command, which gets them as ``settings``."""
    return with_options(_CONNECTION)(_with_loaded_settings(command))


def with_chat_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Add the connection and language model options to a command, which gets them as ``settings``."""
    return with_options((*_CHAT, *_CONNECTION))(_with_loaded_settings(command))


def with_options(options: tuple[Callable[[Command], Command], ...]) -> Callable[[Command], Command]:
    """Add options to a command, in their order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _with_loaded_settings(command: Callable[..., None]) -> Callable[..., None]:
    @wraps(command)
    def run(*args: Any, env_file: File | None = None, **values: Any) -> None:
        overrides = {key: value for key in _KEYS if (value := values.pop(key, None)) is not None}
        settings = replace(Settings.load(env_file=env_file), **overrides)
        command(*args, settings=settings, **values)

    return run


def own_server(settings: Settings, name: str) -> Settings:
    """The settings with a separate local server, unless the user chose a server."""
    return settings if settings.uri or settings.name != DEFAULT_NAME else replace(settings, name=name)


@contextmanager
def opened(settings: Settings, *, chat: ChatModel | None = None) -> Iterator[Gear]:
    """A connection by settings, closed afterwards; shows on standard error what it waits for."""
    with waiting("connecting") as report:
        gear = Gear.connect(settings, chat=chat, report=report)
    with gear:
        yield gear
