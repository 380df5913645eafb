"""Self-RAG's reflections: the published formulas, computed by hand, and labels from log-probabilities."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.agents.reflecting import SelfRag
from gear_neo4j.errors import SettingsError
from gear_neo4j.models.replies import Alternatives
from gear_neo4j.roles.critic import SUPPORT, USES, Reflection, likelihoods

shares = st.floats(0, 1)


@pytest.mark.parametrize(
    ("support", "score"),
    [
        ({"fully": 0.6, "partially": 0.2, "no": 0.2}, 0.7),
        ({"fully": 0.3, "partially": 0.1, "no": 0.1}, 0.7),
        ({"partially": 1.0}, 0.5),
        ({"no": 1.0}, 0.0),
        ({}, 0.0),
    ],
)
def test_support_counts_full_once_and_partial_half(support, score):
    """Divided by the sum of all three, even if it is not one; without any, 0."""
    assert score == pytest.approx(Reflection(support=support).supported)


def test_relevance_and_use_as_published():
    """P(relevant) divided by both; use weighs -1, -0.5, 0, 0.5, 1."""
    seen = Reflection({"yes": 0.3, "no": 0.1}, {}, {"1": 0.1, "2": 0.1, "3": 0.2, "4": 0.2, "5": 0.4})
    assert (0.75, 0.35) == (pytest.approx(seen.relevance), pytest.approx(seen.utility))
    assert 0.75 + 0.5 * 0.35 == pytest.approx(SelfRag().score(seen))
    assert -1.0 == Reflection(use={"1": 1.0}).utility


@given(st.dictionaries(st.sampled_from(SUPPORT), shares), st.dictionaries(st.sampled_from(USES), shares))
def test_scores_stay_in_range(support, use):
    """For any probabilities."""
    seen = Reflection(support=support, use=use)
    assert -1e-9 <= seen.supported <= 1 + 1e-9
    assert -1 - 1e-9 <= seen.utility <= 1 + 1e-9


def tokens(*parts):
    return [Alternatives(part, {part: 1.0}) if isinstance(part, str) else Alternatives(*part) for part in parts]


def test_labels_that_were_nearly_chosen_count():
    """At the label's first token, however the reply is tokenised, with or without quotes."""
    fully = {'"fully': 0.6, ' "part': 0.2, '"no': 0.15, '"maybe': 0.05}
    reply = tokens('{"', "support", '": ', ('"fully', fully), '", "', "use", '":', (" 4", {" 4": 0.75, "5": 0.25}), "}")

    assert {"fully": 0.6, "partially": 0.2, "no": 0.15} == likelihoods(reply, "support", SUPPORT, "fully")
    assert {"4": 0.75, "5": 0.25} == likelihoods(reply, "use", USES, "4")


@pytest.mark.parametrize(
    "reply", [[], tokens('{"use": 4}'), tokens("no such key"), tokens('{"support": ', ("x", {"x": 1.0}))]
)
def test_without_alternatives_the_label_that_was_said_has_them_all(reply):
    """No tokens, one token for everything, another key, or alternatives that are not labels."""
    assert {"fully": 1.0} == likelihoods(reply, "support", SUPPORT, "fully")


@pytest.mark.parametrize(
    "option", [{"drafts": 0}, {"threshold": -0.1}, {"max_rewrites": -1}, {"tokens": 0}, {"use": math.nan}]
)
def test_options_out_of_range_are_named(option):
    """In one line."""
    with pytest.raises(SettingsError, match=next(iter(option))):
        SelfRag(**option)
