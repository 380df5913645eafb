"""The Cypher agent on a real database with a scripted model: its query, its repair, its rows, its answer."""

import json

import pytest

from gear_neo4j import CypherAgent
from gear_neo4j.errors import InputError, ModelError, SettingsError
from gear_neo4j.graph.queries import Query
from gear_neo4j.wire import read_trace, write_trace
from tests.commands import one_line
from tests.dump import dump
from tests.graphs import ingest, opened
from tests.scripted_model import opened_with_model
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.one_server_line

QUESTION = "Where does the employer of Ana Petkova have its seat?"
RIGHT = (
    "MATCH (p:Person)-[:EMPLOYED_BY]->(b:Board) WHERE toLower(p.name) = 'ana petkova' "
    "RETURN DISTINCT b.name AS employer, b.seat AS seat"
)
EMPTY = "MATCH (p:Person {name: 'Nobody'}) RETURN p.name AS name"
PEOPLE = Query(
    "people",
    """CREATE (:Person:AgentTest {name: 'Ana Petkova', born: 1890})-[:EMPLOYED_BY {since: 1919}]->
    (:Board:AgentTest {name: 'Black Sea Harbour Board', seat: 'Varna', vector: [0.1, 0.2]})""",
    writes=True,
)
FORGET = Query("forget", "MATCH (n:AgentTest) DETACH DELETE n", writes=True)


@pytest.fixture
def graph(database):
    """A person and the board that she works for."""
    database.run(FORGET)
    database.run(PEOPLE)
    yield database
    database.run(FORGET)


class Scripted:
    """Replies with its queries in turn, then answers from the rows that it sees."""

    def __init__(self, *queries):
        self.queries = list(queries)

    def __call__(self, messages):
        if messages[0]["content"].startswith("You turn a question into one Cypher"):
            return self.queries.pop(0)
        shown = "[F1] row 1 —has→ employer = Black Sea Harbour Board; seat = Varna" in messages[1]["content"]
        return "Answer: Varna [F1] [F7]." if shown else "Answer: The facts do not say."


def asked(server, embedder, *queries):
    """A Gear whose chat model writes these queries, and the requests that the model received."""
    return opened_with_model(server, embedder, Scripted(*queries))


def test_a_query_gives_the_facts_of_a_cited_answer(graph, server, embedder, tmp_path):
    """Two calls: the query from the schema, the answer from its rows; the trace contains all of it."""
    events = []
    with asked(server, embedder, f"```cypher\n{RIGHT};\n```") as (gear, model):
        answer = gear.ask(f" {QUESTION} ", agent="cypher", on_event=events.append)

    assert ("answerable", "Varna [F1].", ("F7",)) == (answer.stop_reason, answer.text, answer.removed)
    (citation,) = answer.citations
    assert "[F1] row 1 —has→ employer = Black Sea Harbour Board; seat = Varna" == str(citation)
    (query,) = answer.trace.steps[0].queries
    assert f"{RIGHT} LIMIT 51" == query.text
    assert {"employer": "Black Sea Harbour Board", "seat": "Varna"} == json.loads(query.rows[0])
    assert {"query": 1, "answer": 1} == {role: usage.calls for role, usage in answer.usage.items()}
    assert ["question", "verdict", "facts", *["token"] * 3, "answer"] == [event.kind for event in events]
    write_trace(answer.trace, tmp_path / "trace.json")
    assert answer.trace == read_trace(tmp_path / "trace.json")
    prompt = model.requests[0]["messages"][1]["content"]
    assert '(:Person) 1 node: born (such as 1890), name (text, such as "Ana Petkova")' in prompt
    assert "-[:EMPLOYED_BY]->" in prompt
    assert QUESTION in prompt


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("MATCH (n) DETACH DELETE n", "which writes"),
        ("I would look for the employer first.", "begin with MATCH"),
        ("LOAD CSV FROM 'http://127.0.0.1:9' AS line RETURN line", "begin with MATCH"),
        ("MATCH (p:Person) RETRUN p RETURN p", "Invalid input"),
        ("MATCH (p:Person) RETURN nosuchfunction(p)", "nosuchfunction"),
        ("MATCH (p:Person) RETURN 1 / (p.born - p.born) AS x", "/ by zero"),
    ],
)
def test_a_query_that_is_refused_is_written_once_more(graph, server, embedder, first, told):
    """The model gets the guard's or the server's reason; both queries are in the trace."""
    before = dump(graph)
    with asked(server, embedder, first, RIGHT) as (gear, model):
        answer = gear.ask(QUESTION, agent="cypher")

    refused, used = answer.trace.steps[0].queries
    assert (first, "", ()) == (refused.text, used.problem, refused.rows)
    assert told in refused.problem
    # The trace cuts a long message.
    assert refused.problem[:150] in model.requests[1]["messages"][-1]["content"]
    assert ("answerable", "Varna [F1].", 3) == (answer.stop_reason, answer.text, answer.total.calls)
    assert before == dump(graph)


@pytest.mark.parametrize("queries", [[EMPTY], ["NONE"], ["CREATE (n:Evil)", "CREATE (n:Evil)"], ["RETURN null AS x"]])
def test_without_rows_there_is_no_answer(graph, server, embedder, queries):
    """No row, no query, two refusals, empty rows: the answer says so, and the model is not called again."""
    with asked(server, embedder, *queries) as (gear, model):
        answer = gear.ask(QUESTION, agent="cypher")

    assert ("no_graph_evidence", "", ()) == (answer.stop_reason, answer.text, answer.citations)
    assert len(queries) == len(model.requests) == len(answer.trace.steps[0].queries)
    assert (len(queries) > 1) == bool(answer.trace.steps[0].failures)


def test_a_query_that_takes_too_long_is_reported_and_not_retried(graph, server, embedder):
    """Another one might take as long."""
    loop = "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c RETURN sum(a * b * c) AS n"
    with asked(server, embedder, loop) as (gear, model):
        answer = gear.ask(QUESTION, agent=CypherAgent(timeout=0.5))

    assert ("no_graph_evidence", 1) == (answer.stop_reason, len(model.requests))
    assert "too long" in answer.trace.steps[0].queries[0].problem


@pytest.mark.parametrize("text", ["RETURN n LIMIT 900", "RETURN n"])
def test_a_list_that_is_cut_is_never_taken_for_the_whole(graph, server, embedder, text):
    """The model, the trace and the answer say so, because a count of these rows would be wrong."""
    with asked(server, embedder, f"UNWIND range(1, 900) AS n {text}") as (gear, model):
        answer = gear.ask("How many are there?", agent=CypherAgent(rows=3))

    note = "only the first 3 rows were read: there are more"
    assert [note, "n = 1", "n = 2", "n = 3"] == [fact.object for fact in answer.gist]
    assert f"[F1] the rows —are cut→ {note}" in model.requests[1]["messages"][1]["content"]
    assert {"truncated": note} == json.loads(answer.trace.steps[0].queries[0].rows[0])
    assert f"The facts do not say. ({note})" == answer.text


@pytest.mark.parametrize("text", ["UNWIND range(1, 3) AS n RETURN n", "UNWIND range(1, 900) AS n RETURN n LIMIT 3"])
def test_a_list_is_whole_where_the_query_has_no_more(graph, server, embedder, text):
    """Exactly as many rows as the limit, or a limit that the model wrote itself."""
    with asked(server, embedder, text) as (gear, _model):
        answer = gear.ask(QUESTION, agent=CypherAgent(rows=3))

    assert ["n = 1", "n = 2", "n = 3"] == [fact.object for fact in answer.gist]
    assert "The facts do not say." == answer.text


def test_rows_that_a_prompt_has_no_room_for_are_told(graph, server, embedder):
    """Each row is cut, and the first fact says that rows are missing."""
    long = f"UNWIND range(1, 40) AS n RETURN n, '{'a' * 1_900}' AS text"
    with asked(server, embedder, long) as (gear, _model):
        answer = gear.ask(QUESTION, agent=CypherAgent())

    note, *rows = [fact.object for fact in answer.gist]
    assert "only the first 20 rows were read: the others do not fit into a prompt" == note
    assert (20, {"…"}) == (len(rows), {row[-1] for row in rows})


def test_an_answer_that_is_too_large_says_so(graph, server, embedder):
    """First to the model, and in the trace; the rows that fit are there."""
    long = f"UNWIND range(1, 300) AS n RETURN n, '{'a' * 1_900}' AS text"
    with asked(server, embedder, long) as (gear, model):
        answer = gear.ask(QUESTION, agent=CypherAgent(rows=300))

    (query,) = answer.trace.steps[0].queries
    note = f"only the first {len(query.rows) - 1} rows were read: the answer is too large"
    assert {"truncated": note} == json.loads(query.rows[0])
    assert 50 < len(query.rows) < 300
    assert "[F1] the rows —are cut→ only the first 20 rows" in model.requests[1]["messages"][1]["content"]


def test_what_cannot_be_asked(graph, database, server, embedder, tmp_path):
    """A blank question, no passages, no model, options out of range, a database with only passages."""
    with asked(server, embedder) as (gear, model):
        for question, k in ((" ", 4), ("Who?", 0)):
            with pytest.raises(InputError):
                gear.ask(question, k=k, agent="cypher")
        for options, least in (({"rows": 0}, "at least 1"), ({"timeout": 0}, "above 0")):
            with pytest.raises(SettingsError, match=f"it must be {least}"):
                CypherAgent(**options)
        database.run(FORGET)
        ingest(database, embedder, tmp_path, {"p1": "Hinton won."}, [("p1", "Hinton", "won", "prize")])
        with pytest.raises(InputError, match="no graph to query"):
            gear.ask("Who?", agent="cypher")
        assert [] == model.requests
    with opened(server, embedder) as gear, pytest.raises(ModelError):
        gear.agent("cypher")


def test_the_command_answers_by_a_query_where_that_is_asked_for(gear, empty, monkeypatch, tmp_path):
    """--agent cypher shows the query when it runs, cites the facts, and saves a trace that can be replayed."""
    empty.run(PEOPLE)
    monkeypatch.setenv("GEAR_CHAT_MODEL", "scripted")
    with ScriptedServer(Scripted(RIGHT, EMPTY)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        code, out, err = gear("ask", QUESTION, "--agent", "cypher", "--trace", tmp_path / "trace.json")
        assert (0, True) == (code, RIGHT in err), err
        assert "Varna [F1]." in out
        assert "[F1] row 1 —has→ employer = Black Sea Harbour Board; seat = Varna" in out
        assert "answered from the facts: 1 step, 2 calls" in out

        told = json.loads(gear("ask", "Who is nobody?", "--agent", "cypher", "--json")[1])
        assert ("no_graph_evidence", "", []) == (told["stop_reason"], told["answer"], told["search"]["hits"])
    monkeypatch.delenv("GEAR_CHAT_MODEL")
    code, out, _ = gear("ask", QUESTION, "--agent", "cypher", "--replay", tmp_path / "trace.json")
    assert (0, True, True) == (code, "Varna [F1]." in out, "answered from the facts: 1 step, 0 calls" in out)
    other = gear("ask", "Who?", "--agent", "cypher", "--replay", tmp_path / "trace.json")
    assert one_line(other, "trace.json is the trace of another question", QUESTION)
    empty.run(FORGET)
