"""What KG-based Thought is told of a graph: labels with their properties, and the types that tie labels together."""

from gear_neo4j.adoption.survey import Survey
from gear_neo4j.graph.typegraph import TypeGraph
from gear_neo4j.roles.analyst import Outline

# A prompt must stay small: the most frequent labels, properties and ties tell most.
LABELS = 40
PROPERTIES = 15
TIES = 150


def outline(found: Survey, types: TypeGraph) -> Outline:
    """What the model is told, the most frequent first."""
    tied = {label for tie in types.ties for label in (tie.start, tie.end)}
    shown = sorted((label for label in found.labels.values() if label.name in tied), key=lambda one: -one.nodes)
    labels = {
        label.name: [
            one.name
            for one in sorted(label.properties.values(), key=lambda one: (-one.nodes, one.name))
            if one.kinds["list"] <= one.nodes / 2
        ][:PROPERTIES]
        for label in shown[:LABELS]
    }
    ties = sorted(types.ties, key=lambda tie: -tie.count)
    lines = [f"{tie.start} -[{tie.type}]-> {tie.end}" for tie in ties if {tie.start, tie.end} <= labels.keys()]
    return Outline(labels, lines[:TIES])
