"""The shapes that documents are made of; within a version, fields are only ever added.

A shape is written from a value of the domain and read back as one: a field that both have by the same name needs no
further line.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from math import isfinite
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator

from gear_neo4j import domain, status, usage
from gear_neo4j.agents import answer
from gear_neo4j.graph.read import entities, sources
from gear_neo4j.graph.read.path_cypher import path_cypher
from gear_neo4j.ingestion import job, lines, progress
from gear_neo4j.ingestion.job import FileKind
from gear_neo4j.models import recording
from gear_neo4j.retrieval import dictionary


def _whole(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {_whole(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        raise ValueError("JSON has no such number")
    return _whole(value)


# Models write half of a surrogate pair in JSON, which no file or terminal can hold: a question mark takes its place.
Text = Annotated[str, BeforeValidator(_whole)]
Json = Annotated[JsonValue, BeforeValidator(_plain)]


class Shape(BaseModel):
    """What all shapes have in common: exact types, finite numbers; a field that is not known is passed over."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)

    # What an error calls it.
    noun: ClassVar[str] = "a value"
    # The dataclass that the shape stands for.
    value_type: ClassVar[type[Any]]
    # Names that the dataclass has for fields of the shape, where they differ.
    renamed: ClassVar[Mapping[str, str]] = {}
    # Fields of the dataclass whose own fields are those of the shape.
    inlined: ClassVar[Mapping[str, type[Any]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _of_value(cls, value: Any) -> Any:
        return cls.fields_of(value) if is_dataclass(value) else value

    @classmethod
    def fields_of(cls, value: Any) -> dict[str, Any]:
        """The fields of the shape, as far as a value has them."""
        found: dict[str, Any] = {}
        for part in (*(getattr(value, name) for name in cls.inlined), value):
            for name in cls.model_fields:
                item = getattr(part, cls.renamed.get(name, name), MISSING)
                if item is not MISSING:
                    found[name] = item
        return found

    @classmethod
    def encode(cls, value: Any, **more: Any) -> dict[str, Any]:
        """The JSON of a value; ``more`` are fields that it does not have itself."""
        return cls.model_validate(cls.fields_of(value) | more, strict=False).model_dump(mode="json")

    def decode(self) -> Any:
        """The value that the shape was written from; what can be worked out from the rest is left alone."""
        inlined = {name: kind(**self._arguments(kind)) for name, kind in self.inlined.items()}
        return self.value_type(**self._arguments(self.value_type) | inlined)

    def _arguments(self, kind: Any) -> dict[str, Any]:
        return {name: _decoded(getattr(self, source)) for name, source in _sources(type(self), kind)}


@cache
def _sources(shape: type[Shape], kind: type[Any]) -> list[tuple[str, str]]:
    """The fields of a dataclass that a shape has, each with the shape's name for it."""
    names = {other: name for name, other in shape.renamed.items()}
    pairs = [(field.name, names.get(field.name, field.name)) for field in fields(kind)]
    return [(name, source) for name, source in pairs if source in shape.model_fields]


def _decoded(part: Any) -> Any:
    match part:
        # First, because it is quick: to ask whether something is a model takes far longer.
        case None | str() | int() | float():
            return part
        case list():
            return tuple(map(_decoded, part))
        case dict():
            # What else a mapping holds is JSON, and stays as it is.
            return {key: item.decode() if isinstance(item, Shape) else item for key, item in part.items()}
    return part.decode()


class Fact(Shape):
    """A statement as a language model wrote it."""

    value_type: ClassVar[type[Any]] = domain.Fact

    subject: Text
    predicate: Text
    object: Text


class Triple(Fact):
    """A statement of the graph; `passage` is the id of the passage that states it."""

    value_type: ClassVar[type[Any]] = domain.Triple
    renamed: ClassVar = {"passage": "passage_id"}

    id: Text
    passage: Text


class Cypher(Shape):
    """A query for Neo4j Browser or a driver."""

    value_type = domain.Cypher

    statement: Text
    parameters: dict[Text, Json]


class Path(Shape):
    """Triples that share an entity from one to the next; `scores` has the similarity to the question after each.

    `text` is the path on one line, `passages` are the ids of those that state it, `cypher` shows it in Neo4j.
    """

    noun = "a path"
    value_type = domain.Path
    renamed: ClassVar = {"passages": "passage_ids"}

    text: Text
    score: float
    scores: list[float]
    triples: list[Triple] = Field(min_length=1)
    passages: list[Text]
    cypher: Cypher

    @classmethod
    def fields_of(cls, value: Any) -> dict[str, Any]:
        """The fields of a path, with its drawing and the query that shows it."""
        return super().fields_of(value) | {"text": str(value), "cypher": path_cypher(value)}


class FoundBy(Shape):
    """A list that a hit was found in, and its rank there, from 1."""

    value_type = domain.FoundBy

    name: Text
    rank: int


class Passage(Shape):
    """A piece of text; `source` names its file, `position` says where it is there, `metadata` has its fields."""

    value_type: ClassVar[type[Any]] = domain.Passage

    id: Text
    title: Text
    text: Text
    source: Text | None
    position: Text | None
    collection: Text = "default"
    metadata: dict[Text, Json] = Field(default_factory=dict)


class Hit(Passage):
    """A retrieved passage; a higher `score` is better within one search, ranks count from 1.

    Why it was found: `sources` are the lists that contain it, `path` leads to it in the graph, `similarity` is its
    cosine to the question, and `words` are those of the question that it has; null or empty where there is none.
    `before` and `after` are the passages around it in its document, if the search was to return them.
    """

    noun = "a hit"
    value_type = domain.Hit
    inlined: ClassVar = {"passage": domain.Passage}

    rank: int
    score: float
    sources: list[FoundBy]
    similarity: float | None = None
    words: list[Text] = Field(default_factory=list)
    path: Path | None = None
    before: list[Passage] = Field(default_factory=list)
    after: list[Passage] = Field(default_factory=list)


class EntityHit(Shape):
    """A node of the user's graph that answers the question; ranks count from 1, `id` is its element id.

    `pattern` says in words what led to it, `cypher` shows it and the other nodes of that pattern. `value` is what it is
    ranked by, where the question asks for an order or a count. `confidence` is the probability, 0 to 1, that the
    pattern is what the question means. `unused` are the phrases of the question that the pattern does not use;
    `understood` is false if a name is among them, and the confidence then means little.
    """

    value_type = domain.EntityHit

    id: Text
    name: Text
    labels: list[Text]
    rank: int
    pattern: Text
    cypher: Cypher
    value: float | Text | None = None
    confidence: float = 0.0
    unused: list[Text] = Field(default_factory=list)
    understood: bool = True


class Figure(Shape):
    """A number or date that answers the question; null over nothing. `pattern` and `cypher` led to it.

    `confidence` is the probability, 0 to 1, that the pattern is what the question means. `unused` and `understood` are
    those of an entity. `counted` is the noun of what a number counts, else empty.
    """

    value_type = domain.Figure

    value: float | Text | None
    pattern: Text
    cypher: Cypher
    confidence: float = 0.0
    unused: list[Text] = Field(default_factory=list)
    understood: bool = True
    counted: Text = ""


class Usage(Shape):
    """Calls and tokens of a language model; `estimated` where a reply did not report its tokens."""

    value_type = usage.Usage

    calls: int
    input_tokens: int
    output_tokens: int
    cached: int
    retries: int
    estimated: bool


class Entity(Shape):
    """A name in the question, from character `start` to before `end`, and the ids of the nodes that it may mean."""

    value_type = dictionary.Match

    text: Text
    start: int
    end: int
    nodes: list[Text]


class EntitySummary(Shape):
    """A node that triples mention: `id` is its element id, `degree` the number of its triples."""

    value_type = entities.EntitySummary

    id: Text
    name: Text
    labels: list[Text]
    degree: int


class EntityFact(Triple):
    """A triple of an entity: `title` is that of its passage, `head` and `tail` are the ids of its two ends."""

    value_type = entities.EntityFact
    inlined: ClassVar = {"triple": domain.Triple}

    title: Text
    head: Text
    tail: Text


class Synonym(Shape):
    """An entity with a similar name; `score` is the cosine of the two names."""

    value_type = entities.Synonym

    id: Text
    name: Text
    score: float


class Neighbour(Shape):
    """An entity at the other end of `facts` facts."""

    value_type = entities.Neighbour

    id: Text
    name: Text
    facts: int


class Embedding(Shape):
    """The model that built the vectors of a database, and how many numbers each has."""

    value_type = status.Embedding

    model: Text
    dimension: int


class Span(Shape):
    """A part of a text: the indexes of its first character (Unicode code point) and of the one after its last."""

    value_type = domain.Span

    start: int
    end: int


class PassageCitation(Shape):
    """A marker of an answer that stands for a passage; `passage` is its id.

    `spans` are the parts of its `text` that support the sentences with the marker, as far as they were found.

    `sentence` is empty, unless the model did not cite this passage, and this sentence supports the answer. If it cited
    nothing, the marker is not in the text; if it cited a passage that does not say this, the marker was corrected.
    """

    value_type = answer.Citation
    inlined: ClassVar = {"passage": domain.Passage}
    renamed: ClassVar = {"passage": "id"}

    marker: Text
    passage: Text
    title: Text
    text: Text
    source: Text | None
    position: Text | None
    collection: Text = "default"
    metadata: dict[Text, Json] = Field(default_factory=dict)
    sentence: Text = ""
    spans: list[Span] = Field(default_factory=list)


class FactCitation(Shape):
    """A marker of an answer that stands for a fact."""

    value_type = answer.Citation

    marker: Text
    fact: Fact


class Query(Shape):
    """A query of an agent: the rows it gave, or the problem with it; `template` is `cypher` where a model wrote it."""

    value_type = answer.QueryAttempt

    text: Text
    problem: Text
    rows: list[Text]
    template: Text
    parameters: dict[Text, Json]


class Judgement(Shape):
    """A critic's verdict; `of` is a passage's id or a text. A higher `score` is better, null where there is none."""

    value_type = answer.Judgement

    role: Text
    of: Text
    label: Text
    score: float | None


class ToolCall(Shape):
    """A question that a plan put to a tool, and the tool's answer, or why there is none."""

    value_type = answer.ToolCall

    tool: Text
    question: Text
    answer: Text
    failure: Text


class Step(Shape):
    """One turn of an agent; passages by id, best first.

    `linked` has an entry for each of `proximal`, `gist` is what the memory gained, `merged` the ranking had the run
    ended here. `answerable` is null where nobody judged. Times are by part, usage is by role.
    """

    value_type = answer.Step

    number: int
    question: Text
    base: list[Text]
    proximal: list[Fact]
    linked: list[Triple | None]
    paths: list[Path]
    ranking: list[Text]
    gist: list[Fact]
    answerable: bool | None
    reason: Text
    rewrite: Text
    failures: list[Text]
    merged: list[Text]
    queries: list[Query]
    action: Text
    judgements: list[Judgement]
    plan: list[Text]
    tool_calls: list[ToolCall]
    milliseconds: dict[Text, float]
    usage: dict[Text, Usage]


class JobFile(Shape):
    """A file that was sent, by its sender's name for it; `bytes` is its size."""

    value_type = job.JobFile

    name: Text
    kind: FileKind
    bytes: int


class Progress(Shape):
    """How far a stage is: `done` of `total` (bytes of files, or items), and how many items it has `written`."""

    value_type = progress.Progress

    stage: Text
    done: int
    total: int
    written: int


class LineProblem(Shape):
    """A line or a file that could not be used, and why; line 0 stands for the whole file."""

    value_type = lines.Problem

    file: Text
    line: int
    reason: Text


class StoredSource(Shape):
    """A source of passages in a collection, and how many it has there."""

    value_type = sources.StoredSource

    collection: Text
    source: Text
    passages: int


class RecordedReply(Shape):
    """A reply of the language model, by digests of its task and case; `failure` is the error in place of a reply."""

    value_type = recording.RecordedReply

    task: Text
    case: Text
    text: Text
    failure: Text
