"""Data sets: what is refused, what changes the fingerprint, and the bundled one."""

import json
from pathlib import Path

import pytest

import gear_neo4j
from gear_neo4j.domain import entity_key
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.datasets import EvaluationQuery, load
from gear_neo4j.ingestion.lines import parsed, read_lines, to_passage, to_triples

DEMO = Path(gear_neo4j.__file__).parent / "demo"
CORPUS = ({"id": "p1", "text": "one"}, {"id": "p2", "text": "two"})
QUERIES = ({"id": "q1", "question": "Who?", "gold": ["p1"]},)
TRIPLES = ({"id": "p1", "triples": [["A", "p", "B"]]},)


@pytest.fixture
def write(tmp_path):
    """Write a data set from the rows of its files."""

    def written(corpus=CORPUS, queries=QUERIES, triples=None):
        for name, rows in {"corpus": corpus, "queries": queries, "triples": triples}.items():
            if rows is not None:
                text = "".join(f"{json.dumps(row)}\n" for row in rows)
                (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
        return tmp_path

    return written


def test_a_data_set_is_named_after_its_folder(write, tmp_path):
    """Gold passages count once and may be numbers; answers and triples are optional."""
    queries = [
        {"id": "q1", "question": "Who?", "gold": ["p1", "p2", "p1"], "answers": ["she"], "more": 1},
        {"id": 2, "question": "Where?", "gold": [7]},
    ]

    actual = load(write(corpus=[*CORPUS, {"id": 7, "text": "seven"}], queries=queries))

    expected = (EvaluationQuery("q1", "Who?", ("p1", "p2"), ("she",)), EvaluationQuery("2", "Where?", ("7",)))
    assert (tmp_path.name, tmp_path, expected) == (actual.name, actual.folder, actual.queries)


def test_a_query_without_an_id_is_called_by_its_question(write):
    """Whether the id is missing or null."""
    rows = [{"question": "Who?", "gold": ["p1"]}, {"id": None, "question": "Where?", "gold": ["p1"]}]

    assert ["Who?", "Where?"] == [query.id for query in load(write(queries=rows)).queries]


def test_a_data_set_needs_no_triples(write):
    """Base retrievers can be measured without them."""
    assert 1 == len(load(write()).queries)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl"])
def test_a_missing_file_is_refused(write, name):
    """The message names it."""
    folder = write()
    (folder / name).unlink()

    with pytest.raises(InputError, match=f"has no {name}"):
        load(folder)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"corpus": [*CORPUS, CORPUS[0]]}, r"corpus\.jsonl:3: the id 'p1' is repeated"),
        ({"corpus": [{"id": "p1"}]}, r'corpus\.jsonl:1: "text" is missing'),
        ({"corpus": []}, "'p1' is not in the corpus"),
        ({"queries": [*QUERIES, *QUERIES]}, r"queries\.jsonl:2: the id 'q1' is repeated"),
        ({"queries": []}, "holds no question"),
        ({"queries": [["Who?"]]}, "not a JSON object"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(write, rows, message):
    """The message names the file and the line."""
    with pytest.raises(InputError, match=message):
        load(write(**rows))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold": ["p1", "p9"]}, "the gold passage 'p9' is not in the corpus"),
        ({"gold": []}, '"gold" is missing or empty'),
        ({"gold": None}, '"gold" is missing or empty'),
        ({"gold": "p1"}, '"gold" is missing or empty'),
        ({"question": ""}, '"question" is missing or blank'),
        ({"question": " \n"}, '"question" is missing or blank'),
        ({"question": ["Who?"]}, '"question" is missing or blank'),
        ({"answers": 5}, '"answers"'),
        ({"answers": "she"}, '"answers"'),
    ],
)
def test_a_query_that_cannot_be_used_is_refused(write, change, message):
    """The message names the line and the key."""
    with pytest.raises(InputError, match=rf"queries\.jsonl:1: {message}"):
        load(write(queries=[QUERIES[0] | change]))


def test_the_fingerprint_changes_with_the_corpus_and_the_triples(write):
    """It identifies a database filled from other files."""
    fingerprints = [
        load(write()).fingerprint,
        load(write(triples=[])).fingerprint,
        load(write(triples=TRIPLES)).fingerprint,
        load(write(triples=[*TRIPLES, *TRIPLES])).fingerprint,
        load(write(corpus=CORPUS[::-1])).fingerprint,
    ]

    assert 4 == len(set(fingerprints[1:]))
    assert fingerprints[0] == fingerprints[1], "a file without a line adds nothing to the database"


def test_the_fingerprint_does_not_change_with_the_queries(write):
    """Other questions can be asked of the same database."""
    one = load(write()).fingerprint

    assert one == load(write(queries=[{"question": "Where?", "gold": ["p2"]}])).fingerprint


def test_the_demo_has_40_passages_and_10_questions():
    """As the README says; every passage has triples."""
    demo = load(DEMO)
    passages = [parsed(line, to_passage).id for line in read_lines(DEMO / "corpus.jsonl")]
    stated = [parsed(line, to_triples).passage for line in read_lines(DEMO / "triples.jsonl")]

    assert ("demo", 10, 40) == (demo.name, len(demo.queries), len(passages))
    assert sorted(passages) == sorted(stated)


@pytest.mark.parametrize("query", load(DEMO).queries, ids=lambda query: query.id)
def test_the_gold_passages_of_each_demo_question_are_linked(query):
    """Each shares an entity in its triples with the next one, so the graph connects them."""
    entities = {}
    for line in read_lines(DEMO / "triples.jsonl"):
        found = parsed(line, to_triples)
        entities[found.passage] = {
            entity_key(name) for triple in found.triples for name in (triple.subject, triple.object)
        }

    assert len(query.gold) >= 2
    for one, other in zip(query.gold, query.gold[1:], strict=False):
        assert entities[one] & entities[other], f"{one} and {other} share no entity"


def test_no_triple_of_the_demo_is_malformed():
    """Everybody sees this example."""
    assert [()] * 40 == [parsed(line, to_triples).malformed for line in read_lines(DEMO / "triples.jsonl")]


def test_the_triples_are_those_given_or_else_those_of_the_rules(write):
    """Or both, with a separate fingerprint; missing ones cannot be chosen."""
    folder = write(triples=TRIPLES)
    chosen = [load(folder), load(folder, triples="rules"), load(folder, triples="both")]
    (folder / "triples.jsonl").unlink()

    assert ["given", "rules", "both"] == [dataset.triples for dataset in chosen]
    assert 3 == len({dataset.fingerprint for dataset in chosen})
    assert [folder / "corpus.jsonl", folder] == [chosen[1].sources[0], chosen[2].sources[0]]
    assert "rules" == load(folder).triples
    with pytest.raises(InputError, match="has no triples.jsonl: --extract rules makes them"):
        load(folder, triples="given")
