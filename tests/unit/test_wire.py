"""One JSON format: documents read back unchanged, follow the published schema, and nothing else is accepted."""

import dataclasses
import json
import runpy
import types
import typing
from collections.abc import Mapping
from functools import partial
from pathlib import Path as File

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gear_neo4j import errors, wire
from gear_neo4j.agents.answer import Answer, Citation, Step, Trace
from gear_neo4j.agents.run import Event
from gear_neo4j.domain import Fact, Hits, Passage, PassageRecord, Path, Triple, make_triple
from gear_neo4j.errors import GearError, InputError
from gear_neo4j.graph.read.entities import EntityRecord
from gear_neo4j.graph.read.sources import SourcePage
from gear_neo4j.ingestion.job import Job
from gear_neo4j.retrieval.paths import PathResult
from gear_neo4j.status import Status
from gear_neo4j.usage import Usage
from tests.examples import examples
from tests.json_schema import violations
from tests.saved_runs import run

PUBLISHED = File(__file__).parents[2] / "docs" / "wire.schema.json"
TEXT = st.text(max_size=4)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=3,
)
PLAIN = {
    str: TEXT,
    bool: st.booleans(),
    int: st.integers(),
    float: NUMBER,
    object: JSON,
    typing.Any: JSON,
    type(None): st.none(),
}
# A document does not reveal who else may read a passage.
UNWRITTEN = {"readers"}
ERRORS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GearError)]


def any_of(hint):
    """Any value of a type; for a dataclass, with all its fields."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if hint is Citation:
        return st.builds(Citation, TEXT, passage=any_of(Passage)) | st.builds(Citation, TEXT, fact=any_of(Fact))
    if hint is Path:
        triples = st.lists(any_of(Triple), min_size=1, max_size=2).map(tuple)
        return st.builds(Path, triples, NUMBER, any_of(tuple[float, ...]))
    if dataclasses.is_dataclass(hint):
        kinds = {name: any_of(kind) for name, kind in typing.get_type_hints(hint).items() if name not in UNWRITTEN}
        return st.builds(hint, **kinds)
    if origin is typing.Literal:
        return st.sampled_from(inner)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(any_of, inner))
    if origin in (dict, Mapping):
        return st.dictionaries(any_of(inner[0]), any_of(inner[1]), max_size=2)
    assert (tuple, ...) == (origin, inner[1])
    return st.lists(any_of(inner[0]), max_size=2).map(tuple)


PAIRS = {
    Hits: (wire.to_json, partial(wire.from_json, Hits)),
    Path: (wire.to_json, partial(wire.from_json, Path)),
    PathResult: (lambda connected: wire.paths_json("Who?", connected), partial(wire.from_json, PathResult)),
    Step: (lambda step: wire.to_json(Trace("q", "m", (step,))), lambda row: wire.from_json(Trace, row).steps[0]),
    Trace: (wire.to_json, partial(wire.from_json, Trace)),
    Answer: (wire.to_json, partial(wire.from_json, Answer)),
    Event: (wire.to_json, partial(wire.from_json, Event)),
    PassageRecord: (wire.passage_json, partial(wire.from_json, PassageRecord)),
    EntityRecord: (wire.to_json, partial(wire.from_json, EntityRecord)),
    Status: (wire.to_json, partial(wire.from_json, Status)),
    Job: (wire.to_json, partial(wire.from_json, Job)),
    SourcePage: (wire.to_json, partial(wire.from_json, SourcePage)),
}


def through_json(document):
    """A document as another program gets it, in any valid JSON encoding."""
    return json.loads(json.dumps(document, ensure_ascii=False, allow_nan=False).encode())


@pytest.mark.parametrize("kind", PAIRS, ids=lambda kind: kind.__name__)
@settings(
    max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None
)
@given(data=st.data())
def test_what_is_written_reads_back_as_it_was(kind, data):
    """Every field of every value, with any content; and each document follows the published schema."""
    write, read = PAIRS[kind]
    value = data.draw(any_of(kind))

    document = through_json(write(value))

    assert value == read(document)
    if kind is not Path:
        assert [] == check(document)


def check(document):
    """The violations of the published schema in a document."""
    schema = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return violations(document, schema, root=schema)


def test_the_published_schema_is_that_of_the_code(capsys):
    """``python -m gear_neo4j.wire > docs/wire.schema.json`` renews it."""
    runpy.run_module("gear_neo4j.wire", run_name="__main__")

    assert json.loads(capsys.readouterr().out) == json.loads(PUBLISHED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", ["search", "answer", "trace"])
def test_the_schema_refuses_what_is_damaged(kind):
    """A missing field, another type, or another version; an additional field is accepted."""
    document = run(kind=kind)
    question = {key: value for key, value in document.items() if key != "question"}

    assert [] == check(document)
    assert [] == check(document | {"colour": "blue"})
    for damaged in (question, document | {"question": 1}, document | {"wire": 2}, document | {"kind": "letter"}):
        assert [] != check(damaged)


@given(st.text(st.characters(), max_size=9))
def test_half_a_surrogate_pair_is_replaced(text):
    """Any Python string becomes one that a file can store, permanently."""
    event = Event("verdict", 1, text)

    first = wire.from_json(Event, through_json(wire.to_json(event)))

    assert text.encode("utf-8", "replace").decode() == first.text
    assert first == wire.from_json(Event, wire.to_json(first))


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_keeps_its_class_and_its_message(kind):
    """Its title is the documentation of its class."""
    document = through_json(wire.problem_json(kind("port 7687 is closed")))
    error = wire.error_from(document)

    assert (kind, "port 7687 is closed") == (type(error), str(error))
    assert kind.__doc__.startswith(document["title"])
    assert [] == check(document)


@pytest.mark.parametrize("code", ["Nonsense", "Usage", "__doc__", "annotations"])
def test_an_error_of_an_unknown_class_is_a_plain_one(code):
    """No other name of the module is called."""
    document = wire.problem_json(InputError("no")) | {"code": code}

    assert GearError is type(wire.error_from(document))


def test_a_triple_and_a_fact_look_the_same_everywhere():
    """In the paths of a search, an answer and a trace; noted, kept and cited."""
    answer = run(kind="answer")
    step = answer["trace"]["steps"][0]

    assert run()["paths"] == answer["search"]["paths"] == step["paths"]
    assert {"id", "subject", "predicate", "object", "passage"} == set(step["paths"][0]["triples"][0])
    assert [{"subject": "Hinton", "predicate": "studied at", "object": "Edinburgh"}] == answer["gist"] == step["gist"]
    assert answer["search"] == run()
    assert answer["trace"] == run(kind="trace")


def test_a_newer_document_is_refused_in_one_line(tmp_path):
    """By its version, before anything else is checked."""
    (tmp_path / "new.json").write_text('{"wire": 2, "kind": "letter"}')

    for read in (wire.read_run, wire.read_trace):
        with pytest.raises(InputError, match=r"new\.json was written by a newer gear-neo4j: upgrade"):
            read(tmp_path / "new.json")


def test_fields_that_are_not_known_are_passed_over():
    """On every level, so that fields can be added."""

    def extended(value):
        if isinstance(value, dict):
            named_by_the_user = {"metadata": value["metadata"]} if "metadata" in value else {}
            return {key: extended(item) for key, item in value.items()} | {"colour": "blue"} | named_by_the_user
        return [extended(item) for item in value] if isinstance(value, list) else value

    search = run() | {"hits": extended(run()["hits"]), "paths": extended(run()["paths"]), "colour": "blue"}

    assert wire.from_json(Hits, run()) == wire.from_json(Hits, search)


def test_a_trace_comes_back_from_its_file_as_it_was(tmp_path):
    """Including triples, paths, verdicts, times and tokens."""
    triple = make_triple("p1", "Curie", "born in", "Warsaw")
    step = Step(
        1,
        "Where?",
        base=("p1",),
        proximal=(Fact("Curie", "was born in", "Warsaw"),),
        linked=(triple, None),
        paths=(Path((triple,), 0.5, (0.5,)),),
        ranking=("p1", "p2"),
        gist=(Fact("Curie", "born in", "Warsaw"),),
        answerable=False,
        reason="missing",
        rewrite="When?",
        failures=("gist: bad",),
        milliseconds={"read": 1.5},
        usage={"reader": Usage(1, 10, 5)},
    )
    trace = Trace("Where?", "model", (step,), (("p1",),), ("p2",), {"p1": "Curie"}, "Warsaw [1]")

    wire.write_trace(trace, tmp_path / "trace.json")

    assert trace == wire.read_trace(tmp_path / "trace.json") == wire.read_run(tmp_path / "trace.json")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00",
        "[" * 100_000,
        "[]",
        "{}",
        '{"wire": 1, "kind": "trace"}',
        '{"kind": 1, "steps": 3}',
        json.dumps(run()),
        json.dumps(run(kind="trace") | {"steps": [[]]}),
        json.dumps(run(kind="trace") | {"titles": {"p1": None}}),
        json.dumps(run(kind="trace")).replace('"score": 1.5', '"score": NaN'),
        json.dumps(run(kind="trace")).replace('"score": 1.5', '"score": 1e999'),
        json.dumps(run(kind="trace")).replace('"score": 1.5', '"score": true'),
        json.dumps(run(kind="trace")).replace('"parameters": {}', '"parameters": {"x": -Infinity}'),
        json.dumps(run(kind="trace")).replace('"parameters": {}', f'"parameters": {{"x": {"[" * 900}{"]" * 900}}}'),
    ],
    ids=lambda text: text[:30],
)
def test_a_file_that_is_no_trace_is_reported_in_one_line(tmp_path, text):
    """Including a missing one, and one that cannot be written."""
    (tmp_path / "trace.json").write_text(text)

    with pytest.raises(InputError, match=r"is not (a trace|JSON).*; write one with|is not JSON.*: ") as raised:
        wire.read_trace(tmp_path / "trace.json")
    assert 1 == len(str(raised.value).splitlines())
    with pytest.raises(InputError, match="cannot be read"):
        wire.read_trace(tmp_path / "none.json")
    with pytest.raises(InputError, match="cannot be written"):
        wire.write_trace(Trace("q", "m"), tmp_path)
