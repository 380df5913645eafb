"""The JSON of searches, paths, answers, traces, events and problems: one writer, one reader, one version."""

from gear_neo4j.wire.documents import VERSION, json_schema
from gear_neo4j.wire.links import browser_url, passage_url
from gear_neo4j.wire.read import error_from, from_json, read_run, read_trace, run_from
from gear_neo4j.wire.write import entities_json, passage_json, paths_json, problem_json, to_json, write_trace

__all__ = [
    "VERSION",
    "browser_url",
    "entities_json",
    "error_from",
    "from_json",
    "json_schema",
    "passage_json",
    "passage_url",
    "paths_json",
    "problem_json",
    "read_run",
    "read_trace",
    "run_from",
    "to_json",
    "write_trace",
]
