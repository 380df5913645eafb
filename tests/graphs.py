"""Small graphs for tests, ingested as a user would, and searched with the test's own driver."""

import json
from contextlib import contextmanager

import neo4j

from gear_neo4j import Gear, Hit, Hits, Passage
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.pipeline import Ingest


def ingest(database, embedder, folder, passages, triples=()):
    """Ingest passages {id: text} and triples (passage, s, p, o); with None for triples, only passages."""
    corpus = [json.dumps({"id": id, "title": f"title {id}", "text": text}) for id, text in passages.items()]
    (folder / "corpus.jsonl").write_text("\n".join(corpus) + "\n")
    if triples is None:
        Ingest(Graph(database), embedder).run([folder / "corpus.jsonl"], [])
        return
    facts = {id: [] for id in passages}
    for passage, *fact in triples:
        facts[passage].append(fact)
    (folder / "triples.jsonl").write_text(
        "\n".join(json.dumps({"id": id, "triples": some}) for id, some in facts.items()) + "\n"
    )
    Ingest(Graph(database), embedder).run([folder / "corpus.jsonl"], [folder / "triples.jsonl"])


class Fixed:
    """A third party's retriever."""

    def retrieve(self, question, *, k=10):
        passage = Passage("p", "Title", "Text", source="corpus.jsonl", position="line 12")
        return Hits(question, "fixed", (Hit(passage, 0.5, 1),)[:k])


@contextmanager
def opened(server, embedder, *, uri=None, chat=None, reranker=None, **options):
    """A Gear over the test's own driver, with options for it."""
    with neo4j.GraphDatabase.driver(uri or server.uri, auth=(server.username, server.password), **options) as driver:
        yield Gear(driver, database=server.database, embedder=embedder, chat=chat, reranker=reranker)
