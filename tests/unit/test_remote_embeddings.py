"""Embeddings from a server: a real client over loopback, and the errors of such servers."""

import numpy as np
import pytest

from gear_neo4j.errors import ModelError, SettingsError
from gear_neo4j.models.embeddings import SentenceTransformerEmbedder, open_embedder
from gear_neo4j.models.remote_embeddings import RemoteEmbedder
from gear_neo4j.settings import Settings
from tests.scripted_server import Fault, Refusal, ScriptedServer


def numbered(texts):
    """Each text as its length and its index; never a vector of length 1."""
    return [[float(len(text)), float(index), 3.0] for index, text in enumerate(texts)]


def served(vectors=numbered, **options):
    return ScriptedServer(lambda messages: "", vectors=vectors, **options)


def embedder(server, **options):
    return RemoteEmbedder("toy", url=server.url, sleep=lambda _seconds: None, **options)


def test_texts_become_rows_of_length_one_in_their_order():
    """Over several requests, and for an empty or invalid text."""
    texts = ["a", "", "ccc", "dddd", "\udce9"]
    with served() as server:
        found = embedder(server, batch_size=2).embed(texts)
        sent = [body["input"] for body in server.requests]

    expected = np.array([[1, 0, 3], [1, 1, 3], [3, 0, 3], [4, 1, 3], [1, 0, 3]], dtype=np.float32)
    assert (5, 3) == found.shape
    assert np.float32 == found.dtype
    assert expected / np.linalg.norm(expected, axis=1, keepdims=True) == pytest.approx(found)
    assert [["a", " "], ["ccc", "dddd"], ["?"]] == sent


def test_the_dimension_is_asked_for_once_and_nothing_for_no_texts():
    """A search needs it before anything is embedded."""
    with served() as server:
        model = embedder(server)
        assert (3, 3, (0, 3)) == (model.dimension, model.dimension, model.embed([]).shape)
        assert 1 == len(server.requests)


@pytest.mark.parametrize("fault", [Fault.RATE_LIMIT, Fault.SERVER_ERROR, Fault.RESET, 503])
def test_what_may_pass_is_tried_again(fault):
    """Two failures, then a reply: the caller sees no error."""
    with served(fault=lambda number, texts: fault if number < 3 else None) as server:
        assert (1, 3) == embedder(server).embed(["text"]).shape
        assert 3 == len(server.requests)


@pytest.mark.parametrize(
    ("fault", "advice"),
    [(401, "GEAR_EMBEDDING_KEY"), (404, "GEAR_EMBEDDING_URL"), (400, "texts this long"), (500, "try again later")],
)
def test_what_does_not_pass_is_one_line_with_what_to_do(fault, advice):
    """It names the settings of embeddings, and never the key."""
    with served(fault=lambda number, texts: fault) as server, pytest.raises(ModelError, match=advice) as caught:
        embedder(server, key="secret-key", patience=3).embed(["text"])

    assert "secret-key" not in str(caught.value)
    assert 1 == len(str(caught.value).splitlines())


@pytest.mark.parametrize(
    ("vectors", "told"),
    [
        (lambda texts: [[1.0]], "1 vectors"),
        (lambda texts: [[1.0], [1.0, 2.0]], "lengths"),
        (lambda texts: [[0.0, 0.0]] * len(texts), "a zero vector"),
    ],
)
def test_what_are_no_vectors_is_refused(vectors, told):
    """Once stored, they would match nothing, or everything."""
    with served(vectors) as server, pytest.raises(ModelError, match=told):
        embedder(server).embed(["one", "two"])


def test_a_server_that_takes_too_long_is_an_error_that_names_the_setting():
    """After the whole patience."""
    slow = served(fault=lambda number, texts: Fault.SLOW, slow=5)
    with slow as server, pytest.raises(ModelError, match="GEAR_EMBEDDING_TIMEOUT"):
        embedder(server, timeout=0.2, patience=0.1).embed(["text"])


def test_the_settings_choose_between_server_and_package():
    """A server without a model is refused; the chat model's key is not sent to it."""
    given = {"GEAR_EMBEDDING_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "secret"}

    with pytest.raises(SettingsError, match="GEAR_EMBEDDING_MODEL"):
        open_embedder(Settings.load(given))
    assert Settings.load(given).embedding_key is None
    assert isinstance(open_embedder(Settings.load(given | {"GEAR_EMBEDDING_MODEL": "toy"})), RemoteEmbedder)
    assert isinstance(open_embedder(Settings.load({})), SentenceTransformerEmbedder)


def test_vectors_belong_to_their_texts_in_whatever_order_they_come():
    """Each row has the index of its text."""
    texts = ["a", "bb", "ccc"]
    with served() as server:
        right = embedder(server).embed(texts)
    with served(fault=lambda number, asked: Fault.SHUFFLED) as server:
        mixed = embedder(server).embed(texts)

    assert right == pytest.approx(mixed)


def test_a_text_without_a_vector_is_an_error_of_one_line():
    """Nothing else could be stored with it."""
    with (
        served(fault=lambda number, asked: Fault.NO_VECTOR) as server,
        pytest.raises(ModelError, match="2 vectors of lengths") as caught,
    ):
        embedder(server).embed(["a", "b"])

    assert 1 == len(str(caught.value).splitlines())


@pytest.mark.parametrize("status", [400, 413, 422])
def test_how_many_texts_a_server_takes_is_learnt_once(status):
    """Half as many until they are taken; later requests begin with that number."""
    refusal = Refusal(status, {"message": "batch size is invalid, it should not be larger than 10", "code": "x"})
    with served(fault=lambda number, texts: refusal if len(texts) > 10 else None) as server:
        model = embedder(server)
        first = model.embed([f"text {number}" for number in range(45)])
        again = model.embed(["x"] * 20)
        sizes = [len(body["input"]) for body in server.requests]

    assert ((45, 3), (20, 3)) == (first.shape, again.shape)
    assert [45, 22, 11, 5] == sizes[:4]
    assert {5} == set(sizes[4:])


def test_a_proxy_that_needs_a_library_is_named_unless_the_server_needs_no_proxy(monkeypatch):
    """The client would open it even for a server that is reached without one."""
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with served() as server:
        assert (1, 3) == embedder(server).embed(["a"]).shape
        monkeypatch.delenv("NO_PROXY")
        with pytest.raises(SettingsError, match="httpx.socks.*NO_PROXY"):
            embedder(server).embed(["a"])
