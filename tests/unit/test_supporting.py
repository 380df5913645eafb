"""An answer without citations gets the sentences that support it, or is marked as without support."""

import pytest

from gear_neo4j.agents.answer import Answer, Citation, Trace
from gear_neo4j.agents.citing import CitingAgent
from gear_neo4j.agents.run import Event
from gear_neo4j.agents.supporting import supporting
from gear_neo4j.domain import Fact, Hit, Hits, Passage
from tests.fake_embedder import FakeEmbedder

QUESTION = "Where did Ada King live?"
PASSAGES = [
    Passage("p1", "Bread", "Take flour and water."),
    Passage("p2", "Ada King", "She had a cat. She lived in Bath."),
    Passage("p3", "Bath", "Ada King lived here. It is a spa."),
]


class Fixed:
    """An agent with a ready answer, which is also its only event."""

    def __init__(self, text, passages=PASSAGES, **fields):
        hits = Hits(QUESTION, "naive", tuple(Hit(one, 1.0, rank) for rank, one in enumerate(passages, 1)))
        self.answer = Answer(QUESTION, text, hits, Trace(QUESTION, "toy"), "answerable", **fields)

    def ask(self, question, *, k=10, on_event=None):
        if on_event:
            on_event(Event("answer", 1, self.answer.text, answer=self.answer))
        return self.answer


def asked(agent):
    """The answer, and that of the event."""
    events = []
    answer = CitingAgent(agent, embedder=FakeEmbedder).ask(QUESTION, on_event=events.append)
    assert answer is events[-1].answer
    return answer


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Bath", {("2", "She lived in Bath."), ("3", "Ada King lived here.")}),
        ("Wells", set()),
        ("May", set()),
        ("The passages do not say.", set()),
    ],
)
def test_an_answer_without_citations_gets_the_sentences_that_support_it(text, sentences):
    """Those that have the words of the answer, with their titles; without one, it is not grounded."""
    answer = asked(Fixed(text))

    assert sentences == {(citation.marker, citation.sentence) for citation in answer.citations}
    assert bool(sentences) == answer.grounded


@pytest.mark.parametrize(
    "agent",
    [
        Fixed("Bath [F1].", citations=(Citation("F1", fact=Fact("Ada King", "lived in", "Bath")),)),
        Fixed("Bath", passages=()),
        Fixed(""),
        Fixed("Wells", grounded=False),
    ],
)
def test_other_answers_stay_as_they_are(agent):
    """Those that cite a fact, are without passages or text, or were judged by the agent itself."""
    assert agent.answer == asked(agent)


def test_without_a_listener_the_answer_is_the_same():
    agent = CitingAgent(Fixed("Bath"), embedder=FakeEmbedder)

    assert agent.ask(QUESTION) == asked(Fixed("Bath"))


def test_an_answer_that_only_repeats_the_question_needs_a_sentence_that_is_near():
    """Its words say nothing about which sentence is meant."""
    near = supporting("She lived in Bath, Ada King?", "Yes.", PASSAGES, embedder=FakeEmbedder)

    assert "She lived in Bath." in [one.text for one in near]
    assert [] == supporting("Who sings?", "Yes.", PASSAGES[:1], embedder=FakeEmbedder)
