"""Answers the last question of a conversation: makes it stand alone, and asks an agent."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gear_neo4j.agents.agent import Agent
from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import Event, OnEvent
from gear_neo4j.errors import ModelError
from gear_neo4j.extraction.language import DEFAULT, language_of
from gear_neo4j.extraction.mentions import Mention, Mentions
from gear_neo4j.roles.citations import without_markers
from gear_neo4j.roles.follow_up import FollowUpWriter, Turn
from gear_neo4j.usage import Usage

ROLE = "follow_up"
MOST_NAMES = 5
# A question refers to what was said just before.
MOST_TURNS = 10
LONGEST_TEXT = 2_000
# An answer of so few words is a name.
LONGEST_NAME_AS_ANSWER = 4
# English words that refer to what was said before, even in a question with a name.
_REFERRING = re.compile(
    r"\b(?:he|him|his|she|hers?|it|its|they|them|theirs?|same|too(?=\W*\Z))\b"
    # Not in "Is there a mill in Orley?".
    r"|(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbe )\bthere\b(?! (?:is|are|was|were)\b)"
    r"|\b(?:this|that|these|those) (?:year|time|day|month|place|city|town|country|person|man|woman|company|one)s?\b"
    r"|\A\W*(?:and|but|or|so|what about|how about)\b",
    re.IGNORECASE,
)


class ConversationAgent:
    """Asks an agent a follow-up question that is made to stand alone.

    Args:
        turns: the earlier turns, oldest first.
        writer: rewrites the question; without one, or if its reply cannot be used, the names of the last turn that has
            any are added to it.
    """

    def __init__(self, agent: Agent, *, turns: Sequence[Turn], writer: FollowUpWriter | None) -> None:
        self._agent = agent
        self._turns = turns[-MOST_TURNS:]
        self._writer = writer

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question; ``asked`` of the answer is the question as it came if another was asked instead."""
        if not question.strip() or not refers_back(question):
            return self._agent.ask(question, k=k, on_event=on_event)
        written, usage = self._written(question)
        asked = question if written != question else ""

        def amended(answer: Answer) -> Answer:
            return replace(answer, asked=asked, usage={**usage, **answer.usage})

        def forward(event: Event) -> None:
            if on_event:
                on_event(replace(event, answer=event.answer and amended(event.answer)))

        return amended(self._agent.ask(written, k=k, on_event=on_event and forward))

    def _written(self, question: str) -> tuple[str, dict[str, Usage]]:
        written, usage = "", {}
        if self._writer:
            try:
                reply = self._writer.stand_alone(question, self._turns)
                written, usage = reply.value, {ROLE: reply.usage}
            except ModelError as error:
                # The agent's own calls will say so if the model is out of reach.
                usage = {ROLE: error.usage}
        return written or with_names(question, self._turns), usage


def refers_back(question: str) -> bool:
    """Whether a question may depend on what was said before: it has no name of its own, or a word that refers.

    In other languages than English, any question may.

    Example:
        >>> refers_back("And when did she do that?"), refers_back("When was Ines Falk born?")
        (True, False)
        >>> refers_back("Who lived there?"), refers_back("Is there a mill in Orley?")
        (True, False)
    """
    if language_of(question).code != DEFAULT or _REFERRING.search(question):
        return True
    return not any(_names(question))


def with_names(question: str, turns: Sequence[Turn]) -> str:
    """A question with the names and dates since the last turn that names anything; without names, with that question.

    Example:
        >>> turns = [Turn("Who built the Orley Bridge?", "Ines Falk built it."), Turn("And in which year?", "1921.")]
        >>> with_names("And for whom?", turns)
        'And for whom? (Orley Bridge, Ines Falk, 1921)'
        >>> with_names("And why?", [Turn("who sold the mill?")])
        'And why? (who sold the mill?)'
    """
    known = question.casefold()
    names: dict[str, None] = {}
    for turn in reversed(turns):
        short = len(turn.answer.split()) <= LONGEST_NAME_AS_ANSWER
        said = [*_names(turn.question), *_names(without_markers(turn.answer), alone=short)]
        names = dict.fromkeys([*(mention.name for mention in said if mention.name.casefold() not in known), *names])
        if not all(mention.is_date for mention in said):
            return f"{question} ({', '.join(list(names)[:MOST_NAMES])})" if names else question
    return f"{question} ({turns[-1].question})" if turns else question


def _names(text: str, *, alone: bool = False) -> Iterator[Mention]:
    """The names and dates of a text; a single word that begins a sentence only with ``alone``."""
    language = language_of(text)
    sentences = language.sentences(text[:LONGEST_TEXT])
    mentions = Mentions(sentences, topic="", language=language)
    for sentence in sentences:
        found = mentions.find(sentence, any_opening=alone)
        yield from (one for one in found if alone or one.start > 0 or " " in one.name or one.is_date)
