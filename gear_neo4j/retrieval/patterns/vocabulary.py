"""The values of a graph's text properties: those that a question says, looked up in the database."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import Protocol

from gear_neo4j.domain import entity_key
from gear_neo4j.graph.read.graph_schema import PropertyRef
from gear_neo4j.graph.read.lexicon import Lexicon, NamedNode
from gear_neo4j.retrieval.patterns.condition import Condition, Operator
from gear_neo4j.text.name_keys import folded_letters, keys_in

# The same question is read several times, and its values are looked up once.
KEPT = 16
Spellings = Mapping[PropertyRef, Sequence[str]]


class Vocabulary:
    """Values by their folded text; each with the properties that hold it, and its spellings there."""

    def __init__(self, values: Iterable[tuple[PropertyRef, str]]) -> None:
        by_text: dict[str, dict[PropertyRef, list[str]]] = defaultdict(dict)
        for ref, text in values:
            key = entity_key(text)
            if key and text not in (spellings := by_text[key].setdefault(ref, [])):
                spellings.append(text)
        self._values: Mapping[str, Spellings] = by_text

    def named(self) -> Iterator[NamedNode]:
        """The values as entries for a dictionary of names; the degree is the number of properties that hold one."""
        for key, refs in self._values.items():
            yield NamedNode(key, (next(iter(refs.values()))[0],), len(refs))

    def conditions(self, *texts: str) -> list[Condition]:
        """One condition for each property that has one of the texts as its value.

        Example:
            >>> from gear_neo4j.graph.read.graph_schema import Owner
            >>> city = PropertyRef(Owner("label", "Customer"), "city")
            >>> Vocabulary([(city, "Berlin"), (city, "BERLIN")]).conditions("berlin")[0].texts
            ('Berlin', 'BERLIN')
        """
        return [
            Condition(ref.owner, ref.property, "is", tuple(spellings))
            for text in texts
            for ref, spellings in self._values.get(entity_key(text), {}).items()
        ]

    def of(self, wanted: Set[PropertyRef]) -> Iterator[Condition]:
        """One condition for each value of some properties."""
        for refs in self._values.values():
            for ref, spellings in refs.items():
                if ref in wanted:
                    yield Condition(ref.owner, ref.property, "is", tuple(spellings))


class Values(Protocol):
    """Looks up the values of a graph's text properties."""

    def within(self, *texts: str) -> Vocabulary:
        """The values that the texts contain, and maybe others."""

    def of(self, wanted: Set[PropertyRef]) -> Iterator[Condition]:
        """One condition for each value of some properties."""

    def parts(self, text: str, operator: Operator) -> list[Condition]:
        """One condition for each property with a value that contains, starts or ends with a text."""


class StoredValues:
    """Looks up values in the database, and keeps those in the last few texts. Threads may share it."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._kept = lru_cache(KEPT)(self._read)

    def within(self, *texts: str) -> Vocabulary:
        """The values that the texts contain; one round trip, none for the same texts again."""
        return self._kept(texts)

    def of(self, wanted: Set[PropertyRef]) -> Iterator[Condition]:
        """One condition for each value of some properties; one round trip."""
        return Vocabulary(self._lexicon.values_of(wanted)).of(wanted)

    def parts(self, text: str, operator: Operator) -> list[Condition]:
        """One condition for each property with a value that contains, starts or ends with a text; one round trip."""
        refs = self._lexicon.holders(folded_letters(text)[0], operator=operator)
        return [Condition(ref.owner, ref.property, operator, (text,)) for ref in refs]

    def _read(self, texts: tuple[str, ...]) -> Vocabulary:
        return Vocabulary(self._lexicon.values(dict.fromkeys(key for text in texts for key in keys_in(text))))
