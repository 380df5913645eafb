"""The built-in extractors: how each is made from its recipe."""

from collections.abc import Callable

from gear_neo4j.extraction.chat import ChatExtractor
from gear_neo4j.extraction.extractor import Model, Rules
from gear_neo4j.extraction.rules import RuleExtractor
from gear_neo4j.extraction.run import Extraction, ExtractionReport
from gear_neo4j.gear.session import Session
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.registry import register_extractor


@register_extractor(Rules)
def rules(_session: Session, _recipe: Rules) -> RuleExtractor:
    """Triples by rules."""
    return RuleExtractor()


@register_extractor(Model)
def model(session: Session, _recipe: Model) -> ChatExtractor:
    """Triples by the chat model."""
    return ChatExtractor(session.chat)


def extract_by_rules(
    session: Session, *, collection: str | None = None, on_progress: Callable[[Progress], None]
) -> ExtractionReport:
    """Triples by rules of every passage that has none, in a collection or in all."""
    return Extraction(
        session.graph,
        session.plain_embedder,
        RuleExtractor(),
        collection=collection,
        on_progress=lambda report: on_progress(report.progress),
    ).run()


def add_extracted(report: IngestReport, extracted: ExtractionReport) -> None:
    """Add to the report of an ingest what the rules extracted after it."""
    report.passages_extracted += extracted.done
    report.characters_extracted += extracted.characters
    report.triples_extracted += extracted.triples
