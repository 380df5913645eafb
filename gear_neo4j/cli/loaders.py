"""The options of a sync that reads what a loader of LangChain gives: which class, and how it is made."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from gear_neo4j.cli.options import Decorator, with_options
from gear_neo4j.cli.printing import output_kept_clear
from gear_neo4j.errors import SettingsError
from gear_neo4j.sync.loaders import Loaded, reason_of
from gear_neo4j.text.wording import did_you_mean

if TYPE_CHECKING:
    from langchain_core.document_loaders import BaseLoader

LOADERS: Sequence[Decorator] = (
    click.option(
        "--loader",
        metavar="MODULE:CLASS",
        help="Read what a loader of LangChain gives, instead of SOURCES; needs --source-name.",
    ),
    click.option(
        "--option",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        help="With --loader: an option of its class, as JSON or text; repeatable.",
    ),
    click.option(
        "--version-field",
        metavar="FIELD",
        help="With --loader: the field that changes with a document.  [default: its text and metadata]",
    ),
    click.option(
        "--readers-field",
        metavar="FIELD",
        help="With --loader: the field with the readers of a document.",
    ),
)
# The texts among the options may be secrets, unless they are as short as a yes.
SHORTEST_SECRET = 4
OF_TABLES = ("text", "title", "metadata", "table", "query")


def with_loader(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of loaders to a command whose sources may be tables; its only source is then what one gives."""

    @wraps(command)
    def run(
        *args: Any,
        sources: Sequence[str],
        loader: str | None,
        options: Sequence[str],
        version_field: str | None,
        readers_field: str | None,
        **values: Any,
    ) -> None:
        given: Sequence[str | Loaded] = sources
        if loader:
            if sources or any(values[name] for name in OF_TABLES):
                raise click.UsageError("--loader takes the place of SOURCES and tables: leave them out")
            if not values["source_name"]:
                raise click.UsageError("--loader needs a name for its source: add --source-name NAME")
            key = values["key"]
            made, hidden = _made(loader, options)
            fields = {"key": key, "version": version_field, "readers": readers_field}
            given, values = [Loaded(made, name=values["source_name"], hidden=hidden, **fields)], values | {"key": None}
        elif options or version_field or readers_field:
            raise click.UsageError("--option, --version-field and --readers-field are for loaders: add --loader")
        elif not sources:
            raise click.UsageError("SOURCES is missing: give folders, addresses or tables, or a --loader")
        command(*args, sources=given, **values)

    return with_options(LOADERS)(run)


def _made(name: str, options: Sequence[str]) -> tuple["BaseLoader", tuple[str, ...]]:
    """The loader of a class, made with options, and the texts among these.

    Raises:
        SettingsError: says in one line what is wrong, without the values of options.
    """
    values = dict(map(_option, options))
    hidden = tuple(text for text in _texts(list(values.values())) if len(text) >= SHORTEST_SECRET)
    # Loaders may print, and scripts read standard output.
    with output_kept_clear():
        kind = _class(name, hidden)
        try:
            return kind(**values), hidden
        except Exception as error:
            raise SettingsError(f"{kind.__name__} cannot be made: {reason_of(error, hidden)}") from None


def _class(name: str, hidden: Sequence[str]) -> "type[BaseLoader]":
    from langchain_core.document_loaders import BaseLoader

    path, _, kind = name.partition(":")
    if not (path and kind):
        raise SettingsError(
            f"--loader {name} is no module:Class, such as langchain_community.document_loaders:GitLoader"
        )
    try:
        module = import_module(path)
        found = getattr(module, kind, None)
    except ModuleNotFoundError as error:
        raise SettingsError(f"there is no module {error.name!r}: install the package that {name} needs") from None
    except Exception as error:
        raise SettingsError(f"{path} cannot be imported: {reason_of(error, hidden)}") from None
    if found is None:
        raise SettingsError(f"{path} has no {kind!r}: {did_you_mean(kind, dir(module))}".rstrip(": "))
    if not (isinstance(found, type) and issubclass(found, BaseLoader)):
        raise SettingsError(f"{name} is no loader: give a class of langchain's BaseLoader")
    return found


def _option(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not (separator and name.isidentifier()):
        # Not quoted: it may be a secret.
        raise click.UsageError("--option is not NAME=VALUE: the name is that of a parameter of the class")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            yield from _texts(list(value.values()))
        case list():
            for part in value:
                yield from _texts(part)
        case int() | float() if not isinstance(value, bool):
            yield str(value)
