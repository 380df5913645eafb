"""The commands for existing graphs, as a user types them."""

import json

import pytest

from gear_neo4j.errors import ExitCode
from gear_neo4j.graph.queries import Query
from tests.commands import one_line
from tests.dump import dump

pytestmark = pytest.mark.one_server_line

NODES = "id:ID,name,about,:LABEL\np1,Ada Lovelace,,Person\np2,Charles Babbage,,Person\nm1,Analytical Engine,,Machine\n"
RELATIONSHIPS = ":START_ID,:END_ID,:TYPE\np1,m1,WROTE_ABOUT\np2,m1,DESIGNED\np1,p2,KNEW\n"
QUESTIONS = [
    {"id": "q1", "question": "Who designed the Analytical Engine?", "answer": "Charles Babbage designed it."},
    {"id": "q2", "question": "Is it raining?", "answer": "No."},
]


@pytest.fixture
def graph(tmp_path):
    """A folder with a small graph and questions."""
    (tmp_path / "nodes.csv").write_text(NODES)
    (tmp_path / "relationships.csv").write_text(RELATIONSHIPS)
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    return tmp_path


def test_from_files_to_paths_and_back(empty, gear, connection, graph):
    """Import, inspect, adopt, search, follow, release: afterwards the graph is as imported."""
    code, out, _ = gear("import", graph / "nodes.csv", graph / "relationships.csv")
    assert (0, "3 nodes and 3 relationships imported into neo4j\n") == (code, out)
    before = dump(connection)

    code, out, err = gear("adopt")
    assert 0 == code
    assert '[entities.Machine]\nnames = [\n    "name",\n]' in out
    assert "KNEW" in err
    assert "This is a proposal" in err
    assert before == dump(connection)
    (graph / "profile.toml").write_text(out)

    code, out, _ = gear("adopt", "--profile", graph / "profile.toml", "--dry-run")
    assert out.startswith("2 passages and 3 triples would be written over 3 nodes and 3 relationships")
    assert before == dump(connection)

    code, out, _ = gear("adopt", "--profile", graph / "profile.toml", "--json")
    assert (0, 2, 3) == (code, json.loads(out)["passages_written"], json.loads(out)["triples_written"])

    code, out, _ = gear("paths", "Did Ada Lovelace know Charles Babbage?")
    assert "named: Ada Lovelace, Charles Babbage" in out
    assert "Ada Lovelace —knew→ Charles Babbage" in out

    code, out, _ = gear("paths", "Charles Babbage and Ada Lovelace", "--set", "hops=1")
    assert "Paths between them, shortest first\n" in out
    assert "No path" not in out

    code, out, _ = gear("paths", "Whom did Ada Lovelace know?")
    assert "Charles Babbage (Person)" in out
    assert "MATCH (person:Person)" in out

    code, out, _ = gear("paths", "Did Ada Lovelace know Charles Babbage?", "--json", "--set", "facts=0")
    found = json.loads(out)
    assert ["Ada Lovelace —knew→ Charles Babbage"] == [path["text"] for path in found["paths"]]
    assert ["Ada Lovelace", "Charles Babbage"] == [one["text"] for one in found["entities"]]
    shown = found["paths"][0]["cypher"]
    (row,) = connection.run(Query("shown", shown["statement"]))
    assert ["Ada Lovelace", "Charles Babbage"] == [row[end]["name"] for end in ("e1", "e2")]

    code, out, _ = gear("paths", "Is it raining?")
    assert ExitCode.NOTHING_FOUND == code
    assert "the question mentions no node of the graph by name" in out

    connection.run(Query("new", "MATCH (a {name: 'Charles Babbage'}) CREATE (a)-[:KNEW]->(a)-[:MET]->(a)", writes=True))
    code, out, err = gear("adopt", "--update")
    assert "1 triple written" in out
    assert "not adopted, as the profile does not list these types: MET (1)" in err
    connection.run(Query("old", "MATCH (n)-[r:KNEW|MET]->(n) DELETE r", writes=True))

    code, out, _ = gear("release", "--dry-run")
    assert "2 passages and 4 triples, with the indexes and the schema of gear-neo4j, would be removed\n" == out
    code, out, _ = gear("release")
    assert 0 == code
    assert before == dump(connection)


def test_unusable_rows_of_a_file_are_reported_and_set_the_exit_code(gear, graph):
    """The other rows are imported."""
    (graph / "more.csv").write_text("id:ID,age:int,:LABEL\na,1,P\nb,x,P\n")

    code, out, err = gear("import", graph / "more.csv")

    assert ExitCode.PARTIAL == code
    assert out.startswith("1 node and ")
    assert 'more.csv:3: age is "x": no int' in err
    assert "1 row could not be used" in err


def test_bad_input_costs_one_line(empty, gear, graph):
    """It names the error."""
    (graph / "bad.toml").write_text("name = 'x'\n[entities.A]\nname = ['n']\n")
    assert one_line(gear("import", graph / "gone.csv"), "gone.csv does not exist")
    assert one_line(gear("import", graph / "nodes.csv", "--delimiter", "xx"), "--delimiter", "one character")
    assert one_line(gear("import"), "give FILES to import")
    assert one_line(gear("adopt"), "no nodes that could be adopted")
    assert one_line(gear("adopt", "--update"), "no graph was adopted", "give a profile")
    assert one_line(gear("adopt", "--profile", "nonsense"), "no built-in profile 'nonsense'", "neo4j-graphrag")
    assert one_line(gear("adopt", "--profile", "graphiti", "--update"), "give only one of --profile and --update")
    assert one_line(gear("adopt", "graphiti"), "extra argument (graphiti)")
    assert one_line(gear("adopt", "--dry-run"), "--dry-run", "need --profile or --update")
    assert one_line(gear("adopt", "--profile", graph / "gone.toml"), "gone.toml cannot be read")
    assert one_line(gear("adopt", "--profile", graph / "bad.toml"), "bad.toml", "name")
    assert one_line(gear("adopt", "--profile", "graphiti"), "no node with the label Entity")
    assert one_line(gear("release"), "holds no overlay", exit_code=ExitCode.NOTHING_FOUND)
    assert one_line(gear("paths", "x"), "holds no passages yet")
    assert one_line(gear("paths", "x", "--set", "hops=9"), "paths' hops is 9", "at most 4")
    assert one_line(gear("paths", "x", "--set", "base=sbert"), "base is for the passages of gear search")


def test_a_knowledge_graph_with_questions_is_evaluated(gear, graph):
    """It is imported and adopted automatically; questions without a node as answer do not count."""
    code, out, _ = gear("evaluate", graph, "--json", graph / "told.json")

    told = json.loads((graph / "told.json").read_text())
    assert 0 == code
    assert "1 of 2 questions" in " ".join(out.split())
    assert (2, 1, 20) == (told["questions"], told["counted"], told["k"])
    assert [["charles babbage"], []] == [row["wanted"] for row in told["per_question"]]
    assert {"nearest": 100.0, "naive": 100.0, "paths": 100.0} == {
        name: system["recall"] for name, system in told["systems"].items()
    }
    assert 0 == gear("evaluate", graph)[0]
    assert one_line(gear("evaluate", graph, "--collection", "a/b"), "a/b", "slash")
    (graph / "questions.jsonl").write_text('{"id": "q1", "question": " ", "answer": "x"}\n')
    assert one_line(gear("evaluate", graph), "questions.jsonl:1", "not blank")


def test_a_knowledge_graph_lies_beside_documents_and_each_is_measured_alone(gear, graph, folder, tmp_path_factory):
    """In one database, each in a collection; our own entities are not mistaken for the graph."""
    graph_folder = tmp_path_factory.mktemp("graph")
    for name in ("nodes.csv", "relationships.csv", "questions.jsonl"):
        (graph / name).rename(graph_folder / name)
    documents = ("evaluate", folder, "--collection", "papers", "--retriever", "naive", "--ks", "1,2", "--json")
    people = ("evaluate", graph_folder, "--collection", "people", "--json")

    before = json.loads(gear(*documents)[1])
    code, out, err = gear(*people)
    after = json.loads(gear(*documents, "--fresh")[1])

    assert 0 == code, err
    assert {"naive": 100.0, "paths": 100.0} == {
        name: system["recall"] for name, system in json.loads(out)["systems"].items()
    }
    assert (before["recall"], before["questions"]) == (after["recall"], 1)
    assert 0 == gear(*people[:2], "--collection", "others")[0]
    assert json.loads(out)["systems"].keys() == json.loads(gear(*people)[1])["systems"].keys()
    code, out, _ = gear("collections", "--json")
    assert {"papers": 2, "people": 2} == {row["name"]: row["passages"] for row in json.loads(out)["collections"]}


def test_names_that_nothing_connects_are_said_before_the_facts_around_them(empty, gear, graph):
    """With the option that looks farther; the facts are in the order of their scores."""
    (graph / "relationships.csv").write_text(":START_ID,:END_ID,:TYPE\np1,m1,WROTE_ABOUT\np2,m1,DESIGNED\n")
    gear("import", graph / "nodes.csv", graph / "relationships.csv")
    (graph / "profile.toml").write_text(gear("adopt")[1])
    gear("adopt", "--profile", graph / "profile.toml")

    code, out, _ = gear("paths", "Ada Lovelace, Charles Babbage", "--set", "hops=1")
    _, told, facts = out.partition(
        "No path of at most 1 triple connects Ada Lovelace and Charles Babbage: try --set hops=2\n"
    )
    scores = [float(line.split()[0]) for line in facts.splitlines() if "→" in line]

    assert (0, True) == (code, bool(told))
    assert "\nFacts around them\n" in facts
    assert 2 == len(scores)
    assert sorted(scores, reverse=True) == scores
    assert 0 == json.loads(gear("paths", "Ada Lovelace, Charles Babbage", "--set", "hops=1", "--json")[1])["connecting"]
