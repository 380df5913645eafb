"""A database under a scope, and the size of the scope, which is read again when the graph changes."""

from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.read.pagerank_queries import PageRankQueries, Version
from gear_neo4j.graph.read.versioned import Versioned
from gear_neo4j.graph.schema.indexes import filter_by_collection
from gear_neo4j.graph.scope.scope_gate import MOST_READ, ScopeGate, ScopeSize
from gear_neo4j.scope import Scope

# Seconds until the size reflects a write by another process; the scope itself applies to it at once.
RECHECK = 1.0


def scoped(database: Database, scope: Scope) -> Database:
    """The same database, with all queries under a scope."""

    def read(_: Version) -> ScopeSize:
        row = gated.call("scope_size", kept=MOST_READ)[0]
        ids = None if row["ids"] is None else tuple(row["ids"])
        return ScopeSize(
            passages=row["passages"],
            triples=row["triples"],
            all_passages=row["allPassages"],
            all_triples=row["allTriples"],
            adopted=row["adopted"],
            described=row["described"],
            reach=_reach(gated, scope) if ids is None else None,
            ids=ids,
            graph=row["graph"],
        )

    # The gate needs the size only later, when the database exists.
    size = Versioned(read, version=lambda: PageRankQueries(gated).version(), recheck=RECHECK)
    gated = database.gated(ScopeGate(scope, size=size.current))
    return gated


def _reach(gated: Database, scope: Scope) -> tuple[int, int] | None:
    """The numbers of passages and triples in the scope's collections, if the vector indexes filter by collection."""
    if scope.collections is None or not filter_by_collection(gated):
        return None
    whole = Scope(collections=scope.collections)
    # This query does not depend on the size.
    row = gated.gated(ScopeGate(whole, size=_no_size)).call("scope_size", kept=0)[0]
    return row["passages"], row["triples"]


def _no_size() -> ScopeSize:
    raise AssertionError("the size of a scope is read without one")
