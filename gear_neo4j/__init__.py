"""Multi-hop retrieval for RAG, native on Neo4j: GeAR's diverse triple beam search as batched Cypher."""

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
