"""The shapes that documents are made of; within a version, fields are only ever added."""

from pydantic import BaseModel, ConfigDict, Field

from gear_neo4j.ingestion.job import FileKind
from gear_neo4j.wire.values import Json, Text


class Shape(BaseModel):
    """What all shapes have in common: exact types, finite numbers; a field that is not known is passed over."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)


class Fact(Shape):
    """A statement as a language model wrote it."""

    subject: Text
    predicate: Text
    object: Text


class Triple(Fact):
    """A statement of the graph; `passage` is the id of the passage that states it."""

    id: Text
    passage: Text


class Cypher(Shape):
    """A query for Neo4j Browser or a driver."""

    statement: Text
    parameters: dict[Text, Json]


class Path(Shape):
    """Triples that share an entity from one to the next; `scores` has the similarity to the question after each.

    `text` is the path on one line, `passages` are the ids of those that state it, `cypher` shows it in Neo4j.
    """

    text: Text
    score: float
    scores: list[float]
    triples: list[Triple] = Field(min_length=1)
    passages: list[Text]
    cypher: Cypher


class FoundBy(Shape):
    """A list that a hit was found in, and its rank there, from 1."""

    name: Text
    rank: int


class Passage(Shape):
    """A piece of text; `source` names its file, `position` the place there, `metadata` has a value for each field."""

    id: Text
    title: Text
    text: Text
    source: Text | None
    position: Text | None
    collection: Text = "default"
    metadata: dict[Text, Json] = Field(default_factory=dict)


class Hit(Passage):
    """A retrieved passage; a higher `score` is better within one search, ranks count from 1."""

    rank: int
    score: float
    sources: list[FoundBy]


class EntityHit(Shape):
    """A node of the user's graph that answers the question; ranks count from 1, `id` is its element id.

    `pattern` says in words what led to it, `cypher` shows it and the other nodes of that pattern. `value` is what it is
    ranked by, where the question asks for an order or a count. `confidence` is the probability, 0 to 1, that the
    pattern is what the question means.
    """

    id: Text
    name: Text
    labels: list[Text]
    rank: int
    pattern: Text
    cypher: Cypher
    value: float | Text | None = None
    confidence: float = 0.0


class Figure(Shape):
    """A number or date that answers the question; null over nothing. `pattern` and `cypher` led to it.

    `confidence` is the probability, 0 to 1, that the pattern is what the question means.
    """

    value: float | Text | None
    pattern: Text
    cypher: Cypher
    confidence: float = 0.0


class Usage(Shape):
    """Calls and tokens of a language model; `estimated` where a reply did not report its tokens."""

    calls: int
    input_tokens: int
    output_tokens: int
    cached: int
    retries: int
    estimated: bool


class Entity(Shape):
    """A name in the question, from character `start` to before `end`, and the ids of the nodes that it may mean."""

    text: Text
    start: int
    end: int
    nodes: list[Text]


class EntitySummary(Shape):
    """A node that triples mention: `id` is its element id, `degree` the number of its triples."""

    id: Text
    name: Text
    labels: list[Text]
    degree: int


class EntityFact(Triple):
    """A triple of an entity: `title` is that of its passage, `head` and `tail` are the ids of its two ends."""

    title: Text
    head: Text
    tail: Text


class Synonym(Shape):
    """An entity with a similar name; `score` is the cosine of the two names."""

    id: Text
    name: Text
    score: float


class Neighbour(Shape):
    """An entity at the other end of `facts` facts."""

    id: Text
    name: Text
    facts: int


class Embedding(Shape):
    """The model that built the vectors of a database, and how many numbers each has."""

    model: Text
    dimension: int


class PassageCitation(Shape):
    """A marker of an answer that stands for a passage; `passage` is its id."""

    marker: Text
    passage: Text
    title: Text
    text: Text
    source: Text | None
    position: Text | None
    collection: Text = "default"
    metadata: dict[Text, Json] = Field(default_factory=dict)


class FactCitation(Shape):
    """A marker of an answer that stands for a fact."""

    marker: Text
    fact: Fact


class Query(Shape):
    """A query of an agent: the rows it gave, or the problem with it; `template` is `cypher` where a model wrote it."""

    text: Text
    problem: Text
    rows: list[Text]
    template: Text
    parameters: dict[Text, Json]


class Judgement(Shape):
    """A critic's verdict; `of` is a passage's id or a text. A higher `score` is better, null where there is none."""

    role: Text
    of: Text
    label: Text
    score: float | None


class ToolCall(Shape):
    """A question that a plan put to a tool, and the tool's answer, or why there is none."""

    tool: Text
    question: Text
    answer: Text
    failure: Text


class Step(Shape):
    """One turn of an agent; passages by id, best first.

    `linked` has a place for each of `proximal`, `gist` is what the memory gained, `merged` the ranking had the run
    ended here. `answerable` is null where nobody judged. Times are by part, usage is by role.
    """

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

    name: Text
    kind: FileKind
    bytes: int


class Progress(Shape):
    """How far a stage is: `done` of `total` (bytes of files, or items), and how many items it has `written`."""

    stage: Text
    done: int
    total: int
    written: int


class LineProblem(Shape):
    """A line or a file that could not be used, and why; line 0 stands for the whole file."""

    file: Text
    line: int
    reason: Text


class StoredSource(Shape):
    """A source of passages in a collection, and how many it has there."""

    collection: Text
    source: Text
    passages: int


class RecordedReply(Shape):
    """A reply of the language model, by digests of its task and case; `failure` is the error in place of a reply."""

    task: Text
    case: Text
    text: Text
    failure: Text
