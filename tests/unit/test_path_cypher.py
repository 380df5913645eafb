"""Paths as Cypher: with their names, and always a single statement."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.domain import Path, Triple
from gear_neo4j.graph.read.path_cypher import LONGEST_NAME, path_cypher

NAMES = st.text(min_size=1, max_size=LONGEST_NAME + 5)
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')


def path(*facts):
    return Path(tuple(Triple(f"t{n}", *fact, f"p{n % 2}") for n, fact in enumerate(facts)), 1.0)


def test_triples_with_a_name_in_common_share_its_node():
    """As a person would write it; a passage that states two triples is there once."""
    lines = path_cypher(path(("A", "r", "B"), ("C", "s", "b"), ("C", "t", "D"))).statement.splitlines()

    assert '(e1)<-[:SUBJECT]-(t1:Triple {subject: "A", predicate: "r", object: "B"})-[:OBJECT]->(e2)' in lines[0]
    assert [line[6:10] + line[-4:] for line in lines[:3]] == ["(e1)(e2)", "(e3)(e2)", "(e3)(e4)"]
    assert "MATCH (t1)-[:FROM]->(p1), (t2)-[:FROM]->(p2), (t3)-[:FROM]->(p1)" == lines[3]
    assert 'WHERE t1.id = "t0" AND t2.id = "t1" AND t3.id = "t2"' == lines[4]


def test_where_names_do_not_tell_nodes_apart_no_node_is_shared():
    """Two nodes may have the same name: then the triples' ids decide alone."""
    twice = path_cypher(path(("A", "r", "B"), ("A", "s", "B"))).statement
    alike = path_cypher(path(("A", "r", "A"), ("A", "s", "B"))).statement

    assert all(f"(e{number})" in statement for statement in (twice, alike) for number in (1, 2, 3, 4))


@given(st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=3))
def test_names_stay_texts(facts):
    """Whatever a name contains, it is one literal, or it is left out; so is a long one."""
    statement = path_cypher(path(*facts)).statement

    outside = TEXT.sub("", statement)
    assert re.fullmatch(r"[\w\s(){}<>\[\]:.,=*-]*", outside, re.ASCII)
    assert 3 + len(facts) == len(statement.split("\n"))
    held = {json.loads(text) for text in TEXT.findall(statement)}
    assert held <= {part for fact in facts for part in fact} | {f"t{number}" for number in range(3)}
    assert all(len(text) <= LONGEST_NAME and ";" not in text and "\\" not in text for text in held)
