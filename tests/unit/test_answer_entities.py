"""Which names of an answer count as retrieved, however answer, question and graph write them."""

import pytest

from gear_neo4j.domain import Triple
from gear_neo4j.evaluate.knowledge import AnswerEntities, Retrieved
from gear_neo4j.graph.read.lexicon import NamedNode


def recall(name, answer, *, question="Who lives there?"):
    """The recall of an answer that mentions the only node of a graph, where a triple of that node was retrieved."""
    entities = AnswerEntities([NamedNode("1", (name,), 5)])
    wanted = entities.wanted(question, answer)
    return entities.recall(wanted, Retrieved([Triple("t", name, "lives in", "Cork", "p")]), k=20) if wanted else None


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("Sean O'Brien", "It is Sean O\u2019Brien."),
        ("Sean O\u2019Brien", "It is Sean O'Brien."),
        ("alice_smith", "It is Alice Smith."),
        ("Zoë Müller", "It is Zoe Muller."),
        ("STRASSE DES 17. JUNI", "Straße des 17. Juni"),
    ],
)
def test_a_name_counts_however_the_answer_writes_it(name, answer):
    assert recall(name, answer) == 1.0


def test_a_name_in_the_question_is_not_wanted_however_it_is_written():
    assert recall("Sean O'Brien", "Sean O'Brien", question="Where does Sean O\u2019Brien live?") is None


def test_another_name_does_not_count():
    entities = AnswerEntities([NamedNode("1", ("Ada",), 5), NamedNode("2", ("Bob",), 5)])
    assert (
        entities.recall(entities.wanted("Who?", "Ada"), Retrieved([Triple("t", "Bob", "lives in", "Cork", "p")]), k=20)
        == 0.0
    )
