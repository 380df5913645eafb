"""A database under a scope, and how much of the database that is, which is read again when the graph changes."""

from gear_neo4j.graph.database import Database
from gear_neo4j.graph.export import Export, Version
from gear_neo4j.graph.scope_gate import MOST_READ, Extent, ScopeGate
from gear_neo4j.graph.versioned import Versioned
from gear_neo4j.scope import Scope

# Seconds until a write by another process is noticed; what it wrote is never shown outside the scope.
RECHECK = 1.0


def scoped(database: Database, scope: Scope) -> Database:
    """The same database, all of whose queries are under a scope."""

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

    # The gate asks only later, when there is a database behind it.
    extent = Versioned(read, version=lambda: Export(gated).version(), recheck=RECHECK)
    gated = database.gated(ScopeGate(scope, extent=extent.current))
    return gated
