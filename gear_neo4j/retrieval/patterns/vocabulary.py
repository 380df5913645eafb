"""The values of a graph's text properties, to find them in questions."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.domain import entity_key
from gear_neo4j.graph.read.graph_schema import Owner
from gear_neo4j.graph.read.pagerank_queries import NamedNode
from gear_neo4j.retrieval.patterns.conditions import Condition, Operator


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands: a property of a label or type."""

    owner: Owner
    property: str


Spellings = Mapping[Place, Sequence[str]]


class Vocabulary:
    """Values by their folded text; each with the places where it stands, and how it is spelled there."""

    def __init__(self, values: Iterable[tuple[Place, str]]) -> None:
        found: dict[str, dict[Place, list[str]]] = defaultdict(dict)
        for place, text in values:
            key = entity_key(text)
            if key and text not in (spellings := found[key].setdefault(place, [])):
                spellings.append(text)
        self._values: Mapping[str, Spellings] = found

    def named(self) -> Iterator[NamedNode]:
        """The values as a dictionary of names takes them; one of many places counts as many times."""
        for key, places in self._values.items():
            yield NamedNode(key, (next(iter(places.values()))[0],), len(places))

    def conditions(self, text: str) -> list[Condition]:
        """The properties that have a text as their value.

        Example:
            >>> city = Place(Owner("label", "Customer"), "city")
            >>> Vocabulary([(city, "Berlin"), (city, "BERLIN")]).conditions("berlin")[0].texts
            ('Berlin', 'BERLIN')
        """
        return [
            Condition(place.owner, place.property, "is", tuple(spellings))
            for place, spellings in self._values.get(entity_key(text), {}).items()
        ]

    def parts(self, text: str, operator: Operator) -> list[Condition]:
        """The properties with a value that contains a text, or begins or ends with it."""
        key = entity_key(text)
        places: dict[Place, None] = {}
        for value, spellings in self._values.items():
            if _has_part(value, key, operator):
                places |= dict.fromkeys(spellings)
        return [Condition(place.owner, place.property, operator, (text,)) for place in places]


def _has_part(value: str, part: str, operator: Operator) -> bool:
    if operator == "starts":
        return value.startswith(part)
    return value.endswith(part) if operator == "ends" else part in value
