"""Ingest on Ray: reading, extraction and embedding on many machines, with parallel writers.

Ray Data distributes the stages, repeats the work of lost processes, and applies back pressure. The graph is the same as
that of an ingest in one process: the stages call the same functions, and ids are hashes of the content.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gear_neo4j.errors import SettingsError
from gear_neo4j.extraction.extractor import Model, Rules
from gear_neo4j.extraction.run import ExtractionReport, Failure
from gear_neo4j.gear.extractors import add_extracted
from gear_neo4j.ingestion.chunking import CHUNK_SIZE, check_size
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.ingestion.naming import Naming
from gear_neo4j.ingestion.pipeline import Ingest
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.integrations.ray.bulk import export
from gear_neo4j.integrations.ray.cluster import DEFAULT_CREW, Crew, cluster
from gear_neo4j.integrations.ray.run import Run
from gear_neo4j.integrations.ray.stages import Job
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes.recipe import ExtractorRecipe
from gear_neo4j.recipes.registry import EXTRACTORS
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.settings import Settings

if TYPE_CHECKING:
    from gear_neo4j.integrations.ray.datasets import Sources

__all__ = ["Crew", "cluster", "export", "extract", "ingest"]

LOOPBACK = ("localhost", "127.0.0.1", "::1")


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
    readers: Sequence[str] | str | None = None,
    widen: bool = False,
    source_name: str | None = None,
    confirm_source: Callable[[str], bool] = lambda _: False,
    limits: Limits = DEFAULT_LIMITS,
    crew: Crew = DEFAULT_CREW,
    on_problem: Callable[[Problem], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> IngestReport:
    """Ingest on the Ray cluster that this process is connected to, or on this machine.

    A killed ingest can be repeated. The report does not count items that a process wrote before it died. If two texts
    have the same id, one of them is kept and the other is reported, but which one is not determined.

    Args:
        sources: files as for :meth:`gear_neo4j.types.Corpus.ingest`, at paths that every machine can read; or a dataset
            whose
            rows are documents (``path`` and ``bytes``, as from ``ray.data.read_binary_files(...,
            include_paths=True)``) or passages with the fields of a line of JSONL.
        triples: JSONL files, or a dataset whose rows have the fields of their lines.
        settings: the settings of the server and the models, valid on every machine.

    The other options are those of :meth:`gear_neo4j.types.Corpus.ingest`.

    Raises:
        SettingsError: the extra ``[ray]`` is not installed, or other machines cannot reach the server.
        GearError: as in one process, also for errors on other machines.
    """
    check_size(chunk_size)
    naming = Naming.of(source_name, confirm=confirm_source)
    job = Job(
        settings=settings or Settings.load(),
        embedder=embedder,
        membership=CollectionAccess.of(collection, readers, widen=widen),
        prefix=naming.prefix,
        chunk_size=chunk_size,
        limits=limits,
    )
    with cluster(), _run(job, crew) as run:
        report = run.ingest(
            sources,
            triples,
            follow_links=follow_links,
            naming=naming,
            on_problem=on_problem,
            on_progress=on_progress,
        )
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
    crew: Crew = DEFAULT_CREW,
    on_failure: Callable[[Failure], None] = lambda _: None,
    on_progress: Callable[[ExtractionReport], None] = lambda _: None,
) -> ExtractionReport:
    """Extract triples on the Ray cluster that this process is connected to, or on this machine.

    A worker sends ``GEAR_CHAT_CONCURRENCY`` requests at once. Passages are read in blocks of 16: if a process dies, at
    most one block is read again, and replies in its cache are not paid for twice.

    The options are those of :meth:`gear_neo4j.types.Corpus.extract` without ``max_tokens``, which no process could
    count.

    Raises:
        ModelError: there is no chat model, it failed permanently, or a worker's first ten passages yielded no triple.
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
            "the other machines of the cluster cannot reach a server at an address of this machine only: set "
            "NEO4J_URI to one that they can reach"
        )
    session = job.session(create=True)
    try:
        yield Run(session=session, job=job, processes=crew.on_cluster())
    finally:
        session.graph.close()
