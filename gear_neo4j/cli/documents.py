"""The options of commands that read documents: the length of passages, links, and the limits of a file."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gear_neo4j.cli.options import Decorator, with_options
from gear_neo4j.cli.printing import output_kept_clear
from gear_neo4j.ingestion.chunking import CHUNK_SIZE, SMALLEST_CHUNK
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, MIB, Limits

if TYPE_CHECKING:
    from gear_neo4j.integrations.ray import Crew

PATH = click.Path(path_type=Path)
TRIPLES = click.option(
    "--triples", multiple=True, type=PATH, help="A JSONL file with the triples of a passage per line; can be repeated."
)
RAY = click.option(
    "--ray",
    metavar="local|ADDRESS",
    help="Work on a cluster of Ray, or with several processes on this machine (local); needs the extra [ray].",
)
WORKERS = click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="With --ray: processes that extract, and that embed; default: one for each core.",
)
DOCUMENTS: Sequence[Decorator] = (
    click.option(
        "--chunk-size",
        type=click.IntRange(min=SMALLEST_CHUNK),
        default=CHUNK_SIZE,
        show_default=True,
        help="Passage length for documents, in characters.",
    ),
    click.option("--follow-links", is_flag=True, help="Also read what links in a folder lead to outside of it."),
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
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOptions:
    """How documents are read; see :class:`gear_neo4j.ingestion.limits.Limits`."""

    chunk_size: int
    follow_links: bool
    limits: Limits


@contextmanager
def crew_on_ray(address: str, *, workers: int | None) -> Iterator["Crew"]:
    """Connect to Ray, or start it, for the block; yields the crew that works there."""
    from gear_neo4j.integrations.ray import Crew, cluster

    # Ray reports lost processes on standard output.
    with output_kept_clear(), cluster(address):
        yield Crew(workers=workers)


def refuse_workers_alone(*, ray: str | None, workers: int | None) -> None:
    """Refuse a number of workers without Ray."""
    if workers and not ray:
        raise click.UsageError("--workers is for Ray: add --ray local, or the address of a cluster")


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
        **values: Any,
    ) -> None:
        limits = Limits(bytes=max_file_mib * MIB, pages=max_file_pages, seconds=max_file_seconds)
        documents = DocumentOptions(chunk_size=chunk_size, follow_links=follow_links, limits=limits)
        command(*args, documents=documents, **values)

    return with_options(DOCUMENTS)(run)
