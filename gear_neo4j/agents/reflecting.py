"""What Self-RAG's short and long form share: how reflections are weighed, and an answer with what was said of it."""

from dataclasses import dataclass
from typing import Literal

from gear_neo4j.agents.answer import Judgement
from gear_neo4j.agents.run import Run
from gear_neo4j.domain import Hit
from gear_neo4j.roles.critic import Critic, Reflection
from gear_neo4j.settings import require_at_least

Retrieving = Literal["adaptive", "always", "never"]
# What a critic that failed is taken to have said: the passage is kept, the answer does not count as supported.
UNJUDGED = Reflection({"yes": 1.0}, {"no": 1.0}, {"3": 1.0})


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfRagOptions:
    """When to retrieve, how to weigh the reflections, and how often to try again.

    ``threshold`` is the probability above which an ``adaptive`` run retrieves. ``labels`` are the answers to choose
    from, where only these count: the scores of all passages that lead to one are added up. ``long`` writes an answer
    sentence by sentence, by a beam of ``beam_width`` over at most ``depth`` sentences. No call is begun once ``tokens``
    or ``seconds`` are spent.

    Raises:
        SettingsError: a number is out of its range.
    """

    retrieve: Retrieving = "adaptive"
    threshold: float = 0.2
    relevance: float = 1.0
    support: float = 1.0
    use: float = 0.5
    passages: int = 5
    max_regenerations: int = 2
    max_rewrites: int = 2
    labels: tuple[str, ...] = ()
    long: bool = False
    beam_width: int = 2
    depth: int = 6
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        require_at_least(1, self, "passages", "beam_width", "depth", "tokens", "seconds", whose="Self-RAG's")
        weights = "threshold", "relevance", "support", "use"
        require_at_least(0, self, *weights, "max_regenerations", "max_rewrites", whose="Self-RAG's")

    def score(self, reflection: Reflection) -> float:
        """The published weighting of the three reflections.

        Example:
            >>> seen = Reflection({"yes": 1.0}, {"fully": 0.6, "partially": 0.2, "no": 0.2}, {"5": 1.0})
            >>> round(SelfRagOptions().score(seen), 3)
            2.2
        """
        return (
            self.relevance * reflection.relevance + self.support * reflection.supported + self.use * reflection.utility
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer, the passage it is from with its place among those shown, and what the critic said."""

    text: str
    reflection: Reflection
    score: float
    hit: Hit | None = None

    @property
    def good(self) -> bool:
        """Whether its passage is relevant and supports it, and it is of use."""
        seen = self.reflection
        return min(seen.relevance, seen.supported) >= 0.5 and seen.utility >= 0


def reflected(run: Run, critic: Critic, options: SelfRagOptions, text: str, hit: Hit | None) -> Candidate:
    """An answer with what the critic says of it, which goes on record; of one without a passage the use alone."""
    passage = hit.passage if hit else None
    reflection = run.call("reflect", lambda: critic.reflect(run.question, passage, text)) or UNJUDGED
    score = options.score(reflection if hit else Reflection(use=reflection.use))
    supported = "supported" if reflection.supported >= 0.5 else "not supported"
    judged = Judgement("reflect", passage.id if passage else "", f"{supported}: {text}"[:200], score)
    run.note(judgements=(*run.steps[-1].judgements, judged))
    return Candidate(text, reflection, score, hit)
