"""Writes paths as Cypher for Neo4j Browser: one path with its names, several by the ids of their triples."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import count

from gear_neo4j.domain import Cypher, Path, Triple, entity_key
from gear_neo4j.graph.queries import named

# Longer names are left out, and those with characters that Cypher escapes in another way than JSON, or that tools take
# for the end of a statement: the ids decide.
LONGEST_NAME = 80
_PLAIN = re.compile(r"[^;\\\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]*")


def path_cypher(*paths: Path) -> Cypher:
    """The query that shows paths in Neo4j Browser, with its parameters.

    That of one path has names, and returns a single row: its entities, triples and passages.

    Example:
        >>> from gear_neo4j.domain import make_triple
        >>> path = Path((make_triple("p1", "Curie", "born in", "Warsaw"),), 0.9)
        >>> for line in path_cypher(path).statement.splitlines()[:2]:
        ...     print(line)
        MATCH (e1)<-[:SUBJECT]-(t1:Triple {subject: "Curie", predicate: "born in", object: "Warsaw"})-[:OBJECT]->(e2)
        MATCH (t1)-[:FROM]->(p1)
        >>> path_cypher(path, path).statement.splitlines()[0]
        'MATCH (t:Triple)'
    """
    if len(paths) == 1:
        return Cypher(_statement(paths[0].triples))
    ids = dict.fromkeys(triple.id for path in paths for triple in path.triples)
    return Cypher(named("show_path").text, {"ids": list(ids)})


def _statement(triples: Sequence[Triple]) -> str:
    numbers = range(1, len(triples) + 1)
    passages = {id: f"p{number}" for number, id in enumerate(dict.fromkeys(t.passage_id for t in triples), start=1)}
    lines = [
        f"MATCH ({subject})<-[:SUBJECT]-(t{number}:Triple{_names(triple)})-[:OBJECT]->({object})"
        for number, triple, (subject, object) in zip(numbers, triples, _entities(triples), strict=True)
    ]
    stated = (
        f"(t{number})-[:FROM]->({passages[triple.passage_id]})" for number, triple in zip(numbers, triples, strict=True)
    )
    ids = (f"t{number}.id = {json.dumps(triple.id)}" for number, triple in zip(numbers, triples, strict=True))
    return "\n".join([*lines, f"MATCH {', '.join(stated)}", f"WHERE {' AND '.join(ids)}", "RETURN *"])


def _entities(triples: Sequence[Triple]) -> Iterator[tuple[str, str]]:
    """The variables for both ends of each triple.

    A triple shares a variable with the one before if they have exactly one name in common: nodes may have equal names.
    """
    numbers = count(1)
    before: dict[str, str] = {}
    for triple in triples:
        keys = entity_key(triple.subject), entity_key(triple.object)
        shared = before.keys() & keys if keys[0] != keys[1] else set()
        kept = {key: before[key] for key in shared} if len(shared) == 1 else {}
        ends = kept.get(keys[0]) or f"e{next(numbers)}", kept.get(keys[1]) or f"e{next(numbers)}"
        before = dict(zip(keys, ends, strict=True)) if keys[0] != keys[1] else {}
        yield ends


def _names(triple: Triple) -> str:
    parts = {"subject": triple.subject, "predicate": triple.predicate, "object": triple.object}
    shown = [
        f"{name}: {json.dumps(text, ensure_ascii=False)}"
        for name, text in parts.items()
        if len(text) <= LONGEST_NAME and _PLAIN.fullmatch(text)
    ]
    return f" {{{', '.join(shown)}}}" if shown else ""
