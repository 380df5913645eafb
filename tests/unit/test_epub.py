"""EPUB: the chapters of a book in the order in which they are read, under its title."""

import io
import zipfile

import pytest

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.limits import MIB, Limits
from gear_neo4j.ingestion.loaders import load

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)
META = "<dc:title>The Elbe</dc:title><dc:creator>Ada Marlow</dc:creator><dc:language>en</dc:language>"


def book(chapters, spine, *, encrypted=(), meta=META):
    """A book of chapters by file name; the spine says their order."""
    items = "".join(f'<item id="i{number}" href="{name}"/>' for number, name in enumerate(chapters))
    names = list(chapters)
    order = "".join(f'<itemref idref="i{names.index(name)}"{more}/>' for name, more in spine)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("META-INF/container.xml", CONTAINER)
        if encrypted:
            references = "".join(f'<CipherReference URI="OEBPS/{name}"/>' for name in encrypted)
            package.writestr("META-INF/encryption.xml", f'<encryption xmlns="x">{references}</encryption>')
        package.writestr(
            "OEBPS/book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<metadata>{meta}</metadata><manifest>{items}</manifest><spine>{order}</spine></package>",
        )
        for name, content in chapters.items():
            package.writestr(f"OEBPS/{name.replace('%20', ' ')}", content)
    return written.getvalue()


def page(inner):
    return f'<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body>{inner}</body></html>'


CHAPTERS = {
    "two.xhtml": page("<h1>Delta</h1><p>It ends at <b>Cuxhaven</b>.</p>"),
    "part%20one.xhtml": page("<h1>Source</h1><p>It rises in Bohemia.</p><h2>Height</h2><p>1,386 m.</p>"),
    "cover.xhtml": page("<p>Cover</p>"),
}
SPINE = [("cover.xhtml", ' linear="no"'), ("part%20one.xhtml", ""), ("two.xhtml", "")]


def test_chapters_come_in_the_order_of_the_spine(tmp_path):
    """Each is cut at its headings; what is beside the text is left out."""
    (tmp_path / "a.epub").write_bytes(book(CHAPTERS, SPINE))

    parts = load(tmp_path / "a.epub").parts

    assert [
        ("The Elbe > Source", "chapter", 1),
        ("The Elbe > Source > Height", "chapter", 1),
        ("The Elbe > Delta", "chapter", 2),
    ] == [(part.title, part.unit, part.number) for part in parts]
    assert "It ends at Cuxhaven." in parts[2].text
    assert {"author": "Ada Marlow", "language": "en"}.items() <= parts[0].metadata.items()


def test_encrypted_fonts_do_not_matter_and_chapters_do(tmp_path):
    """Many free books have such fonts."""
    (tmp_path / "a.epub").write_bytes(book(CHAPTERS, SPINE, encrypted=["font.otf"]))
    (tmp_path / "b.epub").write_bytes(book(CHAPTERS, SPINE, encrypted=["two.xhtml"]))

    assert 3 == len(load(tmp_path / "a.epub").parts)
    with pytest.raises(InputError, match="is encrypted"):
        load(tmp_path / "b.epub")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no archive", "cannot be read as EPUB"),
        (book(CHAPTERS, SPINE)[:400], "cannot be read as EPUB"),
        (book({"a.xhtml": page("<p>x</p>" * 200_000)}, [("a.xhtml", "")]), "expands to more than 1 MiB: split it"),
        (book(CHAPTERS, []), "holds no text"),
    ],
)
def test_a_book_that_cannot_be_used_is_refused(tmp_path, content, reason):
    """Broken, too large, or empty."""
    (tmp_path / "a.epub").write_bytes(content)

    with pytest.raises(InputError, match=reason):
        load(tmp_path / "a.epub", limits=Limits(expanded=MIB))
