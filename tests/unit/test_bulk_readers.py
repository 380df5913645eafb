"""A bulk export of passages without triples: which extractor reads them, and what is reported if a model fails."""

import csv
import json

import pytest
from langchain_openai import ChatOpenAI

from gear_neo4j.errors import ModelError
from gear_neo4j.gear.extractors import bulk_readers
from gear_neo4j.ingestion.admin.export import AdminExport
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.models.chat import Chat
from tests.scripted_server import ScriptedServer

TEXTS = {
    "given": "Ada Lovelace wrote to Charles Babbage.",
    "read": "Marie Curie met Paul Langevin in Paris.",
    "refused": "Alan Turing met Joan Clarke in Bletchley.",
}


@pytest.fixture
def files(tmp_path):
    """Three passages, one of which already has a triple."""
    rows = [{"id": id, "text": text} for id, text in TEXTS.items()]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "triples.jsonl").write_text(json.dumps({"id": "given", "triples": [["Ada", "wrote to", "Charles"]]}))
    return files_to_ingest([tmp_path])


def reply(messages):
    """A triple, unless the prompt names Turing."""
    refused = "Turing" in messages[1]["content"]
    return "I would rather not." if refused else json.dumps({"triples": [["Marie Curie", "knew", "Paul Langevin"]]})


def chat_of(model):
    """A client of the scripted model."""
    client = ChatOpenAI(model="toy", api_key="none", base_url=model.url, max_retries=0)
    return Chat(client, cache=None, sleep=lambda _seconds: None)


def exported(files, folder, embedder, readers):
    """The report, the problems, and the extractors of passages and triples."""
    problems = []
    report = AdminExport(folder, embedder, readers=readers, on_problem=problems.append).run(files)
    header = (folder / "Passage-header.csv").read_text().replace('"', "").strip().split(",")
    with (folder / "Passage.csv").open(newline="") as table:
        passages = {row["id:ID(Passage)"]: row["extractors:string[]"] for row in csv.DictReader(table, header)}
    with (folder / "Triple.csv").open(newline="") as table:
        triples = {row["extractor"] for row in csv.DictReader(table)}
    return report, [str(problem) for problem in problems], passages, triples


def test_nobody_reads_where_that_is_asked_for(files, tmp_path, embedder):
    """All triples are from the files."""
    report, problems, passages, triples = exported(files, tmp_path / "out", embedder, [])

    assert ({"given": "given", "read": "", "refused": ""}, {"given"}, []) == (passages, triples, problems)
    assert (1, 0) == (report.triples, report.passages_extracted)


def test_rules_read_what_has_no_triples(files, tmp_path, embedder):
    """And nothing else, as in an ingest."""
    readers = bulk_readers("rules", chat=lambda: pytest.fail("rules need no model"))
    report, problems, passages, triples = exported(files, tmp_path / "out", embedder, readers)

    assert {"given": "given", "read": "rules", "refused": "rules"} == passages
    assert ({"given", "rules"}, [], 2) == (triples, problems, report.passages_extracted)
    assert report.triples == 1 + report.triples_extracted > 2


def test_a_passage_that_the_model_does_not_read_is_left_for_later(files, tmp_path, embedder):
    """It keeps the triples of the rules, and the reason is reported; it is not marked as read by the model."""
    with ScriptedServer(reply) as model:
        readers = bulk_readers("model", chat=lambda: chat_of(model))
        report, problems, passages, triples = exported(files, tmp_path / "out", embedder, readers)

    assert {"given": "given", "read": "rules;toy", "refused": "rules"} == passages
    assert {"given", "rules", "toy"} == triples
    assert (1, 0, 2) == (report.unread, report.problems, report.passages_extracted)
    (problem,) = problems
    assert "/corpus.jsonl, passage refused: no triples: " in problem
    assert report.usage.calls > 1


def test_a_model_that_extracts_nothing_ends_the_export(tmp_path, embedder):
    """After its first ten replies; the folder is then empty."""
    rows = [{"id": f"p{number}", "text": f"Alan Turing {number}"} for number in range(50)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    with ScriptedServer(reply) as model:
        readers = bulk_readers("model", chat=lambda: chat_of(model))
        with pytest.raises(ModelError, match="gave no triple for any of the first 10 passages"):
            AdminExport(tmp_path / "out", embedder, readers=readers).run(files_to_ingest([tmp_path]))

    assert [] == list((tmp_path / "out").iterdir())
