"""Spans of language model calls, by the GenAI convention of OpenTelemetry and by that of OpenInference."""

import json

from gear_neo4j.tracing import Attributes, Span, span
from gear_neo4j.usage import Usage


def call_span(model: str, *, system: str, user: str) -> Span:
    """The span of one call with all its retries, from the cache or from the model."""
    named = {"gen_ai.operation.name": "chat", "gen_ai.request.model": model, "llm.model_name": model}
    active = span(f"chat {model}", "LLM", named)
    active.content(lambda: _prompt(system, user))
    return active


def note_call(active: Span, usage: Usage, *, text: str | None = None) -> None:
    """Record the cost of a call, and its reply, if there is one and texts are traced."""
    active.describe(lambda: _cost(usage))
    if text is not None:
        active.content(lambda: _reply(text))


def _cost(usage: Usage) -> Attributes:
    return {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "llm.token_count.prompt": usage.input_tokens,
        "llm.token_count.completion": usage.output_tokens,
        "llm.token_count.total": usage.tokens,
        "gear.usage.cached": usage.cached,
        "gear.usage.retries": usage.retries,
        "gear.usage.estimated": usage.estimated,
    }


def _prompt(system: str, user: str) -> Attributes:
    parts = [("system", system), ("user", user)] if system else [("user", user)]
    flat = {
        f"llm.input_messages.{index}.message.{field}": value
        for index, (role, text) in enumerate(parts)
        for field, value in (("role", role), ("content", text))
    }
    task = {"gen_ai.system_instructions": json.dumps([_part(system)])} if system else {}
    return {**flat, **task, "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [_part(user)]}])}


def _reply(text: str) -> Attributes:
    message = {"role": "assistant", "parts": [_part(text)], "finish_reason": "stop"}
    return {
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": text,
        "gen_ai.output.messages": json.dumps([message]),
    }


def _part(text: str) -> dict[str, str]:
    return {"type": "text", "content": text}
