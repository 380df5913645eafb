"""The agent on a real database and a real client with a scripted model: actions, costs, citations, failures."""

import json
import re
import time
from contextlib import contextmanager
from itertools import pairwise

import pytest
from langchain_openai import ChatOpenAI

from gear_neo4j import Base, Beam, GearAgent, Ircot, Naive, SyncGE
from gear_neo4j.agents.ranking import final_ranking
from gear_neo4j.domain import Fact
from gear_neo4j.errors import InputError, ModelError, SettingsError
from gear_neo4j.models.chat import Chat
from gear_neo4j.models.replay import ReplayChat
from gear_neo4j.wire import read_trace, write_trace
from tests.graphs import opened
from tests.scripted_server import Fault, ScriptedServer
from tests.toy_model import NEXT, PASSAGES, QUESTION, TRIPLES, ToyModel, role_of
from tests.wire import Wire

pytestmark = pytest.mark.one_server_line

# One passage per step and no walk, so that the agent has to continue.
SHORT = GearAgent(over=SyncGE(base="bm25", beam=Beam(length=1)), step_k=1)
# One passage per step, and a walk from there, whose passages the constructor reads.
WALKING = GearAgent(over=SyncGE(base="bm25"), step_k=1)


@contextmanager
def asked(server, embedder, script=None, *, fault=lambda number, messages: None, uri=None, patience=5.0):
    """A Gear whose chat model is a scripted server."""
    with ScriptedServer(script or ToyModel(), fault=fault, retry_after="0", slow=1.5) as model:
        client = ChatOpenAI(model="toy", api_key="none", base_url=model.url, temperature=0, max_retries=0, timeout=0.75)
        chat = Chat(client, patience=patience, sleep=lambda _seconds: None)
        with opened(server, embedder, uri=uri, chat=chat) as gear:
            yield gear, model


def roles(model):
    """The roles of the requests that a server received, in order."""
    return [role_of(request["messages"]) for request in model.requests]


def shown(request):
    """The ids of the passages that a request shows to the model."""
    return {id for id, text in PASSAGES.items() if text in request["messages"][1]["content"]}


def test_the_agent_goes_on_until_its_facts_suffice_and_then_answers_with_citations(corpus, server, embedder):
    """Each step finds the next hop with the question that the model wrote; the answer cites a passage and a fact."""
    events = []
    with asked(server, embedder) as (gear, model):
        answer = gear.ask(QUESTION, k=4, on_event=events.append, agent=SHORT)

    assert "answerable" == answer.stop_reason
    assert [QUESTION, NEXT["study"], NEXT["town"]] == [step.question for step in answer.trace.steps]
    assert [Fact(*TRIPLES[id][0]) for id in ("prize", "study", "town")] == list(answer.gist)
    assert {"prize", "study", "town"} == {hit.passage.id for hit in answer.hits[:3]}
    town = next(hit.rank for hit in answer.hits if hit.passage.id == "town")
    assert f"Scotland [{town}] [F1]." == answer.text
    assert [str(town), "F1"] == [citation.marker for citation in answer.citations]
    assert PASSAGES["town"] == answer.citations[0].passage.text
    turn = ["reader", "reason"]
    assert [*turn, "rewrite", *turn, "rewrite", *turn, "answer"] == roles(model)
    kinds = ["question", "facts", "verdict"]
    assert [*kinds * 3, "token", "token", "token", "answer"] == [event.kind for event in events]


def test_usage_is_what_the_server_was_sent_and_sent_back(corpus, server, embedder):
    """Calls and tokens per role; the scripted server counts one token per word."""
    with asked(server, embedder) as (gear, model):
        answer = gear.ask(QUESTION, agent=SHORT)

        sent = sum(len(message["content"].split()) for one in model.requests for message in one["messages"])
        asked_for = roles(model)
    assert {role: asked_for.count(role) for role in asked_for} == {
        role: usage.calls for role, usage in answer.usage.items()
    }
    assert sent == answer.total.input_tokens
    assert not answer.total.estimated


def test_no_passage_is_read_twice_in_a_step(corpus, server, embedder):
    """The constructor reads what only the walk reached; without such a passage, it is not called."""
    with asked(server, embedder) as (gear, model):
        answer = gear.ask(QUESTION, k=4)
        assert ["reader", "reason", "answer"] == roles(model)
        walked = gear.ask(QUESTION, k=4, agent=WALKING)

    assert (1, "answerable") == (len(answer.trace.steps), answer.stop_reason)
    pairs = zip(pairwise(roles(model)), pairwise(model.requests), strict=True)
    read = [(shown(first), shown(second)) for played, (first, second) in pairs if played == ("reader", "gist")]
    assert read
    assert all(first and second and not first & second for first, second in read)
    assert walked.trace.steps[0].proximal == walked.gist[:1]
    assert set(answer.gist) == set(walked.gist)


def test_sync_takes_one_call_and_walks_from_what_the_model_noted(corpus, server, embedder):
    """From one passage over its fact to the second and third, which share no word with the question."""
    with asked(server, embedder) as (gear, model):
        recipe = SyncGE(base="bm25", base_k=1, beam=Beam(length=3))
        hits = gear.search("2024 physics prize", retriever=recipe, k=3)

    assert ["prize", "study", "town"] == [hit.passage.id for hit in hits]
    assert ["reader"] == roles(model)
    assert (Fact(*TRIPLES["prize"][0]),) == hits.facts
    assert 1 == hits.usage["reader"].calls


def test_the_order_of_a_base_that_walks_itself_stays(corpus, server, embedder):
    """What the beam search reaches follows; a ranker's list is fused with it by rank."""
    question = "A recipe for bread and butter from Hinton"
    with asked(server, embedder) as (gear, _model):
        base, own, fused = (
            gear.search(question, retriever=recipe, k=4)
            for recipe in (Base(base="bm25"), SyncGE(base=Base(base="bm25")), SyncGE(base="bm25"))
        )

    first, walked, mixed = ([hit.passage.id for hit in hits] for hits in (base, own, fused))
    assert first == walked[: len(first)]
    assert first != mixed[: len(first)]
    assert set(first) < set(walked) == set(mixed)
    assert {"graph"} < {source.name for hit in own if hit.passage.id == "study" for source in hit.sources}
    assert {"graph"} == {source.name for source in own[-1].sources}


@pytest.mark.parametrize("reply", ['{"facts": []}', "I found nothing of use."])
def test_sync_falls_back_to_naive_when_the_reader_gives_nothing(corpus, server, embedder, reply):
    """With an empty list, or an unusable reply even after the retry, the walk is NaiveGE's."""
    with asked(server, embedder, lambda messages: reply) as (gear, _model):
        sync = gear.search("Hinton thesis", retriever=SyncGE(base_k=2))
        naive = gear.search("Hinton thesis", retriever=Naive(base_k=2))

    assert naive.hits == sync.hits
    assert naive.paths == sync.paths
    assert sync.usage["reader"].calls >= 1


ROLES = ("reader", "gist", "reason", "rewrite", "answer")
# The expected result if a fault hits every call of a role: the same answer as without it, or a stop reason and whether
# there is an answer.
SAME = None
HARMLESS = (Fault.PROSE, Fault.FENCED, Fault.NO_USAGE)
TABLE = [
    *((role, fault, SAME) for role in ("reader", "gist") for fault in HARMLESS),
    *((role, fault, SAME) for role in ("reason", "rewrite", "answer") for fault in (Fault.NO_USAGE,)),
    # An unusable reply: the reader's walk becomes NaiveGE's; with an empty gist or no verdict, the agent asks on.
    ("reader", Fault.EMPTY, SAME),
    ("gist", Fault.EMPTY, ("answerable", True)),
    ("reason", Fault.EMPTY, ("no_new_question", True)),
    ("rewrite", Fault.EMPTY, ("model_error", True)),
    ("answer", Fault.EMPTY, ("answerable", False)),
    # If the server is gone for good, the run ends there, with the passages so far.
    *(
        (role, fault, ("model_error", False))
        for role in ("reader", "gist", "reason", "rewrite")
        for fault in (401, 500)
    ),
    ("answer", 401, ("model_error", False)),
    ("answer", Fault.RESET, ("model_error", False)),
    ("reader", Fault.SLOW, ("model_error", False)),
]


@pytest.mark.parametrize(("role", "fault", "outcome"), TABLE)
def test_whatever_the_model_does_the_best_passages_come_back(corpus, server, embedder, role, fault, outcome):
    """Every call of one role goes wrong, every time."""
    agent = WALKING if role == "gist" else SHORT
    with asked(server, embedder) as (gear, _model):
        expected = gear.ask(QUESTION, k=4, agent=agent)

    def strikes(_number, messages):
        return fault if role_of(messages) == role else None

    with asked(server, embedder, fault=strikes, patience=0.0) as (gear, _model):
        answer = gear.ask(QUESTION, k=4, agent=agent)

    assert "prize" in {hit.passage.id for hit in answer.hits}
    if outcome is SAME:
        assert (expected.text, expected.hits.hits) == (answer.text, answer.hits.hits)
    else:
        assert outcome == (answer.stop_reason, bool(answer.text)), answer.failure
        assert (answer.stop_reason == "model_error" and bool(answer.failure)) or any(
            step.failures for step in answer.trace.steps
        )


PASSING = (Fault.MALFORMED_JSON, Fault.CUT, Fault.EMPTY, Fault.RATE_LIMIT, Fault.SERVER_ERROR, Fault.SLOW, Fault.RESET)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_passes_costs_a_call_and_changes_no_passage(corpus, server, embedder, role, fault):
    """The first call of a role fails in each way; the retry or the repair succeeds."""
    struck = []

    def once(_number, messages):
        if role_of(messages) == role and not struck:
            struck.append(role)
            return fault
        return None

    with asked(server, embedder, fault=once) as (gear, _model):
        answer = gear.ask(QUESTION, k=4, agent=WALKING if role == "gist" else SHORT)

    assert struck, "the fault must have struck"
    # Half a sentence is still a sentence: a cut is only noticed in JSON or after a label.
    unseen = role in ("rewrite", "answer") and fault in (Fault.CUT, Fault.MALFORMED_JSON)
    assert unseen or {"prize", "study", "town"} <= {hit.passage.id for hit in answer.hits}
    assert answer.text
    assert answer.stop_reason in ("answerable", "no_new_question", "max_steps")


def test_a_search_without_a_working_model_says_so(corpus, server, embedder):
    """SyncGE was requested by name, so an unusable model is an error; naive still works."""
    with asked(server, embedder, fault=lambda number, messages: 401) as (gear, _model):
        with pytest.raises(ModelError, match="OPENAI_API_KEY"):
            gear.search("Hinton", retriever="sync")
        assert gear.search("Hinton", retriever="naive")
    with opened(server, embedder) as gear, pytest.raises(ModelError, match="naive"):
        gear.ask("Hinton?")


@pytest.mark.parametrize(
    ("options", "reason", "steps"),
    [
        ({"max_steps": 2}, "max_steps", 2),
        ({"max_tokens": 1}, "budget", 1),
        ({"max_tokens": 700}, "budget", 2),
    ],
)
def test_budgets_end_a_run_with_an_answer_from_what_there_is(corpus, server, embedder, options, reason, steps):
    """Steps and tokens: no further step begins, and the passages so far are ranked and read once more."""
    with asked(server, embedder) as (gear, model):
        answer = gear.ask(QUESTION, k=4, agent=SHORT.model_copy(update=options))

    assert (reason, steps) == (answer.stop_reason, len(answer.trace.steps))
    assert "answer" == roles(model)[-1]
    assert answer.text


def test_a_budget_of_seconds_ends_a_run(corpus, server, embedder):
    """By the clock of the run: if the model is slow, no further role is called."""
    toy = ToyModel()

    def waits(messages):
        time.sleep(0.4)
        return toy(messages)

    with asked(server, embedder, waits) as (gear, model):
        answer = gear.ask(QUESTION, agent=SHORT.model_copy(update={"max_seconds": 1}))

    assert "budget" == answer.stop_reason
    assert len(model.requests) < 7


def test_a_question_asked_before_ends_the_run(corpus, server, embedder):
    """If the model only repeats itself, the run would loop."""
    toy = ToyModel()

    def stubborn(messages):
        return f"Next question: {QUESTION.upper()}" if role_of(messages) == "rewrite" else toy(messages)

    with asked(server, embedder, stubborn) as (gear, _model):
        answer = gear.ask(QUESTION, agent=SHORT)

    assert ("no_new_question", 1) == (answer.stop_reason, len(answer.trace.steps))


def test_a_citation_that_the_model_made_up_is_removed_and_reported(corpus, server, embedder):
    """Passage 99 and fact 9 were never shown."""
    toy = ToyModel()

    def liar(messages):
        said = toy(messages)
        return said.replace(" [F1]", "[99] [F9]") if role_of(messages) == "answer" else said

    with asked(server, embedder, liar) as (gear, _model):
        answer = gear.ask(QUESTION, k=4)

    town = next(hit for hit in answer.hits if hit.passage.id == "town")
    assert f"Scotland [{town.rank}]." == answer.text
    assert ("99", "F9") == answer.removed
    assert [str(town.rank)] == [citation.marker for citation in answer.citations]
    assert [town.passage] == [citation.passage for citation in answer.citations]


def test_a_citation_of_the_wrong_passage_is_corrected(corpus, server, embedder):
    """The recipe says nothing of Scotland, and the passage on Edinburgh does; no fact is cited."""
    toy = ToyModel()

    def careless(messages):
        if role_of(messages) != "answer":
            return toy(messages)
        wrong = re.search(r"Passage \[(\d+)\] [^\n]*\n" + re.escape(PASSAGES["other"]), messages[1]["content"])
        return f"Answer: Scotland [{wrong[1]}]."

    with asked(server, embedder, careless) as (gear, _model):
        answer = gear.ask(QUESTION, k=4)

    town = next(hit for hit in answer.hits if hit.passage.id == "town")
    assert f"Scotland [{town.rank}]." == answer.text
    assert [(town.passage, PASSAGES["town"])] == [(one.passage, one.sentence) for one in answer.citations]


def test_a_selection_orders_the_passages(corpus, server, embedder):
    """The model's choice comes first, in its order; no other passage is lost."""
    with asked(server, embedder) as (gear, model):
        plain = gear.ask(QUESTION, k=4)
        chosen = gear.ask(QUESTION, k=4, agent=GearAgent(select=True))

    assert ["town", "study", "prize"] == [hit.passage.id for hit in chosen.hits[:3]]
    assert {hit.passage.id for hit in plain.hits} == {hit.passage.id for hit in chosen.hits}
    shown = next(one for one in model.requests if role_of(one["messages"]) == "select")["messages"][1]["content"]
    assert "- led here: " in shown


def test_a_saved_trace_replays_to_the_same_ranking(corpus, server, embedder, tmp_path):
    """From its lists alone, and in a run over the database with the replies of the trace."""
    with asked(server, embedder) as (gear, _model):
        answer = gear.ask(QUESTION, k=4, agent=SHORT)
    write_trace(answer.trace, tmp_path / "trace.json")
    trace = read_trace(tmp_path / "trace.json")

    with opened(server, embedder, chat=ReplayChat(trace.replies)) as gear:
        again = gear.ask(QUESTION, k=4, agent=SHORT)
    with opened(server, embedder, chat=ReplayChat(())) as gear, pytest.raises(InputError, match="has no reply"):
        gear.ask(QUESTION, k=4, agent=SHORT)

    assert [hit.passage.id for hit in answer.hits] == [item.id for item in final_ranking(trace)[:4]]
    assert answer.hits.hits == again.hits.hits
    assert answer.paths == again.paths
    assert answer.text == again.text
    assert 0 == again.total.calls


def test_the_trace_tells_everything_of_a_step(corpus, server, embedder):
    """Question, passages, proximal and linked triples, paths, gist, verdict, next question, times and tokens."""
    with asked(server, embedder) as (gear, _model):
        answer = gear.ask(QUESTION, k=4, agent=SHORT)

    for step, following in pairwise(answer.trace.steps):
        assert step.rewrite == following.question
        assert step.base
        assert set(step.base) <= set(step.ranking)
        assert len(step.proximal) == len(step.linked) == 1
        assert step.linked[0].text == step.proximal[0].text
        assert step.paths[0].triples[0] == step.linked[0]
        assert (False, 1) == (step.answerable, len(step.gist))
        assert {"encode", "base", "read", "link", "expand", "fetch", "gist", "reason", "rewrite"} >= set(
            step.milliseconds
        )
        assert all(usage.tokens > 0 for usage in step.usage.values())
    assert json.dumps([step.reason for step in answer.trace.steps])


def test_linking_takes_one_round_trip_however_many_triples(corpus, server, embedder):
    """tripleLink once per step and passageLink once per run, each for all triples together."""
    with (
        Wire(server.uri) as wire,
        asked(server, embedder, uri=wire.uri) as (gear, _model),
    ):
        agent = gear.agent(GearAgent(over=SyncGE(beam=Beam(length=2))))
        agent.ask(QUESTION, k=4)
        wire.reset()
        answer = agent.ask(QUESTION, k=4)
        runs = wire.runs

    assert 3 == len(answer.gist) == len(answer.trace.steps[0].proximal)
    # base, passages, tripleLink, one expansion, passageLink; by then all passages are fetched
    assert 5 == runs


@pytest.mark.parametrize("options", [{"max_steps": 0}, {"max_tokens": 0}, {"max_seconds": 0.0}, {"step_k": -1}])
def test_options_below_one_are_refused(options):
    """One line that names the option."""
    with pytest.raises(SettingsError, match="at least 1"):
        GearAgent(**options)


def test_a_blank_question_and_no_passages_are_refused(corpus, server, embedder):
    """Before the model is called."""
    with asked(server, embedder) as (gear, model):
        for question, k in ((" ", 4), ("Hinton?", 0)):
            with pytest.raises(InputError):
                gear.ask(question, k=k)
        assert [] == model.requests


def test_ircot_searches_with_each_thought_until_one_is_the_answer(corpus, server, embedder):
    """Every thought is the next query; the lists are merged by best score, or appended in order."""
    thoughts = iter(
        ["Hinton won the physics prize 2024. He is from London.", "Hinton wrote a thesis at Edinburgh."] * 2
    )

    def thinker(messages):
        if messages[0]["content"].startswith("You reason step by step"):
            if "Hinton wrote a thesis" in messages[1]["content"].split("Thoughts so far:")[1]:
                return "So the answer is: Scotland."
            return next(thoughts)
        return "Answer: Scotland [1] [8]."

    for merge in ("max", "append"):
        with asked(server, embedder, thinker) as (gear, _model):
            answer = gear.ask(QUESTION, k=3, agent=Ircot(over=Base(base="bm25"), merge=merge, step_k=2))

        queries = [QUESTION, "Hinton won the physics prize 2024.", "Hinton wrote a thesis at Edinburgh."]
        assert queries == [step.question for step in answer.trace.steps]
        # The model cites the first passage for everything.
        town = next(hit.rank for hit in answer.hits if hit.passage.id == "town")
        assert ("answerable", f"Scotland [{town}].", ("8",)) == (answer.stop_reason, answer.text, answer.removed)
        assert {"think": 3, "answer": 1} == {role: usage.calls for role, usage in answer.usage.items()}
        assert [1, 2, 3] == [hit.rank for hit in answer.hits]
        assert [item.id for item in final_ranking(answer.trace)[:3]] == [hit.passage.id for hit in answer.hits]
        first = answer.trace.steps[0].ranking
        if merge == "append":
            assert list(first) == [hit.passage.id for hit in answer.hits[: len(first)]]
        else:
            scores = [hit.score for hit in answer.hits]
            assert sorted(scores, reverse=True) == scores


def test_ircot_that_repeats_itself_or_loses_its_model_ends(corpus, server, embedder):
    """The stop reasons are the same as for all agents, and the passages so far are returned."""
    for script, fault, reason in (
        (lambda messages: "Hinton wrote a thesis.", None, "no_new_question"),
        (lambda messages: f"Thought number {len(messages[1]['content'])}.", None, "max_steps"),
        (lambda messages: "Anything.", 401, "model_error"),
    ):
        with asked(server, embedder, script, fault=lambda *_, fault=fault: fault) as (gear, _model):
            answer = gear.ask(QUESTION, k=2, agent="ircot")

        assert reason == answer.stop_reason
        assert 2 == len(answer.hits)
    with pytest.raises(SettingsError, match="at least 1"):
        Ircot(max_steps=0)
