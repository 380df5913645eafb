"""Text to text: any LangChain chat model, with retries, a limit of concurrent calls, token counts and a cache."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tenacity import Retrying

from gear_neo4j.errors import ModelError, ReplyError, SettingsError
from gear_neo4j.models.cache import ReplyCache
from gear_neo4j.models.retries import explained, one_line, retrying
from gear_neo4j.usage import Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

T = TypeVar("T")

REPAIR = (
    "That reply cannot be used: {problem}\nReply again, in the required form only, with nothing before or after it."
)
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: its task (``system``, which may be empty), and the case at hand."""

    system: str
    user: str


@dataclass(frozen=True, slots=True)
class Alternatives:
    """A token of a reply, and the probabilities of the tokens that could have stood there, itself among them."""

    token: str
    others: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """A usable reply: its value, the text that was parsed, what it cost, and how long it took with all retries.

    ``tokens`` are there where the chat asks for log-probabilities, and the model gives them.
    """

    value: T
    text: str
    usage: Usage
    milliseconds: float
    tokens: tuple[Alternatives, ...] = ()


class Chat:
    """A language model: any LangChain chat model, with retries, a limit of concurrent calls, token counts and a cache.

    Threads may share it. The model should not retry by itself, or two patiences multiply.

    Args:
        model: the model; build it with ``max_retries=0``.
        concurrency: the most requests in flight at once; a wait between retries counts as none.
        patience: the most seconds of waiting between the retries of one request.
        cache: a file for the replies that could be used; made when needed, for this user only.
        logprobs: how many alternatives of each token to ask for, at most 20; replies with them are not cached.
        sleep: waits the seconds between retries.

    Raises:
        SettingsError: ``concurrency`` is less than 1, or the cache cannot be used.

    Example:
        >>> from langchain_core.language_models import FakeListChatModel
        >>> chat = Chat(FakeListChatModel(responses=["about 7", "7"]))
        >>> reply = chat.ask(Prompt("Answer with a number.", "How many days has a week?"), parse=int)
        >>> reply.value, reply.usage.calls
        (7, 2)
    """

    def __init__(
        self,
        model: "BaseChatModel",
        *,
        concurrency: int = 4,
        patience: float = 60.0,
        cache: Path | None = None,
        logprobs: int = 0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if concurrency < 1:
            raise SettingsError(f"concurrency is {concurrency}: it must be 1 or more")
        if not 0 <= logprobs <= 20:
            raise SettingsError(f"logprobs is {logprobs}: it must be from 0 to 20")
        self._model = model
        self._asked: dict[str, Any] = {"logprobs": True, "top_logprobs": logprobs} if logprobs else {}
        self.concurrency = concurrency
        self._slots = BoundedSemaphore(concurrency)
        self._patience = patience
        self._sleep = sleep
        self._cache = None if cache is None or logprobs else ReplyCache(cache, model)

    @property
    def name(self) -> str:
        """The model's name, or its class where it has none."""
        names = (getattr(self._model, attribute, None) for attribute in ("model_name", "model"))
        return next((name for name in names if isinstance(name, str) and name), type(self._model).__name__)

    def ask(self, prompt: Prompt, *, parse: Callable[[str], T]) -> Reply[T]:
        """Ask, and give back what ``parse`` makes of the reply; where it raises ValueError the model may try once more.

        Only a reply that parses is kept in the cache.

        Raises:
            ReplyError: the second reply could not be used either; its ``usage`` says what both cost.
            ModelError: the model cannot be used, or failed for longer than ``patience``.
            SettingsError: the cache can no longer be used.
        """
        started = time.perf_counter()
        messages = _messages(prompt)
        reply = self._remembered(messages, parse) or self._answered(messages, parse)
        return replace(reply, milliseconds=(time.perf_counter() - started) * 1000)

    def _remembered(self, messages: list["BaseMessage"], parse: Callable[[str], T]) -> Reply[T] | None:
        text = self._cache.lookup(messages) if self._cache else None
        if text is None:
            return None
        try:
            return Reply(parse(text), text, Usage(cached=1), 0.0)
        except ValueError:
            # It was kept for a parser that took it; ask again, and keep what this one takes.
            return None

    def _answered(self, messages: list["BaseMessage"], parse: Callable[[str], T]) -> Reply[T]:
        reply, usage = self._request(messages, spent=Usage())
        try:
            value = parse(_text(reply))
        except ValueError as error:
            reply, usage = self._request([*messages, *_repair(reply, error)], spent=usage)
            try:
                value = parse(_text(reply))
            except ValueError as last:
                told = f"the model {self.name} replied twice with nothing that can be used ({one_line(last)})"
                raise ReplyError(f"{told}: try another GEAR_CHAT_MODEL", usage=usage) from last
        if self._cache:
            self._cache.update(messages, reply)
        return Reply(value, _text(reply), usage, 0.0, _tokens(reply))

    def _request(self, messages: list["BaseMessage"], *, spent: Usage) -> tuple["AIMessage", Usage]:
        attempts = retrying(patience=self._patience, sleep=self._sleep)
        try:
            reply = attempts(self._invoke, messages)
        except Exception as error:
            line = explained(error, model=self.name, attempts=attempts, secrets=_secrets(self._model))
            raise ModelError(line, usage=spent + _retries(attempts)) from error
        return reply, spent + _retries(attempts) + _usage(messages, reply)

    def _invoke(self, messages: list["BaseMessage"]) -> "AIMessage":
        with self._slots:
            return self._model.invoke(messages, **self._asked)


def _retries(attempts: Retrying) -> Usage:
    return Usage(retries=attempts.statistics["attempt_number"] - 1)


def _secrets(model: "BaseChatModel") -> list[str]:
    values = (getattr(model, name) for name in type(model).model_fields)
    return [value.get_secret_value() for value in values if hasattr(value, "get_secret_value")]


def _messages(prompt: Prompt) -> list["BaseMessage"]:
    # LangChain takes half a second to import: commands that ask no model must not pay for it.
    from langchain_core.messages import HumanMessage, SystemMessage

    task = [SystemMessage(prompt.system)] if prompt.system else []
    return [*task, HumanMessage(prompt.user)]


def _repair(reply: "AIMessage", error: ValueError) -> list["BaseMessage"]:
    from langchain_core.messages import AIMessage, HumanMessage

    # Some servers refuse a message without text.
    said = AIMessage(_text(reply).strip() or "(nothing)")
    return [said, HumanMessage(REPAIR.format(problem=one_line(error) or "it has not the required form"))]


def _text(message: "BaseMessage") -> str:
    return str(message.text)


def _tokens(reply: "AIMessage") -> tuple[Alternatives, ...]:
    """The tokens of a reply in OpenAI's form; none where a server gives them in another, or not at all."""
    told = reply.response_metadata.get("logprobs")
    tokens = told.get("content") if isinstance(told, dict) else None
    try:
        return tuple(
            Alternatives(one["token"], {other["token"]: math.exp(other["logprob"]) for other in one["top_logprobs"]})
            for one in tokens or ()
        )
    except (KeyError, TypeError, OverflowError):
        return ()


def _usage(messages: Sequence["BaseMessage"], reply: "AIMessage") -> Usage:
    told = reply.usage_metadata
    if told and told["input_tokens"]:
        return Usage(calls=1, input_tokens=told["input_tokens"], output_tokens=told["output_tokens"])
    paid = sum(len(_text(message)) for message in messages)
    return Usage(calls=1, input_tokens=_estimate(paid), output_tokens=_estimate(len(_text(reply))), estimated=True)


def _estimate(characters: int) -> int:
    return math.ceil(characters / CHARACTERS_PER_TOKEN)
