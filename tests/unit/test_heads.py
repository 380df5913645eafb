"""Metadata of documents: the heads of files in one form, and harmless."""

import os
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.errors import InputError
from gear_neo4j.filters import parse_filter
from gear_neo4j.ingestion import heads
from gear_neo4j.ingestion.chunking import passages_of
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.lines import to_metadata
from gear_neo4j.ingestion.loaders import load
from tests.examples import examples
from tests.pdfs import pdf

MODIFIED = datetime(2024, 5, 31, 12, 30, tzinfo=UTC)


def metadata_of(tmp_path, name, content):
    """The metadata of a document's passages, which is the same for all of them."""
    file = tmp_path / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    os.utime(file, (MODIFIED.timestamp(), MODIFIED.timestamp()))
    passages = passages_of(file, size=30)
    assert all(passage.metadata == passages[0].metadata for passage in passages)
    return passages[0].metadata


def file_facts(name):
    return {"file": name, "modified": "2024-05-31T12:30:00Z"}


@pytest.mark.parametrize(("name", "content"), [("a.txt", "Some text."), ("a.csv", "name,age\nAda,36\n")])
def test_every_document_has_its_files_name_and_time(tmp_path, name, content):
    assert file_facts(name) == metadata_of(tmp_path, name, content)


def test_front_matter_gives_its_fields(tmp_path):
    text = "---\ntitle: Minutes\nteam: [red, blue]\nyear: 2024\ndraft: false\nheld: 2024-05-30\n---\n\nWe met. We left."

    actual = metadata_of(tmp_path, "a.md", text)

    expected = {"team": ["red", "blue"], "year": 2024, "draft": False, "held": "2024-05-30"}
    assert file_facts("a.md") | expected == actual


def test_the_title_of_front_matter_is_that_of_text_without_headings(tmp_path):
    (tmp_path / "a.md").write_text("---\ntitle: Minutes\n---\nWe met.\n\n# Votes\n\nNone.")

    assert ["Minutes", "Votes"] == [passage.title for passage in passages_of(tmp_path / "a.md")]


def test_a_field_of_a_head_precedes_that_of_the_file(tmp_path):
    assert "2020" == metadata_of(tmp_path, "a.md", "---\nmodified: '2020'\n---\nText.")["modified"]


@pytest.mark.parametrize(
    "block",
    [
        "a: [",
        "- a list",
        "just text",
        "date: 2024-13-45",
        "a: !!bool maybe",
        "a: !!timestamp never",
        "? {a: 1}\n: b",
        "a: !!python/object/apply:os.system ['true']",
        "a: &x [*x]",
        "a: {b: 1}",
        "a: [[1]]",
        "a: !!binary aGk=",
        "a: !!set {x}",
        "a: 1_000_000_000_000_000_000_000",
        "a: .inf",
        "a: 0001-01-01T00:00:00+10:00",
        "a: " + "[" * 3_000,
        "a: " + "x" * 1_001,
        "a: [" + "1," * 101 + "]",
        "a: " + "b " * 5_000,
        "'  ': 1",
    ],
)
def test_what_no_passage_can_keep_is_left_out_of_front_matter(tmp_path, block):
    assert file_facts("a.md") == metadata_of(tmp_path, "a.md", f"---\n{block}\n---\nText.")


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ("year: 2024\nteam: [red]", "We met.\n"),
        ("year: {nested: 1}", "---\nyear: {nested: 1}\n---\nWe met.\n"),
        ("no settings", "---\nno settings\n---\nWe met.\n"),
    ],
)
def test_front_matter_is_text_only_where_metadata_cannot_hold_it(tmp_path, block, text):
    """Otherwise it would be embedded and read for facts; but nothing is lost."""
    (tmp_path / "a.md").write_text(f"---\n{block}\n---\nWe met.\n")

    assert [text] == [part.text for part in load(tmp_path / "a.md").parts]


def test_a_document_of_front_matter_alone_keeps_it(tmp_path):
    (tmp_path / "a.md").write_text("---\nyear: 2024\n---\n")

    assert ["---\nyear: 2024\n---\n"] == [part.text for part in load(tmp_path / "a.md").parts]


def test_at_most_fifty_fields_are_kept():
    assert 50 == len(heads.from_front_matter("\n".join(f"f{number}: {number}" for number in range(80))))


def test_html_heads_give_one_form_of_many_names(tmp_path):
    page = (
        '<html lang="de"><head><title>Elbe</title>'
        '<meta property="article:published_time" content="2024-05-31T10:00+02:00">'
        '<meta name="DC.creator" content="Ada  L."><meta name="keywords" content="river, , Bohemia; Elbe">'
        '<meta name="description" content=""><meta property="og:description" content="A river."></head><p>It flows.'
    )
    expected = {
        "author": "Ada L.",
        "date": "2024-05-31T08:00:00Z",
        "description": "A river.",
        "keywords": ["river", "Bohemia", "Elbe"],
        "language": "de",
    }

    assert file_facts("a.html") | expected == metadata_of(tmp_path, "a.html", page)


@pytest.mark.parametrize(
    ("written", "kept"),
    [("2024-05-31", "2024-05-31"), ("May 2024", "May 2024"), ("2024-05-31 10:00", "2024-05-31T10:00:00")],
)
def test_a_date_in_html_becomes_iso_if_it_is_one(tmp_path, written, kept):
    page = f'<meta name="date" content="{written}"><p>It flows.'

    assert kept == metadata_of(tmp_path, "a.html", page)["date"]


def test_pdf_information_gives_the_same_fields(tmp_path):
    content = pdf(
        "It flows.", Author="Ada", Subject="A river.", Keywords="river, Elbe", CreationDate="D:20240531100000+02'00'"
    )

    expected = {
        "author": "Ada",
        "date": "2024-05-31T08:00:00Z",
        "description": "A river.",
        "keywords": ["river", "Elbe"],
    }
    assert file_facts("a.pdf") | expected == metadata_of(tmp_path, "a.pdf", content)


def test_a_pdf_with_a_wrong_date_keeps_the_rest(tmp_path):
    content = pdf("It flows.", Author="Ada", CreationDate="yesterday")

    assert file_facts("a.pdf") | {"author": "Ada"} == metadata_of(tmp_path, "a.pdf", content)


def test_a_filter_compares_times_as_texts(tmp_path):
    """As the documentation shows."""
    modified = metadata_of(tmp_path, "a.txt", "Some text.")["modified"]

    assert "2024-05-01" <= modified < "2024-06"
    assert parse_filter('modified >= "2024-05-01" and modified < "2024-06"')


@given(st.text(max_size=200))
@settings(deadline=None, max_examples=examples(300))
def test_any_front_matter_gives_metadata_that_a_passage_can_keep(block):
    kept = heads.from_front_matter(block)

    assert kept == to_metadata(kept)


@given(
    st.dictionaries(
        st.one_of(st.text(max_size=10), st.integers(), st.none()),
        st.recursive(
            st.one_of(
                st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.dates(), st.datetimes(), st.binary()
            ),
            st.lists,
            max_leaves=5,
        ),
        max_size=8,
    )
)
@settings(deadline=None, max_examples=examples(300))
def test_any_head_gives_metadata_that_a_passage_can_keep(given):
    kept = heads.fields(given)

    assert kept == to_metadata(kept)


ALIASES = (
    "s: &s " + "x" * 1_000 + "\na: &l [" + ",".join(["*s"] * 100) + "]\n" + "".join(f"f{n}: *l\n" for n in range(47))
)
MERGES = "m0: &m0 {a: 1, b: 2}\n" + "".join(
    f"m{n}: &m{n} {{<<: [{','.join([f'*m{n - 1}'] * 40)}]}}\n" for n in range(1, 40)
)
SETTINGS = {f"f{n}": "é" * 900 for n in range(50)}


@pytest.mark.parametrize("block", [ALIASES, MERGES, "\n".join(f"{name}: {text}" for name, text in SETTINGS.items())])
def test_a_head_is_bounded_in_bytes(block):
    """With aliases, little text becomes much."""
    assert heads.size_of(heads.from_front_matter(block)) <= heads.LARGEST_HEAD


def test_fields_that_have_room_are_kept():
    """A long one is left out, and short ones after it are kept."""
    kept = heads.fields({**SETTINGS, "year": 2024})

    assert kept["year"] == 2024
    assert heads.LARGEST_HEAD // 2 < heads.size_of(kept) <= heads.LARGEST_HEAD


def test_a_head_that_too_many_passages_would_repeat_is_refused(tmp_path):
    """The database stores a copy for each of them."""
    file = tmp_path / "a.md"
    file.write_text(f"---\nnote: {'x' * 900}\n---\n" + "".join(f"# H{n}\n\nt{n}\n\n" for n in range(100)))

    assert 100 == len(passages_of(file))
    with pytest.raises(InputError, match="which 100 passages would repeat: shorten the head, or split it"):
        passages_of(file, limits=Limits(metadata=50_000))
