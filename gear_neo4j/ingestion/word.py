"""Changes a Word document before it is converted: hidden text goes, and formulas become text."""

from io import BytesIO
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

from gear_neo4j.ingestion import xml

DOCUMENT = "word/document.xml"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
# What can make a change necessary.
_MARKS = (b":vanish", b":oMath")
_OFF = frozenset({"0", "false", "off"})
# What stands between the two parts of a formula, by its element.
_BETWEEN = {"sSup": "^", "sSub": "_", "f": "/"}


def prepared(path: Path) -> IO[bytes]:
    """The document, open for reading, with its formulas on one line and without text that Word hides.

    Raises:
        Exception: it is not an archive, or its XML is broken.
    """
    with ZipFile(path) as archive:
        names = archive.namelist()
        content = archive.read(DOCUMENT) if DOCUMENT in names else b""
        if not any(mark in content for mark in _MARKS):
            return path.open("rb")
        changed = BytesIO()
        with ZipFile(changed, "w") as copy:
            for name in dict.fromkeys(names):
                copy.writestr(name, _readable(content) if name == DOCUMENT else archive.read(name))
    changed.seek(0)
    return changed


def _readable(content: bytes) -> bytes:
    from lxml.etree import SubElement, tostring

    root = xml.parsed(content)
    for run in [*root.iter(f"{_W}r")]:
        hidden = run.find(f"{_W}rPr/{_W}vanish")
        if hidden is not None and hidden.get(f"{_W}val") not in _OFF:
            run.getparent().remove(run)
    for formula in [*root.iter(f"{_M}oMath")]:
        text = _linear(formula)
        tail = formula.tail
        formula.clear()
        formula.tag, formula.tail = f"{_W}r", tail
        SubElement(formula, f"{_W}t").text = text
    for paragraph in [*root.iter(f"{_M}oMathPara")]:
        # A run in a paragraph of formulas would not be read.
        paragraph.tag = f"{_W}ins"
    return bytes(tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


def _linear(element: Any) -> str:
    """A formula on one line: E=mc^2."""
    name = str(element.tag).removeprefix(_M)
    if name == "t":
        return element.text or ""
    texts = [text for child in element if (text := _linear(child))]
    match name:
        case "rad":
            return f"√({''.join(texts)})"
        case "d":
            return f"({', '.join(texts)})"
        case "f" | "sSup" | "sSub" if len(texts) == 2:
            return _BETWEEN[name].join(text if len(text) == 1 or text.isalnum() else f"({text})" for text in texts)
    return "".join(texts)
