"""``gear compare`` on files written by ``gear evaluate``: figures, order, refusals."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.cli.main import main
from gear_neo4j.domain import Hit, Hits, Passage
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.comparison import compare, read_report
from gear_neo4j.evaluate.datasets import EvaluationQuery
from gear_neo4j.evaluate.runs import QueryResult, summary
from tests.commands import one_line
from tests.examples import examples

GOLD = {"q1": "ab", "q2": "c", "q3": "de", "q4": "f"}
A = {"q1": "axxxb", "q2": "xc", "q3": "xx", "q4": "f"}
B = {"q1": "abxxx", "q2": "xx", "q3": "dexx", "q4": "xf"}


def answered(id, ranking, milliseconds):
    """A question with its retrieved passages; each x is another passage."""
    ids = [f"x{index}" if letter == "x" else letter for index, letter in enumerate(ranking)]
    hits = tuple(Hit(Passage(one, one, "text"), 1.0, rank) for rank, one in enumerate(ids, start=1))
    query = EvaluationQuery(id, f"Who is {id}?", tuple(GOLD[id]))
    return QueryResult(query, Hits(query.question, "naive", hits, milliseconds={"base": milliseconds}))


@pytest.fixture
def report(tmp_path):
    """Write a report like gear evaluate, from rankings by question, with some keys changed; returns its path."""

    def written(name, rankings, *, ks=(2, 5), milliseconds=10.0, **change):
        found = summary([answered(id, ranking, milliseconds) for id, ranking in rankings.items()], ks=ks)
        told = {"dataset": "demo", "questions": len(rankings), "retriever": "naive", "title": f"naive over {name}"}
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(told | found | change))
        return path

    return written


@pytest.fixture
def gear(monkeypatch, capsys):
    """Run a command; returns exit code, output and error output."""
    monkeypatch.setenv("COLUMNS", "200")

    def run(*args):
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run


def test_two_evaluations_are_compared_question_by_question(gear, report):
    """Recall at 2: 1/2, 1, 0, 1 against 1, 0, 1, 1; at 5 all of A's except one are found."""
    code, out, err = gear("compare", report("a", A), report("b", B))

    assert (0, "") == (code, err)
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line.startswith("recall@")}
    assert ["62.5", "75.0", "+12.5"] == rows["recall@2"][1:4]
    assert ["75.0", "75.0", "+0.0"] == rows["recall@5"][1:4]
    assert ["2", "/", "1", "/", "1", "within", "chance"] == rows["recall@2"][-7:]
    assert "demo, 4 questions" in out
    # A long path is broken where the table ends.
    assert "b.json:naiveoverb" in "".join(out.split())


def test_the_questions_that_differ_most_come_first_with_what_was_found(gear, report):
    """q3 by 200 over both k, q2 by as much in the other direction, q1 by 50, q4 not at all."""
    out = gear("compare", report("a", A), report("b", B))[1]

    shown = [line for line in out.splitlines() if ": Who is " in line]
    assert ["-200.0  q2: Who is q2?", "+200.0  q3: Who is q3?", "+50.0  q1: Who is q1?"] == shown
    assert "  gold b: A at 5, B at 2\n" in out
    assert "  gold c: A at 2, B not found\n" in out
    assert "  A retrieved: ✓ a, x1, x2, x3, ✓ b\n" in out
    assert 1 == gear("compare", report("a", A), report("b", B), "--show", "1")[1].count(": Who is ")
    assert "Who is" not in gear("compare", report("a", A), report("b", B), "--show", "0")[1]


@pytest.mark.parametrize(
    ("metric", "a", "b"),
    [
        ("recall@1", 37.5, 25.0),
        ("all_found@2", 50.0, 50.0 + 25.0 - 0.0),
        ("hit@1", 50.0, 50.0),
        ("precision@2", 37.5, 62.5),
        ("mrr@5", 62.5, 62.5),
        ("map@5", 100 * (0.7 + 0.5 + 0 + 1) / 4, 100 * (1 + 0 + 1 + 0.5) / 4),
    ],
)
def test_a_metric_is_worked_out_from_the_rankings(gear, report, metric, a, b):
    """Even at an unreported k, if the rankings are long enough; in percent."""
    code, out, _ = gear("compare", report("a", A), report("b", B), "--metric", metric, "--json")

    (found,) = json.loads(out)["metrics"]
    assert (0, metric, pytest.approx(a), pytest.approx(b)) == (code, found["metric"], found["a"], found["b"])
    assert found["b"] - found["a"] == pytest.approx(found["mean"])
    assert found["low"] <= found["mean"] <= found["high"]


def test_less_time_wins(gear, report):
    """Any number stored with each question can be compared; for a cost, less is better."""
    told = gear("compare", report("a", A), report("b", B, milliseconds=7.0), "--metric", "latency_ms", "--json")[1]

    (found,) = json.loads(told)["metrics"]
    assert (10.0, 7.0, -3.0, 4, 0, 0) == tuple(found[key] for key in ("a", "b", "mean", "wins", "ties", "losses"))


def test_json_holds_the_rankings_of_the_questions_that_differ(gear, report):
    """Complete, with the number of questions that are not shown."""
    told = json.loads(gear("compare", report("a", A), report("b", B), "--json", "--show", "2")[1])

    assert ("demo", 4, 3, 2) == (told["dataset"], told["questions"], told["differing"], len(told["most_different"]))
    worst = told["most_different"][0]
    assert ("q2", ["c"], ["x0", "c"], ["x0", "x1"]) == (worst["id"], worst["gold"], worst["a"], worst["b"])
    assert "naive over b" == told["b"]["system"]


def test_an_older_report_without_a_title_is_named_by_its_retriever(report):
    """It can still be read."""
    assert ["naive over a", "naive"] == [
        read_report(report("a", A, **change)).system for change in ({}, {"title": None})
    ]


def test_a_report_compared_with_itself_differs_in_nothing(gear, report):
    """All ties."""
    path = report("a", A)
    told = json.loads(gear("compare", path, path, "--json")[1])

    assert {(0.0, 0.0, 0.0, 4)} == {(one["mean"], one["low"], one["high"], one["ties"]) for one in told["metrics"]}
    assert [] == told["most_different"]


def test_the_order_of_the_questions_does_not_matter(report):
    """They are paired by id."""
    turned = dict(reversed(B.items()))
    one = compare(read_report(report("a", A)), read_report(report("b", B)))
    other = compare(read_report(report("a", A)), read_report(report("c", turned)))

    assert one.metrics == other.metrics


def test_pairs_without_a_value_are_left_out_and_counted(report):
    """A judge that failed leaves no number; both means are over the questions with a number in both."""
    pair = [read_report(report(name, A)) for name in "ab"]
    for index, one in enumerate(pair):
        for number, id in enumerate(one.questions):
            one.questions[id].figures["f1"] = float("nan") if number == index else 10.0 * number + index

    (found,) = compare(*pair, metric="f1").metrics

    assert (2, 25.0, 26.0, 2) == (found.skipped, found.a, found.b, found.difference.wins)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dataset": "musique"}, ["a.json", "demo", "musique"]),
        ({"rankings": {"q1": "a", "q2": "c"}}, ["b.json lacks the question 'q3' and 1 more"]),
        ({"rankings": B | {"q1": "a"}, "gold": "z"}, ["different gold passages", "'q1'"]),
        ({"ks": (3,)}, ["no common k"]),
    ],
)
def test_runs_that_are_not_of_the_same_questions_are_refused(gear, report, monkeypatch, change, words):
    """One line, and exit code 2."""
    first = report("a", A)
    if "gold" in change:
        monkeypatch.setitem(GOLD, "q1", change.pop("gold"))
    second = report("b", change.pop("rankings", B), **change)

    assert one_line(gear("compare", first, second), *words)


def test_other_versions_of_a_data_set_are_refused_where_reports_tell(gear, report):
    """Older reports have no fingerprint and are trusted."""
    assert one_line(
        gear("compare", report("a", A, fingerprint="1"), report("b", B, fingerprint="2")), "different versions of demo"
    )
    assert 0 == gear("compare", report("a", A, fingerprint="1"), report("b", B))[0]


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("recall@6", ["b.json was measured only down to 5"]),
        ("recall@0", ["no number from 1"]),
        ("recall@x", ["no number from 1"]),
        ("speed", ["'speed' is not a metric", "ndcg", "latency_ms"]),
        ("latency_ms@5", ["'latency_ms@5' is not a metric"]),
    ],
)
def test_a_metric_that_the_files_do_not_hold_is_refused(gear, report, metric, words):
    """The message lists those that they have."""
    paths = report("a", A, ks=(2, 10)), report("b", B)

    assert one_line(gear("compare", *paths, "--metric", metric), *words)


ROW = '"per_question": [{"id": "a", "gold": ["b"], "retrieved": [], "latency_ms": %s}]'
HUGE = '{"dataset": "demo", "recall": {"5": 1}, ' + ROW % ("9" * 400) + "}"
NO_K = '{"dataset": "demo", "recall": {"0": 1}, ' + ROW % "1" + "}"


@pytest.mark.parametrize(
    "text", [None, "", "no json", "[]", "{}", '{"recall": {"5": 1}}', "[" * 100_000, "\xff", HUGE, NO_K]
)
def test_what_gear_evaluate_did_not_write_is_refused(gear, report, tmp_path, text):
    """A missing file, a different one, or a broken one."""
    path = tmp_path / "b.json"
    if text is not None:
        path.write_bytes(text.encode("latin-1"))

    assert one_line(gear("compare", report("a", A), path), "b.json")


keys = st.sampled_from(["dataset", "recall", "per_question", "id", "gold", "retrieved", "question", "2", "fingerprint"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys | st.text(max_size=3), inner, max_size=5),
    max_leaves=12,
)
rows = st.fixed_dictionaries({"id": json_values, "gold": json_values, "retrieved": json_values})
reports = st.fixed_dictionaries({"dataset": json_values, "recall": json_values, "per_question": st.lists(rows)})


@settings(deadline=None, max_examples=examples(100))
@given(value=json_values | reports)
def test_no_json_makes_the_reading_crash(value, tmp_path_factory):
    """It is a report, or one line says that it is not."""
    path = tmp_path_factory.mktemp("reports") / "report.json"
    path.write_text(json.dumps(value))

    try:
        found = read_report(path)
    except InputError as error:
        told = str(error)
    else:
        assert compare(found, found).contrasts == ()
        return
    assert "is not the output of gear evaluate --json" in told
