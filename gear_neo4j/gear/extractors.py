"""The built-in extractors: how each is made from its recipe."""

from gear_neo4j.gear.session import Session
from gear_neo4j.ingestion.extractor import ChatExtractor, Llm
from gear_neo4j.registry import register_extractor


@register_extractor(Llm)
def llm(session: Session, _recipe: Llm) -> ChatExtractor:
    """Triples by the chat model."""
    return ChatExtractor(session.chat)
