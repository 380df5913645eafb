"""Self-RAG: when it retrieves, which answer it chooses, how often it retries, and every failure."""

import json

import pytest

from gear_neo4j import Base, SelfRag
from gear_neo4j.agents.ranking import final_ranking
from gear_neo4j.errors import InputError
from tests.loops import Script, asked, role_of
from tests.scripted_server import Fault

pytestmark = pytest.mark.one_server_line

PASSAGES = {
    "harbour": "Ana Petkova designed the harbour of Varna in 1921.",
    "light": "The lighthouse of Varna was designed by Boris Ivanov.",
    "bread": "A recipe for bread of Varna takes flour and water.",
}
QUESTION = "Who designed the harbour of Varna?"
GOOD = {"relevant": "yes", "support": "fully", "use": 5}
POOR = {"relevant": "yes", "support": "no", "use": 2}
OFF = {"relevant": "no", "support": "no", "use": 1}


@pytest.fixture
def corpus(shared, embedder):
    """Three passages about one town."""
    return shared.ingested(PASSAGES, None, embedder)


def answer(text):
    """The model's answer from each passage."""
    if "harbour of Varna in 1921" in text:
        return "Answer: Ana Petkova [1]."
    return "Answer: Boris Ivanov [1]." if "lighthouse" in text else "Answer: flour and water [1]."


def judged(text):
    """Only the content of the passage about the harbour is supported and useful."""
    return GOOD if "Answer: Ana Petkova" in text and PASSAGES["harbour"] in text else OFF


def script(**roles):
    given = {
        "retrieve": {"retrieve": "yes"},
        "answer": answer,
        "reflect": judged,
        "rewrite": "Next question: harbour architect",
        "recall": "Answer: Ana, I think.",
        "revise": "Answer: not said [1].",
        "segment": "END",
    }
    return Script(**(given | roles))


def ask(gear, *, k=3, **options):
    return gear.ask(QUESTION, k=k, agent=SelfRag(over=Base(base="fulltext"), **options))


def test_the_answer_that_is_supported_wins_and_is_cited(corpus, server, embedder):
    """An answer from each passage, each judged; the scores use the published weights."""
    with asked(server, embedder, model := script()) as gear:
        found = ask(gear)

    assert ("Ana Petkova. [1]", "answerable", True) == (found.text, found.stop_reason, found.grounded)
    assert "harbour" == found.hits[0].passage.id == found.citations[0].passage.id
    scores = {one.of: one.score for one in found.trace.steps[0].judgements if one.role == "reflect"}
    assert 1.0 + 1.0 + 0.5 == scores["harbour"]
    assert {-0.5} == {score for of, score in scores.items() if of != "harbour"}
    assert {"retrieve": 1, "answer": len(scores), "reflect": len(scores)} == dict(model.played)
    assert [hit.passage.id for hit in found.hits] == [item.id for item in final_ranking(found.trace)]


@pytest.mark.parametrize(
    ("options", "reply", "calls"),
    [
        ({}, {"retrieve": "no"}, {"retrieve": 1, "recall": 1, "reflect": 1}),
        ({"retrieve": "never"}, {"retrieve": "yes"}, {"recall": 1, "reflect": 1}),
    ],
)
def test_an_answer_from_memory_is_not_grounded(corpus, server, embedder, options, reply, calls):
    """If no retrieval is needed or allowed; only the usefulness of such an answer is judged."""
    seen = []
    with asked(
        server, embedder, model := script(retrieve=reply, reflect=lambda text: seen.append(text) or GOOD)
    ) as gear:
        found = ask(gear, **options)

    assert (calls, "Ana, I think.", False, 0) == (dict(model.played), found.text, found.grounded, len(found.hits))
    assert "(none)" in seen[0]
    assert [0.5] == [one.score for one in found.trace.steps[0].judgements if one.role == "reflect"]


def test_it_always_retrieves_where_it_is_told_to(corpus, server, embedder):
    """Without asking the model."""
    with asked(server, embedder, model := script(retrieve={"retrieve": "no"})) as gear:
        found = ask(gear, retrieve="always")

    assert (0, True) == (model.played["retrieve"], found.grounded)


def test_an_unsupported_answer_is_revised_at_most_so_often(corpus, server, embedder):
    """Then the question is rephrased, with a limit, too; the best answer is returned, marked exhausted."""
    with asked(server, embedder, model := script(reflect=POOR)) as gear:
        found = ask(gear, max_regenerations=2, max_rewrites=1)

    assert ("exhausted", False) == (found.stop_reason, found.grounded)
    assert (2 * 2, 1, 2) == (model.played["revise"], model.played["rewrite"], len(found.trace.steps))
    assert found.text
    assert () == found.citations


def test_a_revision_that_is_supported_ends_it(corpus, server, embedder):
    """The second try agrees with the passage."""

    def revised(text):
        assert "- Ana Petkova" in text, "the refused answer is shown"
        return "Answer: It was Ana Petkova [1]."

    model = script(
        reflect=lambda text: GOOD if "It was Ana" in text else POOR if PASSAGES["harbour"] in text else OFF,
        revise=revised,
    )
    with asked(server, embedder, model) as gear:
        found = ask(gear)

    assert ("It was Ana Petkova. [1]", "answerable", 1) == (found.text, found.stop_reason, model.played["revise"])


def test_where_no_passage_is_relevant_another_question_is_asked(corpus, server, embedder):
    """No answer is revised; a repeated question ends the run."""
    with asked(server, embedder, model := script(reflect=OFF)) as gear:
        found = ask(gear)

    assert (0, "no_new_question") == (model.played["revise"], found.stop_reason)
    assert [QUESTION, "harbour architect"] == [step.question for step in found.trace.steps]


def test_in_a_closed_set_passages_vote(corpus, server, embedder):
    """Two passages that say no outvote the best single one, which says yes."""
    said = {"harbour": ("yes", 5), "light": ("no", 3), "bread": ("no", 3)}

    def says(text):
        return next(
            f"Answer: {label.title()}, it seems [1]." for id, (label, _) in said.items() if PASSAGES[id] in text
        )

    def judge(text):
        use = next(use for id, (_, use) in said.items() if PASSAGES[id] in text)
        return {"relevant": "yes", "support": "fully", "use": use}

    with asked(server, embedder, script(answer=says, reflect=judge)) as gear:
        voted, single = ask(gear, labels=("yes", "no")), ask(gear)

    assert ("no [1]", "Yes, it seems. [1]") == (voted.text, single.text)


def test_a_long_answer_has_a_sentence_from_each_passage_and_cites_it(corpus, server, embedder):
    """The beam continues until the model says that the answer is complete."""
    sentences = {"harbour": "Ana Petkova designed the harbour.", "light": "Boris Ivanov designed the lighthouse."}

    def segment(text):
        before = text.partition("Written so far: ")[2]
        return next(
            (f"Next sentence: {one}" for id, one in sentences.items() if PASSAGES[id] in text and one not in before),
            "END",
        )

    with asked(server, embedder, script(segment=segment, reflect=GOOD)) as gear:
        found = ask(gear, long=True)

    indexes = {hit.passage.id: hit.rank for hit in found.hits}
    assert {f"{text} [{indexes[id]}]" for id, text in sentences.items()} <= {
        found.text[: len(found.text) // 2].strip(),
        *(part.strip() + "]" for part in found.text.split("]") if part.strip()),
    }
    assert ({"harbour", "light"}, True) == ({one.passage.id for one in found.citations}, found.grounded)


def test_log_probabilities_make_the_scores(corpus, server, embedder):
    """If the server returns them: P(fully) 0.6, P(partially) 0.2, P(no) 0.2 give 0.7; at 0.1 nothing is retrieved."""
    likely = {"fully": {"fully": 0.6, "part": 0.2, "no": 0.2}, "5": {"5": 1.0}}
    with asked(server, embedder, script(reflect=GOOD), alternatives=likely) as gear:
        found = ask(gear, retrieve="always")
    with asked(server, embedder, script(), alternatives={"yes": {"yes": 0.1, "no": 0.9}}) as gear:
        doubtful = ask(gear)

    scores = [one.score for one in found.trace.steps[0].judgements if one.role == "reflect"]
    assert [pytest.approx(1.0 + 0.7 + 0.5)] * len(scores) == scores
    assert (pytest.approx(0.1), False) == (doubtful.trace.steps[0].judgements[0].score, doubtful.grounded)


GONE = [401, 500, Fault.RESET]
ROLES = ["retrieve", "answer", "reflect", "rewrite", "revise"]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("fault", [Fault.EMPTY, Fault.CUT, Fault.PROSE, Fault.FENCED, Fault.MALFORMED_JSON, *GONE])
def test_whatever_the_model_does_it_ends_with_what_there_is(corpus, server, embedder, role, fault):
    """Every call of a role fails: no traceback, a trace, and a limited number of calls."""

    def strikes(_number, messages):
        return fault if role_of(messages) == role else None

    model = script(reflect=POOR if role in ("rewrite", "revise") else judged)
    with asked(server, embedder, model, fault=strikes, patience=0.0) as gear:
        found = ask(gear, max_rewrites=1)

    assert found.trace.steps
    assert sum(model.played.values()) <= 60
    if fault in GONE:
        assert "model_error" == found.stop_reason
        assert found.failure.startswith(role)
    else:
        assert found.stop_reason in ("answerable", "exhausted", "no_new_question")
        json.dumps(found.text)


@pytest.mark.parametrize("tokens", [1, 60, 400])
def test_a_budget_ends_it(corpus, server, embedder, tokens):
    """Once it is spent, no further call begins."""
    with asked(server, embedder, model := script(reflect=POOR)) as gear:
        found = ask(gear, max_tokens=tokens)

    assert "budget" == found.stop_reason
    last = max(one.tokens for one in found.usage.values())
    assert found.total.tokens - last < tokens
    assert sum(model.played.values()) < 20


def test_what_makes_no_sense_is_refused(corpus, server, embedder):
    """A blank question, or no passages."""
    with asked(server, embedder, script()) as gear:
        for question, k in ((" ", 3), ("Who?", 0)):
            with pytest.raises(InputError):
                gear.ask(question, k=k, agent=SelfRag(over=Base()))
