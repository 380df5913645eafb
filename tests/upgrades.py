"""Whole databases as JSON: written by older versions, stored in ``recorded/``, and restored unchanged."""

import json
from pathlib import Path

from neo4j.time import DateTime, Duration

from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema.migration_files import load
from gear_neo4j.graph.schema.migration_lock import LOCK_CONSTRAINTS

RECORDED = Path(__file__).with_name("recorded")
# Databases by schema; V001 was released together with V002, so no database has it alone.
SCHEMAS = ("V002", "V003", "V004", "V005")
DIMENSION = 8
LOCK = "__Neo4jMigrationsLock"
NODES = Query(
    "nodes",
    "MATCH (n) WHERE NOT n:__GearTests RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties",
)
RELATIONSHIPS = Query(
    "relationships",
    "MATCH (a)-[r]->(b) "
    "RETURN type(r) AS type, elementId(a) AS start, elementId(b) AS end, properties(r) AS properties",
)
INDEXES = Query("indexes", "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name, type ORDER BY name")
PUT_NODES = Query(
    "put_nodes",
    "UNWIND $nodes AS node CREATE (n:$(node.labels)) SET n = node.properties RETURN elementId(n) AS id",
    frozenset({"nodes"}),
    writes=True,
)
PUT_RELATIONSHIPS = Query(
    "put_relationships",
    "UNWIND $rows AS row MATCH (a) WHERE elementId(a) = row.start MATCH (b) WHERE elementId(b) = row.end "
    "CREATE (a)-[r:$(row.type)]->(b) SET r = row.properties",
    frozenset({"rows"}),
    writes=True,
)


def record(database):
    """All nodes and relationships as JSON; the ends of relationships are indexes into the list of nodes."""
    nodes = sorted(database.run(NODES), key=lambda row: (sorted(row["labels"]), repr(sorted(_plain(row).items()))))
    index_of = {row["id"]: index for index, row in enumerate(nodes)}
    relationships = [
        {**_plain(row), "start": index_of[row["start"]], "end": index_of[row["end"]]}
        for row in database.run(RELATIONSHIPS)
    ]
    return {
        "nodes": [{"labels": sorted(row["labels"]), **_plain(row)} for row in nodes],
        "relationships": sorted(relationships, key=repr),
    }


def restore(database, schema):
    """Write the database of a version with this schema, including its indexes, into an empty one."""
    rows = json.loads((RECORDED / f"schema-{schema}.json").read_text(encoding="utf-8"))
    for statement in LOCK_CONSTRAINTS:
        database.execute(statement)
    for migration in load()[: int(schema[1:])]:
        for statement in migration.statements:
            database.execute(statement.replace("${dimension}", str(DIMENSION)))
    nodes = [{**node, "properties": _from_plain(node["properties"])} for node in rows["nodes"]]
    ids = [row["id"] for row in database.run(PUT_NODES, nodes=nodes)]
    relationships = [
        {**row, "start": ids[row["start"]], "end": ids[row["end"]], "properties": _from_plain(row["properties"])}
        for row in rows["relationships"]
    ]
    database.run(PUT_RELATIONSHIPS, rows=relationships)
    return rows


def timeless(database):
    """The whole content of a database, including indexes, without times.

    Also without the lock of a killed process that only had to release it, because the lock expires.
    """
    rows = record(database)
    nodes = [_without_times(node) for node in rows["nodes"]]
    relationships = [
        {**_without_times(row), "start": nodes[row["start"]], "end": nodes[row["end"]]} for row in rows["relationships"]
    ]
    return {
        "nodes": sorted((node for node in nodes if LOCK not in node["labels"]), key=repr),
        "relationships": sorted(relationships, key=repr),
        "indexes": database.run(INDEXES),
    }


def _plain(row):
    """A row with sorted properties, times as texts, and without its id."""
    properties = {key: _to_json(value) for key, value in sorted(row["properties"].items())}
    return {**({"type": row["type"]} if "type" in row else {}), "properties": properties}


def _to_json(value):
    match value:
        case DateTime():
            return {"datetime": value.iso_format()}
        case Duration():
            return {"duration": value.iso_format()}
    return value


def _from_plain(properties):
    return {key: _from_json(value) for key, value in properties.items()}


def _from_json(value):
    match value:
        case {"datetime": text}:
            return DateTime.from_iso_format(text)
        case {"duration": text}:
            return Duration.from_iso_format(text)
    return value


def _without_times(row):
    properties = {
        key: next(iter(value)) if isinstance(value, dict) else value for key, value in row["properties"].items()
    }
    # The stamp of each write, with which caches notice changes.
    return {**row, "properties": {key: value for key, value in properties.items() if key != "changed"}}
