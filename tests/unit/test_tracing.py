"""Spans: none without OpenTelemetry, none that break the work, and correct parents across threads."""

import json
import sys
from threading import Barrier

import pytest
from opentelemetry import trace

from gear_neo4j.agents.run import Run
from gear_neo4j.domain import Passage
from gear_neo4j.models.chat import Reply
from gear_neo4j.models.concurrency import outcomes
from gear_neo4j.retrieval.traced import note_documents, retrieval_span
from gear_neo4j.tracing import CONTENT, NOTHING, current_span, span
from gear_neo4j.usage import Usage
from tests.processes import run

WITHOUT = """
import json, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "opentelemetry":
            raise ImportError(name)

if sys.argv[1] == "hidden":
    sys.meta_path.insert(0, Hidden())
import gear_neo4j.gear.front
from gear_neo4j.tracing import NOTHING, span

with span("work", "CHAIN", {"a": 1}) as active:
    active.describe(lambda: 1 / 0)
    active.content(lambda: 1 / 0)
    active.follow("step", "CHAIN").fail("ValueError", "text")
loaded = [name for name in sys.modules if name.startswith("opentelemetry")]
from langchain_core.language_models import FakeListChatModel
from gear_neo4j.models.chat import Chat, Prompt

value = Chat(FakeListChatModel(responses=["7"])).ask(Prompt("A number.", "How many days?"), parse=int).value
print(json.dumps([active is NOTHING, value, loaded]))
"""


@pytest.mark.parametrize("package", ["hidden", "there"])
def test_without_the_package_or_a_provider_nothing_is_recorded_or_imported(package):
    """A process without tracing does not pay for it."""
    ended = run([sys.executable, "-c", WITHOUT, package], check=True)

    assert [True, 7, []] == json.loads(ended.stdout)


class Broken:
    """A part of an SDK whose every call fails."""

    def __getattr__(self, _name):
        raise RuntimeError("broken")


class HalfBroken(Broken):
    """One whose tracer works, but not its spans."""

    def get_tracer(self, *_args):
        return self

    def start_span(self, *_args, **_options):
        return Broken()


@pytest.mark.parametrize("provider", [Broken, HalfBroken])
def test_what_fails_in_the_sdk_does_not_reach_the_work(monkeypatch, provider):
    """Nor does it hide the work's own error."""
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider())
    monkeypatch.setenv(CONTENT, "true")
    with span("work", "AGENT") as active:
        active.describe(lambda: {"a": 1})
        active.content(lambda: {"a": 1})
        active.follow("step", "CHAIN").describe(lambda: {"a": 1})
    with pytest.raises(ZeroDivisionError), span("work", "LLM"):
        _ = 1 / 0

    assert current_span() is NOTHING


def test_attributes_that_cannot_be_made_are_left_out(spans):
    """The others are kept."""
    with span("work", "CHAIN", {"a": 1, "none": None}) as active:
        active.describe(lambda: {"b": 1 / 0})
        active.describe(lambda: {"c": 3})
    (work,) = spans.all

    assert {"a": 1, "c": 3, "openinference.span.kind": "CHAIN"} == dict(work.attributes)


def test_steps_follow_one_another_and_end_with_their_span(spans):
    """Spans that begin in a step are its children; steps do not overlap."""
    with span("run", "AGENT", {"gen_ai.data_source.id": "papers"}) as run:
        for number in (1, 2):
            run.follow(f"step {number}", "CHAIN")
            assert "papers" == current_span().source
            with span(f"call {number}", "LLM"):
                pass
    root, first, call, second, other = spans.all

    assert ["run", "step 1", "call 1", "step 2", "call 2"] == [one.name for one in spans.all]
    ids = [one.parent and one.parent.span_id for one in spans.all]
    assert [None, *(one.context.span_id for one in (root, first, root, second))] == ids
    assert call.end_time <= first.end_time <= second.start_time <= other.start_time
    assert second.end_time <= root.end_time
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_calls_in_threads_have_the_span_around_as_parent(spans):
    """In a run, and in an extraction."""
    together = Barrier(2, timeout=30)

    def ask(number):
        with span(f"call {number}", "LLM"):
            together.wait()
        return Reply(number, "", Usage(calls=1), 0.0)

    with span("run", "AGENT"):
        run = Run("Who?", "roles")
        run.begin("Who?")
        assert [1, 2] == run.calls("points", [lambda: ask(1), lambda: ask(2)], together=2)
    with span("extraction", "CHAIN"):
        assert [3, 4] == sorted(future.result().value for _, future in outcomes(iter([3, 4]), ask, together=2))
    by_name = {one.name: one for one in spans.all}
    parents = {
        name: next(other.name for other in spans.all if other.context.span_id == one.parent.span_id)
        for name, one in by_name.items()
        if one.parent
    }

    expected = {f"call {number}": "step 1" if number < 3 else "extraction" for number in (1, 2, 3, 4)}
    assert {"step 1": "run", **expected} == parents


def test_an_error_shows_its_message_only_with_texts_and_never_a_login(spans, monkeypatch):
    """Its class is always there."""
    for wanted in ("false", "true"):
        monkeypatch.setenv(CONTENT, wanted)
        with pytest.raises(ValueError, match="Varna"), span("work", "CHAIN"):
            raise ValueError("Varna at bolt://neo4j:secret@db")
    silent, told = spans.all

    assert (None, "Varna at bolt://***@db") == (silent.status.description, told.status.description)
    assert ["ValueError"] * 2 == [one.attributes["error.type"] for one in spans.all]
    assert "secret" not in spans.text


def test_a_generator_that_is_left_early_has_not_failed(spans):
    """And its consumer is not within its span."""

    def rows():
        with span("query", "QUERY", is_current=False):
            yield 1
            yield 2

    reading = rows()
    assert 1 == next(reading)
    assert current_span() is NOTHING
    assert trace.get_current_span() is trace.INVALID_SPAN
    reading.close()

    assert [True] == [one.status.is_unset for one in spans.all]


def test_many_passages_do_not_push_out_what_says_what_a_span_is(spans, monkeypatch):
    """The SDK drops the oldest attributes of a span with more than 128."""
    monkeypatch.setenv(CONTENT, "true")
    passage = Passage("p", "Title", "Text.", "source")
    with retrieval_span("Who?", k=100, source="papers") as active:
        note_documents(active, lambda: [(f"p{index}", 1.0, passage) for index in range(100)])
    (search,) = spans.all

    assert "RETRIEVER" == search.attributes["openinference.span.kind"]
    assert ("p0", 1.0, passage.content) == tuple(
        search.attributes[f"retrieval.documents.0.document.{field}"] for field in ("id", "score", "content")
    )
    assert 0 == search.dropped_attributes


def test_half_a_surrogate_pair_costs_no_span(spans, monkeypatch):
    """No exporter could encode it."""
    monkeypatch.setenv(CONTENT, "true")
    with span("chat", "LLM") as active:
        active.content(lambda: {"output.value": "Varna \ud83d"})
    (chat,) = spans.all

    assert "Varna ?" == chat.attributes["output.value"]
