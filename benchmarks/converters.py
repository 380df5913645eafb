"""Converters of documents on the same tables: ``python -m benchmarks.converters [NAME=PYTHON ...]``.

LibreOffice (``soffice``) prints each table as PDF and saves it in other formats. Each converter reads every file, and
each value of a table is looked up in the result: it is right below its own head in its own row, wrong below another
head, and else missing, for example in a line of text. Names are ``kreuzberg`` and ``markitdown``, with the Python of an
environment that has them; gear-neo4j is always measured.
"""

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.loaders import is_document, load

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "converters.json"
FORMATS = {
    "html": "",
    "pdf": "writer_pdf_Export",
    "docx": "MS Word 2007 XML",
    "odt": "writer8",
    "rtf": "Rich Text Format",
}
# Each reads the files that it is given, and prints a line of JSON with the texts, or null for what it refuses.
RIVALS = {
    "kreuzberg": "from kreuzberg import ExtractionConfig, extract_file_sync as read\n"
    "convert = lambda path: read(path, config=ExtractionConfig(output_format='markdown')).content",
    "markitdown": "from markitdown import MarkItDown\nreader = MarkItDown()\n"
    "convert = lambda path: reader.convert(path).text_content",
}
LOOP = """
import json, sys, time
for path in sys.argv[1:]:
    started = time.perf_counter()
    try:
        text = convert(path)
    except Exception as error:
        text = None
    print(json.dumps([text, time.perf_counter() - started]), flush=True)
"""
Grid = Sequence[Sequence[str]]
STAFF: Grid = (
    ("Name", "Phone", "Town"),
    ("Ada Moe", "", "Rome"),
    ("Bob Lie", "55-19", "Bath"),
    ("Cleo Ray", "55-20", ""),
)
PLANTS: Grid = (
    ("Country", "Town", "Workers"),
    ("Norway", "Bergen", "120"),
    ("Norway", "Oslo", "340"),
    ("Sweden", "Lund", "75"),
)
SALES: Grid = (
    ("Region", "2023 Units", "2023 Sales", "2024 Units", "2024 Sales"),
    ("North", "10", "1,000", "12", "1,300"),
    ("South", "20", "2,100", "25", "2,700"),
)
PROJECTS: Grid = (
    ("Project", "Aim", "Leader"),
    ("Northern Lights Programme", "Measures the aurora with six cameras on three islands", "Ingrid Solheim"),
    ("Tidal Barrier Renewal", "Replaces the gates of the barrier by 2031", "Pieter van den Broek"),
)
REGISTER: Grid = (("Name", "Town", "Born"), *((f"Person {n}", f"Town {n % 7}", str(1900 + n)) for n in range(1, 91)))


def documents() -> dict[str, tuple[str, Grid]]:
    """By name, tables as HTML, and the values that a reader sees in each row below each head."""
    merged = (
        f"{_rows(PLANTS[:1])}<tr><td rowspan=2>Norway</td><td>Bergen</td><td>120</td></tr>"
        f"<tr><td>Oslo</td><td>340</td></tr>{_rows(PLANTS[3:], head='td')}"
    )
    years = "".join(f"<th colspan=2>{year}</th>" for year in (2023, 2024))
    heads = (
        f"<tr><th rowspan=2>Region</th>{years}</tr><tr>{'<th>Units</th><th>Sales</th>' * 2}</tr>"
        f"{_rows(SALES[1:], head='td')}"
    )
    return {
        "empty cells": (f"<table border=1>{_rows(STAFF)}</table>", STAFF),
        "merged rows": (f"<table border=1>{merged}</table>", PLANTS),
        "two rows of heads": (f"<table border=1>{heads}</table>", SALES),
        "wrapped cells": (f"<table border=1 width=300>{_rows(PROJECTS)}</table>", PROJECTS),
        "several pages": (f"<table border=1>{_rows(REGISTER)}</table>", REGISTER),
        "plain heads": (f"<table border=1>{_rows(SALES, head='td')}</table>", SALES),
        "as in a book": (_book(STAFF), STAFF),
        "no lines": (f"<table>{_rows(STAFF)}</table>", STAFF),
    }


def _rows(grid: Grid, *, head: str = "th") -> str:
    kinds = [head, *["td"] * len(grid)]
    rows = ("".join(f"<{kind}>{cell}</{kind}>" for cell in row) for kind, row in zip(kinds, grid, strict=False))
    return "".join(f"<tr>{row}</tr>" for row in rows)


def _book(grid: Grid) -> str:
    """A table with lines above and below its heads, and at its end."""
    lines = ["border-top: 1px solid; border-bottom: 1px solid", *[""] * (len(grid) - 2), "border-bottom: 1px solid"]
    rows = (
        "".join(f"<td width=150 style='{style}'>{cell}</td>" for cell in row)
        for style, row in zip(lines, grid, strict=True)
    )
    table = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table width=450 cellspacing=0 style='border-collapse: collapse'>{table}</table>"


def values(text: str) -> Iterator[tuple[str, str, str]]:
    """The values of the tables in Markdown: the first cell of the row, the head, and the value."""
    heads: list[str] = []
    for line in text.split("\n"):
        if not line.strip().startswith("|"):
            heads = []
            continue
        cells = [" ".join(cell.split()) for cell in line.strip().strip("|").split("|")]
        if not heads:
            heads = cells
        elif not set("".join(cells)) <= set("-: "):
            yield from ((cells[0], head, cell) for head, cell in zip(heads, cells, strict=False) if head and cell)


def judged(text: str | None, grid: Grid) -> Counter[str]:
    """How many values are right, wrong and missing."""
    found = set(values(text or ""))
    heads, *rows = grid
    counts: Counter[str] = Counter()
    for row in rows:
        own = {(row[0], head, cell) for head, cell in zip(heads, row, strict=True) if cell}
        counts["right"] += len(own & found)
        counts["missing"] += len(own - found)
    seen = {(row[0], head, cell) for row in rows for head, cell in zip(heads, row, strict=True)}
    counts["wrong"] = len({one for one in found - seen if one[2] in {cell for row in rows for cell in row}})
    return counts


def printed(folder: Path) -> dict[tuple[str, str], Path]:
    """The documents in each format, by LibreOffice."""
    paths = {}
    for name, (html, _) in documents().items():
        source = folder / f"{name.replace(' ', '-')}.html"
        source.write_text(f"<!DOCTYPE html><meta charset=utf-8><h1>{name.title()}</h1>{html}<p>End.</p>", "utf-8")
        paths[name, "html"] = source
    for suffix, writer in FORMATS.items():
        if writer:
            command = ["soffice", "--headless", "--infilter=HTML (StarWriter)", "--convert-to", f"{suffix}:{writer}"]
            sources = [path for (_, kind), path in paths.items() if kind == "html"]
            subprocess.run([*command, "--outdir", folder, *sources], check=True, capture_output=True)
            paths |= {(path.stem.replace("-", " "), suffix): path.with_suffix(f".{suffix}") for path in sources}
    return paths


def own(paths: Sequence[Path]) -> list[tuple[str | None, float]]:
    """What gear-neo4j reads, with seconds."""
    found = []
    for path in paths:
        started = time.perf_counter()
        try:
            text = "\n".join(part.text for part in load(path).parts) if is_document(path) else None
        except InputError:
            text = None
        found.append((text, time.perf_counter() - started))
    return found


def rival(name: str, python: str, paths: Sequence[Path]) -> list[tuple[str | None, float]]:
    """What another converter reads, in a process of its own."""
    done = subprocess.run([python, "-c", RIVALS[name] + LOOP, *paths], check=True, capture_output=True, text=True)
    return [tuple(json.loads(line)) for line in done.stdout.splitlines() if line.startswith("[")]


def main() -> None:
    """Write, convert, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rivals", nargs="*", metavar="NAME=PYTHON", help=f"of {', '.join(RIVALS)}")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the result goes (default: %(default)s)")
    arguments = parser.parse_args()
    if not shutil.which("soffice"):
        sys.exit("needs LibreOffice: apt install libreoffice-writer-nogui fonts-liberation")
    pythons = dict(one.split("=", 1) for one in arguments.rivals)
    with tempfile.TemporaryDirectory() as folder:
        paths = printed(Path(folder))
        files = [*paths.values()]
        read = {"gear-neo4j": own(files)} | {name: rival(name, python, files) for name, python in pythons.items()}
    grids = {name: grid for name, (_, grid) in documents().items()}
    results = {
        converter: {
            suffix: {
                "seconds": round(
                    sum(seconds for (_, kind), (_, seconds) in zip(paths, texts, strict=True) if kind == suffix), 2
                ),
                **{
                    name: None if text is None else dict(judged(text, grids[name]))
                    for (name, kind), (text, _) in zip(paths, texts, strict=True)
                    if kind == suffix
                },
            }
            for suffix in FORMATS
        }
        for converter, texts in read.items()
    }
    arguments.out.write_text(json.dumps({"machine": platform.machine(), "results": results}, indent=1) + "\n", "utf-8")
    Console().print(as_table(results))


def as_table(results: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Table:
    """A row per format and table, a column per converter: right, wrong and missing values."""
    table = Table("format", "table", *results, title="values right / wrong / missing")
    for suffix in FORMATS:
        for name in documents():
            cells = [figures[suffix][name] for figures in results.values()]
            table.add_row(
                suffix,
                name,
                *(
                    "not read"
                    if one is None
                    else "/".join(str(one.get(kind, 0)) for kind in ("right", "wrong", "missing"))
                    for one in cells
                ),
            )
        table.add_row(
            suffix, "seconds", *(str(figures[suffix]["seconds"]) for figures in results.values()), end_section=True
        )
    return table


if __name__ == "__main__":
    main()
