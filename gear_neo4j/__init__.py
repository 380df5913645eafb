"""Multi-hop retrieval for RAG, native on Neo4j: GeAR's diverse triple beam search as batched Cypher."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gear_neo4j.provided import provide

if TYPE_CHECKING:
    from gear_neo4j.adoption.admin_csv import Dialect
    from gear_neo4j.adoption.importing import ImportReport
    from gear_neo4j.adoption.overlay import AdoptionReport
    from gear_neo4j.adoption.profile import Profile
    from gear_neo4j.adoption.release import ReleaseReport
    from gear_neo4j.adoption.survey import Survey
    from gear_neo4j.agents.agent import Agent
    from gear_neo4j.agents.answer import Answer, Citation, Step, Trace
    from gear_neo4j.agents.crag import Crag
    from gear_neo4j.agents.cypher import CypherAgent
    from gear_neo4j.agents.gear import GearAgent
    from gear_neo4j.agents.graphrag import GraphRagGlobal, GraphRagLocal
    from gear_neo4j.agents.ircot import Ircot
    from gear_neo4j.agents.kgt import Kgt
    from gear_neo4j.agents.paths import PathAgent
    from gear_neo4j.agents.pattern import PatternAgent
    from gear_neo4j.agents.planner import Planner
    from gear_neo4j.agents.reflecting import SelfRag
    from gear_neo4j.agents.run import Event
    from gear_neo4j.communities.build import BuildReport
    from gear_neo4j.communities.hierarchy import Hierarchy
    from gear_neo4j.communities.reports import ReportProgress
    from gear_neo4j.domain import (
        Cypher,
        EntityHit,
        Fact,
        Figure,
        Hit,
        Hits,
        Passage,
        PassageRecord,
        Path,
        Source,
        Triple,
    )
    from gear_neo4j.errors import GearError
    from gear_neo4j.extraction.extractor import Extractor, FactExtractor, Model, Rules
    from gear_neo4j.extraction.forecast import Forecast
    from gear_neo4j.extraction.run import ExtractionReport, Failure
    from gear_neo4j.gear import Gear
    from gear_neo4j.gear.aio import AsyncGear
    from gear_neo4j.gear.communities import Communities
    from gear_neo4j.gear.corpus import Corpus
    from gear_neo4j.gear.events import EventStream
    from gear_neo4j.gear.overlay import Overlay
    from gear_neo4j.gear.session import Session
    from gear_neo4j.gear.stats import Stats
    from gear_neo4j.graph.collections import Collection
    from gear_neo4j.graph.corpus_writes import Deletion
    from gear_neo4j.graph.database import Driver
    from gear_neo4j.graph.entities import EntityRecord, EntitySummary
    from gear_neo4j.graph.graph import Graph
    from gear_neo4j.graph.sources import SourcePage, StoredSource
    from gear_neo4j.graph.store import Counts
    from gear_neo4j.ingestion.limits import Limits
    from gear_neo4j.ingestion.lines import Problem
    from gear_neo4j.ingestion.progress import Progress
    from gear_neo4j.ingestion.report import IngestReport
    from gear_neo4j.models.chat import Chat, ChatModel
    from gear_neo4j.models.embeddings import Embedder, SentenceTransformerEmbedder
    from gear_neo4j.recipes import AgentRecipe, ExtractorRecipe, RetrieverRecipe, option
    from gear_neo4j.registry import register_agent, register_extractor, register_retriever
    from gear_neo4j.retrieval.auto import Auto
    from gear_neo4j.retrieval.base import Base
    from gear_neo4j.retrieval.beam import Beam
    from gear_neo4j.retrieval.hipporag import HippoRag, HippoRag2
    from gear_neo4j.retrieval.naive import Naive
    from gear_neo4j.retrieval.paths import PathResult, Paths
    from gear_neo4j.retrieval.retriever import Retriever
    from gear_neo4j.retrieval.scout import Scout
    from gear_neo4j.retrieval.subgraph import Subgraph
    from gear_neo4j.retrieval.sync import Sync
    from gear_neo4j.retrieval.walk import Walk
    from gear_neo4j.roles.reporter import Reporter
    from gear_neo4j.scope import Scope
    from gear_neo4j.settings import Settings
    from gear_neo4j.status import Status
    from gear_neo4j.sync.report import SyncReport
    from gear_neo4j.sync.tables import Table
    from gear_neo4j.usage import Usage

__all__ = [
    "AdoptionReport",
    "Agent",
    "AgentRecipe",
    "Answer",
    "AsyncGear",
    "Auto",
    "Base",
    "Beam",
    "BuildReport",
    "Chat",
    "ChatModel",
    "Citation",
    "Collection",
    "Communities",
    "Corpus",
    "Counts",
    "Crag",
    "Cypher",
    "CypherAgent",
    "Deletion",
    "Dialect",
    "Driver",
    "Embedder",
    "EntityHit",
    "EntityRecord",
    "EntitySummary",
    "Event",
    "EventStream",
    "ExtractionReport",
    "Extractor",
    "ExtractorRecipe",
    "Fact",
    "FactExtractor",
    "Failure",
    "Figure",
    "Forecast",
    "Gear",
    "GearAgent",
    "GearError",
    "Graph",
    "GraphRagGlobal",
    "GraphRagLocal",
    "Hierarchy",
    "HippoRag",
    "HippoRag2",
    "Hit",
    "Hits",
    "ImportReport",
    "IngestReport",
    "Ircot",
    "Kgt",
    "Limits",
    "Model",
    "Naive",
    "Overlay",
    "Passage",
    "PassageRecord",
    "Path",
    "PathAgent",
    "PathResult",
    "Paths",
    "PatternAgent",
    "Planner",
    "Problem",
    "Profile",
    "Progress",
    "ReleaseReport",
    "ReportProgress",
    "Reporter",
    "Retriever",
    "RetrieverRecipe",
    "Rules",
    "Scope",
    "Scout",
    "SelfRag",
    "SentenceTransformerEmbedder",
    "Session",
    "Settings",
    "Source",
    "SourcePage",
    "Stats",
    "Status",
    "Step",
    "StoredSource",
    "Subgraph",
    "Survey",
    "Sync",
    "SyncReport",
    "Table",
    "Trace",
    "Triple",
    "Usage",
    "Walk",
    "option",
    "register_agent",
    "register_extractor",
    "register_retriever",
]

# Each name is imported when it is first used: most programs need few of them, and the driver alone takes 0.2 s.
_MODULES = {
    "AdoptionReport": "adoption.overlay",
    "Agent": "agents.agent",
    "AgentRecipe": "recipes",
    "Answer": "agents.answer",
    "AsyncGear": "gear.aio",
    "Auto": "retrieval.auto",
    "Base": "retrieval.base",
    "Beam": "retrieval.beam",
    "BuildReport": "communities.build",
    "Chat": "models.chat",
    "ChatModel": "models.chat",
    "Citation": "agents.answer",
    "Collection": "graph.collections",
    "Communities": "gear.communities",
    "Corpus": "gear.corpus",
    "Counts": "graph.store",
    "Crag": "agents.crag",
    "Cypher": "domain",
    "CypherAgent": "agents.cypher",
    "Deletion": "graph.corpus_writes",
    "Dialect": "adoption.admin_csv",
    "Driver": "graph.database",
    "Embedder": "models.embeddings",
    "EntityHit": "domain",
    "EntityRecord": "graph.entities",
    "EntitySummary": "graph.entities",
    "Event": "agents.run",
    "EventStream": "gear.events",
    "ExtractionReport": "extraction.run",
    "Extractor": "extraction.extractor",
    "ExtractorRecipe": "recipes",
    "Fact": "domain",
    "FactExtractor": "extraction.extractor",
    "Failure": "extraction.run",
    "Figure": "domain",
    "Forecast": "extraction.forecast",
    "Gear": "gear",
    "GearAgent": "agents.gear",
    "GearError": "errors",
    "Graph": "graph.graph",
    "GraphRagGlobal": "agents.graphrag",
    "GraphRagLocal": "agents.graphrag",
    "Hierarchy": "communities.hierarchy",
    "HippoRag": "retrieval.hipporag",
    "HippoRag2": "retrieval.hipporag",
    "Hit": "domain",
    "Hits": "domain",
    "ImportReport": "adoption.importing",
    "IngestReport": "ingestion.report",
    "Ircot": "agents.ircot",
    "Kgt": "agents.kgt",
    "Limits": "ingestion.limits",
    "Model": "extraction.extractor",
    "Naive": "retrieval.naive",
    "Overlay": "gear.overlay",
    "Passage": "domain",
    "PassageRecord": "domain",
    "Path": "domain",
    "PathAgent": "agents.paths",
    "PatternAgent": "agents.pattern",
    "PathResult": "retrieval.paths",
    "Paths": "retrieval.paths",
    "Planner": "agents.planner",
    "Problem": "ingestion.lines",
    "Profile": "adoption.profile",
    "Progress": "ingestion.progress",
    "ReleaseReport": "adoption.release",
    "ReportProgress": "communities.reports",
    "Reporter": "roles.reporter",
    "Retriever": "retrieval.retriever",
    "RetrieverRecipe": "recipes",
    "Rules": "extraction.extractor",
    "Scope": "scope",
    "Scout": "retrieval.scout",
    "SelfRag": "agents.reflecting",
    "SentenceTransformerEmbedder": "models.embeddings",
    "Session": "gear.session",
    "Settings": "settings",
    "SourcePage": "graph.sources",
    "Source": "domain",
    "Stats": "gear.stats",
    "Status": "status",
    "Step": "agents.answer",
    "StoredSource": "graph.sources",
    "Subgraph": "retrieval.subgraph",
    "Survey": "adoption.survey",
    "Sync": "retrieval.sync",
    "SyncReport": "sync.report",
    "Table": "sync.tables",
    "Trace": "agents.answer",
    "Triple": "domain",
    "Usage": "usage",
    "Walk": "retrieval.walk",
    "option": "recipes",
    "register_agent": "registry",
    "register_extractor": "registry",
    "register_retriever": "registry",
}


provide(
    retrievers="gear_neo4j.gear.retrievers",
    agents="gear_neo4j.gear.agents",
    extractors="gear_neo4j.gear.extractors",
    notebook="gear_neo4j.explain.notebook",
)


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
