"""Multi-hop retrieval for RAG, native on Neo4j: GeAR's diverse triple beam search as batched Cypher."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gear_neo4j.adoption.profile import Profile
    from gear_neo4j.agents.answer import Answer
    from gear_neo4j.agents.gear import GearOptions
    from gear_neo4j.domain import Cypher, Hit, Hits, Passage, Path, Source, Triple
    from gear_neo4j.errors import GearError
    from gear_neo4j.gear import Gear
    from gear_neo4j.ingestion.forgetting import Forgotten
    from gear_neo4j.ingestion.pipeline import IngestReport
    from gear_neo4j.models.embeddings import Embedder, SentenceTransformerEmbedder
    from gear_neo4j.retrieval.beam import Beam
    from gear_neo4j.settings import Settings

__all__ = [
    "Answer",
    "Beam",
    "Cypher",
    "Embedder",
    "Forgotten",
    "Gear",
    "GearError",
    "GearOptions",
    "Hit",
    "Hits",
    "IngestReport",
    "Passage",
    "Path",
    "Profile",
    "SentenceTransformerEmbedder",
    "Settings",
    "Source",
    "Triple",
]

# Each name is imported when it is first used: most programs need few of them, and the driver alone takes 0.2 s.
_MODULES = {
    "Answer": "agents.answer",
    "Beam": "retrieval.beam",
    "Cypher": "domain",
    "Embedder": "models.embeddings",
    "Forgotten": "ingestion.forgetting",
    "Gear": "gear",
    "GearError": "errors",
    "GearOptions": "agents.gear",
    "Hit": "domain",
    "Hits": "domain",
    "IngestReport": "ingestion.pipeline",
    "Passage": "domain",
    "Path": "domain",
    "Profile": "adoption.profile",
    "SentenceTransformerEmbedder": "models.embeddings",
    "Settings": "settings",
    "Source": "domain",
    "Triple": "domain",
}


if not TYPE_CHECKING:
    # Hidden from type checkers, for which every name would exist otherwise.
    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return list(__all__)
