"""Judges the answers of a run with a language model, concurrently, and adds the metrics to its report."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from dataclasses import asdict
from functools import partial
from itertools import repeat
from typing import Any

from gear_neo4j.domain import digest
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.journal import Journal, key_of
from gear_neo4j.evaluate.quality import Quality, assess, averages
from gear_neo4j.evaluate.runs import QueryResult
from gear_neo4j.models.chat import ChatModel
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.usage import Usage


def judge(
    results: Sequence[QueryResult],
    *,
    chat: ChatModel,
    embedder: Embedder,
    journal: Callable[[Sequence[str]], Journal[Quality]] | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> list[Quality]:
    """The quality of each answer, in order; concurrent up to the limit of the chat model.

    Args:
        journal: returns the journal of earlier judgements for the keys of all answers.

    Raises:
        InputError: there is no answer to judge, or a question has no gold answer to judge it by.
        ModelError: the model failed for good.
    """
    for result in results:
        if result.answer is None or not result.query.answers:
            raise InputError(f"the question {result.query.id!r} has no answer to judge: use --agent, and gold answers")

    def assess_result(result: QueryResult) -> Quality:
        return assess(
            chat,
            embedder,
            question=result.query.question,
            answer=result.answer.plain if result.answer else "",
            contexts=[hit.passage.content for hit in result.hits],
            reference=result.query.answers[0],
        )

    keys = list(map(_key, results))
    kept = journal(keys) if journal else None

    def once(key: str, result: QueryResult) -> Quality:
        make = partial(assess_result, result)
        quality = kept.result(key, make) if kept else make()
        on_done()
        return quality

    with ThreadPoolExecutor(chat.concurrency, thread_name_prefix="judge") as pool:
        # A context can be entered once at a time: each call gets a copy of its own.
        return list(pool.map(Context.run, [copy_context() for _ in keys], repeat(once), keys, results))


def _key(result: QueryResult) -> str:
    """The key of an answer with everything that its judgement depends on."""
    answer = result.answer.plain if result.answer else ""
    return digest(key_of(result.query), answer, *(hit.passage.content for hit in result.hits))


def with_quality(report: dict[str, Any], qualities: Sequence[Quality]) -> dict[str, Any]:
    """The report with the mean of each metric, its interval, the count of NaN values, and the cost of the judge."""
    means = {name: asdict(mean) for name, mean in averages(qualities).items()}
    questions = [
        {**question, "quality": quality.to_json()}
        for question, quality in zip(report["per_question"], qualities, strict=True)
    ]
    spent = asdict(sum((quality.usage for quality in qualities), Usage()))
    return {**report, "quality": means, "judge": spent, "per_question": questions}
