"""Intervals: deterministic, as wide as theory says, and with the claimed coverage."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.evaluate import statistics
from gear_neo4j.evaluate.statistics import Interval, difference, interval

shares = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=30)


def test_the_interval_of_a_mean_is_as_wide_as_the_normal_one():
    """200 values, half of them 1: 0.5 plus and minus 1.96 times the root of 0.25 / 200."""
    found = interval([0.0, 1.0] * 100)

    assert 0.5 == found.mean
    half = 1.96 * math.sqrt(0.25 / 200)
    assert (pytest.approx(0.5 - half, abs=0.01), pytest.approx(0.5 + half, abs=0.01)) == (found.low, found.high)


def test_the_same_values_give_the_same_interval_and_another_seed_another():
    """Reports can be reproduced to the digit."""
    values = [math.sqrt(number) for number in range(60)]

    assert interval(values) == interval(values)
    assert interval(values) != interval(values, seed=1)


def test_blocks_change_nothing(monkeypatch):
    """However few resamples are drawn at a time."""
    values = [float(number % 7) for number in range(60)]
    whole = interval(values)
    monkeypatch.setattr(statistics, "BLOCK", 700)

    assert whole == interval(values)


def test_nan_is_skipped_and_counted():
    """A failed judge is not a zero."""
    assert Interval(1.0, 1.0, 1.0, 2, 1) == interval([1.0, math.nan, 1.0])
    nothing = interval([math.nan, math.nan])
    assert (True, True, 0, 2) == (math.isnan(nothing.mean), math.isnan(nothing.low), nothing.counted, nothing.skipped)
    assert 0 == interval([]).counted


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """For 300 samples of 40 questions, 89 to 98 % of the 95 % intervals contain the true mean of 0.6."""
    generator = np.random.default_rng(7)
    found = [interval(list(generator.binomial(4, 0.6, size=40) / 4)) for _ in range(300)]

    assert 0.89 <= np.mean([one.low <= 0.6 <= one.high for one in found]) <= 0.98
    narrow = [interval(list(generator.binomial(4, 0.6, size=40) / 4), level=0.5) for _ in range(100)]
    assert 0.3 <= np.mean([one.low <= 0.6 <= one.high for one in narrow]) <= 0.7


def test_pairs_see_what_two_separate_intervals_cannot():
    """Every question gains a little: the difference is clear, although questions differ far more."""
    generator = np.random.default_rng(3)
    a = generator.random(50)
    b = a + 0.02 + 0.01 * generator.random(50)

    gained = difference(list(a), list(b))

    assert (True, 50, 0, 0) == (gained.clear, gained.wins, gained.ties, gained.losses)
    assert 0.02 < gained.low <= gained.mean <= gained.high < 0.03
    assert interval(list(a)).high > interval(list(b)).low


def test_a_difference_within_chance_is_not_clear():
    """Two wins and two losses of the same size; and no differences at all."""
    gained = difference([0, 0, 1, 1, 0.5], [1, 1, 0, 0, 0.5])

    assert (0.0, False, 2, 1, 2) == (gained.mean, gained.clear, gained.wins, gained.ties, gained.losses)
    assert (0.0, 0.0, 0.0, False) == ((same := difference([1.0], [1.0])).mean, same.low, same.high, same.clear)


@settings(deadline=None, max_examples=25)
@given(shares, st.randoms())
def test_a_difference_turned_round_is_the_same_with_the_other_sign(a, random):
    """Wins become losses, and the bounds swap."""
    b = random.sample(a, len(a))
    one, other = difference(a, b), difference(b, a)

    assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
    assert (one.mean, one.low, one.high) == pytest.approx((-other.mean, -other.high, -other.low), abs=1e-9)
    assert one.low <= one.mean + 1e-12
    assert one.mean - 1e-12 <= one.high


@settings(deadline=None, max_examples=25)
@given(shares)
def test_an_interval_lies_within_its_values(values):
    """And around its mean."""
    found = interval(values)

    assert min(values) - 1e-12 <= found.low <= found.mean + 1e-12
    assert found.mean - 1e-12 <= found.high <= max(values) + 1e-12


@pytest.mark.parametrize(("a", "b"), [([1.0], [1.0, 2.0]), ([], []), ([math.nan], [1.0]), ([1.0], [math.nan])])
def test_what_cannot_be_paired_is_refused(a, b):
    """Different lengths, no values, or only NaN."""
    with pytest.raises(ValueError, match=r"cannot be paired|is NaN"):
        difference(a, b)
