"""Cross-encoders of sentence-transformers: models that read a question and a passage together."""

from collections.abc import Sequence
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from gear_neo4j.errors import SettingsError
from gear_neo4j.models.loading import without_bars

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder as Model


@runtime_checkable
class Reranker(Protocol):
    """A model that scores how well passages fit a question."""

    @property
    def name(self) -> str:
        """The model's name."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The score of each question and passage, in order, higher is better: logits, not probabilities.

        Without pairs, the model is loaded, so that later calls take no longer than it reads.
        """


class CrossEncoder:
    """A cross-encoder of sentence-transformers, loaded when it is first needed; a :class:`Reranker`.

    Args:
        model: a name on the Hugging Face hub or a folder.

    Example:
        >>> CrossEncoder("cross-encoder/ms-marco-MiniLM-L12-v2").name
        'cross-encoder/ms-marco-MiniLM-L12-v2'
    """

    def __init__(self, model: str) -> None:
        self._name = model
        # The tokenizer has state: it fails if two threads use it at once.
        self._lock = RLock()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The score of each question and passage, in order; thread-safe.

        Raises:
            SettingsError: the model cannot be loaded, or returns classes.
        """
        from torch.nn import Identity

        with self._lock:
            model = self._model
            scores = model.predict(list(pairs), activation_fn=Identity(), show_progress_bar=False) if pairs else ()
        return [float(score) for score in scores]

    @cached_property
    def _model(self) -> "Model":
        from sentence_transformers import CrossEncoder as Model

        try:
            with without_bars():
                model: Model = Model(self._name)
        except (OSError, ValueError) as error:
            reason = str(error).strip().splitlines()[0]
            raise SettingsError(f"the cross-encoder {self._name!r} could not be loaded: {reason}") from error
        if model.num_labels != 1:
            raise SettingsError(f"the cross-encoder {self._name!r} returns classes, not a score: choose another one")
        return model
