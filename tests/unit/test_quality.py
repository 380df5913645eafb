"""The quality of answers, judged by a scripted model: computed by hand, edge cases, and failures of the judge."""

import json
import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.errors import InputError, ModelError
from gear_neo4j.evaluate.quality import Quality, assess, averages, correctness, f_measure, sentences, similarity
from gear_neo4j.models.chat import Chat
from gear_neo4j.models.openai import open_chat
from gear_neo4j.roles.judgements import parse_statements, parse_useful, parse_verdicts
from gear_neo4j.settings import Settings
from gear_neo4j.usage import Usage
from tests.scripted_server import Fault, ScriptedServer
from tests.toy_judge import ToyJudge

QUESTION = "Who designed the lighthouse, and where did she study?"
DESIGNED = "Petkova designed the lighthouse."
STUDIED = "Petkova studied in Vienna."
BORN = "Petkova was born in 1890."
BREAD = "Bread goes with butter."
REFERENCE = f"{DESIGNED} {STUDIED}"


@pytest.fixture
def judge():
    """The toy judge, behind a server."""
    return ToyJudge()


@pytest.fixture
def assessed(judge, embedder):
    """Assess an answer with the toy judge, optionally with faults; returns the quality."""

    def run(answer, contexts, *, reference=REFERENCE, fault=lambda _number, _messages: None):
        with ScriptedServer(judge, fault=fault) as server:
            chat = open_chat(Settings(chat_model="judge", openai_base_url=server.url), cache=None)
            return assess(chat, embedder, question=QUESTION, answer=answer, contexts=contexts, reference=reference)

    return run


def nan(*values):
    """Which values are NaN."""
    return tuple(math.isnan(value) for value in values)


def test_an_answer_is_judged_by_its_statements(assessed, judge):
    """One of two is right, one of the reference's two is there, one is in the contexts; contexts 1 and 3 are useful."""
    found = assessed(f"{DESIGNED} {BORN}", [DESIGNED, BREAD, f"{STUDIED} She came home."])

    assert 0.5 == found.faithfulness
    assert 1.0 == found.context_recall
    assert 0.8333 == pytest.approx(found.context_precision, abs=1e-4)
    assert pytest.approx(0.75 * 0.5 + 0.25 * found.similarity) == found.correctness
    assert {"statements": 2, "overlap": 1, "support": 2, "useful": 3} == Counter(judge.played)
    assert (8, 0, False) == (found.usage.calls, found.usage.cached, found.usage.estimated)
    assert found.usage.input_tokens > found.usage.output_tokens > 8


def test_the_reference_itself_is_right_and_an_invention_is_not(assessed):
    """1 and 1; if only words agree, only the similarity counts."""
    right = assessed(REFERENCE, [REFERENCE])
    wrong = assessed(BREAD, [REFERENCE])

    assert (1.0, 1.0) == (pytest.approx(right.correctness), right.faithfulness)
    assert (pytest.approx(0.25 * wrong.similarity), 0.0) == (wrong.correctness, wrong.faithfulness)


def test_an_empty_answer_is_not_right(assessed, judge):
    """Without statements it is 0, not 1; faithfulness is undefined; no call is made."""
    found = assessed("", [REFERENCE])

    assert pytest.approx(0.25 * found.similarity) == found.correctness
    assert found.correctness < 0.3
    assert (True, False, False) == nan(found.faithfulness, found.context_recall, found.context_precision)
    assert {"statements": 1, "support": 1, "useful": 1} == Counter(judge.played)


def test_an_answer_that_states_nothing_is_not_right_either(assessed):
    """The judge finds no statement in it."""
    found = assessed("I do not know.", [REFERENCE])

    assert (pytest.approx(0.25 * found.similarity), True) == (found.correctness, *nan(found.faithfulness))


def test_without_a_reference_what_needs_one_is_nan(assessed):
    """But two empty texts agree."""
    found = assessed(DESIGNED, [DESIGNED], reference=" ")
    assert (False, True, True) == nan(found.faithfulness, found.context_precision, found.context_recall)
    assert found.correctness < 0.3

    assert 1.0 == pytest.approx(assessed("", [DESIGNED], reference="").correctness)


def test_contexts_of_no_use_are_0(assessed):
    """They support nothing."""
    found = assessed(DESIGNED, [BREAD, BREAD])

    assert (0.0, 0.0, 0.0) == (found.context_precision, found.context_recall, found.faithfulness)


def test_without_contexts_nothing_is_asked(assessed, judge):
    """An error before any call."""
    with pytest.raises(InputError, match="no contexts for the question"):
        assessed(DESIGNED, [])
    assert [] == judge.played


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("statements", {"correctness", "faithfulness"}),
        ("support", {"faithfulness", "context_recall"}),
        ("overlap", {"correctness"}),
        ("useful", {"context_precision"}),
    ],
)
def test_a_judge_that_fails_twice_makes_nan_and_costs_what_it_cost(judge, assessed, role, expected):
    """The other metrics stay; both replies are counted."""
    setattr(judge, role, lambda _asked: "Hard to say.")

    found = assessed(DESIGNED, [DESIGNED, STUDIED])

    assert expected == {name for name, value in found.to_json().items() if value is None}
    assert len(judge.played) == found.usage.calls


@pytest.mark.parametrize("fault", [Fault.FENCED, Fault.PROSE, Fault.MALFORMED_JSON, Fault.CUT, Fault.EMPTY])
def test_a_first_reply_that_is_spoilt_changes_no_figure(assessed, fault):
    """Fences and prose are accepted, and unusable replies are repeated once."""
    whole = assessed(f"{DESIGNED} {BORN}", [DESIGNED, BREAD])
    found = assessed(
        f"{DESIGNED} {BORN}", [DESIGNED, BREAD], fault=lambda _, messages: fault if len(messages) == 2 else None
    )

    repaired = 0 if fault in (Fault.FENCED, Fault.PROSE) else whole.usage.calls
    assert (whole.to_json(), whole.usage.calls + repaired) == (found.to_json(), found.usage.calls)


def test_an_error_of_the_model_includes_the_cost_so_far(assessed):
    """The run ends with the model's error; four calls were paid for."""
    with pytest.raises(ModelError) as told:
        assessed(DESIGNED, [DESIGNED], fault=lambda number, _: 401 if number > 4 else None)

    assert (4, True) == (told.value.usage.calls, told.value.usage.input_tokens > 0)


def test_any_chat_will_do(embedder):
    """A LangChain model of another kind; a reply may contain bare verdicts."""
    from langchain_core.language_models import FakeListChatModel

    said = ['{"statements": ["x"]}'] * 2 + ['{"answer": [1], "reference": [true]}', '{"verdicts": [0]}']
    said += ['{"verdict": "Yes."}', '{"verdicts": ["no"]}']
    found = assess(
        Chat(FakeListChatModel(responses=said)), embedder, question="?", answer="x", contexts=["c"], reference="x"
    )

    expected = Quality(1.0, 1.0, 0.0, 1.0, 0.0, found.usage)
    assert {name: pytest.approx(value) for name, value in expected.to_json().items()} == found.to_json()


def test_averages_leave_out_what_is_nan_and_say_how_much_it_was():
    """The mean of two of three, with its interval."""
    found = averages([Quality(1.0, 0.1, 1.0, 1.0, 0.5), Quality(0.0, 0.3, math.nan, 1.0, 0.5), Quality(*[0.5] * 5)])

    assert (0.75, 2, 1) == (found["faithfulness"].mean, found["faithfulness"].counted, found["faithfulness"].skipped)
    assert (0.5, 3, 0) == (found["correctness"].mean, found["correctness"].counted, found["correctness"].skipped)
    assert 0.0 <= found["correctness"].low < 0.5 < found["correctness"].high <= 1.0
    assert "null" in json.dumps(Quality(*[math.nan] * 5).to_json())


@pytest.mark.parametrize("weights", [(-1.0, 2.0), (0.0, 0.0), (math.nan, 1.0), (math.inf, 1.0)])
def test_bad_weights_are_refused(weights):
    """For any values."""
    with pytest.raises(ValueError, match="weights"):
        correctness(1.0, 1.0, weights=weights)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_f_is_the_harmonic_mean_of_precision_and_recall(both, answer_only, reference_only):
    """0 if nothing is shared, 1 only if nothing is missing or superfluous."""
    found = f_measure(both, answer_only, reference_only)

    if both:
        precision, recall = both / (both + answer_only), both / (both + reference_only)
        assert 2 * precision * recall / (precision + recall) == pytest.approx(found)
    assert (found == 1.0) == (not answer_only and not reference_only)


def test_similarity_of_an_empty_text_is_that_of_a_space(embedder):
    """For equal texts it is 1, never more."""
    assert similarity(embedder, " ", "bread") == pytest.approx(similarity(embedder, "", "bread"), abs=1e-6)
    assert 1.0 == pytest.approx(similarity(embedder, "bread", "bread"))
    assert similarity(embedder, "bread", "bread") <= 1.0


def test_sentences_are_cut_in_any_script():
    """Also at line ends; an empty text has none."""
    assert ("One.", "Two?", "Three") == sentences("One. Two?\nThree")
    assert ("鲁迅在北京。", "他写作。") == sentences("鲁迅在北京。他写作。")
    assert () == sentences(" \n ")


@pytest.mark.parametrize(
    "text",
    [
        '{"verdicts": [{"number": 1, "verdict": "yes"}, {"number": 2, "verdict": "no"}]}',
        '{"verdicts": [{"number": 2, "verdict": "No"}, {"number": 1, "verdict": "YES"}]}',
        'Sure: ```json\n{"verdicts": ["yes", "no"]}\n```',
        'For {this} case {"x": 1} it is {"verdicts": [1, 0], "sure": true}.',
        '{"verdicts": [true, false]}',
        '{"verdicts": ["supported", "not supported."]}',
    ],
)
def test_verdicts_are_read_as_models_write_them(text):
    """With numbers, bare, in fences."""
    assert (True, False) == parse_verdicts(text, key="verdicts", count=2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no whole JSON object"),
        ('{"verdicts": ["yes", "no"', "no whole JSON object"),
        ('{"verdicts": ["yes"]}', "1 items, and there are 2"),
        ('{"verdicts": "yes"}', "no list, and there are 2"),
        ('{"verdicts": ["yes", "partly"]}', 'neither "yes" nor "no"'),
        ('{"verdicts": ["yes", null]}', 'neither "yes" nor "no"'),
        ('{"verdicts": ["yes", 2]}', 'neither "yes" nor "no"'),
        ('{"verdicts": [{"number": 1, "verdict": "yes"}, {"number": 1, "verdict": "no"}]}', "not 1 to 2"),
        ('{"verdicts": [{"number": 1, "verdict": "yes"}, "no"]}', "not 1 to 2"),
        ('{"verdicts": [{"number": true, "verdict": "yes"}, {"number": 2, "verdict": "no"}]}', "not 1 to 2"),
    ],
)
def test_verdicts_that_do_not_fit_the_statements_are_no_verdicts(text, reason):
    """A judge that miscounts has judged something else, and gets the reason."""
    with pytest.raises(ValueError, match=reason):
        parse_verdicts(text, key="verdicts", count=2)


@pytest.mark.parametrize("text", ['{"statements": ["a"', '{"statements": "a"}', '{"statements": ["a", 1]}', "[]"])
def test_statements_that_are_cut_off_are_no_statements(text):
    """Half of them would be another answer."""
    with pytest.raises(ValueError, match="statements"):
        parse_statements(text)


@given(st.text(st.sampled_from('{}[]":, yesnoverdict10<think>/'), max_size=60))
def test_no_reply_makes_a_parser_crash(text):
    """It parses, or raises the error that the model gets."""
    for parse in (parse_statements, parse_useful, lambda one: parse_verdicts(one, key="verdict", count=1)):
        try:
            found = parse(text)
        except ValueError as error:
            found = str(error)
        assert found in ((), True, False, (True,), (False,)) or isinstance(found, str | tuple)


def test_usage_starts_at_nothing():
    """An unjudged quality costs nothing."""
    assert Usage() == Quality(*[1.0] * 5).usage
