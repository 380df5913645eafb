"""Shows the paths of a saved answer or search, as a page or as Cypher for Neo4j Browser."""

from gear_neo4j.explain.page import page
from gear_neo4j.explain.saved import SavedRun, Turn, read_saved, saved_from
from gear_neo4j.explain.script import script

__all__ = ["SavedRun", "Turn", "page", "read_saved", "saved_from", "script"]
