"""The bodies of requests, and of responses that are not documents of :mod:`gear_neo4j.wire`."""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from gear_neo4j.gear.doctor import Level
from gear_neo4j.retrieval.context import MOST_PASSAGES as MOST_CONTEXT
from gear_neo4j.web.options import LONGEST_QUESTION, MOST_PASSAGES
from gear_neo4j.web.quotas.quota import Span, Unit
from gear_neo4j.wire import documents, shapes

Question = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
LONGEST_ANSWER = 20_000
# See gear_neo4j.retrieval.context.
Context = Annotated[int, Field(ge=0, le=MOST_CONTEXT)] | Literal["section"]
# A name, or a name with options: {"name": "naive", "base": "sbert"}.
Choice = Name | dict[str, JsonValue]


class _Body(BaseModel):
    # A misspelt field must not be ignored, least of all one that should narrow a search.
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Narrowed(_Body):
    """Conditions that narrow what a request sees, within what its key may see."""

    collections: Annotated[list[Name], Field(max_length=100)] | None = None
    where: Annotated[str, Field(max_length=4_000)] | dict[str, JsonValue] | None = None

    @property
    def narrowing(self) -> dict[str, Any]:
        """The conditions, as :meth:`gear_neo4j.Gear.scoped` takes them."""
        return {"collections": self.collections, "where": self.where}


class SearchBody(Narrowed):
    """A search; ``retriever`` and its first stage, ``base``, are names or names with options.

    With a ``context``, each hit comes with so many passages before and after it in its document, or with its section.
    """

    question: Question
    k: Annotated[int, Field(ge=1, le=MOST_PASSAGES)] = 10
    retriever: Choice = "auto"
    base: Choice | None = None
    context: Context = 0


class PathsBody(Narrowed):
    """A question; the paths between the entities that it names are wanted."""

    question: Question
    limit: Annotated[int, Field(ge=1, le=MOST_PASSAGES)] = 20


class Turn(_Body):
    """An earlier question of a conversation, and its answer."""

    question: Question
    answer: Annotated[str, Field(max_length=LONGEST_ANSWER)] = ""


class AskBody(Narrowed):
    """A question to answer; with ``stream``, events are sent as they happen.

    ``history`` has the earlier questions of a conversation with their answers, oldest first. With a ``context``, the
    model that answers also reads so many passages before and after each one, or those of its section.
    """

    question: Question
    agent: Choice = "gear"
    k: Annotated[int, Field(ge=1, le=MOST_PASSAGES)] = 10
    max_steps: Annotated[int, Field(ge=1, le=8)] | None = None
    seconds: Annotated[float, Field(ge=1, le=3_600)] | None = None
    stream: bool = False
    context: Context = 0
    history: Annotated[list[Turn], Field(max_length=100)] = Field(default_factory=list)

    @property
    def turns(self) -> list[tuple[str, str]]:
        """The history as :meth:`gear_neo4j.Gear.ask` takes it."""
        return [(turn.question, turn.answer) for turn in self.history]


class PictureBody(BaseModel):
    """Paths to draw, as a search or an answer returned them."""

    model_config = ConfigDict(frozen=True)

    paths: Annotated[list[shapes.Path], Field(max_length=MOST_PASSAGES)]


class Health(BaseModel):
    """The service runs, or is ready; ``warning`` says what does not work although requests are answered."""

    status: Literal["ok"] = "ok"
    warning: str | None = None


class RecipeSchema(BaseModel):
    """A retriever or an agent: ``options`` is the JSON Schema of its options."""

    name: str
    summary: str
    requires_model: bool
    options: dict[str, Any]


class Jobs(BaseModel):
    """The newest jobs, the newest first."""

    jobs: list[documents.Job]


class Rights(BaseModel):
    """The caller and its rights.

    ``collections`` and ``principals`` are null if nothing limits them; ``filtered`` says whether the key has a
    filter. ``accepts`` lists the file types that the caller may upload; empty if it may only read. ``signed_in`` says
    whether the caller is a person who has signed in, and not a key.
    """

    name: str
    signed_in: bool
    collections: list[str] | None
    principals: list[str] | None
    filtered: bool
    accepts: list[str]


class LimitStatus(BaseModel):
    """One limit of a quota: how much the caller has used of ``limit``, and when it starts again, in UTC."""

    unit: Unit
    period: Span
    limit: int
    used: int
    resets: AwareDatetime


class QuotaStatus(BaseModel):
    """What the caller has used of its quota; without a limit, there is no quota."""

    limits: list[LimitStatus]


class Recipes(BaseModel):
    """The recipes that a caller may choose; ``has_model`` says whether the service has a chat model."""

    has_model: bool
    retrievers: list[RecipeSchema]
    agents: list[RecipeSchema]


class Finding(BaseModel):
    """One check of the database; ``fix`` says what to do, if anything."""

    level: Level
    subject: str
    detail: str
    fix: str


class Examination(BaseModel):
    """The findings of the doctor."""

    findings: list[Finding]


class PictureBox(BaseModel):
    """A part of a picture, in pixels; ``paths`` are the indexes of the paths through it, from 0."""

    kind: Literal["rank", "entity", "triple"]
    x: float
    y: float
    width: float
    height: float
    paths: list[int]
    name: str
    triple: str
    passage: str
    backward: bool


class PictureLine(BaseModel):
    """A line between two boxes, by their indexes."""

    start: int
    end: int
    paths: list[int]


class PictureLayout(BaseModel):
    """The layout of a picture of paths; ``links`` open one path each in Neo4j Browser, or are empty."""

    width: float
    height: float
    boxes: list[PictureBox]
    lines: list[PictureLine]
    links: list[str]
