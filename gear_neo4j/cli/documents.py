"""The options of commands that read documents: passages, links, the limits of a file, collections, and Ray."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gear_neo4j.cli.options import Decorator, with_options
from gear_neo4j.cli.printing import output_kept_clear
from gear_neo4j.ingestion import ocr as reading
from gear_neo4j.ingestion.chunking import CHUNK_SIZE, SMALLEST_CHUNK
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, MIB, Limits
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.text.address import local_path

if TYPE_CHECKING:
    from gear_neo4j.integrations.ray import Crew


class LocalPath(click.Path):
    """A path on this machine; an address is refused, because a path would drop one of its slashes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path for an argument of the command line."""
        return super().convert(local_path(value), param, ctx)


PATH = LocalPath(path_type=Path)
TRIPLES = click.option(
    "--triples", multiple=True, type=PATH, help="A JSONL file with the triples of a passage per line; can be repeated."
)
RAY: Sequence[Decorator] = (
    click.option(
        "--ray",
        metavar="local|ADDRESS",
        help="Run on a Ray cluster, or in several processes on this machine (local); needs the extra [ray].",
    ),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        help="With --ray: number of processes to extract, and to embed; default: one per core.",
    ),
)
MEMBERSHIP: Sequence[Decorator] = (
    click.option(
        "--collection",
        default=DEFAULT_COLLECTION,
        show_default=True,
        help="The collection of the passages; a search can be limited to it.",
    ),
    click.option(
        "--readers",
        multiple=True,
        metavar="PRINCIPAL",
        help="User or group allowed to read the passages, such as group:legal; repeatable.  [default: everybody]",
    ),
    click.option(
        "--widen", is_flag=True, help="Let --readers add readers to stored documents; otherwise those keep theirs."
    ),
    click.option(
        "--source-name",
        metavar="NAME",
        help="The name of the folder as a source, a prefix of its documents' names.  [default: the folder's]",
    ),
)
DOCUMENTS: Sequence[Decorator] = (
    click.option(
        "--chunk-size",
        type=click.IntRange(min=SMALLEST_CHUNK),
        default=CHUNK_SIZE,
        show_default=True,
        help="Passage length for documents, in characters.",
    ),
    click.option("--follow-links", is_flag=True, help="Also follow links that lead out of a folder."),
    click.option(
        "--max-file-mib",
        type=click.IntRange(min=1),
        default=DEFAULT_LIMITS.bytes // MIB,
        show_default=True,
        help="Skip larger documents.",
    ),
    click.option(
        "--max-file-pages",
        type=click.IntRange(min=1),
        default=DEFAULT_LIMITS.pages,
        show_default=True,
        help="Skip PDFs of more pages, and presentations of more slides.",
    ),
    click.option(
        "--max-file-seconds",
        type=click.FloatRange(min=0, min_open=True),
        default=DEFAULT_LIMITS.seconds,
        show_default=True,
        help="Skip documents that take longer to convert.",
    ),
    click.option(
        "--ocr",
        metavar="auto|off|LANGUAGES",
        default=DEFAULT_LIMITS.ocr,
        show_default=True,
        help="Read scanned pages and pictures by Tesseract, if it is installed, in all of its languages or in "
        "some (deu+eng).",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOptions:
    """How documents are read; see :class:`gear_neo4j.ingestion.limits.Limits`."""

    chunk_size: int
    follow_links: bool
    limits: Limits


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster to work on: its address or ``local``, and the number of workers."""

    address: str
    workers: int | None

    @contextmanager
    def crew(self) -> Iterator["Crew"]:
        """Connect to Ray, or start it, for the block; yields the crew that works there."""
        from gear_neo4j.integrations.ray import Crew, cluster

        # Ray reports lost processes on standard output.
        with output_kept_clear(), cluster(self.address):
            yield Crew(workers=self.workers)


def with_ray(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--ray`` and ``--workers`` to a command; it receives ``cluster``, or None without Ray."""

    @wraps(command)
    def run(*args: Any, ray: str | None, workers: int | None, **values: Any) -> None:
        if workers and not ray:
            raise click.UsageError("--workers is for Ray: add --ray local, or the address of a cluster")
        command(*args, cluster=Cluster(ray, workers) if ray else None, **values)

    return with_options(RAY)(run)


def with_membership(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of collections, readers and sources; the command receives ``membership`` and ``source_name``."""

    @wraps(command)
    def run(*args: Any, collection: str, readers: tuple[str, ...], widen: bool, **values: Any) -> None:
        if widen and not (readers or values.get("readers_field")):
            raise click.UsageError("--widen needs --readers; 'gear readers SOURCE --everybody' opens a document to all")
        command(*args, membership=CollectionAccess.of(collection, readers or None, widen=widen), **values)

    return with_options(MEMBERSHIP)(run)


def with_documents(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of documents to a command; it receives them as ``documents``."""

    @wraps(command)
    def run(
        *args: Any,
        chunk_size: int,
        follow_links: bool,
        max_file_mib: int,
        max_file_pages: int,
        max_file_seconds: float,
        ocr: str,
        **values: Any,
    ) -> None:
        limits = Limits(bytes=max_file_mib * MIB, pages=max_file_pages, seconds=max_file_seconds, ocr=ocr)
        # Fail before a server is started.
        reading.chosen(limits.ocr)
        documents = DocumentOptions(chunk_size=chunk_size, follow_links=follow_links, limits=limits)
        command(*args, documents=documents, **values)

    return with_options(DOCUMENTS)(run)
