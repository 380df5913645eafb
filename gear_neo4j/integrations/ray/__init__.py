"""An ingest on Ray: reading, extraction and embedding on many machines, and writers side by side.

Ray Data brings the stages to the machines, runs again what a lost process had in hand, and holds back what is ahead of
the writers. The graph is that of an ingest in one process: the stages call the same functions, and ids follow from what
is written.
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
    readers: Sequence[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    crew: Crew = DEFAULT_CREW,
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
        membership=CollectionAccess.of(collection, readers),
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
    crew: Crew = DEFAULT_CREW,
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
    session = job.session(create=True)
    try:
        yield Run(session=session, job=job, processes=crew.on_cluster())
    finally:
        session.graph.close()
