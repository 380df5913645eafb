"""Tables of PDFs: values stay below their heads, whatever is merged, and on the next page; what is no table is text."""

import pytest
from hypothesis import given, settings

from gear_neo4j.extraction.rules import extract_facts
from gear_neo4j.ingestion import pdf_tables
from gear_neo4j.ingestion.loaders import load
from tests.examples import examples
from tests.pdfs import grid, line, pdf, table
from tests.tables import merged_cells

STAFF = grid(("Name", "Phone", "Town"), ("Ada Byron", "", "Rome"), ("Bob Stone", "555-19", "Bath"))
FACTS = {"Ada Byron —Town→ Rome", "Bob Stone —Phone→ 555-19", "Bob Stone —Town→ Bath"}


def texts(folder, *pages):
    (folder / "a.pdf").write_bytes(pdf(*pages))
    return [part.text for part in load(folder / "a.pdf").parts]


def facts(*texts):
    return {str(fact) for text in texts for fact in extract_facts("", text)}


def test_an_empty_cell_keeps_the_others_in_their_columns(tmp_path):
    """What stands before and after the table stays there."""
    (text,) = texts(tmp_path, line("The staff:", 72, 720) + table(STAFF) + line("As of 2024.", 72, 600))

    before, *rows, after = [row for row in text.split("\n") if row]
    assert ("The staff:", "As of 2024.") == (before, after)
    assert ["| Name | Phone | Town |", "| --- | --- | --- |", "| Ada Byron |  | Rome |"] == rows[:3]
    assert facts(text) >= FACTS


@settings(deadline=None, max_examples=examples(60))
@given(merged_cells(least=2))
def test_a_merged_cell_is_in_each_of_its_rows_and_columns(tmp_path_factory, drawn):
    """Whatever is merged, the columns are those of the grid; as many rows as the first one has are its heads."""
    expected, cells = drawn
    lefts, tops = {cell[1] for cell in cells}, {cell[0] for cell in cells}
    # A row or column whose cells all belong to others is not drawn.
    expected = [[row[left] for left in sorted(lefts)] for top, row in enumerate(expected) if top in tops]
    found = texts(tmp_path_factory.getbasetemp(), table(cells))

    if len(lefts) < 2:
        assert "|" not in "".join(found)
        return
    rows = [row.strip("| ").split(" | ") for row in found[0].split("\n") if row.startswith("|") and "---" not in row]
    # Heads that are equal in all columns are a title, and several rows of heads are one.
    assert expected[-1] == rows[-1]
    below = [row for row in rows if row in expected]
    assert below == expected[len(expected) - len(below) :]


def test_several_rows_of_heads_are_one(tmp_path):
    """A cell that is as high as two rows says how many they are."""
    head = [(0, 0, 2, 1, "Region"), (0, 1, 1, 2, "2023"), (0, 3, 1, 2, "2024")]
    below = [(1, column, 1, 1, text) for column, text in enumerate(("Units", "Sales", "Units", "Sales"), start=1)]
    values = [(2, column, 1, 1, text) for column, text in enumerate(("North", "10", "1,000", "12", "1,300"))]

    (text,) = texts(tmp_path, table(head + below + values))

    assert "| Region | 2023 Units | 2023 Sales | 2024 Units | 2024 Sales |" in text
    assert "| North | 10 | 1,000 | 12 | 1,300 |" in text


@pytest.mark.parametrize("repeated", [True, False])
@pytest.mark.parametrize("before", [1, 2])
def test_a_table_goes_on_on_the_next_page(tmp_path, repeated, before):
    """With its heads, whether the page repeats them or not; page numbers stand between its parts.

    The first page may hold no more than the heads.
    """
    first, second = STAFF[: 3 * before], [(row - before, *rest) for row, *rest in STAFF[3 * before :]]
    heads = [(0, column, 1, 1, text) for column, text in enumerate(("Name", "Phone", "Town"))]
    second = heads + [(row + 1, *rest) for row, *rest in second] if repeated else second
    foot = [line(f"Page {page} of 2", 72, 30) for page in (1, 2)]

    found = texts(tmp_path, table(first) + foot[0], table(second, top=760) + foot[1])

    assert facts(*found) >= FACTS
    first_row = ("| Ada Byron |  | Rome |", "| Bob Stone | 555-19 | Bath |")[before - 1]
    assert found[1].startswith(f"| Name | Phone | Town |\n| --- | --- | --- |\n{first_row}")


@pytest.mark.parametrize("between", ["Crew:", ""])
def test_another_table_on_the_next_page_has_its_own_heads(tmp_path, between):
    """It stands below a line of its own, or has other columns."""
    ships, crew = (
        grid(("Ship", "Built", "Yard"), ("Heron", "1988", "Leith")),
        grid(("Sailor", "Rank", "Ship"), ("Noor", "Mate", "Heron")),
    )
    page = line(between, 72, 780) + table(crew, top=760, width=90 if between else 60)

    _, second = texts(tmp_path, table(ships), page)

    assert "Ship: " not in second
    assert "| Sailor | Rank | Ship |" in second
    assert "Built" not in second


def test_two_columns_are_names_and_values_unless_their_heads_are_bold(tmp_path):
    """As in a table of Word."""
    named = grid(("Name", "Heron"), ("Built", "1988"))
    ships = grid(("Ship", "Built"), ("Heron", "1988"))

    plain, bold = texts(tmp_path, table(named), table(ships, bold=1))

    assert "| Name | Heron |\n| Built | 1988 |" in plain
    assert bold.startswith("| Ship | Built |\n| --- | --- |\n| Heron | 1988 |")


@pytest.mark.parametrize(
    "drawn",
    [
        table(grid(("A text in a box.",))),
        table(
            [(row, column, 1, 1, "A text." if row == column == 0 else "") for row in range(4) for column in range(4)]
        ),
    ],
)
def test_a_frame_is_no_table(tmp_path, drawn):
    """Nor is a net of lines behind a picture."""
    (text,) = texts(tmp_path, drawn)

    assert text in ("A text in a box.", "A text.")


def test_a_page_whose_tables_cannot_be_read_is_read_without_them(tmp_path, monkeypatch):
    """Another library reads them, which may refuse what the first one reads."""

    def broken(*_):
        raise ValueError("no such font")

    monkeypatch.setattr(pdf_tables, "_flow", broken)
    (text,) = texts(tmp_path, table(STAFF))

    assert "Ada Byron" in text
    assert "|" not in text


def test_a_password_of_the_owner_does_not_hide_the_tables(tmp_path):
    """Everybody may open such a file."""
    import io

    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(table(STAFF))))
    writer.encrypt("", "owner", algorithm="AES-256")
    writer.write(tmp_path / "a.pdf")

    (part,) = load(tmp_path / "a.pdf").parts

    assert facts(part.text) >= FACTS
