"""The report is one self-contained page that says what was measured, and is the same for the same figures."""

import re

import pytest

from gear_neo4j import Base
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.poster import NO_MODEL, NO_TRIPLES, rows
from gear_neo4j.evaluate.published import published
from gear_neo4j.evaluate.report import write_report
from tests.disk import refused

KS = [2, 5, 10]


def question(number, found, *, steps=1):
    """The entry of ``gear evaluate`` for a question of whose two gold passages ``found`` were found."""
    retrieved = ["gold1", "gold2"][:found] + [f"p{index}" for index in range(10)]
    return {
        "id": f"q{number}",
        "question": f"Who <b>& why</b> {number}?",
        "gold": ["gold1", "gold2"],
        "hops": 2 + number % 2,
        "retrieved": retrieved,
        "recall": {str(k): 50.0 * found for k in KS},
        "paths": ["A —<r>→ B"],
        "steps": ["q"] * steps,
    }


def row(label, founds, *, steps=None, tokens=0):
    """A system's row."""
    mean = sum(50.0 * found for found in founds) / len(founds)
    recall = {str(k): mean for k in KS}
    return {
        "label": label,
        "questions": len(founds),
        "published": (1.0, 2.0, 3.0) if label == "naive" else None,
        "recall": recall,
        "all_found": recall,
        "latency_ms": {"p50": 12.3, "p95": 45.6},
        "llm": {"calls": 3 if tokens else 0, "input_tokens": tokens, "output_tokens": 0},
        "per_question": [question(number, found) for number, found in enumerate(founds)],
        **({"steps": steps, "recall_by_step": {"1": recall, "2": recall}, "em": 50.0, "f1": 60.0} if steps else {}),
    }


def table(*found, missing=()):
    return {
        "dataset": "musique_<tiny>",
        "questions": 4,
        "passages": 10,
        "triples": 20,
        "embedding": "fake",
        "neo4j": "5.26",
        "version": "0",
        "other_corpus": True,
        "ks": KS,
        "llm": "oracle: upper bound",
        "claim": "",
        "rows": list(found),
        "missing": list(missing),
    }


@pytest.fixture
def page(tmp_path):
    """The page of three systems and one that did not run."""
    told = table(
        row("naive", [1, 1, 2, 0]),
        row("gear", [2, 2, 2, 1], steps=1.5, tokens=900),
        row("base", [0, 1, 1, 0]),
        missing=[{"label": "ColBERTv2", "reason": "not installed"}],
    )
    return write_report(told, tmp_path / "report").read_text()


def test_the_page_asks_no_other_host_and_runs_no_script(page):
    """Everything is inside; the only URLs are XML namespaces."""
    assert set(re.findall(r"https?://[^\"' <)]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
        "http://purl.org/dc/elements/1.1/",
        "http://creativecommons.org/ns#",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "http://purl.org/dc/dcmitype/StillImage",
        "https://matplotlib.org/",
    }
    assert not re.search(r"<script|<link rel=.stylesheet|@import|src=", page)


def test_what_stands_in_questions_is_text(page):
    """Markup in a question, a path or a name is shown, not interpreted."""
    assert "Who &lt;b&gt;&amp; why&lt;/b&gt; 3?" in page
    assert "<b>& why" not in page
    assert "A —&lt;r&gt;→ B" in page
    assert "musique_&lt;tiny&gt;" in page


def test_every_system_has_its_row_and_the_others_their_reason(page):
    """Figures, intervals, the paper's figures, and that the oracle's rows are upper bounds."""
    assert "<td>naive</td>" in page
    assert '<tr class="best"><td>gear</td>' in page
    assert re.search(r"\d+\.\d to \d+\.\d", page)
    assert "1.0 / 2.0 / 3.0" in page
    assert "(another corpus)" in page
    assert "not run: not installed" in page
    assert "upper bounds" in page


def test_four_plots_are_in_the_page_and_beside_it(page, tmp_path):
    """As SVG, the same bytes for the same figures."""
    names = ["hops", "recall", "steps", "tokens"]
    assert names == sorted(path.stem for path in (tmp_path / "report").glob("*.svg"))
    assert names == sorted(re.findall(r'<figure id="(\w+)">', page))
    told = table(row("naive", [1, 1, 2, 0]))
    first, second = (write_report(told, tmp_path / name).read_text() for name in ("one", "two"))
    assert first == second


def test_the_questions_that_differ_most_come_first(page):
    """Between the two best systems, with what each retrieved."""
    assert "Where gear and naive differ most" in page
    assert ["+50", "+50", "+50"] == re.findall(r'<span class="up">([+-]\d+)</span>', page)


def test_a_table_without_model_has_no_plot_of_steps_and_tokens(tmp_path):
    """An empty plot is left out."""
    write_report(table(row("naive", [1, 2])), tmp_path)

    assert ["hops", "recall"] == sorted(path.stem for path in tmp_path.glob("*.svg"))


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    """There is a file in its place."""
    (tmp_path / "file").write_text("")

    with pytest.raises(InputError, match="cannot be written"):
        write_report(table(row("naive", [1, 2])), tmp_path / "file" / "report")


def test_rows_that_cannot_run_say_why():
    """Without a model, no row is faked; without triples, only base retrievers and IRCoT run."""
    without = {row.label: row.reason for row in rows(llm=None, triples=True) if row.system is None}
    assert {"bm25 + SyncGE", "GeAR", "IRCoT (bm25)"} <= without.keys()
    assert NO_MODEL == without["GeAR"]

    bare = [row for row in rows(llm="oracle", triples=False) if row.system is not None]
    assert all(isinstance(getattr(row.system.recipe, "over", row.system.recipe), Base) for row in bare)
    assert NO_TRIPLES in {row.reason for row in rows(llm="oracle", triples=False)}
    assert all(row.system.uses_oracle for row in bare if row.system.needs_model)


def test_published_figures_stand_beside_the_rows_they_belong_to():
    """Each row of the poster that we run has its figure for the three corpora, and none for others."""
    keys = {row.label: row.key for row in rows(llm="oracle", triples=True)}

    assert (58.4, 67.6, 71.5) == published(keys["GeAR"], "musique_train100")
    assert (77.8, 85.8, 89.7) == published(keys["hybrid"], "hotpotqa")
    assert (70.5, 76.1, 79.3) == published(keys["bm25 + SyncGE"], "2wikimultihopqa")
    assert published(keys["GeAR"], "my own") is None


def test_a_report_that_does_not_fit_is_one_line(tmp_path):
    """An older page stays unchanged."""
    (tmp_path / "index.html").write_text("old")
    rows = table(row("naive", [2, 1]))

    refused(tmp_path, lambda: write_report(rows, tmp_path), after=10)
