"""The search agent on a real database: sentences with their sources and the path between them, or nodes of a graph."""

import pytest

from gear_neo4j.agents.search import SearchAgent
from gear_neo4j.errors import InputError
from tests.graphs import ingest, opened
from tests.integration.test_patterns import PROFILE, SHOP
from tests.toy_model import QUESTION

pytestmark = pytest.mark.one_server_line

# The vectors of the tests' model mean little: the threshold is tested by itself.
ANY = SearchAgent(near=0.0)


@pytest.fixture
def gear(corpus, server, embedder):
    """A Gear without a language model over three hops."""
    with opened(server, embedder) as gear:
        yield gear


def test_an_answer_is_sentences_with_their_sources_and_the_path_between_them(gear):
    """In the order of the path, which the gist has as facts; no model is called."""
    answer = gear.ask("Where did the winner of the physics prize 2024 write a thesis?", agent=ANY)
    text, _, path = answer.text.partition("\n\nPath: ")

    assert text.index("The 2024 physics prize went to Hinton [") < text.index("Hinton wrote a thesis at Edinburgh [")
    assert path in {str(answer.hits.path_to(citation.passage.id)) for citation in answer.citations}
    assert path == str(next(one for one in answer.paths if str(one) == path))
    assert [triple.text for one in answer.paths if str(one) == path for triple in one.triples][: len(answer.gist)] == [
        fact.text for fact in answer.gist
    ]
    markers = {citation.marker: citation.passage.text for citation in answer.citations}
    assert all(f"{sentence[:-1]} [{marker}]." in text for marker, sentence in markers.items())
    assert ("answerable", 0, "no model") == (answer.stop_reason, answer.total.calls, answer.trace.roles)


def test_only_as_many_sentences_as_wanted_are_shown(gear):
    answer = gear.ask(QUESTION, agent=SearchAgent(near=0.0, sentences=1))

    assert 1 == len(answer.citations) == answer.text.partition("\n\n")[0].count("[")


def test_there_is_no_answer_where_nothing_is_near_enough(gear):
    """The passages found are still there."""
    answer = gear.ask(QUESTION, agent=SearchAgent(near=1.0))

    assert ("", "abstained", ()) == (answer.text, answer.stop_reason, answer.citations)
    assert len(answer.hits)


def test_markers_in_a_text_are_not_taken_for_citations(database, server, embedder, tmp_path):
    """Such as the footnotes of Wikipedia."""
    ingest(database, embedder, tmp_path, {"p1": "Ada lived in Bath [7]."}, None)
    with opened(server, embedder) as gear:
        answer = gear.ask("When was it that Ada lived in Bath?", agent=ANY)

    assert "Ada lived in Bath [1]." == answer.text


def test_nodes_of_an_adopted_graph_are_the_answer(shared, server, embedder):
    """With how sure their pattern is; if it is unlikely, there is another answer or none."""
    shared.adopted(SHOP, PROFILE, embedder)
    with opened(server, embedder) as gear:
        named = gear.ask("Which products are supplied by Tokyo Traders?", agent="search")
        counted = gear.ask("How many products are supplied by Tokyo Traders?", agent="search")
        unknown = gear.ask("Which products are supplied by Osaka Trading?", agent="search")

    assert named.text.startswith(("Ikura [F1], Tofu [F2] (", "Tofu [F1], Ikura [F2] ("))
    assert "% sure" in named.text
    assert counted.text.startswith("2 [F1] (")
    assert "Ikura [F1], Tofu" not in unknown.text


def test_a_question_is_checked(gear):
    with pytest.raises(InputError, match="the question is empty"):
        gear.ask(" ", agent="search")
