"""A published data set, from its files to the comparison of two runs, as a user types it."""

import json

import pytest

from tests.commands import CORPUS, QUERIES, TRIPLES, one_line

pytestmark = pytest.mark.one_server_line


@pytest.fixture
def published(tmp_path):
    """The tests' data set in HippoRAG's format: questions, corpus, extraction; returns the file of questions."""
    paragraphs = [
        {"idx": n, "is_supporting": True, "paragraph_text": one["text"], **one} for n, one in enumerate(CORPUS)
    ]
    question = {"id": "q1", "question": QUERIES[0]["question"], "paragraphs": paragraphs, "answer": "Edinburgh"}
    passages = [{"title": one["title"], "text": one["text"]} for one in CORPUS]
    docs = [
        {"passage": f"{one['title']}\n{one['text']}", "extracted_triples": facts["triples"]}
        for one, facts in zip(CORPUS, TRIPLES, strict=True)
    ]
    other = [{"title": f"Recipe {number}", "text": "A recipe for bread and butter."} for number in range(9)]
    files = {"laureates": [question], "laureates_corpus": passages + other, "openie_laureates_results": {"docs": docs}}
    (tmp_path / "published").mkdir()
    for name, value in files.items():
        (tmp_path / "published" / f"{name}.json").write_text(json.dumps(value))
    return tmp_path / "published" / "laureates.json"


def test_a_published_data_set_is_ingested_evaluated_and_compared(gear, published, tmp_path, monkeypatch):
    """The triples are read, both gold passages are found, and a run compared with itself has only ties."""
    reports = [tmp_path / "base.json", tmp_path / "naive.json"]

    for retriever, report in zip(("base", "naive"), reports, strict=True):
        code, _, err = gear("evaluate", published, "--retriever", retriever, "--ks", "2,5", "--json", report)
        assert (0, False) == (code, "published" in err), err

    found = [json.loads(report.read_text()) for report in reports]
    assert ["laureates", "laureates"] == [one["dataset"] for one in found]
    assert 100.0 == found[1]["recall"]["2"]
    assert found[1]["per_question"][0]["paths"], "the extraction's triples must be in the graph"
    code, out, _ = gear("compare", *reports, "--metric", "recall@5")
    # The title is padded to the width of the table.
    assert (0, True) == (code, "laureates, 1 question" in [line.rstrip() for line in out.splitlines()])
    assert "0 / 1 / 0" in gear("compare", reports[0], reports[0], "--metric", "recall@5")[1]


def test_a_fault_in_a_published_data_set_is_one_line(gear, published, monkeypatch, tmp_path):
    """With the user's file and the location, before any server is contacted."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:9")
    corpus = published.with_name("laureates_corpus.json")
    corpus.write_text(json.dumps(json.loads(corpus.read_text())[1:]))

    assert one_line(gear("evaluate", published), "laureates.json: item 1", "'Prize'", "laureates_corpus.json")
