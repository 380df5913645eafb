"""What a database holds and what can be asked of it: the answer to the first question of a client."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Embedding:
    """The model that built the vectors of a database, and how many numbers each has."""

    model: str
    dimension: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The contents of a database as a view sees them, and the names by which it can be searched.

    Attributes:
        version: that of gear-neo4j.
        embedding: None in a database without our data.
        retrievers: the names for :meth:`gear_neo4j.Gear.search`, without those that a scope refuses or that only the
            operator of a service may choose.
        agents: the names for :meth:`gear_neo4j.Gear.ask`, the same.
    """

    version: str
    database: str
    passages: int
    triples: int
    entities: int
    embedding: Embedding | None
    retrievers: tuple[str, ...]
    agents: tuple[str, ...]
