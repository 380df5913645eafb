"""A saved run is shown completely: read from each of its forms, drawn without overlaps, and harmless."""

import json
import re
from collections import defaultdict
from html.parser import HTMLParser
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.cli.main import main
from gear_neo4j.domain import Path, Triple, make_triple
from gear_neo4j.errors import InputError
from gear_neo4j.explain import page, read_saved, script
from gear_neo4j.explain.layout import picture, walk
from gear_neo4j.explain.saved import saved_from
from gear_neo4j.graph.read.path_cypher import path_cypher
from gear_neo4j.text.printable import printable
from gear_neo4j.wire import run_from
from tests.commands import one_line
from tests.examples import examples
from tests.saved_runs import run

NASTY = (
    "",
    '"><script>alert(1)</script>',
    "</script>",
    "' onclick='x",
    "<!--",
    "&amp;",
    "$title",
    "فتاة —→",
    "👩‍🚀" * 9,
    "W" * 900,
)
names = st.one_of(st.sampled_from(NASTY), st.text(max_size=12))
few = st.sampled_from("ABCDEF")
VOID = {"meta", "link"}


class Read(HTMLParser):
    """Reads a page: each tag must be closed properly; attributes and texts are recorded."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.inside = [], set(), [], defaultdict(list)
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID and tag != "path":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "path":
            assert tag == self.open.pop()

    def handle_data(self, data):
        self.inside[self.open[-1] if self.open else ""].append(data)


def view(row):
    """A run as explain shows it, read from its JSON."""
    return saved_from(run_from(row))


HARMLESS = Read(page(view(run(kind="answer"))))


@pytest.mark.parametrize("kind", ["search", "answer", "trace"])
def test_each_form_is_read_whole(kind, tmp_path):
    """Question, path, titles; and the citations, from an answer and its trace alike."""
    (tmp_path / "run.json").write_text(json.dumps(run(kind=kind)))

    saved = read_saved(tmp_path / "run.json")

    assert (kind, "Who?", 1) == (saved.kind, saved.question, len(saved.turns))
    assert ["Hinton —studied at→ Edinburgh ←founded— Salter"] == [str(path) for path in saved.paths]
    assert ((0.8, 0.7), ("p1", "p2")) == (saved.paths[0].scores, saved.ranking)
    assert {"p1": "T", "p2": "T"} == {id: passage.title for id, passage in saved.passages.items()}
    assert ({} if kind == "search" else {"p1": ("1",)}) == saved.cited


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is not JSON"),
        (b"\xff\x00nonsense", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "is not a saved search or answer"),
        (b'"trace"', "is not a saved search or answer"),
        (b'{"dataset": "demo"}', "is not a saved search or answer"),
        (json.dumps({key: part for key, part in run().items() if key != "paths"}).encode(), "it lacks 'paths'"),
        (json.dumps(run() | {"question": 1}).encode(), "is not a saved search or answer"),
        (json.dumps(run() | {"paths": [{**run()["paths"][0], "score": float("nan")}]}).encode(), "is not a saved"),
    ],
)
def test_any_other_file_is_refused_in_one_line(content, told, tmp_path):
    """It says why, and how to write a proper one."""
    (tmp_path / "run.json").write_bytes(content)

    with pytest.raises(InputError, match=told) as raised:
        read_saved(tmp_path / "run.json")
    assert "gear search --json > FILE" in str(raised.value)


@settings(max_examples=examples(200))
@given(kind=st.sampled_from(["search", "answer", "trace"]), data=st.data())
def test_a_damaged_file_is_shown_or_refused(kind, data, tmp_path_factory):
    """With one part of a run removed or replaced: no other error is raised."""
    row = part = run(kind=kind)
    while True:
        key = data.draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
        if not isinstance(part[key], dict | list) or not part[key] or data.draw(st.booleans()):
            break
        part = part[key]
    part[key] = data.draw(st.sampled_from([None, -1, 1e400, "x", [], {}, [["x"]], {"x": 1}, True]))
    if data.draw(st.booleans()):
        del part[key]
    file = tmp_path_factory.getbasetemp() / "damaged.json"
    file.write_text(json.dumps(row))

    try:
        saved = read_saved(file)
    except InputError:
        return
    assert [] == Read(page(saved)).open


@settings(max_examples=examples(200))
@given(st.sampled_from(["search", "answer", "trace"]), names, names, names, names, names, names)
def test_nothing_in_a_run_breaks_its_page(kind, question, name, predicate, title, text, answer):
    """The same tags and attributes as for a harmless run, one script, and every printable word."""
    told = {"question": question, "name": name, "predicate": predicate, "title": title, "text": text, "answer": answer}
    saved = view(run(kind=kind, **told))

    found = Read(page(saved))

    assert found.open == []
    assert found.tags <= HARMLESS.tags
    assert {key for key, _ in found.attributes} <= {key for key, _ in HARMLESS.attributes}
    assert all(value.startswith(("#", "data:,")) for key, value in found.attributes if key == "href")
    assert HARMLESS.inside["script"] == found.inside["script"]
    assert printable(question) == "".join(found.inside["h1"])


def test_the_page_asks_no_other_host():
    """Nothing to load, and a policy that forbids it."""
    shown = page(view(run(kind="answer")))

    assert not re.search(r"(https?:)?//[a-z]|@import|url\(|src=", shown)
    assert "default-src 'none'" in shown


def test_the_page_shows_the_answer_its_citations_and_every_score():
    """Markers link to passages; triples of cited passages are marked."""
    shown = page(view(run(kind="answer")))

    assert 'He [<a href="#p0">1</a>].' in shown
    assert re.search(r'<li id="p0" class="cited">.*?T</span></h3><p dir="auto">Body.</p>', shown)
    assert (1, 1) == (shown.count('class="box triple cited'), shown.count('class="box triple best'))
    assert all(number in shown for number in ("1.50", "0.800", "0.700", "score 0.500 · 1st by word search"))
    assert "These facts suffice: it says so" in shown


@pytest.mark.parametrize("kind", ["search", "answer"])
def test_the_page_shows_the_nodes_that_answer_with_their_cypher(kind):
    """The figure, each node with labels and value, their confidence, and doubts."""
    shown = page(view(run(kind=kind, name="O'Hara & Co", answer="not sure")))

    assert "<b>O&#x27;Hara &amp; Co</b>" in shown
    assert all(text in shown for text in ("1,234.5", "90% sure", "50% sure", '<p class="verdict">not sure</p>'))
    assert 2 == shown.count("<pre>:param p0 =&gt; &quot;O&#x27;Hara &amp; Co&quot;;\nMATCH (person:Person)")


def test_a_page_of_documents_alone_has_no_section_for_nodes():
    """For a saved run of an older version, or over documents."""
    row = run() | {"entities": [], "figure": None, "doubt": ""}

    assert "Answer in the graph" not in page(view(row))


def test_the_page_shows_each_query_with_its_rows_or_its_problem():
    """A query with rows is open, a failed one is collapsed."""
    shown = page(view(run(kind="answer")))

    assert '<details class="query"><summary>Query (cypher): too much</summary><pre>MATCH (n) RETURN n</pre>' in shown
    assert '<details class="query" open><summary>Query (cypher): 2 rows</summary>' in shown
    assert '<li dir="auto">studied at</li><li dir="auto">Hinton</li>' in shown


def test_the_page_shows_a_plan_and_what_tools_said():
    """The plan as a list, answers of tools open, failures collapsed; agents without a plan show neither."""
    row = run(kind="trace")
    shown = page(view(row))
    for step in row["steps"]:
        step["plan"] = step["tool_calls"] = []

    assert '<p class="note">Plan:</p><ol><li dir="auto">naive: Who?</li><li dir="auto">paths: Hinton</li></ol>' in shown
    assert '<details class="query" open><summary>Tool (naive): answered</summary>' in shown
    assert '<p class="note" dir="auto">Who?</p><p dir="auto">Body.</p></details>' in shown
    assert '<details class="query"><summary>Tool (paths): no route</summary>' in shown
    assert "Query (naive)" not in shown
    assert "Tool (" not in page(view(row))


def test_the_page_shows_what_was_judged():
    """Passages with their titles, texts with their beginnings; an agent's decision is quoted."""
    row = run(kind="answer")
    shown = page(view(row))
    row["trace"]["steps"][0].update(action="correct", reason="correct: best score 0.75")

    assert '<b>relevance 0.75 correct</b> <span dir="auto">T</span>' in shown
    assert "<b>claim studied at</b> Body." in shown
    assert '<p class="verdict" dir="auto">correct: best score 0.75</p>' in page(view(row))


@given(st.lists(st.lists(st.tuples(few, few), min_size=1, max_size=4), max_size=20))
def test_a_picture_has_no_overlap_and_all_of_each_path(pairs):
    """For any paths, connected or not: boxes apart and inside, each path connected, always the same picture."""
    paths = [Path(tuple(make_triple("p", s, "r", o) for s, o in some), 1.0) for some in pairs]

    found = picture(paths)

    assert found == picture(paths)
    assert all(0 <= box.x and 0 <= box.y and box.x + box.width <= found.width for box in found.boxes)
    assert all(box.y + box.height <= found.height for box in found.boxes)
    for one, other in combinations(found.boxes, 2):
        beside = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert beside or one.y + one.height <= other.y + 1e-6 or other.y + other.height <= one.y + 1e-6
    for index, path in enumerate(paths):
        reached = [box for box in found.boxes if box.kind == "rank" and box.paths == (index,)]
        for box in reached:
            reached += [
                edge.end
                for edge in found.edges
                if edge.start == box and index in edge.paths and edge.end not in reached
            ]
        assert set(path.triples) == {box.hop.triple for box in reached if box.hop}
        assert set(reached) == {box for box in found.boxes if index in box.paths}


def test_a_walk_that_turns_back_goes_on_from_its_branch():
    """The third triple leaves from the start of the second."""
    triples = (Triple("1", "A", "r", "B", "p"), Triple("2", "C", "r", "B", "p"), Triple("3", "b", "r", "D", "p"))

    assert [(0, False), (1, True), (1, False)] == [(hop.column, hop.backward) for hop in walk(Path(triples, 1.0))]


@given(names, names)
def test_comments_of_the_script_stay_comments(question, name):
    """Whatever a run contains, only our statements are outside comments: one per path and one for all."""
    text = script(view(run(question=f"{question}\\u000a;x", name=name)))

    comments = [line for line in text.split("\n") if line.startswith("//")]
    rest = "\n".join(line for line in text.split("\n") if not line.startswith("//"))
    statement = path_cypher(*view(run(name=name)).paths).statement
    assert 2 * [statement] == [part.strip() for part in rest.split(";")][:-1]
    assert not re.search(r"[\\;\r\x85\u2028\u2029]", "".join(comments))


def test_an_id_that_could_say_more_is_refused():
    """Because ids are written into the statements."""
    row = run()
    row["paths"][0]["triples"][0]["id"] = '"] DETACH DELETE t //'

    with pytest.raises(InputError, match="not one of gear's"):
        script(view(row))


@pytest.fixture
def gear(capsys):
    """Run a command; returns exit code, output and error output."""

    def command(*args):
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return command


def test_the_command_writes_both_files_beside_the_run_or_elsewhere(gear, tmp_path):
    """Without a database; half a surrogate pair does not stop it."""
    (tmp_path / "run.json").write_text(json.dumps(run(kind="answer", title="\ud800")))

    code, out, _ = gear("explain", tmp_path / "run.json", "--out", tmp_path / "a" / "b")

    assert (0, "Who?\nHe [1].\n  [1] ? (a.md, line 3)\n1 path, 1 step\n") == (code, out.partition("\n\n")[0] + "\n")
    assert {"run.html", "run.cypher"} == {file.name for file in (tmp_path / "a" / "b").iterdir()}
    assert 0 == gear("explain", tmp_path / "run.json")[0]
    assert (tmp_path / "run.html").read_bytes() == (tmp_path / "a" / "b" / "run.html").read_bytes()


def test_the_command_refuses_wrong_files_and_folders(gear, tmp_path):
    """A missing file, another file, its own output, a missing folder: one line each."""
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "run.html").write_text(json.dumps(run()))

    assert one_line(gear("explain", tmp_path / "none.json"), "none.json", "cannot be read")
    assert one_line(gear("explain", tmp_path / "other.json"), "not a saved search")
    assert one_line(gear("explain", tmp_path / "run.html"), "overwrite the run itself", "--out")
    assert one_line(gear("explain", tmp_path / "run.html", "--out", tmp_path / "other.json"), "--out")
