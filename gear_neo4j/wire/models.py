"""The shapes of the JSON, from which its schema is made; within a version, fields are only ever added."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from gear_neo4j.agents.answer import StopReason
from gear_neo4j.agents.run import Happening
from gear_neo4j.wire.values import Json, Text

VERSION: Final = 1


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


class Source(Shape):
    """A list that a hit was found in, and its rank there, from 1."""

    name: Text
    rank: int


class Passage(Shape):
    """A piece of text; `source` names its file, `position` the place there."""

    id: Text
    title: Text
    text: Text
    source: Text | None
    position: Text | None


class Hit(Passage):
    """A retrieved passage; a higher `score` is better within one search, ranks count from 1."""

    rank: int
    score: float
    sources: list[Source]


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


class PassageCitation(Shape):
    """A marker of an answer that stands for a passage; `passage` is its id."""

    marker: Text
    passage: Text
    title: Text
    text: Text
    source: Text | None
    position: Text | None


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
    milliseconds: dict[Text, float]
    usage: dict[Text, Usage]


class RecordedReply(Shape):
    """A reply of the language model, by digests of its task and case; `failure` is the error in place of a reply."""

    task: Text
    case: Text
    text: Text
    failure: Text


class Document(Shape):
    """What can stand alone: `wire` is the version of all shapes, `kind` says which document it is."""

    wire: Literal[1]


class Search(Document):
    """What a search returned; `exact` is false where the paths met an entity of too many triples."""

    kind: Literal["search"]
    question: Text
    retriever: Text
    hits: list[Hit]
    paths: list[Path]
    facts: list[Fact]
    exact: bool
    milliseconds: dict[Text, float]
    usage: dict[Text, Usage]


class Paths(Document):
    """What a question names in the graph, and the paths between."""

    kind: Literal["paths"]
    question: Text
    entities: list[Entity]
    paths: list[Path]
    exact: bool


class Trace(Document):
    """All that decided a run; `links` are the passages of each fact of the memory, `titles` are by passage."""

    kind: Literal["trace"]
    question: Text
    roles: Text
    steps: list[Step]
    links: list[list[Text]]
    selected: list[Text]
    titles: dict[Text, Text]
    answer: Text
    replies: list[RecordedReply]


class Answer(Document):
    """An answer with its evidence; `search` and `trace` are documents of their own.

    `gist` are the facts that the agent kept, `usage` is by role and `total` its sum; `removed_citations` are markers
    that the model made up.
    """

    kind: Literal["answer"]
    question: Text
    answer: Text
    stop_reason: StopReason
    grounded: bool
    failure: Text
    citations: list[PassageCitation | FactCitation]
    removed_citations: list[Text]
    gist: list[Fact]
    usage: dict[Text, Usage]
    total: Usage
    seconds: float
    search: Search
    trace: Trace


class Event(Document):
    """What an agent just did in a step."""

    kind: Literal["event"]
    event: Happening
    step: int
    text: Text
    facts: list[Fact]


class Problem(Document):
    """An error, after RFC 9457: `code` is the name of its class, `title` what that stands for, `detail` the message."""

    kind: Literal["problem"]
    type: Text
    title: Text
    detail: Text
    code: Text


class _Untitled(GenerateJsonSchema):
    """Leaves out the titles of fields, which only repeat their names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def json_schema() -> dict[str, Any]:
    """The JSON Schema of every document.

    Example:
        >>> sorted(json_schema()["discriminator"]["mapping"])
        ['answer', 'event', 'paths', 'problem', 'search', 'trace']
    """
    documents = Annotated[Search | Paths | Trace | Answer | Event | Problem, Field(discriminator="kind")]
    schema = TypeAdapter[Any](documents).json_schema(schema_generator=_Untitled)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The JSON of gear-neo4j, version {VERSION}",
        **schema,
    }
