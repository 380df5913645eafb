"""CRAG on a real database: the actions near their thresholds, refinement, other searches, and every failure."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from gear_neo4j import Base, Crag
from gear_neo4j.agents.crag import CragLoop
from gear_neo4j.agents.ranking import final_ranking
from gear_neo4j.domain import Passage
from gear_neo4j.errors import InputError, SearchError, SettingsError
from gear_neo4j.models.chat import Reply
from gear_neo4j.retrieval.tavily import TavilySearch
from gear_neo4j.roles.answering import PromptedRoles
from gear_neo4j.roles.evaluators import Grader, Thresholds
from gear_neo4j.usage import Usage
from gear_neo4j.wire import read_trace, write_trace
from tests.graphs import opened
from tests.loops import Script, asked, role_of, scores_of
from tests.scripted_server import Fault

pytestmark = pytest.mark.one_server_line

HARBOUR = "Ana Petkova designed the harbour of Varna. It rained a great deal that year in the city. The bread was good."
PASSAGES = {
    "harbour": HARBOUR,
    "bread": "A recipe for bread takes flour and water. The harbour is not in it at all. Bake it for an hour.",
    "empty-handed": "Nothing of interest happened in Varna. The harbour slept the whole day long. So did we.",
}
QUESTION = "Who designed the harbour of Varna?"


class Fixed:
    """An evaluator with one score for texts that contain a word, and another for the rest."""

    name = "fixed"
    thresholds = Thresholds(0.5, -0.5)

    def __init__(self, *, best, rest=-1.0, word="designed"):
        self.best, self.rest, self.word, self.seen = best, rest, word, []

    def evaluate(self, question, texts):
        self.seen.append(list(texts))
        return Reply(tuple(self.best if self.word in text else self.rest for text in texts), "", Usage(), 0.0)


class Elsewhere:
    """A searcher that finds one page, nothing, or fails."""

    name = "elsewhere"

    def __init__(self, *pages, error=None):
        self.pages, self.error, self.queries = pages, error, []

    def search(self, query, *, k):
        self.queries.append(query)
        if self.error:
            raise SearchError(self.error)
        return [
            Passage(f"https://example.org/{index}", "A page", text, f"https://example.org/{index}")
            for index, text in enumerate(self.pages)
        ]


PAGE = "The harbour was designed by Ana Petkova in the year 1921. Nobody else was asked."


@pytest.fixture
def corpus(shared, embedder):
    """Three passages, one of which helps."""
    return shared.ingested(PASSAGES, [("harbour", "Ana Petkova", "designed", "harbour of Varna")], embedder)


def answering(text="Answer: Ana Petkova [1]."):
    return Script(answer=text, keywords="Keywords: harbour, Varna, designer", rewrite="Next question: harbour designer")


def ask(gear, judge=None, *, question=QUESTION, k=3, **options):
    recipe = Crag(over=Base(base="fulltext"), **options)
    return gear.agent(recipe, player=judge).ask(question, k=k)


def ask_elsewhere(gear, judge, searcher, **options):
    """Ask with the caller's own searcher, which no recipe names."""
    agent = CragLoop(
        gear.retriever(Base(base="fulltext")),
        evaluator=judge,
        roles=PromptedRoles(gear.chat),
        searcher=searcher,
        options=Crag(**options),
    )
    return agent.ask(QUESTION, k=3)


@pytest.mark.parametrize(
    ("best", "action", "stop"),
    [
        (0.5, "correct", "answerable"),
        (0.49, "ambiguous", "answerable"),
        (-0.5, "ambiguous", "answerable"),
        (-0.51, "incorrect", "abstained"),
    ],
)
def test_the_action_beside_each_threshold(corpus, server, embedder, best, action, stop):
    """Without a searcher, an incorrect retrieval abstains, but still shows its passages."""
    with asked(server, embedder, script := answering()) as gear:
        answer = ask(gear, Fixed(best=best))

    assert (action, stop) == (answer.trace.steps[0].action, answer.stop_reason)
    assert (0 if stop == "abstained" else 1) == script.played["answer"]
    assert bool(answer.text) == (stop == "answerable")
    assert {"harbour", "bread", "empty-handed"} == {hit.passage.id for hit in answer.hits}
    scores = {one.of: one.score for one in answer.trace.steps[0].judgements if one.role == "relevance"}
    assert {"harbour": best, "bread": -1.0, "empty-handed": -1.0} == scores


def test_an_answer_is_from_the_strips_that_help_and_cites_the_whole_passage(corpus, server, embedder):
    """The model sees one sentence of one passage; the citation points at the passage."""
    shown = []
    script = answering(lambda text: shown.append(text) or "Answer: Ana Petkova [1].")
    with asked(server, embedder, script) as gear:
        answer = ask(gear, Fixed(best=0.9), strips="fixed_num", min_score=0.0)

    assert "Passage [1] title harbour\n" + HARBOUR in shown[0]
    assert "recipe" not in shown[0]
    assert ("harbour", HARBOUR) == (answer.citations[0].passage.id, answer.citations[0].passage.text)
    assert "harbour" == answer.hits[0].passage.id
    assert [hit.passage.id for hit in answer.hits] == [item.id for item in final_ranking(answer.trace)]


def test_where_all_strips_are_poor_the_best_is_kept(corpus, server, embedder):
    """A passage can be useful as a whole although none of its strips is."""

    class Whole(Fixed):
        def evaluate(self, question, texts):
            whole = [HARBOUR in text for text in texts]
            return Reply(tuple(0.9 if one else -0.8 - index / 100 for index, one in enumerate(whole)), "", Usage(), 0.0)

    with asked(server, embedder, answering()) as gear:
        answer = ask(gear, Whole(best=0.9), strips="excerption", min_score=0.95)

    assert 1 == sum(one.role == "strip" for one in answer.trace.steps[0].judgements)
    assert "answerable" == answer.stop_reason


def test_incorrect_searches_elsewhere_by_keywords(corpus, server, embedder):
    """The answer cites the page by its URL; passages of the graph are not in the context."""
    searcher, shown = Elsewhere(PAGE), []
    script = answering(lambda text: shown.append(text) or "Answer: Ana Petkova [1].")
    with asked(server, embedder, script) as gear:
        answer = ask_elsewhere(gear, Fixed(best=-0.9, word="designed the"), searcher)

    assert ["harbour, Varna, designer"] == searcher.queries
    assert "https://example.org/0" == answer.citations[0].passage.source
    assert HARBOUR not in shown[0]
    assert "searched elsewhere" == answer.trace.steps[1].action


def test_ambiguous_has_both_and_says_which_is_from_the_web(corpus, server, embedder):
    """Internal passages come first."""
    shown = []
    script = answering(lambda text: shown.append(text) or "Answer: Ana Petkova [1].")
    with asked(server, embedder, script) as gear:
        answer = ask_elsewhere(gear, Fixed(best=0.1), Elsewhere(PAGE))

    assert "ambiguous" == answer.trace.steps[0].action
    assert shown[0].index("Ana Petkova designed the harbour") < shown[0].index(
        "(from the web) The harbour was designed"
    )
    assert ["harbour", "https://example.org/0"] == [hit.passage.id for hit in answer.hits[:2]]


@pytest.mark.parametrize("searcher", [Elsewhere(error="no route"), Elsewhere()])
def test_a_search_that_fails_or_finds_nothing_abstains(corpus, server, embedder, searcher):
    """The reason is recorded."""
    with asked(server, embedder, answering()) as gear:
        answer = ask_elsewhere(gear, Fixed(best=-0.9), searcher)

    assert ("abstained", "") == (answer.stop_reason, answer.text)
    assert (("no route",) if searcher.error else ()) == answer.trace.steps[-1].failures


def test_the_corpus_is_searched_once_more_where_that_is_wanted(corpus, server, embedder):
    """With a rewritten question; the results are judged again."""
    evaluator = Fixed(best=-0.9)
    evaluator.evaluate = lambda question, texts, found=evaluator: (
        found.seen.append(list(texts)) or Reply((0.9 if len(found.seen) > 1 else -0.9,) * len(texts), "", Usage(), 0.0)
    )
    with asked(server, embedder, answering()) as gear:
        answer = ask(gear, evaluator, fallback="corpus")

    assert ["incorrect", "correct"] == [step.action for step in answer.trace.steps]
    assert ["harbour designer", "answerable"] == [answer.trace.steps[1].question, answer.stop_reason]


def test_nothing_found_is_incorrect(corpus, server, embedder):
    """No passage, no score, no call."""
    evaluator = Fixed(best=1.0)
    with asked(server, embedder, script := answering()) as gear:
        answer = ask(gear, evaluator, question="zzz qqq", k=10)

    assert ("abstained", [], {}) == (answer.stop_reason, evaluator.seen, dict(script.played))


def test_without_a_model_it_judges_and_answers_nothing(corpus, server, embedder):
    """Options that need a model are refused at once."""
    with opened(server, embedder) as gear:
        answer = ask(gear)
        with pytest.raises(SettingsError, match="GEAR_CHAT_MODEL"):
            ask(gear, fallback="corpus")
        with pytest.raises(SettingsError, match="GEAR_CHAT_MODEL"):
            CragLoop(gear.retriever("base"), evaluator=Fixed(best=1.0), searcher=Elsewhere(PAGE))

    assert "" == answer.text
    assert {"relevance"} <= {one.role for one in answer.trace.steps[0].judgements}


def grading(score=lambda text: 0.9 if "designed" in text else -0.9):
    script = answering()
    script.roles["grade"] = lambda text: scores_of(text.partition("\n\n")[2], score)
    return script


def test_a_chat_model_grades_ten_texts_a_call(corpus, server, embedder):
    """Its calls and tokens are counted."""
    with asked(server, embedder, script := grading()) as gear:
        answer = ask(gear, evaluator="grader")

    assert "correct" == answer.trace.steps[0].action
    assert {"relevance": 1, "strips": 1, "answer": 1} == {role: one.calls for role, one in answer.usage.items()}
    assert 3 == sum(script.played.values())


GONE = [401, 500, Fault.RESET, Fault.SLOW]


@pytest.mark.parametrize("role", ["grade", "answer"])
@pytest.mark.parametrize("fault", [Fault.EMPTY, Fault.CUT, Fault.PROSE, Fault.FENCED, Fault.MALFORMED_JSON, *GONE])
def test_whatever_the_model_does_the_passages_come_back(corpus, server, embedder, role, fault):
    """Without a usable reply of the grader, the passages are kept; if the model is gone, the run ends."""

    def strikes(_number, messages):
        return fault if role_of(messages) == role else None

    with asked(server, embedder, grading(), fault=strikes, patience=0.0) as gear:
        answer = ask(gear, evaluator="grader")

    assert {"harbour", "bread", "empty-handed"} == {hit.passage.id for hit in answer.hits}
    assert ("model_error" if fault in GONE else "answerable") == answer.stop_reason
    if role == "grade" and fault in (Fault.EMPTY, Fault.CUT, Fault.MALFORMED_JSON):
        assert "could not be judged" in answer.trace.steps[0].reason
        assert answer.trace.steps[0].failures


def test_a_budget_ends_it_with_the_best_so_far(corpus, server, embedder, tmp_path):
    """The passages are judged, and the answer is one more call; the trace can be saved and read."""
    with asked(server, embedder, script := grading()) as gear:
        answer = ask_elsewhere(gear, Grader(gear.chat), Elsewhere(PAGE), max_tokens=1)
    write_trace(answer.trace, tmp_path / "trace.json")

    assert ("budget", {"grade": 1, "answer": 1}) == (answer.stop_reason, dict(script.played))
    assert answer.text
    assert answer.trace == read_trace(tmp_path / "trace.json")


def test_what_makes_no_sense_is_refused(corpus, server, embedder):
    """A blank question, no passages, no strips."""
    with asked(server, embedder, answering()) as gear:
        for question, k in ((" ", 10), ("Who?", 0)):
            with pytest.raises(InputError):
                ask(gear, question=question, k=k)
    for option in ({"top_strips": 0}, {"min_score": 2}, {"max_tokens": 0}):
        with pytest.raises(SettingsError, match=next(iter(option))):
            Crag(**option)


class Tavily(BaseHTTPRequestHandler):
    """Speaks the protocol of Tavily's search."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers["Authorization"], body["query"], body["max_results"]))
        status, reply = self.server.reply
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def tavily():
    """A server on loopback, with its replies and the requests that it received."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Tavily)
    server.asked, server.reply = [], (200, {"results": []})
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def searcher_at(server):
    return TavilySearch(api_key="key", url=f"http://127.0.0.1:{server.server_address[1]}")


def test_tavily_is_asked_by_its_own_client(tavily):
    """With the key; a result without an address is left out."""
    tavily.reply = (
        200,
        {"results": [{"url": "https://a.example", "title": "A", "content": PAGE}, {"title": "no address"}]},
    )

    found = searcher_at(tavily).search("harbour", k=3)

    assert [Passage("https://a.example", "A", PAGE, "https://a.example")] == found
    assert [("/search", "Bearer key", "harbour", 3)] == tavily.asked
    tavily.reply = 200, {"nothing": 1}
    assert [] == searcher_at(tavily).search("harbour", k=3)


@pytest.mark.parametrize(
    "reply",
    [
        (401, {"detail": {"error": "bad key"}}),
        (429, {}),
        (500, {}),
        (200, []),
        (400, {"detail": {"error": "no"}}),
    ],
)
def test_whatever_tavily_says_is_one_error(tavily, reply):
    """Reported in one line."""
    tavily.reply = reply
    with pytest.raises(SearchError, match=r"\Atavily: ") as raised:
        searcher_at(tavily).search("harbour", k=3)
    assert "\n" not in str(raised.value)


def test_tavily_without_a_key_asks_nobody(monkeypatch):
    """Even where Tavily's client would."""
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    with pytest.raises(SettingsError, match="TAVILY_API_KEY"):
        TavilySearch()
