"""JSONL: every line becomes a record or a problem with its line and reason, and the others are read."""

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.domain import LONGEST_KEY, Passage, make_triple, passage_id
from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.lines import (
    Line,
    PassageTriples,
    Problem,
    parsed,
    read_lines,
    to_passage,
    to_triples,
)
from tests.examples import examples

PROPERTIES = settings(deadline=None, max_examples=examples(300))
ANY_TEXT = st.text() | st.text(st.characters())
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)
ANY_ROW = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("id", "title", "text", "source", "triples"), ANY_JSON | ANY_TEXT)
) | st.fixed_dictionaries({"id": ANY_JSON, "triples": st.lists(st.lists(ANY_JSON | ANY_TEXT, max_size=4), max_size=4)})


def written(tmp_path, content):
    file = tmp_path / "corpus.jsonl"
    file.write_bytes(content)
    return file


def passage_of(text):
    return parsed(Line("corpus.jsonl", 7, 0, text if isinstance(text, bytes) else text.encode()), to_passage)


def reason_of(text):
    """The reason of the problem that a line causes."""
    problem = passage_of(text)
    assert isinstance(problem, Problem), problem
    return problem.reason


def encodable(text):
    return text is None or text == text.encode("utf-8", "replace").decode()


# Reading


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n \n\t\r\n", []),
        (b"a\nb\n", [(1, 2, b"a\n"), (2, 4, b"b\n")]),
        (b"a\nb", [(1, 2, b"a\n"), (2, 3, b"b")]),
        (b"a\r\nb\r\n", [(1, 3, b"a\r\n"), (2, 6, b"b\r\n")]),
        (b"\na\n\n  \nb", [(2, 3, b"a\n"), (5, 8, b"b")]),
    ],
)
def test_lines_come_with_their_number_and_end(tmp_path, content, expected):
    """Blank lines are skipped but counted; the last line needs no newline."""
    actual = [(line.number, line.end, line.text) for line in read_lines(written(tmp_path, content))]

    assert expected == actual


@PROPERTIES
@given(content=st.binary(max_size=200))
def test_the_lines_that_are_read_are_those_of_the_file(tmp_path_factory, content):
    """For any bytes: each line that is not blank, with its end in the file."""
    file = written(tmp_path_factory.getbasetemp(), content)
    expected = [(number, text) for number, text in enumerate(content.split(b"\n"), start=1) if text.strip()]

    lines = list(read_lines(file))

    assert expected == [(line.number, line.text.removesuffix(b"\n")) for line in lines]
    assert all(content[: line.end].endswith(line.text) for line in lines)


def test_a_missing_file_is_an_input_error(tmp_path):
    """The message names the file."""
    with pytest.raises(InputError, match=r"gone\.jsonl cannot be read"):
        list(read_lines(tmp_path / "gone.jsonl"))


def test_a_folder_is_an_input_error(tmp_path):
    """A folder cannot be read as a file."""
    with pytest.raises(InputError, match="cannot be read"):
        list(read_lines(tmp_path))


def test_a_line_that_is_too_long_is_a_problem_and_the_next_one_is_read(tmp_path):
    """A line of 64 MiB or more is skipped without being stored."""
    file = tmp_path / "corpus.jsonl"
    with file.open("wb") as out:
        out.write(b"first\n")
        for _ in range(65):
            out.write(b" " * 1024 * 1024)
        out.write(b"\nlast")

    first, long, last = read_lines(file)

    assert (b"first\n", None, b"last") == (first.text, long.text, last.text)
    assert (3, file.stat().st_size) == (last.number, last.end)
    assert "the line is longer than 64 MiB" == parsed(long, to_passage).reason


# Lines that are not records


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"text": "\xff"}', "not UTF-8 (byte 11 of the line)"),
        (b'\xef\xbb\xbf{"text": "\xff"}', "not UTF-8 (byte 14 of the line)"),
        (b"\xff\xfe{\x00", "not UTF-8 (byte 1 of the line)"),
        ("{'text': 'x'}", "not JSON: Expecting property name enclosed in double quotes at character 2"),
        ('{"text": "x"', "not JSON: Expecting ',' delimiter at character 13"),
        ('{"text": "x"} {}', "not JSON: Extra data at character 15"),
        ("", "not JSON: Expecting value at character 1"),
        ('["text"]', 'not a JSON object but ["text"]'),
        ("NaN", "not a JSON object but NaN"),
        ('"\\ud800"', 'not a JSON object but "\\ud800"'),
        ("null", "not a JSON object but null"),
    ],
)
def test_a_line_that_is_no_object_is_a_problem(text, reason):
    """The reason says what is wrong, and where."""
    assert reason == reason_of(text)


def test_a_problem_names_its_file_and_line():
    """In a format that editors turn into a link."""
    assert "corpus.jsonl:7: not JSON: Expecting value at character 1" == str(passage_of("oops"))


def test_a_problem_of_a_whole_file_names_no_line():
    """There is no line 0."""
    assert "a.pdf: is encrypted" == str(Problem("a.pdf", 0, "is encrypted"))


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"text": ' * 100_000, '{"text": ' + "[" * 100_000 + "]" * 100_000 + "}"]
)
def test_deep_nesting_is_a_problem(text):
    """It stops the parser, not the program."""
    assert "nested too deeply" in reason_of(text)


@pytest.mark.parametrize("parse", [to_passage, to_triples])
@pytest.mark.parametrize(
    "form", ["{}", '{{"id": "p1", "triples": {}}}', '{{"id": "p1", "triples": [{}]}}', '{{"id": {}}}']
)
def test_nesting_of_any_depth_is_a_problem(parse, form):
    """Even just shallow enough to be parsed but not to be shown."""
    for depth in range(sys.getrecursionlimit() - 300, sys.getrecursionlimit() + 1):
        line = Line("corpus.jsonl", 7, 0, form.format("[" * depth + "]" * depth).encode())

        assert isinstance(parsed(line, parse), Problem | PassageTriples)


def test_a_number_of_too_many_digits_is_a_problem():
    """Python refuses to read more than 4,300 digits."""
    assert "digits" in reason_of('{"id": ' + "9" * 5_000 + "}")


# Passages


def test_a_line_with_a_byte_order_mark_is_read():
    """Windows writes it at the beginning of a file."""
    assert Passage("p1", "", "x") == passage_of(b'\xef\xbb\xbf{"id": "p1", "text": "x"}\r\n')


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"id": "p1", "title": "T", "text": "x", "source": "s"}, Passage("p1", "T", "x", "s")),
        ({"id": "p1", "title": None, "text": "x"}, Passage("p1", "", "x", "file")),
        ({"id": "p1", "text": "x", "source": ""}, Passage("p1", "", "x")),
        ({"id": 7, "text": "x"}, Passage("7", "", "x", "file")),
        ({"id": 0, "text": "x"}, Passage("0", "", "x", "file")),
        ({"title": "T", "text": "x"}, Passage(passage_id("T", "x"), "T", "x", "file")),
        ({"id": None, "text": "x"}, Passage(passage_id("", "x"), "", "x", "file")),
        ({"id": "p1", "title": "T", "text": ""}, Passage("p1", "T", "", "file")),
        ({"id": "p1", "text": "😀", "more": [1]}, Passage("p1", "", "😀", "file")),
    ],
)
def test_passages_as_they_may_be_written(row, expected):
    """Title, id and source are optional, an id may be a whole number, and unknown keys are ignored."""
    assert expected == to_passage(row, source="file")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({}, '"text" is missing or not a text'),
        ({"text": 5}, '"text" is missing or not a text'),
        ({"text": float("nan")}, '"text" is missing or not a text'),
        ({"text": ["x"]}, '"text" is missing or not a text'),
        ({"text": "x", "title": 5}, '"title" is missing or not a text'),
        ({"text": "x", "source": {}}, '"source" is missing or not a text'),
        ({"text": " \n", "title": "\t"}, 'both "title" and "text" are blank'),
        ({"id": True, "text": "x"}, '"id" is missing or not a text'),
        ({"id": False, "text": "x"}, '"id" is missing or not a text'),
        ({"id": 1.5, "text": "x"}, '"id" is missing or not a text'),
        ({"id": "", "text": "x"}, '"id" is missing or not a text'),
        ({"id": " \t", "text": "x"}, '"id" is missing or not a text'),
        ({"text": "x", "source": "x" * 2_001}, '"source" is longer than 2,000 characters'),
        ({"id": "x" * 501, "text": "x"}, '"id" is longer than 500 characters'),
        ({"id": 10**500, "text": "x"}, '"id" is longer than 500 characters'),
        ({"id": "\ud800", "text": "x"}, '"id" holds half of a surrogate pair, which no database can store'),
        ({"id": "p1", "text": "\ud800"}, '"text" holds half of a surrogate pair, which no database can store'),
        (
            {"id": "p1", "text": "x", "title": "\udc00"},
            '"title" holds half of a surrogate pair, which no database can store',
        ),
    ],
)
def test_passages_that_are_refused(row, reason):
    """The reason names the key."""
    assert reason == reason_of(json.dumps(row))


def test_the_longest_id():
    """500 characters are accepted."""
    assert "x" * 500 == to_passage({"id": "x" * 500, "text": "x"}).id


# Triples


def test_malformed_parts_are_reported_and_the_others_kept():
    """One bad triple does not cost its passage the good ones."""
    bad = [["A", "p"], ["A", "p", "B", "C"], ["A", " ", "B"], ["A", 1, "B"], "A p B", None, {}, ["A", "p", "\ud800"]]
    row = {"id": "p1", "triples": [["A", "p", "B"], *bad, ["C", "q", "D"]]}

    actual = to_triples(row)

    assert (make_triple("p1", "A", "p", "B"), make_triple("p1", "C", "q", "D")) == actual.triples
    assert tuple(f"{json.dumps(part)} is not a triple of three texts" for part in bad) == actual.malformed


def test_a_long_malformed_part_is_shortened():
    """The report stays readable."""
    assert ('["xxxxxxxxx' + "x" * 46 + "... is not a triple of three texts",) == (
        to_triples({"id": "p1", "triples": [["x" * 1_000]]}).malformed
    )


def test_equal_triples_count_once():
    """In order of first mention; an equal triple of another passage is another triple."""
    row = {"id": "p1", "triples": [["A", "p", "B"], ["C", "q", "D"], ["A", "p", "B"]]}

    assert ["A p B", "C q D"] == [triple.text for triple in to_triples(row).triples]
    assert to_triples(row).triples[0].id != to_triples(row | {"id": "p2"}).triples[0].id


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"triples": []}, '"id" is missing or not a text'),
        ({"id": None, "triples": []}, '"id" is missing or not a text'),
        ({"id": True, "triples": []}, '"id" is missing or not a text'),
        ({"id": "p1"}, '"triples" is not a list'),
        ({"id": "p1", "triples": {"A": "B"}}, '"triples" is not a list'),
        ({"id": "p1", "triples": "A p B"}, '"triples" is not a list'),
    ],
)
def test_triples_that_are_refused_as_a_whole(row, reason):
    """Without a passage or a list there is nothing to keep."""
    with pytest.raises(ValueError, match=reason):
        to_triples(row)


def test_a_passage_without_triples_is_no_problem():
    """An extraction that finds nothing writes an empty list."""
    assert PassageTriples("5", ()) == to_triples({"id": 5, "triples": []})


# Arbitrary input


@PROPERTIES
@given(st.binary() | st.text().map(str.encode) | ANY_JSON.map(lambda value: json.dumps(value).encode()))
@pytest.mark.parametrize("parse", [to_passage, to_triples])
def test_any_bytes_are_a_record_or_a_problem(parse, text):
    """No content of a file stops an ingest, and each reason can be printed on one line."""
    result = parsed(Line("corpus.jsonl", 7, 0, text), parse)

    assert isinstance(result, Problem | Passage | PassageTriples)
    if isinstance(result, Problem):
        assert 1 == len(result.reason.splitlines())
        assert encodable(result.reason)


@PROPERTIES
@given(ANY_ROW)
def test_any_object_is_a_storable_passage_or_a_problem(row):
    """Accepted ones have an id that fits the index and texts that a database can store."""
    result = passage_of(json.dumps(row))

    assert isinstance(result, Passage | Problem)
    if isinstance(result, Passage):
        assert 0 < len(result.id) <= LONGEST_KEY
        assert result.content.strip()
        assert all(map(encodable, (result.id, result.title, result.text, result.source)))


@PROPERTIES
@given(ANY_ROW)
def test_any_object_gives_storable_triples_or_a_problem(row):
    """Every item of the list is a triple of three texts or reported."""
    result = parsed(Line("triples.jsonl", 7, 0, json.dumps(row).encode()), to_triples)

    assert isinstance(result, PassageTriples | Problem)
    if isinstance(result, PassageTriples):
        assert len(result.triples) + len(result.malformed) <= len(row["triples"])
        assert all(part.strip() for t in result.triples for part in (t.subject, t.predicate, t.object))
        assert all(encodable(triple.text) for triple in result.triples)
        assert all(map(encodable, result.malformed))
