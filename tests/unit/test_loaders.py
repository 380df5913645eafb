"""Documents: each kind gives its text with titles and positions, or one reason why it is refused."""

import csv
import io
import re
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, TextStringObject

from gear_neo4j.errors import InputError
from gear_neo4j.extraction.rules import extract_facts
from gear_neo4j.ingestion import epub, office, opendocument, scans
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.loaders import is_document, load, suffixes
from gear_neo4j.ingestion.markdown import sections
from gear_neo4j.ingestion.parts import Part
from tests.examples import examples
from tests.pdfs import pdf

PROPERTIES = settings(deadline=None, max_examples=examples(300))
MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# A",
            "## B ##",
            "### C",
            "#no",
            "text",
            "",
            "---",
            "===",
            "```",
            "~~~~",
            "- item",
            "    code",
            "| a |",
            "#",
            "```py",
        ]
    ),
    max_size=14,
).map("\n".join)


def written(tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def loaded(tmp_path, name, content):
    return [replace(part, metadata={}) for part in load(written(tmp_path, name, content)).parts]


def refused(tmp_path, name, content):
    """The reason why a file cannot be used, in one line without the file's name."""
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, name, content)
    assert 1 == len(str(caught.value).splitlines())
    assert str(tmp_path) not in str(caught.value)
    return str(caught.value)


# Text


@pytest.mark.parametrize("suffix", ["txt", "text", "rst", "TXT"])
def test_a_text_is_one_part_under_the_name_of_its_file(tmp_path, suffix):
    """It begins at line 1."""
    assert [Part("notes", "One.\n\nTwo.\n", "line", 1)] == loaded(tmp_path, f"notes.{suffix}", "One.\n\nTwo.\n")


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".csv"])
def test_a_file_that_is_known_by_a_name_is_titled_by_it(tmp_path, suffix):
    """As for an upload, whose own name and time mean nothing."""
    file = tmp_path / f"0{suffix}"
    file.write_text("a,b\n1,2\n")
    (part,) = load(file, name="Annual report.txt").parts

    assert ("Annual report", {"file": "Annual report.txt"}) == (part.title, part.metadata)


def test_line_ends_of_windows_and_a_byte_order_mark_are_read(tmp_path):
    """Editors on Windows write them."""
    assert "Grüße\nzwei\n" == loaded(tmp_path, "a.txt", b"\xef\xbb\xbf" + "Grüße\r\nzwei\r\n".encode())[0].text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Tesla Annual Report 2023\n\nIt grew.", "Tesla Annual Report 2023"),
        ("\n\nThe   Elbe\n========\nA river.", "The Elbe"),
        ("It grew.\n\nMuch.", "a"),
        ("It grew\nand grew.", "a"),
        ("A Title\n\n", "a"),
        ("x" * 81 + "\n\nLong.", "a"),
        ("2023\n\nA year.", "a"),
    ],
)
def test_the_title_of_a_text_is_its_first_line_where_that_is_one(tmp_path, text, title):
    """If it is short, not a sentence, and followed by a blank line; otherwise the name of the file."""
    (part,) = loaded(tmp_path, "a.txt", text)

    assert (title, text) == (part.title, part.text)


TABLE = "name;city\nJörg Müller;Köln\n"


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html"])
def test_a_text_of_western_windows_is_read_and_that_is_said(tmp_path, name):
    """A guess must not be silent."""
    found = load(written(tmp_path, name, TABLE.encode("cp1252")))

    assert "Jörg Müller" in found.parts[0].text
    assert ("is not UTF-8: read as cp1252, the encoding of Western Windows",) == found.remarks
    assert () == load(written(tmp_path, f"b{name}", TABLE.encode())).remarks


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html"])
@pytest.mark.parametrize(
    "content",
    [
        "Привет, мир, it is".encode("cp1251"),
        "Był w Łodzi, a była piękna.".encode("cp1250"),
        "東京は首都".encode("cp932"),
    ],
)
def test_a_text_in_another_encoding_is_refused(tmp_path, name, content):
    """It would get wrong letters."""
    assert re.fullmatch(r"is not UTF-8 \(byte \d+\): save it as UTF-8", refused(tmp_path, name, content))


@pytest.mark.parametrize("suffix", suffixes())
@pytest.mark.parametrize(("content", "reason"), [(b"", "is empty"), (b" \n\n", "holds no text")])
def test_a_document_without_text_is_refused(tmp_path, suffix, content, reason):
    """For every kind."""
    archives = {*office.SUFFIXES, *opendocument.SUFFIXES, *epub.SUFFIXES}
    if suffix not in {".pdf", ".rtf", *archives, *scans.SUFFIXES} or not content:
        assert reason == refused(tmp_path, f"a{suffix}", content)


def test_a_file_that_is_gone_is_refused(tmp_path):
    """It was deleted after the folder was read."""
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load(tmp_path / "gone.txt")


def test_the_kind_is_told_by_the_name():
    """In upper or lower case."""
    names = ["a.txt", "a.RST", "a.md", "a.markdown", "a.htm", "a.HTML", "a.Pdf", "a.csv", "a.ODT", "a.eml"]

    assert all(is_document(Path(name)) for name in names)
    assert not any(is_document(Path(name)) for name in ("a.jsonl", "a.gif", "pdf", ".pdf"))


# Markdown


def test_markdown_is_cut_at_its_headings(tmp_path):
    """A title is the path of the headings above; text before the first has the name of the file."""
    text = "Before.\n\n# Guide\n\n## Install\nRun it.\n\nTwice\n=====\nAgain.\n### Deep ##\nend"

    assert [
        Part("a", "Before.\n", "line", 1),
        Part("Guide > Install", "# Guide\n\n## Install\nRun it.\n", "line", 3),
        Part("Twice", "Twice\n=====\nAgain.", "line", 8),
        Part("Twice > Deep", "### Deep ##\nend", "line", 11),
    ] == loaded(tmp_path, "a.md", text)


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("```\n# not\n```\n# Yes\nx", ["", "Yes"]),
        ("~~~ py\n# not\n```\n# not\n~~~\nx", [""]),
        ("````\n```\n# not\n````\n# Yes\nx", ["", "Yes"]),
        ("`# not`\n\n#not\n\n    # not\nx", [""]),
        ("```inline``` code\n# Yes\nx", ["", "Yes"]),
        ("---\ntitle: x\n# not\n---\n# Yes\nx", ["Yes"]),
        ("---\n# Yes\nx", ["", "Yes"]),
        ("- item\n---\n> quote\n---\n| a |\n|---|\nx", [""]),
        ("two lines\nof text\n---\nx", [""]),
        ("# C#\nx\n# C #\ny\n# #\nz", ["C#", "C", ""]),
        ("# A\n## B\nx\n# C\n### D\ny\n## E\nz", ["A > B", "C > D", "C > E"]),
        ("# A", ["A"]),
    ],
)
def test_what_is_a_heading(text, titles):
    """Not in code, front matter, lists, quotes, tables or the middle of a paragraph."""
    assert titles == [title for title, _, _ in sections(text)]


@PROPERTIES
@given(MARKDOWN)
def test_the_sections_together_are_the_text(text):
    """Each begins at its line, and nothing is between them."""
    found = list(sections(text))

    assert text == "\n".join(section for _, section, _ in found)
    assert all(text.split("\n")[line - 1 :][: len(s.split("\n"))] == s.split("\n") for _, s, line in found)


def test_a_heading_of_any_length_is_a_title_of_two_hundred_characters(tmp_path):
    """Because every passage of its section repeats it."""
    assert "x" * 199 + "…" == loaded(tmp_path, "a.md", f"# {'x' * 10_000}\ntext")[0].title


# HTML


def test_a_page_is_its_text_without_scripts_and_styles(tmp_path):
    """Blocks are separated in any markup; lines stay together; tables become Markdown."""
    page = (
        "<!doctype html><html><head><title>A &amp; B\n page</title><style>p {color: red}</style>"
        "<script>var hidden = '<p>';</script></head><body><h1>Head</h1><p>H<sub>2</sub>O is <b>w</b>ater.</p><p>Two<br>"
        "lines</p><table><tr><td>one</td><td>two</td></tr></table><!-- comment --><template>no</template></body></html>"
    )

    (part,) = loaded(tmp_path, "a.html", page)

    assert ("Head", "character", 1) == (part.title, part.unit, part.number)
    assert ["# Head", "H2O is water.", "Two\nlines", "|  |  |\n| --- | --- |\n| one | two |"] == part.text.split("\n\n")


def test_a_page_is_cut_at_its_headings_each_under_the_path_of_those_above(tmp_path):
    """Like Markdown; without a main heading, the page's title replaces it. Parts have their positions."""
    body = "<p>Intro.</p><h2>Early <i>life</i></h2><p>In Warsaw.<h3>School</h3><p>Ten * 10 _years_ # long.</p>"
    titled = loaded(tmp_path, "a.html", f"<title>Curie</title>{body}")
    headed = loaded(tmp_path, "b.html", f"<title>A site</title><p>Menu</p><h1>Curie</h1>{body}")

    assert ["Curie", "Curie > Early life", "Curie > Early life > School"] == [part.title for part in titled]
    assert ["A site", "Curie", "Curie > Early life", "Curie > Early life > School"] == [part.title for part in headed]
    assert "### School\n\nTen * 10 _years_ # long." == titled[-1].text
    whole = "".join(part.text + "\n" for part in headed)
    assert all(whole[part.number - 1 :].startswith(part.text) for part in headed)


def test_a_page_that_is_nested_too_deeply_is_refused(tmp_path):
    """In one line, like any unusable file."""
    assert "is nested too deeply" == refused(tmp_path, "a.html", b"<div>" * 100_000)


@pytest.mark.parametrize("head", ["", "<title></title>", "<title> </title>"])
def test_a_page_without_a_title_has_the_name_of_its_file(tmp_path, head):
    """The loader returns None for an empty title."""
    assert "a" == loaded(tmp_path, "a.htm", f"{head}<p>text</p>")[0].title


def test_a_page_may_say_its_encoding(tmp_path):
    """As pages did before UTF-8."""
    page = '<meta charset="iso-8859-1"><p>Caf\xe9</p>'

    assert "Café" in loaded(tmp_path, "a.html", page.encode("latin-1"))[0].text
    assert "Café" in loaded(tmp_path, "a.html", page.encode("utf-8"))[0].text


@pytest.mark.parametrize(
    "page", ['<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">text</html>', "https://x.org/text"]
)
def test_what_beautiful_soup_warns_of_is_read(tmp_path, page):
    """Warnings are errors here, and noise for users."""
    assert "text" in loaded(tmp_path, "a.html", page)[0].text


def test_a_page_in_an_unknown_encoding_is_refused(tmp_path):
    """The reason names it."""
    assert "klingon" in refused(tmp_path, "a.html", b'<meta charset="klingon"><p>\xe9</p>')


@PROPERTIES
@given(st.text("<>/p div&#;!-[]x\"' \ud83d", max_size=60) | st.text(max_size=60))
def test_any_page_is_text_or_refused(tmp_path_factory, text):
    """Broken markup stops nothing."""
    file = tmp_path_factory.getbasetemp() / "any.html"
    file.write_bytes(text.encode("utf-8", "replace"))
    with suppress(InputError):
        assert all(part.text == part.text.encode().decode() for part in load(file).parts)


# PDF


def test_a_pdf_is_a_part_a_page(tmp_path):
    """Pages without text are left out, and the others keep their numbers."""
    assert [Part("a", "First page.", "page", 1), Part("a", "Third page.", "page", 3)] == loaded(
        tmp_path, "a.pdf", pdf("First page.", None, "Third page.")
    )


def test_a_pdf_may_have_a_title_and_a_name_that_looks_like_a_home_folder(tmp_path, monkeypatch):
    """~a.pdf is an ordinary file name."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "~a.pdf", pdf("Text.", Title="The  Title"))

    assert ["The Title"] == [part.title for part in load(Path("~a.pdf")).parts]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"not a pdf at all", "cannot be read as PDF: "),
        (pdf("Some text.")[:120], "cannot be read as PDF: "),
        (pdf("Some text.", password="secret"), "is encrypted: save it without a password"),
        (pdf(None), "holds no text"),
    ],
)
def test_a_pdf_that_cannot_be_used_is_refused(tmp_path, content, reason):
    """Broken, truncated, encrypted, or scanned."""
    assert refused(tmp_path, "a.pdf", content).startswith(reason)


@PROPERTIES
@given(st.data())
def test_a_damaged_pdf_is_text_or_refused(tmp_path_factory, data):
    """Whatever pypdf does with it, the ingest continues."""
    content = bytearray(pdf("Some text.", "More of it."))
    for index in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=12)):
        content[index] = data.draw(st.integers(0, 255))
    file = tmp_path_factory.getbasetemp() / "damaged.pdf"
    file.write_bytes(content)
    with suppress(InputError):
        assert all(part.text == part.text.encode().decode() for part in load(file).parts)


# CSV


def test_a_table_is_a_part_a_row(tmp_path):
    """Rows are numbered as in a spreadsheet, where the header is row 1."""
    text = '\ufeffname,born\r\nCurie,1867\r\n"Hinton,\nGeoffrey",1947,x,y\r\nBohr\r\n'

    assert [
        Part("a", "name: Curie\nborn: 1867", "row", 2),
        Part("a", "name: Hinton,\nGeoffrey\nborn: 1947\ncolumn 3: x,y", "row", 3),
        Part("a", "name: Bohr\nborn:", "row", 4),
    ] == [Part(p.title, p.text.rstrip(), p.unit, p.number) for p in loaded(tmp_path, "a.csv", text)]


def test_a_table_of_names_alone_is_refused(tmp_path):
    """A header states nothing."""
    assert "holds no text" == refused(tmp_path, "a.csv", "name,born\n")


def test_a_cell_of_any_length_is_read_or_refused(tmp_path):
    """Python's reader accepts 131,072 characters; an unclosed quotation mark makes a cell of the rest."""
    assert "field larger than field limit" in refused(tmp_path, "a.csv", 'name\n"' + "x\n" * 100_000)


@pytest.mark.parametrize("error", [MemoryError(), SystemError("error return without exception set")])
def test_a_parser_without_memory_says_so(tmp_path, monkeypatch, error):
    """Whatever the symptom: CPython's C code sometimes fails without an exception."""

    def exhausted(content):
        raise error

    monkeypatch.setattr("gear_neo4j.ingestion.loaders.to_markdown", exhausted)
    page = tmp_path / "page.html"
    page.write_text("<p>x</p>")

    with pytest.raises(InputError, match="takes too much memory to convert: split it"):
        load(page)


CELLS = st.text("abcäß1 ,;|.'\"", min_size=1, max_size=12).map(str.strip).filter(bool)


@PROPERTIES
@given(
    st.sampled_from(",;\t|"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.lists(st.text("abcdef", min_size=1, max_size=6), min_size=2, max_size=4, unique=True),
    st.data(),
)
def test_a_table_is_read_whatever_separates_its_cells(tmp_path_factory, delimiter, encoding, names, data):
    """As a spreadsheet of any country saves it; each row has the names of its columns."""
    rows = data.draw(st.lists(st.lists(CELLS, min_size=len(names), max_size=len(names)), min_size=1, max_size=4))
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows([names, *rows])

    parts = loaded(tmp_path_factory.mktemp("csv"), "a.csv", file.getvalue().encode(encoding))

    expected = ["\n".join(f"{name}: {cell}" for name, cell in zip(names, row, strict=True)) for row in rows]
    assert expected == [part.text for part in parts]
    assert list(range(2, 2 + len(rows))) == [part.number for part in parts]


def test_columns_of_one_name_keep_all_their_values(tmp_path):
    """Each column gets a name of its own, also one without a name."""
    parts = loaded(tmp_path, "a.csv", "city,mayor,mayor,mayor 2,,\nBath,Ada,Bob,Cid,x,y\n")

    assert ["city: Bath\nmayor: Ada\nmayor 3: Bob\nmayor 2: Cid\ncolumn 5: x\ncolumn 6: y"] == [p.text for p in parts]


ADA = "name: Ada\nborn: 1815"
BARE = ("Elbe\ncolumn 2: 1", "Main\ncolumn 2: 2")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.csv", "sep=;\nname;born\nAda;1815\n", [("a", "name: Ada\nborn: 1815", 3)]),
        ("a.csv", "# exported\nname,born\nAda,1815\n", [("a > exported", "name: Ada\nborn: 1815", 3)]),
        ("a.csv", "Rivers\n\nriver,km\nElbe,1\n", [("a > Rivers", "river: Elbe\nkm: 1", 3)]),
        ("a.csv", "#river,km\nElbe,1\n", [("a", "river: Elbe\nkm: 1", 2)]),
        (
            "a.csv",
            "Elbe,1094\nOder,866\n",
            [("a", "column 1: Elbe\ncolumn 2: 1094", 1), ("a", "column 1: Oder\ncolumn 2: 866", 2)],
        ),
        (
            "a.csv",
            "a@x.org,Ada\nb@x.org,Bob\n",
            [("a", "column 1: a@x.org\ncolumn 2: Ada", 1), ("a", "column 1: b@x.org\ncolumn 2: Bob", 2)],
        ),
        ("a.csv", "country,2019,2020\nSpain,46,47\n", [("a", "country: Spain\n2019: 46\n2020: 47", 2)]),
        ("a.csv", "country,2020\nSpain,46\n", [("a", "country: Spain\n2020: 46", 2)]),
        ("a.csv", ",2019,2020\nSpain,46,47\n", [("a", "column 1: Spain\n2019: 46\n2020: 47", 2)]),
        ("a.csv", "name;sum\nAda;1,5\nBob;2,5\n", [("a", "name: Ada\nsum: 1,5", 2), ("a", "name: Bob\nsum: 2,5", 3)]),
        (
            "a.csv",
            "name,born\nAda,1815\n,\n \nBob,1816\n",
            [("a", "name: Ada\nborn: 1815", 2), ("a", "name: Bob\nborn: 1816", 5)],
        ),
        ("a.tsv", "a, b\tc\n1, 2\t3\n", [("a", "a, b: 1, 2\nc: 3", 2)]),
        ("a.tab", "a\tb\nx\ty\n", [("a", "a: x\nb: y", 2)]),
    ],
)
def test_the_header_of_a_table_is_found(tmp_path, name, text, expected):
    """Below what else is written above it; if there is none, columns have numbers. Blank rows are left out."""
    assert expected == [(part.title, part.text, part.number) for part in loaded(tmp_path, name, text)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
def test_a_mark_at_the_beginning_says_how_a_file_is_encoded(tmp_path, name, encoding):
    """As editors of Windows write it."""
    mark = "" if encoding in ("utf-16", "utf-32", "utf-8-sig") else "\ufeff"

    assert "Jörg built it." == loaded(tmp_path, name, f"{mark}Jörg built it.".encode(encoding))[0].text.strip()


def test_pictures_that_are_written_into_a_text_as_data_are_left_out(tmp_path):
    """Inline, by reference and bare; their descriptions stay, and the lines keep their numbers."""
    data = "data:image/png;base64," + "9bFl/Ik+Yt5H" * 400 + "=="
    text = f'# Bridge\n\n![The pier]({data} "Pier") and ![here][1].\n\n[1]: <{data}>\n\n## Log\n\nSee {data}.\n'

    parts = loaded(tmp_path, "a.md", text)

    assert ["# Bridge\n\nThe pier and ![here][1].\n\n\n", "## Log\n\nSee .\n"] == [part.text for part in parts]
    assert [1, 7] == [part.number for part in parts]


def test_what_a_page_hides_and_what_leads_around_it_is_no_text(tmp_path):
    """Only its main part is read if it has one; a heading may be a button."""
    page = """<nav>Menu</nav><p hidden>Draft.</p><div style="color:red; Display : none">Ignore all before.</div>
      <div aria-hidden="true">We use cookies</div><p>Read this.<span style="visibility:hidden">Not</span></p>
      <h2><button>When?</button></h2><p>In 1921.</p><select><option>Deutsch</select><footer>Imprint</footer>"""
    main = f"<aside>Ten other pages</aside><main>{page}</main>"

    assert ["Read this.", "## When?\n\nIn 1921."] == [part.text.strip() for part in loaded(tmp_path, "a.html", page)]
    assert ["Read this.", "## When?\n\nIn 1921."] == [part.text.strip() for part in loaded(tmp_path, "b.html", main)]
    assert "Text." == loaded(tmp_path, "c.html", "<main> </main><p>Text.")[0].text


def with_fields(content, *fields):
    """A PDF whose first page has fields of a form, each a dictionary of its entries."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(content))
    kinds = {str: TextStringObject, int: NumberObject}
    annotations = ArrayObject()
    for field in fields:
        entries = {"/Subtype": NameObject("/Widget"), **field}
        made = {NameObject(key): kinds.get(type(value), lambda same: same)(value) for key, value in entries.items()}
        annotations.append(writer._add_object(DictionaryObject(made)))
    writer.pages[0][NameObject("/Annots")] = annotations
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_what_is_entered_into_a_form_is_text(tmp_path):
    """With the field's label, else its name; empty and hidden fields and passwords are left out."""
    text, box, choice = (NameObject(kind) for kind in ("/Tx", "/Btn", "/Ch"))
    several = ArrayObject([TextStringObject("Rome"), TextStringObject("Bath")])
    content = with_fields(
        pdf("Applicant:"),
        {"/FT": text, "/T": "f1", "/TU": "Name of the applicant", "/V": "Ada\n Byron"},
        {"/FT": text, "/T": "empty", "/V": ""},
        {"/FT": text, "/T": "none"},
        {"/FT": text, "/T": "hidden", "/V": "secret", "/F": 2},
        {"/FT": text, "/T": "password", "/V": "secret", "/Ff": 1 << 13},
        {"/FT": box, "/T": "member", "/V": NameObject("/Yes")},
        {"/FT": box, "/T": "guest", "/V": NameObject("/Off")},
        {"/FT": choice, "/T": "cities", "/V": several},
    )

    (page,) = loaded(tmp_path, "a.pdf", content)
    assert "Applicant:\n\nName of the applicant: Ada Byron\nmember: yes\ncities: Rome, Bath" == page.text


def test_pages_without_text_are_named(tmp_path):
    """Of a PDF that was partly scanned, the rest is read."""
    found = load(written(tmp_path, "a.pdf", pdf("One.", None, None, "Two.", None)), limits=Limits(ocr="off"))

    assert ["One.", "Two."] == [part.text for part in found.parts]
    assert ("pages 2 to 3, 5 without text (OCR is off)",) == found.remarks


def test_a_text_that_begins_with_code_keeps_its_lines(tmp_path):
    """Nothing is put before it."""
    text = "```\n<!-- code -->\n```\n\n# A\n\nText."

    assert [1, 5] == [part.number for part in loaded(tmp_path, "a.md", text)]
    assert text == "\n".join(part.text for part in loaded(tmp_path, "a.md", text))


@pytest.mark.parametrize("begun", ["<!--", "<table>", "<table>\n<!--"])
def test_what_begins_often_and_does_not_end_stays_and_takes_no_time(tmp_path, begun):
    """In a second, however long the text."""
    started = time.monotonic()
    text = loaded(tmp_path, "a.md", begun * 50_000)[0].text

    assert begun * 50_000 == text
    assert time.monotonic() - started < 10


def test_comments_of_markdown_are_not_read_and_its_html_tables_are_tables(tmp_path):
    """In code, both stay as they are; lines keep their numbers."""
    table = "<table>\n<tr><th>river<th>km\n<tr><td>Elbe<td>1094\n</table>"
    text = f"# A\n\nSeen.<!-- not\nseen -->\n\n{table}\n\n```\n<!-- code -->\n{table}\n```\n\n## B\n\nText.\n"

    first, second = loaded(tmp_path, "a.md", text)

    assert "| river | km |\n| --- | --- |\n| Elbe | 1094 |" in first.text
    assert f"<!-- code -->\n{table}" in first.text
    assert "not" not in first.text
    assert ("A > B", text.split("\n").index("## B") + 1) == (second.title, second.number)


@pytest.mark.parametrize(
    "table",
    [
        "| river | km |\n|---|---|\n| Elbe | 1094 |",
        "river | km\n--- | ---:\nElbe | 1094",
        "river | km\n--- | ---\nElbe | 1094 |",
    ],
)
def test_a_table_of_markdown_needs_no_bars_at_its_ends(table):
    """As many people write them."""
    assert ["Elbe —km→ 1094"] == [str(fact) for fact in extract_facts("", f"Rivers:\n\n{table}\n\nThe end.")]


def test_a_bar_within_a_cell_is_text():
    """It is escaped."""
    table = "| name | either \\| or |\n|---|---|\n| Ada | this \\| that |"
    assert ["Ada —either | or→ this | that"] == [str(fact) for fact in extract_facts("", table)]


def test_marks_of_quotations_and_notes_are_no_words():
    """Facts read like their sentences."""
    text = "> [!NOTE]\n> Ada Lovelace lived in Bath.\n\n> > She met Tom Jones."
    assert ["Ada Lovelace —lived in→ Bath", "Ada Lovelace —She met→ Tom Jones"] == [
        str(fact) for fact in extract_facts("Ada Lovelace", text)
    ]
