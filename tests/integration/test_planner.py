"""The planner: waves, failures, circular and repeated plans, unsupported claims, and every fault."""

import json
import re
import threading
import time

import pytest

from gear_neo4j import Planner
from gear_neo4j.agents.answer import ToolCall
from gear_neo4j.agents.planner import PlannerLoop
from gear_neo4j.agents.tools import ToolReply
from gear_neo4j.domain import Hit, Passage
from gear_neo4j.errors import (
    CallTimeout,
    DatabaseError,
    GuardError,
    InputError,
    QueryTimeout,
    ScopeRefusal,
    ServerUnavailable,
    SettingsError,
)
from gear_neo4j.integrations.langchain import LangChainTool
from gear_neo4j.roles.planner import PromptedPlanner
from tests.graphs import ingest
from tests.loops import Script, asked, role_of
from tests.scripted_server import Fault

pytestmark = pytest.mark.one_server_line

PASSAGES = {
    "harbour": "Ana Petkova designed the harbour of Varna.",
    "born": "Ana Petkova was born in Burgas.",
    "bread": "A recipe for bread takes flour and water.",
}
QUESTION = "Where was the designer of the harbour of Varna born?"


class Known:
    """A tool that answers by a word of the question, records the questions, and may take its time."""

    def __init__(self, name="known", *, answers=None, error=None, pause=0.0):
        self.name, self.description = name, "knows things"
        self.answers, self.error, self.pause = answers or {"designed": "Ana Petkova", "born": "Burgas"}, error, pause
        self.asked, self.together, self.busiest, self.lock = [], 0, 0, threading.Lock()

    def run(self, question):
        with self.lock:
            self.asked.append(question)
            self.together += 1
            self.busiest = max(self.busiest, self.together)
        time.sleep(self.pause)
        with self.lock:
            self.together -= 1
        if self.error:
            raise self.error
        answer = next((one for word, one in self.answers.items() if word in question), "")
        passage = Passage(f"{self.name} {len(question)}", question, f"{question} {answer}.")
        return ToolReply(answer, (Hit(passage, 1.0, 1),) if answer else ())


def step(id, question, tool="known", after=()):
    return {"id": id, "question": question, "tool": tool, "after": list(after)}


TWO = {"steps": [step("1", "Who designed the harbour?"), step("2", "Where was {1} born?", after=["1"])]}
DONE = {"steps": []}


def plans(*replies):
    """The first plan, then the replanner's replies; the last one is repeated."""
    left = list(replies)
    return lambda text: left.pop(0) if len(left) > 1 else left[0]


def script(plan, **roles):
    given = {
        "plan": plan,
        "answer": "Answer: In Burgas [1] [F2].",
        "statements": {"statements": ["She was born in Burgas."]},
        "support": {"verdicts": [{"number": 1, "verdict": "yes"}]},
        "recall": "Answer: Four.",
    }
    return Script(**(given | roles))


def ask(gear, tools, *, question=QUESTION, **options):
    return gear.ask(question, agent=Planner(tools=tools, **options))


@pytest.fixture
def model(server, embedder):
    """Opens a Gear on a script, independent of the stored data."""

    def opened(given, **more):
        return asked(server, embedder, given, **more)

    return opened


def test_steps_that_need_each_other_run_in_order_with_answers_put_in(model):
    """The second question contains the first answer; the trace has a step for each, and the facts are their answers."""
    tool = Known()
    with model(given := script(plans(TWO, {"steps": [TWO["steps"][1]]}, DONE))) as gear:
        answer = ask(gear, [tool])

    assert ["Who designed the harbour?", "Where was Ana Petkova born?"] == tool.asked
    assert ("In Burgas [1] [F2].", "answerable", True) == (answer.text, answer.stop_reason, answer.grounded)
    assert [QUESTION, *tool.asked] == [one.question for one in answer.trace.steps]
    assert ("known: Who designed the harbour?", "known: Where was {1} born?") == answer.trace.steps[0].plan
    assert [("known: Where was {1} born?",), ()] == [one.plan for one in answer.trace.steps[1:]]
    calls = [ToolCall("known", tool.asked[0], "Ana Petkova"), ToolCall("known", tool.asked[1], "Burgas")]
    assert calls == [call for one in answer.trace.steps for call in one.tool_calls]
    assert ["Ana Petkova", "Burgas"] == [fact.object for fact in answer.gist]
    assert {"plan": 3, "answer": 1, "statements": 1, "support": 1} == dict(given.played)
    assert ["1", "F2"] == [one.marker for one in answer.citations]


def test_independent_steps_run_at_the_same_time_and_doubles_once(model):
    """Three of one kind, two of them with the same question."""
    tool = Known(pause=0.15)
    three = {"steps": [step("1", "Who designed it?"), step("2", "Where born?"), step("3", "Who designed it?")]}
    with model(script(plans(three, DONE))) as gear:
        answer = ask(gear, [tool])

    assert (2, 2) == (len(tool.asked), tool.busiest)
    assert 4 == len(answer.trace.steps)


def test_a_tool_that_fails_is_on_record_and_another_is_asked(model):
    """The replanner sees the failure; its message may contain addresses, so neither a prompt nor a caller gets it."""
    broken, known, seen = Known("broken", error=RuntimeError("no route to db.internal")), Known(), []
    first = {"steps": [step("1", "Who designed it?", "broken")]}
    second = {"steps": [step("2", "Who designed it?", "known")]}
    told = plans(first, second, DONE)
    with model(script(lambda text: seen.append(text) or told(text))) as gear:
        answer = ask(gear, [known, broken])

    failure = "the tool failed with RuntimeError: the log says where"
    assert (f"broken: {failure}",) == answer.trace.steps[1].failures
    assert failure == answer.trace.steps[1].tool_calls[0].failure
    assert f"no answer, {failure}" in seen[1]
    assert "db.internal" not in "".join(seen)
    assert (1, "answerable") == (len(known.asked), answer.stop_reason)


@pytest.mark.parametrize(
    "error",
    [ServerUnavailable("no answer from db.internal:7687"), DatabaseError("the server failed"), CallTimeout("too long")],
)
def test_a_database_that_does_not_answer_ends_the_run(model, error):
    """As for every other agent: a failure is not an answer, and the server's message is for its operator."""
    events, prompts = [], []
    replies = plans(TWO, DONE)
    given = script(lambda text: prompts.append(text) or replies(text))
    with model(given) as gear, pytest.raises(type(error)):
        gear.ask(QUESTION, agent=Planner(tools=(Known("broken", error=error),)), on_event=events.append)

    assert {"plan": 1} == dict(given.played)
    assert not any("db.internal" in text for text in (*prompts, *(event.text for event in events)))


@pytest.mark.parametrize("error", [GuardError("it writes"), ScopeRefusal("not here"), QueryTimeout("too long")])
def test_a_tool_that_may_not_or_cannot_in_time_fails_for_itself(model, error):
    """Another one may answer."""
    first = {"steps": [step("1", "Who designed it?", "broken"), step("2", "Who designed it?")]}
    with model(script(plans(first, DONE))) as gear:
        answer = ask(gear, [Known(), Known("broken", error=error)])

    assert (f"broken: {error}",) == answer.trace.steps[1].failures
    assert "answerable" == answer.stop_reason


def test_a_tool_that_is_not_there_is_the_first_one(model):
    """The trace says so."""
    tool = Known()
    with model(script(plans({"steps": [step("1", "Who designed it?", "oracle")]}, DONE))) as gear:
        answer = ask(gear, [tool])

    assert ["Who designed it?"] == tool.asked
    assert "known (there is no tool 'oracle')" == answer.trace.steps[1].action


def test_a_circle_is_cut_at_its_first_step(model):
    """Two steps need each other."""
    tool = Known()
    circle = {"steps": [step("2", "Who designed {1}?", after=["1"]), step("1", "Where was {2} born?", after=["2"])]}
    with model(script(plans(circle, {"steps": [circle["steps"][0]]}, DONE))) as gear:
        answer = ask(gear, [tool])

    assert ["Where was {2} born?", "Who designed Burgas?"] == tool.asked
    assert "answerable" == answer.stop_reason


def test_an_empty_plan_answers_from_memory(model):
    """No tool is called; the answer is not grounded."""
    tool = Known()
    with model(given := script(plans(DONE))) as gear:
        answer = ask(gear, [tool], question="What is two and two?")

    assert ([], "Four.", False) == (tool.asked, answer.text, answer.grounded)
    assert {"plan": 1, "recall": 1} == dict(given.played)


def test_the_same_plan_again_ends_it(model):
    """The replanner repeats finished work, or keeps asking for a tool that fails."""
    tool = Known(error=ValueError("never"))
    with model(given := script(plans({"steps": [step("1", "Who?")]}))) as gear:
        answer = ask(gear, [tool])

    assert ("no_new_question", 1) == (answer.stop_reason, len(tool.asked))
    assert 2 == given.played["plan"]


def test_replans_and_steps_are_bounded(model):
    """The replanner always wants one more."""
    tool, count = Known(), iter(range(100))
    with model(
        given := script(lambda text: {"steps": [step(str(next(count)), f"Who designed thing {next(count)}?")]})
    ) as gear:
        few = ask(gear, [tool], max_replans=2)
        steps = len(tool.asked)
        many = ask(gear, [tool], max_replans=50, max_steps=4)

    assert (3, "answerable") == (steps, few.stop_reason)
    assert (4, "max_steps") == (len(tool.asked) - steps, many.stop_reason)
    assert given.played["plan"] <= 3 + 5


def test_a_claim_that_nothing_supports_gets_one_more_step_and_is_then_flagged(model):
    """By the first tool, with the claim as the question; the answer is written again, and not grounded."""
    tool = Known()
    no = {"verdicts": [{"number": 1, "verdict": "no"}]}
    with model(given := script(plans(TWO, DONE), support=no)) as gear:
        answer = ask(gear, [tool])

    assert "She was born in Burgas." == tool.asked[-1]
    assert (False, 2, 2) == (answer.grounded, given.played["answer"], given.played["support"])
    assert ["unsupported"] == [one.label for one in answer.trace.steps[-1].judgements]


def test_our_own_tools_answer_from_the_graph(database, server, embedder, tmp_path):
    """A retriever with an answer from its passages, and an agent created on demand; both cite passages."""
    ingest(database, embedder, tmp_path, PASSAGES, [("harbour", "Ana Petkova", "designed", "harbour of Varna")])
    first = step("1", "Who designed the harbour of Varna?", "auto")
    plan, offered = {"steps": [first, step("2", "Ana Petkova?", "graphrag-local")]}, []
    replies = plans(plan, DONE, DONE)

    def planned(text):
        offered.append(re.findall("^- ([a-z-]+): ", text, re.MULTILINE))
        return replies(text)

    def answer(text):
        index = text.partition(PASSAGES["harbour"])[0].count("Passage [")
        return f"Answer: Ana Petkova [{index}]." if PASSAGES["harbour"] in text else "Answer: unknown."

    with asked(server, embedder, script(planned, answer=answer)) as gear:
        found = gear.ask(QUESTION, agent="planner")
        gear.ask(QUESTION, agent=Planner(allow_cypher=True))

    assert "harbour" in {citation.passage.id for citation in found.citations}
    assert {"auto", "graphrag-local"} == {step.action for step in found.trace.steps[1:]}
    tools = ["auto", "base", "paths", "kgt", "pattern", "graphrag-local", "graphrag-global"]
    assert ([tools] * 2, [*tools, "cypher"]) == (offered[:2], offered[-1])


def test_a_plan_has_the_tools_that_are_named(database, server, embedder, tmp_path):
    """Retrievers, agents and the caller's tools, in this order; an unknown name is refused before any call."""
    ingest(database, embedder, tmp_path, PASSAGES, None)
    offered = []

    def planned(text):
        offered.append(re.findall("^- ([a-z-]+): (.*)", text, re.MULTILINE))
        return DONE

    with asked(server, embedder, script(planned)) as gear:
        gear.ask(QUESTION, agent=Planner(tools=("base", Known(), "crag")))
        with pytest.raises(SettingsError, match="there is no retriever 'oracle'"):
            gear.ask(QUESTION, agent=Planner(tools=("oracle",)))
        with pytest.raises(SettingsError, match="planner cannot be a tool of itself"):
            gear.ask(QUESTION, agent=Planner(tools=("base", "planner")))
    with pytest.raises(SettingsError, match="planner's tools.1 is 5: it must be a name, or an object with name"):
        Planner(tools=("base", 5))

    (named,) = offered
    assert ["base", "known", "crag"] == [name for name, _ in named]
    assert ("known", "knows things") == named[1]
    assert all(description for _, description in named)


def test_any_tool_of_langchain_can_be_one(model):
    """It is invoked with the question; its error is a failure of the step."""
    from langchain_core.tools import tool

    @tool
    def shout(question: str) -> str:
        """Say it louder."""
        if "fail" in question:
            raise RuntimeError("hoarse")
        return question.upper()

    plan = {"steps": [step("1", "Who designed it?", "shout"), step("2", "fail", "shout")]}
    with model(script(plans(plan, DONE))) as gear:
        answer = ask(gear, [LangChainTool(shout)])

    assert ["WHO DESIGNED IT?"] == [fact.object for fact in answer.gist]
    (failure,) = [one for found in answer.trace.steps for one in found.failures]
    assert "shout: the tool failed with RuntimeError: the log says where" == failure


GONE = [401, 500, Fault.RESET]


@pytest.mark.parametrize("role", ["plan", "answer", "statements", "support"])
@pytest.mark.parametrize("fault", [Fault.EMPTY, Fault.CUT, Fault.PROSE, Fault.FENCED, Fault.MALFORMED_JSON, *GONE])
def test_whatever_the_model_does_it_ends_with_what_there_is(model, role, fault):
    """Without a plan, the original question is asked; unchecked claims are not grounded."""

    def strikes(_number, messages):
        return fault if role_of(messages) == role else None

    tool = Known()
    with model(given := script(plans(TWO, DONE)), fault=strikes, patience=0.0) as gear:
        answer = ask(gear, [tool])

    assert answer.trace.steps
    assert sum(given.played.values()) <= 20
    if fault in GONE:
        assert "model_error" == answer.stop_reason
        assert answer.failure.startswith({"statements": "claims", "support": "verify"}.get(role, role))
    else:
        assert tool.asked
        assert answer.text or role == "answer"
    json.dumps(answer.text)


def test_a_budget_ends_it_between_steps(model):
    """The results are still combined in one call."""
    tool = Known()
    with model(given := script(plans(TWO, {"steps": [TWO["steps"][1]]}))) as gear:
        answer = ask(gear, [tool], max_tokens=1)

    assert ("budget", {"plan": 1, "answer": 1}) == (answer.stop_reason, dict(given.played))


def test_what_makes_no_sense_is_refused(model):
    """No tool, two with one name, a blank question, options out of range."""
    with model(script(plans(DONE))) as gear:
        with pytest.raises(SettingsError, match="tools with different names"):
            ask(gear, [Known(), Known()])
        with pytest.raises(SettingsError, match="at least one tool"):
            PlannerLoop([], planner=PromptedPlanner(gear.chat))
        with pytest.raises(InputError):
            ask(gear, [Known()], question="  ")
    for option in ({"max_steps": 0}, {"max_replans": -1}, {"concurrency": 0}):
        with pytest.raises(SettingsError, match=next(iter(option))):
            Planner(**option)
