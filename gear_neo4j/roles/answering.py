"""GeAR's roles of a language model: read, judge, rewrite and answer; each is a prompt and a parser."""

from collections.abc import Sequence
from typing import Protocol

from gear_neo4j.domain import Fact, Passage, Path
from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.models.streaming import OnToken
from gear_neo4j.roles.answerer import Answerer
from gear_neo4j.roles.lists import parse_numbers, parse_triples
from gear_neo4j.roles.parsers import (
    Draft,
    Thought,
    Verdict,
    parse_answer,
    parse_keywords,
    parse_question,
    parse_thought,
    parse_verdict,
)
from gear_neo4j.roles.prompts import fill

NONE = "(none)"


class Reader(Protocol):
    """Reads passages for a question."""

    def read(
        self, question: str, passages: Sequence[Passage], *, memory: Sequence[Fact] | None = None
    ) -> Reply[tuple[Fact, ...]]:
        """The facts in the passages that help to answer the question, best first, except those in the memory."""


class Roles(Reader, Answerer, Protocol):
    """The roles of GeAR's agent; each raises ModelError, and ReplyError for an unusable reply."""

    def reason(self, question: str, memory: Sequence[Fact]) -> Reply[Verdict]:
        """Whether the facts suffice for an answer, and the answer or what is missing."""

    def rewrite(self, question: str, memory: Sequence[Fact], *, why: str, asked: Sequence[str]) -> Reply[str]:
        """The next question to search with, or an empty text."""

    def select(self, question: str, passages: Sequence[Passage], *, paths: Sequence[Path], k: int) -> Reply[list[int]]:
        """The indexes, from 0, of at most k passages that the answer needs, best first."""


class Thinker(Answerer, Protocol):
    """The roles of IRCoT."""

    def think(self, question: str, passages: Sequence[Passage], *, thoughts: Sequence[str]) -> Reply[Thought]:
        """The next thought of the chain."""


class PromptedRoles:
    """The roles played by a language model, each by one prompt (GeAR, appendix I, in our own words).

    Reader and beam search see the step's question and no memory; all others the original question.
    """

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        """The model's name."""
        return self._chat.name

    def read(
        self, question: str, passages: Sequence[Passage], *, memory: Sequence[Fact] | None = None
    ) -> Reply[tuple[Fact, ...]]:
        """The facts in the passages that help; with a memory, even an empty one, this is the gist constructor."""
        texts = shown_passages(passages)
        if memory is None:
            prompt = fill("reader", passages=texts, question=question)
        else:
            prompt = fill("gist", passages=texts, question=question, facts=shown_facts(memory))
        return self._chat.ask(prompt, parse=lambda text: parse_triples(text, key="facts").facts)

    def think(self, question: str, passages: Sequence[Passage], *, thoughts: Sequence[str]) -> Reply[Thought]:
        """The next thought of the chain, one sentence."""
        prompt = fill(
            "think", passages=shown_passages(passages), question=question, thoughts="\n".join(thoughts) or NONE
        )
        return self._chat.ask(prompt, parse=parse_thought)

    def reason(self, question: str, memory: Sequence[Fact]) -> Reply[Verdict]:
        """Whether the facts suffice for an answer."""
        return self._chat.ask(fill("reason", question=question, facts=shown_facts(memory)), parse=parse_verdict)

    def rewrite(self, question: str, memory: Sequence[Fact], *, why: str, asked: Sequence[str]) -> Reply[str]:
        """The next question to search with."""
        before = "\n".join(f"- {previous}" for previous in asked)
        prompt = fill("rewrite", question=question, facts=shown_facts(memory), why=why or NONE, asked=before)
        return self._chat.ask(prompt, parse=parse_question)

    def keywords(self, question: str) -> Reply[str]:
        """The question as a query for a search engine, of at most three keywords."""
        return self._chat.ask(fill("keywords", question=question), parse=parse_keywords)

    def answer(
        self,
        question: str,
        passages: Sequence[Passage],
        *,
        memory: Sequence[Fact],
        on_token: OnToken | None = None,
    ) -> Reply[Draft]:
        """An answer with checked citations."""
        facts = "\n".join(f"[F{number}] {fact}" for number, fact in enumerate(memory, start=1))
        prompt = fill("answer", passages=shown_passages(passages), facts=facts, question=question)
        return self._chat.ask(
            prompt,
            parse=lambda text: parse_answer(text, passages=len(passages), facts=len(memory)),
            on_token=on_token,
        )

    def select(self, question: str, passages: Sequence[Passage], *, paths: Sequence[Path], k: int) -> Reply[list[int]]:
        """The passages that the answer needs, each shown with the triples that led to it."""
        prompt = fill("select", passages=shown_passages(passages, paths=paths), question=question, k=k)
        return self._chat.ask(
            prompt, parse=lambda text: [number - 1 for number in parse_numbers(text, most=len(passages))][:k]
        )


def shown_passages(passages: Sequence[Passage], *, paths: Sequence[Path] = ()) -> str:
    """Passages as a prompt shows them, numbered from 1, each with the paths that pass through it."""
    blocks = []
    for number, passage in enumerate(passages, start=1):
        lines = [f"Passage [{number}] {passage.title}".rstrip(), passage.text]
        lines += [f"- led here: {path}" for path in paths if passage.id in path.passage_ids][:3]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def shown_facts(facts: Sequence[Fact]) -> str:
    """Facts as a prompt shows them, one per line."""
    return "\n".join(f"- {fact}" for fact in facts) or NONE
