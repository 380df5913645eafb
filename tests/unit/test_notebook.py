"""Display of results in a notebook: tables and pictures with any texts, and pandas tables."""

import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.agents.answer import Answer, Citation, Step, Trace
from gear_neo4j.communities.hierarchy import Community, Hierarchy
from gear_neo4j.domain import Cypher, EntityHit, Fact, Figure, Hit, Hits, Passage, Path, make_triple
from gear_neo4j.errors import SettingsError
from gear_neo4j.evaluate.datasets import EvaluationQuery
from gear_neo4j.evaluate.evaluation import Evaluation
from gear_neo4j.evaluate.runs import QueryResult
from gear_neo4j.retrieval.paths import PathResult
from gear_neo4j.roles.reporter import Report
from gear_neo4j.text.printable import printable
from gear_neo4j.usage import Usage

ALLOWED = {
    *("div", "p", "table", "thead", "tbody", "tr", "th", "td", "b", "bdi", "br", "span", "ul", "li", "pre"),
    *("details", "summary", "svg", "g", "title", "rect", "path", "text"),
}
EMPTY = {"br", "rect", "path"}


class Reader(HTMLParser):
    """The tags, attributes and text of a piece of HTML; every tag must be closed properly."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.open, self.words = set(), set(), [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_endtag(self, tag):
        assert tag == self.open.pop()

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)


def made(text):
    """One of each kind of result, with the same text in every field."""
    triples = (make_triple("p1", text, f"is {text}", "Warsaw"), make_triple(text or "p2", "Warsaw", "lies in", text))
    paths = (Path(triples, 0.9, (0.5, 0.4)), Path(triples[:1], 0.5, (0.5,)))
    passage = Passage("p1", text, f"about {text}", text, "line 1")
    cypher = Cypher(f"RETURN '{text}'", {"name": text})
    nodes = (EntityHit("n1", text, (text,), 1, text, cypher, value=text),)
    hits = Hits(
        text, text, (Hit(passage, 0.5, 1),), paths, entities=nodes, figure=Figure(2.5, text, cypher), doubt=text
    )
    fact = Fact(text, text, text)
    step = Step(1, text, gist=(fact,), rewrite=text)
    answer = Answer(
        text, text, hits, Trace(text, "roles", (step,)), "answerable", (Citation("1", passage),), failure=text
    )
    community = Community("c1", 0, 2, 1, None, ("n1",), report=Report(text, text))
    query = EvaluationQuery("q1", text, gold=("p1", "p2"))
    return {
        "hits": hits,
        "path": paths[0],
        "paths": PathResult((), paths, nodes=nodes, doubt=text),
        "answer": answer,
        "communities": Hierarchy({"c1": community}, stale=True),
        "evaluation": Evaluation((2,), {text: (QueryResult(query, hits, answer),)}),
    }


KINDS = tuple(made(""))


@pytest.mark.parametrize("kind", KINDS)
@given(
    text=st.text()
    | st.sampled_from(["<script>x</script>", "</div><img src=x onerror=y>", "&lt;", '" onclick="x', "]]>"])
)
def test_every_text_stays_text(kind, text):
    """Only our own tags, all closed; no script, no link, nothing to load; no control character."""
    read = Reader(made(text)[kind]._repr_html_())

    assert read.tags <= ALLOWED
    assert not {name for name in read.attributes if name.startswith("on")} | (read.attributes & {"href", "src"})
    assert printable(read.text) == read.text


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("hits", ["1 passage by Curie for “Curie”", "about Curie", "Curie, line 1", "2 paths", "2.5", "is Curie →"]),
        ("path", ["Curie", "is Curie →", "Warsaw", "lies in →", "p1", "Cypher", "MATCH"]),
        ("paths", ["2 paths", "Curie"]),
        ("answer", ["[1] Curie (Curie, line 1)", "answerable", "1 step", "Curie —Curie→ Curie"]),
        ("communities", ["1 community", "The graph has changed", "Curie"]),
        ("evaluation", ["1 question", "recall at 2, %", "50.0"]),
    ],
)
def test_it_says_what_there_is(kind, words):
    """In words and numbers."""
    text = Reader(made("Curie")[kind]._repr_html_()).text

    assert [] == [word for word in words if word not in text]


@pytest.mark.parametrize(
    ("nothing", "words"),
    [
        (Hits("who?", "auto", ()), "0 passages by auto"),
        (PathResult(), "names nothing of the graph"),
        (Hierarchy({}), "0 communities"),
    ],
)
def test_nothing_is_a_result_too(nothing, words):
    """No passage, no path, no community."""
    assert words in Reader(nothing._repr_html_()).text


def test_a_long_list_is_cut():
    """Ten paths are drawn, and the others are counted."""
    path = made("Curie")["path"]
    text = Reader(Hits("who?", "auto", (), (path,) * 14)._repr_html_()).text

    assert "14 paths, the best 10 drawn" in text


def test_hits_as_a_table():
    """A row per hit, with its metadata; without hits, only the columns."""
    passage = Passage("p1", "Title", "Text", "a.md", "line 1", metadata={"year": 2020})
    frame = Hits("who?", "auto", (Hit(passage, 0.5, 1),)).to_pandas()
    empty = Hits("who?", "auto", ()).to_pandas()

    assert {
        "rank": 1,
        "score": 0.5,
        "id": "p1",
        "title": "Title",
        "text": "Text",
        "source": "a.md",
        "position": "line 1",
        "collection": "default",
        "metadata": {"year": 2020},
    } == frame.to_dict("records")[0]
    assert list(frame.columns) == list(empty.columns)
    assert 0 == len(empty)


def test_an_evaluation_as_a_table():
    """A row per system and question, with the recall at each k."""
    query = EvaluationQuery("q1", "Who?", gold=("p1", "p2"))
    hits = [
        Hits("Who?", "auto", (Hit(Passage(id, "", ""), 1.0, 1),), milliseconds={"base": 7.0}) for id in ("p1", "p9")
    ]
    hits[1] = Hits("Who?", "auto", hits[1].hits, usage={"gist": Usage(calls=1, input_tokens=30, output_tokens=12)})
    evaluation = Evaluation((1, 2), {name: (QueryResult(query, some),) for name, some in zip("ab", hits, strict=True)})
    rows = evaluation.to_pandas().to_dict("records")

    assert [("a", 50.0, 50.0, 7.0, 0), ("b", 0.0, 0.0, 0.0, 42)] == [
        (row["system"], row["recall@1"], row["recall@2"], row["milliseconds"], row["tokens"]) for row in rows
    ]
    assert 50.0 == evaluation.recall("a", k=2)
    with pytest.raises(KeyError):
        evaluation.recall("c", k=2)


def test_without_pandas_the_message_says_what_to_install(monkeypatch):
    """One line, and no traceback of an import."""
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(SettingsError, match="pip install pandas"):
        Hits("who?", "auto", ()).to_pandas()
