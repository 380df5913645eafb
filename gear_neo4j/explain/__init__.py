"""A saved answer or search as a page that shows its paths, and as Cypher that shows them in Neo4j."""

from gear_neo4j.explain.page import page
from gear_neo4j.explain.saved import SavedRun, Turn, read_saved, saved_from
from gear_neo4j.explain.script import script

__all__ = ["SavedRun", "Turn", "page", "read_saved", "saved_from", "script"]
