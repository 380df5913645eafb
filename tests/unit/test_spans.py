"""Merged cells of HTML tables count in each row and column, and a page cannot make itself endless by them."""

import time

from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.extraction.rules import extract_facts
from gear_neo4j.ingestion.html import to_markdown
from gear_neo4j.ingestion.spans import LONGEST_REPEATED, MOST_REPEATED, repeat_spans
from tests.tables import merged_cells


@st.composite
def merged(draw):
    """A grid of names, and the HTML of its table, in which equal neighbours may be one cell."""
    grid, cells = draw(merged_cells())
    rows = [""] * len(grid)
    for top, _, down, across, text in cells:
        spans = "".join(f' {name}="{n}"' for name, n in (("rowspan", down), ("colspan", across)) if n > 1)
        rows[top] += f"<td{spans}>{text}</td>"
    return grid, f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def cells(html):
    page = BeautifulSoup(html, "html.parser")
    repeat_spans(page("table"))
    return [[cell.get_text() for cell in row(["td", "th"], recursive=False)] for row in page.table("tr")]


@given(merged())
def test_a_merged_cell_is_in_each_of_its_rows_and_columns(drawn):
    """Whatever is merged, the rows are those of the grid."""
    grid, html = drawn

    assert grid == cells(html)


def test_facts_are_under_their_own_heads():
    """A row below a merged cell does not move to the left."""
    page = to_markdown(
        b"<table><tr><th>team</th><th>city</th><th>coach</th></tr><tr><td rowspan='2'>Owls</td><td>Rome</td>"
        b"<td>Ada Byron</td></tr><tr><td>Bath</td><td>Bob Stone</td></tr></table>"
    )
    facts = set(map(str, extract_facts("", page.text)))

    assert {"Owls —city→ Bath", "Owls —coach→ Bob Stone", "Owls —city→ Rome"} <= facts
    assert not any("—city→ Bob Stone" in fact for fact in facts)


def test_spans_that_say_anything_cost_little():
    """A page of some kilobytes stays one of some megabytes."""
    label, text = "x" * LONGEST_REPEATED, "y" * (LONGEST_REPEATED + 1)
    row = f"<tr>{'<td colspan=99999 rowspan=99999>' + label + '</td>'}<td colspan='-1' rowspan='x'>{text}</td></tr>"
    started = time.monotonic()

    found = cells(f"<table>{row * 400}</table>")

    assert time.monotonic() - started < 20
    assert sum(map(len, found)) <= MOST_REPEATED + 800
    long = f"<table><tr><td>a</td><td colspan=2>{text}</td></tr></table>"
    assert [["a", text, ""]] == cells(long)


def test_a_table_within_a_table_has_rows_of_its_own():
    """The outer table is not widened by the inner one."""
    inner = "<table><tr><td rowspan=2>i</td><td>j</td></tr><tr><td>k</td></tr></table>"
    page = BeautifulSoup(f"<table><tr><td>{inner}</td><td>o</td></tr></table>", "html.parser")
    repeat_spans(page("table"))

    outer, *rows = page("tr")
    assert 2 == len(outer("td", recursive=False))
    assert [["i", "j"], ["i", "k"]] == [[cell.text for cell in row("td")] for row in rows]
