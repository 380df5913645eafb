"""Chunks: nothing lost or doubled, none too long, cut at natural breaks, with their start positions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.chunking import _split_long, chunks, passages_of
from gear_neo4j.ingestion.lines import LONGEST_SOURCE
from tests.examples import examples

PROPERTIES = settings(deadline=None, max_examples=examples(300))
PROSE = st.lists(
    st.sampled_from(
        ["word", "Another", "is.", "so!", "why?", '"Go."', "(x.)", "。", "你好", "\n", "\n\n", "\n \n", " ", "\t"]
    ),
    max_size=120,
).map(" ".join)
ANY_TEXT = st.text(max_size=400) | PROSE | st.text("ab.。!」 \n\u3000\x0c\u2028", max_size=400)
SIZES = st.integers(10, 80)


def visible(text):
    """The non-blank characters of a text."""
    return "".join(text.split())


@PROPERTIES
@given(ANY_TEXT, SIZES)
def test_every_visible_character_is_in_one_chunk_in_order(text, size):
    """Together the chunks contain the text, without blanks."""
    assert visible(text) == visible("".join(chunk.text for chunk in chunks(text, size=size)))


@PROPERTIES
@given(ANY_TEXT, SIZES)
def test_no_chunk_is_longer_than_asked_for_or_blank(text, size):
    """A longer word is cut."""
    assert all(0 < len(chunk.text.strip()) <= len(chunk.text) <= size for chunk in chunks(text, size=size))


@PROPERTIES
@given(ANY_TEXT, SIZES)
def test_a_chunk_stands_where_it_says(text, size):
    """At its start, and after the end of the previous chunk."""
    end = 0
    for chunk in chunks(text, size=size):
        assert chunk.start >= end
        assert chunk.text == text[chunk.start : (end := chunk.start + len(chunk.text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\n ", []),
        ("One paragraph.\n\nAnother one here.", ["One paragraph.", "Another one here."]),
        ("One paragraph.\n \t\nAnother one here.", ["One paragraph.", "Another one here."]),
        ("A first sentence. A second one.", ["A first sentence.", "A second one."]),
        ('He said: "Stop it." She did so.', ['He said: "Stop it."', "She did so."]),
        ("Is it so? It is! Well, then…  Go on.", ["Is it so? It is!", "Well, then…  Go on."]),
        ("版本三点一四。今天天气很好，我们去公园散步。", ["版本三点一四。", "今天天气很好，我们去公园散步。"]),
        ("「今天天气很好。」他说完就走了，再也没有回来过。", ["「今天天气很好。」", "他说完就走了，再也没有回来过。"]),
        ("pi is 3.14159 and e is 2.71828", ["pi is 3.14159 and e", "is 2.71828"]),
        ("a line that is long\nand another", ["a line that is long", "and another"]),
        ("x" * 45, ["x" * 20, "x" * 20, "x" * 5]),
    ],
)
def test_a_text_is_cut_where_it_pauses(text, expected):
    """Paragraph before sentence before line before word; as many sentences together as fit."""
    assert expected == [chunk.text for chunk in chunks(text, size=20)]


def test_a_short_text_stays_whole():
    """A passage has about a thousand characters."""
    text = "A sentence of some words. " * 35

    assert [text.strip()] == [chunk.text for chunk in chunks(text)]
    assert 2 == len(chunks(2 * text))


@PROPERTIES
@given(st.lists(st.sampled_from(["short.", "a longer line", "", "  "]), max_size=40))
def test_the_position_of_a_passage_is_the_line_it_begins_on(tmp_path_factory, lines):
    """Whatever blank lines precede it."""
    numbered = [f"{number} {line}" if line.strip() else line for number, line in enumerate(lines, start=1)]
    file = tmp_path_factory.getbasetemp() / "lines.txt"
    file.write_text("\n".join([*numbered, f"{len(lines) + 1} end"]), encoding="utf-8")

    for passage in passages_of(file, size=25):
        assert f"line {passage.text.split()[0]}" == passage.position


def test_equal_passages_of_a_document_count_once(tmp_path):
    """With the position of the first one."""
    file = tmp_path / "a.txt"
    file.write_text("\n\n".join(["The same paragraph of words."] * 3))

    assert ["line 1"] == [passage.position for passage in passages_of(file, size=30)]


def test_the_same_text_in_two_files_is_two_passages(tmp_path):
    """Each is separate evidence."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text("The same.")

    one, other = (passages_of(tmp_path / name / "x.txt")[0] for name in ("a", "b"))

    assert (one.title, one.text) == (other.title, other.text)
    assert one.id != other.id


def test_the_source_is_the_path_as_it_was_given(tmp_path, monkeypatch):
    """A relative path stays relative, so that a folder can be moved with its project."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("x")
    path = next((tmp_path / "docs").relative_to(tmp_path).iterdir())

    assert "docs/a.txt" == passages_of(path)[0].source


def test_a_name_that_no_database_can_store_is_refused(tmp_path):
    """Linux allows any bytes in a name."""
    file = tmp_path / "\udcff.txt"
    file.write_text("x")

    with pytest.raises(InputError, match="not UTF-8: rename it"):
        passages_of(file)


def test_a_path_longer_than_an_index_entry_is_refused(tmp_path, monkeypatch):
    """Before Neo4j refuses the whole batch."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path
    while len(str(folder)) <= LONGEST_SOURCE:
        folder = folder / ("f" * 200)
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("x")

    with pytest.raises(InputError, match="longer than 2,000"):
        passages_of(folder / "a.txt")


ROWS = st.lists(st.integers(0, 999).map(lambda n: f"| River {n} | {n * 7} km. long |"), min_size=1, max_size=60)
HEADS = "| river | length |\n|---|:---:|\n"


@PROPERTIES
@given(
    st.sampled_from(["", "# Rivers\n\n", "They flow.\n"]),
    ROWS,
    st.sampled_from(["", "\n\nThe end."]),
    st.integers(80, 300),
)
def test_each_piece_of_a_long_table_has_its_heads(before, rows, after, size):
    """Every row is there once, in order, whole and below the heads; the piece stands where its first row does."""
    text = before + HEADS + "\n".join(rows) + after
    pieces = chunks(text, size=size)
    cut = [piece for piece in pieces if piece.text.startswith("| river")]

    assert all(len(piece.text) <= size for piece in pieces)
    assert rows == [line for piece in pieces for line in piece.text.split("\n") if line.startswith("| River")]
    if len(HEADS + "\n".join(rows)) > size:
        assert len(cut) == sum("| River" in piece.text for piece in pieces)
        assert all(text[piece.start :].startswith(piece.text.split("\n")[2]) for piece in cut)


def test_a_row_that_is_too_long_by_itself_is_cut_like_a_text():
    """The rows around it keep their heads."""
    pieces = chunks(HEADS + "| Elbe | 1 |\n| " + "word " * 40 + "| 2 |\n| Main | 3 |", size=90)

    assert (HEADS + "| Elbe | 1 |", HEADS + "| Main | 3 |") == (pieces[0].text, pieces[-1].text)
    assert all(len(piece.text) <= 90 for piece in pieces)


@PROPERTIES
@given(ANY_TEXT)
def test_a_short_text_is_what_the_splitter_makes_of_it(text):
    """Without the splitter, whose import takes longer than the conversion of a small document."""
    size = max(10, len(text) + 1)

    assert _split_long(text, size) == chunks(text, size=size)
