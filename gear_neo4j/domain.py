"""The values of the product: passages, triples, paths and hits; frozen, and independent of the database."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Literal, Self, overload

from gear_neo4j.text.display import Displayed, data_frame
from gear_neo4j.text.folding import folded
from gear_neo4j.text.printable import escaped
from gear_neo4j.usage import Usage

# How the vectors of triples are computed: from their whole text, or from the vectors of their parts.
VectorSource = Literal["encoded", "composed"]
# An index entry of Neo4j holds at most 8,167 bytes; a key this long is a sentence, not a name.
LONGEST_KEY = 500

# The fields of a passage in a table of hits.
_OF_PASSAGE = ("id", "title", "text", "source", "position", "collection", "metadata")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text that can be retrieved; ``source`` names its file, ``position`` where it begins (``line 12``).

    It is in exactly one ``collection``. ``metadata`` holds texts, numbers, booleans, or lists of them, by field.
    ``readers`` are the principals that may read it; they matter only when it is written, None leaves them unchanged,
    and searches never return them.
    """

    id: str
    title: str
    text: str
    source: str | None = None
    position: str | None = None
    collection: str = "default"
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    readers: tuple[str, ...] | None = None

    @property
    def location(self) -> str:
        """Its source and position, for display; empty if unknown.

        Example:
            >>> Passage("p1", "Install", "Use pip.", "docs/guide.md", "line 12").location
            'docs/guide.md, line 12'
        """
        return ", ".join(part for part in (self.source, self.position) if part)

    @property
    def content(self) -> str:
        """The text that is embedded and indexed: the title, a newline, and the text."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text, by the indexes of its first character and of the one after its last."""

    start: int
    end: int


class Statement:
    """The base of facts and triples."""

    __slots__ = ()

    subject: str
    predicate: str
    object: str

    @property
    def text(self) -> str:
        """The text that is embedded: subject, predicate and object, joined by spaces."""
        return f"{self.subject} {self.predicate} {self.object}"

    def __str__(self) -> str:
        return f"{self.subject} —{self.predicate}→ {self.object}"


@dataclass(frozen=True, slots=True)
class Fact(Statement):
    """Subject, predicate and object as written by a model: a proximal triple, without a passage."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Triple(Statement):
    """A fact that exactly one passage states (GeAR, section 3)."""

    id: str
    subject: str
    predicate: str
    object: str
    passage_id: str


@dataclass(frozen=True, slots=True)
class PassageRecord:
    """A passage with the triples that it states; ``exact`` is False if it states more than these.

    ``previous`` and ``next`` are the passages before and after it in its document.
    """

    passage: Passage
    triples: tuple[Triple, ...] = ()
    exact: bool = True
    previous: Passage | None = None
    next: Passage | None = None


@dataclass(frozen=True, slots=True)
class PathStep:
    """A triple of a path, walked from its subject to its object or, if not ``forward``, the other way.

    ``continues`` is whether it begins where the step before ended.
    """

    triple: Triple
    forward: bool
    continues: bool

    @property
    def start(self) -> str:
        """The name of the entity that it leaves."""
        return self.triple.subject if self.forward else self.triple.object

    @property
    def end(self) -> str:
        """The name of the entity that it reaches."""
        return self.triple.object if self.forward else self.triple.subject


@dataclass(frozen=True, slots=True)
class Path(Displayed):
    """Triples, each of which shares an entity with the one before.

    ``scores`` holds the similarity to the question after each triple (0 to 1), ``score`` is the score of the beam
    search: their sum, weighted for diversity.
    """

    triples: tuple[Triple, ...]
    score: float
    scores: tuple[float, ...] = ()

    @property
    def passage_ids(self) -> tuple[str, ...]:
        """The passages that state the triples, in the order of the path, each once."""
        return tuple(dict.fromkeys(triple.passage_id for triple in self.triples))

    @property
    def steps(self) -> tuple[PathStep, ...]:
        """The triples as the path walks them."""
        return tuple(_walk(self.triples))

    def up_to(self, passage: str) -> Self:
        """The path up to its first triple from a passage (id), which must be one of its passages."""
        length = 1 + next(index for index, triple in enumerate(self.triples) if triple.passage_id == passage)
        return replace(self, triples=self.triples[:length], scores=self.scores[:length])

    def __str__(self) -> str:
        """The path on one line; if it does not continue from the last entity, the entity is repeated after a semicolon.

        Example:
            >>> first = Triple("1", "Hinton", "studied at", "Edinburgh", "p1")
            >>> second = Triple("2", "Salter", "founded", "edinburgh", "p2")
            >>> print(Path((first, second), 1.5))
            Hinton —studied at→ Edinburgh ←founded— Salter
        """
        return _draw(self.triples)


@dataclass(frozen=True, slots=True)
class FoundBy:
    """A ranked list that contains a hit: its name (``bm25``, ``sbert``, ``graph`` ...) and the rank there, from 1."""

    name: str
    rank: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved passage: its score (higher is better, comparable within one search only) and rank, from 1.

    ``similarity`` is its cosine to the question, None if the search did not compare them. ``before`` and ``after`` are
    the passages around it in its document, in order, if the search was to return them.
    """

    passage: Passage
    score: float
    rank: int
    sources: tuple[FoundBy, ...] = ()
    similarity: float | None = field(default=None, compare=False)
    before: tuple[Passage, ...] = ()
    after: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Cypher:
    """A query and its parameters, for Neo4j Browser or cypher-shell."""

    statement: str
    parameters: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        """Text to paste: one ``:param`` line for each parameter, then the statement."""
        lines = [f":param {name} => {escaped(json.dumps(value))};" for name, value in self.parameters.items()]
        return "\n".join([*lines, self.statement])


@dataclass(frozen=True, slots=True)
class EntityHit:
    """A node of the user's graph that answers a question: element id, name, labels, rank (from 1).

    ``pattern`` describes the pattern that matched it, ``cypher`` is the query for all nodes of the pattern. ``value``
    is the number or date that it is ranked by, if the question asks for an order or a count. ``confidence`` is the
    probability that the pattern is what the question means, 0 to 1. ``unused`` are the phrases of the question that the
    pattern does not use; ``understood`` is False if a name is among them, and the confidence then means little.
    """

    id: str
    name: str
    labels: tuple[str, ...]
    rank: int
    pattern: str
    cypher: Cypher
    value: float | str | None = None
    confidence: float = 0.0
    unused: tuple[str, ...] = ()
    understood: bool = True


@dataclass(frozen=True, slots=True)
class Figure:
    """A number or date that answers a question, such as how many films there are; ``value`` is None over no values.

    ``pattern`` describes the pattern, ``cypher`` is its query, and ``confidence`` the probability that the pattern is
    what the question means, 0 to 1. ``unused`` and ``understood`` are those of :class:`EntityHit`. ``counted`` is the
    noun of what a number counts, else empty.
    """

    value: float | str | None
    pattern: str
    cypher: Cypher
    confidence: float = 0.0
    unused: tuple[str, ...] = ()
    understood: bool = True
    counted: str = ""


@dataclass(frozen=True, slots=True)
class Hits(Displayed, Sequence[Hit]):
    """The result of every retriever: the hits, best first, and the paths that led to them, best first.

    ``exact`` is False if the paths met an entity with so many triples that only those nearest to the question were
    examined. ``milliseconds`` splits the time: ``encode`` (the question), ``base``, ``expand`` (the walk),
    ``paths`` (those of ``scout``), ``fetch``. If a language model took part, ``facts`` are its notes, and ``usage`` is
    the cost of each role. ``entities`` are the nodes of an adopted graph that answer the question, best first;
    ``figure`` is the number that it asks for instead; ``doubt`` is one sentence on what is ambiguous, else empty.
    ``scope`` is the JSON of the scope of the search, empty without one; ``scope_plan`` says how vectors were searched
    within it. ``similarity`` is the cosine of the question and the passage nearest to it, None if vectors were not
    searched; JSON does not have it.
    """

    question: str
    retriever: str
    hits: tuple[Hit, ...]
    paths: tuple[Path, ...] = ()
    exact: bool = True
    milliseconds: dict[str, float] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    usage: dict[str, Usage] = field(default_factory=dict)
    entities: tuple[EntityHit, ...] = ()
    figure: Figure | None = None
    doubt: str = ""
    scope: Mapping[str, Any] = field(default_factory=dict)
    scope_plan: str = ""
    similarity: float | None = field(default=None, compare=False)

    @property
    def triples(self) -> tuple[Triple, ...]:
        """The triples of the paths, in order, each once."""
        return tuple(dict.fromkeys(triple for path in self.paths for triple in path.triples))

    def path_to(self, passage: str) -> Path | None:
        """The first path that ends at a passage (id), else the first through it, up to there; None without any.

        Example:
            >>> founded = Triple("1", "Salter", "founded", "Sigma", "p1")
            >>> hits = Hits("Who?", "naive", (), (Path((founded, Triple("2", "Sigma", "is in", "Bath", "p2")), 1.6),))
            >>> print(hits.path_to("p2"), hits.path_to("p1"), hits.path_to("p3"), sep="; ")
            Salter —founded→ Sigma —is in→ Bath; Salter —founded→ Sigma; None
        """
        through = [path for path in self.paths if passage in path.passage_ids]
        return next(
            (path for path in through if path.triples[-1].passage_id == passage),
            through[0].up_to(passage) if through else None,
        )

    def to_pandas(self) -> Any:
        """The hits as a ``pandas.DataFrame``, one row each: passage, source, metadata, score and rank.

        Raises:
            SettingsError: pandas is not installed.
        """
        rows = [
            {"rank": hit.rank, "score": hit.score} | {name: getattr(hit.passage, name) for name in _OF_PASSAGE}
            for hit in self
        ]
        return data_frame(rows, columns=("rank", "score", *_OF_PASSAGE))

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...

    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)


def entity_key(name: str) -> str:
    """The key of an entity's name: folded, spaces collapsed; letters of every script and their accents are kept.

    Folded means NFKC without case, and without the differences between apostrophes, hyphens and invisible characters. A
    name too long for an index entry is shortened to its beginning and a digest.

    Example:
        >>> entity_key("  Straße  des\\n17. JUNI ") == entity_key("STRASSE des 17. juni")
        True
        >>> entity_key("Sean O\u2019Brien") == entity_key("Sean O'Brien")
        True
        >>> entity_key("鲁迅")
        '鲁迅'
    """
    # A name of invisible characters is one still.
    key = " ".join((folded(name) or name).split())
    if len(key) <= LONGEST_KEY:
        return key
    return f"{key[: LONGEST_KEY - 33].rstrip()}#{digest(key)}"


def spelling_rank(name: str) -> tuple[bool, str]:
    """A sort key for the spellings of an entity: the least becomes its name; spellings in capitals come last.

    Example:
        >>> min(["NASA", "Nasa", "nasa"], key=spelling_rank)
        'Nasa'
    """
    return name == name.upper(), name


def passage_id(title: str, text: str) -> str:
    """An id for a passage without one: a hash of its content.

    Example:
        >>> len(passage_id("Curie", "Marie Curie was born in Warsaw."))
        32
    """
    return digest(title, text)


def make_passage(source: str, title: str, text: str, *, position: str | None = None) -> Passage:
    """A passage of a document, with its id: a hash of source, title and text, but not of the position.

    Example:
        >>> passage = make_passage("a.md", "Curie", "Born in Warsaw.", position="line 1")
        >>> passage.id == make_passage("a.md", "Curie", "Born in Warsaw.", position="line 9").id
        True
        >>> passage.id == make_passage("b.md", "Curie", "Born in Warsaw.", position="line 1").id
        False
    """
    return Passage(digest(source, title, text), title, text, source, position)


def triple_id(passage: str, subject: str, predicate: str, object: str) -> str:
    """The id of a triple: a hash of its passage's id and its three parts."""
    return digest(passage, subject, predicate, object)


def make_triple(passage: str, subject: str, predicate: str, object: str) -> Triple:
    """A triple with its id.

    >>> make_triple("p1", "Curie", "born in", "Warsaw").text
    'Curie born in Warsaw'
    """
    return Triple(triple_id(passage, subject, predicate, object), subject, predicate, object, passage)


def digest(*parts: str) -> str:
    """A hash of texts; JSON separates them, whatever characters they contain."""
    return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def node_passage_id(node: str) -> str:
    """The id of the passage that represents a node of the user's graph, from the node's element id."""
    return digest("node", node)


def _draw(triples: tuple[Triple, ...]) -> str:
    line = ""
    for step in _walk(triples):
        arrow = f"—{step.triple.predicate}→" if step.forward else f"←{step.triple.predicate}—"
        begin = line if step.continues else f"{f'{line}; ' if line else ''}{step.start}"
        line = f"{begin} {arrow} {step.end}"
    return line


def _walk(triples: tuple[Triple, ...]) -> Iterator[PathStep]:
    tip = ""
    for number, triple in enumerate(triples):
        if number == 0:
            # It leads to the entity that the next triple shares.
            forward = len(triples) == 1 or entity_key(triple.object) in _ends(triples[1])
        else:
            forward = tip == entity_key(triple.subject) or tip != entity_key(triple.object)
        step = PathStep(triple, forward, continues=bool(number) and tip in _ends(triple))
        tip = entity_key(step.end)
        yield step


def _ends(triple: Triple) -> set[str]:
    return {entity_key(triple.subject), entity_key(triple.object)}
