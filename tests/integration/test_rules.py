"""Triples by rules in the database: every ingest creates them once, despite interruptions, next to other triples."""

import json
import random

import pytest

from gear_neo4j import Gear
from gear_neo4j.errors import ReplyError
from gear_neo4j.extraction.extractor import Extractor, FactExtractor
from gear_neo4j.extraction.rules import RuleExtractor
from gear_neo4j.extraction.run import Extraction
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.write.extraction_queue import Selection
from tests import mixed_folder

TRIPLES = Query(
    "triples",
    "MATCH (s)<-[:SUBJECT]-(t:Triple)-[:OBJECT]->(o), (t)-[:FROM]->(p) "
    "RETURN t.id AS id, t.text AS text, t.extractor AS extractor, s.key AS s, o.key AS o, p.id AS passage ORDER BY id",
)
READ = Query("read", "MATCH (p:Passage) RETURN p.id AS id, p.extractors AS extractors ORDER BY id")
PASSAGES = [
    {"id": "p1", "title": "Marie Curie", "text": "She was born in Warsaw."},
    {"id": "p2", "title": "Warsaw", "text": "It lies on the Vistula."},
    {"id": "p3", "title": "plain", "text": "nothing here has a name."},
]


@pytest.fixture
def connected(server, database, embedder):
    """The front door to the tests' database."""
    with Gear.connect(server, embedder=embedder) as gear:
        yield gear


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def extractors(gear):
    return {row["id"]: row["extractors"] for row in gear.graph.database.run(READ)}


class Silent(FactExtractor):
    """An extractor that finds nothing."""

    def __init__(self, name):
        self.name = name

    def facts(self, passage):
        return []


class Unable(Extractor):
    """An extractor that fails for every passage."""

    def __init__(self, name):
        self.name = name

    def extract(self, passage):
        raise ReplyError("nothing usable")


def test_a_folder_of_many_kinds_becomes_a_graph_without_a_model(gear, monkeypatch, tmp_path):
    """200 documents and fifty lines: a company leads to its founder, and the founder to a town."""
    for name in ("GEAR_CHAT_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    mixed_folder.write(tmp_path / "records")
    (tmp_path / "records" / "people.jsonl").rename(tmp_path / "people.jsonl")
    company, founder, town = mixed_folder.company(12), mixed_folder.founder(12), mixed_folder.town(12)

    code, out, err = gear("ingest", tmp_path / "records", tmp_path / "people.jsonl")
    _, found, _ = gear("search", f"Who founded {company}?", "--retriever", "naive", "--json")
    _, connected, _ = gear("paths", f"How is {company} connected to {town}?", "--json")

    assert 0 == code, err
    assert "250 passages written" in out
    assert "from 250 passages by rules; --extract model would add" in out
    assert [company, founder] in [
        [triple["subject"], triple["object"]] for path in json.loads(found)["paths"] for triple in path["triples"]
    ]
    chain = [[triple["subject"], triple["object"]] for triple in json.loads(connected)["paths"][0]["triples"]]
    assert [[company, founder], [founder, town]] == chain


def test_each_passage_is_read_once_and_each_triple_keeps_its_extractor(connected, tmp_path):
    """Passages with given triples get no others; one without a name is read, too; the second ingest does nothing."""
    corpus = lines(tmp_path / "corpus.jsonl", PASSAGES)
    given = lines(tmp_path / "t.jsonl", [{"id": "p2", "triples": [["Warsaw", "on", "Vistula"]]}])

    report = connected.ingest([corpus], triples=[given])
    again = connected.ingest([corpus], triples=[given])

    assert (2, 1) == (report.passages_extracted, report.triples_extracted)
    assert (0, 0) == (again.passages_extracted, again.triples_extracted)
    assert {"p1": ["rules"], "p2": ["given"], "p3": ["rules"]} == extractors(connected)
    assert {"Marie Curie She was born in Warsaw": "rules", "Warsaw on Vistula": "given"} == {
        row["text"]: row["extractor"] for row in connected.graph.database.run(TRIPLES)
    }


def test_rules_on_request_read_what_others_have_read_and_others_what_only_rules_have(connected, tmp_path):
    """The triples of both stay."""
    corpus = lines(tmp_path / "corpus.jsonl", PASSAGES)
    given = lines(tmp_path / "t.jsonl", [{"id": "p2", "triples": [["Warsaw", "on", "Vistula"]]}])
    connected.ingest([corpus], triples=[given])

    rules = connected.corpus.extract(extractor="rules")
    model = Extraction(connected.graph, connected.embedder, Silent("model")).run()
    other = Extraction(connected.graph, connected.embedder, Silent("other")).run()

    assert (1, 2, 0) == (rules.done, model.done, other.done)
    assert {"p1": ["rules", "model"], "p2": ["given", "rules"], "p3": ["rules", "model"]} == extractors(connected)


def test_a_failure_is_that_of_its_extractor(connected, tmp_path):
    """Rules read passages where a model failed; its failure stays recorded until the model itself reads them."""
    connected.ingest([lines(tmp_path / "corpus.jsonl", PASSAGES)], extract=False)
    failures = []

    failed = Extraction(connected.graph, connected.embedder, Unable("model"), on_failure=failures.append).run()
    rules = Extraction(connected.graph, connected.embedder, RuleExtractor()).run()
    again = Extraction(connected.graph, connected.embedder, Unable("model")).run()

    assert (3, 3, 0) == (failed.failed, rules.done, again.total)
    assert {("nothing usable", id) for id in ("p1", "p2", "p3")} == {(f.reason, f.passage.id) for f in failures}
    mended = Extraction(connected.graph, connected.embedder, Silent("model"), retry_failed=True).run()
    assert 3 == mended.done
    assert {("rules", "model")} == {tuple(names) for names in extractors(connected).values()}
    assert 0 == connected.graph.extraction.backlog(Selection("model", ("rules",)), failed=True).passages


def test_an_ingest_without_extraction_leaves_passages_for_a_later_one(connected, tmp_path):
    """The next ingest reads them."""
    corpus = lines(tmp_path / "corpus.jsonl", PASSAGES)

    assert 0 == connected.ingest([corpus], extract=False).passages_extracted
    assert 3 == connected.ingest([corpus]).passages_extracted


def test_an_extraction_that_broke_off_is_completed_by_the_next(connected, database, embedder, tmp_path):
    """Whichever batch failed, the triples are the same as without the failure: none twice, none missing."""
    rows = [{"id": f"p{n:03}", "title": f"Town {n}", "text": f"It lies near River {n % 7}."} for n in range(250)]
    connected.ingest([lines(tmp_path / "corpus.jsonl", rows)], extract=False)

    class Failing:
        name, dimension = embedder.name, embedder.dimension
        left = 1

        def embed(self, texts):
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
            return embedder.embed(texts)

    with pytest.raises(KeyboardInterrupt):
        Extraction(Graph(database), Failing(), RuleExtractor()).run()
    part = len(database.run(TRIPLES))
    report = connected.ingest([tmp_path / "corpus.jsonl"])

    assert 0 < part < 250
    assert 250 == part + report.triples_extracted == len(database.run(TRIPLES))
    assert {("rules",)} == {tuple(names) for names in extractors(connected).values()}


def test_the_order_of_passages_does_not_matter(connected, database, tmp_path):
    """The same passages give the same graph, in any order and any batches."""
    rows = [
        {"id": f"p{n}", "title": f"Town {n}", "text": f"Town {n} lies near River {n % 7}. It has Bridge {n % 5}."}
        for n in range(60)
    ]
    graphs = []
    for seed in (1, 2):
        random.Random(seed).shuffle(rows)
        database.run(Query("wipe", "MATCH (n) WHERE n:Passage OR n:Triple OR n:Entity DETACH DELETE n", writes=True))
        for start in range(0, 60, 10 * seed):
            part = lines(tmp_path / f"{seed}-{start}.jsonl", rows[start : start + 10 * seed])
            connected.ingest([part])
        graphs.append(database.run(TRIPLES))

    assert graphs[0] == graphs[1]
    assert len(graphs[0]) > 100


def test_a_replaced_text_is_read_anew(connected, tmp_path):
    """Its old triples are deleted, and the rules read the new text."""
    corpus = lines(tmp_path / "corpus.jsonl", PASSAGES[:1])
    connected.ingest([corpus])
    lines(corpus, [PASSAGES[0] | {"text": "She died in Passy."}])

    connected.ingest([corpus], replace=True)

    assert ["Marie Curie She died in Passy"] == [row["text"] for row in connected.graph.database.run(TRIPLES)]


def test_options_that_do_not_go_together_are_refused(gear, folder):
    """One line each, before anything is written."""
    budget = gear("ingest", folder, "--max-tokens", "5")
    unknown = gear("ingest", folder, "--extract", "magic")
    nothing = gear("ingest")

    assert (2, True) == (budget[0], "--max-tokens and --retry-failed are for a language model" in budget[2])
    assert (2, True) == (unknown[0], "there is no extractor 'magic'" in unknown[2])
    assert (2, True) == (nothing[0], "nothing to ingest" in nothing[2])
