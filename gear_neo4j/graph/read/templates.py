"""The five templates of KG-based Thought: static queries of ``cypher/`` over a user's graph."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gear_neo4j.domain import Path, Triple
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.queries import named
from gear_neo4j.graph.read.entities import first_name
from gear_neo4j.graph.read.neighbourhoods import Neighbourhoods
from gear_neo4j.graph.read.store import Vector
from gear_neo4j.graph.read.typegraph import Chain, Tie, TypeGraph
from gear_neo4j.graph.schema.record import names_on_record

ROWS = 20
HOPS = 3
PATHS = 10
TemplateName = Literal["kgt_follow", "kgt_attribute", "paths_between"]


@dataclass(frozen=True, slots=True)
class TemplateResult:
    """The result of a template: paths of triples, or properties as (name of the node, property, value).

    ``more`` says that the graph has further rows.
    """

    paths: tuple[Path, ...] = ()
    properties: tuple[tuple[str, str, str], ...] = ()
    more: bool = False

    def __bool__(self) -> bool:
        return bool(self.paths or self.properties)


class Templates:
    """The templates over one database; nodes are given by their element ids."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def cypher(self, name: TemplateName) -> str:
        """The text of a template, as a trace shows it."""
        return named(name).text

    def follow(self, *ways: tuple[Sequence[str], Chain]) -> TemplateResult:
        """Follow a chain from nodes over one or more hops; two chains, to the ends that both reach (intersection)."""
        chains = [
            {"heads": list(heads), "types": list(chain.types), "labels": list(chain.labels)} for heads, chain in ways
        ]
        rows = self._database.call("kgt_follow", chains=chains, limit=ROWS + 1)
        paths = (Path(tuple(Triple(*values) for values in row["triples"]), row["ways"]) for row in rows[:ROWS])
        return TemplateResult(tuple(paths), more=len(rows) > ROWS)

    def attribute(self, heads: Sequence[str], attribute: str) -> TemplateResult:
        """A property of these nodes; all properties if ``attribute`` is empty."""
        names = names_on_record(self._database)
        rows = self._database.call("kgt_attribute", heads=list(heads), attribute=attribute, names=names, limit=ROWS + 1)
        return TemplateResult(
            properties=tuple(
                (first_name(row["names"]) or row["id"], *pair) for row in rows[:ROWS] for pair in row["values"]
            ),
            more=len(rows) > ROWS,
        )

    def relation(self, heads: Sequence[str], others: Sequence[str], *, query: Vector) -> TemplateResult:
        """The shortest paths of at most three triples from ``heads`` to ``others``."""
        pairs = [(head, other) for head in heads for other in others if head != other]
        connections = Neighbourhoods(self._database).between(pairs, query=query, hops=HOPS, most=PATHS)
        ordered = sorted(connections, key=lambda match: (len(match.path.triples), match.rank, -match.path.score))
        return TemplateResult(tuple(dict.fromkeys(match.path for match in ordered))[:ROWS])

    def types(self) -> TypeGraph:
        """The types of the adopted graph with the labels that they connect; empty if no graph was adopted."""
        rows = self._database.call("ties")
        return TypeGraph([Tie(*json.loads(tie)) for row in rows for tie in row["ties"]])

    def labels(self, nodes: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """The labels of these nodes, by element id."""
        rows = self._database.call("node_labels", ids=list(nodes))
        return {row["id"]: tuple(row["labels"]) for row in rows}

    def described(self, passages: Sequence[str]) -> dict[str, str]:
        """The nodes that passages represent: element ids by passage id."""
        rows = self._database.call("described_nodes", ids=list(passages))
        return {row["passage"]: row["id"] for row in rows}
