"""Reads while another process deletes what they read: the server returns nulls, and no caller sees them."""

import threading
import time
from dataclasses import fields, is_dataclass

import pytest

from gear_neo4j import Gear
from gear_neo4j.domain import Passage, Triple
from gear_neo4j.graph.read.entities import EntitySummary, Synonym
from gear_neo4j.graph.read.pagerank_queries import EntityLink, NamedEntity
from gear_neo4j.graph.write.corpus_writes import PassageState
from gear_neo4j.graph.write.source_registry import KnownSource
from gear_neo4j.graph.write.synonyms import EmbeddedEntity

SECONDS = 8
PASSAGES, NAMES = 60, 15
# Types whose fields have a value, apart from those named.
WHOLE = {
    Triple: (),
    Passage: ("source", "position", "readers"),
    KnownSource: (),
    EntitySummary: (),
    EntityLink: (),
    NamedEntity: (),
    PassageState: (),
    EmbeddedEntity: (),
    Synonym: (),
}


def halves(value):
    """The values of :data:`WHOLE` types inside a value that lack a field."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return [half for item in value for half in halves(item)]
    if isinstance(value, dict):
        return halves([*value, *value.values()])
    if not is_dataclass(value) or isinstance(value, type):
        return []
    optional = WHOLE.get(type(value))
    empty = optional is not None and any(
        getattr(value, one.name) is None for one in fields(value) if one.name not in optional
    )
    return [value] if empty else halves([getattr(value, one.name) for one in fields(value)])


def test_halves_are_noticed():
    half, whole = Triple("t", "Ada", None, "Byron", "p"), Triple("t", "Ada", "knew", "Byron", "p")
    assert [half] == halves([(whole, {"facts": [half]})])


def rewrite(server, embedder, *, source, until, failures):
    """Write 60 passages with three triples each, and a source, and delete them, again and again."""
    passages = [
        Passage(id=f"{source}{i}", title="T", text=f"{source} {i} e{i % NAMES}", source=source, position=str(i))
        for i in range(PASSAGES)
    ]
    triples = [
        Triple(f"{one.id}:{j}", f"e{i % NAMES}", f"{source}{j}", f"{source}x{(i + j) % 9}", one.id)
        for i, one in enumerate(passages)
        for j in range(3)
    ]
    of_passages, of_triples = (embedder.embed([one.text for one in some]).tolist() for some in (passages, triples))
    origin = KnownSource(name=source, roots=(f"/r/{source}",), machine="archive", whole=True)
    try:
        with Gear.connect(server, embedder=embedder) as gear:
            graph = gear.graph
            while time.monotonic() < until:
                graph.corpus.write_passages(passages, of_passages)
                graph.corpus.write_triples(triples, of_triples, completed=[one.id for one in passages], extractor="x")
                graph.synonyms.write_embeddings({f"e{i}": of_triples[i] for i in range(NAMES)})
                graph.registry.record(origin, collection="default", known=True)
                graph.corpus.delete_passages([one.id for one in passages])
                graph.registry.forget(source, collection="default")
    except Exception as error:
        failures.append(error)


def reads(gear, query):
    """Every read of a graph by its name."""
    graph = gear.graph
    ids = [f"{source}{i}" for source in "ab" for i in range(PASSAGES)]
    keys = [f"e{i}" for i in range(NAMES)]

    def nodes():
        return [one.id for one in graph.pagerank.named(keys).values()]

    def states():
        return graph.corpus.check_passages([Passage(id=id, title="T", text="x", source="a") for id in ids])

    def pairs():
        return [(one, other) for one in nodes()[:3] for other in nodes()[3:6]]

    return {
        "sources read": lambda: graph.registry.all("default"),
        "documents": lambda: graph.sources.of_documents(["a", "b"], collection="default"),
        "passages of a source": lambda: graph.sources.passage_ids("a", collection="default", limit=100),
        "passages": lambda: graph.store.passages(ids),
        "all passages": lambda: list(graph.store.all_passages()),
        "states": states,
        "triples": lambda: graph.corpus.triples_of(ids),
        "start triples": lambda: graph.store.start_triples(ids, query=query, limit=50),
        "nearest triples": lambda: graph.store.nearest_triples(query, k=20),
        "linked triples": lambda: graph.store.link_triples([query], query=query),
        "facts": lambda: list(graph.pagerank.facts()),
        "seeds": lambda: graph.pagerank.seeds(query, k=20),
        "linked names": lambda: graph.pagerank.link([("e1", query), ("e99", query)]),
        "names": lambda: graph.pagerank.named(keys),
        "nodes": lambda: list(graph.lexicon.every_node()),
        "named nodes": lambda: graph.lexicon.nodes(keys),
        "cosines": lambda: graph.pagerank.compare(ids, keys=keys, query=query),
        "embedded": lambda: list(graph.synonyms.embedded()),
        "edges": lambda: graph.edges.read(ids, nodes(), hub=100),
        "facts around": lambda: graph.neighbourhoods.around(nodes(), query=query, limit=20, most=200),
        "paths": lambda: graph.neighbourhoods.between(pairs(), query=query, hops=3, most=5),
        "entities": lambda: [graph.entities.record(node) for node in nodes()[:4]],
        "scout": lambda: gear.search("a 1 e3 e2", retriever="scout"),
        "base": lambda: gear.search("a 1 e3 e2", retriever="base"),
    }


def null_in(name, value):
    """Whether a result has a half value, or a null where ids, names or cosines are."""
    if name in ("documents", "passages of a source", "nearest triples"):
        return any(None in (one if isinstance(one, tuple) else (one,)) for one in value)
    if name == "facts":
        return any(passage is None for passage, _ in value)
    if name == "cosines":
        return any(None in (id, cosine, *names) for id, (cosine, names) in value.passages.items())
    return bool(halves(value))


@pytest.mark.one_server_line
@pytest.mark.usefixtures("database")
def test_what_is_deleted_during_a_read_is_left_out(server, embedder):
    failures, half = [], set()
    until = time.monotonic() + SECONDS
    writers = [
        threading.Thread(
            target=rewrite, args=(server, embedder), kwargs={"source": source, "until": until, "failures": failures}
        )
        for source in "ab"
    ]

    def read():
        try:
            with Gear.connect(server, embedder=embedder) as own:
                every = reads(own, embedder.embed(["a 1"])[0].tolist())
                while time.monotonic() < until:
                    half.update(name for name, one in every.items() if null_in(name, one()))
        except Exception as error:
            failures.append(error)

    threads = [*writers, threading.Thread(target=read), threading.Thread(target=read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ([], set()) == (failures, half)
