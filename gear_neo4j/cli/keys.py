"""``gear keys``: who may call the HTTP service, and what each of them sees."""

from collections.abc import Sequence
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from gear_neo4j.cli.choice import Pair, pairs
from gear_neo4j.cli.output import emit, json_option
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.screen import Screen
from gear_neo4j.errors import SettingsError
from gear_neo4j.scope import EVERYTHING
from gear_neo4j.settings import Settings
from gear_neo4j.text.printable import json_text, single_line
from gear_neo4j.web.keys import FILE_NAME, Key, add_key, read_keys, revoke_key
from gear_neo4j.web.quotas.quota import Quota

KEYS_FILE = click.option(
    "--keys-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file of keys.  [GEAR_SERVE_KEYS_FILE; default: keys.json in GEAR_HOME]",
)


def keys_file_of(settings: Settings, option: Path | None) -> Path:
    """The keys file of an option or of the settings; by default, the one in the home folder."""
    return option or settings.serve_keys_file or settings.home / FILE_NAME


@click.group()
def keys() -> None:
    """Keys for the HTTP service: add, list and revoke them; each says what its holder may see."""


@keys.command()
@click.argument("name")
@click.option(
    "--principal",
    "principals",
    multiple=True,
    help="A user or group of the holder, such as group:legal; repeatable. Without any, the holder sees only passages "
    "without readers.",
)
@click.option("--collection", "collections", multiple=True, help="Only passages of this collection; repeatable.")
@click.option("--where", metavar="FILTER", help='Only passages with such metadata: year >= 2020 and team in ["a"].')
@click.option("--everything", is_flag=True, help="Let the holder see all passages, whoever their readers are.")
@click.option("--write", "writes", is_flag=True, help="The holder may also ingest and forget documents.")
@click.option("--rate", help="Rate limit of the holder's requests, such as 60/min or 5/s; default: none.")
@click.option(
    "--quota",
    "limits",
    multiple=True,
    metavar="LIMIT=NUMBER",
    callback=pairs,
    help="What the holder may use: requests_per_day, tokens_per_day, requests_per_month, tokens_per_month; repeatable.",
)
@KEYS_FILE
def add(
    name: str,
    principals: tuple[str, ...],
    collections: tuple[str, ...],
    where: str | None,
    everything: bool,
    writes: bool,
    rate: str | None,
    limits: Sequence[Pair],
    keys_file: Path | None,
) -> None:
    """Make a key, and print its secret, which is not stored and cannot be shown again.

    NAME appears in the log of the service. The secret is sent as a header: "Authorization: Bearer SECRET", or
    "X-API-Key: SECRET".

    \b
    gear keys add ada --principal user:ada --principal group:legal --rate 60/min
    gear keys add dashboard --collection handbook --quota tokens_per_day=200000
    gear keys add editor --collection handbook --write
    """
    if everything and principals:
        raise SettingsError("--everything ignores readers: leave out --principal")
    secret = add_key(
        keys_file_of(Settings.load(), keys_file),
        name,
        principals=principals,
        collections=collections,
        where=EVERYTHING.narrowed(where=where).json.get("where"),
        everything=everything,
        writes=writes,
        rate=rate,
        quota=Quota.parse(limits) if limits else None,
    )
    say(secret)
    say("Note: this secret is shown only now; send it as 'Authorization: Bearer ...'", err=True)


@keys.command("list")
@json_option
@KEYS_FILE
def list_keys(keys_file: Path | None, json_file: Path | None) -> None:
    """List the keys and what their holders may see; no secret is shown."""
    held = read_keys(keys_file_of(Settings.load(), keys_file))
    shown = [key.model_dump(mode="json", exclude={"sha256"}) for key in held]
    if emit(json_file, {"keys": shown}):
        return
    if not held:
        say("no keys: make one with 'gear keys add NAME'")
        return
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("name", "principals", "collections", "filter", "writes", "rate", "quota", "made"):
        table.add_column(column)
    for key in held:
        table.add_row(*map(Text, _row(key)))
    Screen().print(table)


def _row(key: Key) -> tuple[str, ...]:
    principals = "everything" if key.everything else ", ".join(key.principals) or "none"
    collections = "all" if key.collections is None else ", ".join(key.collections)
    writes = "yes" if key.writes else ""
    where = "" if key.where is None else json_text(key.where)
    quota = ", ".join(f"{limit.most:,} {limit.unit} a {limit.span}" for limit in key.quota.limits) if key.quota else ""
    texts = (key.name, principals, collections, where, writes, key.rate or "", quota, key.created)
    return tuple(map(single_line, texts))


@keys.command()
@click.argument("name")
@KEYS_FILE
def revoke(name: str, keys_file: Path | None) -> None:
    """Remove a key: a running service refuses it at once, and ends its streams and jobs."""
    revoke_key(keys_file_of(Settings.load(), keys_file), name)
    say(f"{name}: revoked")
