"""The structured results of the tools; clients get their JSON Schema with the list of tools."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gear_neo4j.text.printable import printable

# Without control characters from passages or models, because a client may be a terminal. Ids are unchanged.
Text = Annotated[str, BeforeValidator(printable)]


class Result(BaseModel):
    """The base of all results and their parts."""

    # Parts are made from domain values with the same attributes.
    model_config = ConfigDict(frozen=True, allow_inf_nan=False, from_attributes=True)


class Limited(Result):
    """A result with a maximum length."""

    truncated: bool = Field(default=False, description="Whether the result was cut to stay within a limit.")


class FoundBy(Result):
    """A ranked list that contains the passage, and its rank there."""

    name: str
    rank: int


class FoundPassage(Result):
    """A retrieved passage, in short."""

    id: str = Field(description="For the tool fetch.")
    title: Text
    url: str
    text: Text = Field(description="The beginning of the passage, at most 500 characters.")
    score: float = Field(description="Higher is better; comparable within one search only.")
    rank: int
    sources: list[FoundBy] = Field(description="The ranked lists that contain the passage.")
    similarity: float | None = Field(default=None, description="The cosine of question and passage, if compared.")
    words: list[Text] = Field(default=[], description="Words of the question that the passage has.")
    path: Text = Field(default="", description="The path in the graph that leads to the passage; empty without one.")


class FoundPath(Result):
    """A path through the graph on one line."""

    text: Text
    score: float
    passage_ids: list[str] = Field(description="The passages that state it, in the order of the path.")


class SearchResult(Limited):
    """Passages, best first, and the paths that led to them."""

    results: list[FoundPassage]
    paths: list[FoundPath]
    exact: bool = Field(description="False if not everything could be examined.")


class Triple(Result):
    """A statement."""

    subject: Text
    predicate: Text
    object: Text


class Metadata(Result):
    """The source of a passage, and its triples."""

    source: Text | None = Field(description="The file or graph that the passage comes from.")
    position: Text | None = Field(description="The location in the source.")
    previous: str | None = Field(default=None, description="The passage before it in its document, for the tool fetch.")
    next: str | None = Field(default=None, description="The passage after it in its document.")
    triples: list[Triple]


class FetchResult(Limited):
    """One passage in full."""

    id: str
    title: Text
    text: Text
    url: str
    metadata: Metadata


class StatedTriple(Triple):
    """A statement of a path, and the passage that makes it."""

    passage_id: str


class Cypher(Result):
    """A query that shows a path in Neo4j, and its parameters."""

    statement: str
    parameters: dict[str, object]


class ConnectingPath(Result):
    """A path between entities of the question, or a fact around them."""

    text: Text
    score: float
    triples: list[StatedTriple]
    cypher: Cypher
    browser_url: str = Field(description="Opens the query in the server's own Neo4j Browser; may be empty.")


class OwnAnswer(Result):
    """The rows of a query that the graph's owner wrote for such questions; ``truncated`` says why there are more."""

    name: str
    cypher: Cypher
    rows: list[Text]
    truncated: Text


class PathsResult(Limited):
    """The connections between the entities that a question names, and the answer of the owner's own query, if any."""

    template: OwnAnswer | None
    named: list[Text] = Field(description="The entities of the graph that the question names.")
    paths: list[ConnectingPath]


class Citation(Result):
    """The passage or fact that a marker of the answer refers to; ``id`` is that of the passage.

    ``quotes`` are the sentences of the passage that support those with the marker. If the model cited nothing,
    or a passage that does not say this, ``sentence`` is one that supports the answer.
    """

    marker: str
    id: str
    title: Text
    url: str
    sentence: Text
    quotes: list[Text]


class Step(Result):
    """A question that the agent searched for, and what it concluded."""

    question: Text
    note: Text


class Usage(Result):
    """Calls and tokens of the language model."""

    calls: int
    input_tokens: int
    output_tokens: int


class AskResult(Limited):
    """An answer with its citations; ``grounded`` is false if the passages do not fully support it."""

    answer: Text
    citations: list[Citation]
    steps: list[Step]
    stop_reason: str
    grounded: bool
    usage: Usage
    seconds: float


class Embedding(Result):
    """The model that built the vectors."""

    model: Text
    dimension: int


class StatusResult(Result):
    """The contents of the database that this client may see, and how they can be searched."""

    version: str
    database: str
    passages: int
    triples: int
    entities: int
    embedding: Embedding | None
    retrievers: list[str] = Field(description="Values of `retriever` of the tool search.")
    agents: list[str] = Field(description="Values of `agent` of the tool ask.")
