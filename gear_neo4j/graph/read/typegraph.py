"""The type graph: which labels the relationship types connect, and chains of types from one label to another."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

LONGEST_CHAIN = 3
# Each chain is compared with the question; beyond this number the rarest are dropped.
MOST_CHAINS = 300
# Types that do not say how two nodes are related: LightRAG calls all of them DIRECTED.
_NONDESCRIPT = frozenset(
    {"directed", "related", "related to", "relates to", "relationship", "relation", "rel", "edge", "link", "linked"}
    | {"linked to", "links to", "connected", "connected to", "connects", "associated", "associated with"}
)
# Words of types whose relationships hold in both directions, whichever is stored.
_MUTUAL = frozenset(
    """
    adjacent borders colleague colleagues connected coworker family friend friends kin know knows married neighbor
    neighbors neighbour neighbours partner partners rel related relative relatives sibling siblings similar spouse
    """.split()  # noqa: SIM905
)
_WORDS = re.compile(r"[^\W_]+?(?=[A-Z][a-z]|[\W_]|$)|[^\W_]+")


@dataclass(frozen=True, slots=True)
class Tie:
    """Relationships of a type between nodes of two labels; ``count`` is an upper bound of their number."""

    start: str
    type: str
    end: str
    count: int

    @property
    def is_mutual(self) -> bool:
        """Whether the relationships hold in both directions, by the words of their type.

        Example:
            >>> Tie("Person", "KNOWS", "Person", 7).is_mutual, Tie("Person", "KNOWS", "City", 7).is_mutual
            (True, False)
            >>> Tie("Person", "IS_MARRIED_TO", "Person", 7).is_mutual, Tie("Person", "PARENT_OF", "Person", 7).is_mutual
            (True, False)
        """
        return self.start == self.end and not _MUTUAL.isdisjoint(words(self.type).split())


@dataclass(frozen=True, slots=True)
class Chain:
    """A sequence of relationship types, each with the label that it leads to.

    ``forward`` is True for a type that is walked in its stored direction.
    """

    head: str
    types: tuple[str, ...]
    labels: tuple[str, ...]
    forward: tuple[bool, ...]

    @property
    def words(self) -> str:
        """The labels and types as phrases in order: the text that is compared with a question."""
        steps = zip(self.types, self.labels, self.forward, strict=True)
        phrases = []
        at = self.head
        for kind, label, ahead in steps:
            pair = (at, label) if ahead else (label, at)
            phrases.append(f"{words(pair[0])} {words(kind)} {words(pair[1])}")
            at = label
        return ", ".join(phrases)

    def __str__(self) -> str:
        """The chain in words.

        Example:
            >>> print(Chain("Drug", ("sensitivity_to", "has_var"), ("Cell", "Variant"), (False, True)))
            Drug <-[sensitivity_to]- Cell -[has_var]-> Variant
        """
        steps = zip(self.types, self.labels, self.forward, strict=True)
        drawn = (f" -[{kind}]-> {label}" if ahead else f" <-[{kind}]- {label}" for kind, label, ahead in steps)
        return self.head + "".join(drawn)


def words(name: str) -> str:
    """The words of a label or a type, in lower case.

    Example:
        >>> words("SnvFull"), words("has_var")
        ('snv full', 'has var')
    """
    return " ".join(_WORDS.findall(name)).casefold() or name


def says_nothing(type: str) -> bool:
    """Whether the name of a relationship type may say nothing; a property of the relationships must say it then.

    Example:
        >>> says_nothing("RELATES_TO"), says_nothing("WROTE")
        (True, False)
    """
    return words(type) in _NONDESCRIPT


def spoken(label: str) -> str:
    """A label as the beginning of a name.

    Example:
        >>> spoken("ClinicalTrial"), spoken("ORDER"), spoken("订单")
        ('Clinical trial', 'Order', '订单')
    """
    text = words(label)
    return text[:1].upper() + text[1:]


class TypeGraph:
    """The ties of a graph as a graph of its own."""

    def __init__(self, ties: Sequence[Tie]) -> None:
        self.ties = tuple(ties)
        self._steps: Mapping[str, list[tuple[str, str, bool, int]]] = defaultdict(list)
        for tie in self.ties:
            self._steps[tie.start].append((tie.type, tie.end, True, tie.count))
            self._steps[tie.end].append((tie.type, tie.start, False, tie.count))

    def chains(self, head: str, tail: str, *, longest: int = LONGEST_CHAIN) -> list[Chain]:
        """The shortest chains from one label to another, then those one type longer; the most frequent first.

        Example:
            >>> graph = TypeGraph([Tie("Cell", "sensitive", "Drug", 9), Tie("Cell", "has", "Variant", 5)])
            >>> [str(chain) for chain in graph.chains("Drug", "Variant")]
            ['Drug <-[sensitive]- Cell -[has]-> Variant']
        """
        ranked: list[tuple[int, int, Chain]] = []
        shortest = longest
        for length in range(1, longest + 1):
            if ranked and length > shortest + 1:
                break
            for weight, chain in self._walks(head, tail, length):
                shortest = min(shortest, length)
                ranked.append((length, -weight, chain))
        ranked.sort(key=lambda entry: (entry[0], entry[1], str(entry[2])))
        return [chain for _, _, chain in ranked[:MOST_CHAINS]]

    def _walks(self, head: str, tail: str, length: int) -> Iterator[tuple[int, Chain]]:
        """Every chain of a length, with the count of its rarest tie; no inner label occurs twice."""
        open_chains = [(1 << 62, Chain(head, (), (), ()))]
        for step in range(length):
            last = step == length - 1
            longer = []
            for weight, chain in open_chains:
                at = chain.labels[-1] if chain.labels else head
                for kind, label, forward, count in self._steps[at]:
                    if (label == tail) if last else (label not in (head, tail, *chain.labels)):
                        grown = Chain(head, (*chain.types, kind), (*chain.labels, label), (*chain.forward, forward))
                        longer.append((min(weight, count), grown))
            open_chains = sorted(longer, key=lambda entry: (-entry[0], str(entry[1])))[: 4 * MOST_CHAINS]
        yield from open_chains
