"""Finds the entities that a question names, with a dictionary of all names: Aho-Corasick, any script, longest match."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import ahocorasick

from gear_neo4j.errors import InputError
from gear_neo4j.graph.read.memory import UNLIMITED, Memory, Need, Weight
from gear_neo4j.graph.read.pagerank_queries import NamedNode, PageRankQueries, Version
from gear_neo4j.graph.read.versioned import Versioned
from gear_neo4j.retrieval.names import is_unspaced
from gear_neo4j.text.folding import folded, without_accents

SHORTEST = 3
# One name may stand for several nodes; those in the most triples come first.
HOMONYMS = 3
MOST_NODES = 2_000_000
# Bytes of a name: of its entry, and with its letters.
ENTRY, NAME = 400, 800
# A question is a few sentences; of a book pasted in, only the beginning is searched.
LONGEST_TEXT = 10_000


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

    @property
    def bytes(self) -> int:
        """About the memory that it takes."""
        stats = self._automaton.get_stats() if self._longest else {"total_size": 0, "words_count": 0}
        return int(stats["total_size"] + ENTRY * stats["words_count"])

    def _add(self, name: str, node: NamedNode) -> "_Entry | None":
        """Add a name; returns its entry if the name has letters outside ASCII."""
        key = _fold(name)[0]
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
        letters, offsets = _fold(text[:LONGEST_TEXT])
        capitals = text.lower() != text
        matches: list[Match] = []
        spans: list[tuple[int, int]] = []
        for start, end, entry in sorted(
            [*self._matches(letters), *self._matches(_plain(letters))],
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
        entry: _Entry | None = self._automaton.get(_fold(name)[0], None) if self._longest else None
        return tuple(entry.nodes) if entry else ()

    def _matches(self, folded: str) -> Iterator[tuple[int, int, _Entry]]:
        for last, entry in self._automaton.iter(folded):
            start, end = last + 1 - entry.length, last + 1
            if _boundary(folded, start) and _boundary(folded, end):
                yield start, end, entry


def _fold(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The folded text, and the span in the original text of each of its letters."""
    letters: list[str] = []
    offsets: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        for letter in folded(text[start:end]):
            if letter.isspace() or letter == "_":
                if not letters or letters[-1] == " ":
                    continue
                letter = " "
            letters.append(letter)
            offsets.append((start, end))
    while letters and letters[-1] == " ":
        letters.pop()
        offsets.pop()
    return "".join(letters), offsets


def _plain(letters: str) -> str:
    """Folded letters without accents, one for one; empty if they have none."""
    plain = "" if letters.isascii() else "".join(without_accents(letter)[:1] or letter for letter in letters)
    return "" if plain == letters else plain


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """The span of each letter with its combining marks, which normalise together."""
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or not unicodedata.combining(text[index]):
            if index > start:
                yield start, index
            start = index


def _boundary(text: str, index: int) -> bool:
    """Whether a name may begin or end at an index: not inside a word, in scripts that separate words."""
    if index in (0, len(text)):
        return True
    before, after = text[index - 1], text[index]
    if not (before.isalnum() and after.isalnum()):
        return True
    return is_unspaced(before) or is_unspaced(after)


class Dictionaries:
    """The dictionary of one database, cached until the graph changes; threads may share it."""

    def __init__(self, queries: PageRankQueries, *, memory: Memory = UNLIMITED) -> None:
        def need(version: Version) -> Need:
            names = queries.extent(version).names
            return Need(NAME * names, of.format(f"{names:,}"))

        def make(_: Version) -> Dictionary:
            # Of an adopted graph, nobody knows before how many there are.
            nodes = memory.counted(_limit(queries.named_nodes()), bytes_of=lambda node: NAME * len(node.names), of=of)
            return Dictionary(nodes)

        of = "a dictionary of {} names"
        weight: Weight[Dictionary] = Weight(memory, need, lambda dictionary: dictionary.bytes)
        self._kept = Versioned(make, version=queries.version, weight=weight)

    def current(self) -> Dictionary:
        """The dictionary of the current graph: one round trip if it is cached, else all names are read.

        Raises:
            InputError: the graph has too many nodes to hold in memory.
        """
        return self._kept.current()

    def at(self, version: Version) -> Dictionary:
        """The dictionary of the graph at a version that has just been read."""
        return self._kept.at(version)


def _limit(nodes: Iterable[NamedNode]) -> Iterator[NamedNode]:
    for count, node in enumerate(nodes):
        if count == MOST_NODES:
            raise InputError(f"the graph has more than {MOST_NODES:,} named nodes, too many for names in memory")
        yield node
