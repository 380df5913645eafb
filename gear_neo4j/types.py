"""The types of what the package returns and accepts, for annotations; a program imports the rest from ``gear_neo4j``.

Usage::

    from gear_neo4j.types import Counts, Trace
"""

from gear_neo4j.adoption.importing import ImportReport
from gear_neo4j.adoption.overlay import AdoptionReport
from gear_neo4j.adoption.release import ReleaseReport
from gear_neo4j.adoption.survey import Survey
from gear_neo4j.agents.agent import Agent
from gear_neo4j.agents.answer import Citation, Step, Trace
from gear_neo4j.agents.run import Event
from gear_neo4j.communities.build import BuildReport
from gear_neo4j.communities.hierarchy import Hierarchy
from gear_neo4j.communities.reports import ReportProgress
from gear_neo4j.domain import EntityHit, Figure, FoundBy, PassageRecord
from gear_neo4j.extraction.extractor import Extractor, FactExtractor
from gear_neo4j.extraction.forecast import Forecast
from gear_neo4j.extraction.run import ExtractionReport, Failure
from gear_neo4j.gear.communities import Communities
from gear_neo4j.gear.corpus import Corpus
from gear_neo4j.gear.events import EventStream
from gear_neo4j.gear.overlay import Overlay
from gear_neo4j.gear.session import Session
from gear_neo4j.gear.stats import Stats
from gear_neo4j.gear.templates import Templates
from gear_neo4j.graph.connection.database import Driver
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.guard.excerpt import Excerpt
from gear_neo4j.graph.guard.template import Template
from gear_neo4j.graph.read.collections import Collection
from gear_neo4j.graph.read.entities import EntityRecord, EntitySummary
from gear_neo4j.graph.read.sources import SourcePage, StoredSource
from gear_neo4j.graph.read.store import Counts
from gear_neo4j.graph.write.corpus_writes import Deletion
from gear_neo4j.graph.write.reader_records import ReaderRecord
from gear_neo4j.graph.write.source_registry import KnownSource
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.renaming import Renamed
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.models.chat import Chat, ChatModel
from gear_neo4j.models.cross_encoder import Reranker
from gear_neo4j.retrieval.paths import PathResult
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.retrieval.templates.finder import TemplateAnswer
from gear_neo4j.roles.reporter import Reporter
from gear_neo4j.status import Status
from gear_neo4j.sync.report import SyncReport
from gear_neo4j.usage import Usage

__all__ = [
    "AdoptionReport",
    "Agent",
    "BuildReport",
    "Chat",
    "ChatModel",
    "Citation",
    "Collection",
    "Communities",
    "Corpus",
    "Counts",
    "Deletion",
    "Driver",
    "EntityHit",
    "EntityRecord",
    "EntitySummary",
    "Event",
    "EventStream",
    "Excerpt",
    "ExtractionReport",
    "Extractor",
    "FactExtractor",
    "Failure",
    "Figure",
    "Forecast",
    "FoundBy",
    "Graph",
    "Hierarchy",
    "ImportReport",
    "IngestReport",
    "KnownSource",
    "Overlay",
    "PassageRecord",
    "PathResult",
    "Problem",
    "Progress",
    "ReaderRecord",
    "ReleaseReport",
    "Renamed",
    "ReportProgress",
    "Reporter",
    "Reranker",
    "Retriever",
    "Session",
    "SourcePage",
    "Stats",
    "Status",
    "Step",
    "StoredSource",
    "Survey",
    "SyncReport",
    "Template",
    "TemplateAnswer",
    "Templates",
    "Trace",
    "Usage",
]
