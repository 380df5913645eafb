"""The work of the tools on a view of the database; imported late, because that takes seconds."""

from collections.abc import Callable, Iterable, Sequence

from gear_neo4j.agents.run import Event
from gear_neo4j.domain import Hits, Path
from gear_neo4j.errors import ModelError
from gear_neo4j.gear.front import Gear
from gear_neo4j.gear.requests import requested_agent, requested_retriever
from gear_neo4j.mcp import encode
from gear_neo4j.mcp.fitting import fitted
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.results import AskResult, FetchResult, PathsResult, SearchResult, StatusResult
from gear_neo4j.retrieval.paths import Paths
from gear_neo4j.text.printable import single_line
from gear_neo4j.usage import Usage

MESSAGE = 200
# Number of facts around the entities of a question to add if there are few paths between them.
FACTS = 20


class Work:
    """The work of one call with one view; see :class:`gear_neo4j.mcp.tools.Tools` for the arguments.

    Afterwards, ``kind`` says what was asked for (empty for the status), ``passages`` has the ids of the returned
    passages, ``documents`` the names of their documents, ``walks`` the paths to what the result shows, by id or rank,
    ``usage`` the usage of the language model, and ``error`` the class of the error that ended it.

    Args:
        report: gets the text of each event of a run.
    """

    def __init__(self, gear: Gear, options: ServerOptions, *, report: Callable[[str], None]) -> None:
        self._gear = gear
        self._options = options
        self._report = report
        self.kind = self.question = self.error = ""
        self.passages: Sequence[str] = ()
        self.documents: Sequence[str | None] = ()
        self.walks: dict[str, Path] = {}
        self.usage = Usage()

    def search(self, query: str, *, k: int, retriever: str | None, base: str | None) -> SearchResult:
        """Passages for a question, and the paths to them."""
        self.kind, self.question = "search", query
        hits = self._gear.search(query, k=k, retriever=requested_retriever(retriever or None, base=base or None))
        self.passages = [hit.passage.id for hit in hits]
        self.documents = [hit.passage.source for hit in hits]
        self.usage = sum(hits.usage.values(), Usage())
        result = encode.encode_hits(hits, public_url=self._options.public_url)
        result = fitted(result, parts=("paths", "results"), most=self._options.max_chars)
        self.walks = _walks(hits, (found.id for found in result.results))
        return result

    def fetch(self, id: str) -> FetchResult:
        """One passage by its id."""
        self.kind = "passage"
        record = self._gear.passage(id)
        self.passages, self.documents = [record.passage.id], [record.passage.source]
        result = encode.encode_record(record, public_url=self._options.public_url)
        return fitted(result, parts=("metadata.triples", "text"), most=self._options.max_chars)

    def ids(self, prefix: str, *, limit: int) -> list[str]:
        """Ids of passages that begin with a prefix, in order."""
        return self._gear.graph.store.passage_ids(prefix, limit=limit)

    def paths(self, question: str, *, limit: int) -> PathsResult:
        """The connections between the entities that a question names."""
        self.kind, self.question = "paths", question
        # One more than the limit, to know whether there are more.
        recipe = Paths(max_paths=limit + 1, facts=FACTS)
        connected = self._gear.paths(question, options=recipe)
        self.passages = list(dict.fromkeys(id for path in connected.paths[:limit] for id in path.passage_ids))
        database = self._gear.graph.name
        own = self._gear.overlay.templates.answer(question)
        result = encode.encode_connected(
            connected, limit=limit, uri=self._options.neo4j_uri, database=database, own=own
        )
        parts = ("paths", "template.rows", "named") if own else ("paths", "named")
        result = fitted(result, parts=parts, most=self._options.max_chars)
        self.walks = {str(rank): path for rank, path in enumerate(connected.paths[: len(result.paths)])}
        return result

    def ask(self, question: str, *, agent: str | None, max_steps: int | None, seconds: float) -> AskResult:
        """An answer with its citations.

        Raises:
            ModelError: the model failed before it wrote anything.
        """
        self.kind, self.question = "answer", question
        recipe = requested_agent(agent or None, max_steps=max_steps, seconds=seconds)
        answer = self._gear.ask(question, agent=recipe, on_event=self._tell)
        self.passages, self.usage = [hit.passage.id for hit in answer.hits], answer.total
        self.documents = [hit.passage.source for hit in answer.hits]
        if answer.failure and not answer.text:
            raise ModelError(f"{answer.failure}; the tool {self._options.tool('search')} needs no model")
        result = encode.encode_answer(answer, public_url=self._options.public_url)
        result = fitted(result, parts=("steps", "citations", "answer"), most=self._options.max_chars)
        self.walks = _walks(answer.hits, (citation.id for citation in result.citations))
        return result

    def status(self) -> StatusResult:
        """The contents of the database."""
        return StatusResult.model_validate(self._gear.status())

    def _tell(self, event: Event) -> None:
        # Pieces of the answer are too many, and not final.
        if event.kind != "token":
            self._report(_message(event))


def _walks(hits: Hits, ids: Iterable[str]) -> dict[str, Path]:
    return {id: path for id in ids if (path := hits.path_to(id))}


def _message(event: Event) -> str:
    text = event.text or "; ".join(map(str, event.facts))
    return single_line(f"{event.kind}: {text}" if text else event.kind)[:MESSAGE]
