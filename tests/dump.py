"""The whole content of a database, for comparison, except where, when and how its sources were read."""

from gear_neo4j.graph.queries import Query

NODES = Query(
    "nodes",
    "MATCH (n) WHERE NOT (n:__GearTests OR n:__GearOrigin OR n:__GearSource) "
    "RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties",
)
RELATIONSHIPS = Query(
    "relationships",
    "MATCH (a)-[r]->(b) RETURN elementId(r) AS id, type(r) AS type, elementId(a) AS start, elementId(b) AS end, "
    "properties(r) AS properties",
)
INDEXES = Query("indexes", "SHOW INDEXES YIELD name, type, labelsOrTypes, properties RETURN *")
CONSTRAINTS = Query("constraints", "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties RETURN *")
# Times of writing, and the random stamp of the last write.
VOLATILE = {"at", "changed", "communitiesOf", "createdAt", "extractedAt", "in", "moved", "reportedAt", "restricted"}


def dump(database):
    """The content of a database, sorted."""
    return {
        query.name: sorted(map(_row, database.run(query))) for query in (NODES, RELATIONSHIPS, INDEXES, CONSTRAINTS)
    }


def _row(row):
    return repr(sorted((key, _value(value)) for key, value in row.items()))


def _value(value):
    if isinstance(value, dict):
        return sorted((key, _value(one)) for key, one in value.items())
    return sorted(map(str, value)) if isinstance(value, list) and all(isinstance(one, str) for one in value) else value


def dump_of(database):
    """The content of a database without element ids and times, to compare two databases or two runs."""
    names = {row["id"]: _name(row) for row in database.run(NODES)}
    edges = [(names[row["start"]], row["type"], _plain(row), names[row["end"]]) for row in database.run(RELATIONSHIPS)]
    schema = [repr(row) for query in (INDEXES, CONSTRAINTS) for row in database.run(query)]
    return {"nodes": sorted(names.values()), "relationships": sorted(map(repr, edges)), "schema": sorted(schema)}


def _name(row):
    return repr((sorted(row["labels"]), _plain(row)))


def _plain(row):
    return sorted((key, "…" if key in VOLATILE else _value(value)) for key, value in row["properties"].items())
