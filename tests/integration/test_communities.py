"""Communities in Neo4j: built, reported on, updated, searched, shown, and deleted with their data."""

import json
import re
from collections import Counter
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import pytest

from gear_neo4j import GraphRagGlobal
from gear_neo4j.adoption.profile_file import built_in, load
from gear_neo4j.agents.graphrag import NOTHING
from gear_neo4j.cli.main import main
from gear_neo4j.communities import store
from gear_neo4j.communities.hierarchy import Community, CommunityFact, Hierarchy, Member
from gear_neo4j.communities.reports import TOKENS, Reporting, content
from gear_neo4j.errors import InputError, ModelError, SettingsError
from gear_neo4j.explain.communities import names_of, page
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema.migration_files import statements_of
from gear_neo4j.models.openai import open_chat
from gear_neo4j.roles.reporter import PromptedReporter, Report
from gear_neo4j.settings import Settings
from tests.dump import dump
from tests.graphs import ingest, opened
from tests.integration.test_profiles import RECORDED, write
from tests.loops import Script, asked, role_of
from tests.scripted_server import Fault, ScriptedServer

TOWNS = ("Varna", "Burgas", "Ruse", "Plovdiv")
DANGLING = Query(
    "dangling",
    "MATCH (c:__GearCommunity) WHERE NOT EXISTS { (c)-[:PARENT_OF*0..]->()<-[:IN_COMMUNITY]-() } RETURN c.id AS id",
)


def facts_of(towns, *, size=6):
    """A clique of things for each town, each fact in its own passage; and a road from each town to the next."""
    found = []
    for town in towns:
        names = [f"{town} thing {index}" for index in range(size)]
        pairs = [(one, other) for index, one in enumerate(names) for other in names[index + 1 :]]
        found += [(f"{town} {index}", one, "is near", other) for index, (one, other) in enumerate(pairs)]
    for index, town in enumerate(towns[1:]):
        found.append((f"road {index}", f"{towns[index]} thing 0", "leads to", f"{town} thing 0"))
    return found


def grow(database, embedder, folder, towns, **options):
    facts = facts_of(towns, **options)
    folder.mkdir(exist_ok=True)
    ingest(database, embedder, folder, {id: f"{one} {verb} {other}." for id, one, verb, other in facts}, facts)


@pytest.fixture
def towns(shared, embedder, tmp_path):
    """Three towns."""
    return shared.filled("towns", embedder, lambda database: grow(database, embedder, tmp_path, TOWNS[:3]))


def members(database, hierarchy):
    names = names_of(Graph(database), hierarchy)
    return sorted(sorted(one.name for one in names[id]) for id in hierarchy.communities)


def report(text):
    """A report on the first town named in the prompt; parts appear with their titles."""
    town = Counter(re.findall("|".join(TOWNS), text)).most_common(1)[0][0]
    return {
        "title": f"Things of {town}",
        "summary": f"They are in {town}.",
        "rank": 5,
        "findings": [f"{town} has things."],
    }


def points(text):
    """A point for each report that contains the question's name."""
    question, _, shown = text.partition("\n\n")
    titles = re.findall(r"Report \[(\d+)\] Things of (\w+)", shown)
    found = [(int(number), town) for number, town in titles if town in question]
    return {"points": [{"text": f"{town} has things.", "score": 80, "reports": [number]} for number, town in found]}


def script(**roles):
    given = {
        "report": report,
        "points": points,
        "conclude": "Answer: Varna has things [1].",
        "answer": "Answer: Ruse [1].",
    }
    return Script(**(given | roles))


def test_cliques_become_communities_and_a_second_build_writes_nothing(towns, server, embedder):
    """By the number of passages; the same input gives the same result."""
    with opened(server, embedder) as gear:
        built = gear.communities.build()
        found = gear.communities.read()
        again = gear.communities.build()

    assert ((3,), 3, 0, 18) == (built.levels, built.new, built.gone, built.nodes)
    assert [[f"{town} thing {index}" for index in range(6)] for town in sorted(TOWNS[:3])] == members(towns, found)
    assert {15} == {one.weight for one in found.communities.values()}
    assert (0, 0) == (again.new, again.gone)


def test_nothing_is_larger_than_allowed_and_parts_hang_below_their_whole(towns, server, embedder):
    """A size of three cuts every clique in two; entities belong to the lowest community."""
    with opened(server, embedder) as gear:
        gear.communities.build(size=3)
        found = gear.communities.read()

    assert all(one.size <= 3 for one in found.communities.values() if not found.below.get(one.id))
    for one in found.communities.values():
        parts = found.parts(one.id)
        assert one.size == len(one.members) + sum(part.size for part in parts)
        assert all(part.level == one.level + 1 for part in parts)
    assert 18 == sum(one.size for one in found.roots)


def test_an_update_keeps_to_the_size_of_the_last_build(towns, server, embedder):
    """Without changes it does nothing; another size must be requested."""
    with opened(server, embedder) as gear:
        gear.communities.build(size=3)
        same = gear.communities.build(afresh=False)
        other = gear.communities.build(size=6, afresh=False)

    assert (0, 0) == (same.new, same.gone)
    assert other.gone


def test_a_dry_run_writes_nothing(towns, server, embedder):
    """It reports what a build would find."""
    before = dump(towns)
    with opened(server, embedder) as gear:
        built = gear.communities.build(dry_run=True)

    assert (3, before) == (built.new, dump(towns))


def test_reports_are_written_from_the_smallest_up_and_only_once(towns, server, embedder):
    """A second round calls no model."""
    with asked(server, embedder, model := script()) as gear:
        gear.communities.build(size=3)
        done = gear.communities.report()
        again = gear.communities.report()
        found = gear.communities.read()

    assert (len(found.communities), len(found.communities), 0) == (done.total, done.done, again.total)
    assert done.done == model.played["report"] == done.usage.calls
    assert all(one.report and one.report.title.startswith("Things of") for one in found.communities.values())


@pytest.mark.one_server_line
@pytest.mark.parametrize("concurrency", [2, 6])
def test_reports_are_asked_for_as_many_at_once_as_the_settings_say(database, server, embedder, tmp_path, concurrency):
    """GEAR_CHAT_CONCURRENCY also applies to reports, below and above its default of 4."""
    grow(database, embedder, tmp_path, [f"Town {letter}" for letter in "ABCDEFGH"])
    meeting = Barrier(concurrency)

    def together(_text):
        # Requests wait for one another; at the end of a level fewer are left.
        with suppress(BrokenBarrierError):
            meeting.wait(timeout=1)
        return {"title": "A town", "summary": "It has things.", "rank": 5, "findings": []}

    with ScriptedServer(script(report=together)) as model:
        settings = Settings(chat_model="toy", openai_base_url=model.url, chat_concurrency=concurrency)
        with opened(server, embedder, chat=open_chat(settings, cache=False)) as gear:
            gear.communities.build(size=10)
            gear.communities.report()

    assert concurrency == model.busiest


def test_an_update_reports_on_what_changed_alone(towns, server, embedder, tmp_path):
    """A new town is a new community, an addition to a town changes its community; the calls are counted."""
    with asked(server, embedder, model := script()) as gear:
        gear.communities.build()
        gear.communities.report()
        before, calls = gear.communities.read(), model.played["report"]
        grow(towns, embedder, tmp_path / "more", (TOWNS[3],))
        assert gear.communities.read().stale
        built = gear.communities.build(afresh=False)
        gear.communities.report()
        after = gear.communities.read()
        newcomers = model.played["report"] - calls

    assert (1, 0, 1) == (built.new, built.gone, newcomers)
    assert not after.stale
    assert before.communities.items() <= after.communities.items()


def test_deleting_passages_leaves_no_dangling_community(towns, server, embedder, tmp_path):
    """Nothing is left of a town whose documents are forgotten; an update then has nothing to delete."""
    lines = [
        {"id": id, "title": "", "text": f"{one} {verb} {other}.", "source": "varna.jsonl"}
        for id, one, verb, other in facts_of(["Vidin"])
    ]
    facts = [{"id": id, "triples": [[one, verb, other]]} for id, one, verb, other in facts_of(["Vidin"])]
    for name, rows in (("c.jsonl", lines), ("t.jsonl", facts)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    with opened(server, embedder) as gear:
        gear.ingest([tmp_path / "c.jsonl"], triples=[tmp_path / "t.jsonl"])
        gear.communities.build(size=3)
        with_it = len(gear.communities.read().communities)
        gear.corpus.forget("varna.jsonl")
        left = gear.communities.read()
        gone = gear.communities.build(size=3, afresh=False).gone

    assert len(left.communities) < with_it
    assert [] == towns.run(DANGLING)
    assert 0 == gone


@pytest.mark.one_server_line
def test_the_budget_and_bad_replies_leave_the_rest_for_later(towns, server, embedder):
    """Failures are recorded and retried by the next run."""
    bad = script(report=lambda text: "no JSON" if "Ruse" in text else report(text))
    with asked(server, embedder, bad) as gear:
        gear.communities.build(size=3)
        few = gear.communities.report(max_tokens=1)
        rest = gear.communities.report()
        found = gear.communities.read()
        failed = [one.id for one in found.communities.values() if one.error]
    with asked(server, embedder, script()) as gear:
        mended = gear.communities.report()

    assert "budget" == few.stopped
    assert few.done + few.failed < few.total
    assert few.total == few.done + rest.done + len(failed)
    assert failed
    assert rest.failed == len(failed)
    assert (len(failed), len(failed)) == (mended.total, mended.done)
    with opened(server, embedder) as gear, pytest.raises(ModelError):
        gear.communities.report()


def test_a_budget_that_ends_with_the_last_report_stops_nothing(towns, server, embedder):
    """Everything is done, so nothing is left to continue."""
    with asked(server, embedder, script()) as gear:
        gear.communities.build()
        spent = gear.communities.report().usage.tokens
        towns.run(Query("forget", "MATCH (c:__GearCommunity) REMOVE c.title", writes=True))
        one_by_one = Reporting(gear.graph, PromptedReporter(gear.chat), concurrency=1, max_tokens=spent - 1)
        whole = one_by_one.run()

    assert (3, "") == (whole.done, whole.stopped)


@pytest.mark.one_server_line
@pytest.mark.parametrize("fault", [401, 500, Fault.RESET])
def test_a_model_that_is_gone_is_an_error_and_keeps_what_was_written(towns, server, embedder, fault):
    """The next run continues."""

    def strikes(number, messages):
        return fault if number > 1 else None

    with asked(server, embedder, script(), fault=strikes, patience=0.0) as gear:
        gear.communities.build()
        with pytest.raises(ModelError):
            gear.communities.report()
    with asked(server, embedder, script()) as gear:
        assert gear.communities.report().total in (2, 3)


def fact(index, one, other, community="c"):
    return CommunityFact(f"t{index}", Member(one, one, (), community), "near", Member(other, other, (), community))


def test_what_a_model_is_shown_fits_and_parts_stand_for_what_they_hold():
    """Facts of the best connected entities come first; reports of the largest parts replace facts beyond the budget."""
    whole = Community("c", 0, 9, 1, None, ())
    parts = {id: Community(id, 1, size, 1, "c", ()) for id, size in (("a", 5), ("b", 4))}
    hierarchy = Hierarchy({"c": whole, **parts}, below={"c": ("a", "b")})
    reports = {id: Report(f"Part {id}", "What it is.") for id in parts}
    short = [fact(1, "x", "y", "a"), fact(2, "y", "z", "b")]
    long = [fact(index, f"{'n' * 400} {index}", "hub", "a" if index % 2 else "b") for index in range(TOKENS // 50)]

    assert ("- x —near→ y\n- y —near→ z", "") == content(hierarchy, whole, short, reports=reports)
    facts, told = content(hierarchy, whole, long, reports=reports)
    assert told.startswith("Part a: What it is.")
    assert len(facts) <= 4 * TOKENS
    assert "t1" not in facts


def test_local_search_answers_from_passages_reports_and_facts(towns, server, embedder):
    """In one call; reports are cited like passages, and are optional."""
    seen = []
    with asked(
        server, embedder, model := script(answer=lambda text: seen.append(text) or "Answer: Ruse [1] [F1].")
    ) as gear:
        gear.communities.build()
        bare = gear.ask("Ruse thing 1 is near what?", k=4, agent="graphrag-local")
        gear.communities.report()
        found = gear.ask("Ruse thing 1 is near what?", k=4, agent="graphrag-local")

    assert (2, "answerable") == (model.played["answer"], found.stop_reason)
    assert "Things of Ruse" not in seen[0]
    assert "Things of Ruse\nThey are in Ruse.\n- Ruse has things." in seen[1]
    assert len(bare.hits) == 4 < len(found.hits)
    assert {"1", "F1"} == {one.marker for one in found.citations}
    assert found.paths


def test_global_search_asks_the_reports_and_brings_points_together(towns, server, embedder):
    """One call for all reports, one for the answer, which cites the report."""
    with asked(server, embedder, model := script()) as gear:
        gear.communities.build()
        gear.communities.report()
        calls = Counter(model.played)
        found = gear.ask("What does Varna have?", agent="graphrag-global")

    assert Counter(points=1, conclude=1) == model.played - calls
    assert ("Varna has things [1].", "answerable") == (found.text, found.stop_reason)
    assert ["Things of Varna"] == [one.passage.title for one in found.citations]
    assert [80.0] == [one.score for one in found.trace.steps[0].judgements]


def test_global_search_without_a_point_answers_without_a_call(towns, server, embedder):
    """With the fixed answer, and no second call."""
    with asked(server, embedder, model := script()) as gear:
        gear.communities.build()
        gear.communities.report()
        found = gear.ask("What does Sofia have?", agent="graphrag-global")

    assert (NOTHING, "no_graph_evidence", 0) == (found.text, found.stop_reason, model.played["conclude"])


@pytest.mark.one_server_line
@pytest.mark.parametrize("role", ["points", "conclude", "answer"])
@pytest.mark.parametrize(
    "fault", [Fault.EMPTY, Fault.CUT, Fault.PROSE, Fault.FENCED, Fault.MALFORMED_JSON, 401, 500, Fault.RESET]
)
def test_whatever_the_model_does_a_search_ends(towns, server, embedder, role, fault):
    """With a reason, a trace, and no traceback."""

    def strikes(_number, messages):
        return fault if role_of(messages) == role else None

    with asked(server, embedder, script()) as gear:
        gear.communities.build()
        gear.communities.report()
    with asked(server, embedder, script(), fault=strikes, patience=0.0) as gear:
        local = role == "answer"
        found = gear.ask("Ruse?" if local else "Varna?", agent="graphrag-local" if local else "graphrag-global")

    gone = fault in (401, 500, Fault.RESET)
    assert found.trace.steps
    assert ("model_error" == found.stop_reason) == gone
    assert bool(found.failure) == gone


@pytest.mark.one_server_line
def test_a_budget_ends_global_search(towns, server, embedder):
    """Once it is spent, no further batch begins."""
    with asked(server, embedder, model := script()) as gear:
        gear.communities.build()
        gear.communities.report()
        found = gear.ask("What does Varna have?", agent=GraphRagGlobal(max_tokens=1))

    assert "budget" == found.stop_reason
    assert 1 == model.played["points"]


def test_missing_triples_communities_and_reports_are_named(database, server, embedder, tmp_path):
    """No triples, no communities, no reports; options out of range."""
    with asked(server, embedder, script()) as gear:
        with pytest.raises(InputError, match="no triples"):
            gear.communities.build()
        with pytest.raises(InputError, match="gear communities build"):
            gear.ask("What?", agent="graphrag-global")
        with pytest.raises(InputError, match="gear communities build"):
            gear.communities.report()
        grow(database, embedder, tmp_path, TOWNS[:2])
        gear.communities.build()
        with pytest.raises(InputError, match="--report"):
            gear.ask("What?", agent="graphrag-global")
        with pytest.raises(SettingsError, match="at least 3"):
            gear.communities.build(size=2)


def test_communities_of_an_adopted_graph_show_its_labels_and_vanish_with_it(empty, server, embedder):
    """Even if the user's own nodes are called communities, as in Graphiti."""
    for statement in statements_of((RECORDED / "graphiti.cypher").read_text("utf-8")):
        empty.run(write(statement))
    before = dump(empty)
    with opened(server, embedder) as gear:
        gear.overlay.adopt(load(built_in()["graphiti"]))
        gear.communities.build(size=4)
        found = gear.communities.read()
        labels = {label for some in names_of(Graph(empty), found).values() for one in some for label in one.labels}
        shown = page(found, names_of(Graph(empty), found), database="graphiti")
        surveyed = gear.overlay.survey()
        again = gear.overlay.adopt()
        gear.overlay.release()

    assert found.communities
    assert {"Person", "Place"} <= labels
    assert "Marie Curie" in shown
    assert (1, 0) == (surveyed.labels["Community"].nodes, again.triples_written + again.passages_written)
    assert {"IN_COMMUNITY", "PARENT_OF"}.isdisjoint(surveyed.types)
    assert before == dump(empty)


def test_a_graph_that_is_not_ours_is_left_alone(empty, server, embedder):
    """No schema is created if nothing was ingested or adopted."""
    empty.run(write("CREATE (:Person {name: 'Ana'})-[:BUILT]->(:Harbour {name: 'Varna'})"))
    before = dump(empty)

    with opened(server, embedder) as gear:
        assert not gear.communities.read().communities
        with pytest.raises(InputError, match="ingest documents or adopt a graph"):
            gear.communities.build()

    assert before == dump(empty)


def test_the_commands_build_update_and_show(towns, server, embedder, tmp_path, capsys, monkeypatch):
    """As text, as JSON, and as a page that loads nothing from other hosts."""
    monkeypatch.setattr("gear_neo4j.gear.connecting.open_embedder", lambda *_: embedder)
    where = ["--uri", server.uri, "--username", server.username, "--password", server.password]

    def run(*args):
        with pytest.raises(SystemExit) as ended:
            main([*args, *where])
        assert not ended.value.code
        return capsys.readouterr().out

    assert "no communities" in run("communities", "show")
    assert "3 communities of 18 entities" in run("communities", "build")
    assert "0 new, 0 gone" in run("communities", "update")
    told = json.loads(run("communities", "show", "--json"))
    assert (3, False) == (len(told["communities"]), told["stale"])
    assert "Ruse thing" in run("communities", "show", "--html", str(tmp_path / "page.html"))
    shown = (tmp_path / "page.html").read_text("utf-8")
    assert not re.search(r"(https?:)?//[a-z]+\.|@import|url\(|src=", shown.replace("http://www.w3.org/2000/svg", ""))
    assert store.read(Graph(towns)).communities
