"""The outline of a graph for KG-based Thought: labels with properties, and the types between labels."""

from gear_neo4j.adoption.survey import Survey
from gear_neo4j.graph.read.typegraph import TypeGraph
from gear_neo4j.roles.analyst import Outline

# A prompt must stay small, so it gets only the most frequent labels, properties and ties.
LABELS = 40
PROPERTIES = 15
TIES = 150


def outline(survey: Survey, types: TypeGraph) -> Outline:
    """Labels, properties and types of a graph, the most frequent first."""
    tied = {label for tie in types.ties for label in (tie.start, tie.end)}
    labels_by_count = sorted(
        (label for label in survey.labels.values() if label.name in tied), key=lambda label: -label.nodes
    )
    labels = {
        label.name: [
            property.name
            for property in sorted(label.properties.values(), key=lambda property: (-property.nodes, property.name))
            if property.kinds["list"] <= property.nodes / 2
        ][:PROPERTIES]
        for label in labels_by_count[:LABELS]
    }
    ties = sorted(types.ties, key=lambda tie: -tie.count)
    lines = [f"{tie.start} -[{tie.type}]-> {tie.end}" for tie in ties if {tie.start, tie.end} <= labels.keys()]
    return Outline(labels, lines[:TIES])
