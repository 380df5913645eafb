"""``gear config``: the settings in use, and where each comes from."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from gear_neo4j.cli.options import ALL, load_settings, with_options
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.screen import Screen
from gear_neo4j.settings import SECRETS, URLS, VARIABLES, sources
from gear_neo4j.text.redaction import without_login

UNITS = {"local_idle": " min", "embedding_timeout": " s", "chat_timeout": " s", "serve_memory": " MiB"}


@click.command()
@json_option
@with_options(ALL)
def config(json_file: Path | None, env_file: Path | None, **flags: Any) -> None:
    """Show each setting with its value and its source: an option, the environment, a file, or the default.

    Of passwords and keys it shows only whether they are set. The command connects to nothing.
    """
    rows = list(_rows(env_file, flags))
    if emit(json_file, rows):
        return
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("setting", "variable", "value", "from"):
        table.add_column(column)
    for row in rows:
        value = _in_words(row["value"], unit=UNITS.get(row["setting"], ""))
        table.add_row(row["setting"], row["variable"], Text(value), Text(row["from"]))
    Screen().print(table)


def _rows(env_file: Path | None, flags: dict[str, Any]) -> Iterator[dict[str, Any]]:
    settings = load_settings(env_file, flags)
    given = {key: "option" for key, value in flags.items() if value is not None}
    # --name chooses a local server, which overrides any address.
    given |= {"uri": "option"} if "name" in given else {}
    origins = sources(env_file=env_file) | given
    for setting, variables in VARIABLES.items():
        value = _shown(setting, getattr(settings, setting))
        yield {"setting": setting, "variable": variables[0], "value": value, "from": origins.get(setting, "default")}


def _shown(setting: str, value: Any) -> Any:
    """A value without its secrets, in JSON's types."""
    if setting in SECRETS:
        return "(set)" if value else None
    if setting in URLS and value:
        return without_login(value)
    return str(value) if isinstance(value, Path) else value


def _in_words(value: Any, *, unit: str) -> str:
    """A value as its variable takes it, with its unit.

    Example:
        >>> [_in_words(value, unit="") for value in (None, True, ("a.org", "b.org"))], _in_words(60.0, unit=" s")
        (['', 'on', 'a.org,b.org'], '60 s')
    """
    match value:
        case None:
            return ""
        case bool():
            return "on" if value else "off"
        case float():
            return f"{value:g}{unit}"
        case tuple() | list():
            return ",".join(_in_words(item, unit="") for item in value)
    return f"{value}{unit}"
