"""The text of a query as it is sent to the server, to read and to run in Neo4j Browser."""

from dataclasses import replace

from gear_neo4j.domain import Cypher
from gear_neo4j.errors import SettingsError
from gear_neo4j.filters import parse_filter
from gear_neo4j.graph.fragments import Form, resource_folder
from gear_neo4j.graph.queries import SCALED, Query, load, named
from gear_neo4j.graph.scope.scope_gate import ScopeGate, ScopeSize
from gear_neo4j.graph.scope.scope_macros import reads_communities
from gear_neo4j.scope import Scope
from gear_neo4j.text.wording import did_you_mean

# A scope with every condition, as an example.
EXAMPLE = Scope(
    collections=frozenset({"legal"}),
    principals=frozenset({"user:ada", "group:legal"}),
    where=parse_filter('year >= 2020 and not team in ["red"]'),
)
FEW = ScopeSize(passages=2, triples=12, all_passages=1_000, all_triples=6_000, ids=("legal/p1", "legal/p2"), graph=True)
MANY = ScopeSize(passages=2_000, triples=12_000, all_passages=4_000, all_triples=24_000, graph=True)


def queries() -> list[Query]:
    """All queries by name."""
    return list(load(resource_folder("cypher")).values())


def find(name: str) -> Query:
    """The query with a name, without a scope.

    Raises:
        SettingsError: there is none; the message suggests a similar name.
    """
    known = sorted(path.stem for path in resource_folder("cypher").glob("*.cypher"))
    if name not in known:
        raise SettingsError(f"there is no query {name!r}: {did_you_mean(name, known)}'gear cypher' lists them")
    return named(name)


def sent(name: str, *, form: Form = "plain", scoped: bool = False) -> Cypher:
    """The text that is sent for a query, with its parameters: null, except for an example of a scope.

    ``scoped`` means a scope with every condition that the query allows. Most queries have a single form.

    Raises:
        SettingsError: there is no query of that name.
        ScopeRefusal: the query is refused under a scope.

    Example:
        >>> print(sent("triples_of"))
        :param passages => null;
        MATCH (p:Passage)
        USING INDEX SEEK p:Passage(id)
        WHERE p.id IN $passages
        MATCH (p)<-[:FROM]-(t:Triple)
        RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, p.id AS passage
    """
    query = named(find(name).name, form=form)
    given: dict[str, object] = dict.fromkeys(sorted(query.parameters))
    if not scoped:
        return Cypher(query.text, given)
    scope = replace(EXAMPLE, where=None) if reads_communities(query.marked) else EXAMPLE
    size = FEW if form == "small_scope" else MANY
    if form == "search_clause":
        size = replace(size, reach=(size.passages, size.triples))
    admitted, parameters = ScopeGate(scope, size=lambda: size).admit(query, given | dict.fromkeys(SCALED, 0))
    shown = {"scope": parameters["scope"]} if "scope" in admitted.parameters else {}
    return Cypher(admitted.text, given | shown)
