"""The gist memory (GeAR, section 5): the facts that matter, each once, in the order in which they were read."""

from collections.abc import Iterable
from dataclasses import dataclass

from gear_neo4j.domain import Fact, entity_key


@dataclass(frozen=True, slots=True)
class GistMemory:
    """Facts whose text differs in more than case and spaces; a memory with more in it is a new value.

    Example:
        >>> memory = GistMemory().extended([Fact("Curie", "born in", "Warsaw"), Fact("curie", "born in", "WARSAW")])
        >>> [str(fact) for fact in memory.facts]
        ['Curie —born in→ Warsaw']
    """

    facts: tuple[Fact, ...] = ()

    def extended(self, facts: Iterable[Fact]) -> "GistMemory":
        """This memory and the facts that are new to it."""
        known = {entity_key(fact.text): fact for fact in self.facts}
        for fact in facts:
            known.setdefault(entity_key(fact.text), fact)
        return GistMemory(tuple(known.values()))
