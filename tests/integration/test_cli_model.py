"""The commands that need a language model, as a user types them, against a scripted one."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from gear_neo4j.agents.answer import StopReason
from gear_neo4j.cli.ask import STOPS
from gear_neo4j.errors import ExitCode
from tests.commands import one_line
from tests.loops import Script
from tests.scripted_server import ScriptedServer
from tests.toy_judge import ToyJudge
from tests.toy_model import role_of

pytestmark = pytest.mark.one_server_line

ROOT = Path(__file__).parents[2]
PHRASE = "removed from the answer and reported"
PAGES = ("docs/agent.md", "docs/documents.md")
QUESTION = "Which marker is removed from the answer and reported?"


class Careful:
    """A model that looks for one phrase: a triple from each passage, and an answer that cites the right passage."""

    def __call__(self, messages):
        role, asked = role_of(messages), messages[1]["content"]
        if role == "extraction":
            title = asked.removeprefix("Passage: ").splitlines()[0]
            return json.dumps({"entities": [title], "triples": [[title, "is part of", "the manual"]]})
        if role in ("reader", "gist"):
            found = PHRASE in asked and "Known facts:\n- made-up" not in asked
            return json.dumps({"facts": [["made-up markers", "are", PHRASE]] if found else []})
        if role == "reason":
            return "Answerable: Yes\nAnswer: they are removed"
        index = next((number for number, text in numbered(asked) if PHRASE in text), None)
        return f"Answer: They are {PHRASE} [{index}] [77]." if index else "Answer: The passages do not say."


def numbered(asked):
    """The passages of a prompt with their numbers."""
    parts = re.split(r"^Passage \[(\d+)\] ", asked, flags=re.MULTILINE)[1:]
    return zip(parts[::2], (" ".join(part.split()) for part in parts[1::2]), strict=True)


@pytest.fixture
def model(monkeypatch, home):
    """A model set in the environment, with its own cache."""
    monkeypatch.setenv("GEAR_CHAT_MODEL", "careful")
    monkeypatch.setenv("GEAR_CHAT_PRICE", "1,2")
    with ScriptedServer(Careful()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield server


def test_our_own_manual_is_ingested_extracted_asked_and_cited(gear, model, monkeypatch, tmp_path):
    """README and docs: a forecast, the extraction, and an answer whose citation has the right file and line."""
    monkeypatch.chdir(ROOT)
    code, out, _ = gear("ingest", "README.md", *PAGES, "--extract", "model", "--dry-run", "--uri", "bolt://127.0.0.1:9")
    forecast = int(re.search(r"extraction: (\d+) passages, one call each; about [\d,]+ tokens", out)[1])
    assert (0, [], True) == (code, model.requests, ", cost " in out)

    code, out, err = gear("ingest", "README.md", *PAGES, "--extract", "model", "--json")
    report = json.loads(out)
    assert (0, forecast, 0) == (code, report["extraction"]["done"], report["extraction"]["failed"]), err
    assert forecast == report["database"]["passages"] == len(model.requests)

    question = "What happens to markers that a model made up?"
    code, out, _ = gear("ask", question, "--base", "hybrid", "--json", "--trace", tmp_path / "t.json")
    told = json.loads(out)
    assert (0, "answerable", ["77"]) == (code, told["stop_reason"], told["removed_citations"])
    (citation,) = told["citations"]
    assert f"They are {PHRASE} [{citation['marker']}]." == told["answer"]
    assert "docs/agent.md" == citation["source"]
    line = int(citation["position"].removeprefix("line "))
    text = (ROOT / citation["source"]).read_text().splitlines()
    chunk = next(hit["text"] for hit in told["search"]["hits"] if hit["id"] == citation["passage"])
    assert chunk.splitlines()[0].strip() == text[line - 1].strip()
    assert PHRASE in " ".join(chunk.split())

    before = len(model.requests)
    code, out, err = gear("ask", question, "--base", "hybrid", "--replay", tmp_path / "t.json")
    assert (0, before) == (code, len(model.requests))
    assert f"[{citation['marker']}] The agent > Looking into a run (docs/agent.md, line {line})" in out
    assert f'"A marker for something that the model was not shown is {PHRASE}."' in out
    assert "step 1  What happens to markers" in err
    assert "answered from the facts: 1 step, 0 calls" in out


def test_an_interrupted_budget_goes_on_and_a_second_run_is_free(gear, model, monkeypatch):
    """The run reports the rest; the same command does it; then nothing is left to pay for."""
    monkeypatch.chdir(ROOT)
    code, _, err = gear("ingest", *PAGES, "--extract", "model", "--max-tokens", "600")
    assert (ExitCode.PARTIAL, True) == (code, "gear: stopped at the token budget" in err)

    code, _, err = gear("ingest", "--extract", "model")
    assert (0, False) == (code, "budget" in err)
    paid = len(model.requests)

    assert 0 == gear("ingest", *PAGES, "--extract", "model")[0]
    assert (0, paid) == (gear("search", "markers", "--json")[0], len(model.requests))
    assert re.search(r"extraction: 0 passages", gear("ingest", "--extract", "model", "--dry-run")[1])


def test_a_passage_that_fails_is_reported_and_can_be_retried(gear, monkeypatch, folder):
    """Exit code of a partial result, location and reason; --retry-failed tries only that passage."""
    monkeypatch.setenv("GEAR_CHAT_MODEL", "careful")
    (folder / "triples.jsonl").unlink()
    careful = Careful()

    def shaky(messages):
        return "no idea" if "Thesis" in messages[1]["content"] else careful(messages)

    with ScriptedServer(shaky) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, out, err = gear("ingest", folder, "--extract", "model")
    assert (ExitCode.PARTIAL, True) == (code, "1 triple from 1 passage; " in out)
    assert re.search(r"corpus\.jsonl, passage \w+: no triples: the model careful replied twice", err)
    assert "gear: no triples from 1 passage, see above; --retry-failed" in err

    with ScriptedServer(careful) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert 0 == gear("ingest", "--extract", "model", "--retry-failed")[0]
        assert 1 == len(server.requests)


def test_a_sync_tries_again_what_failed(gear, monkeypatch, tmp_path):
    """With the option that its message names."""
    monkeypatch.setenv("GEAR_CHAT_MODEL", "careful")
    (tmp_path / "page.md").write_text("# Thesis\n\nHinton wrote a thesis at Edinburgh.\n")
    for reply, expected in ((lambda _: "no idea", ExitCode.PARTIAL), (Careful(), 0)):
        with ScriptedServer(reply) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            options = ("--extract", "model", "--no-cache", *(() if expected else ("--retry-failed",)))
            code, _, err = gear("sync", tmp_path / "page.md", *options)
        assert (expected, expected == ExitCode.PARTIAL) == (code, "--retry-failed" in err)


def test_search_by_sync_shows_what_the_model_noted(gear, model, monkeypatch):
    """The facts, in the output and in the JSON."""
    monkeypatch.chdir(ROOT)
    gear("ingest", "docs/agent.md", "--extract", "model")

    code, out, _ = gear("search", QUESTION, "--retriever", "sync")
    assert (0, True) == (code, f"noted: made-up markers —are→ {PHRASE}" in out)
    found = json.loads(gear("search", QUESTION, "--retriever", "sync", "--json")[1])
    assert [{"subject": "made-up markers", "predicate": "are", "object": PHRASE}] == found["facts"]


def test_the_oracle_drives_an_evaluation_and_says_what_it_is(gear, folder, tmp_path):
    """Calls and tokens per role, recall by step; without decompositions nothing starts."""
    hops = [
        {"q": "Who is the 2024 physics laureate?", "a": "Geoffrey Hinton", "p": "p1"},
        {"q": "Where did #1 write a thesis?", "a": "Edinburgh", "p": "p2"},
    ]
    query = json.loads((folder / "queries.jsonl").read_text())
    assert one_line(gear("evaluate", folder, "--agent", "gear", "--llm", "oracle"), "decomposition", "'q1'")
    (folder / "queries.jsonl").write_text(json.dumps(query | {"decomposition": hops, "answers": ["Edinburgh"]}) + "\n")

    code, out, _ = gear("evaluate", folder, "--agent", "gear", "--llm", "oracle", "--json", tmp_path / "out.json")

    report = json.loads((tmp_path / "out.json").read_text())
    assert (0, True) == (code, "oracle: upper bound" in out)
    assert "oracle: upper bound" == report["llm_kind"]
    assert {"reader": 1, "reason": 1, "answer": 1} == {
        role: usage["calls"] for role, usage in report["llm"]["roles"].items()
    }
    assert (1.0, {"answerable": 1}, 100.0) == (report["steps"], report["stop_reasons"], report["recall"]["2"])
    assert report["recall_by_step"]["1"] == report["recall"]
    assert "Edinburgh" == report["per_question"][0]["answer"]
    assert {"read", "reason", "answer", "link"} <= set(report["seconds"])
    assert (100.0, True) == (report["em"], "exact match 100.0 %, F1 100.0 %" in out)


def test_judged_retrieval_is_a_row_with_and_without_the_oracle(gear, folder, tmp_path):
    """CRAG by similarity needs no model; the oracle's row is labelled; the subgraph is a retriever."""
    hops = [{"q": "Who?", "a": "Geoffrey Hinton", "p": "p1"}, {"q": "Where did #1 write?", "a": "Edinburgh", "p": "p2"}]
    query = json.loads((folder / "queries.jsonl").read_text())
    (folder / "queries.jsonl").write_text(json.dumps(query | {"decomposition": hops, "answers": ["Edinburgh"]}) + "\n")
    reports = []
    for options in (["--agent", "crag"], ["--agent", "crag", "--llm", "oracle"], ["--retriever", "subgraph"]):
        code, _, _ = gear("evaluate", folder, *options, "--json", tmp_path / "out.json")
        assert 0 == code
        reports.append(json.loads((tmp_path / "out.json").read_text()))

    plain, oracle, subgraph = reports
    assert [0, 0, 0] == [one["llm"]["calls"] for one in reports]
    assert ("crag", False, "oracle: upper bound") == (plain["retriever"], "llm_kind" in plain, oracle["llm_kind"])
    assert 100.0 == oracle["recall"]["2"]
    assert subgraph["recall"]["5"] > 0
    assert one_line(gear("evaluate", folder, "--agent", "selfrag", "--llm", "oracle"), "oracle cannot play selfrag")


def test_every_reason_to_stop_has_words():
    """Every one that a trace can contain."""
    assert set(get_args(StopReason)) == set(STOPS)


@pytest.mark.parametrize("agent", ["crag", "selfrag", "planner", "graphrag-local"])
def test_an_agent_is_asked_by_name(gear, folder, monkeypatch, agent):
    """Its answer as text, and complete as JSON; all agents, over the ingested documents."""
    monkeypatch.setenv("GEAR_CHAT_MODEL", "scripted")
    script = Script(
        answer="Answer: Edinburgh [1].",
        retrieve={"retrieve": "yes"},
        reflect={"relevant": "yes", "support": "fully", "use": 5},
        plan=lambda text: {"steps": [] if "step 1" in text else [{"id": "1", "question": "Where?", "tool": "naive"}]},
        statements={"statements": []},
    )
    assert 0 == gear("ingest", folder)[0]
    with ScriptedServer(script) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, out, _ = gear("ask", "Where did Hinton write a thesis?", "--agent", agent, "--json")
        _, text, _ = gear("ask", "Where did Hinton write a thesis?", "--agent", agent)

    told = json.loads(out)
    assert (0, "answerable") == (code, told["stop_reason"])
    assert "Edinburgh" in told["answer"]
    assert "Edinburgh" in text
    assert told["search"]["hits"]
    assert told["trace"]["steps"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--agent", "crag", "--set", "evaluator=cross-encoder"],
            "evaluator_model belongs to the evaluator cross-encoder",
        ),
        (["--agent", "crag", "--set", "fallback=web"], "TAVILY_API_KEY"),
        (["--agent", "graphrag-global"], "gear communities build"),
        (["--agent", "nobody"], "nobody"),
    ],
)
def test_a_requirement_that_an_agent_lacks_is_named_in_one_line(gear, folder, model, monkeypatch, options, words):
    """A model for the judge, a key, reports, or an unknown agent."""
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    assert 0 == gear("ingest", folder)[0]
    assert one_line(gear("ask", "Who?", *options), words)


def test_without_a_model_nothing_starts_and_one_line_says_what_works(gear, monkeypatch):
    """No model name, no server, or a server that does not answer."""
    for name in ("GEAR_CHAT_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:9")

    assert one_line(gear("ask", "Who?", "--agent", "gear"), "GEAR_CHAT_MODEL", "naive")
    assert one_line(gear("search", "Who?", "--retriever", "sync"), "GEAR_CHAT_MODEL", "naive")
    assert one_line(gear("ingest", "--extract", "model"), "GEAR_CHAT_MODEL")
    assert one_line(gear("ask", "Who?", "--chat-model", "x"), "OPENAI_API_KEY")
    assert one_line(gear("ask", "Who?", "--replay", "none.json"), "none.json", "cannot be read")
    monkeypatch.setenv("GEAR_CHAT_PRICE", "cheap")
    assert one_line(gear("ask", "Who?"), "GEAR_CHAT_PRICE", "2 numbers")


def test_the_table_measures_every_system_and_writes_its_page(gear, folder, tmp_path):
    """All rows that can run, the reasons for the others, one page; two runs give the same figures, except latency."""
    hops = [{"q": "Who?", "a": "Geoffrey Hinton", "p": "p1"}, {"q": "Where did #1 write?", "a": "Edinburgh", "p": "p2"}]
    query = json.loads((folder / "queries.jsonl").read_text()) | {"decomposition": hops, "answers": ["Edinburgh"]}
    (folder / "queries.jsonl").write_text(json.dumps(query) + "\n")
    options = ("--table", "--llm", "oracle", "--protocol", "paper", "--ks", "1,2", "--report", tmp_path / "page")

    code, out, err = gear("evaluate", folder, *options, "--json", tmp_path / "one.json")
    gear("evaluate", folder, *options, "--json", tmp_path / "two.json")

    one, two = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("one", "two"))
    assert 0 == code, err
    assert {
        "bm25",
        "hybrid + SyncGE",
        "scout",
        "HippoRAG 2, unfiltered",
        "subgraph",
        "CRAG over NaiveGE",
        "IRCoT (bm25)",
        "HippoRAG 2 w/ IRCoT",
        "GeAR",
    } <= {row["label"] for row in one["rows"]}
    assert {"HippoRAG", "ColBERTv2"} == {row["label"] for row in one["missing"]}
    assert all(row["recall"].keys() == {"1", "2"} for row in one["rows"])
    for table in (one, two):
        for row in table["rows"]:
            for part in (row, *row["per_question"]):
                part.pop("latency_ms")
            row.pop("seconds", None)
    assert one == two
    assert "oracle: upper bound" in out
    assert "The poster's claim" in out
    assert (tmp_path / "page" / "index.html").is_file()


def test_a_table_without_a_model_lists_what_needs_one(gear, folder, monkeypatch):
    """Nothing is faked, and nothing fails."""
    monkeypatch.delenv("GEAR_CHAT_MODEL", raising=False)

    code, out, _ = gear("evaluate", folder, "--table", "--ks", "2")

    assert 0 == code
    assert "GeAR: not run, needs a language model" in out
    assert "hybrid + NaiveGE" in out


def test_answers_are_judged_where_that_is_asked_for(gear, folder, monkeypatch, tmp_path):
    """Five figures with intervals, the cost of the judge, and the same for each question."""
    hops = [{"q": "Who?", "a": "Geoffrey Hinton", "p": "p1"}, {"q": "Where did #1 write?", "a": "Edinburgh", "p": "p2"}]
    query = json.loads((folder / "queries.jsonl").read_text()) | {"decomposition": hops, "answers": ["Edinburgh"]}
    (folder / "queries.jsonl").write_text(json.dumps(query) + "\n")
    monkeypatch.setenv("GEAR_CHAT_MODEL", "judge")
    options = ("--llm", "oracle", "--ks", "2", "--quality")

    with ScriptedServer(ToyJudge()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, out, err = gear("evaluate", folder, *options, "--agent", "gear", "--json", tmp_path / "out.json")
        asked = len(server.requests)

    assert 0 == code, err
    report = json.loads((tmp_path / "out.json").read_text())
    assert {"correctness", "similarity", "faithfulness", "context_precision", "context_recall"} == set(
        report["quality"]
    )
    correctness = report["quality"]["correctness"]["mean"], report["per_question"][0]["quality"]["correctness"]
    # A quarter of it is the cosine of a vector with itself, at the precision of the model.
    assert (1.0, 1.0) == pytest.approx(correctness, abs=1e-6)
    assert asked == report["judge"]["calls"] > 0
    assert "context recall " in out
    assert one_line(gear("evaluate", folder, *options), "--agent")
