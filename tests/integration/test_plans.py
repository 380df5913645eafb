"""Every query is planned with indexes, also on an empty database, whose plans Neo4j keeps for later."""

import neo4j
import pytest

from gear_neo4j.graph.queries import load, load_forms, resource_folder
from gear_neo4j.graph.schema.preparation import prepare
from gear_neo4j.graph.scope.scope_macros import Shape
from gear_neo4j.graph.write.imports import CONSTRAINTS
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
    "finish_import": {"NodeByLabelScan"},  # any so many of those that are left
    "some_adopted": {"NodeByLabelScan"},  # the same
    "survey_nodes": {"AllNodesScan"},  # a sample of whatever there is, with a limit
    "adoptable_nodes": {"AllNodesScan"},  # the labels are the user's: 5.26 can only go through all nodes, once
    "adoptable_properties": {"AllNodesScan"},  # the same
    "import_twin": {"AllNodesScan"},  # the same
    "property_values": {"AllNodesScan"},  # the same, once for each version of the graph
    "hubs": {"AllNodesScan"},  # the same, when somebody asks for an examination
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
    "drop_store": {"NodeByLabelScan"},  # a handful of nodes, once
    "write_synonyms": {"CartesianProduct"},  # of two look-ups by a unique key, one row each
    "write_triples": {"CartesianProduct"},  # of three look-ups by a unique key, one row each
    "migration_chain": {"NodeByLabelScan"},  # a handful of nodes, without an index that is ours to make
    "record_migration": {"NodeByLabelScan"},  # the same
    "store_info": {"NodeByLabelScan"},  # the same
}
QUERIES = load(resource_folder("cypher"))
SEARCH_QUERIES = load_forms(resource_folder("cypher"), "search_clause", QUERIES)


SMALL_QUERIES = load_forms(resource_folder("cypher"), "small_scope", QUERIES)
SHAPES = (Shape(True), Shape(False, True), Shape(False, False, True), Shape(True, True, True))
# On servers with the SEARCH clause.
IN_INDEX = (*SHAPES, Shape(True, in_index=True), Shape(True, True, True, True))
SCOPED = {
    f"{query.file} {tuple(shape)}": query.within(shape)
    for queries, shapes in ((QUERIES, SHAPES), (SEARCH_QUERIES, IN_INDEX), (SMALL_QUERIES, SHAPES))
    for query in queries.values()
    if query.scope == "filtered"
    for shape in shapes
}
ALLOWED_IN_SCOPE = {
    **{name: {"CartesianProduct"} for name in SMALL_QUERIES},  # of a few passages and a vector
    "count_entities": {"NodeByLabelScan"},  # it counts every passage of a scope, when somebody asks for the status
    "entity_names": {"NodeByLabelScan"},  # it is meant to read every passage and triple
}


def operators(plan):
    """The names of all operators of a plan."""
    return {plan["operatorType"].split("@")[0]}.union(*(operators(child) for child in plan.get("children", [])))


@pytest.fixture(scope="module", autouse=True)
def database(connection):
    """An empty database with our schema, and with the constraints that an import has of its own, as long as it runs."""
    clear(connection)
    prepare(connection, model=FakeEmbedder.name, dimension=FakeEmbedder.dimension)
    for name, rule in CONSTRAINTS.items():
        connection.execute(f"CREATE CONSTRAINT {name} IF NOT EXISTS {rule}")
    yield connection
    for name in CONSTRAINTS:
        connection.execute(f"DROP CONSTRAINT {name}")


@pytest.fixture(scope="module")
def session(server):
    """One session for all, because to connect takes as long as to plan."""
    with (
        neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver,
        driver.session(database=server.database) as session,
    ):
        yield session


def explained(session, text):
    """The plan's operators, and the codes of what the server remarks on."""
    summary = session.run(f"EXPLAIN {text}").consume()
    return operators(summary.plan or {"operatorType": ""}), {one.gql_status for one in summary.gql_status_objects}


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_query_is_planned_with_indexes_and_without_deprecated_syntax(database, session, name):
    """No scan, no product, outside the list above; 01N00 to 01N02 are deprecations."""
    found, remarks = explained(session, QUERIES[name].text)

    assert set() == (found & REFUSED) - ALLOWED.get(name, set())
    if not (database.has_search_clause and name in SEARCH_QUERIES):
        assert set() == remarks & {"01N00", "01N01", "01N02"}
    # A database may have either language of the server as its default; before Cypher 25 there is one only.
    for version in ("5", "25") if database.has_search_clause else ():
        found, _ = explained(session, f"CYPHER {version} {QUERIES[name].text}")
        assert set() == (found & REFUSED) - ALLOWED.get(name, set()), version


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_the_rows_of_a_query_have_exactly_its_columns(database, session, name):
    """The server says which columns it would give, in the form that it would run."""
    forms = {**QUERIES, **SEARCH_QUERIES} if database.has_search_clause else QUERIES

    assert forms[name].columns == tuple(session.run(f"EXPLAIN {forms[name].text}").keys())


@pytest.mark.parametrize("name", sorted(SCOPED))
def test_a_query_is_planned_with_indexes_under_a_scope(database, session, name):
    """Whichever conditions it has, in both languages of the server; a scope adds no scan."""
    query = SCOPED[name]
    if query.name in SEARCH_QUERIES and "SEARCH" in query.text and not database.has_search_clause:
        return
    versions = ("5", "25") if database.has_search_clause and "CYPHER 25" not in query.text else ("",)

    for version in versions:
        found, _ = explained(session, f"CYPHER {version} {query.text}" if version else query.text)
        assert set() == (found & REFUSED) - ALLOWED.get(query.name, set()) - ALLOWED_IN_SCOPE.get(query.name, set())


@pytest.mark.parametrize("name", sorted(SEARCH_QUERIES))
def test_the_search_clause_is_used_exactly_where_the_server_has_it(database, session, name):
    """The capability is asked for, not guessed from the version."""
    if database.has_search_clause:
        assert set() == explained(session, SEARCH_QUERIES[name].text)[0] & REFUSED
    else:
        with pytest.raises(neo4j.exceptions.ClientError):
            explained(session, SEARCH_QUERIES[name].text)
