"""The manual builds without a warning, every name that a page refers to exists, and llms.txt lists all pages."""

import re

import pytest

from tools import manual

pytestmark = pytest.mark.one_server_line


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the manual."""
    out = tmp_path_factory.mktemp("manual") / "html"
    assert 0 == manual.build(out)
    return out


def test_it_has_a_page_for_each_page_and_the_reference(built):
    """Those of docs/, and those generated from the product."""
    pages = {str(page.relative_to(manual.DOCS).with_suffix("")) for page in manual.DOCS.glob("*.md")}
    pages |= {"tutorial/install", "reference/api", "reference/commands", "reference/errors", "reference/queries"}

    assert [] == sorted(page for page in pages if not (built / f"{page}.html").is_file())


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("api", ["gear_neo4j.GearAgent", "gear_neo4j.Hits", "gear_neo4j.register_retriever"]),
        ("commands", ["gear keys add", "gear communities build", "--retriever"]),
        ("queries", ["start_paths", "gear_triple_embedding", "Passage(id)"]),
        ("errors", ["gear_neo4j.errors.", "ScopeRefusal"]),
    ],
)
def test_the_reference_names_what_there_is(built, page, words):
    """Public names, commands and subcommands, queries with their indexes, errors."""
    text = re.sub(r"<[^>]+>", "", (built / "reference" / f"{page}.html").read_text("utf-8"))

    assert [] == [word for word in words if word not in text]


def test_nothing_of_it_comes_from_another_host(built):
    """A page only loads files of the manual."""
    loaded = [
        address
        for page in built.rglob("*.html")
        for address in re.findall(r'(?:<script[^>]*src|<link[^>]*href|<img[^>]*src)="([^"]+)"', page.read_text("utf-8"))
    ]

    assert loaded
    assert [] == [address for address in loaded if "//" in address]


def test_llms_txt_lists_every_page_with_a_sentence(built):
    """For readers of plain text, such as models."""
    lines = [line for line in (built / "llms.txt").read_text("utf-8").splitlines() if line.startswith("- ")]
    targets = [re.search(r"\]\(([^)]+)\)", line)[1] for line in lines]

    assert {"access.html", "tutorial/ask.html", "reference/queries.html"} <= set(targets)
    assert [] == [target for target in targets if not (built / target).is_file()]


def test_a_page_that_refers_to_nothing_ends_the_build(tmp_path, monkeypatch):
    """A warning is an error."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "conf.py").write_text((manual.DOCS / "conf.py").read_text())
    (docs / "index.md").write_text("# Index\n\n[nothing](nothing.md)\n")
    monkeypatch.setattr(manual, "DOCS", docs)

    assert 0 != manual.build(tmp_path / "out")
