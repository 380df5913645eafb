"""The paths of a run as a Cypher script, for Neo4j Browser or cypher-shell."""

import re
from collections.abc import Sequence

from gear_neo4j.domain import Path
from gear_neo4j.errors import InputError
from gear_neo4j.explain.saved import SavedRun
from gear_neo4j.graph.read.path_cypher import path_cypher
from gear_neo4j.text.printable import printable

_PLAIN = re.compile(r"[\w.:/@+-]+(?: [\w.:/@+-]+)*")


def script(saved: SavedRun) -> str:
    """One statement per path, each with a comment, and a last one for all paths.

    Raises:
        InputError: a triple has an invalid id.

    Example:
        >>> from gear_neo4j.domain import Triple
        >>> from gear_neo4j.explain.saved import Turn
        >>> path = Path((Triple("t1", "Curie", "born in", "Warsaw", "p1"),), 0.9)
        >>> for line in script(SavedRun("search", "Where?", (Turn(1, "Where?", (path,)),))).splitlines()[3:6]:
        ...     print(line)
        // Path 1 of 1, score 0.90: Curie —born in→ Warsaw
        MATCH (e1)<-[:SUBJECT]-(t1:Triple {subject: "Curie", predicate: "born in", object: "Warsaw"})-[:OBJECT]->(e2)
        MATCH (t1)-[:FROM]->(p1)
    """
    parts = [f"// {_comment(saved.question)}\n// Each statement below shows one path in Neo4j Browser.\n"]
    for turn in saved.turns:
        step = f"Step {turn.number}, path" if len(saved.turns) > 1 else "Path"
        for number, path in enumerate(turn.paths, start=1):
            heading = f"{step} {number} of {len(turn.paths)}, score {path.score:.2f}: {_comment(str(path))}"
            parts.append(_statement(heading, [path]))
    parts.append(_statement("All of them", saved.paths) if saved.paths else "// There are no paths in this run.\n")
    return "\n".join(parts)


def _statement(comment: str, paths: Sequence[Path]) -> str:
    return f"// {comment}\n{_inline(paths)};\n"


def _inline(paths: Sequence[Path]) -> str:
    # Not by :param: its values would carry over to the next statement, and drivers and other tools do not know it.
    ids = dict.fromkeys(_id(triple.id) for path in paths for triple in path.triples)
    cypher = path_cypher(*paths)
    if not cypher.parameters:
        return cypher.statement
    return cypher.statement.replace("$ids", "[{}]".format(", ".join(f'"{id}"' for id in ids)))


def _id(id: str) -> str:
    if not _PLAIN.fullmatch(id):
        raise InputError(f"the run holds a triple with the id {id!r}, which is not one of gear's: it was changed")
    return id


def _comment(text: str) -> str:
    # Cypher reads \u000a as a line break even in comments, and apoc.cypher.runFile splits statements at any semicolon.
    return " ".join(printable(text).replace("\\", "/").replace(";", ",").split())
