"""Text to text: any LangChain chat model, with retries, a limit of concurrent calls, token counts and a cache."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

from tenacity import Retrying

from gear_neo4j.errors import ModelError, ReplyError, SettingsError
from gear_neo4j.models.cache import ReplyCache
from gear_neo4j.models.recording import record
from gear_neo4j.models.replies import Alternatives, reply_text, text_of, tokens_of, usage_of
from gear_neo4j.models.retries import error_line, may_pass, one_line, refuses_content, refuses_option, retrying
from gear_neo4j.models.streaming import Listener, ListenerError, OnToken, VisibleText, shown, without_thoughts
from gear_neo4j.models.traced import call_span, note_call
from gear_neo4j.usage import Usage, spend

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

T = TypeVar("T")

REPAIR = (
    "That reply cannot be used: {problem}\nReply again, in the required form only, with nothing before or after it."
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt for a model: the task (``system``, which may be empty), and the case at hand.

    ``schema`` is the JSON schema of the reply, if its form is fixed.
    """

    system: str
    user: str
    schema: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """A usable reply: its value, its text with all thoughts, its cost, and its time with all retries.

    ``tokens`` is set if the chat asks for log-probabilities and the model returns them.
    """

    value: T
    text: str
    usage: Usage
    milliseconds: float
    tokens: tuple[Alternatives, ...] = ()


@runtime_checkable
class ChatModel(Protocol):
    """The model that roles call: a :class:`Chat`, or the replay of a recorded run."""

    @property
    def name(self) -> str:
        """Its name in reports."""

    @property
    def concurrency(self) -> int:
        """Maximum number of concurrent requests."""

    def ask(self, prompt: Prompt, *, parse: Callable[[str], T], on_token: OnToken | None = None) -> Reply[T]:
        """The reply, parsed by ``parse``; raises ModelError, and ReplyError if no reply is usable."""


class Chat:
    """A language model: any LangChain chat model, with retries, a limit of concurrent calls, token counts and a cache.

    Threads may share it. The model should not retry by itself, or the waits multiply.

    Args:
        model: the model; build it with ``max_retries=0``.
        concurrency: maximum number of concurrent requests; those waiting for a retry do not count.
        patience: maximum total seconds to wait between the retries of a request.
        cache: a file for usable replies; created when needed, for this user only.
        logprobs: number of alternatives of each token to ask for, at most 20; such replies are not cached.
        secrets: texts to remove from messages, besides the keys of the model.
        sleep: waits a number of seconds between retries.

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
        secrets: Sequence[str] = (),
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if concurrency < 1:
            raise SettingsError(f"concurrency is {concurrency}: it must be 1 or more")
        if not 0 <= logprobs <= 20:
            raise SettingsError(f"logprobs is {logprobs}: it must be from 0 to 20")
        self._model = model
        self._options: dict[str, Any] = {"logprobs": True, "top_logprobs": logprobs} if logprobs else {}
        self._takes_schemas = True
        self.concurrency = concurrency
        self._slots = BoundedSemaphore(concurrency)
        self._patience = patience
        self._secrets = (*_secrets(model), *secrets)
        self._sleep = sleep
        self._cache = None if cache is None or logprobs else ReplyCache(cache, model)

    @property
    def name(self) -> str:
        """The model's name, or its class if it has none."""
        names = (getattr(self._model, attribute, None) for attribute in ("model_name", "model"))
        return next((name for name in names if isinstance(name, str) and name), type(self._model).__name__)

    def ask(self, prompt: Prompt, *, parse: Callable[[str], T], on_token: OnToken | None = None) -> Reply[T]:
        """Ask, and return the reply as parsed by ``parse``; if that raises ValueError, the model gets one more try.

        ``parse`` gets the reply without the model's thoughts. The second reply must follow the prompt's schema, if the
        server can enforce it; the first is free, because small models invent more if they are held to a form.

        Only replies that parse are cached. ``on_token`` gets the visible text of the first reply while it is written,
        or a cached reply in one piece; a reply after a failure or a repair is not streamed.

        Raises:
            ReplyError: the second reply was not usable either; its ``usage`` has the cost of both.
            ModelError: the model cannot be used, or failed for longer than ``patience``.
            SettingsError: the cache can no longer be used.
        """
        started = time.perf_counter()
        with call_span(self.name, system=prompt.system, user=prompt.user) as active:
            try:
                reply = self._reply(prompt, parse, Listener(on_token) if on_token else None)
            except ModelError as error:
                note_call(active, error.usage)
                if isinstance(error, ReplyError):
                    record(prompt.system, prompt.user, "", failure=str(error))
                raise
            note_call(active, reply.usage, text=reply.text)
        record(prompt.system, prompt.user, reply.text)
        return replace(reply, milliseconds=(time.perf_counter() - started) * 1000)

    def _reply(self, prompt: Prompt, parse: Callable[[str], T], listener: Listener | None) -> Reply[T]:
        messages = _messages(prompt)
        try:
            kept = self._from_cache(messages, parse, listener)
            return kept or self._from_model(messages, parse, listener, schema=prompt.schema)
        except ListenerError as stop:
            raise stop.error from None

    def _from_cache(
        self, messages: list["BaseMessage"], parse: Callable[[str], T], listener: Listener | None
    ) -> Reply[T] | None:
        text = self._cache.lookup(messages) if self._cache else None
        if text is None:
            return None
        try:
            reply = Reply(parse(without_thoughts(text)), text, Usage(cached=1), 0.0)
        except ValueError:
            # Another parser accepted this reply; send the request again, and cache a reply that this one accepts.
            return None
        if listener:
            listener.hand_on(shown(text))
        return reply

    def _from_model(
        self,
        messages: list["BaseMessage"],
        parse: Callable[[str], T],
        listener: Listener | None,
        *,
        schema: Mapping[str, Any] | None,
    ) -> Reply[T]:
        reply, usage = self._request(messages, spent=Usage(), listener=listener)
        try:
            value = parse(without_thoughts(reply_text(reply)))
        except ValueError as error:
            reply, usage = self._repaired([*messages, *_repair(reply, error)], spent=usage, schema=schema)
            try:
                value = parse(without_thoughts(reply_text(reply)))
            except ValueError as last:
                problem = f"the model {self.name} replied twice without a usable answer ({one_line(last)})"
                raise ReplyError(f"{problem}: try another GEAR_CHAT_MODEL", usage=usage) from last
        if self._cache:
            self._cache.update(messages, reply)
        return Reply(value, reply_text(reply), usage, 0.0, tokens_of(reply))

    def _repaired(
        self, messages: list["BaseMessage"], *, spent: Usage, schema: Mapping[str, Any] | None
    ) -> tuple["AIMessage", Usage]:
        if schema is None or not self._takes_schemas:
            return self._request(messages, spent=spent)
        form = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
        try:
            return self._request(messages, spent=spent, response_format=form)
        except ModelError as error:
            # A text that is refused says nothing about schemas.
            if isinstance(error, ReplyError) or error.__cause__ is None or may_pass(error.__cause__):
                raise
            # Learnt once: many servers and clients know no schemas, and each refuses them in its own way.
            self._takes_schemas = False
            return self._request(messages, spent=error.usage)

    def _request(
        self, messages: list["BaseMessage"], *, spent: Usage, listener: Listener | None = None, **options: Any
    ) -> tuple["AIMessage", Usage]:
        attempts = retrying(patience=self._patience, sleep=self._sleep)
        try:
            reply = attempts(self._invoke, messages, listener, **options)
        except Exception as error:
            if refuses_option(error, "temperature") and getattr(self._model, "temperature", None) is not None:
                # Learnt once: models that reason take no temperature.
                self._model = self._model.model_copy(update={"temperature": None})
                return self._request(messages, spent=spent + _retries(attempts), listener=listener, **options)
            line = error_line(error, model=self.name, attempts=attempts, secrets=self._secrets)
            # A text that a server refuses says nothing about the next one.
            kind = ReplyError if refuses_content(error) else ModelError
            raise kind(line, usage=spent + _retries(attempts)) from error
        usage = usage_of(messages, reply)
        spend(usage)
        return reply, spent + _retries(attempts) + usage

    def _invoke(self, messages: list["BaseMessage"], listener: Listener | None, **options: Any) -> "AIMessage":
        with self._slots:
            if listener and not listener.done:
                try:
                    return self._stream(messages, listener)
                except Exception as error:
                    if may_pass(error):
                        raise
                    # A server that does not stream may still reply in one piece.
                    listener.done = True
            return self._model.invoke(messages, **self._options, **options)

    def _stream(self, messages: list["BaseMessage"], listener: Listener) -> "AIMessage":
        from langchain_core.messages import message_chunk_to_message

        # Only models with a field of this name know the option; without it, a stream may not report its tokens.
        counted: dict[str, Any] = {"stream_usage": True} if "stream_usage" in type(self._model).model_fields else {}
        visible, chunks = VisibleText(), list[Any]()
        for chunk in self._model.stream(messages, **self._options, **counted):
            chunks.append(chunk)
            listener.hand_on(visible.feed(text_of(chunk)))
        listener.hand_on(visible.end())
        reply: AIMessage = message_chunk_to_message(reduce(add, chunks))  # type: ignore[assignment]
        return reply


def _retries(attempts: Retrying) -> Usage:
    return Usage(retries=attempts.statistics.get("attempt_number", 1) - 1)


def _secrets(model: "BaseChatModel") -> list[str]:
    values = (getattr(model, name) for name in type(model).model_fields)
    return [value.get_secret_value() for value in values if hasattr(value, "get_secret_value")]


def _messages(prompt: Prompt) -> list["BaseMessage"]:
    # LangChain takes half a second to import, so commands that call no model must not import it.
    from langchain_core.messages import HumanMessage, SystemMessage

    task = [SystemMessage(prompt.system)] if prompt.system else []
    return [*task, HumanMessage(prompt.user)]


def _repair(reply: "AIMessage", error: ValueError) -> list["BaseMessage"]:
    from langchain_core.messages import AIMessage, HumanMessage

    # Some servers refuse empty messages.
    refused = AIMessage(without_thoughts(reply_text(reply)).strip() or "(nothing)")
    return [refused, HumanMessage(REPAIR.format(problem=one_line(error) or "it has not the required form"))]
