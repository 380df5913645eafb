"""What Self-RAG's short and long form share: the weights of reflections, and an answer with its reflection."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from gear_neo4j.agents.answer import Judgement
from gear_neo4j.agents.run import Run
from gear_neo4j.domain import Hit
from gear_neo4j.recipes.recipe import Budget, option
from gear_neo4j.recipes.registry import AnyRetriever
from gear_neo4j.retrieval.auto import Auto
from gear_neo4j.roles.critic import Critic, Reflection

Retrieving = Literal["adaptive", "always", "never"]
# Stands in for a failed critic: the passage counts as relevant, the answer as not supported.
UNJUDGED = Reflection({"yes": 1.0}, {"no": 1.0}, {"3": 1.0})


class SelfRag(Budget):
    """Self-RAG: drafts an answer from each passage, judges and revises the drafts, and returns the best.

    ``threshold`` is the probability above which an ``adaptive`` run retrieves. ``labels`` is a closed set of answers:
    the scores of all passages that lead to a label are added up. ``long`` writes an answer sentence by sentence, by a
    beam search of width ``beam_width``, up to ``sentences``.

    Raises:
        SettingsError: a number is out of its range.
    """

    name: ClassVar[str] = "selfrag"
    over: AnyRetriever = option(Auto(), "the retriever to build on")
    retrieve: Retrieving = option("adaptive", "when to retrieve")
    threshold: float = option(0.2, "adaptive: probability of needing passages above which it retrieves", least=0)
    relevance: float = option(1.0, "weight of a passage's relevance", least=0)
    support: float = option(1.0, "weight of a passage's support for the answer", least=0)
    use: float = option(0.5, "weight of an answer's usefulness", least=0)
    drafts: int = option(5, "number of passages to draft an answer from, one draft each", least=1, client_most=8)
    max_regenerations: int = option(2, "maximum number of revisions of the best draft", least=0, client_most=8)
    max_rewrites: int = option(2, "maximum number of rewritten questions", least=0, client_most=8)
    labels: tuple[str, ...] = option((), "the only answers to choose from")
    long: bool = option(False, "write an answer of several sentences, each from one passage")
    beam_width: int = option(2, "long: answers to keep after each sentence", least=1, client_most=8)
    sentences: int = option(6, "long: maximum number of sentences", least=1, client_most=8)

    def score(self, reflection: Reflection) -> float:
        """The published weighting of the three reflections.

        Example:
            >>> reflection = Reflection({"yes": 1.0}, {"fully": 0.6, "partially": 0.2, "no": 0.2}, {"5": 1.0})
            >>> round(SelfRag().score(reflection), 3)
            2.2
        """
        return (
            self.relevance * reflection.relevance + self.support * reflection.supported + self.use * reflection.utility
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer with its score, the critic's reflection, and the hit that it was drafted from."""

    text: str
    reflection: Reflection
    score: float
    hit: Hit | None = None

    @property
    def good(self) -> bool:
        """Whether its passage is relevant and supports it, and the answer is useful."""
        reflection = self.reflection
        return min(reflection.relevance, reflection.supported) >= 0.5 and reflection.utility >= 0


def reflect(run: Run, critic: Critic, options: SelfRag, text: str, hit: Hit | None) -> Candidate:
    """Let the critic judge an answer and record the judgement; without a passage, it judges only the answer's use."""
    passage = hit.passage if hit else None
    reflection = run.call("reflect", lambda: critic.reflect(run.question, passage, text)) or UNJUDGED
    score = options.score(reflection if hit else Reflection(use=reflection.use))
    supported = "supported" if reflection.supported >= 0.5 else "not supported"
    judgement = Judgement("reflect", passage.id if passage else "", f"{supported}: {text}"[:200], score)
    run.note(judgements=(*run.steps[-1].judgements, judgement))
    return Candidate(text, reflection, score, hit)
