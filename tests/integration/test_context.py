"""The order of passages in their documents, and hits and answers with the passages around them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gear_neo4j import Gear
from gear_neo4j.agents.run import Run
from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.queries import Query
from gear_neo4j.models.chat import Reply
from gear_neo4j.roles.parsers import Draft
from gear_neo4j.usage import Usage
from tests.examples import examples

pytestmark = pytest.mark.one_server_line

GUIDE = """# Install

Pip installs it from the package index, together with all that it needs.

Then choose a folder for its data, which may be on any disk of yours.

# Run

Start it with one command, and it says where its page can be opened.

It listens on a port of this machine, which a setting can change.

Stop it with the same command, and everything in its folder remains.
"""
TEXTS = [line for line in GUIDE.splitlines() if line and not line.startswith("#")]
PIP, CHOOSE, START, LISTEN, STOP = TEXTS
ORDER = Query(
    "order",
    "MATCH (p:Passage)-[:NEXT_PASSAGE]->(n:Passage) WHERE p.source = $source RETURN p.text AS text, n.text AS next",
    frozenset({"source"}),
)


@pytest.fixture
def gear(server, database, embedder):
    with Gear.connect(server, embedder=embedder) as gear:
        yield gear


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """A folder with a document of five passages in two sections."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    write(tmp_path, GUIDE)
    return tmp_path


def write(folder, text, *, name="guide.md"):
    (folder / "docs" / name).write_text(text)


def texts(texts):
    """The last lines of texts, which begin with the headings above them."""
    return [text.splitlines()[-1] for text in texts]


def around(hit):
    """The texts before and after a hit."""
    return tuple(texts(passage.text for passage in near) for near in (hit.before, hit.after))


def order(gear, source="docs/guide.md"):
    """The texts of a document in the order of its relationships, which must form one chain."""
    following = {row["text"]: row["next"] for row in gear.graph.database.run(ORDER, source=source)}
    starts = set(following) - set(following.values())
    assert len(starts) == 1
    (text,) = starts
    chain = [text]
    while text := following.pop(text, None):
        chain.append(text)
    assert following == {}
    return texts(chain)


def hit(gear, words, *, context, **view):
    """The hit whose text has some words."""
    found = gear.scoped(**view).search("how do I run it", k=20, retriever="naive", context=context)
    return next(one for one in found if words in one.passage.text)


def ingested(gear):
    gear.ingest("docs", chunk_size=100, extract=False)


def synced(gear):
    gear.corpus.sync("docs", chunk_size=100, extract=False)


@pytest.mark.parametrize("read", [ingested, synced])
def test_the_passages_of_a_document_have_an_order(gear, docs, read):
    read(gear)
    assert TEXTS == order(gear)


@pytest.mark.parametrize("read", [ingested, synced])
def test_a_new_version_has_a_new_order(gear, docs, read):
    read(gear)
    first, second = GUIDE.split("# Run")
    write(docs, f"# Run{second}\n{first}".replace(LISTEN, ""))
    read(gear)
    assert [START, STOP, PIP, CHOOSE] == order(gear)


def test_a_hit_has_so_many_passages_around_it(gear, docs):
    ingested(gear)
    one = hit(gear, "listens", context=1)
    assert ([START], [STOP]) == around(one)
    two = hit(gear, "Then choose", context=2)
    assert ([PIP], [START, LISTEN]) == around(two)
    assert ([], []) == around(hit(gear, "listens", context=0))


def test_a_section_ends_where_its_title_does(gear, docs):
    ingested(gear)
    one = hit(gear, "Start it", context="section")
    assert ([], [LISTEN, STOP]) == around(one)


def test_what_a_view_may_not_see_is_not_around_a_hit(gear, docs):
    ingested(gear)
    hidden = hit(gear, "listens", context=0).passage
    gear.graph.corpus.write_readers({hidden.id: ["hr"]}, widen=True)
    one = hit(gear, "Start it", context=2, principals=["staff"])
    assert ([PIP, CHOOSE], [STOP]) == around(one)
    assert ([PIP, CHOOSE], [LISTEN, STOP]) == around(hit(gear, "Start it", context=2))


def test_a_passage_names_its_neighbours(gear, docs):
    ingested(gear)
    record = gear.passage(hit(gear, "Pip installs", context=0).passage.id)
    assert (None, CHOOSE) == (record.previous, record.next.text)
    assert record.passage == gear.passage(record.next.id).previous


def test_lines_of_jsonl_have_no_order(gear, docs):
    (docs / "rows.jsonl").write_text('{"id": "a", "text": "One."}\n{"id": "b", "text": "Two."}\n')
    gear.ingest("rows.jsonl", extract=False)
    assert (None, None) == (gear.passage("a").previous, gear.passage("a").next)


def test_a_renamed_source_keeps_the_order(gear, docs):
    ingested(gear)
    before = order(gear)
    gear.corpus.rename_source("docs", "handbook")
    assert before == order(gear, "handbook/guide.md")


class Reader:
    """Answers with the number of texts that it reads, and remembers them."""

    name = "reader"

    def __init__(self):
        self.read = []

    def answer(self, question, passages, *, memory, on_token=None):
        self.read = [passage.text for passage in passages]
        return Reply(Draft(f"{len(passages)} read [1]", passages=(1,)), text="", usage=Usage(), milliseconds=0)


def test_an_answer_is_made_from_the_passages_around_those_found(gear, docs):
    ingested(gear)
    reader = Reader()
    session = gear._session.with_player(reader).in_context(1)
    found = hit(gear, "listens", context=0).passage
    run = Run("Which port?", "test")
    run.begin("Which port?")
    run.answer(session.role(lambda chat: chat), [found])
    assert [START, LISTEN, STOP] == [line for line in reader.read[0].splitlines() if line and not line.startswith("#")]


def test_no_passage_is_read_twice(gear, docs):
    ingested(gear)
    reader = Reader()
    session = gear._session.with_player(reader).in_context("section")
    passages = [hit(gear, words, context=0).passage for words in ("Start it", "listens")]
    session.role(lambda chat: chat).answer("Which port?", passages, memory=())
    whole = "\n".join(reader.read)
    assert [1, 1, 1] == [whole.count(words) for words in ("Start it", "listens", "Stop it")]


@pytest.mark.parametrize("context", [-1, 6, "chapter", 1.5])
def test_another_context_is_refused(gear, docs, context):
    ingested(gear)
    with pytest.raises(SettingsError, match="from 0 to 5"):
        gear.search("how do I run it", context=context)


@settings(max_examples=examples(5), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(versions=st.lists(st.lists(st.sampled_from("ABCDEFG"), min_size=2, max_size=6, unique=True), max_size=4))
def test_the_order_is_that_of_the_last_version(gear, docs, versions):
    for letters in [*versions, ["A", "B"]]:
        write(docs, "".join(f"# Part {letter}\n\nAbout {letter}.\n\n" for letter in letters), name="parts.md")
        synced(gear)
        assert letters == [text[-2] for text in order(gear, "docs/parts.md")]
