"""RTF as word processors write it: headings, tables, letters of any script, and what no reader sees."""

import pytest

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.loaders import load

HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}"
    r"{\stylesheet{\s0 Normal;}{\s1\sb240{\*\soutlvl0} heading 1;}}{\info{\title Rivers}}"
)
TABLE = (
    r"\trowd\trhdr\cellx2000\cellx4000\pard\intbl River\cell Length\line (km)\cell\row"
    r"\trowd\cellx2000\cellx4000\pard\intbl Elbe\par\cell 1094\cell\row"
    r"\trowd\cellx2000\cellx4000\pard\intbl Vltava\cell 430\cell\row\pard "
)


@pytest.fixture
def read(tmp_path):
    """The parts of an RTF document with this body."""

    def read(body):
        (tmp_path / "a.rtf").write_text(HEAD + body + "}", "ascii")
        return load(tmp_path / "a.rtf").parts

    return read


def text(parts):
    return "\n".join(part.text for part in parts)


def test_headings_are_those_of_styles_and_of_levels(read):
    """Word processors write one or the other."""
    parts = read(
        r"\pard\plain\s1 Bohemia\par\pard\s0 The Elbe rises here.\par"
        r"\pard\outlinelevel1 Lengths\par\pard It is long.\par"
    )

    assert ["Bohemia", "Bohemia > Lengths"] == [part.title for part in parts]
    assert ["The Elbe rises here.", "It is long."] == [part.text.splitlines()[-1] for part in parts if part.text]


def test_a_table_is_one_of_markdown(read):
    """With the heads that it marks; a break of a line within a cell ends no row."""
    assert "| River | Length (km) |\n| --- | --- |\n| Elbe | 1094 |\n| Vltava | 430 |" in text(
        read(r"\pard Before.\par" + TABLE + "After.")
    )


def row(*cells):
    """A row of cells, each with its right edge, what it continues, and its text."""
    defined = "".join(rf"{merged}\cellx{edge}" for edge, merged, _ in cells)
    texts = "".join(rf"{text}\cell " for *_, text in cells)
    return rf"\trowd{defined}\pard\intbl {texts}\row"


def test_merged_cells_are_told_by_their_edges_and_signs(read):
    """A cell over two columns, one that goes on from above, and one that goes on from before."""
    parts = read(
        row((2000, "", "Both"), (3000, "", "Town"))
        + row((1000, "", "km"), (2000, "", "miles"), (3000, "", ""))
        + row((1000, r"\clvmgf", "7"), (2000, "", "4"), (3000, "", "Rome"))
        + row((1000, r"\clvmrg", ""), (2000, "", "5"), (3000, "", "Bath"))
        + row((1000, r"\clmgf", "none"), (2000, r"\clmrg", ""), (3000, "", "Kiel"))
    )

    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text(parts).splitlines() if "|" in line]
    assert [["7", "4", "Rome"], ["7", "5", "Bath"], ["none", "none", "Kiel"]] == rows[-3:]


def test_a_row_without_a_definition_is_like_the_row_before_it(read):
    """Some programs define the columns once; none of the cells is lost."""
    again = r"\pard\intbl Oder\cell 866\cell\row\pard "

    assert "| Vltava | 430 |\n| Oder | 866 |" in text(read(TABLE.removesuffix(r"\pard ") + again))


def test_a_bar_of_the_text_ends_no_cell(read):
    """Nor does the line with it become a row."""
    assert "a|b and c|" in text(read(r"\pard a|b and c|\par Next."))


@pytest.mark.parametrize(
    ("written", "letters"),
    [
        (r"Krkono\u353?e", "Krkonoše"),
        (r"\u26085?\u-26732?", "日" + chr(0x10000 - 26732)),
        (r"Gr\'f6\'dfe", "Größe"),
        (r"it\rquote s \ldblquote it\rdblquote  \emdash  5\~km", "it’s “it” — 5 km"),
    ],
)
def test_letters_of_any_script_are_read(read, written, letters):
    """By their numbers, or by the code page of the file."""
    assert letters in text(read(rf"\pard {written}\par"))


def test_bytes_of_the_code_page_are_read(tmp_path):
    """Some programs write them as they are."""
    (tmp_path / "a.rtf").write_bytes(HEAD.encode() + "\\pard Größe\\par}".encode("cp1252"))

    assert "Größe" in text(load(tmp_path / "a.rtf").parts)


def test_what_no_reader_sees_is_left_out(read):
    """Hidden text, headers, footnotes and pictures."""
    parts = read(
        r"{\header Page head}\pard Seen {\v hidden}here{\footnote A note.}.\par"
        r"{\pict\pngblip 89504e470d0a}{\*\generator Any;}"
    )

    assert "# Rivers\n\nSeen here." == text(parts).strip()


def test_lists_are_lists(read):
    """Whatever sign stands before an item."""
    assert "- One\n- Two" in text(read(r"\pard\bullet\tab One\par\bullet\tab Two\par"))


def test_another_file_is_refused(tmp_path):
    """In a line that says so."""
    (tmp_path / "a.rtf").write_text("plain text")

    with pytest.raises(InputError, match="is no RTF, despite its name"):
        load(tmp_path / "a.rtf")


@pytest.mark.parametrize(
    "body", ["{" * 5_000, "}" * 50, r"\trowd" * 2_000, r"\u99999999?", r"\'zz", "\\", r"\trowd\cellx5" + " x" * 50_000]
)
def test_a_broken_file_is_text_or_refused(read, body):
    """Never another error."""
    try:
        read(r"\pard Text. " + body)
    except InputError:
        return
