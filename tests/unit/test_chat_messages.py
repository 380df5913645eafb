"""What chat clients send: requests that are no question, earlier turns, and nulls."""

import time

import pytest

from gear_neo4j.errors import InputError
from gear_neo4j.roles.follow_up import Turn
from gear_neo4j.web.chat_shapes import ChatBody

TITLE = """### Task:
Generate a concise, 3-5 word title with an emoji summarizing the chat history.
### Output:
JSON format: { "title": "..." }"""
TASKS = [
    TITLE,
    "### Task:\nSuggest 3-5 relevant follow-up questions or prompts.",
    "### Task:\nYou are an autocompletion system.",
    "Provide a concise, 5-word-or-less title for the conversation, using title case conventions.\n\nConversation:\nHi",
    "Please generate a concise, 5-word-or-less title for the conversation, using its same language.",
    "Analyze this conversation and provide:\n1. The language\n2. A concise title (5 words or less)",
    "Please generate a four to five word title summarizing our conversation without any lead-in.",
    "Based on the chat history, give this conversation a name.\nKeep it short - 10 characters max, no quotes.",
]
QUESTIONS = [
    "Which tasks does the harbour board have?",
    "Give the title of the book by Ines Falk.",
    "Provide the names of all bridges that Ines Falk built.",
    "Who gave the talk on short conversations?",
    "Summarize the report on the flood of 1962.",
    "What is task 3 of the plan?",
]


def body(*messages, **fields):
    """A request with messages, each a role and a content."""
    return ChatBody(model="gear-gear", messages=[{"role": role, "content": text} for role, text in messages], **fields)


@pytest.mark.parametrize("text", TASKS)
def test_a_request_for_a_title_is_a_task(text):
    """At any length, because it repeats the conversation."""
    long = text + "\nUSER: Who built the bridge?" * 400

    assert body(("user", text)).is_task
    assert body(("user", long)).is_task
    assert long == body(("user", long)).question


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_is_no_task(text):
    """Also if it has the words of one."""
    assert not body(("user", text)).is_task


def test_an_instruction_after_the_conversation_is_a_task():
    """Clients that shorten a conversation end it so; a system prompt at the beginning is none."""
    said = [("user", "Who built it?"), ("assistant", "Ines Falk.")]

    assert body(*said, ("system", "Summarize the discussion briefly.")).is_task
    assert not body(("system", "Answer in verse."), *said, ("user", "When?")).is_task


def test_a_long_task_loses_its_middle():
    """Instructions are at the beginning, the last words at the end."""
    text = f"{TITLE}\n{'x' * 50_000}\nThe last words."
    task = body(("user", text)).task

    assert 20_000 > len(task)
    assert task.startswith(TITLE)
    assert task.endswith("The last words.")


def test_a_task_has_the_conversation_before_it():
    """As lines, because the model gets one message."""
    said = body(("user", "Who built it?"), ("assistant", "Falk."), ("user", TASKS[6])).task

    assert said.startswith("User: Who built it?\nAssistant: Falk.\n\nPlease generate")


def test_a_long_question_is_refused():
    """It is no task."""
    with pytest.raises(InputError, match="4001 characters"):
        _ = body(("user", "x" * 4_001)).question


def test_turns_are_questions_with_their_answers():
    """Without system prompts, tasks, sources, thoughts, and the last question."""
    answer = "<think>Who?</think>Ines Falk [1].\n\nSources:\n[1] Bridge (http://127.0.0.1/passages/1)"
    folded = '<details type="reasoning"><summary>Thought</summary>Hm.</details>\nIn 1921.'
    said = body(
        ("system", "Answer in verse."),
        ("assistant", "Ask me anything."),
        ("user", "Who built the Orley Bridge?"),
        ("assistant", answer),
        ("user", TITLE),
        ("user", "And when?"),
        ("assistant", folded),
        ("user", "Why?"),
        ("user", "And for whom?"),
    )

    assert "And for whom?" == said.question
    expected = (
        Turn("Who built the Orley Bridge?", "Ines Falk [1]."),
        Turn("And when?", "In 1921."),
        Turn("Why?"),
    )
    assert expected == said.turns


@pytest.mark.parametrize(
    "text", ["<details>" * 50_000, "<details " * 50_000, "</details>" * 50_000, "<think>" * 50_000]
)
def test_marks_that_never_end_cost_no_time(text):
    """A body of half a megabyte takes milliseconds."""
    started = time.perf_counter()
    _ = body(("user", "Who?"), ("assistant", text), ("user", "And when?")).turns

    assert 1 > time.perf_counter() - started


def test_nulls_and_parts_are_read():
    """Clients write null for what they do not set, and contents in parts of several types."""
    parts = [{"type": "text", "text": "Who"}, {"type": "image_url", "image_url": {"url": "data:"}, "text": None}, "?"]
    request = ChatBody(
        model="gear-gear",
        messages=[{"role": "assistant", "content": None, "tool_calls": None}, {"role": "user", "content": parts}],
        stream=None,
        stream_options={"include_usage": None},
        temperature=None,
        tools=None,
    )

    assert "Who\n?" == request.question
    assert (False, False) == (request.stream, request.stream_options.include_usage)
    assert not ChatBody(model="m", messages=[{"role": "user", "content": "Who?"}], stream_options=None).stream
