"""The gist memory (GeAR, section 5): the relevant facts, each once, in the order in which they were read."""

from collections.abc import Iterable
from dataclasses import dataclass

from gear_neo4j.domain import Fact, entity_key


@dataclass(frozen=True, slots=True)
class GistMemory:
    """Immutable facts, which differ in more than case and spaces.

    Example:
        >>> memory = GistMemory().extended([Fact("Curie", "born in", "Warsaw"), Fact("curie", "born in", "WARSAW")])
        >>> [str(fact) for fact in memory.facts]
        ['Curie —born in→ Warsaw']
    """

    facts: tuple[Fact, ...] = ()

    def extended(self, facts: Iterable[Fact]) -> "GistMemory":
        """A memory with these facts added, except those that it already has."""
        known = {entity_key(fact.text): fact for fact in self.facts}
        for fact in facts:
            known.setdefault(entity_key(fact.text), fact)
        return GistMemory(tuple(known.values()))
