"""The JSON of searches, paths, answers, traces, events and problems: one writer, one reader, one version."""

from gear_neo4j.wire.documents import VERSION, json_schema
from gear_neo4j.wire.read import (
    answer_from,
    connected_from,
    error_from,
    event_from,
    hits_from,
    path_from,
    read_run,
    read_trace,
    run_from,
    trace_from,
)
from gear_neo4j.wire.write import (
    answer_json,
    connected_json,
    event_json,
    hit_json,
    hits_json,
    path_json,
    problem_json,
    trace_json,
    write_trace,
)

__all__ = [
    "VERSION",
    "answer_from",
    "answer_json",
    "connected_from",
    "connected_json",
    "error_from",
    "event_from",
    "event_json",
    "hit_json",
    "hits_from",
    "hits_json",
    "json_schema",
    "path_from",
    "path_json",
    "problem_json",
    "read_run",
    "read_trace",
    "run_from",
    "trace_from",
    "trace_json",
    "write_trace",
]
