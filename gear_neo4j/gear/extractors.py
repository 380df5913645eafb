"""The built-in extractors: how each is made from its recipe."""

from gear_neo4j.extraction.chat import ChatExtractor
from gear_neo4j.extraction.extractor import Model, Rules
from gear_neo4j.extraction.rules import RuleExtractor
from gear_neo4j.gear.session import Session
from gear_neo4j.registry import register_extractor


@register_extractor(Rules)
def rules(_session: Session, _recipe: Rules) -> RuleExtractor:
    """Triples by rules."""
    return RuleExtractor()


@register_extractor(Model)
def model(session: Session, _recipe: Model) -> ChatExtractor:
    """Triples by the chat model."""
    return ChatExtractor(session.chat)
