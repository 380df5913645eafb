"""An answer in OpenAI's format: where its annotations point."""

import pytest

from gear_neo4j.agents.answer import Answer, Citation, Trace
from gear_neo4j.domain import Hits, Passage
from gear_neo4j.web.chat_shapes import ChatWriter


@pytest.mark.parametrize(
    ("text", "pointed"),
    [
        ("In Varna [1, 2].", ["1", "2"]),
        ("In Varna [2], as said [1].", ["[1]", "[2]"]),
        ("Use args[1], said [1].", ["[1]", None]),
        ("A terminal\x1b[2J and [1, 2].", ["1", "2"]),
        ("In Varna.", [None, None]),
    ],
)
def test_an_annotation_points_at_its_number_in_what_is_sent(text, pointed):
    """Including the brackets if they contain no other number; without a number, at the whole answer."""
    citations = tuple(Citation(label, Passage(label, "T", "Text.")) for label in ("1", "2"))
    answer = Answer("Where?", text, Hits("Where?", "naive", ()), Trace("Where?", "m"), "answerable", citations)

    message = ChatWriter("gear-gear", public_url="http://localhost").whole(answer)["choices"][0]["message"]

    sent = message["content"].partition("\n\nSources:")[0]
    spans = [(one["url_citation"]["start_index"], one["url_citation"]["end_index"]) for one in message["annotations"]]
    assert [one or sent for one in pointed] == [sent[start:end] for start, end in spans]
