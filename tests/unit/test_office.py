"""Word, PowerPoint and Excel files: text with titles and positions, or one reason why they are refused."""

import io
import time
from contextlib import suppress
from datetime import datetime
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import parse_xml
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx.util import Inches

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion import office
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, MIB, Limits
from gear_neo4j.ingestion.loaders import is_document, load, suffixes
from gear_neo4j.ingestion.sources import files_to_ingest
from tests.examples import examples
from tests.office import TABLE, changed, part, sheets, slides, word

DOCUMENT = word(("Title", "Report"), ("Heading 1", "Sales"), "They rose.", author="Ada", title="A report")
DECK = slides(("Opening", "One\nTwo"), ("Figures", "Three"), title="Talk", author="Ada")
BOOK = sheets(Sales=TABLE)
WORD, SLIDE, SHEET = "word/document.xml", "ppt/slides/slide1.xml", "xl/worksheets/sheet1.xml"
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "lol"}">' for n in range(10))


@pytest.fixture
def read(tmp_path):
    """Load a file with this content; returns its parts."""

    def read(name, content, limits=DEFAULT_LIMITS):
        (tmp_path / name).write_bytes(content)
        return load(tmp_path / name, limits=limits).parts

    return read


@pytest.fixture
def refused(read):
    """The line that says why a file cannot be used."""

    def refused(name, content, limits=DEFAULT_LIMITS):
        with pytest.raises(InputError) as caught:
            read(name, content, limits)
        assert 1 == len(str(caught.value).splitlines())
        return str(caught.value)

    return refused


def texts(parts):
    return [(part.title, part.text, part.unit, part.number) for part in parts]


# Word


def test_a_document_of_word_is_cut_at_its_headings(read):
    """Each part with the path of headings above it, lists and tables as Markdown, and the core properties."""
    content = word(
        ("Title", "Annual report"),
        "Intro.",
        ("Heading 1", "Sales"),
        ("List Bullet", "They rose."),
        [["City", "Sold", "Left"], ["Paris", "3", "1"]],
        ("Heading 2", "Costs"),
        "They fell.",
        author="Ada",
        subject="Money",
        keywords="a, b",
    )

    parts = read("a.docx", content)

    assert ["Annual report", "Annual report > Sales", "Annual report > Sales > Costs"] == [one.title for one in parts]
    assert "# Annual report\n\nIntro.\n" == parts[0].text
    table = "| City | Sold | Left |\n| --- | --- | --- |\n| Paris | 3 | 1 |"
    assert f"## Sales\n\n- They rose.\n\n{table}\n" == parts[1].text
    assert ["character"] * 3 == [one.unit for one in parts]
    expected = {"author": "Ada", "date": "2024-05-31T10:00:00Z", "keywords": ["a", "b"]}
    assert expected.items() <= parts[0].metadata.items()


def test_a_document_without_headings_has_the_title_that_its_properties_give(read):
    """Or else the name of its file."""
    assert "A report" == read("a.docx", word("Text.", title="A report"))[0].title
    assert "a" == read("a.docx", word("Text."))[0].title


def test_comments_and_deleted_text_of_word_are_left_out(read):
    """Insertions under tracked changes and footnotes are kept."""
    document = docx.Document()
    paragraph = document.add_paragraph("Plain.")
    document.add_comment(paragraph.runs, text="A remark", author="Bob")
    out = io.BytesIO()
    document.save(out)
    tracked = (
        '<w:del w:id="1" w:author="B"><w:r><w:delText>Gone.</w:delText></w:r></w:del>'
        '<w:ins w:id="2" w:author="B"><w:r><w:t>Added.</w:t></w:r></w:ins></w:p>'
    )
    xml = part(out.getvalue(), WORD).decode().replace("</w:p>", tracked, 1)

    assert "Plain.Added." == read("a.docx", changed(out.getvalue(), {WORD: xml}))[0].text


def test_a_document_of_word_reaches_for_nothing_outside_of_it(read, tmp_path):
    """Neither for a linked picture nor for a template, and it cannot bring its own style map."""
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"secret")
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    picture = (
        f'<w:p><w:r><w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        f'xmlns:r="{relation}" r:link="rId77"/></w:drawing></w:r></w:p>'
    )
    xml = part(DOCUMENT, WORD).decode().replace("<w:sectPr", f"{picture}<w:sectPr", 1)
    rels = part(DOCUMENT, "word/_rels/document.xml.rels").decode()
    linked = f'<Relationship Id="rId77" Type="{relation}/image" Target="file://{secret}" TargetMode="External"/>'
    content = changed(
        DOCUMENT,
        {
            WORD: xml,
            "word/_rels/document.xml.rels": rels.replace("</Relationships>", f"{linked}</Relationships>"),
            "mammoth/style-map": "p => script",
        },
    )

    [one] = read("a.docx", content)

    assert ("Report > Sales", "# Report\n\n## Sales\n\nThey rose.") == (one.title, one.text)


# PowerPoint


def test_a_slide_is_a_part(read):
    """Its title, its texts from top to bottom, its tables and its notes; hidden slides are left out."""
    parts = read(
        "a.pptx", slides(("Opening", "One\nTwo"), ("Secret", "x"), ("End", "y"), hidden=[2], notes="Say hello.")
    )

    assert [
        ("Opening", "# Opening\n\nOne\nTwo\n\nSay hello.", "slide", 1),
        ("End", "# End\n\ny", "slide", 3),
    ] == texts(parts)
    assert "Talk > Opening" == read("a.pptx", DECK)[0].title
    assert "Ada" == read("a.pptx", DECK)[0].metadata["author"]


def test_tables_and_groups_of_a_slide_are_read(read):
    """As Markdown tables, anywhere on the slide."""
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    table = slide.shapes.add_table(2, 2, 0, Inches(3), Inches(4), Inches(1)).table
    for index, text in {(0, 0): "City", (0, 1): "Sold", (1, 0): "Paris", (1, 1): "3|4"}.items():
        table.cell(*index).text = text
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, Inches(1), Inches(1), Inches(1)).text_frame.text = "Below"
    slide.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "Above"
    out = io.BytesIO()
    presentation.save(out)

    [one] = read("deck.pptx", out.getvalue())

    assert ("deck", "slide") == (one.title, one.unit)
    assert ["Above", "Below", "| City | Sold |\n| --- | --- |\n| Paris | 3\\|4 |"] == one.text.split("\n\n")


# Excel


def test_a_row_of_a_sheet_is_a_part(read):
    """Its cells with their column headers; hidden sheets and comments are left out."""
    parts = read("prices.xlsx", sheets(Sales=TABLE, Secret=[["x", "y"], [1, 2]], hidden=["Secret"], comment="remark"))

    assert [
        ("prices > Sales", "City: Paris\nSold: 3\nSince: 2024-05-01", "row", 2),
        ("prices > Sales", "City: Rome", "row", 3),
    ] == texts(parts)
    assert {"author": "Ada", "date": "2024-05-31T10:00:00Z"}.items() <= parts[0].metadata.items()


def test_a_sheet_without_heads_is_its_cells(read):
    """A header has at least two texts; a single text above it is just text."""
    titled = sheets(A=[["Sales of 2024"], [], ["City", "Sold"], ["Paris", 3, "new"]])
    numbers = sheets(A=[["Revenue", 100.5], ["Costs", 0.1 + 0.2], [datetime(2024, 5, 1, 12, 30), "#REF!", True]])

    assert ["Sales of 2024", "City: Paris\nSold: 3\ncolumn 3: new"] == [one.text for one in read("a.xlsx", titled)]
    assert ["Revenue, 100.5", "Costs, 0.3", "2024-05-01 12:30:00, True"] == [
        one.text for one in read("a.xlsx", numbers)
    ]


def merged_sheet(rows, *ranges):
    book = openpyxl.load_workbook(io.BytesIO(sheets(A=rows)))
    for cells in ranges:
        book["A"].merge_cells(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_a_merged_cell_of_a_sheet_counts_in_each_row_and_column(read):
    """A title over all columns stays a title, and a long text is not repeated."""
    title, long = ["Sales (internal)", None, None], "x" * 300
    rows = [title, ["Region", "Manager", "Note"], ["North", "Ada", long], [None, "Bob"], ["South", "same", None]]
    content = merged_sheet(rows, "A1:C1", "A3:A4", "C3:C4", "B5:C5")

    assert [
        "Sales (internal)",
        f"Region: North\nManager: Ada\nNote: {long}",
        "Region: North\nManager: Bob",
        "Region: South\nManager: same\nNote: same",
    ] == [one.text for one in read("a.xlsx", content)]


def test_shares_are_read_as_they_are_shown(read):
    """In any format of shares; other numbers of the sheet stay."""
    book = openpyxl.load_workbook(
        io.BytesIO(sheets(A=[["Town", "Share", "Rate", "Staff"], ["Oslo", 0.12, 0.045, 0.5]]))
    )
    for cell, shown in (("B2", "0%"), ("C2", "0.0 %"), ("D2", "0.0")):
        book["A"][cell].number_format = shown
    out = io.BytesIO()
    book.save(out)

    assert ["Town: Oslo\nShare: 12%\nRate: 4.5%\nStaff: 0.5"] == [one.text for one in read("a.xlsx", out.getvalue())]


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (1200.5, '#,##0.00 "€"', "1200.5 €"),
        (1200.5, "[$€-407] #,##0.00", "€1200.5"),
        (12, '"$"#,##0_);\\("$"#,##0\\)', "$12"),
        (-3, '0 "kg"', "-3 kg"),
        (4217, "00000", "04217"),
        (4217.5, "00000", "4217.5"),
        (3, "General", "3"),
        (3, "0.00", "3"),
        ("text", '0 "kg"', "text"),
        (True, "0%", "True"),
    ],
)
def test_a_number_is_read_with_its_unit(read, value, form, shown):
    """And a code with the zeros that it begins with."""
    book = openpyxl.load_workbook(io.BytesIO(sheets(A=[["Item", "Value"], ["Lamp", value]])))
    book["A"]["B2"].number_format = form
    out = io.BytesIO()
    book.save(out)

    assert [f"Item: Lamp\nValue: {shown}"] == [one.text for one in read("a.xlsx", out.getvalue())]


def test_formulas_without_values_are_counted(tmp_path):
    """Programs that only write a file do not compute them; the cells beside them are read."""
    (tmp_path / "a.xlsx").write_bytes(
        sheets(A=[["Item", "Net", "Gross"], ["Lamp", 10, "=B2*2"], ["Desk", 20, "=B3*2"]])
    )

    found = load(tmp_path / "a.xlsx")

    assert ["Item: Lamp\nNet: 10", "Item: Desk\nNet: 20"] == [part.text for part in found.parts]
    assert ("2 formulas have no value in the sheet A: open it in a spreadsheet program, and save it",) == found.remarks


def test_a_sheet_that_is_one_merged_cell_costs_nothing(read):
    """However large it says it is; so do thousands of ranges."""
    plain = sheets(A=[["a", "b"], ["c", "d"]])
    many = ["A1:XFD1048576", *(f"A{n}:XFD{n + 900_000}" for n in range(1, 2_000))]
    ranges = "".join(f'<mergeCell ref="{cells}"/>' for cells in many).encode()
    sheet = part(plain, SHEET).replace(b"</sheetData>", b"</sheetData><mergeCells>" + ranges + b"</mergeCells>")
    started = time.monotonic()

    assert ["a: c\nb: d"] == [one.text[:9] for one in read("a.xlsx", changed(plain, {SHEET: sheet}))]
    assert time.monotonic() - started < 10


def test_years_may_be_the_heads_of_a_sheet(read):
    """Several different ones next to a text; other numbers are values."""
    years = sheets(A=[["Country", 2022, 2023], ["Norway", 10, 20]])

    assert ["Country: Norway\n2022: 10\n2023: 20"] == [one.text for one in read("a.xlsx", years)]
    assert ["Oslo, 1952", "Rome, 1960"] == [
        one.text for one in read("a.xlsx", sheets(A=[["Oslo", 1952], ["Rome", 1960]]))
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            [["river", "length", "length"], [None, "km", "miles"], ["Elbe", 1, 2]],
            ["river: Elbe\nlength km: 1\nlength miles: 2"],
        ),
        ([["team", "coach", "coach"], ["Owls", "Ada", "Bob"]], ["team: Owls\ncoach: Ada\ncoach 2: Bob"]),
        ([[None, 2019, 2020, "x"], ["Total", 1, 2, "y"]], ["column 1: Total\n2019: 1\n2020: 2\nx: y"]),
        (
            [["river", "km"], ["Elbe", 1], [], ["town", "mayor"], ["Bath", "Ada"]],
            ["river: Elbe\nkm: 1", "town: Bath\nmayor: Ada"],
        ),
        (
            [["town", "mayor"], ["Bath", "Ada"], [], ["Rome", "Bob"]],
            ["town: Bath\nmayor: Ada", "town: Rome\nmayor: Bob"],
        ),
        ([["river", "km"], ["Elbe", 1], [], ["Oder", 2]], ["river: Elbe\nkm: 1", "river: Oder\nkm: 2"]),
    ],
)
def test_the_heads_of_a_sheet_are_those_that_a_reader_sees(read, rows, expected):
    """Two rows of them, equal ones, one without a text, and those of a second table below the first."""
    assert expected == [one.text for one in read("a.xlsx", sheets(A=rows))]


def test_a_merged_cell_of_a_slide_counts_in_each_row_and_column(read):
    """As it looks on the slide."""
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    table = slide.shapes.add_table(3, 2, 0, 0, 9_000_000, 3_000_000).table
    for (row, column), text in {(0, 0): "team", (0, 1): "city", (1, 0): "Owls", (1, 1): "Rome", (2, 1): "Bath"}.items():
        table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    out = io.BytesIO()
    deck.save(out)

    (one,) = read("a.pptx", out.getvalue())
    assert ["| team | city |", "| --- | --- |", "| Owls | Rome |", "| Owls | Bath |"] == [
        line.strip() for line in one.text.replace("| --- | --- |", "| --- | --- |").splitlines()
    ]


# Kinds, limits, hostile and broken files


@pytest.mark.parametrize(("name", "content"), [("a.docm", DOCUMENT), ("a.pptm", DECK), ("a.xlsm", BOOK)])
def test_a_file_with_macros_is_read_without_them(read, name, content):
    """They are never opened."""
    assert read(name, changed(content, {"word/vbaProject.bin": b"\xcc\x61"}))


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
POWER = "<m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
SHARE = "<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
ROOT = "<m:rad><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad>"


def with_xml(*parts):
    """A document of which each paragraph has other XML behind its text."""
    document = docx.Document()
    for text, xml in parts:
        document.add_paragraph(text)._p.append(parse_xml(xml))
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        (f"<m:oMath {M}><m:r><m:t>E=m</m:t></m:r>{POWER}</m:oMath>", "So E=mc^2"),
        (f"<m:oMathPara {M}><m:oMath>{SHARE}</m:oMath></m:oMathPara>", "So (a+b)/2"),
        (f"<m:oMath {M}>{ROOT}</m:oMath>", "So √(x)"),
        (f"<w:r {W}><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>", "So"),
        (f'<w:r {W}><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r>', "So shown"),
    ],
)
def test_formulas_of_word_are_text_and_hidden_text_is_not(read, xml, text):
    """As a reader of the document sees it."""
    assert text == read("a.docx", with_xml(("So ", xml)))[0].text


def test_a_head_of_a_word_table_that_spans_rows_makes_all_of_them_heads(read):
    """Their texts are joined."""
    document = docx.Document()
    rows = [["river", "length", ""], ["", "km", "miles"], ["Elbe", "1", "2"]]
    table = document.add_table(3, 3)
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 0).merge(table.cell(1, 0))
    out = io.BytesIO()
    document.save(out)

    assert (
        "| river | length km | length miles |\n| --- | --- | --- |\n| Elbe | 1 | 2 |"
        in read("a.docx", out.getvalue())[0].text
    )


@pytest.mark.parametrize(("name", "content"), [("a.docx", DOCUMENT), ("a.pptx", DECK), ("a.xlsx", BOOK)])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_of_xml_are_refused(refused, name, content, encoding):
    """A billion laughs in any part and any encoding; no office program writes entities."""
    bomb = f'<?xml version="1.0" encoding="{encoding}"?><!-- x --><!DOCTYPE a [{LAUGHS}]><a>&l9;</a>'.encode(encoding)

    assert "defines entities of XML, as no office program does" == refused(name, changed(content, {"any.bin": bomb}))


@pytest.mark.parametrize(("name", "content"), [("a.docx", DOCUMENT), ("a.pptx", DECK), ("a.xlsx", BOOK)])
def test_an_archive_that_expands_without_end_is_refused(refused, name, content):
    """Before any part is read; a file of a few kB claims, or contains, a hundred MiB."""
    bomb = changed(content, {"bomb.xml": b" " * (16 * MIB)})

    assert len(bomb) < 100_000
    assert "expands to more than 8 MiB: split it" == refused(name, bomb, Limits(expanded=8 * MIB))


def test_an_archive_that_hides_its_size_is_not_read_beyond_it(refused):
    """zipfile reads no more than the checked size."""
    bomb = changed(DOCUMENT, {WORD: part(DOCUMENT, WORD) + b" " * (16 * MIB)})
    size = len(part(DOCUMENT, WORD)) + 16 * MIB
    lying = bomb.replace(size.to_bytes(4, "little"), (1_000).to_bytes(4, "little"))

    assert lying != bomb
    assert "cannot be read as DOCX: Bad CRC-32" in refused("a.docx", lying, Limits(expanded=8 * MIB))


def test_archives_in_a_document_are_not_opened(read):
    """Nested zip bombs are just bytes."""
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        archive.writestr("0", b"\0" * (64 * MIB))
    content = changed(DOCUMENT, {"word/embeddings/bomb.zip": out.getvalue()})

    assert read("a.docx", content, Limits(expanded=2 * MIB))


SHEETS = {
    "size": ('<dimension ref="A1:XFD1048576"/>', '<row r="1"><c r="A1"><v>7</v></c></row>', "7"),
    "corner": ("", '<row r="1048576"><c r="XFD1048576"><v>7</v></c></row>', "7"),
    "wide": ("", "".join(f'<row r="{n}"><c r="XFD{n}"><v>7</v></c></row>' for n in range(1, 9_999)), None),
    "beyond": ("", '<row r="99999999999"><c r="A99999999999"><v>7</v></c></row>', None),
}


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_that_claims_every_cell_costs_what_it_holds(read, refused, name):
    """Sixteen thousand million cells, by its dimension or by a cell in the far corner."""
    dimension, rows, text = SHEETS[name]
    xml = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"{dimension}<sheetData>{rows}</sheetData></worksheet>"
    )
    content = changed(BOOK, {SHEET: xml})
    started = time.monotonic()

    if text:
        assert [text] == [one.text for one in read("a.xlsx", content)]
    else:
        reason = refused("a.xlsx", content, Limits(characters=1_000_000))
        assert reason in ("holds more than 1,000,000 cells: split it", "holds no text")
    assert time.monotonic() - started < 30


def test_a_presentation_of_too_many_slides_is_refused(refused):
    """Before the first is read."""
    assert "has more than 1 slides: split it" == refused("a.pptx", DECK, Limits(pages=1))


def test_tables_in_tables_without_end_are_refused(refused):
    """In one line, like nested elements of a page."""
    deep = "<w:tbl><w:tr><w:tc>" * 3_000 + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * 3_000
    xml = part(DOCUMENT, WORD).decode().replace("<w:sectPr", f"{deep}<w:sectPr", 1)

    assert "is nested too deeply" == refused("a.docx", changed(DOCUMENT, {WORD: xml}))


@pytest.mark.parametrize("suffix", sorted(office.SUFFIXES))
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b" \n\n", "File is not a zip file"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "is encrypted or older than 2007"),
        (BOOK[:900], "cannot be read as "),
    ],
)
def test_what_is_no_office_file_is_refused(refused, suffix, content, reason):
    """Plain text, a file with a password, a truncated one."""
    assert reason in refused(f"a{suffix}", content)


@pytest.mark.parametrize(("name", "content"), [("a.docx", word()), ("a.pptx", slides()), ("a.xlsx", sheets(A=[]))])
def test_an_office_file_without_text_is_refused(refused, name, content):
    """Like a document of any kind."""
    assert "holds no text" == refused(name, content)


@settings(deadline=None, max_examples=examples(40))
@given(st.sampled_from([("docx", DOCUMENT, WORD), ("pptx", DECK, SLIDE), ("xlsx", BOOK, SHEET)]), st.data())
def test_a_damaged_file_is_text_or_refused(tmp_path_factory, kind, data):
    """Whether the archive or its XML is damaged, the ingest continues."""
    suffix, content, name = kind
    inside = data.draw(st.booleans())
    damaged = bytearray(part(content, name) if inside else content)
    for index in data.draw(st.lists(st.integers(0, len(damaged) - 1), min_size=1, max_size=8)):
        damaged[index] = data.draw(st.integers(0, 255))
    file = tmp_path_factory.getbasetemp() / f"damaged.{suffix}"
    file.write_bytes(changed(content, {name: bytes(damaged)}) if inside else damaged)
    with suppress(InputError):
        parts = load(file, limits=Limits(characters=100_000)).parts
        assert all(one.text == one.text.encode().decode() for one in parts)


# The extra


@pytest.fixture
def without_extra(monkeypatch):
    monkeypatch.setattr(office, "is_installed", lambda: False)


def test_without_the_extra_an_office_file_is_skipped_or_refused_with_the_way_to_read_it(without_extra, tmp_path):
    """In a folder it is skipped like other kinds; if it is named, the line says what to install."""
    for name in ("a.docx", "b.txt"):
        (tmp_path / name).write_text("text")

    assert {".docx": 1} == files_to_ingest([tmp_path]).skipped
    assert not is_document(tmp_path / "a.docx")
    assert ".docx" not in suffixes()
    with pytest.raises(InputError, match=r"a\.docx cannot be read here: .* pip install 'gear-neo4j\[office\]'"):
        files_to_ingest([tmp_path / "a.docx"])
