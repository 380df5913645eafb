"""``gear.corpus.sync``: the plan, the limit on deletions, the run, and the triples of new passages."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gear_neo4j.gear.extractors import extract_by_rules
from gear_neo4j.gear.session import Session
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.sync.files import Folder, Remote
from gear_neo4j.sync.loaders import Loaded, documents_of, refuse_bare
from gear_neo4j.sync.origins import Origin
from gear_neo4j.sync.report import SyncReport, refuse_to_empty
from gear_neo4j.sync.run import SourceSync
from gear_neo4j.sync.tables import Rows, Table
from gear_neo4j.text.address import is_address

Source = str | Path | Table | Loaded
Sources = Sequence[Source] | Source


def planned_only(sync: SourceSync, sources: Sources, *, follow_links: bool) -> SyncReport:
    """What a sync would do; read-only.

    Raises:
        InputError: a source does not exist or cannot be read.
        MigrationError: the schema is not the newest.
    """
    if not sync.blank:
        sync.graph.require_newest_schema()
    with _origins(sync, sources, follow_links) as origins:
        return sync.preview(sync.plan(origins))


def synced(
    session: Session,
    sync: SourceSync,
    sources: Sources,
    *,
    extract: bool,
    follow_links: bool,
    most_deleted: float,
    on_plan: Callable[[SyncReport], None],
    on_progress: Callable[[Progress], None],
) -> SyncReport:
    """Bring the collection up to date; see :meth:`gear_neo4j.types.Corpus.sync`."""
    graph, embedder = sync.graph, sync.embedder
    graph.prepare(model=embedder.name, dimension=embedder.dimension)
    with _origins(sync, sources, follow_links) as origins:
        planned = sync.plan(origins)
        on_plan(sync.report)
        refuse_to_empty(sync.report, most_deleted=most_deleted)
        report = sync.run(planned)
    if extract:
        extracted = extract_by_rules(session, collection=sync.membership.collection, on_progress=on_progress)
        report.passages_extracted = extracted.done
        report.triples_extracted = extracted.triples
    return report


def ingested(
    session: Session, sync: SourceSync, loaded: Loaded, *, extract: bool, on_progress: Callable[[Progress], None]
) -> IngestReport:
    """Add what a loader gives to the collection; see :meth:`gear_neo4j.types.Corpus.ingest`."""
    report = synced(
        session,
        sync,
        loaded,
        extract=extract,
        follow_links=False,
        most_deleted=0.0,
        on_plan=lambda _: None,
        on_progress=on_progress,
    )
    return IngestReport(
        documents_read=report.new + report.changed,
        passages_written=report.passages_written,
        passages_removed=report.passages_removed,
        triples_removed=report.triples_removed,
        entities_removed=report.entities_removed,
        passages_extracted=report.passages_extracted,
        triples_extracted=report.triples_extracted,
        problems=report.problems + len(report.failures),
        kept_readers=report.kept_readers,
    )


@contextmanager
def _origins(sync: SourceSync, sources: Sources, follow_links: bool) -> Iterator[list[Origin]]:
    """The origins of sources; what loaders give is kept until the end of the block."""
    refuse_bare(sources)
    given = [sources] if isinstance(sources, str | Path | Table | Loaded) else sources
    with ExitStack() as kept:
        yield [_origin(source, kept, follow_links=follow_links, limits=sync.limits) for source in given]


def _origin(source: Source, kept: ExitStack, *, follow_links: bool, limits: Limits) -> Origin:
    refuse_bare(source)
    if isinstance(source, Loaded):
        return kept.enter_context(documents_of(source, most_characters=limits.characters))
    if isinstance(source, Table):
        return Rows(source)
    return Remote(str(source), limits.bytes) if is_address(str(source)) else Folder(Path(source), follow_links)
