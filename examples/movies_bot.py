"""A bot over the movies in your Neo4j: ``python movies_bot.py``, then a question a line; no language model is needed.

The database is the one of NEO4J_URI, with Neo4j's example (``:play movies`` in Neo4j Browser) or any other graph. The
first start adopts it: triples of ours point at its nodes, which stay as they are.
"""

import sys

from gear_neo4j import Gear, Hits
from gear_neo4j.errors import GearError
from gear_neo4j.types import EntityHit

SHOWN = 10


def main() -> None:
    """Adopt the graph if that has not been done, then answer until the input ends."""
    try:
        with Gear.connect() as gear:
            if gear.overlay.profile() is None:
                adopted = gear.overlay.adopt(gear.overlay.propose())
                print(f"{adopted.nodes_read} nodes adopted, {adopted.triples_written} triples.")
            print("Ask.")
            for line in sys.stdin:
                if question := line.strip():
                    print(reply(gear.search(question, retriever="paths")), flush=True)
    except GearError as error:
        sys.exit(f"movies_bot: {error}")


def reply(hits: Hits) -> str:
    """The number that was asked for, or the nodes; and how sure that is."""
    if hits.figure:
        return f"{hits.figure.value}: {hits.figure.pattern}"
    found = "\n".join(map(described, hits.entities[:SHOWN])) or "I do not find that in the graph."
    return f"{found}\n({hits.doubt})" if hits.doubt else found


def described(node: EntityHit) -> str:
    """A node, and the pattern in words that leads to it."""
    return f"{node.name} ({', '.join(node.labels)}): {node.pattern}"


if __name__ == "__main__":
    main()
