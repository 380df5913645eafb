"""Cypher from a small grammar, for properties of the guard: reading clauses, and others."""

import re
from dataclasses import dataclass

from hypothesis import strategies as st

# Two nodes, n and m, are always in scope.
ATOMS = st.sampled_from(
    [
        *(
            "1",
            "2.5",
            "0xFF",
            "null",
            "true",
            "'x'",
            '"DELETE"',
            "'//'",
            "'/*'",
            "';DROP'",
            "'it\\'s'",
            "[1,2]",
            "{a:1}",
        ),
        *("n.name", "m.born", "n.set", "m.`load`", "n.delete", "labels(n)", "elementId(m)", "properties(n).create"),
        *("range(1,3)", "date('2024-01-01')", "EXISTS { (n)-->(:Set) }", "COUNT { (m)--() }", "n:Create"),
    ]
)
READING = [
    "MATCH (n)-[:KNOWS]->(m)",
    "MATCH (n)-[:SET|MERGE*1..2]->(m) WHERE {a} = {b}",
    "OPTIONAL MATCH (n)--(m) WHERE NOT {a} = {b}",
    "UNWIND [{a}] AS u{i}",
    "WITH * , {a} AS w{i}",
    "WITH * , {a} AS w{i} ORDER BY w{i} LIMIT 3",
    "CALL ( n , m ) {{ MATCH (n)-->(x) WHERE {a} = {b} RETURN count(x) AS c{i} }}",
    "CALL db.labels() YIELD label AS l{i}",
]
DOING_MORE = [
    "SET n.x = {a}",
    "SET n += {{x:1}}",
    "SET n:Evil",
    "REMOVE n.name",
    "REMOVE m:Person",
    "DETACH DELETE m",
    "DELETE n",
    "CREATE (:Evil {{x:1}})",
    "MERGE (:Evil)",
    "FOREACH ( f IN [1] | SET n.x = f )",
    "CALL ( n ) {{ SET n.x = {b0} }}",
    "CALL ( n ) {{ CREATE (e:Evil) RETURN e AS e{i} }}",
    "CALL ( n ) {{ RETURN 1 AS t{i} }} IN TRANSACTIONS",
    "WHERE EXISTS {{ CREATE (e:Evil) }}",
    "LOAD CSV FROM 'file:///x' AS l{i}",
    "LOAD CSV WITH HEADERS FROM n.name AS l{i}",
    "CALL db.createLabel('Evil')",
    "CALL apoc.load.json('x') YIELD value AS v{i}",
    "WITH * , apoc.util.sleep({a}) AS w{i}",
    "USE other",
    "WITH * , $x AS w{i}",
    "; MATCH (n)",
]
GAPS = st.sampled_from(
    [" ", "  ", "\n", "\t", "\u00a0", "\u3000", "/**/ ", " /* ' */ ", ' /*"*/', " // `\n", " // ;\r\n"]
)
_KEYWORDS = re.compile(r"\b(?:MATCH|SET|CREATE|MERGE|DELETE|DETACH|REMOVE|LOAD|CSV|CALL|WITH|RETURN|UNWIND|AS|WHERE)\b")


@dataclass(frozen=True)
class Written:
    """A query, and whether one of its clauses does more than read."""

    text: str
    does_more: bool


def _compound(inner):
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda two: f"coalesce( {two[0]} , {two[1]} )"),
        pair.map(lambda two: f"( {two[0]} = {two[1]} )"),
        pair.map(lambda two: f"head([ {two[0]} , {two[1]} ])"),
        pair.map(lambda two: f"CASE WHEN {two[0]} = {two[1]} THEN 'SET' ELSE null END"),
        inner.map(lambda one: f"{{set: {one} }}"),
        inner.map(lambda one: f"[x IN [ {one} ] | x]"),
    )


EXPRESSIONS = st.recursive(ATOMS, _compound, max_leaves=4)


@st.composite
def queries(draw, clauses):
    """A query of up to five clauses between MATCH and RETURN, with odd spaces, comments and cases."""
    forms = draw(st.lists(st.sampled_from(clauses), max_size=5))
    texts = [form.format(a=draw(EXPRESSIONS), b=draw(EXPRESSIONS), b0=1, i=number) for number, form in enumerate(forms)]
    text = " ".join(["MATCH (n) , (m)", *texts, "RETURN", draw(EXPRESSIONS), "AS a"])
    text = _KEYWORDS.sub(lambda word: draw(st.sampled_from([str, str.lower, str.title]))(word[0]), text)
    spaced = "".join(draw(GAPS) if char == " " else char for char in text)
    return Written(spaced, any(form in DOING_MORE for form in forms))
