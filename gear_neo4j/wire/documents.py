"""The documents, and the JSON Schema that is made from them."""

from typing import Annotated, Any, ClassVar, Final, Literal, get_args

from pydantic import Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from gear_neo4j import domain, status
from gear_neo4j.agents import answer, run
from gear_neo4j.agents.answer import StopReason
from gear_neo4j.agents.run import EventKind
from gear_neo4j.graph.read import entities, sources
from gear_neo4j.ingestion import job
from gear_neo4j.ingestion.job import JobState, JobTask
from gear_neo4j.retrieval import paths
from gear_neo4j.retrieval.reasons import shared_words
from gear_neo4j.wire.shapes import (
    Embedding,
    Entity,
    EntityFact,
    EntityHit,
    EntitySummary,
    Fact,
    FactCitation,
    Figure,
    Hit,
    JobFile,
    Json,
    LineProblem,
    Neighbour,
    Passage,
    PassageCitation,
    Path,
    Progress,
    RecordedReply,
    Shape,
    Step,
    StoredSource,
    Synonym,
    Text,
    Triple,
    Usage,
)

VERSION: Final = 1


class Document(Shape):
    """What can stand alone: `wire` is the version of all shapes, `kind` says which document it is."""

    wire: Literal[1]

    @classmethod
    def fields_of(cls, value: Any) -> dict[str, Any]:
        """The fields of a value, with the version and the kind."""
        (kind,) = get_args(cls.model_fields["kind"].annotation)
        return super().fields_of(value) | {"wire": VERSION, "kind": kind}


class Search(Document):
    """What a search returned; `exact` is false where the paths met an entity of too many triples.

    `figure` is the one number that the question asks for, `doubt` says what entities and figure leave open.
    """

    value_type = domain.Hits
    noun = "a search"

    kind: Literal["search"]
    question: Text
    retriever: Text
    hits: list[Hit]
    paths: list[Path]
    facts: list[Fact]
    exact: bool
    milliseconds: dict[Text, float]
    usage: dict[Text, Usage]
    entities: list[EntityHit] = Field(default_factory=list)
    figure: Figure | None = None
    doubt: Text = ""
    scope: dict[Text, Json] = Field(default_factory=dict)
    scope_plan: Text = ""

    @classmethod
    def fields_of(cls, value: Any) -> dict[str, Any]:
        """The fields of a search, and why each hit was found."""
        hits = [
            Hit.fields_of(hit)
            | {"path": value.path_to(hit.passage.id), "words": list(shared_words(value.question, hit.passage))}
            for hit in value.hits
        ]
        return super().fields_of(value) | {"hits": hits}


class Paths(Document):
    """What a question names in the graph, and the paths between.

    The first `connecting` paths connect two of the entities; the others are facts around them. `nodes`, `figure` and
    `doubt` are the entities, the figure and the doubt of a search.
    """

    value_type = paths.PathResult
    renamed: ClassVar = {"entities": "matches"}
    noun = "a document of paths"

    kind: Literal["paths"]
    question: Text
    entities: list[Entity]
    paths: list[Path]
    exact: bool
    nodes: list[EntityHit] = Field(default_factory=list)
    figure: Figure | None = None
    doubt: Text = ""
    connecting: int = 0


class Trace(Document):
    """All that decided a run; `links` are the passages of each fact of the memory, `titles` are by passage."""

    value_type = answer.Trace
    noun = "a trace"

    kind: Literal["trace"]
    question: Text
    roles: Text
    steps: list[Step]
    links: list[list[Text]]
    selected: list[Text]
    titles: dict[Text, Text]
    answer: Text
    replies: list[RecordedReply]
    scope: dict[Text, Json] = Field(default_factory=dict)


class Answer(Document):
    """An answer with its evidence; `search` and `trace` are documents of their own.

    `gist` are the facts that the agent kept, `usage` is by role and `total` its sum; `removed_citations` are markers
    that the model made up. `asked` is the last question of a conversation if `question` is what was made of it.
    """

    value_type = answer.Answer
    renamed: ClassVar = {"answer": "text", "removed_citations": "removed", "search": "hits"}
    noun = "an answer"

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
    asked: Text = ""


class Event(Document):
    """What an agent just did in a step; `answer` is there in the last event of a run, and null before."""

    value_type = run.Event
    renamed: ClassVar = {"event": "kind"}
    noun = "an event"

    kind: Literal["event"]
    event: EventKind
    step: int
    text: Text
    facts: list[Fact]
    answer: Answer | None


class PassageDocument(Document):
    """One passage: `url` is where it can be read, `triples` are those that it states.

    `exact` is false where it states more than these. `previous` and `next` are the passages before and after it in its
    document, null at its ends and where there is no document.
    """

    value_type = domain.PassageRecord
    inlined: ClassVar = {"passage": domain.Passage}
    noun = "a passage"

    kind: Literal["passage"]
    id: Text
    title: Text
    text: Text
    url: Text
    source: Text | None
    position: Text | None
    collection: Text
    metadata: dict[Text, Json]
    triples: list[Triple]
    exact: bool
    previous: Passage | None = None
    next: Passage | None = None


class Entities(Document):
    """The entity of a name first, then those with similar names."""

    kind: Literal["entities"]
    name: Text
    entities: list[EntitySummary]


class EntityDocument(Document):
    """One entity: its facts by passage, those with similar names, and the entities at the other ends of its facts.

    `exact` is false where it has more facts than these.
    """

    value_type = entities.EntityRecord
    inlined: ClassVar = {"entity": entities.EntitySummary}
    noun = "an entity"

    kind: Literal["entity"]
    id: Text
    name: Text
    labels: list[Text]
    degree: int
    facts: list[EntityFact]
    synonyms: list[Synonym]
    neighbours: list[Neighbour]
    exact: bool


class Status(Document):
    """What a caller sees of a database, and the names by which it can be searched; `version` is gear-neo4j's.

    `embedding` is null in a database without our data.
    """

    value_type = status.Status
    noun = "a status"

    kind: Literal["status"]
    version: Text
    database: Text
    passages: int
    triples: int
    entities: int
    embedding: Embedding | None
    retrievers: list[Text]
    agents: list[Text]


class Job(Document):
    """Work on a collection that a service has accepted: files to ingest, or a `source` to forget.

    Times are in ISO 8601, empty before they are known. `progress` has an entry for each stage that has begun, `counts`
    what was read, written and removed. `problems` are the first of `problem_count`; `detail` says why a job failed, or
    what it waits for.
    """

    value_type = job.Job
    noun = "a job"

    kind: Literal["job"]
    id: Text
    task: JobTask
    state: JobState
    collection: Text
    source: Text
    created: Text
    started: Text
    finished: Text
    files: list[JobFile]
    progress: list[Progress]
    counts: dict[Text, int]
    problems: list[LineProblem]
    problem_count: int
    detail: Text


class Sources(Document):
    """Some sources of passages in order; `next` is what the next page begins after, null at the end."""

    value_type = sources.SourcePage
    noun = "a list of sources"

    kind: Literal["sources"]
    sources: list[StoredSource]
    next: Text | None


class Problem(Document):
    """An error, after RFC 9457: `code` is the name of its class, `title` what that stands for, `detail` the message."""

    noun = "a problem"

    kind: Literal["problem"]
    type: Text
    title: Text
    detail: Text
    code: Text


# The shape of each kind of value that is written or read by itself.
SHAPES: dict[type[Any], type[Shape]] = {
    shape.value_type: shape
    for shape in (Search, Paths, Trace, Answer, Event, PassageDocument, EntityDocument, Status, Job, Sources, Hit, Path)
}


class _SchemaGenerator(GenerateJsonSchema):
    """Leaves out the titles of fields, which only repeat their names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def json_schema() -> dict[str, Any]:
    """The JSON Schema of every document.

    Example:
        >>> sorted(json_schema()["discriminator"]["mapping"])[:5]
        ['answer', 'entities', 'entity', 'event', 'job']
    """
    documents = Annotated[
        Search
        | Paths
        | Trace
        | Answer
        | Event
        | PassageDocument
        | Entities
        | EntityDocument
        | Status
        | Job
        | Sources
        | Problem,
        Field(discriminator="kind"),
    ]
    schema = TypeAdapter[Any](documents).json_schema(schema_generator=_SchemaGenerator)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The JSON of gear-neo4j, version {VERSION}",
        **schema,
    }
