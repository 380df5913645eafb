"""Embeddings from a server with OpenAI's protocol, such as vLLM, Ollama and many others."""

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gear_neo4j.errors import ModelError, SettingsError
from gear_neo4j.models.retries import NO_KEY, Knobs, error_line, refuses_size, retrying
from gear_neo4j.text.address import Address

if TYPE_CHECKING:
    from openai import OpenAI

Vectors = npt.NDArray[np.float32]
BATCH = 128
TIMEOUT = 60.0
PATIENCE = 120.0
KNOBS = Knobs(
    model="GEAR_EMBEDDING_MODEL", url="GEAR_EMBEDDING_URL", key="GEAR_EMBEDDING_KEY", timeout="GEAR_EMBEDDING_TIMEOUT"
)


class RemoteEmbedder:
    """An embedding model at ``POST url/embeddings``, with retries for temporary failures.

    Args:
        model: its name on the server, which is also recorded in the database.
        url: the address of the server, usually ending in ``/v1``; a login in it is sent with each request.
        key: its API key, if it needs one.
        timeout: seconds per request.
        batch_size: texts per request.
        patience: maximum seconds to wait between retries while the server fails.

    Raises:
        SettingsError: no model is named, or the URL cannot be used.
        ModelError: on use; the server cannot be used, or returns invalid vectors.

    Example:
        >>> RemoteEmbedder("text-embedding-3-small", url="http://127.0.0.1:9/v1").name
        'text-embedding-3-small'
    """

    def __init__(
        self,
        model: str | None,
        *,
        url: str,
        key: str | None = None,
        timeout: float = TIMEOUT,
        batch_size: int = BATCH,
        patience: float = PATIENCE,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._address = Address.of(url, setting=KNOBS.url)
        if not model:
            raise SettingsError(
                f"GEAR_EMBEDDING_URL is {self._address.url}, and no model is named: set GEAR_EMBEDDING_MODEL"
            )
        self.name = model
        self._key = key
        self._timeout = timeout
        self._batch_size = batch_size
        self._patience = patience
        self._sleep = sleep

    @cached_property
    def dimension(self) -> int:
        """The length of each vector; costs one request to the server."""
        return int(self._request(["dimension"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order: shape (len(texts), dimension), float32, each of length 1.

        Raises:
            ModelError: the server cannot be used, or returns invalid vectors.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        parts: list[Vectors] = []
        start = 0
        while start < len(texts):
            batch = texts[start : start + self._batch_size]
            try:
                parts.append(self._request(batch))
                start += len(batch)
            except _TooManyTexts:
                # Learnt once: some servers take ten texts at a time.
                self._batch_size = len(batch) // 2
        return np.concatenate(parts)

    def _request(self, texts: Sequence[str]) -> Vectors:
        # Servers refuse empty texts.
        inputs = [text.encode("utf-8", "replace").decode("utf-8") or " " for text in texts]
        attempts = retrying(patience=self._patience, sleep=self._sleep)
        try:
            rows = attempts(self._vectors, inputs)
        except SettingsError:
            raise
        except Exception as error:
            if len(texts) > 1 and refuses_size(error):
                raise _TooManyTexts from error
            login = self._address.login
            secrets = [self._key or "", *(login.secrets if login else ())]
            line = error_line(error, model=self.name, attempts=attempts, secrets=secrets, knobs=KNOBS)
            raise ModelError(line) from error
        return self._normalise(rows, len(texts))

    def _vectors(self, inputs: list[str]) -> list[Sequence[float]]:
        """The vectors in the order of the texts: each has the index of its text, and a server may send any first."""
        rows = self._client.embeddings.create(model=self.name, input=inputs).data or []
        if sorted(row.index for row in rows) == list(range(len(rows))):
            rows = sorted(rows, key=lambda row: row.index)
        return [row.embedding or () for row in rows]

    def _normalise(self, rows: Sequence[Sequence[float]], count: int) -> Vectors:
        lengths = {len(row) for row in rows}
        if len(rows) != count or len(lengths) != 1:
            raise ModelError(f"the model {self.name} sent {len(rows)} vectors of lengths {sorted(lengths)} for {count}")
        vectors = np.asarray(rows, dtype=np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(vectors)) or not np.all(norms > 0):
            raise ModelError(f"the model {self.name} sent a zero vector")
        return np.asarray(vectors / norms, dtype=np.float32)

    @cached_property
    def _client(self) -> "OpenAI":
        # The client takes a second to import, so commands that embed nothing must not import it.
        from openai import OpenAI

        from gear_neo4j.models.http_client import open_client

        return OpenAI(
            base_url=self._address.url,
            api_key=self._key or NO_KEY,
            max_retries=0,
            timeout=self._timeout,
            http_client=open_client(self._address.url, seconds=self._timeout, login=self._address.login),
        )


class _TooManyTexts(Exception):
    """A server refuses so many texts in one request."""
