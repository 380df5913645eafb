"""A database under a scope: its gate, and how much of the database is in it, read again when the graph changes."""

from gear_neo4j.graph.database import Database
from gear_neo4j.graph.export import Export, Version
from gear_neo4j.graph.scope_gate import MOST_READ, Extent, ScopeGate
from gear_neo4j.graph.versioned import Versioned
from gear_neo4j.scope import Scope

# Seconds until a write by another process is noticed; what it wrote is never shown outside the scope.
RECHECK = 1.0


def scoped(database: Database, scope: Scope) -> Database:
    """The same database, all of whose queries are under a scope."""
    gate = ScopeGate(scope)
    gated = database.gated(gate)

    def read(_: Version) -> Extent:
        row = gated.call("scope_extent", kept=MOST_READ)[0]
        ids = None if row["ids"] is None else tuple(row["ids"])
        return Extent(
            passages=row["passages"],
            triples=row["triples"],
            all_passages=row["allPassages"],
            all_triples=row["allTriples"],
            adopted=row["adopted"],
            described=row["described"],
            ids=ids,
        )

    gate.extent = Versioned(read, version=Export(gated).version, recheck=RECHECK).current
    return gated
