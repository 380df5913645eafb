"""Options that several commands share, and what they stand for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path as File
from typing import Any, TypeVar

import click

from gear_neo4j.cli.progress import errors as errors
from gear_neo4j.cli.progress import waiting
from gear_neo4j.domain import Hits, Path
from gear_neo4j.gear import Gear
from gear_neo4j.models.chat import ChatModel
from gear_neo4j.retrieval.beam import Beam
from gear_neo4j.settings import DEFAULT_NAME, Settings

Command = TypeVar("Command", bound=Callable[..., Any])

CONNECTION = (
    click.option("--uri", help="Address of a Neo4j server; without one the local server is used.  [NEO4J_URI]"),
    click.option("--username", help="[NEO4J_USERNAME; default: neo4j]"),
    click.option("--password", help="Better given in the environment.  [NEO4J_PASSWORD]"),
    click.option("--database", help="Name of the database; default: the user's home database.  [NEO4J_DATABASE]"),
    click.option("--name", help="Name of the local server, each with data of its own.  [GEAR_NAME; default: default]"),
    click.option("--embedding-model", help="A sentence-transformers name or folder.  [GEAR_EMBEDDING_MODEL]"),
    click.option("--env", "env_file", type=click.Path(path_type=File), help="A file of NEO4J_... lines, as from Aura."),
)
BEAM = (
    click.option("--width", default=Beam().width, show_default=True, help="Paths kept after each step."),
    click.option("--length", default=Beam().length, show_default=True, help="Triples in the longest path."),
    click.option("--neighbours", default=Beam().neighbours, show_default=True, help="Candidates of a path."),
    click.option("--gamma", type=int, help="How soon a path's further candidates count less.  [default: 2 x width]"),
    click.option("--hub", default=Beam().hub, show_default=True, help="Triples above which an entity is a hub."),
    click.option("--diverse/--no-diverse", default=True, help="Mark down a path's further candidates, or not."),
    click.option(
        "--score",
        type=click.Choice(["composed", "encoded", "last"]),
        default="composed",
        show_default=True,
        help="What a path is scored by: its triples' embeddings summed, its text encoded, or its last triple.",
    ),
)
BASE = (
    click.option(
        "--base",
        type=click.Choice(["bm25", "fulltext", "sbert", "hybrid", "colbert"]),
        default="hybrid",
        show_default=True,
        help="What finds the first passages; colbert needs the extra [colbert].",
    ),
)
CHAT = (
    click.option("--chat-model", help="The language model, at OPENAI_BASE_URL or OpenAI.  [GEAR_CHAT_MODEL]"),
    click.option("--cache/--no-cache", "chat_cache", default=None, help="Keep its replies.  [GEAR_CHAT_CACHE; on]"),
)
RETRIEVAL = (
    click.option(
        "--retriever",
        type=click.Choice(["naive", "sync", "scout", "paths", "subgraph", "base", "hipporag", "hipporag2"]),
        default="naive",
        show_default=True,
        help="Expand the base passages over the graph, first read by a language model (sync), or not at all (base); or "
        "rank by PageRank over all of it (scout, hipporag, hipporag2), by the paths between what is named "
        "(paths), or by the facts around what the question is about (subgraph).",
    ),
    *BASE,
    click.option(
        "--base-k", type=click.IntRange(min=1), default=15, show_default=True, help="Passages that are expanded."
    ),
    *BEAM,
)


def with_options(options: tuple[Callable[[Command], Command], ...]) -> Callable[[Command], Command]:
    """Add options to a command, in their order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def settings_from(given: dict[str, Any]) -> Settings:
    """The settings of the environment, overridden by the connection options that were given."""
    settings = Settings.load(env_file=given.pop("env_file"))
    keys = ("uri", "username", "password", "database", "name", "embedding_model", "chat_model", "chat_cache")
    return replace(settings, **{key: value for key in keys if (value := given.pop(key, None)) is not None})


def own_server(settings: Settings, name: str) -> Settings:
    """The settings with a local server of its own, unless the user named a server."""
    return settings if settings.uri or settings.name != DEFAULT_NAME else replace(settings, name=name)


def beam_from(given: dict[str, Any]) -> Beam:
    """The beam that the options describe."""
    return Beam(**{key: given.pop(key) for key in ("width", "length", "neighbours", "gamma", "hub", "diverse")})


@contextmanager
def opened(settings: Settings, *, chat: ChatModel | None = None) -> Iterator[Gear]:
    """A connection by settings, closed afterwards; says on standard error what it waits for."""
    with waiting("connecting") as report:
        gear = Gear.connect(settings, chat=chat, report=report)
    with gear:
        yield gear
