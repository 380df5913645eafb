"""The command line: what a user types and sees, and that bad input costs one line and nothing else."""

import json
import re

import pytest

from gear_neo4j.errors import ExitCode
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema import migration_files
from tests.commands import CORPUS, one_line
from tests.dump import dump
from tests.pdfs import pdf
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.one_server_line


def test_ingest_search_and_evaluate(gear, folder, tmp_path):
    """The three commands of the README, on two passages."""
    code, out, _ = gear("ingest", folder)
    assert (0, True) == (code, "2 passages and 2 triples written" in out)

    code, out, _ = gear("ingest", folder)
    assert (0, True) == (code, "0 passages and 0 triples written (2 and 2 read)" in out)

    code, out, _ = gear("search", "2024 physics prize", "--paths", "--retriever", "naive", "--base", "bm25")
    assert 0 == code
    assert "2024 physics prize —went to→ Geoffrey Hinton —wrote a thesis at→ Edinburgh" in out
    assert "MATCH (t1)-[:FROM]->(p1), (t2)-[:FROM]->(p2)" in out

    code, out, _ = gear("search", "2024 physics prize", "--json")
    found = json.loads(out)
    assert {"p1", "p2"} == {hit["id"] for hit in found["hits"]}
    assert {
        "wire",
        "kind",
        "question",
        "retriever",
        "hits",
        "paths",
        "facts",
        "doubt",
        "scope_plan",
        "scope",
        "exact",
        "figure",
        "milliseconds",
        "usage",
        "entities",
    } == set(found)
    assert {"statement", "parameters"} == set(found["paths"][0]["cypher"])


def test_stages_are_lines_where_no_terminal_is(gear, folder):
    """The log of a long ingest shows its stage; standard output contains only the report."""
    code, out, err = gear("ingest", folder)

    lines = err.splitlines()
    assert 0 == code
    assert ("passages: started", "triples: started") == (lines[0], lines[2])
    assert re.fullmatch(r"passages: complete, 2 written, \d+ s", lines[1])
    assert re.fullmatch(r"triples: complete, 2 written, \d+ s", lines[3])
    assert out.startswith("2 passages and 2 triples written")


def test_evaluate_refuses_a_file_it_could_not_write_and_ingests_nothing(gear, folder, empty):
    """A bad path used to fail only after everything was measured."""
    result = gear("evaluate", folder, "--json", folder / "gone" / "report.json")

    assert one_line(result, "report.json cannot be written", "no folder")
    assert [] == dump(empty)["nodes"]


def test_embeddings_may_come_from_a_server(empty, gear, folder, embedder, monkeypatch):
    """Set only by the environment; the model is recorded, and an unusable server costs one line."""
    with ScriptedServer(lambda messages: "", vectors=lambda texts: embedder.embed(texts).tolist()) as server:
        monkeypatch.setenv("GEAR_EMBEDDING_URL", server.url)
        monkeypatch.setenv("GEAR_EMBEDDING_MODEL", "toy")
        assert 0 == gear("ingest", folder)[0]
        code, out, _ = gear("search", "2024 physics prize", "--json")
        sent = [text for body in server.requests for text in body["input"]]
        monkeypatch.setenv("GEAR_EMBEDDING_URL", server.url.replace("/v1", "/v2"))
        assert one_line(gear("search", "2024 physics prize"), "404", "GEAR_EMBEDDING_URL")

    assert (0, "p1") == (code, json.loads(out)["hits"][0]["id"])
    assert "2024 physics prize" in sent
    monkeypatch.delenv("GEAR_EMBEDDING_URL")
    monkeypatch.delenv("GEAR_EMBEDDING_MODEL")
    assert one_line(gear("search", "2024 physics prize"), "toy", "GEAR_EMBEDDING_MODEL=toy")


def test_evaluate_writes_the_contract_of_its_json(gear, folder, tmp_path):
    """Scripts rely on these keys."""
    code, out, _ = gear("evaluate", folder, "--ks", "1,2", "--json", tmp_path / "out.json")

    report = json.loads((tmp_path / "out.json").read_text())
    assert (0, True) == (code, "recall %" in out)
    assert {"1": 50.0, "2": 100.0} == report["recall"]
    assert {"p50", "p95", "encode", "base", "expand", "fetch"} == set(report["latency_ms"])
    assert {"calls": 0, "input_tokens": 0, "output_tokens": 0}.items() <= report["llm"].items()
    keys = {
        "dataset",
        "questions",
        "retriever",
        "base",
        "score",
        "recall",
        "all_found",
        "latency_ms",
        "llm",
        "per_question",
    }
    assert keys <= set(report)
    assert ["p1", "p2"] == sorted(report["per_question"][0]["retrieved"])


def test_evaluate_refuses_a_database_with_other_passages(gear, folder, tmp_path):
    """Passages of another corpus would make the figures worthless."""
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"id": "x", "text": "something else"}) + "\n")
    gear("ingest", other)

    assert one_line(gear("evaluate", folder), "other passages", "--database")


def test_evaluate_takes_up_an_interrupted_ingest(gear, folder, connection):
    """A partly ingested data set is completed; a complete one is not read again."""
    gear("evaluate", folder)
    connection.run(
        Query(
            "cut",
            "MATCH (s:__GearStore) SET s.datasets = [x IN s.datasets | left(x, size(x) - size(split(x, '\\t')[2]))] "
            "WITH s MATCH (t:Triple) DETACH DELETE t",
            writes=True,
        )
    )

    code, _, _ = gear("evaluate", folder)

    assert (0, [{"n": 2}]) == (code, connection.run(Query("n", "MATCH (t:Triple) RETURN count(t) AS n")))


def test_migrate_and_its_check(gear, empty):
    """The check says what is missing and changes nothing."""
    assert one_line(gear("migrate", "--check"), "V001__constraints.cypher", "gear migrate")
    assert [] == empty.run(Query("c", "SHOW CONSTRAINTS YIELD name"))

    code, out, _ = gear("migrate")
    assert (0, True) == (code, "applied V001__constraints.cypher" in out)
    assert 0 == gear("migrate", "--check")[0]


def test_malformed_lines_are_reported_and_set_the_exit_code(gear, folder):
    """The other lines are ingested."""
    with (folder / "triples.jsonl").open("a") as file:
        file.write('{"id": "p9", "triples": [["a", "b", "c"]]}\nnot json\n')

    code, out, err = gear("ingest", folder)

    assert (ExitCode.PARTIAL, True) == (code, "2 passages and 2 triples written" in out)
    assert "triples.jsonl:3: names the passage 'p9'" in err
    assert "triples.jsonl:4: not JSON" in err
    assert 1 == err.count("gear: 2 lines or files could not be used")


def test_a_dry_run_reads_and_writes_nothing(gear, folder):
    """It counts what could be ingested, and reports the same lines as an ingest."""
    with (folder / "triples.jsonl").open("a") as file:
        file.write("not json\n")

    code, out, err = gear("ingest", folder, "--dry-run", "--uri", "bolt://127.0.0.1:9")

    assert (ExitCode.PARTIAL, True) == (code, "2 passages and 2 triples could be ingested" in out)
    assert "triples.jsonl:3: not JSON" in err


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """A folder with a document, a broken one and files of other kinds, inside the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name, content in {
        "a.md": "# Guide\n\nRead it.",
        "b.pdf": "%PDF-",
        "c.gif": "",
        "d.zip": "",
        "e.gif": "",
    }.items():
        (tmp_path / "docs" / name).write_text(content)
    return tmp_path / "docs"


def test_documents_are_ingested_changed_and_forgotten(gear, docs):
    """Unusable files are reported one by one, other kinds once at the end."""
    code, out, err = gear("ingest", "docs")
    assert (ExitCode.PARTIAL, True) == (
        code,
        "1 passage written (1 read)\n0 triples from 1 passage by rules; " in out,
    )
    assert "docs/b.pdf: cannot be read as PDF: " in err
    assert ["3 files skipped: .gif, .zip"] == [line for line in err.splitlines() if "skipped" in line]
    assert "gear: 1 line or file could not be used" in err

    (docs / "a.md").write_text("# Guide\n\nRead it again.")
    code, out, _ = gear("ingest", "docs/a.md", "--json")
    report = json.loads(out)["ingest"]
    assert (0, 1, 1, 1) == (code, report["documents_read"], report["passages_written"], report["passages_removed"])

    (hit,) = json.loads(gear("search", "guide", "--retriever", "base", "--base", "bm25", "--json")[1])["hits"]
    assert ("Guide", "docs/a.md", "line 1") == (hit["title"], hit["source"], hit["position"])

    unknown = gear("forget", "docs/b.md")
    assert one_line(unknown, "'docs/b.md'", "docs/a.md", exit_code=ExitCode.NOTHING_FOUND)
    assert "1 passage, 0 triples, 0 entities would be removed\n" == gear("forget", "docs/a.md", "--dry-run")[1]
    assert {"passages": 1, "triples": 0, "entities": 0} == json.loads(gear("forget", "./docs/a.md", "--json")[1])
    again = gear("forget", "docs/a.md")
    assert one_line(again, "none of the passages has a source", exit_code=ExitCode.NOTHING_FOUND)


def test_readers_of_a_document_to_come_are_recorded_and_said(gear, docs):
    """With the name that may be meant; a source has readers, too, and is forgotten with --all."""
    gear("ingest", "docs/a.md")
    near = gear("readers", "docs/a.mb", "--set", "group:hr")
    far = gear("readers", "docs/salaries.md", "--set", "group:hr")
    bare = gear("readers", "a.md", "--collection", "default", "--set", "group:hr")

    assert (0, "docs/a.mb: group:hr\n") == near[:2]
    assert "no document has the name 'docs/a.mb' yet: did you mean docs/a.md?" in near[2]
    assert "'docs/salaries.md' yet: its readers are recorded for when it comes" in far[2]
    assert "'a.md' yet: did you mean docs/a.md?" in bare[2]
    assert (0, "1 passage of docs, and of new documents: group:hr\n") == gear("readers", "docs", "--set", "group:hr")[
        :2
    ]
    assert "docs/ (and new documents)" in gear("readers")[1]
    source = "'docs' is a source with 1 document, such as 'docs/a.md'"
    assert one_line(gear("forget", "docs"), source, "--all", exit_code=ExitCode.NOTHING_FOUND)
    assert (0, "1 passage would be removed\n") == gear("forget", "docs", "--all", "--dry-run")[:2]
    assert (0, "1 passage, 0 triples, 0 entities removed\n") == gear("forget", "docs", "--all")[:2]


def test_sources_are_shown_complete_on_a_narrow_terminal(gear, docs, monkeypatch):
    """A path goes on in the next line; a time has no seconds."""
    gear("ingest", "docs/a.md")
    (row,) = json.loads(gear("sources", "--json")[1])["sources"]
    monkeypatch.setenv("COLUMNS", "70")
    out = gear("sources")[1]

    assert "…" not in out
    assert row["read"][:16].replace("T", " ") in out
    assert row["read"][:19] not in out


def test_a_dry_run_reads_documents_too(gear, docs):
    """The same reader finds the same problems and counts, without a database."""
    code, out, err = gear("ingest", "docs", "--dry-run", "--uri", "bolt://127.0.0.1:9")

    assert (ExitCode.PARTIAL, True) == (code, "1 passage could be ingested" in out)
    assert "docs/b.pdf: cannot be read as PDF: " in err
    assert "3 files skipped: .gif, .zip" in err


@pytest.mark.parametrize("dry", [["--dry-run"], []])
def test_a_document_beyond_a_limit_is_skipped(gear, docs, tmp_path, dry):
    """With its reason, in an ingest, a dry run and an export; the others are read."""
    (docs / "b.pdf").write_bytes(pdf("one", "two", "three"))
    (docs / "large.md").write_text("word " * 300_000)
    limits = ["--max-file-pages", 2, "--max-file-mib", 1]

    code, _, err = gear("ingest", "docs", *limits, *dry)
    exported, _, problems = gear("export", "docs", *limits, "--admin-import", tmp_path / "csv")

    assert (ExitCode.PARTIAL, ExitCode.PARTIAL) == (code, exported)
    for lines in (err.splitlines(), problems.splitlines()):
        assert ["docs/b.pdf", "docs/large.md"] == sorted(line.partition(":")[0] for line in lines if "docs/" in line)


def test_links_out_of_a_folder_are_named_and_followed_on_request(gear, docs, tmp_path):
    """A link in a downloaded folder must not expose a private file; a link is not a problem either."""
    (docs / "b.pdf").unlink()
    (tmp_path / "private.md").write_text("# Private\n\nA secret.")
    (docs / "link.md").symlink_to(tmp_path / "private.md")

    code, out, err = gear("ingest", "docs", "--dry-run")
    assert (0, True) == (code, "1 passage could be ingested" in out)
    assert "1 link out of a folder not followed: docs/link.md (--follow-links follows them)" in err.splitlines()

    code, out, err = gear("ingest", "docs", "--follow-links")
    assert (0, True) == (code, "2 passages written" in out)
    assert "link" not in err

    report = json.loads(gear("ingest", "docs", "--json")[1])["ingest"]
    assert (["docs/link.md"], {".gif": 2, ".zip": 1}) == (report["links"], report["skipped"])


def test_a_changed_line_is_replaced_if_asked_for(gear, folder):
    """Otherwise it is reported, and the old text stays."""
    gear("ingest", folder)
    changed = [CORPUS[0] | {"text": "Another text."}, CORPUS[1]]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in changed))

    assert ExitCode.PARTIAL == gear("ingest", folder)[0]
    code, out, _ = gear("ingest", folder, "--replace")

    assert (0, True) == (code, "1 passage replaced, 1 triple removed\nthe graph holds 2 passages" in out)


def test_bad_input_costs_one_line(gear, folder, tmp_path):
    """Each says what is wrong and what to do."""
    gear("ingest", folder)
    (tmp_path / "nothing.jsonl").touch()

    assert one_line(gear("search", ""), "question is empty")
    assert one_line(gear("ingest"), "nothing to ingest")
    assert one_line(gear("search", "x", "-k", "0"), "-k")
    assert one_line(gear("search", "x", "--retriever", "naive", "--set", "width=0"), "width", "at least 1")
    assert one_line(gear("search", "x", "--retriever", "naive", "--base", "nosuch"), "nosuch", "hybrid")
    assert one_line(gear("search", "x", "--base", "sbert"), "auto has no option 'base'", "--retriever", "naive")
    assert one_line(gear("search"), "QUESTION")
    assert one_line(gear("nosuch"), "nosuch")
    assert one_line(gear("ingest", tmp_path / "missing.jsonl"), "missing.jsonl", "does not exist")
    assert one_line(gear("ingest", tmp_path / "nothing.jsonl"), "nothing.jsonl is empty")
    (tmp_path / "photo.gif").touch()
    assert one_line(gear("ingest", tmp_path / "photo.gif"), "photo.gif is of a kind that cannot be ingested", ".pdf")
    (tmp_path / "nodocs").mkdir()
    assert one_line(gear("ingest", tmp_path / "nodocs"), "nodocs holds nothing that can be ingested")
    assert one_line(gear("ingest", folder, "--chunk-size", "9"), "--chunk-size")
    assert one_line(gear("forget"), "SOURCE")
    assert one_line(gear("ingest", folder, "--triples", "none.jsonl"), "none.jsonl does not exist")
    assert one_line(gear("evaluate", tmp_path / "missing"), "does not exist", "data set")
    assert one_line(gear("evaluate", folder, "--ks", "0"), "at least 1")
    assert one_line(gear("search", "x", "--env", tmp_path / "no.env"), "no.env")


def test_servers_that_cannot_be_used_cost_one_line(gear, folder):
    """No server, wrong password, wrong database, another model."""
    gear("ingest", folder)

    silent = gear("search", "x", "--uri", "bolt://127.0.0.1:9")
    assert one_line(silent, "no Neo4j server answers", "gear up", exit_code=ExitCode.NO_SERVER)
    assert one_line(gear("search", "x", "--uri", "nonsense"), "NEO4J_URI")
    assert one_line(gear("search", "x", "--password", "wrong"), "NEO4J_PASSWORD")
    assert one_line(gear("search", "x", "--database", "nosuch"), "nosuch")
    assert one_line(gear("search", "x", "--embedding-model", "/no/such/model"), "/no/such/model")


def test_a_search_before_any_ingest_costs_one_line(empty, gear):
    """It says which command comes first."""
    assert one_line(gear("search", "anything"), "gear ingest")


def test_somebody_elses_graph_is_refused_untouched(gear, folder, empty):
    """Their Entity nodes stay as they are."""
    empty.run(Query("theirs", "CREATE (:Entity {mine: true})", writes=True))

    assert one_line(gear("ingest", folder), "Entity", "nothing was changed")
    assert [] == empty.run(Query("c", "SHOW CONSTRAINTS YIELD name"))


def test_the_demo_answers_three_questions_on_one_screen(gear, monkeypatch):
    """The first hits by default, the path to each answer, the first path as Cypher, and what to try next."""
    monkeypatch.setenv("COLUMNS", "80")

    code, out, _ = gear("demo")

    lines = [line.strip() for line in out.splitlines()]
    paths = [line for line in lines if "→" in line or "←" in line]
    assert 0 == code
    assert ["John Hopfield", "Tohoku University", "Yale University"] == [re.split("— |→ ", path)[-1] for path in paths]
    assert 1 == out.count("MATCH (e1)<-[:SUBJECT]-(t1:Triple {subject: ")
    assert "40 passages, 286 triples" in out
    assert out.count("✓") > 6
    assert ["gear search", "gear paths", "gear serve"] == [" ".join(line.split()[:2]) for line in lines[-3:]]
    assert len(lines) <= 45


@pytest.mark.parametrize(
    "command",
    [
        ("search", "Who?"),
        ("search", "Who?", "--retriever", "naive", "--base", "bm25"),
        ("paths", "Who?"),
        *(("ask", "Who?", "--agent", agent) for agent in ("gear", "paths", "pattern", "kgt", "cypher", "crag")),
        *(("ask", "Who?", "--agent", agent) for agent in ("selfrag", "ircot", "graphrag-local", "graphrag-global")),
        ("ingest", "FOLDER"),
        ("ingest", "--extract", "rules"),
        ("forget", "corpus.jsonl"),
        ("import", "FOLDER/nodes.csv"),
        ("adopt",),
        ("release",),
        ("communities", "build"),
        ("communities", "show"),
        ("evaluate", "FOLDER"),
        ("migrate",),
        ("migrate", "--check"),
    ],
    ids=" ".join,
)
def test_a_schema_that_is_newer_than_the_code_is_refused(gear, folder, connection, monkeypatch, command):
    """One line has both versions and the remedy; nothing is changed, and no model is called."""
    gear("ingest", folder)
    newer = "CREATE (:__Neo4jMigration {version: '999', migrationTarget: 'gear-neo4j', checksum: '1'})"
    connection.run(Query("newer", newer, writes=True))
    before = dump(connection)
    (folder / "nodes.csv").write_text("id:ID,:LABEL\na,A\n")
    monkeypatch.setenv("GEAR_CHAT_MODEL", "toy")

    with ScriptedServer(lambda messages: "") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        result = gear(*(part.replace("FOLDER", str(folder)) for part in command))

    assert one_line(result, f"the schema 999, newer than {migration_files.newest()}", "upgrade gear-neo4j"), result
    assert (before, []) == (dump(connection), server.requests)


def test_the_doctor_names_a_schema_that_is_newer_than_the_code(gear, folder, connection):
    """As one of its findings, with the remedy."""
    gear("ingest", folder)
    newer = "CREATE (:__Neo4jMigration {version: '999', migrationTarget: 'gear-neo4j', checksum: '1'})"
    connection.run(Query("newer", newer, writes=True))

    code, out, _ = gear("doctor", "--json")

    (problem,) = (finding for finding in json.loads(out)["findings"] if finding["level"] == "problem")
    assert (2, "schema") == (code, problem["subject"])
    assert "the schema 999, newer than" in problem["detail"]
    assert "upgrade gear-neo4j" in problem["fix"]
