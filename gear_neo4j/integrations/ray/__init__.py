"""An ingest on Ray: reading, extraction and embedding on many machines, and writers side by side.

Ray Data brings the stages to the machines, runs again what a lost process had in hand, and holds back what is ahead of
the writers. The graph is that of an ingest in one process: the stages call the same functions, and ids follow from what
is written.
"""

import logging
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gear_neo4j.errors import SettingsError
from gear_neo4j.extraction.extractor import Model, Rules
from gear_neo4j.extraction.run import ExtractionReport, Failure
from gear_neo4j.gear.extractors import add_extracted
from gear_neo4j.ingestion.chunking import CHUNK_SIZE, check_size
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.membership import Membership
from gear_neo4j.ingestion.pipeline import Ingest
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.integrations.ray.run import Run
from gear_neo4j.integrations.ray.stages import Job
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes import ExtractorRecipe
from gear_neo4j.registry import EXTRACTORS
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.settings import Settings

if TYPE_CHECKING:
    from gear_neo4j.integrations.ray.run import Sources

NO_EXTRA = "Ray needs the extra: pip install 'gear-neo4j[ray]'"
LOCAL = "local"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
WRITERS = 4
SECONDS = 10
# It sends nothing anywhere, and says nothing that is not an error.
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """How many processes work side by side.

    ``workers`` extract, and as many embed, or one on each GPU where there are any; by default one for each core of the
    cluster. ``writers`` write; more than the server has cores gain little.
    """

    workers: int | None = None
    writers: int = WRITERS


@contextmanager
def cluster(address: str = LOCAL, *, cores: int | None = None) -> Iterator[None]:
    """Ray at an address, or on this machine alone; one that this process is connected to already is used, and goes on.

    On this machine it comes without a dashboard and without usage statistics, and ends with the block. ``cores`` are
    those that it takes itself to have there; by default all.

    Raises:
        SettingsError: the extra ``[ray]`` is not installed, or nothing answers at the address.
    """
    try:
        import ray
    except ImportError as error:
        raise SettingsError(NO_EXTRA) from error
    if ray.is_initialized():
        yield
        return
    require_answer(address)
    own: dict[str, Any] = {"include_dashboard": False, "num_cpus": cores} if address == LOCAL else {}
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    # Imported first, because it sets its own level then.
    import ray.data

    logging.getLogger(ray.data.__name__).setLevel(logging.ERROR)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error", **own)
    # Where a process of its own does not start in time, it raises the bare class.
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        wanted = "started on this machine" if address == LOCAL else f"reached at {address!r}"
        raise SettingsError(f"Ray cannot be {wanted}: {reason}") from error
    try:
        yield
    finally:
        ray.shutdown()


def require_answer(address: str) -> None:
    """Refuse an address at which nothing listens: Ray itself would try it for many minutes.

    Raises:
        SettingsError: says why nothing answers.
    """
    try:
        place = urlsplit(address if "://" in address else f"ray://{address}")
        if place.hostname and place.port:
            socket.create_connection((place.hostname, place.port), timeout=SECONDS).close()
    except (OSError, ValueError) as error:
        raise SettingsError(f"no Ray answers at {address!r}: {error}") from error


def ingest(
    sources: "Sources",
    *,
    triples: "Sources" = (),
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    extract: bool = True,
    synonyms: bool = False,
    chunk_size: int = CHUNK_SIZE,
    follow_links: bool = False,
    collection: str = DEFAULT_COLLECTION,
    readers: Sequence[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    crew: Crew = Crew(),
    on_problem: Callable[[Problem], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> IngestReport:
    """Ingest on the Ray that this process is connected to, or on this machine.

    Killed at any point, it can be run again, and goes on. The report leaves out what a process wrote before it died. Of
    two texts under one id, one is kept and the other is reported, but which is a matter of chance.

    Args:
        sources: files as :meth:`gear_neo4j.Corpus.ingest` takes them, at paths that every machine can read; or a
            dataset whose rows are documents (``path`` and ``bytes``, as ``ray.data.read_binary_files(...,
            include_paths=True)`` gives them) or passages with the fields of a line of JSONL.
        triples: JSONL files, or a dataset whose rows have the fields of their lines.
        settings: of the server and the models, as every machine reaches them.

    The other options are those of :meth:`gear_neo4j.Corpus.ingest`.

    Raises:
        SettingsError: the extra ``[ray]`` is not installed, or other machines could not reach the server.
        GearError: as in one process, also where the error is another machine's.
    """
    check_size(chunk_size)
    job = Job(
        settings=settings or Settings.load(),
        embedder=embedder,
        membership=Membership.of(collection, readers),
        chunk_size=chunk_size,
        limits=limits,
    )
    with cluster(), _run(job, crew) as run:
        report = run.ingest(sources, triples, follow_links=follow_links, on_problem=on_problem, on_progress=on_progress)
        if extract:
            extracted = run.extract(
                EXTRACTORS.recipe(Rules.name),
                collection=job.membership.collection,
                on_progress=lambda now: on_progress(now.progress),
            )
            add_extracted(report, extracted)
        if synonyms:
            Ingest(run.graph, run.session.plain_embedder, on_progress=on_progress, report=report).link_synonyms()
        return report


def extract(
    *,
    extractor: str | ExtractorRecipe = Model.name,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    retry_failed: bool = False,
    collection: str | None = None,
    crew: Crew = Crew(),
    on_failure: Callable[[Failure], None] = lambda _: None,
    on_progress: Callable[[ExtractionReport], None] = lambda _: None,
) -> ExtractionReport:
    """Extract triples on the Ray that this process is connected to, or on this machine.

    A worker sends ``GEAR_CHAT_CONCURRENCY`` requests at once. Passages are read in stretches of 16: a process that dies
    has at most one in hand, which is read again; what its cache has of the replies is not paid for twice.

    The options are those of :meth:`gear_neo4j.Corpus.extract`, but for ``max_tokens``: nobody counts for all.

    Raises:
        ModelError: there is no chat model, it failed for good, or gave a worker no triple for its first ten passages.
        SettingsError, GearError: as :func:`ingest`.
    """
    recipe = EXTRACTORS.recipe(extractor)
    job = Job(settings=settings or Settings.load(), embedder=embedder, retry_failed=retry_failed)
    with cluster(), _run(job, crew) as run:
        run.prepare()
        return run.extract(
            recipe,
            again=recipe.name == Rules.name,
            collection=collection,
            on_failure=on_failure,
            on_progress=on_progress,
        )


@contextmanager
def _run(job: Job, crew: Crew) -> Iterator[Run]:
    import ray

    uri = job.settings.uri
    is_near = uri is None or urlsplit(uri).hostname in LOOPBACK
    if is_near and sum(node["Alive"] for node in ray.nodes()) > 1:
        raise SettingsError(
            "the other machines of the cluster cannot reach a server by an address that means this machine alone: set "
            "NEO4J_URI to one that they know"
        )
    resources = ray.cluster_resources()
    workers = crew.workers or max(1, int(resources.get("CPU", 1)))
    gpus = min(workers, int(resources.get("GPU", 0)))
    session = job.session(create=True)
    try:
        yield Run(session=session, job=job, workers=workers, gpus=gpus, writers=crew.writers)
    finally:
        session.graph.close()
