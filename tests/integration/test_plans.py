"""Every text that is sent is planned with indexes, even on an empty database, whose plans Neo4j keeps."""

from contextlib import suppress
from dataclasses import replace
from itertools import product

import neo4j
import pytest

from gear_neo4j.errors import ScopeRefusal
from gear_neo4j.graph.fragments import resource_folder
from gear_neo4j.graph.queries import has_form, load
from gear_neo4j.graph.schema.preparation import prepare
from gear_neo4j.graph.scope.scope_gate import ScopeGate, ScopeSize
from gear_neo4j.graph.write.imports import CONSTRAINTS
from gear_neo4j.scope import Scope
from tests.conftest import clear
from tests.fake_embedder import FakeEmbedder

REFUSED = {"AllNodesScan", "NodeByLabelScan", "NodeIndexScan", "CartesianProduct"}
ALLOWED = {
    "all_passages": {"NodeByLabelScan"},  # it is meant to read every passage
    "collections": {"NodeByLabelScan"},  # it counts every passage, when somebody asks for the collections
    "scope_size": {"NodeByLabelScan"},  # it counts every passage of a scope, once for each version of the graph
    "count_extractors": {"NodeByLabelScan"},  # it counts every passage, for the doctor
    "count_sources": {"NodeByLabelScan", "NodeIndexScan"},  # the same, when somebody asks for the statistics
    "export_facts": {"NodeByLabelScan"},  # the same, once for each version of the graph
    "count_to_extract": {"NodeByLabelScan"},  # it counts by a state that no index holds, once a run
    "check_triples": {"CartesianProduct"},  # of two subqueries that give one row each
    "preview_source": {"CartesianProduct"},  # the same
    "edges_of": {"CartesianProduct"},  # the same
    "paths_between": {"CartesianProduct"},  # of two look-ups by an id, one row each
    "count_adopted": {"CartesianProduct", "NodeByLabelScan"},  # the same, of two that count everything, once a release
    "write_adopted_triples": {"CartesianProduct"},  # of three look-ups by an id, one row each
    "import_relationships": {"CartesianProduct"},  # the same
    "import_progress": {"NodeByLabelScan"},  # of a handful of files
    "begin_import": {"NodeByLabelScan"},  # the same
    "give_up_import": {"NodeByLabelScan"},  # the same
    "forget_import": {"NodeByLabelScan"},  # the same
    "drop_unwritten_import": {"NodeByLabelScan"},  # the same
    "complete_import": {"NodeByLabelScan"},  # the same
    "stop_import": {"NodeByLabelScan"},  # the same
    "finish_import": {"NodeByLabelScan"},  # any so many of those that are left
    "delete_imported": {"NodeByLabelScan"},  # the same
    "some_adopted": {"NodeByLabelScan"},  # the same
    "survey_nodes": {"AllNodesScan"},  # a sample of whatever there is, with a limit
    "adoptable_nodes": {"AllNodesScan"},  # the labels are the user's: 5.26 can only go through all nodes, once
    "adoptable_properties": {"AllNodesScan"},  # the same
    "import_twin": {"AllNodesScan"},  # the same
    "property_values": {"AllNodesScan"},  # the same, once for each version of the graph
    "hubs": {"AllNodesScan"},  # the same, when somebody asks for an examination
    "long_passages": {"NodeIndexScan"},  # every passage, when somebody asks for an examination
    "some_triples": {"NodeByLabelScan"},  # any so many
    "adopted_passages": {"NodeByLabelScan"},  # it is meant to read every passage
    "adopted_triples": {"NodeByLabelScan"},  # it is meant to read every triple
    "adopted_properties": {"NodeByLabelScan"},  # the same
    "communities": {"NodeByLabelScan"},  # it is meant to read every community
    "count_communities": {"NodeByLabelScan"},  # the same
    "late_reports": {"NodeByLabelScan"},  # the same, once a round of reports
    "delete_other_communities": {"NodeByLabelScan", "NodeIndexScan"},  # the same, once a build
    "claim_communities": {"NodeByLabelScan", "CartesianProduct"},  # the same, once, and the one row of the store
    "community_members": {"NodeByLabelScan"},  # the same
    "delete_empty_communities": {"NodeByLabelScan"},  # the same, once after passages were deleted
    "clear_communities": {"NodeByLabelScan"},  # any so many of those that are left
    "adopted_names": {"AllNodesScan"},  # it is meant to read every node, once an adoption
    "term_ids": {"NodeByLabelScan"},  # it is meant to read every term, once an adoption
    "clear_terms": {"NodeByLabelScan"},  # any so many of those that are left
    "drop_store": {"NodeByLabelScan"},  # a handful of nodes, once
    "write_passages": {"CartesianProduct"},  # of the batch and the one row of the readers on record
    "record_moves": {"CartesianProduct"},  # of two subqueries that give one row each
    "derive_readers": {"CartesianProduct"},  # the same, once
    "write_synonyms": {"CartesianProduct"},  # of two look-ups by a unique key, one row each
    "write_triples": {"CartesianProduct"},  # of three look-ups by a unique key, one row each
    "migration_chain": {"NodeByLabelScan"},  # a handful of nodes, without an index that is ours to make
    "record_migration": {"NodeByLabelScan"},  # the same
    "store_info": {"NodeByLabelScan"},  # the same
}
QUERIES = load(resource_folder("cypher"))
SEARCHED = {name for name in QUERIES if has_form(name, "search_clause")}
SMALL = {name for name in QUERIES if has_form(name, "small_scope")}
ALLOWED_IN_SCOPE = {
    **{name: {"CartesianProduct"} for name in SMALL},  # of a few passages and a vector
    "count_entities": {"NodeByLabelScan"},  # it counts every passage of a scope, when somebody asks for the status
    "entity_names": {"NodeByLabelScan"},  # it is meant to read every passage and triple
}
SIZE = ScopeSize(passages=5_000, triples=50_000, all_passages=10_000, all_triples=100_000, graph=True)
SCOPES = {
    "collections": {"collections": ["a"]},
    "principals": {"principals": ["user:ada"]},
    "filter": {"where": "year >= 2020 and not draft exists"},
    "full": {"collections": ["a"], "principals": ["user:ada"], "where": 'team in ["a", "b"] or year < 2020'},
}


def scopes():
    """A gate for each kind of scope, in databases whose vector indexes can and cannot filter by collection."""
    for (name, conditions), reach in product(SCOPES.items(), (None, (6_000, 60_000))):
        size = replace(SIZE, reach=reach)
        yield (
            f"{name}, {'filtering' if reach else 'plain'} indexes",
            ScopeGate(Scope().narrowed(**conditions), size=lambda size=size: size),
        )


def sent():
    """Every query as it is sent, by name: in each variant, without a scope and under each scope that admits it."""
    for form, names in {"plain": set(QUERIES), "search_clause": SEARCHED, "small_scope": SMALL}.items():
        for name, query in load(resource_folder("cypher"), form=form).items():
            if name in names and form != "small_scope":
                yield f"{name} {form}", query
            for scope, gate in scopes() if name in names else ():
                with suppress(ScopeRefusal):
                    given = dict.fromkeys(query.parameters | query.ignored, 1)
                    yield f"{name} {form} under {scope}", gate.admit(query, given)[0]


# Each text once: many are the same under several scopes.
SENT = {name: query for query, name in {query.text: (query, name) for name, query in sent()}.values()}


def operators(plan):
    """The names of all operators in a plan."""
    return {plan["operatorType"].split("@")[0]}.union(*(operators(child) for child in plan.get("children", [])))


@pytest.fixture(scope="module", autouse=True)
def database(connection):
    """An empty database with our schema, and with the constraints of a running import."""
    clear(connection)
    prepare(connection, model=FakeEmbedder.name, dimension=FakeEmbedder.dimension)
    for name, rule in CONSTRAINTS.items():
        connection.execute(f"CREATE CONSTRAINT {name} IF NOT EXISTS {rule}")
    yield connection
    for name in CONSTRAINTS:
        connection.execute(f"DROP CONSTRAINT {name}")


@pytest.fixture(scope="module")
def session(server):
    """One session for all, because connecting takes as long as planning."""
    with (
        neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver,
        driver.session(database=server.database) as session,
    ):
        yield session


def explained(session, text):
    """The plan's operators, the codes of the server's notifications, and the columns of the rows."""
    result = session.run(f"EXPLAIN {text}")
    columns, summary = tuple(result.keys()), result.consume()
    remarks = {one.gql_status for one in summary.gql_status_objects}
    return operators(summary.plan or {"operatorType": ""}), remarks, columns


@pytest.mark.parametrize("name", sorted(SENT))
def test_what_is_sent_is_planned_with_indexes_and_has_exactly_its_columns(database, session, name):
    """No scan and no product except in the lists above, and no deprecated syntax (01N00 to 01N02)."""
    query, scoped = SENT[name], " under " in name
    needs_search = query.text.startswith("CYPHER 25")
    if needs_search and not database.has_search_clause:
        with pytest.raises(neo4j.exceptions.ClientError):
            explained(session, query.text)
        return
    allowed = ALLOWED.get(query.name, set()) | (ALLOWED_IN_SCOPE.get(query.name, set()) if scoped else set())
    # A database may have either Cypher version as its default; before Cypher 25 there is only one.
    for version in ("CYPHER 5 ", "CYPHER 25 ") if database.has_search_clause and not needs_search else ("",):
        found, remarks, columns = explained(session, version + query.text)
        assert (set(), query.columns) == ((found & REFUSED) - allowed, columns), version
        # Cypher 25 deprecates these procedures; only servers without the SEARCH clause get them.
        if not (version and query.name in SEARCHED):
            assert set() == remarks & {"01N00", "01N01", "01N02"}


def test_every_form_of_a_query_is_among_what_is_sent():
    """Otherwise the tests above would check too little."""
    for names, form in ((SEARCHED, "search_clause"), (SMALL, "small_scope"), (SEARCHED | SMALL, "plain")):
        assert names == {SENT[name].name for name in SENT if form in name} & names
    assert {"find_passages", "link_synonyms"} <= SEARCHED
    assert {"find_passages"} <= SMALL <= SEARCHED
