"""Results that an interrupted evaluation stores for the next one."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.agents.answer import Answer, Trace
from gear_neo4j.domain import FoundBy, Hit, Hits, Passage
from gear_neo4j.evaluate.datasets import EvaluationQuery, Hop
from gear_neo4j.evaluate.journal import Journal, Journals, key_of
from gear_neo4j.evaluate.quality import Quality
from gear_neo4j.evaluate.runs import ask, ask_agent
from gear_neo4j.usage import Usage
from tests.disk import full_disk

QUERIES = [EvaluationQuery(f"q{number}", f"Question {number}?", ("p1",)) for number in range(5)]
SYSTEM = {"title": "naive", "recipe": {"name": "naive"}}
STAMP = {"version": "1", "dataset": "x", "graph": {"changed": "a"}, "model": "m"}


class Asked:
    """A retriever and an agent that count their questions, and can be interrupted before one."""

    def __init__(self, *, cut_at=None, failing=()):
        self.asked, self.cut_at, self.failing = [], cut_at, failing

    def retrieve(self, question, *, k):
        if len(self.asked) == self.cut_at:
            raise KeyboardInterrupt
        self.asked.append(question)
        passage = Passage("p1", "T", f"About {question} and {len(question) / 3}", "a.md", "line 3")
        hits = (Hit(passage, 1 / 3, 1, (FoundBy("bm25", 1),)),)
        return Hits(question, "naive", hits, milliseconds={"encode": 0.1}, usage={"reader": Usage(1, 10, 5)})

    def ask(self, question, *, k):
        hits = self.retrieve(question, k=k)
        failure = "down" if question in self.failing else ""
        trace = Trace(question, "m", answer="He [1].")
        return Answer(question, "He [1].", hits, trace, "answerable", seconds=0.25, failure=failure)


@pytest.fixture
def journals(tmp_path):
    """Opens the journals of one evaluation, as another process would."""

    def open_journals(**options):
        return Journals(tmp_path / "evaluations", **{"stamp": STAMP, **options})

    return open_journals


@pytest.mark.parametrize("cut_at", range(6))
def test_a_run_that_is_cut_goes_on_and_asks_nothing_twice(journals, cut_at):
    """Results and order equal those of an undisturbed run, wherever it was interrupted."""
    told = []
    expected = ask(Asked(), QUERIES, k=5, warm_up=False)
    cut = Asked(cut_at=cut_at)
    if cut_at < len(QUERIES):
        with pytest.raises(KeyboardInterrupt):
            ask(cut, QUERIES, k=5, journal=journals().hits(SYSTEM, k=5, queries=QUERIES), warm_up=False)
    else:
        ask(cut, QUERIES, k=5, journal=journals().hits(SYSTEM, k=5, queries=QUERIES), warm_up=False)

    rest = Asked()
    journal = journals(on_kept=lambda *kept: told.append(kept)).hits(SYSTEM, k=5, queries=QUERIES)
    results = ask(rest, QUERIES, k=5, journal=journal, warm_up=False)

    assert expected == results
    assert [query.question for query in QUERIES] == cut.asked + rest.asked
    assert ([("naive, k = 5", min(cut_at, 5), 5)] if cut_at else []) == told


def test_answers_are_kept_whole(journals):
    """With trace, usage and seconds: the second run asks nothing."""
    first = ask_agent(Asked(), QUERIES, k=5, journal=journals().answers(SYSTEM, k=5, queries=QUERIES))

    nobody = Asked(cut_at=0)
    assert first == ask_agent(nobody, QUERIES, k=5, journal=journals().answers(SYSTEM, k=5, queries=QUERIES))


def test_an_answer_whose_model_failed_is_asked_for_again(journals):
    """An outage is not a result."""
    down = Asked(failing=("Question 3?",))
    ask_agent(down, QUERIES, k=5, journal=journals().answers(SYSTEM, k=5, queries=QUERIES))

    again = Asked()
    ask_agent(again, QUERIES, k=5, journal=journals().answers(SYSTEM, k=5, queries=QUERIES))

    assert ["Question 3?"] == again.asked


@given(cut=st.integers(0, 10_000), noise=st.binary(max_size=20))
def test_a_damaged_file_costs_only_the_lines_that_are_damaged(cut, noise, tmp_path_factory):
    """Cut anywhere, with any bytes at the end: only damaged lines are repeated, and the file is repaired."""
    folder = tmp_path_factory.mktemp("evaluations")
    ask(Asked(), QUERIES, k=5, journal=Journals(folder, stamp=STAMP).hits(SYSTEM, k=5, queries=QUERIES))
    (file,) = folder.iterdir()
    content = file.read_bytes()
    file.write_bytes(content[:cut] + noise)

    rest, nobody = Asked(), Asked(cut_at=0)
    expected = ask(Asked(), QUERIES, k=5, warm_up=False)
    for asked in (rest, nobody):
        journal = Journals(folder, stamp=STAMP).hits(SYSTEM, k=5, queries=QUERIES)
        assert expected == ask(asked, QUERIES, k=5, journal=journal, warm_up=False)
    whole = content[:cut].count(b"\n")
    assert [query.question for query in QUERIES[whole:]] == rest.asked or b"\n" in noise


def test_a_result_of_another_shape_is_asked_for_again(journals, tmp_path):
    """Somebody edited the file."""
    ask(Asked(), QUERIES, k=5, journal=journals().hits(SYSTEM, k=5, queries=QUERIES), warm_up=False)
    (file,) = (tmp_path / "evaluations").iterdir()
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    rows[1]["result"] = {"kind": "search"}
    rows[2].pop("result")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    rest = Asked()
    ask(rest, QUERIES, k=5, journal=journals().hits(SYSTEM, k=5, queries=QUERIES), warm_up=False)

    assert ["Question 1?", "Question 2?"] == rest.asked


@pytest.mark.parametrize(
    "other",
    [
        {"stamp": STAMP | {"version": "2"}},
        {"stamp": STAMP | {"dataset": "y"}},
        {"stamp": STAMP | {"graph": {"changed": "b"}}},
        {"stamp": STAMP | {"model": None}},
        {"fresh": True},
    ],
    ids=str,
)
def test_what_a_result_depends_on_is_asked_for_anew(journals, other):
    """Another version, data set, graph or model; or the option --fresh."""
    ask(Asked(), QUERIES, k=5, journal=journals().hits(SYSTEM, k=5, queries=QUERIES), warm_up=False)

    rest = Asked()
    ask(rest, QUERIES, k=5, journal=journals(**other).hits(SYSTEM, k=5, queries=QUERIES), warm_up=False)

    assert len(QUERIES) == len(rest.asked)


def test_so_is_another_system_another_k_and_another_question(journals):
    """Two questions with the same id differ by their text and gold passages."""
    ask(Asked(), QUERIES, k=5, journal=journals().hits(SYSTEM, k=5, queries=QUERIES), warm_up=False)
    other = [replace(query, gold=("p2",), decomposition=(Hop("q", "a", "p"),)) for query in QUERIES]

    for journal, queries in (
        (journals().hits(SYSTEM | {"recipe": {"name": "naive", "base": "sbert"}}, k=5, queries=QUERIES), QUERIES),
        (journals().hits(SYSTEM, k=10, queries=QUERIES), QUERIES),
        (journals().hits(SYSTEM, k=5, queries=other), other),
    ):
        rest = Asked()
        ask(rest, queries, k=5, journal=journal, warm_up=False)
        assert len(queries) == len(rest.asked)


def test_a_discarded_journal_is_empty(journals, tmp_path):
    """The evaluation is complete, so the next one starts again."""
    opened = journals()
    ask(Asked(), QUERIES, k=5, journal=opened.hits(SYSTEM, k=5, queries=QUERIES), warm_up=False)
    opened.discard()

    assert [] == list((tmp_path / "evaluations").iterdir())


def test_a_full_disk_does_not_stop_an_evaluation(journals):
    """One line says that an interrupted run would start again; every question is answered."""
    lost = []
    opened = journals(on_loss=lost.append)
    journal = opened.hits(SYSTEM, k=5, queries=QUERIES)

    with full_disk(after=500):
        results = ask(Asked(), QUERIES, k=5, journal=journal, warm_up=False)

    assert len(QUERIES) == len(results)
    assert 1 == len(lost)
    assert "cannot be written (File too large): a cut run starts anew" in lost[0]
    rest = Asked()
    assert results == ask(rest, QUERIES, k=5, journal=journals().hits(SYSTEM, k=5, queries=QUERIES), warm_up=False)
    assert rest.asked


def test_many_threads_keep_all_their_results(journals):
    """As for a judge."""
    keys = [str(number) for number in range(200)]
    journal = journals().qualities(SYSTEM, keys=keys)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda key: journal.result(key, lambda: quality(int(key))), keys))

    again = journals().qualities(SYSTEM, keys=keys)
    assert len(keys) == again.count(keys)
    assert made == [again.result(key, lambda: pytest.fail("asked twice")) for key in keys]


def quality(number):
    return Quality(number / 3, 0.5, 1.0, 0.25, 1.0, Usage(calls=number))


def test_two_keys_are_equal_only_for_equal_questions():
    """For any texts."""
    assert key_of(QUERIES[0]) == key_of(EvaluationQuery("q0", "Question 0?", ("p1",)))
    assert len(QUERIES) == len({key_of(query) for query in QUERIES})


def test_a_journal_makes_its_folder_only_with_its_first_result(tmp_path):
    """An evaluation that fails early leaves nothing behind."""
    journal = Journal(tmp_path / "a" / "b.jsonl", encode=dict, decode=dict)
    assert [] == list(tmp_path.iterdir())

    assert {"x": 1} == journal.result("k", lambda: {"x": 1})
    assert (tmp_path / "a" / "b.jsonl").is_file()
