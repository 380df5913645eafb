"""Passages taken out of the graph, with the triples they state and the entities that nothing else names."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from gear_neo4j.domain import make_passage
from gear_neo4j.errors import InputError, MigrationError
from gear_neo4j.graph import migrations
from gear_neo4j.graph.database import Database
from gear_neo4j.graph.store import Store
from gear_neo4j.ingestion.progress import Progress

PASSAGES_A_BATCH = 500
SHOWN_SOURCES = 5


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many passages, triples and entities went, or in a dry run would go."""

    passages: int = 0
    triples: int = 0
    entities: int = 0

    def __add__(self, other: "Forgotten") -> "Forgotten":
        return Forgotten(self.passages + other.passages, self.triples + other.triples, self.entities + other.entities)


def forget(
    database: Database,
    source: str | Path,
    *,
    dry_run: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Forgotten:
    """Remove the passages of a source, 500 a transaction; killed, it can be run again and goes on.

    A path is taken as an ingest of it would write it: ``./docs/a.md`` is ``docs/a.md``.

    Raises:
        InputError: no passage has that source; names some that exist.
        MigrationError: a dry run needs the newest schema, and changes nothing.
    """
    _require_schema(database, dry_run=dry_run)
    name, total = _found(database, source)
    if dry_run:
        return Forgotten(**database.call("weigh_source", source=name)[0])
    _reopen_dataset(database)
    gone = Forgotten()
    while ids := [row["id"] for row in database.call("passages_of_source", source=name, limit=PASSAGES_A_BATCH)]:
        gone += _delete(database, ids)
        on_progress(Progress("forgetting", gone.passages, total, gone.passages))
    database.call("delete_empty_communities")
    return gone


def remove_stale(database: Database, documents: Mapping[str, frozenset[str]]) -> Forgotten:
    """Remove the passages of documents that are no longer in them: ``documents`` holds the ids that are, by source.

    A passage that some file of JSONL gave the source of a document is not the document's, and stays.
    """
    rows = database.call("passages_of_documents", sources=list(documents)) if documents else []
    ids = [row["id"] for row in rows if row["id"] not in documents[row["source"]]]
    gone = Forgotten()
    for start in range(0, len(ids), PASSAGES_A_BATCH):
        found = Store(database).passages(ids[start : start + PASSAGES_A_BATCH]).values()
        stale = [one.id for one in found if one.id == make_passage(one.source or "", one.title, one.text).id]
        gone += _delete(database, stale) if stale else Forgotten()
    return gone


def _found(database: Database, source: str | Path) -> tuple[str, int]:
    """The name under which a source is known, and the number of its passages."""
    for name in dict.fromkeys((str(source), Path(source).as_posix())):
        if passages := database.call("count_source", source=name)[0]["passages"]:
            return name, passages
    raise InputError(f"no passage has the source {name!r}: {_existing(database, name)}")


def _delete(database: Database, ids: Sequence[str]) -> Forgotten:
    return Forgotten(**database.call("delete_passages", ids=list(ids))[0])


def _require_schema(database: Database, *, dry_run: bool) -> None:
    store = database.call("store_info")
    if not store:
        raise InputError(f"the database {database.name} holds no passages yet: run 'gear ingest' first")
    if dry_run and migrations.pending(database):
        raise MigrationError(f"the schema of {database.name} is older than this gear-neo4j: run 'gear migrate' first")
    migrations.migrate(database, dimension=store[0]["dimension"])


def _reopen_dataset(database: Database) -> None:
    """An evaluation must not take the rest for its whole data set."""
    store = Store(database)
    if stamp := store.dataset():
        store.record_dataset(stamp[0], fingerprint=None)


def _existing(database: Database, source: str) -> str:
    """Some sources that exist: those in it, if it is a folder, then those beside it, then any."""
    folder, slash, _ = source.rpartition("/")
    found = chain.from_iterable(_sources_in(database, prefix) for prefix in (f"{source}/", folder + slash, ""))
    names: dict[str, None] = {}
    while len(names) < SHOWN_SOURCES and (name := next(found, None)):
        names[name] = None
    return f"there are {', '.join(names)}" if names else "none of the passages has a source"


def _sources_in(database: Database, prefix: str) -> Iterator[str]:
    after = prefix
    while (rows := database.call("next_source", after=after)) and rows[0]["source"].startswith(prefix):
        after = rows[0]["source"]
        yield after
