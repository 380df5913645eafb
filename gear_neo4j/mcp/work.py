"""What the tools do with a view of the database.

The first call imports this module in a thread: it brings the driver, the models and everything else that takes seconds.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from functools import partial

from anyio import to_thread

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import Event
from gear_neo4j.errors import ModelError
from gear_neo4j.gear.aio import AsyncGear
from gear_neo4j.gear.requests import requested_agent, requested_retriever
from gear_neo4j.mcp import encode
from gear_neo4j.mcp.fitting import fitted
from gear_neo4j.mcp.options import ServerOptions
from gear_neo4j.mcp.results import AskResult, FetchResult, PathsResult, SearchResult, StatusResult
from gear_neo4j.recipes.recipe import AgentRecipe
from gear_neo4j.retrieval.paths import Paths
from gear_neo4j.text.printable import single_line
from gear_neo4j.usage import Usage

MESSAGE = 200
# Facts around the entities of a question, if the paths between them are few.
FACTS = 20
Report = Callable[[int, str], Awaitable[None]]


class Work:
    """The work of one call with one view; see :class:`gear_neo4j.mcp.tools.Tools` for the arguments.

    Afterwards ``passages`` has the ids of those that it returned, and ``usage`` what the language model used.
    """

    def __init__(self, gear: AsyncGear, options: ServerOptions) -> None:
        self._gear = gear
        self._options = options
        self.passages: Sequence[str] = ()
        self.usage = Usage()

    async def search(self, query: str, *, k: int, retriever: str | None, base: str | None) -> SearchResult:
        """Passages for a question, and the paths to them."""
        # In a thread: the first look into the registry imports all retrievers.
        recipe = await to_thread.run_sync(partial(requested_retriever, retriever, base=base))
        hits = await self._gear.search(query, k=k, retriever=recipe)
        self.passages = [hit.passage.id for hit in hits]
        self.usage = sum(hits.usage.values(), Usage())
        result = encode.encode_hits(hits, public_url=self._options.public_url)
        return fitted(result, parts=("paths", "results"), most=self._options.max_chars)

    async def fetch(self, id: str) -> FetchResult:
        """One passage by its id."""
        record = await self._gear.passage(id)
        self.passages = [record.passage.id]
        result = encode.encode_record(record, public_url=self._options.public_url)
        return fitted(result, parts=("metadata.triples", "text"), most=self._options.max_chars)

    async def paths(self, question: str, *, limit: int) -> PathsResult:
        """How what a question names is connected."""
        recipe = Paths(max_paths=limit, facts=min(FACTS, limit))
        connected = await self._gear.paths(question, options=recipe)
        self.passages = list(dict.fromkeys(id for path in connected.paths[:limit] for id in path.passage_ids))
        database = self._gear.gear.graph.name
        result = encode.encode_connected(connected, limit=limit, uri=self._options.neo4j_uri, database=database)
        return fitted(result, parts=("paths", "named"), most=self._options.max_chars)

    async def ask(
        self, question: str, *, agent: str | None, max_steps: int | None, seconds: float, report: Report
    ) -> AskResult:
        """An answer; ``report`` gets the number and the text of each event of the run.

        Raises:
            ModelError: the model failed before it wrote anything.
        """
        bounds = partial(requested_agent, agent, max_steps=max_steps, seconds=seconds)
        answer = await self._answer(question, await to_thread.run_sync(bounds), report)
        self.passages, self.usage = [hit.passage.id for hit in answer.hits], answer.total
        if answer.failure and not answer.text:
            raise ModelError(f"{answer.failure}; the tool {self._options.tool('search')} needs no model")
        result = encode.encode_answer(answer, public_url=self._options.public_url)
        return fitted(result, parts=("steps", "citations", "answer"), most=self._options.max_chars)

    async def status(self) -> StatusResult:
        """What the database holds."""
        return encode.encode_status(await self._gear.status())

    async def _answer(self, question: str, recipe: AgentRecipe, report: Report) -> Answer:
        """Run an agent; a client that goes away ends the run at its next step."""
        answer, number = None, 0
        async with aclosing(self._gear.stream(question, agent=recipe)) as events:
            async for event in events:
                answer = event.answer or answer
                # The pieces of an answer are too many, and not final.
                if event.kind != "token":
                    number += 1
                    await report(number, _message(event))
        assert answer is not None  # the last event of a run that raises nothing
        return answer


def _message(event: Event) -> str:
    text = event.text or "; ".join(map(str, event.facts))
    return single_line(f"{event.kind}: {text}" if text else event.kind)[:MESSAGE]
