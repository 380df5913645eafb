"""The values of a graph's text properties, to find them in questions."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from gear_neo4j.domain import entity_key
from gear_neo4j.graph.read.graph_schema import Owner
from gear_neo4j.graph.read.pagerank_queries import NamedNode
from gear_neo4j.retrieval.patterns.condition import Condition, Operator


@dataclass(frozen=True, slots=True)
class PropertyRef:
    """A property of a label or relationship type."""

    owner: Owner
    property: str


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

    def __len__(self) -> int:
        return len(self._values)

    def named(self) -> Iterator[NamedNode]:
        """The values as entries for a dictionary of names; the degree is the number of properties that hold one."""
        for key, refs in self._values.items():
            yield NamedNode(key, (next(iter(refs.values()))[0],), len(refs))

    def conditions(self, *texts: str) -> list[Condition]:
        """One condition for each property that has one of the texts as its value.

        Example:
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

    def parts(self, text: str, operator: Operator) -> list[Condition]:
        """One condition for each property with a value that contains, starts or ends with a text."""
        key = entity_key(text)
        refs: dict[PropertyRef, None] = {}
        for value, spellings in self._values.items():
            if _has_part(value, key, operator):
                refs |= dict.fromkeys(spellings)
        return [Condition(ref.owner, ref.property, operator, (text,)) for ref in refs]


def _has_part(value: str, part: str, operator: Operator) -> bool:
    if operator == "starts":
        return value.startswith(part)
    return value.endswith(part) if operator == "ends" else part in value
