"""Uploads for tests: services that accept documents, and jobs awaited by their events, as a client would."""

import json
import threading

from tests.fake_embedder import FakeEmbedder
from tests.web import events_in

PATIENCE = 120


def lines(*rows):
    """A file of JSONL."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def send(client, files, *, triples=(), headers=None, **fields):
    """Send files {name: content}; returns the response."""
    parts = [("files", (name, content)) for name, content in dict(files).items()]
    parts += [("triples", (name, content)) for name, content in dict(triples).items()]
    return client.post("/api/documents", files=parts, data=fields, headers=headers)


def ended(client, response, *, headers=None):
    """The job of an accepted request once it has ended, from its last event."""
    assert response.status_code == 202, response.text
    stream = client.get(f"{response.headers['location']}/events", headers=headers)
    *_, (name, data) = events_in(stream.text)
    assert name == "end"
    return json.loads(data)


def ingested(client, files, *, headers=None, **fields):
    """Send files, and wait for the end of their job."""
    return ended(client, send(client, files, headers=headers, **fields), headers=headers)


class Gated(FakeEmbedder):
    """The fast embedding model, which waits at texts with a certain word until a test releases it."""

    def __init__(self, word="gate"):
        self.word = word
        self.waits, self.released = threading.Event(), threading.Event()
        self.embedded = []

    def embed(self, texts):
        if any(self.word in text for text in texts):
            self.waits.set()
            assert self.released.wait(PATIENCE)
        self.embedded.extend(texts)
        return super().embed(texts)


def corpus(size, *, gate=None):
    """A file of passages, one of which contains the word at which the model waits."""
    return lines(*({"id": f"p{n}", "text": f"text {n}" + (" gate" if n == gate else "")} for n in range(size)))
