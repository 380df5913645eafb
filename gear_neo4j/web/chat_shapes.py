"""OpenAI's Chat Completions: the fields used here, and the chunks of an answer."""

import time
from collections.abc import Iterator
from typing import Annotated, Any, Literal
from uuid import uuid4

from pydantic import BaseModel, Field

from gear_neo4j.agents.answer import NOT_CITED, Answer
from gear_neo4j.agents.run import Event
from gear_neo4j.errors import InputError
from gear_neo4j.roles.citations import markers
from gear_neo4j.roles.follow_up import Turn
from gear_neo4j.text.printable import printable, single_line
from gear_neo4j.usage import Usage
from gear_neo4j.web.chat_messages import SOURCES, Lenient, Message, as_one_text, is_task, turns_of
from gear_neo4j.web.options import LONGEST_QUESTION
from gear_neo4j.wire import passage_url

PREFIX = "gear-"
NO_ANSWER = "The retrieved passages do not answer this."
UNGROUNDED = "No passage read supports this answer."
_PIECE = 24


class StreamOptions(Lenient):
    """Options of a stream: whether it ends with the usage."""

    include_usage: bool = False


class ChatBody(Lenient):
    """A conversation; the user's last message is the question.

    With ``include_reasoning``, a stream has the steps before the answer.
    """

    model: Annotated[str, Field(max_length=200)]
    messages: Annotated[list[Message], Field(min_length=1, max_length=1_000)]
    stream: bool = False
    stream_options: StreamOptions = StreamOptions()
    include_reasoning: bool = True

    @property
    def is_task(self) -> bool:
        """Whether it is no question, but a request of the client itself, such as one for a title.

        A conversation that ends with an instruction to the system is one, too.
        """
        return self.messages[-1].role in ("system", "developer") or is_task(self._last)

    @property
    def question(self) -> str:
        """The user's last message.

        Raises:
            InputError: there is none, or it is too long.
        """
        text = self._last
        if not text.strip():
            raise InputError("messages contain no text by the user: send the question as the last one")
        if len(text) > LONGEST_QUESTION and not self.is_task:
            raise InputError(f"the question has {len(text)} characters: send at most {LONGEST_QUESTION}")
        return text

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The earlier questions of the user, each with what was answered, oldest first."""
        return turns_of(self.messages)

    @property
    def task(self) -> str:
        """The whole conversation as one text."""
        return as_one_text(self.messages)

    @property
    def _last(self) -> str:
        return next((message.text for message in reversed(self.messages) if message.role == "user"), "")


class Model(BaseModel):
    """A model, which is an agent."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "gear-neo4j"


class Models(BaseModel):
    """All models."""

    object: Literal["list"] = "list"
    data: list[Model]


class Completion(BaseModel):
    """A whole answer, in OpenAI's shape."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, int]


class ChatError(BaseModel):
    """An error in OpenAI's shape; `code` is that of a problem."""

    message: str
    type: str
    code: str
    request_id: str


class ChatFailure(BaseModel):
    """A response with an error, in OpenAI's shape."""

    error: ChatError


class ChatWriter:
    """Writes one answer in OpenAI's shape, whole or in chunks.

    Args:
        public_url: the base address of passages.
        without_text: what stands for an answer without a text.
    """

    def __init__(self, model: str, *, public_url: str, without_text: str = NO_ANSWER) -> None:
        self._id = f"chatcmpl-{uuid4().hex}"
        self._created = int(time.time())
        self._model = model
        self._public_url = public_url
        self._without_text = without_text

    def whole(self, answer: Answer) -> dict[str, Any]:
        """The answer as one document."""
        message = {
            "role": "assistant",
            "content": self._text(answer),
            "refusal": None,
            "annotations": self._annotations(answer),
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return self._head("chat.completion") | {"choices": [choice], "usage": usage_json(answer.total)}

    def opening(self) -> dict[str, Any]:
        """The first chunk, which can be sent before the answer exists."""
        return self._chunk({"role": "assistant", "content": ""})

    def reasoning(self, text: str) -> dict[str, Any]:
        """A chunk with a step, which clients show apart from the answer."""
        return self._chunk({"reasoning_content": printable(text)})

    def chunks(self, answer: Answer, *, usage: bool) -> Iterator[dict[str, Any]]:
        """The chunks after the first one; with ``usage``, a final one for it."""
        text = self._text(answer)
        for start in range(0, len(text), _PIECE):
            yield self._chunk({"content": text[start : start + _PIECE]})
        if annotations := self._annotations(answer):
            yield self._chunk({"annotations": annotations})
        yield self._chunk({}, finish="stop")
        if usage:
            yield self._head("chat.completion.chunk") | {"choices": [], "usage": usage_json(answer.total)}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._model}

    def _chunk(self, delta: dict[str, Any], *, finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return self._head("chat.completion.chunk") | {"choices": [choice]}

    def _text(self, answer: Answer) -> str:
        """The answer with a footer of its sources, for clients that drop annotations."""
        lines = [f"[{marker}] {title} ({url}){note}" for marker, title, url, note in self._sources(answer)]
        text = printable(answer.text) or self._without_text
        if answer.text and not answer.grounded:
            lines.append(UNGROUNDED)
        return "\n".join([text, "", SOURCES, *lines]) if lines else text

    def _annotations(self, answer: Answer) -> list[dict[str, Any]]:
        text = printable(answer.text)
        return [
            {"type": "url_citation", "url_citation": {"url": url, "title": title, **_span(text, marker)}}
            for marker, title, url, _ in self._sources(answer)
        ]

    def _sources(self, answer: Answer) -> Iterator[tuple[str, str, str, str]]:
        """The marker, title and address of each cited passage, and a note if the model did not cite it."""
        for citation in answer.citations:
            if passage := citation.passage:
                url = passage_url(passage, public_url=self._public_url)
                note = f': "{single_line(citation.sentence)}" {NOT_CITED}' if citation.sentence else ""
                yield citation.marker, single_line(passage.title or passage.id), url, note


def step_text(event: Event) -> str:
    """A step in words, on lines of its own; empty if there is nothing to tell.

    Example:
        >>> step_text(Event("question", 2, "Where is Edinburgh?"))
        'Step 2: Where is Edinburgh?\\n'
        >>> from gear_neo4j.domain import Fact
        >>> step_text(Event("facts", 2, "Scotland", facts=(Fact("Edinburgh", "is in", "Scotland"),)))
        'Read: Scotland\\nEdinburgh —is in→ Scotland\\n'
    """
    match event.kind:
        case "question":
            lines = [f"Step {event.step}: {event.text}"]
        case "facts":
            lines = [*([f"Read: {event.text}"] if event.text else []), *map(str, event.facts)]
        case "verdict" | "failure":
            lines = [event.text] if event.text else []
        case _:
            lines = []
    return "".join(f"{single_line(line)}\n" for line in lines)


def usage_json(usage: Usage) -> dict[str, int]:
    """Tokens in OpenAI's shape."""
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.tokens,
    }


def _span(text: str, marker: str) -> dict[str, int]:
    """The first citation of a source: its number, with the brackets if they contain no other number.

    The span of a source without a marker is the whole text.

    Example:
        >>> _span("Scotland [2].", "2"), _span("Scotland [1, 2].", "2")
        ({'start_index': 9, 'end_index': 12}, {'start_index': 13, 'end_index': 14})
    """
    first = next((one for one in markers(text) if one.label == marker), None)
    start, end = (first.start, first.end) if first else (0, len(text))
    is_alone = first and text[start - 1] == "[" and text[end] == "]"
    return {"start_index": start - 1, "end_index": end + 1} if is_alone else {"start_index": start, "end_index": end}
