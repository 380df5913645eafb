"""A synthetic graph in somebody else's schema, of any size: people, companies, cities, films and awards, with hubs.

A tenth of the relationships ends at a hub; the first hub of a label has as many as the next two together, and so on.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.progress import track

from benchmarks.made import random_word
from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.graph.queries import Query
from gear_neo4j.server.connection import connect
from gear_neo4j.settings import Settings

BATCH = 10_000
LABELS = ("Person", "Company", "City", "Film", "Award")
# Each type with the labels that it connects.
TIES = {
    "KNOWS": ("Person", "Person"),
    "WORKS_AT": ("Person", "Company"),
    "LIVES_IN": ("Person", "City"),
    "ACTED_IN": ("Person", "Film"),
    "OWNS": ("Company", "Company"),
    "RECEIVED": ("Person", "Award"),
    "FOUNDED": ("Person", "Company"),
    "NEAR": ("City", "City"),
}
NODES_A_HUB = 2_500
TO_HUBS = 0.1
FIRST_YEAR, LAST_YEAR = 1900, 2026
# One node in ten has a text, and so becomes a passage.
PROFILE = Profile(name="made", entities={label: Entities(names=("name",), text=("about",)) for label in LABELS})

MAKE_INDEX = "CREATE INDEX made IF NOT EXISTS FOR (n:Made) ON (n.number)"
MAKE_NODES = Query(
    "make_nodes",
    "UNWIND $rows AS row CREATE (n:Made {number: row.number, name: row.name, about: row.about}) SET n:$(row.label)",
    frozenset({"rows"}),
    writes=True,
)
MAKE_RELATIONSHIPS = Query(
    "make_relationships",
    "UNWIND $rows AS row MATCH (a:Made {number: row[0]}) MATCH (b:Made {number: row[1]}) "
    "CREATE (a)-[:$(row[2]) {since: row[3]}]->(b)",
    frozenset({"rows"}),
    writes=True,
)
# Questions of one to three relationships, with conditions, intersections and counts; {film} is any film's name, and
# {City} that of a hub.
TEMPLATES = (
    "Which films has {person} acted in?",
    "Who founded {company}?",
    "Who lives in {City}?",
    "Which person acted in {Film}?",
    "Which films did people who live in {City} act in?",
    "Who acted in the films that {Person} acted in?",
    "Which city do the people who work at {Company} live in?",
    "Which awards were received by people who acted in {Film}?",
    "Which companies are owned by the company that {person} founded?",
    "Which cities are near the city that {person} lives in?",
    "Which people live in {City} and work at {Company}?",
    "Which people acted in {Film} and received {Award}?",
    "Who has worked at {Company} since 1990?",
    "Which awards were received by the people who acted in the films of {Person}?",
    "Which cities do people live in who know the people that founded {company}?",
    "Which films did the people act in who live in cities near {City}?",
    "What joins {Person} and {Company}?",
    "How many people live in {City}?",
    "Which company do most people work at who live in {City}?",
    "Which films did people act in who received {Award} and work at {Company}?",
)


@dataclass(frozen=True, slots=True)
class MadeGraph:
    """A graph of this number of relationships, with a quarter as many nodes."""

    relationships: int

    @property
    def nodes(self) -> int:
        """The number of nodes; equally many per label."""
        return len(LABELS) * max(2, self.relationships // 4 // len(LABELS))

    def node(self, number: int) -> dict[str, object]:
        """A node, determined by its number."""
        label = LABELS[number % len(LABELS)]
        name = " ".join(random_word(number, salt) for salt in range(2)).title()
        about = f"{name} has a text of its own, with words like {random_word(number % 1013, 2)}."
        return {"number": number, "label": label, "name": name, "about": about if number % 10 == 0 else None}

    def batches(self) -> Iterator[list[list[object]]]:
        """Batches of relationships: start, end, type and a year."""
        random = np.random.default_rng(0)
        a_label = self.nodes // len(LABELS)
        hubs = max(1, a_label // NODES_A_HUB)
        shares = 1 / np.arange(1, hubs + 1)
        types = list(TIES)
        sides = np.array([[LABELS.index(label) for label in ends] for ends in TIES.values()])
        for done in range(0, self.relationships, BATCH):
            size = min(BATCH, self.relationships - done)
            kinds = random.integers(len(types), size=size)
            starts, ends = random.integers(a_label, size=(2, size))
            to_hubs = random.choice(hubs, size=size, p=shares / shares.sum())
            ends = np.where(random.random(size) < TO_HUBS, to_hubs, ends)
            starts, ends = (side * len(LABELS) + sides[kinds, index] for index, side in enumerate((starts, ends)))
            years = random.integers(FIRST_YEAR, LAST_YEAR + 1, size=size)
            names = [types[kind] for kind in kinds]
            yield [list(row) for row in zip(starts.tolist(), ends.tolist(), names, years.tolist(), strict=True)]

    def questions(self, count: int) -> list[str]:
        """Questions of every kind in turn, about ordinary nodes and about hubs."""
        return [self._question(TEMPLATES[number % len(TEMPLATES)], number) for number in range(count)]

    def _question(self, template: str, number: int) -> str:
        a_label = self.nodes // len(LABELS)
        hubs = max(1, a_label // NODES_A_HUB)
        names: dict[str, str] = {}
        for index, label in enumerate(LABELS):
            drawn = 7_919 * number + 104_729 * index
            for key, most in ((label.lower(), a_label), (label, hubs)):
                names[key] = str(self.node(drawn % most * len(LABELS) + index)["name"])
        return template.format(**names)


def make(settings: Settings, graph: MadeGraph) -> None:
    """Write the graph into the empty database of the settings."""
    with connect(settings) as database:
        database.execute(MAKE_INDEX)
        for start in track(range(0, graph.nodes, BATCH), "nodes"):
            rows = [graph.node(number) for number in range(start, min(start + BATCH, graph.nodes))]
            database.run(MAKE_NODES, rows=rows)
        for batch in track(graph.batches(), "relationships", total=-(-graph.relationships // BATCH)):
            database.run(MAKE_RELATIONSHIPS, rows=batch)
