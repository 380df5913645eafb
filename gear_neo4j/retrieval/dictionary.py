"""Finds the entities that a question names, by a dictionary of names: Aho-Corasick, any script, longest match."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import ahocorasick

from gear_neo4j.graph.read.lexicon import Lexicon, NamedNode
from gear_neo4j.text.folding import without_accents
from gear_neo4j.text.name_keys import (
    LONGEST_TEXT,
    folded_letters,
    is_boundary,
    is_unspaced,
    keys_in,
    plain_letters,
)

SHORTEST = 3
# One name may stand for several nodes; those in the most triples come first.
HOMONYMS = 3


@dataclass(frozen=True, slots=True)
class Match:
    """A name in a text: its span from ``start`` to before ``end``, and the nodes that it may mean."""

    start: int
    end: int
    text: str
    nodes: tuple[str, ...]


@dataclass(slots=True)
class _Entry:
    """The entry of a name: its key and length, whether it is always in capitals, and its nodes with their degrees."""

    key: str
    length: int
    capitals: bool
    nodes: dict[str, int]


class Dictionary:
    """Names and the nodes that have them.

    Names and text are compared without case, with spaces and underscores collapsed, and with one sign for all kinds of
    apostrophes and hyphens. An accent may be left out, unless another name is written so. A name of fewer than three
    letters must be in capitals, in the graph and in the text. If a name of three letters is in capitals in the graph,
    it matches lower case only in a text without capitals.
    """

    def __init__(self, named: Iterable[NamedNode]) -> None:
        self._automaton = ahocorasick.Automaton()
        self._longest = 0
        accented: dict[str, _Entry] = {}
        for node in named:
            for name in node.names:
                if entry := self._add(name, node):
                    accented[without_accents(entry.key)] = entry
        for key, entry in accented.items():
            if key != entry.key and key not in self._automaton:
                self._automaton.add_word(key, replace(entry, length=len(key)))
        # An automaton without a name cannot be queried.
        if self._longest:
            self._automaton.make_automaton()

    def _add(self, name: str, node: NamedNode) -> "_Entry | None":
        """Add a name; returns its entry if the name has letters outside ASCII."""
        key = folded_letters(name)[0]
        capitals = name.upper() == name and name.lower() != name
        if not key or (len(key) < SHORTEST and not (capitals or is_unspaced(key[0]))):
            return None
        entry: _Entry = self._automaton.get(key, None) or _Entry(key, len(key), capitals, {})
        entry.capitals = entry.capitals and capitals
        entry.nodes[node.id] = node.degree
        self._automaton.add_word(key, entry)
        self._longest = max(self._longest, len(key))
        return None if key.isascii() else entry

    def find(self, text: str) -> list[Match]:
        """The names in a text, in order; of overlapping names the longest.

        Example:
            >>> genes = NamedNode("1", ("HER2", "ERBB2"), 5), NamedNode("3", ("AR",), 9)
            >>> graph = [*genes, NamedNode("2", ("her2 inhibitor",), 2)]
            >>> [match.text for match in Dictionary(graph).find("Does the HER2 inhibitor act on AR there?")]
            ['HER2 inhibitor', 'AR']
        """
        if not self._longest:
            return []
        letters, offsets = folded_letters(text[:LONGEST_TEXT])
        capitals = text.lower() != text
        matches: list[Match] = []
        spans: list[tuple[int, int]] = []
        for start, end, entry in sorted(
            [*self._matches(letters), *self._matches(plain_letters(letters))],
            key=lambda candidate: (candidate[0] - candidate[1], candidate[0]),
        ):
            written = text[offsets[start][0] : offsets[end - 1][1]]
            # MET and WAS are genes, met and was are words; a text in lower case may mean either.
            unsure = entry.capitals and end - start <= SHORTEST and written.upper() != written
            free = all(end <= left or start >= right for left, right in spans)
            if free and not (unsure and (capitals or end - start < SHORTEST)):
                spans.append((start, end))
                nodes = sorted(entry.nodes, key=lambda id: (-entry.nodes[id], id))[:HOMONYMS]
                matches.append(Match(offsets[start][0], offsets[end - 1][1], written, tuple(nodes)))
        return sorted(matches, key=lambda match: match.start)

    def nodes_named(self, name: str) -> tuple[str, ...]:
        """The ids of all nodes with a name.

        Example:
            >>> Dictionary([NamedNode("1", ("Ada",), 5), NamedNode("2", ("Bob", "ADA"), 2)]).nodes_named("ada")
            ('1', '2')
        """
        entry: _Entry | None = self._automaton.get(folded_letters(name)[0], None) if self._longest else None
        return tuple(entry.nodes) if entry else ()

    def _matches(self, folded: str) -> Iterator[tuple[int, int, _Entry]]:
        for last, entry in self._automaton.iter(folded):
            start, end = last + 1 - entry.length, last + 1
            if is_boundary(folded, start) and is_boundary(folded, end):
                yield start, end, entry


class Names:
    """The names of the nodes in one database, looked up when a text is read; one round trip each."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def find(self, text: str) -> list[Match]:
        """The names in a text, in order; of overlapping names the longest. See :class:`Dictionary`."""
        return Dictionary(self._lexicon.nodes(keys_in(text))).find(text)

    def nodes_named(self, name: str) -> tuple[str, ...]:
        """The ids of all nodes that have the name."""
        key = folded_letters(name)[0]
        return Dictionary(self._lexicon.nodes([key])).nodes_named(name) if key else ()
