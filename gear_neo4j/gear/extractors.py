"""The built-in extractors: how each is made from its recipe."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from gear_neo4j.extraction.extractor import ChatExtractor, Extractor, Model, Rules
from gear_neo4j.extraction.reader import BulkReader
from gear_neo4j.extraction.rules import RuleExtractor
from gear_neo4j.extraction.run import Extraction, ExtractionReport
from gear_neo4j.gear.session import Session
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.models.chat import ChatModel
from gear_neo4j.recipes.registry import register_extractor

# The extractors for a bulk export, besides the triples in the files.
Extract: TypeAlias = Literal["none", "rules", "model"]


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
    """Make triples by rules for every passage without any, in a collection or in all."""
    return Extraction(
        session.graph,
        session.plain_embedder,
        RuleExtractor(),
        collection=collection,
        on_progress=lambda report: on_progress(report.progress),
    ).run()


def bulk_readers(extract: Extract, *, chat: Callable[[], ChatModel]) -> list[BulkReader]:
    """The readers of the passages of a bulk export, in order: none, the rules, or the rules and the chat model.

    Raises:
        ModelError: no chat model; the message names the setting.
    """
    extractors: dict[Extract, Callable[[], list[Extractor]]] = {
        "none": list,
        "rules": lambda: [RuleExtractor()],
        "model": lambda: [RuleExtractor(), ChatExtractor(chat())],
    }
    return [BulkReader(extractor) for extractor in extractors[extract]()]


def add_extracted(report: IngestReport, extracted: ExtractionReport) -> None:
    """Add what the rules extracted after an ingest to its report."""
    report.passages_extracted += extracted.done
    report.characters_extracted += extracted.characters
    report.triples_extracted += extracted.triples
