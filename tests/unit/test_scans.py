"""Scanned pages and pictures are read by OCR: by the real Tesseract, of pictures drawn here."""

import io
import os
import shutil
from pathlib import Path

import pytest
from PIL import Image

from gear_neo4j.errors import InputError, SettingsError, TemporaryFailure
from gear_neo4j.ingestion import ocr
from gear_neo4j.ingestion.conversion import Converter
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.loaders import is_document, load
from tests.pdfs import pdf
from tests.scanned import LEASE, drawn, scanned
from tests.waiting import settle

needs_tesseract = pytest.mark.usefixtures("tesseract")


def joined(*documents):
    """PDFs as one."""
    import pypdf

    writer, out = pypdf.PdfWriter(), io.BytesIO()
    for document in documents:
        writer.append(io.BytesIO(document))
    writer.write(out)
    return out.getvalue()


@pytest.fixture
def put(tmp_path):
    """Writes a file."""

    def write(name, content):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@needs_tesseract
def test_scanned_pages_are_read_between_the_others(put):
    """With their confidence; a blank page is no problem."""
    text = "The harbour office keeps this agreement. " * 4
    file = put("lease.pdf", joined(pdf(text), scanned(LEASE, None, drawn(LEASE).rotate(90, expand=True))))

    loaded = load(file)

    assert [(1, None), (2, True), (4, True)] == [
        (part.number, part.confidence and part.confidence > 0.8) for part in loaded.parts
    ]
    assert [LEASE, LEASE] == [part.text for part in loaded.parts[1:]]
    assert () == loaded.remarks
    assert loaded.parts[0].metadata["ocr_confidence"] > 0.8


@needs_tesseract
def test_a_scan_with_a_line_of_the_scanner_is_read(put):
    """A page with little text is a scan if a picture covers it."""
    import pypdf

    writer, out = pypdf.PdfWriter(clone_from=io.BytesIO(scanned(LEASE))), io.BytesIO()
    writer.pages[0].merge_page(pypdf.PdfReader(io.BytesIO(pdf("Scanned by office 3"))).pages[0])
    writer.write(out)

    (part,) = load(put("scan.pdf", out.getvalue())).parts
    assert "Mara Lindqvist on 4 May 2019" in part.text

    (part,) = load(put("short.pdf", pdf("The end."))).parts
    assert ("The end.", None) == (part.text, part.confidence)


@needs_tesseract
def test_pictures_are_documents(put):
    """Each page of a TIFF is a page."""
    out = io.BytesIO()
    drawn(LEASE).save(out, "TIFF", save_all=True, append_images=[drawn("The landlord is Vasa Estates.")])
    first, second = load(put("lease.tiff", out.getvalue())).parts
    assert (LEASE, 1, "page") == (first.text, first.number, first.unit)
    assert ("The landlord is Vasa Estates.", 2) == (second.text, second.number)

    out = io.BytesIO()
    drawn(LEASE).save(out, "PNG")
    file = put("lease.PNG", out.getvalue())
    assert is_document(file)
    assert [LEASE] == [part.text for part in load(file).parts]
    with pytest.raises(InputError, match="^is a picture, and OCR is off$"):
        load(file, limits=Limits(ocr="off"))


@needs_tesseract
def test_what_is_hard_to_read_is_named(put):
    """And what cannot be read at all."""
    blurred = drawn(LEASE, size=22).resize((330, 466)).resize((1654, 2339))
    photo = Image.linear_gradient("L").resize((1654, 2339))

    loaded = load(put("bad.pdf", scanned(LEASE, blurred, photo)))

    assert "page 2 may be misread: OCR is less than 70% sure" in loaded.remarks
    assert "page 3 without text that OCR can read" in loaded.remarks
    assert loaded.parts[0].metadata["ocr_confidence"] < 0.7


@needs_tesseract
@pytest.mark.parametrize(
    "content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 64], ids=["empty", "text", "cut"]
)
def test_a_broken_picture_is_one_line(put, content):
    """Of Tesseract's own messages, nothing is shown."""
    with pytest.raises(InputError, match="^(is empty|cannot be read as a picture)$"):
        load(put("broken.png", content))


@needs_tesseract
def test_languages_are_checked_before_a_document_is_read():
    """Also by a converter."""
    assert ocr.Tesseract("eng") == ocr.chosen("eng")
    for choice in ("tlh", "eng+tlh", "", "eng+"):
        with pytest.raises(SettingsError, match="Tesseract has no language"):
            Converter(Limits(ocr=choice))
    assert ocr.chosen("off") is None
    assert "eng" == ocr.chosen("auto").languages.split("+")[0]


@needs_tesseract
def test_the_time_limit_is_for_each_page(put, monkeypatch, tmp_path):
    """Two pages take longer than one may; a page that never ends is killed with its program."""
    note = drawn("The rent is 2,450 euros.").crop((100, 150, 800, 300))
    file = put("scan.pdf", scanned(note, note.rotate(180)))
    program = tmp_path / "bin" / "tesseract"
    program.parent.mkdir()
    real = shutil.which("tesseract")
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    def slowed(seconds):
        program.write_text(
            f'#!/bin/sh\n[ "$1" = stdin ] && {{ echo $$ > {tmp_path}/pid; sleep {seconds}; }}\nexec {real} "$@"\n'
        )
        program.chmod(0o755)

    slowed(4)
    with Converter(Limits(seconds=7)) as converter:
        # The process starts before the time counts.
        converter.convert(put("first.txt", b"It rains."), size=1_000)
        assert 2 == len(converter.convert(file, size=1_000).passages)

    slowed(600)
    with Converter(Limits(seconds=7)) as converter, pytest.raises(TemporaryFailure, match="takes longer than 7 s"):
        converter.convert(file, size=1_000)
    pid = int((tmp_path / "pid").read_text())
    assert settle(lambda: not _runs(pid), seconds=10), "the program still runs"


def _runs(pid):
    try:
        status = Path(f"/proc/{pid}/stat").read_text("ascii")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_without_tesseract_the_pages_are_named_with_the_way_to_read_them(put, monkeypatch):
    """And pictures are not documents."""
    monkeypatch.setattr(ocr, "_installed", frozenset)
    file = put("part.pdf", pdf("Some text", None))

    assert ("page 2 without text (scanned pages need OCR: install Tesseract)",) == load(file).remarks
    assert ("page 2 without text (OCR is off)",) == load(file, limits=Limits(ocr="off")).remarks
    assert not is_document(put("a.png", b"x"))
    with pytest.raises(SettingsError, match="apt install tesseract-ocr"):
        Converter(Limits(ocr="deu"))
