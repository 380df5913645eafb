"""The oracle: a perfect reader based on a data set's gold decomposition, for upper bounds without a language model.

It reads only the retrieved passages. Its figures bound what retrieval and the loop allow; they do not predict a model,
and every report says so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from gear_neo4j.domain import Fact, Passage, Path, entity_key
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.datasets import EvaluationQuery, Hop
from gear_neo4j.graph.read.store import Store
from gear_neo4j.models.chat import Reply
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.models.streaming import OnToken
from gear_neo4j.roles.answering import shown_facts, shown_passages
from gear_neo4j.roles.parsers import Draft, Thought, Verdict
from gear_neo4j.usage import Usage

LABEL = "oracle: upper bound"
Value = TypeVar("Value")
_REFERENCE = re.compile(r"#(\d+)")


@dataclass(frozen=True, slots=True)
class _ResolvedHop:
    """A hop with the answers of earlier hops filled in, and the fact that states its answer."""

    question: str
    passage: str
    fact: Fact


def require_decompositions(queries: Sequence[EvaluationQuery]) -> None:
    """Refuse questions that the oracle cannot answer.

    Raises:
        InputError: one has no decomposition.
    """
    lacking = [query.id for query in queries if not query.decomposition]
    if lacking:
        raise InputError(f"the oracle needs a decomposition for each question: {lacking[0]!r} has none")


class Oracle:
    """Plays all roles of an agent on the questions of a data set.

    Reader and constructor: for each gold passage in the prompt, the stored triple nearest to sub-question + answer.
    Reason: answerable when the memory has every hop. Rewrite: the first open sub-question whose references are known.
    Tokens are estimated from the text of the prompt that a model would have received.

    Raises:
        InputError: the data set has no decompositions.
    """

    name = LABEL

    def __init__(self, queries: Sequence[EvaluationQuery], *, store: Store, embedder: Embedder) -> None:
        require_decompositions(queries)
        self._queries = {entity_key(query.question): query for query in queries}
        self._store = store
        self._embedder = embedder
        self._hops: dict[str, list[_ResolvedHop]] = {}
        self._query: EvaluationQuery = queries[0]

    def read(
        self, question: str, passages: Sequence[Passage], *, memory: Sequence[Fact] | None = None
    ) -> Reply[tuple[Fact, ...]]:
        """The fact of each hop whose gold passage is in the prompt, whatever the question of the step."""
        self._begin(question)
        passage_ids = {passage.id for passage in passages}
        known = set(memory or ())
        facts = dict.fromkeys(
            hop.fact for hop in self._resolved_hops() if hop.passage in passage_ids and hop.fact not in known
        )
        return _reply(tuple(facts), shown_passages(passages) + question + shown_facts(memory or ()))

    def reason(self, question: str, memory: Sequence[Fact]) -> Reply[Verdict]:
        """Answerable if the memory has the fact of every hop."""
        self._begin(question)
        missing = self._open(memory)
        verdict = Verdict(not missing, missing[0].question if missing else " / ".join(self._query.answers[:1]))
        return _reply(verdict, question + shown_facts(memory))

    def think(self, question: str, passages: Sequence[Passage], *, thoughts: Sequence[str]) -> Reply[Thought]:
        """The sentence of the next hop if its passage is in the prompt, else its question; at the end the answer."""
        self._begin(question)
        passage_ids, thought = {passage.id for passage in passages}, None
        for hop, gold in zip(self._resolved_hops(), self._query.decomposition, strict=True):
            sentence = f"{hop.question} {gold.answer}."
            if sentence not in thoughts:
                thought = Thought(sentence if hop.passage in passage_ids else hop.question)
                break
        answer = " / ".join(self._query.answers[:1])
        reply = thought or Thought(f"So the answer is: {answer}", answer)
        return _reply(reply, shown_passages(passages) + question + "".join(thoughts))

    def rewrite(self, question: str, memory: Sequence[Fact], *, why: str, asked: Sequence[str]) -> Reply[str]:
        """The first open sub-question whose references are known, with their answers filled in."""
        self._begin(question)
        known = set(memory)
        hops = self._resolved_hops()
        following = ""
        for hop, gold in zip(hops, self._query.decomposition, strict=True):
            if hop.fact not in known and all(hops[index].fact in known for index in gold.references):
                following = hop.question
                break
        return _reply(following, question + shown_facts(memory) + why + "".join(asked))

    def answer(
        self,
        question: str,
        passages: Sequence[Passage],
        *,
        memory: Sequence[Fact],
        on_token: OnToken | None = None,
    ) -> Reply[Draft]:
        """The gold answer, citing the gold passages in the prompt."""
        self._begin(question)
        cited = tuple(number for number, passage in enumerate(passages, start=1) if passage.id in self._query.gold)
        text = self._query.answers[0] if self._query.answers else ""
        return _reply(Draft(text, cited), shown_passages(passages) + question + shown_facts(memory))

    def select(self, question: str, passages: Sequence[Passage], *, paths: Sequence[Path], k: int) -> Reply[list[int]]:
        """The gold passages in the prompt."""
        self._begin(question)
        chosen = [index for index, passage in enumerate(passages) if passage.id in self._query.gold][:k]
        return _reply(chosen, shown_passages(passages, paths=paths) + question)

    def _begin(self, question: str) -> None:
        # Only the first question of a run comes from the data set; later ones belong to the same run.
        self._query = self._queries.get(entity_key(question), self._query)

    def _resolved_hops(self) -> list[_ResolvedHop]:
        if self._query.id not in self._hops:
            answers = [hop.answer for hop in self._query.decomposition]
            self._hops[self._query.id] = [self._hop(hop, answers) for hop in self._query.decomposition]
        return self._hops[self._query.id]

    def _hop(self, hop: Hop, answers: Sequence[str]) -> _ResolvedHop:
        question = _REFERENCE.sub(lambda match: answers[int(match[1]) - 1], hop.question)
        vector = self._embedder.embed([f"{question} {hop.answer}"])[0].tolist()
        nearest = self._store.start_triples([hop.passage], query=vector, limit=1)
        if nearest:
            triple = nearest[0].triple
            return _ResolvedHop(question, hop.passage, Fact(triple.subject, triple.predicate, triple.object))
        return _ResolvedHop(question, hop.passage, Fact(question, "is answered by", hop.answer))

    def _open(self, memory: Sequence[Fact]) -> list[_ResolvedHop]:
        known = set(memory)
        return [hop for hop in self._resolved_hops() if hop.fact not in known]


def _reply(value: Value, prompt: str) -> Reply[Value]:
    return Reply(value, str(value), Usage(1, len(prompt) // 4, len(str(value)) // 4, estimated=True), 0.0)
