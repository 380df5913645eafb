"""OpenDocument: texts, sheets and slides are read as those of Office, without what readers do not see."""

import pytest
from hypothesis import given, settings

from gear_neo4j.errors import InputError
from gear_neo4j.extraction.rules import extract_facts
from gear_neo4j.ingestion.limits import MIB, Limits
from gear_neo4j.ingestion.loaders import load
from gear_neo4j.ingestion.parts import Part
from tests.examples import examples
from tests.opendocument import cell, merged_rows, opendocument, table
from tests.tables import merged_cells

META = (
    "<dc:title>Norvik</dc:title><meta:initial-creator>Ada Marlow</meta:initial-creator><dc:creator>Eve</dc:creator>"
    "<meta:creation-date>2024-05-31T10:00:00</meta:creation-date><meta:keyword>depot</meta:keyword>"
)


def loaded(folder, name, *given, **options):
    (folder / name).write_bytes(opendocument(*given, **options))
    return load(folder / name).parts


def text(inner):
    return f"<office:text>{inner}</office:text>"


def test_a_text_is_cut_at_its_headings(tmp_path):
    """Spaces, line breaks, lists, links and notes are those of the text."""
    body = text(
        '<text:h text:outline-level="1">Depot</text:h><text:p>It<text:s/>moves <text:a>to <text:span>Lund</text:span>'
        "</text:a>.<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>In June.</text:p>"
        "</text:note-body></text:note></text:p><text:list><text:list-item><text:p>a<text:line-break/>b</text:p>"
        "</text:list-item><text:list-item><text:p>c</text:p></text:list-item></text:list>"
        '<text:h text:outline-level="2">Staff</text:h><text:p>Jon Berg &amp; sons</text:p>'
    )

    depot, staff = loaded(tmp_path, "a.odt", body, meta=META)

    assert ("Norvik > Depot", "Norvik > Depot > Staff") == (depot.title, staff.title)
    assert "It moves to Lund. (In June.)\n\n- a\n  b\n- c" in depot.text
    assert staff.text.endswith("Jon Berg & sons")
    assert ("Ada Marlow", "2024-05-31T10:00:00") == (depot.metadata["author"], depot.metadata["date"])
    assert ["depot"] == depot.metadata["keywords"]


def test_what_readers_do_not_see_is_left_out(tmp_path):
    """Comments, deleted and hidden text; what follows them stays."""
    styles = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
    body = text(
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:p>One<office:annotation><text:p>"
        'comment</text:p></office:annotation>, <text:span text:style-name="H">hidden</text:span>two.</text:p>'
        '<text:p text:style-name="H">hidden</text:p><text:section text:display="none"><text:p>hidden</text:p>'
        "</text:section><text:p>Three.</text:p>"
    )

    (part,) = loaded(tmp_path, "a.odt", body, styles=styles)

    assert "One, two.\n\nThree." == part.text


@settings(deadline=None, max_examples=examples(60))
@given(merged_cells())
def test_a_merged_cell_is_in_each_of_its_rows_and_columns(tmp_path_factory, drawn):
    """In a text below a header, and in a sheet."""
    grid, cells = drawn
    width = len(grid[0])
    head = [[cell(f"h{column}") for column in range(width)]]
    rows = table(head + merged_rows(cells, len(grid)))
    folder = tmp_path_factory.getbasetemp()

    (page,) = loaded(folder, "a.odt", text(rows))
    lines = [line.strip("| ").split(" | ") for line in page.text.split("\n")[-len(grid) :]]
    sheet = loaded(folder, "a.ods", f"<office:spreadsheet>{rows}</office:spreadsheet>")

    assert grid == lines
    if width > 1:
        expected = [{f"h{column}: {value}" for column, value in enumerate(row)} for row in grid]
        # A cell that is alone in its row is a title: it is not repeated.
        assert all(any(set(part.text.split("\n")) <= row for row in expected) for part in sheet)
        assert all(cell[4] in "".join(part.text for part in sheet) for cell in cells)


def test_a_sheet_is_a_part_a_row(tmp_path):
    """Numbers, dates and shares have the forms of those of Excel; a hidden sheet is not read."""
    styles = '<style:style style:name="H"><style:table-properties table:display="false"/></style:style>'
    rows = [
        [cell("Town"), cell("Built"), cell("Workers"), cell("Share"), cell("", repeated=16_000)],
        [
            cell("Bergen"),
            cell("31.05.24", kind="date", date_value="2024-05-31"),
            cell("1.200,5", kind="float", value="1200.5"),
            cell("12 %", kind="percentage", value="0.12"),
        ],
        [cell("Oslo"), cell(""), cell("90", kind="float", value="90")],
    ]
    hidden = table([[cell("secret")]]).replace("<table:table ", '<table:table table:style-name="H" ')
    empty = '<table:table-row table:number-rows-repeated="1048576"><table:table-cell/></table:table-row></table:table>'
    sheet = table(rows, name="Plants").replace("</table:table>", empty)

    parts = loaded(tmp_path, "a.ods", f"<office:spreadsheet>{sheet}{hidden}</office:spreadsheet>", styles=styles)

    assert [
        ("a > Plants", "Town: Bergen\nBuilt: 2024-05-31\nWorkers: 1200.5\nShare: 12%", 2),
        ("a > Plants", "Town: Oslo\nWorkers: 90", 3),
    ] == [(part.title, part.text, part.number) for part in parts]


def test_a_slide_is_a_part(tmp_path):
    """Its title, its texts and its notes; a hidden one is not read, nor its number."""
    styles = (
        '<style:style style:name="H"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )

    def frame(kind, inner):
        box = f"<draw:text-box><text:p>{inner}</text:p></draw:text-box>"
        return f'<draw:frame presentation:class="{kind}">{box}</draw:frame>'

    body = (
        f"<office:presentation><draw:page>{frame('title', 'Plans')}{frame('outline', 'It moves.')}"
        f"{frame('page-number', '1')}<presentation:notes>{frame('notes', 'Say why.')}</presentation:notes></draw:page>"
        f'<draw:page draw:style-name="H">{frame("title", "Secret")}</draw:page></office:presentation>'
    )

    (slide,) = loaded(tmp_path, "a.odp", body, styles=styles)

    assert Part("Plans", "# Plans\n\nIt moves.\n\nSay why.", "slide", 1, slide.metadata) == slide


def test_the_facts_of_a_table_are_those_of_its_rows(tmp_path):
    """As in every other format."""
    cells = [(0, 0, 1, 1, "Country"), (0, 1, 1, 1, "Town"), (0, 2, 1, 1, "Chief"), (1, 0, 2, 1, "Norway")]
    cells += [(1, 1, 1, 1, "Oslo"), (1, 2, 1, 1, "Ada Moe"), (2, 1, 1, 1, "Moss"), (2, 2, 1, 1, "Bo Lie")]
    (part,) = loaded(tmp_path, "a.odt", text(table(merged_rows(cells, 3))))

    facts = set(map(str, extract_facts("", part.text)))

    assert {"Norway —Town→ Oslo", "Norway —Town→ Moss", "Norway —Chief→ Bo Lie"} <= facts


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no archive", "cannot be read as OpenDocument"),
        (opendocument(text(""), manifest="<e:encryption-data/>"), "is encrypted"),
        (opendocument(text("<text:p>"))[:300], "cannot be read as OpenDocument"),
        (opendocument(text("<text:p>x</text:p>" * 100_000)), "expands to more than 1 MiB: split it"),
        (opendocument(text("")), "holds no text"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path, content, reason):
    """Broken, encrypted, too large, or empty."""
    (tmp_path / "a.odt").write_bytes(content)

    with pytest.raises(InputError, match=reason):
        load(tmp_path / "a.odt", limits=Limits(expanded=MIB))


def test_a_sheet_that_repeats_its_rows_without_end_is_refused(tmp_path):
    """Some kilobytes would be gigabytes."""
    row = f'<table:table-row table:number-rows-repeated="1000">{cell("x")}</table:table-row>'
    sheet = f"<office:spreadsheet><table:table>{row * 1_200}</table:table></office:spreadsheet>"
    (tmp_path / "a.ods").write_bytes(opendocument(sheet))

    with pytest.raises(InputError, match="has a sheet of more than 1,100,000 rows: split it"):
        load(tmp_path / "a.ods")


def test_entities_are_not_expanded(tmp_path):
    """A few bytes could become gigabytes."""
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    content = opendocument(text("<text:p>&l9;</text:p>"), doctype=f'<!DOCTYPE x [<!ENTITY l0 "laugh">{laughs}]>')
    (tmp_path / "a.odt").write_bytes(content)

    with pytest.raises(InputError, match="cannot be read as OpenDocument"):
        load(tmp_path / "a.odt")
