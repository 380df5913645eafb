"""Hostile documents: each is one problem with its reason, in bounded time and memory, and the others are read."""

import json
import os
import signal
import time
import tracemalloc
import zlib

import pytest

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.conversion import Converter
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, MIB, Limits
from gear_neo4j.ingestion.lines import SHOWN_MALFORMED, parsed, read_lines, to_triples
from gear_neo4j.ingestion.loaders import load
from gear_neo4j.ingestion.parts import TOO_MUCH_MEMORY
from gear_neo4j.ingestion.reading import read_passages
from tests.office import changed, word

SECONDS = 60
GOOD = "The Elbe rises in Bohemia."


@pytest.fixture
def put(tmp_path, monkeypatch):
    """A working folder, and a function that writes files into it."""
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / name

    return write


def run(files, limits=DEFAULT_LIMITS):
    """The texts and the problems of converting the files."""
    batches = list(read_passages(files, limits=limits))
    return (
        [passage.text for batch in batches for passage in batch.passages],
        [str(problem) for batch in batches for problem in batch.problems],
    )


def pdf(pages, stream, *, filters="/FlateDecode"):
    """A PDF with many identical pages."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (pages, b"3 0 R " * pages),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d /Filter %s >>\nstream\n%s\nendstream" % (len(stream), filters.encode(), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    body, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    end = b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return body + end % (table, len(body))


def squeezed(content, *, times=1):
    """Content compressed repeatedly, to be decompressed by a chain of filters."""
    for _ in range(times):
        content = zlib.compress(content, 9)
    return content


SHOWN = b"BT /F1 12 Tf 72 700 Td (page) Tj ET"
HOSTILE = {
    "pages.pdf": (lambda: pdf(60_000, squeezed(SHOWN)), "has more than 5,000 pages"),
    "stream.pdf": (lambda: pdf(1, squeezed(b" " * 300 * MIB)), "cannot be read as PDF"),
    "chain.pdf": (
        lambda: pdf(1, squeezed(b" " * 300 * MIB, times=3), filters="[" + "/FlateDecode " * 3 + "]"),
        "cannot be read as PDF",
    ),
    "nested.html": (lambda: "<div>" * 1_000_000 + "deep", "is nested too deeply"),
    "entities.docx": (
        lambda: changed(word(GOOD), {"word/document.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}),
        "defines entities of XML",
    ),
    "field.csv": (lambda: "name,text\nElbe," + "x" * 20 * MIB, "field larger than field limit"),
    "columns.csv": (lambda: ",".join(f"column{n}" for n in range(20_000)) + "\n1\n" * 2_000, "holds more than"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_one_problem_and_the_run_goes_on(put, name):
    """The documents before and after it are read."""
    make, reason = HOSTILE[name]
    files = [put("before.txt", GOOD), put(name, make()), put("after.txt", GOOD)]
    started = time.monotonic()

    texts, problems = run(files)

    assert time.monotonic() - started < SECONDS
    assert [GOOD, GOOD] == texts
    assert 1 == len(problems)
    assert problems[0].startswith(f"{files[1]}: ")
    assert reason in problems[0]


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html", "a.pdf"])
def test_a_file_that_is_too_large_is_not_opened(put, name):
    """A sparse gigabyte without a line end."""
    file = put(name, "")
    with file.open("r+b") as out:
        out.truncate(1024 * MIB)

    with pytest.raises(InputError, match="is larger than 256 MiB: split it"):
        load(file)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(bytes=10), "is larger than 0 MiB"),
        (Limits(characters=10), "holds more than 10 characters of text"),
    ],
)
def test_limits_can_be_set(put, limits, reason):
    """Including the one for text that grows."""
    _, problems = run([put("a.txt", GOOD)], limits)

    assert 1 == len(problems)
    assert reason in problems[0]


def test_a_text_without_line_ends_is_read(put):
    """Cut anywhere, because there are no natural breaks."""
    text = "".join(map(str, range(100_000)))

    texts, problems = run([put("a.txt", text)])

    assert ([], text) == (problems, "".join(texts))


# The separate process


def test_a_conversion_that_does_not_end_is_ended(put):
    """Shortly after its time limit; the next document gets a new process."""
    endless = put("endless.html", "<p>x</p>" * 3_000_000)
    started = time.monotonic()

    texts, problems = run([endless, put("a.txt", GOOD)], Limits(seconds=3))

    assert [f"{endless}: takes longer than 3 s to convert: split it"] == problems
    assert [GOOD] == texts
    assert time.monotonic() - started < 3 + 15


def test_a_conversion_that_takes_all_memory_is_refused(put):
    """It may use a part of the machine's memory, and the next document again."""
    greedy = put("greedy.txt", "")
    with greedy.open("r+b") as out:
        out.truncate(250 * MIB)

    texts, problems = run([greedy, put("a.txt", GOOD)], Limits(memory=500 * MIB))

    assert [f"{greedy}: {TOO_MUCH_MEMORY}"] == problems
    assert [GOOD] == texts


def test_a_process_that_dies_is_a_problem_of_its_document(put):
    """The system may kill it if memory is short; the next document gets another one."""
    file = put("a.txt", GOOD)
    with Converter() as converter:
        converter.convert(file, size=1000)
        os.kill(converter.pid, signal.SIGKILL)
        with pytest.raises(InputError, match="cannot be converted: the process that read it died"):
            converter.convert(file, size=1000)
        (passage,) = converter.convert(file, size=1000).passages

    assert GOOD == passage.text


def test_this_process_takes_no_memory_for_what_is_refused(put):
    """It neither reads the file nor receives its content."""
    file = put("a.txt", "word " * 4_000_000)
    tracemalloc.start()
    try:
        run([file], Limits(characters=1_000_000))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 5 * MIB


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("a.md", "---\nnote: " + "x" * 900 + "\nmore: &m [" + "yyyyy, " * 99 + "y]\nlast: *m\n---\n"),
        ("a.html", f"<meta name='description' content='{'x' * 900}'><meta name='keywords' content='{'y, ' * 100}'>"),
    ],
)
def test_the_head_of_a_document_is_sent_once(put, name, head):
    """However many passages the document has."""
    sections = (f"<h2>{n}</h2>t{n}" if name.endswith("html") else f"## {n}\n\nt{n}\n\n" for n in range(2_000))
    file = put(name, head + "".join(sections))
    tracemalloc.start()
    try:
        with Converter() as converter:
            passages = converter.convert(file, size=1000).passages
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert 2_000 == len(passages)
    assert {id(passage.metadata) for passage in passages} == {id(passages[0].metadata)}
    assert "x" * 900 in passages[0].metadata.values()
    assert peak < 4 * MIB


def test_a_reply_that_is_too_large_is_refused(put):
    """The next document gets a new process."""
    file = put("large.csv", "a\n" + "".join(f"{n}\n" for n in range(30_000)))

    texts, problems = run([file, put("a.txt", GOOD)], Limits(reply=MIB))

    assert [f"{file}: becomes more than 1 MiB of passages: split it"] == problems
    assert [GOOD] == texts


def test_modules_beside_the_documents_are_not_run(put, tmp_path):
    """The working folder may belong to a stranger."""
    for module in ("json", "bs4", "gear_neo4j", "csv"):
        put(f"{module}.py", "raise SystemExit('run')")

    assert ([GOOD], []) == run([put("a.txt", GOOD)])


def test_one_process_serves_many_documents(put):
    """Starting one takes longer than most documents."""
    file = put("a.txt", GOOD)
    with Converter() as converter:
        pids = {(converter.convert(file, size=1000), converter.pid)[1] for _ in range(3)}

    assert 1 == len(pids)
    assert converter.pid is None


# JSONL


def test_a_line_of_a_million_malformed_triples_is_a_few_problems(put):
    """One problem each would fill memory and screen."""
    file = put("triples.jsonl", '{"id": "p1", "triples": [' + "[]," * 1_000_000 + '["a", "b", "c"]]}\n')
    (line,) = read_lines(file)

    record = parsed(line, to_triples)

    assert 1 == len(record.triples)
    assert SHOWN_MALFORMED + 1 == len(record.malformed)
    assert "999,980 more are not triples of three texts" == record.malformed[-1]


@pytest.mark.parametrize(
    "text",
    ["[" * 1_000_000, '{"text": ' * 1_000_000, '{"text": "x", "id": ' + "9" * 1_000_000 + "}"],
)
def test_json_without_end_is_a_problem(put, text):
    """Nested brackets, and a number of a million digits."""
    file = put("corpus.jsonl", text + "\n" + json.dumps({"id": "p1", "text": GOOD}) + "\n")

    texts, problems = run([file])

    assert ([GOOD], 1) == (texts, len(problems))
    assert problems[0].startswith(f"{file}:1: ")
