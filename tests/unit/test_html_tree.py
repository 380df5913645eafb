"""Pages as people write them: end tags left out, tables of every kind, formulas and marks of references."""

import pytest

from gear_neo4j.extraction.rules import extract_facts
from gear_neo4j.ingestion.html import to_markdown


def facts(html):
    """The facts of the tables of a page."""
    return [str(fact) for fact in extract_facts("", to_markdown(html.encode()).text)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<table><tr><th>river<th>km<tr><td>Elbe<td>1094</table>", ["Elbe —km→ 1094"]),
        (
            "<table><thead><tr><th rowspan=2>river<th colspan=2>length<tr><th>km<th>miles"
            "<tbody><tr><td>Elbe<td>1<td>2</table>",
            ["Elbe —length km→ 1", "Elbe —length miles→ 2"],
        ),
        (
            "<table><tr><th colspan=2>Rivers</th></tr><tr><th>river<th>km</tr><tr><td>Elbe<td>1094</tr></table>",
            ["Elbe —km→ 1094"],
        ),
        ("<table><tr><th>a<th>b<tr><th>c<th>d</table>", ["c —b→ d"]),
        (
            "<table><caption>Rivers</caption><tr><th>river<th>km<tr><td>Elbe<td>1,094<sup>[1]</sup></table>",
            ["Elbe —km→ 1,094"],
        ),
        ("<table><tr><td><table><tr><th>name<th>city<tr><td>Ada<td>Bath</table></table>", ["Ada —city→ Bath"]),
    ],
)
def test_a_row_of_a_table_gives_the_facts_that_a_reader_sees(html, expected):
    """Several rows of heads are one, a row of one head is a title, and a table that holds a table is none."""
    assert expected == [fact for fact in facts(html) if "mentions" not in fact]


def test_titles_of_tables_and_what_stands_around_tables_stay():
    """Above the table."""
    page = (
        "<table><caption>Rivers</caption><tr><th colspan=2>of Europe<tr><th>river<th>km<tr><td>Elbe<td>1</table>"
        "<table><tr><td>Left<td><table><tr><th>a<th>b<tr><td>c<td>d</table></table>"
    )

    text = to_markdown(page.encode()).text
    assert text.index("Rivers") < text.index("of Europe") < text.index("| river | km |")
    assert text.index("Left") < text.index("| a | b |")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("1.3 × 10<sup>6</sup> km<sup>2</sup>", "1.3 × 10^6 km^2"),
        ("10<sup>-3</sup> and the 21<sup>st</sup>, H<sub>2</sub>O", "10^-3 and the 21st, H2O"),
        (
            "Elbe<sup><a href='#n'>2</a></sup> and Oder<sup>[note 1]</sup> and Main<sup>[12]</sup>",
            "Elbe and Oder and Main",
        ),
        ("<math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>", "E=mc^2"),
        ("<math alttext='a/b'><mfrac><mi>a</mi><mi>b</mi></mfrac></math>", "a/b"),
        (
            "<math><mi>x</mi><annotation encoding='application/x-tex'>\\frac{a}{b}</annotation></math>",
            "\\frac{a}{b}",
        ),
        ("<details><summary>More</summary>Inside.</details>", "More\n\nInside."),
        ("<ul><li>One<li>Two</ul><p>Three<p>Four", "- One\n- Two\n\nThree\n\nFour"),
        ("<?xml version='1.0' encoding='utf-8'?><html><body><p>Elbe</p></body></html>", "Elbe"),
    ],
)
def test_formulas_marks_and_open_elements_are_read_as_they_look(html, text):
    """Ten to the sixth is not 106."""
    assert text == to_markdown(html.encode()).text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<header>Shop</header><article><h1>Elbe</h1><p>A river.</article>", "# Elbe\n\nA river."),
        ("<p>A long text.</p><article>Ad</article>", "A long text.\n\nAd"),
        ("<article>One</article><article>Two</article>", "One\n\nTwo"),
        ("<main></main><p>Elbe</p>", "Elbe"),
        ("<div role=navigation>Menu</div><div role=dialog>Cookies</div><p>Elbe</p>", "Elbe"),
    ],
)
def test_of_a_page_its_article_is_read(body, text):
    """If there is one, and it is most of the page; what says that it leads around is left out."""
    assert text == to_markdown(body.encode()).text


@pytest.mark.parametrize(
    "hidden",
    [
        "<span style='font-size:0'>x</span>",
        "<div style='position:absolute; left: -9999px'>x</div>",
        "<h2 style='text-indent:-1000em'>x</h2>",
        "<iframe>x</iframe>",
        "<video>x</video>",
        "<textarea>x</textarea>",
    ],
)
def test_what_nobody_sees_is_not_read(hidden):
    """Too small, outside the window, or there for browsers of another time; similar styles are read."""
    seen = "<p style='font-size:0.8em; left: -5px'>Elbe</p>"
    assert "Elbe" == to_markdown(f"{seen}{hidden}".encode()).text.strip()


def test_deep_nesting_is_refused():
    """The rest of the page would be lost otherwise."""
    with pytest.raises(RecursionError):
        to_markdown(b"<div>" * 100_000 + b"text")
