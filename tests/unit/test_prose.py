"""What of a text gives facts: not code, logs, contents and markup; of a dialogue, who said what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.extraction.prose import prose_of, split_turns
from gear_neo4j.extraction.rules import extract_facts

PIECES = [
    "Ada: ",
    "Tom: ",
    "<ada> ",
    "[10:26] ",
    "I saw Tom Jones. ",
    "Why? ",
    "\n",
    "\n\n",
    "x",
    "```\n",
    "$ ls",
    "    f();",
]


def facts(text, title="Minutes"):
    return [str(fact) for fact in extract_facts(title, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Present: nobody.\n\nAnna: I met Bob Miller in Paris.\nTom: That was in 1999.\nAnna: No!",
            ["Anna —I met→ Bob Miller", "Anna —I met Bob Miller in→ Paris", "Tom —That was in→ 1999"],
        ),
        ("**Anna:** Where is Paris?\n\n**Tom:** Ask Bob Miller.\n\n**Anna:** Why?", ["Tom —Ask→ Bob Miller"]),
        ("[10:26] <ada> Bob Miller built it\n[10:27] <tom> for Ines Falk", ["ada —mentions→ Bob Miller"]),
        ("Q: Who built it?\nA: Ines Falk built it in 1921.\nQ: Where?\nA: In Varna.", ["Ines Falk —built it in→ 1921"]),
        ("Anna: I saw\nBob Miller there.\nTom: When?\nAnna: In May.", ["Anna —I saw→ Bob Miller"]),
    ],
)
def test_a_speaker_is_the_subject_of_what_it_says(text, expected):
    """Of sentences without a subject of their own; letters are no speakers, and lines below a turn belong to it."""
    assert expected == [fact for fact in facts(text) if fact in expected]
    assert not any("Minutes —Anna" in fact or "Anna:" in fact for fact in facts(text))


@pytest.mark.parametrize(
    "text",
    [
        "Name: Ada\nTown: Bath",
        "Name: Ada\n\nName: Tom\n\nName: Eva",
        "Ada: Yes.\nTom: No.",
        "Note: read this.\nIt is long.",
    ],
)
def test_fields_and_notes_are_no_dialogue(text):
    """Nor are two lines."""
    assert ([], text) == split_turns(text)


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("Run it:\n$ pip install Paris\nThen ask.", "Run it:\nThen ask."),
        ("Costs $ 5 in Paris.", "Costs $ 5 in Paris."),
        ("2024-05-01 10:22:01,123 ERROR [main] Server Paris\n[2024-05-01T10:22:01Z] INFO x\nEnd.", "End."),
        ("2024-05-01 10:22 INFORMED people came.", "2024-05-01 10:22 INFORMED people came."),
        ("Contents\n1. Orley Bridge ......... 7\n2. Ines Falk . . . . . . 12", "Contents"),
        ("So:\n\n    int main() { return Paris; }\n\nDone.", "So:\n\n\nDone."),
        ("    An indented quotation of Ines Falk.", "    An indented quotation of Ines Falk."),
        ('<b class="x">Ada</b> &amp; <br/>Tom <user_name> 3 < 4', "Ada & Tom <user_name> 3 < 4"),
        ("From: Ada <a@x.org>\nTo: Tom\nSubject: Bath\n\nCome to Bath.", "\nCome to Bath."),
        ("From: the sea.", "From: the sea."),
    ],
)
def test_what_a_machine_writes_is_no_prose(text, prose):
    """Words that only look like it are."""
    assert prose == prose_of(text)


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_no_word_of_a_dialogue_is_lost(text):
    """Whatever its lines: what is in no turn is in the rest."""
    turns, rest = split_turns(text)

    words = [word for turn in turns for word in turn.words.split()] + rest.split()
    assert set(words) <= set(text.split())
    said = {word for word in text.split() if not word.endswith((":", "Dr.")) and word[0] not in "<["}
    assert said <= {*words, *(word for turn in turns for word in turn.speaker.split())}


@given(st.text())
def test_any_text_has_prose(text):
    """Without an error."""
    assert isinstance(prose_of(text), str)
    extract_facts("A title", text)


# Marks of Markdown, and messages


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (
            '[Ada](https://example.org/ada_(x) "her page") **founded** the [Mill][m] in *Bath*.',
            "Ada founded the Mill in Bath.",
        ),
        ("The `Mill` was __sold__ by ***Ada*** and _Ben_[^1].", "The Mill was sold by Ada and Ben."),
        ("![a bridge](b.png) It ~~fell~~ stands.", " It  stands."),
        ("2 * 3 * 4, snake_case_name, f(*args, **more), [1], a_b and C_d", None),
        ("The term ``Roman '' and ``Roman Church ''", None),
        ("[^1]: A note", None),
    ],
)
def test_marks_of_markdown_are_no_words(text, prose):
    """What they mark stays, but pictures and what was struck out; signs that only look like them stay."""
    assert prose_of(text) == (text if prose is None else prose)


HEADS = "From: Ada <ada@example.org>\nTo: ben@example.org\nSubject: Move\n\n"


@pytest.mark.parametrize("greeting", ["Dear Ben,\n", "Hi all!\n", "Sehr geehrte Frau Maier,\n", "Bonjour Marie,\n", ""])
@pytest.mark.parametrize(
    "closing",
    ["\nBest regards,\nAda Marlow\nNorvik Ltd.", "\nMit freundlichen Grüßen\nAda", "\n-- \nAda", "\nThanks!\nAda", ""],
)
def test_of_a_message_what_it_says_is_prose(greeting, closing):
    """Its heads, its greeting and its signature name people, and say nothing of them."""
    said = "The depot moves to Lund.\nJon Berg leads it."

    assert said == prose_of(f"{HEADS}{greeting}{said}{closing}").strip()
    assert f"{greeting}{said}{closing}" == prose_of(f"{greeting}{said}{closing}")
