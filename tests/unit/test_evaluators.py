"""Evaluators and their thresholds: scores in range, decisions at and near a threshold, and calibration."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.evaluate.calibration import Pair, calibrate, read_pairs
from gear_neo4j.models.chat import Reply
from gear_neo4j.roles.calibrated import Calibration, load_calibration, save_calibration
from gear_neo4j.roles.evaluators import SimilarityEvaluator, Thresholds
from gear_neo4j.usage import Usage

scores = st.floats(-1, 1)


class Fixed:
    """An evaluator that reads the score from the text."""

    name = "fixed"
    thresholds = Thresholds(0.5, -0.5)

    def evaluate(self, question, texts):
        return Reply(tuple(float(text) for text in texts), "", Usage(1, 2, 3), 0.0)


@pytest.mark.parametrize(
    ("best", "action"),
    [
        (0.5, "correct"),
        (0.499, "ambiguous"),
        (-0.5, "ambiguous"),
        (-0.501, "incorrect"),
        (1, "correct"),
        (-1, "incorrect"),
    ],
)
def test_the_best_score_decides_at_and_beside_the_thresholds(best, action):
    """The other scores do not matter; without any score the verdict is incorrect."""
    assert action == Thresholds(0.5, -0.5).action([-1.0, best, -1.0])
    assert "incorrect" == Thresholds(0.5, -0.5).action([])


@pytest.mark.parametrize("given", [(0.1, 0.2), (1.1, 0.0), (0.0, -1.1)])
def test_thresholds_that_make_no_sense_are_refused(given):
    """The upper one is checked first, both must be in range."""
    with pytest.raises(SettingsError, match="the upper one"):
        Thresholds(*given)


def test_similarity_is_the_cosine_and_an_empty_text_is_of_no_use(embedder):
    """In the order of the texts."""
    found = SimilarityEvaluator(embedder).evaluate("Ana built it", ["Ana built it", "  ", "something else"])
    assert (pytest.approx(1.0, abs=1e-5), -1.0) == found.value[:2]
    assert found.value[2] < 0.9
    assert Usage() == found.usage


def test_calibration_finds_the_threshold_that_separates_pairs():
    """Relevant ones from 0.3 on, others below."""
    pairs = [Pair("q", str(at / 10), relevant=at >= 3) for at in range(-9, 10)]

    found, usage = calibrate(Fixed(), pairs, on="made")

    assert Thresholds(0.3, 0.3) == found.thresholds
    assert (1.0, 1.0, len(pairs), Usage(1, 2, 3)) == (found.precision, found.recall, found.pairs, usage)


@given(
    st.lists(st.tuples(scores, st.booleans()), min_size=2, max_size=60).filter(
        lambda some: len({one for _, one in some}) == 2
    )
)
def test_a_calibration_gives_thresholds_that_keep_its_promise(some):
    """The promised share of relevant pairs is at or above the lower one; the reported shares are correct."""
    pairs = [Pair(f"q{index % 3}", repr(score), relevant=good) for index, (score, good) in enumerate(some)]
    pairs.sort(key=lambda pair: pair.question)

    found, _ = calibrate(Fixed(), pairs, on="made", precision=0.9, recall=0.95)

    good = [score for score, relevant in some if relevant]
    kept = sum(score >= found.thresholds.lower for score in good) / len(good)
    above = [relevant for score, relevant in some if score >= found.thresholds.upper]
    assert kept >= 0.95
    assert found.recall == pytest.approx(kept)
    assert found.precision == pytest.approx(sum(above) / max(1, len(above)))


def test_thresholds_are_stored_by_evaluator_and_a_damaged_file_is_reported(tmp_path):
    """Those of other evaluators stay."""
    one, two = Calibration(Thresholds(0.4, 0.1), "a", 9, 0.9, 1.0), Calibration(Thresholds(0.2, -0.1), "b", 8, 0.8, 0.9)
    save_calibration(tmp_path, "one", one)
    file = save_calibration(tmp_path, "two", two)

    assert (one, two, None) == tuple(load_calibration(tmp_path, name) for name in ("one", "two", "three"))
    for damaged in ("nonsense", "[]", '{"one": {"thresholds": {"upper": 0, "lower": 1}}}'):
        file.write_text(damaged)
        with pytest.raises(InputError, match="damaged: remove it"):
            load_calibration(tmp_path, "one")


def test_pairs_of_one_kind_or_without_a_verdict_are_refused(tmp_path):
    """The message names the line."""
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"question": "Who?", "text": "Ana.", "relevant": true}\n')
    with pytest.raises(InputError, match="both relevant and irrelevant pairs"):
        read_pairs(file)
    file.write_text('{"question": "Who?", "text": "Ana.", "relevant": "yes"}\n')
    with pytest.raises(InputError, match="pairs.jsonl:1: .*relevant"):
        read_pairs(file)


def test_logprobs_out_of_range_are_refused():
    """At most twenty alternatives."""
    from gear_neo4j.models.chat import Chat

    with pytest.raises(SettingsError, match="from 0 to 20"):
        Chat(SimpleNamespace(), logprobs=21)
