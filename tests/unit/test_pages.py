"""Pages: what runs through all of them is read once, page numbers never, and words broken between lines are whole."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.ingestion.pages import tidied

PAGES = ("It rises in the hills.", "It is wide.", "It ends in the sea.", "It has a delta.")


@pytest.mark.parametrize(
    "number",
    ["{page}", "- {page} -", "Page {page}", "{page} of 4", "Page {page} / 4", "Seite {page} von 4", "S. {page}"],
)
def test_page_numbers_are_left_out(number):
    """As different languages write them, on any page that the first one may be."""
    for first in (1, 7):
        foot = [number.format(page=page) for page in range(first, first + 4)]
        assert list(PAGES) == tidied([f"{text}\n{end}" for text, end in zip(PAGES, foot, strict=True)])


def test_a_running_title_is_read_once():
    """Also if the left and the right pages have titles of their own."""
    heads = ("The Elbe", "Chapter One") * 2

    found = tidied([f"{head}\n{text}" for head, text in zip(heads, PAGES, strict=True)])

    assert [f"{head}\n{text}" for head, text in zip(heads, PAGES, strict=True)] == found
    repeated = tidied([f"{head}\n{text}" for head, text in zip(heads * 2, PAGES * 2, strict=True)])
    assert ["The Elbe\nIt rises in the hills.", "Chapter One\nIt is wide.", *PAGES[2:], *PAGES] == repeated


@pytest.mark.parametrize(
    "lines",
    [
        [f"Chapter {number}" for number in range(1, 5)],
        ["12", "7", "9", "30"],
        ["| 1 | a |", "| 1 | a |", "| 1 | a |", "| 1 | a |"],
        ["Total", "Total", "Sum", "Sum"],
    ],
)
def test_what_only_looks_like_it_stays(lines):
    """Chapters, numbers in no order, rows of tables, and what two pages have in common."""
    pages = [f"{line}\n{text}" for line, text in zip(lines, PAGES, strict=True)]

    assert pages == tidied(pages)


def test_a_page_of_nothing_else_stays():
    """So that it is not reported as one that cannot be read."""
    assert "Draft\n2" == tidied([f"{PAGES[0]}\nDraft\n1", "Draft\n2", f"{PAGES[1]}\nDraft\n3"])[1]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("the obser-\nvatory", "the observatory"),
        ("the obser\u00ad\n  vatory", "the observatory"),
        ("a well-\nknown bay; a well-known cape", "a well-known bay; a well-known cape"),
        ("Anne-\nMarie", "Anne-Marie"),
        ("1939-\n1945", "1939-\n1945"),
        ("it was -\nafter all", "it was -\nafter all"),
        ("- first\n- second", "- first\n- second"),
        ("o\ufb03ce of the \ufb01rst \ufb02ight", "office of the first flight"),
    ],
)
def test_words_are_whole(text, whole):
    """A hyphen that is written elsewhere stays, and that of a name."""
    assert [whole] == tidied([text])


@given(st.lists(st.text(), max_size=6))
def test_no_page_is_lost(texts):
    """Whatever they hold, and none becomes empty."""
    found = tidied(texts)

    assert len(texts) == len(found)
    assert all(after.strip() for before, after in zip(texts, found, strict=True) if before.strip())


def test_lines_without_end_cost_little():
    """Rows of signs, and words of a megabyte."""
    started = time.monotonic()

    tidied(["." * 100_000, "a" * 1_000_000, "-\n" * 100_000])

    assert time.monotonic() - started < 20
