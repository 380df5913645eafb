"""The front door: one object that ingests into a graph, searches it, and answers questions from it."""

from gear_neo4j.gear.front import Gear

__all__ = ["Gear"]
