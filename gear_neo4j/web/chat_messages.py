"""The messages that chat clients send: earlier turns of a conversation, and requests that are no question."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from gear_neo4j.models.streaming import without_thoughts
from gear_neo4j.roles.follow_up import Turn
from gear_neo4j.web.options import LONGEST_QUESTION

# The heading of the sources below an answer, which is no part of it.
SOURCES = "Sources:"
# Beyond this, the middle of a task is left out: its instructions stand first, what was said last at the end.
LONGEST_TASK = 16_000
# What Open WebUI begins its requests for titles, tags, follow-ups and queries with.
_TASK = re.compile(r"\s*#{1,4} ?task\b", re.IGNORECASE)
# LibreChat, LobeChat, NextChat and others ask for titles in words of their own.
_COMMAND = re.compile(
    r"\W*(?:please )?(?:generate|provide|write|create|suggest|give|analy[sz]e|summari[sz]e|based on)\b", re.IGNORECASE
)
_TITLE = re.compile(r"\b(?:titles?|tags?|name|follow-?ups?)\b", re.IGNORECASE)
_CONVERSATION = re.compile(r"\b(?:conversation|chat|dialog(?:ue)?|discussion)\b", re.IGNORECASE)
_FORM = re.compile(r"\b(?:concise|brief|short|words?|word-or-less|characters|json|broad)\b", re.IGNORECASE)
_HEAD = 400
LONGEST_ANSWER = 20_000


class Lenient(BaseModel):
    """A shape that clients fill in their own ways: with fields of no meaning here, such as a temperature, and nulls."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        return {name: value for name, value in values.items() if value is not None}


class Part(Lenient):
    """A part of a message; only text is used."""

    type: str = ""
    text: str = ""


class Message(Lenient):
    """A message of a conversation."""

    role: str
    content: str | list[Part | str] = ""

    @property
    def text(self) -> str:
        """Its text."""
        if isinstance(self.content, str):
            return self.content
        parts = (part if isinstance(part, str) else part.text for part in self.content)
        return "\n".join(filter(None, parts))


def is_task(text: str) -> bool:
    """Whether a message is a client's request for a title, tags or the like.

    Example:
        >>> is_task("### Task:\\nGenerate 1-3 broad tags for the chat.")
        True
        >>> is_task("Provide a concise, 5-word-or-less title for the conversation.")
        True
        >>> is_task("Give me the title of the book that Ines Falk wrote.")
        False
    """
    head = text[:_HEAD]
    return bool(_TASK.match(head)) or (
        bool(_COMMAND.match(head)) and all(part.search(head) for part in (_TITLE, _CONVERSATION, _FORM))
    )


def turns_of(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """The questions before the last one with their answers, without thoughts and footers of sources.

    Example:
        >>> said = ["Who built it?", "Ines Falk [1].\\n\\nSources:\\n[1] Bridge (http://127.0.0.1)", "When?"]
        >>> turns_of([Message(role=role, content=text) for role, text in zip(("user", "assistant", "user"), said)])
        (Turn(question='Who built it?', answer='Ines Falk [1].'),)
    """
    turns: list[Turn] = []
    for message in _before_the_last_question(messages):
        text = message.text.strip()
        if message.role == "user" and text and not is_task(text):
            turns.append(Turn(text[:LONGEST_QUESTION]))
        elif message.role == "assistant" and text and turns:
            turns[-1] = turns[-1]._replace(answer=_answer(text[:LONGEST_ANSWER])[:LONGEST_QUESTION])
    return tuple(turns)


def as_one_text(messages: Sequence[Message]) -> str:
    """A conversation as one text, for a model that gets a single message; of a long one, its beginning and end.

    Example:
        >>> print(as_one_text([Message(role="user", content="Who?"), Message(role="system", content="Summarise.")]))
        User: Who?
        <BLANKLINE>
        Summarise.
    """
    *before, last = [message for message in messages if message.text.strip()]
    said = "\n".join(f"{message.role.capitalize()}: {message.text}" for message in before)
    return shortened(f"{said}\n\n{last.text}" if said else last.text)


def shortened(text: str, *, most: int = LONGEST_TASK) -> str:
    """A text of at most about ``most`` characters: a longer one without its middle.

    Example:
        >>> shortened("abcdefgh", most=4)
        'ab\\n…\\ngh'
    """
    return text if len(text) <= most else f"{text[: most // 2]}\n…\n{text[-(most // 2) :]}"


def _before_the_last_question(messages: Sequence[Message]) -> Iterable[Message]:
    last = max((index for index, message in enumerate(messages) if message.role == "user"), default=0)
    return messages[:last]


def _answer(text: str) -> str:
    """An answer without thoughts, which clients keep in it as folded blocks, and without sources."""
    thoughts, end, said = without_thoughts(text).rpartition("</details>")
    if end:
        said = thoughts.partition("<details")[0] + said
    return said.partition(f"\n\n{SOURCES}\n")[0].strip()
