"""``gear import``: neo4j-admin's CSV files into a running database."""

import csv
import os
import signal
import time
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gear_neo4j.adoption.admin_csv import Dialect
from gear_neo4j.adoption.importing import Import, abandon
from gear_neo4j.errors import InputError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.write.imports import FileProgress
from tests.dump import dump
from tests.processes import GEAR, PIPE, run, started

PEOPLE = """\
id:ID(Person),name,born:int,height:float,alive:boolean,tags:string[],scores:long[],since:date,seen:datetime,home:point,:LABEL
p1,Ada,1815,1.65,false,maths;poetry,1;2,1843-07-10,1843-07-10T10:00:00+00:00,"{x: 1.5, y: -2}",Person;Author
p2,"Charles ""Chas"" Babbage",1791,,TRUE,,,,,,Person
"""
MACHINES = """\
mid:ID(Machine),name,:LABEL
p1,Analytical Engine,Machine
"""
WORKED = """\
:START_ID(Person),:END_ID(Machine),:TYPE,role,hours:int
p1,p1,WORKED_ON,notes,300
p2,p1,WORKED_ON,design,
p2,p1,WORKED_ON,design,
"""


def read(text):
    return Query("read", text)


@pytest.fixture
def files(tmp_path):
    """Writes files and returns their paths."""

    def write(**texts):
        paths = []
        for name, text in texts.items():
            paths.append(tmp_path / f"{name}.csv")
            paths[-1].write_text(text, encoding="utf-8")
        return paths

    return write


def test_nodes_and_relationships_come_in_with_their_types(empty, files):
    """The same id in two groups is two nodes; parallel relationships stay separate; no trace of the import is left."""
    report = Import(Graph(empty)).run(files(worked=WORKED, people=PEOPLE, machines=MACHINES))

    assert (3, 3, 0) == (report.nodes, report.relationships, report.problems)
    ada = empty.run(read("MATCH (n:Author) RETURN labels(n) AS labels, properties(n) AS p, n.home.x AS x"))[0]
    assert ["Author", "Person"] == sorted(ada["labels"])
    assert {"id", "name", "born", "height", "alive", "tags", "scores", "since", "seen", "home"} == ada["p"].keys()
    assert (1815, 1.65, False, ["maths", "poetry"], [1, 2], 1.5) == (
        *(ada["p"][key] for key in ("born", "height", "alive", "tags", "scores")),
        ada["x"],
    )
    assert "1843-07-10" == ada["p"]["since"].iso_format()
    chas = empty.run(read("MATCH (n:Person {id: 'p2'}) RETURN properties(n) AS p"))[0]["p"]
    assert {"id": "p2", "name": 'Charles "Chas" Babbage', "born": 1791, "alive": True} == chas
    rows = empty.run(read("MATCH (:Person)-[r:WORKED_ON]->(m:Machine) RETURN r.role AS role, r.hours AS hours"))
    assert [("design", None), ("design", None), ("notes", 300)] == sorted((row["role"], row["hours"]) for row in rows)
    assert not [row for row in dump(empty)["nodes"] if "__Gear" in row]
    assert [] == [row for row in dump(empty)["constraints"] if "gear" in row]


def test_unusable_rows_are_reported_with_their_line_and_the_rest_is_imported(empty, files):
    """A duplicate id, an invalid number, a missing end, too few fields."""
    problems = []
    people = "id:ID,born:int,:LABEL\na,1,P\na,2,P\nb,old,P\nc,3\nd,4,P\n"
    knows = ":START_ID,:END_ID,:TYPE\na,d,KNOWS\na,nobody,KNOWS\na,d,\n"

    report = Import(Graph(empty), on_problem=lambda one: problems.append((one.line, one.reason))).run(
        files(people=people, knows=knows)
    )

    assert (2, 1, 5) == (report.nodes, report.relationships, report.problems)
    # A whole batch is read before it is compared with the stored nodes.
    assert [
        (4, 'born is "old": no int'),
        (5, "it has 2 fields, the header 3"),
        (3, "the id 'a' was there before: the row is left out"),
        (3, "no node has the id 'nobody': the row is left out"),
        (4, "its :TYPE is empty: the row is left out"),
    ] == problems


# Values that Python accepts and Neo4j does not, and the other way round; some of them only the server can check.
TEXTS = {
    "int": ["7", "+7", " 7 ", "1_000", "٧", "0x7", "9" * 5_000],
    "double": ["1.5", ".5", "1e3", "1_0.5", "inf", "NaN", "٧.5"],
    "date": ["2024-05-31", "20240531", "2024", "2024-W22-5", "2024-152", "-0004-05", "31.05.2024", "2024-02-30"],
    "localtime": ["10", "10:00:00,5", "1000", "10:00Z", "24:00"],
    "time": ["10:00", "10:00+0200", "10:00z", "10:00 Z", "10:00+00:00:30", "10:00-19:00"],
    "localdatetime": ["2024", "2024-05-31T10", "2024-05-31 10:00", "2024-05-31T10:00Z"],
    "datetime": [
        *("2024-05-31T10:00:00", "2024-05-31T10:00[Europe/Berlin]", "2024-05-31t10:00z", "2024-05-31"),
        *("2024-05-31 10:00:00", "2024-05-31T10:00:00,5+00:00:30", "2024-05-31T10:00[Nowhere]", "2024-13-01T10:00"),
    ],
    "duration": [
        *("P1DT2H", "P1,5D", "-P1D", "P-1D", "p1d", "P2024-05-31T10:00:00"),
        *("PT1.2.3S", "P", "PT", "P1M1Y", "P1.5DT1H"),
    ],
    "point": [
        *("{x: 1, y: 2, z: 3}", "{latitude: 1, longitude: 2, crs: WGS-84}", "{x: 1, y: 2, srid: 7203}"),
        *("{x: 1_0, y: 2}", "{latitude: 95, longitude: 1}", "{x: 1, y: 2, crs: no}", "{x: NaN, y: 1}"),
    ],
}
WRONG = {
    *(
        "1_000",
        "٧",
        "0x7",
        "9" * 5_000,
        "1_0.5",
        "inf",
        "٧.5",
        "31.05.2024",
        "2024-02-30",
        "10:00Z",
        "24:00",
        "10:00 Z",
    ),
    *("10:00+00:00:30", "10:00-19:00", "2024-05-31 10:00", "2024-05-31T10:00Z", "2024-05-31 10:00:00"),
    *(
        "2024-05-31T10:00:00,5+00:00:30",
        "2024-05-31T10:00[Nowhere]",
        "2024-13-01T10:00",
        "PT1.2.3S",
        "P",
        "PT",
        "P1M1Y",
    ),
    *("P1.5DT1H", "{x: 1_0, y: 2}", "{latitude: 95, longitude: 1}", "{x: 1, y: 2, crs: no}", "{x: NaN, y: 1}"),
}


def test_what_a_value_is_the_server_decides(empty, files):
    """Each row that it refuses is reported with its line, and all others of the batch are imported."""
    rows = [(kind, text) for kind, texts in TEXTS.items() for text in texts]
    header = ",".join(f"{kind}:{kind}" for kind in TEXTS)
    cells = [",".join(f'"{text}"' if of == kind else "" for of in TEXTS) for kind, text in rows]
    lines = [f"{number},{row},V\n" for number, row in enumerate(cells, start=2)]
    reported = []

    report = Import(Graph(empty), on_problem=lambda one: reported.append(one.line)).run(
        files(values=f"id:ID,{header},:LABEL\n{''.join(lines)}")
    )

    wrong = [number for number, (_, text) in enumerate(rows, start=2) if text in WRONG]
    assert [rows[line - 2] for line in wrong] == [rows[line - 2] for line in sorted(reported)]
    assert (len(rows) - len(wrong), len(wrong)) == (report.nodes, report.problems)
    there = {int(row["id"]) for row in empty.run(read("MATCH (n:V) WHERE size(keys(n)) = 2 RETURN n.id AS id"))}
    assert {*range(2, len(rows) + 2)} - {*wrong} == there
    assert [7] * 3 == [row["n"] for row in empty.run(read("MATCH (n:V) WHERE n.int > 0 RETURN n.int AS n"))]


def test_what_a_constraint_forbids_is_reported_row_by_row(empty, files):
    """One of the user's nodes has the name already."""
    empty.execute("CREATE CONSTRAINT one_name FOR (n:P) REQUIRE n.name IS UNIQUE")
    empty.run(Query("own", "CREATE (:P {name: 'Bo'})", writes=True))
    problems = []
    rows = "id:ID,name,:LABEL\n1,Ada,P\n2,Bo,P\n3,Cem,P\n"

    Import(Graph(empty), on_problem=problems.append).run(files(people=rows))

    assert [3] == [problem.line for problem in problems]
    assert "already exists" in problems[0].reason
    assert [{"n": 3}] == empty.run(read("MATCH (n:P) RETURN count(n) AS n"))
    assert not [row for row in dump(empty)["nodes"] if "__Gear" in row]


def begun(empty, paths, *, batches):
    """An import whose process was killed after some batches."""

    class Killed(Import):
        def _write(self, file, rows):
            if len(written) == batches:
                raise KeyboardInterrupt
            written.append(len(rows))
            super()._write(file, rows)

    written = []
    with pytest.raises(KeyboardInterrupt):
        Killed(Graph(empty)).run(paths)


def test_an_import_that_has_written_nothing_holds_up_no_other(empty, files):
    """Nor the same one with a corrected file."""
    (people,) = files(people="id:ID,:LABEL\n1,P\n2,P\n")
    begun(empty, [people], batches=0)
    people.write_text("id:ID,:LABEL\n1,P\n2,P\n3,P\n")

    mended = Import(Graph(empty)).run([people])
    begun(empty, files(gone="id:ID,:LABEL\nx,X\n"), batches=0)
    other = Import(Graph(empty)).run(files(other="id:ID,:LABEL\na,A\n"))

    assert (3, 1) == (mended.nodes, other.nodes)
    assert not [row for row in dump(empty)["nodes"] if "__Gear" in row]


def test_an_import_can_be_given_up(server, empty, files):
    """Only what it wrote is deleted; the message that refuses another import names the command."""
    paths = chain_of(files, length=3_000)
    empty.run(Query("own", "CREATE (:Own)", writes=True))
    before = dump(empty)
    begun(empty, paths, batches=4)
    with pytest.raises(InputError, match="not finished: .* or give it up with 'gear import --abandon'"):
        Import(Graph(empty)).run(files(other="id:ID\na\n"))
    assert 3_000 == Graph(empty).imports.count()
    environment = os.environ | {"NEO4J_URI": server.uri, "NEO4J_PASSWORD": server.password or ""}

    done = run([*GEAR, "import", "--abandon"], env=environment, check=True)

    assert "3,000 nodes of an unfinished import deleted" in done.stdout
    assert before == dump(empty)
    assert 3_000 == Import(Graph(empty)).run(paths).nodes


def test_an_import_that_is_given_up_meanwhile_stops(empty, files):
    """One whose rows are all written is finished instead, because some of its nodes may have lost their keys."""
    paths = chain_of(files, length=3_000)

    class GivenUp(Import):
        def _write(self, file, rows):
            if file.done:
                abandon(Graph(empty))
            super()._write(file, rows)

    class Unfinished(Import):
        def _finish(self):
            assert self.graph.imports.complete()

    with pytest.raises(InputError, match="another process"):
        GivenUp(Graph(empty)).run(paths)
    assert {"nodes": 0, "rels": 0, "marked": 0} == empty.run(COUNTED)[0]

    Unfinished(Graph(empty)).run(paths)
    assert 0 == abandon(Graph(empty))
    assert {"nodes": 3_000, "rels": 2_999, "marked": 0} == empty.run(COUNTED)[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty: its first line must be a header"),
        ("name,:LABEL\nx,Y\n", "0 columns :ID"),
        ("id:ID,n:number\na,1\n", "a type that does not exist: number"),
        ("id:ID,n,n\na,1,2\n", "'n' twice"),
        (":START_ID,:TYPE\na,B\n", "0 columns :END_ID"),
    ],
)
def test_a_file_whose_header_cannot_be_used_is_refused_and_nothing_is_written(empty, files, text, message):
    """The message names the file and the requirement."""
    with pytest.raises(InputError, match=message):
        Import(Graph(empty)).run(files(good="id:ID\na\n", bad=text))

    assert [] == dump(empty)["nodes"]


def test_files_that_are_no_text_or_missing_are_refused(empty, tmp_path):
    """With one clear line each."""
    (tmp_path / "binary.csv").write_bytes(b"id:ID\n\xff\xfe\n")

    with pytest.raises(InputError, match="not UTF-8"):
        Import(Graph(empty)).run([tmp_path / "binary.csv"])
    with pytest.raises(InputError, match="cannot be read"):
        Import(Graph(empty)).run([tmp_path / "gone.csv"])


def test_the_second_import_of_the_same_files_is_refused(empty, files):
    """Otherwise every node would exist twice."""
    paths = files(people=PEOPLE)
    Import(Graph(empty)).run(paths)
    before = dump(empty)

    with pytest.raises(InputError, match="has a Person:Author with id 'p1' already: nothing was imported"):
        Import(Graph(empty)).run(paths)

    assert before == dump(empty)


@pytest.mark.one_server_line
def test_a_killed_import_goes_on_where_it_was_and_doubles_nothing(server, empty, tmp_path):
    """Killed three times in a separate process, at different points."""
    nodes, rels = tmp_path / "nodes.csv", tmp_path / "rels.csv"
    nodes.write_text("id:ID,:LABEL\n" + "".join(f"n{number},N\n" for number in range(20_000)))
    pairs = "".join(f"n{number},n{(number * 7) % 20_000},R\n" for number in range(20_000))
    rels.write_text(":START_ID,:END_ID,:TYPE\n" + pairs)
    environment = os.environ | {"NEO4J_URI": server.uri, "NEO4J_PASSWORD": server.password or ""}
    command = [*GEAR, "import", nodes, rels]
    counted = read(
        "RETURN COUNT { MATCH (:N) } AS nodes, COUNT { MATCH (:N)-[:R]->(:N) } AS rels, "
        "COUNT { MATCH (:__GearImport) } AS marked"
    )
    killed = 0
    for goal in (3_000, 15_000, 30_000):
        with started(command, env=environment) as process:
            while process.poll() is None:
                row = empty.run(counted)[0]
                if row["nodes"] + row["rels"] >= goal:
                    process.send_signal(signal.SIGKILL)
                time.sleep(0.01)
        killed += process.returncode == -signal.SIGKILL
    assert 3 == killed

    run(command, env=environment, check=True)

    assert {"nodes": 20_000, "rels": 20_000, "marked": 0} == empty.run(counted)[0]


def test_a_label_ends_at_the_delimiter_of_lists(empty, files):
    """As in neo4j-admin: a label cannot contain it, and an empty label is ignored."""
    Import(Graph(empty), Dialect(array_delimiter="|")).run(files(nodes="id:ID,:LABEL\na,A|B;C|\nb,|\n"))

    rows = empty.run(read("MATCH (n) WHERE n.id IS NOT NULL RETURN n.id AS id, labels(n) AS labels"))
    assert {"a": ["A", "B;C"], "b": []} == {row["id"]: sorted(row["labels"]) for row in rows}


DELIMITER = "\x01"
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20)
# A label with the delimiter cannot be written in such a file: it would be two labels.
LABELS = NAMES.filter(lambda label: DELIMITER not in label)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(label=LABELS, kind=NAMES, value=NAMES, name=NAMES.filter(lambda name: ":" not in name and name.strip() == name))
def test_names_of_any_kind_come_through_and_inject_nothing(empty, tmp_path, label, kind, value, name):
    """Backticks, quotes, emoji, Cypher: labels, types, properties and values are data."""
    while empty.run(Query("wipe", "MATCH (n) DETACH DELETE n RETURN count(*) AS n", writes=True))[0]["n"]:
        pass
    for file, rows in {
        "nodes": [["k:ID", name, ":LABEL"], ["a", value, label]],
        "rels": [[":START_ID", ":END_ID", ":TYPE"], ["a", "a", kind]],
    }.items():
        with (tmp_path / f"{file}.csv").open("w", encoding="utf-8", newline="") as target:
            csv.writer(target, quoting=csv.QUOTE_ALL).writerows(rows)
    if name in ("k", ""):
        return

    Import(Graph(empty), Dialect(array_delimiter=DELIMITER)).run([tmp_path / "nodes.csv", tmp_path / "rels.csv"])

    row = empty.run(read("MATCH (n)-[r]->(n) RETURN labels(n) AS labels, type(r) AS type, properties(n) AS p"))[0]
    assert ([label], kind, {"k": "a", name: value}) == (row["labels"], row["type"], row["p"])


def chain_of(files, *, length):
    """Nodes in a chain, each of whose relationships is a separate fact; a second import would double them."""
    nodes = "id:ID,:LABEL\n" + "".join(f"n{number},N\n" for number in range(length))
    rels = ":START_ID,:END_ID,:TYPE\n" + "".join(f"n{number},n{number + 1},R\n" for number in range(length - 1))
    return files(nodes=nodes, rels=rels)


COUNTED = read(
    "RETURN COUNT { MATCH (:N) } AS nodes, COUNT { MATCH (:N)-[:R]->(:N) } AS rels, "
    "COUNT { MATCH (:__GearImport) } + COUNT { MATCH (:__GearImportFile) } AS marked"
)


@pytest.mark.one_server_line
def test_two_processes_that_import_the_same_files_at_once_write_each_row_once(server, empty, files):
    """The process that comes second at a line stops with an error, or finds everything done."""
    nodes, rels = chain_of(files, length=8_000)
    environment = os.environ | {"NEO4J_URI": server.uri, "NEO4J_PASSWORD": server.password or ""}
    command = [*GEAR, "import", nodes, rels]
    with ExitStack() as stack:
        processes = [stack.enter_context(started(command, env=environment, stderr=PIPE)) for _ in range(3)]
        printed = [process.communicate()[1] for process in processes]

    assert {"nodes": 8_000, "rels": 7_999, "marked": 0} == empty.run(COUNTED)[0]
    assert 0 in {process.returncode for process in processes}
    for process, text in zip(processes, printed, strict=True):
        refused = any(words in text for words in ("another process is importing", "already: nothing was imported"))
        assert (process.returncode == 2) == refused, text
        assert "Traceback" not in text


@pytest.mark.one_server_line
@pytest.mark.parametrize("batches", [0, 1, 2, 3, 4, 5])
def test_an_import_that_another_one_overtakes_stops_before_it_writes_more(empty, files, batches):
    """The other one starts and ends after the first batches of this one: nodes, then relationships."""
    paths = chain_of(files, length=3_000)
    graph = Graph(empty)
    written = []

    class Overtaken(Import):
        def _write(self, file, rows):
            if len(written) == batches:
                Import(Graph(empty)).run(paths)
            written.append(len(rows))
            super()._write(file, rows)

    with pytest.raises(InputError, match="another process is importing .*csv, and goes on"):
        Overtaken(graph).run(paths)

    assert {"nodes": 3_000, "rels": 2_999, "marked": 0} == empty.run(COUNTED)[0]


def test_a_batch_whose_reply_was_lost_is_not_written_twice(empty, files):
    """The driver sends it again if the connection breaks at the commit."""
    paths = chain_of(files, length=10)
    imports = Graph(empty).imports
    imports.begin([FileProgress(str(paths[0]), "x")])
    row = {"properties": {"id": "a"}, "built": [], "key": "a", "labels": ["N"]}

    sent = [imports.write_nodes([row], file=str(paths[0]), after=0, line=5) for _ in range(2)]

    assert [True, True] == sent
    assert 1 == empty.run(COUNTED)[0]["nodes"]
    assert not Graph(empty).imports.write_nodes([row], file=str(paths[0]), after=0, line=5)


def test_a_second_import_that_is_refused_leaves_nothing_behind(empty, files):
    """Neither a record nor a constraint that would block a later import."""
    Import(Graph(empty)).run(files(people=PEOPLE))
    before = dump(empty)
    (twin,) = files(other=PEOPLE)

    with pytest.raises(InputError, match="already"):
        Import(Graph(empty)).run([twin])

    assert before == dump(empty)
    Import(Graph(empty)).run(files(machines=MACHINES))
