"""Tables with lines between rows only: their values are below their heads, or they are read as text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.ingestion.loaders import load
from tests.examples import examples
from tests.pdfs import line, pdf, ruled

SCORES = (
    ("Model", "Size", "Score"),
    ("Alpha small", "22 M", "61.2"),
    ("Beta large", "", "74.9"),
    ("Gamma", "7 B", "80.1"),
)
MARKDOWN = (
    "| Model | Size | Score |\n| --- | --- | --- |\n| Alpha small | 22 M | 61.2 |\n| Beta large |  | 74.9 |\n"
    "| Gamma | 7 B | 80.1 |"
)


def text(folder, *drawn):
    (folder / "a.pdf").write_bytes(pdf(b"".join(drawn)))
    (part,) = load(folder / "a.pdf").parts
    return part.text


def test_three_lines_are_those_of_a_book(tmp_path):
    """Above the heads, below them, and at the end; what is around the table stays there."""
    found = text(tmp_path, line("Results:", 72, 720), ruled(SCORES, below=(0, 3)), line("Higher is better.", 72, 600))

    assert f"Results:\n\n{MARKDOWN}\n\nHigher is better." == found


def test_each_row_may_have_a_line(tmp_path):
    """As in a table of a web page."""
    assert MARKDOWN == text(tmp_path, ruled(SCORES, below=range(4)))


def test_two_tables_of_one_width(tmp_path):
    """With a text between them."""
    second = (("Town", "River", "Mouth"), ("Dresden", "Elbe", "North Sea"), ("Ulm", "Danube", "Black Sea"))
    found = text(
        tmp_path,
        ruled(SCORES, below=(0, 3)),
        line("Other things follow in this line of text.", 72, 600),
        ruled(second, below=(0, 2), top=580),
    )

    assert MARKDOWN in found
    assert "| Town | River | Mouth |\n| --- | --- | --- |\n| Dresden | Elbe | North Sea |" in found


def test_a_cell_of_two_lines_is_one(tmp_path):
    """If the first column says where a row begins."""
    rows = (("Name", "Aim"), ("Barrier", "Replaces the"), ("", "gates by 2031"), ("Depot", "Moves to Lund"))

    assert "| Barrier | Replaces the gates by 2031 |\n| Depot | Moves to Lund |" in text(
        tmp_path, ruled(rows, below=(0, 3))
    )


def test_rows_that_cannot_be_told_apart_are_text(tmp_path):
    """A line with the first cell alone may be its second line, or the head of a group."""
    rows = (("Name", "Aim"), ("Northern", "Measures"), ("Lights", ""), ("Depot", "Moves"))

    found = text(tmp_path, ruled(rows, below=(0, 3)))

    assert "|" not in found
    assert "Lights" in found


def test_prose_between_lines_is_text(tmp_path):
    """Of one column or two."""
    prose = [("The first sentence of the left column is long", "The right column has another long sentence.")] * 6

    assert "|" not in text(tmp_path, ruled(prose, below=(2, 5), width=230))
    assert "|" not in text(tmp_path, ruled([("A Journal", "Page 3"), *prose], below=(0, 6), width=230))
    assert "|" not in text(tmp_path, ruled([("One long line of text that goes on",)] * 4, below=(0, 1, 3), width=400))


CELLS = st.from_regex(r"[A-Z][a-z]{1,7}( [a-z]{1,4})?", fullmatch=True)


@settings(deadline=None, max_examples=examples(60))
@given(st.data())
def test_values_are_below_their_heads_or_the_table_is_text(tmp_path_factory, data):
    """Whatever the cells are, and whichever are empty."""
    width = data.draw(st.integers(2, 4))
    heads = data.draw(st.lists(CELLS, min_size=width, max_size=width))
    rows = data.draw(
        st.lists(st.lists(st.one_of(CELLS, st.just("")), min_size=width, max_size=width), min_size=2, max_size=5)
    )
    below = data.draw(st.sampled_from([(0, len(rows)), tuple(range(len(rows) + 1))]))

    found = text(tmp_path_factory.getbasetemp(), ruled([heads, *rows], below=below))

    lines = [[cell.strip() for cell in row.strip("|").split("|")] for row in found.split("\n") if row.startswith("|")]
    if lines:
        merged = []
        for row in rows:
            if row[0]:
                merged.append(row)
            else:
                merged[-1] = [" ".join(filter(None, cells)) for cells in zip(merged[-1], row, strict=True)]
        assert [heads, ["---"] * width, *merged] == lines
    else:
        assert all(cell in found for row in rows for cell in row)
