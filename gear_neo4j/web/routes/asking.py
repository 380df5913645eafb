"""Answers with citations, at once or as a stream of events."""

import math
from collections.abc import AsyncIterator
from functools import partial

from fastapi import APIRouter
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.responses import Response

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import Event, EventKind
from gear_neo4j.gear.requests import requested_agent
from gear_neo4j.text.printable import json_text
from gear_neo4j.web.access_log import log_error
from gear_neo4j.web.bodies import AskBody
from gear_neo4j.web.disconnect import cancel_on_disconnect
from gear_neo4j.web.problems import failure_of
from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.runs import GRACE, Ask, EventFeed, FeedResponse, record_answer
from gear_neo4j.web.service import AnyCall, Call
from gear_neo4j.wire import documents, to_json

router = APIRouter(prefix="/api", tags=["answers"])
# The kinds of events with another name in the stream.
NAMES: dict[EventKind, str] = {"question": "step"}
STREAM = {
    "description": "The answer; with `stream`, server-sent events `step`, `facts`, `verdict`, `failure`, `token`, "
    "`answer` and `error`; their data are documents of kind `event`, those of `error` of kind `problem`. The last one "
    "is `answer`, with the final result, or `error`.",
    "content": {"text/event-stream": {"schema": {"type": "string"}}},
}


@router.post("/ask", response_model=documents.Answer, responses={200: STREAM, **problems(422, 502, 503, 504)})
async def ask(body: AskBody, call: AnyCall) -> Response:
    """Answer a question from the graph with a language model, and cite the passages."""
    call.entry.question = body.question
    seconds = seconds_of(call, body.seconds)
    recipe = requested_agent(body.agent, max_steps=body.max_steps, seconds=seconds)
    view = call.view(**body.narrowing)
    run = partial(view.ask, body.question, k=body.k, agent=recipe, history=body.turns, context=body.context)
    if body.stream:
        return await _streamed(call, lambda on_event: run(on_event=on_event), seconds=seconds)
    answer = await answered(call, run, seconds=seconds)
    return Json(to_json(answer))


def seconds_of(call: Call, wanted: float | None) -> float:
    """The seconds after which an agent starts no further call: as requested, up to the service's limit."""
    most = call.service.options.ask_seconds
    return min(wanted or most, most)


async def answered(call: Call, run: "partial[Answer]", *, seconds: float) -> Answer:
    """The answer of a run; if the client disconnects, the run ends at its next step."""
    answer = await cancel_on_disconnect(call.request, call.service.asks.run(run, seconds=seconds + GRACE))
    record_answer(call.entry, answer)
    return answer


async def begun(call: Call, run: Ask, *, seconds: float, patience: float = math.inf) -> EventFeed:
    """The feed of a run, which has its first event; if that takes longer than ``patience`` seconds, not yet."""
    feed = EventFeed(call.service.asks, run, seconds=seconds + GRACE)
    try:
        await cancel_on_disconnect(call.request, feed.begin(patience=patience))
    except BaseException:
        feed.cancel()
        raise
    return feed


async def _streamed(call: Call, run: Ask, *, seconds: float) -> Response:
    feed = await begun(call, run, seconds=seconds)
    return FeedResponse(_lines(call, feed), feed=feed)


async def _lines(call: Call, feed: EventFeed) -> AsyncIterator[bytes]:
    try:
        async for event in feed.events():
            yield KEEPALIVE_COMMENT if event is None else _line(call, event)
    except Exception as error:
        log_error(call.entry, error)
        problem = failure_of(error).problem(call.entry.id)
        yield format_sse_event(data_str=json_text(problem), event="error")


def _line(call: Call, event: Event) -> bytes:
    if event.answer:
        record_answer(call.entry, event.answer)
    return format_sse_event(data_str=json_text(to_json(event)), event=NAMES.get(event.kind, event.kind))
