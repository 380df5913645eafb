"""OpenAI's protocol: the agents as models, so that any chat client can ask the graph."""

import math
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from fastapi import APIRouter
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.exceptions import HTTPException
from starlette.responses import Response

from gear_neo4j.agents.answer import Answer, Trace
from gear_neo4j.agents.plain import Plain
from gear_neo4j.domain import Hits
from gear_neo4j.errors import CallTimeout, ModelError, TooManyCalls
from gear_neo4j.gear import Gear
from gear_neo4j.gear.requests import requested_agent
from gear_neo4j.recipes.registry import AGENTS
from gear_neo4j.text.printable import json_text
from gear_neo4j.web.access_log import log_error
from gear_neo4j.web.chat_shapes import PREFIX, ChatBody, ChatWriter, Completion, Model, Models, step_text
from gear_neo4j.web.problems import failure_of
from gear_neo4j.web.responses import Json, chat_failures
from gear_neo4j.web.routes.asking import answered, begun, seconds_of
from gear_neo4j.web.runs import EventFeed, FeedResponse, record_answer
from gear_neo4j.web.service import AnyCall, Call, has_model

router = APIRouter(prefix="/v1", tags=["OpenAI"])
# Seconds after which a stream begins even if nothing has happened: an error can then have no status of its own.
PATIENCE = 0.8
READING = "Reading the question.\n"


@router.get("/models", response_model=Models, responses=chat_failures(504))
async def models(call: AnyCall) -> Response:
    """The agents that can answer the caller here, as models: what they need is there, such as a language model."""
    names = [f"{PREFIX}{name}" for name in await call.search(_usable, call.caller.gear)]
    return Json(Models(data=[Model(id=name) for name in names]).model_dump())


@router.get("/models/{model}", response_model=Model, responses=chat_failures(404, 422))
async def model(model: str, call: AnyCall) -> Response:
    """One model."""
    await _agent_name(call, model)
    return Json(Model(id=model).model_dump())


@router.post("/chat/completions", response_model=Completion, responses=chat_failures(404, 422, 502, 503, 504))
async def completions(body: ChatBody, call: AnyCall) -> Response:
    """Answer the user's last message; the text ends with the sources, which are also annotations.

    A stream has the steps as `reasoning_content`, unless `include_reasoning` is false. A question that refers to
    earlier messages is made to stand alone. A request of the client itself, such as one for a title, goes to the model
    without a search.
    """
    question = call.entry.question = body.question
    agent = await _agent_name(call, body.model)
    seconds = seconds_of(call, None)
    if body.is_task:
        return await _task(call, body, seconds=seconds)
    recipe = requested_agent(agent, seconds=seconds)
    writer = ChatWriter(body.model, public_url=call.public_url)
    run = partial(call.view().ask, question, agent=recipe, history=body.turns)
    if not body.stream:
        answer = await answered(call, run, seconds=seconds)
        _require_model(answer)
        return Json(writer.whole(answer))
    # Before its first event, a run may call the model for a question that stands alone.
    patience = PATIENCE if body.turns else math.inf
    feed = await begun(call, lambda on_event: run(on_event=on_event), seconds=seconds, patience=patience)
    return FeedResponse(_lines(call, feed, body, writer=writer), feed=feed)


async def _task(call: Call, body: ChatBody, *, seconds: float) -> Response:
    """Pass a client's own request on to the model, without a search; an empty text if that fails.

    Clients can do without a title, but show an error to their user.
    """
    writer = ChatWriter(body.model, public_url=call.public_url, without_text="")
    try:
        answer = await answered(call, partial(call.view().ask, body.task, agent=Plain()), seconds=seconds)
    except (ModelError, TooManyCalls, CallTimeout) as error:
        log_error(call.entry, error)
        question = body.question
        answer = Answer(question, "", Hits(question, Plain.name, ()), Trace(question, ""), "model_error")
    if not body.stream:
        return Json(writer.whole(answer))
    chunks = [writer.opening(), *writer.chunks(answer, usage=body.stream_options.include_usage)]
    lines = [*map(_line, chunks), format_sse_event(data_str="[DONE]")]
    return Response(b"".join(lines), media_type="text/event-stream")


async def _lines(call: Call, feed: EventFeed, body: ChatBody, *, writer: ChatWriter) -> AsyncIterator[bytes]:
    """The chunks of a stream: the steps, and the text once its markers are checked, not token by token."""
    yield _line(writer.opening())
    if body.include_reasoning:
        yield _line(writer.reasoning(READING))
    try:
        async for event in feed.events():
            if event and event.answer:
                record_answer(call.entry, event.answer)
                _require_model(event.answer)
                for chunk in writer.chunks(event.answer, usage=body.stream_options.include_usage):
                    yield _line(chunk)
            elif event and body.include_reasoning and (text := step_text(event)):
                yield _line(writer.reasoning(text))
            else:
                yield KEEPALIVE_COMMENT
    except Exception as error:
        log_error(call.entry, error)
        yield _line(failure_of(error).openai(call.entry.id))
        return
    yield format_sse_event(data_str="[DONE]")


def _line(chunk: dict[str, Any]) -> bytes:
    return format_sse_event(data_str=json_text(chunk))


def _usable(gear: Gear) -> list[str]:
    with_model, with_graph = has_model(gear), gear.graph.store.contents().adopted
    recipes = [entry.recipe() for entry in AGENTS.offered(gear.graph)]
    return [
        recipe.name
        for recipe in recipes
        if (with_model or not recipe.requires_model) and (with_graph or not recipe.requires_graph)
    ]


async def _agents(call: Call) -> list[str]:
    # In a thread: under a scope, this queries the graph for the scope's size.
    offered = await call.search(AGENTS.offered, call.caller.gear.graph)
    return [entry.name for entry in offered]


async def _agent_name(call: Call, model: str) -> str:
    """The agent behind a model's name.

    Raises:
        HTTPException: 404, there is none that the caller may use.
    """
    name = model.removeprefix(PREFIX)
    agents = await _agents(call)
    if not model.startswith(PREFIX) or name not in agents:
        known = ", ".join(f"{PREFIX}{agent}" for agent in agents)
        raise HTTPException(404, f"there is no model {model[:100]!r}: choose one of {known}")
    return name


def _require_model(answer: Answer) -> None:
    """Report a failed model as an error: a chat client would show it as an answer.

    Raises:
        ModelError: the run has no answer because its model failed.
    """
    if answer.failure and not answer.text:
        raise ModelError(answer.failure)
