"""``gear ingest --dry-run``: what files hold and what an extraction would cost, without writing or calling a model."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gear_neo4j.cli import extraction
from gear_neo4j.cli.documents import DocumentOptions
from gear_neo4j.cli.options import opened
from gear_neo4j.cli.output import emit
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.reporting import report_problem
from gear_neo4j.extraction.forecast import Forecast, forecast
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.ingestion.pipeline import read_only
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.settings import Settings
from gear_neo4j.text.wording import pluralize


@dataclass(frozen=True, slots=True)
class DryRun:
    """A dry run; ``model`` says whether to estimate an extraction by the language model."""

    settings: Settings
    documents: DocumentOptions
    membership: CollectionAccess
    model: bool
    retry_failed: bool

    def report(self, sources: Sequence[Path], triples: Sequence[Path], *, json_file: Path | None) -> IngestReport:
        """Print the contents of the files and the cost of an extraction; without files, those of the graph."""
        report = self._read(sources, triples) if sources or triples else None
        estimate = self._estimate(report)
        document = {"ingest": asdict(report) if report else None, "forecast": asdict(estimate) if estimate else None}
        if not emit(json_file, document):
            if report:
                say(self._summary(report))
            if estimate:
                extraction.print_forecast(estimate, price=self.settings.chat_price)
        return report or IngestReport()

    def _read(self, sources: Sequence[Path], triples: Sequence[Path]) -> IngestReport:
        files = files_to_ingest(sources, triples, follow_links=self.documents.follow_links)
        options = self.documents
        return read_only(files, chunk_size=options.chunk_size, limits=options.limits, on_problem=report_problem)

    def _estimate(self, report: IngestReport | None) -> Forecast | None:
        if report:
            return forecast(report.passages_read, report.characters_read) if self.model else None
        with opened(self.settings) as gear:
            return gear.corpus.forecast(retry_failed=self.retry_failed)

    def _summary(self, report: IngestReport) -> str:
        read = pluralize(report.passages_read, "passage")
        if report.triples_read:
            read += f" and {pluralize(report.triples_read, 'triple')}"
        collection = self.membership.collection
        into = "" if collection == DEFAULT_COLLECTION else f" into the collection {collection}"
        return f"{read} could be ingested{into}"
