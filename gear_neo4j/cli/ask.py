"""``gear ask``: a question answered step by step, with citations."""

from pathlib import Path

import click
from click.core import ParameterSource
from click.exceptions import Exit

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.search import SearchAgent
from gear_neo4j.cli.choice import Choice, with_choice
from gear_neo4j.cli.live import Live
from gear_neo4j.cli.options import CHAT, CONNECTION, CONTEXT, EMBEDDING, QUESTION, RERANK, opened, with_settings
from gear_neo4j.cli.output import STDOUT, emit, json_option, require_writable
from gear_neo4j.cli.scope import require_admitted, with_scope, within_scope
from gear_neo4j.cli.screen import Screen, errors
from gear_neo4j.cli.search import print_paths
from gear_neo4j.errors import ExitCode, InputError, PartialResult
from gear_neo4j.models.chat import ChatModel
from gear_neo4j.models.openai import open_chat
from gear_neo4j.models.replay import ReplayChat
from gear_neo4j.retrieval.context import Context
from gear_neo4j.retrieval.question import checked
from gear_neo4j.roles.citations import without_markers
from gear_neo4j.scope import Scope
from gear_neo4j.settings import Settings
from gear_neo4j.text.printable import single_line
from gear_neo4j.text.wording import pluralize
from gear_neo4j.wire import read_trace, to_json, write_trace

SHOWN_PATHS = 3
PATH = click.Path(path_type=Path, dir_okay=False)
STOPS = {
    "answerable": "answered from the facts",
    "max_steps": "step limit reached",
    "no_new_question": "no new question",
    "budget": "budget used up",
    "model_error": "the model failed; best passages so far",
    "no_graph_evidence": "no evidence in the graph",
    "abstained": "nothing relevant enough",
    "cancelled": "cancelled",
    "exhausted": "retry limit reached; best answer",
}
NO_MODEL = (
    "No language model is set, so this is what a search found. For written answers, set GEAR_CHAT_MODEL, and "
    "OPENAI_API_KEY or OPENAI_BASE_URL."
)
UNGROUNDED = "not fully supported by the retrieved passages"


@click.command()
@QUESTION
@with_choice(agent="gear")
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="Passages for the answer.")
@click.option("--paths", is_flag=True, help="Also show the best paths, with Cypher for the first one.")
@CONTEXT
@click.option("--trace", "trace_file", type=PATH, help="Write a trace of each step to a JSON file.")
@click.option("--replay", "replay_file", type=PATH, help="Replay the model's replies from a trace; no model is called.")
@with_scope
@json_option
@with_settings(CHAT, CONNECTION, EMBEDDING, RERANK)
def ask(
    question: str,
    choice: Choice,
    k: int,
    paths: bool,
    context: Context,
    trace_file: Path | None,
    replay_file: Path | None,
    scope: Scope,
    json_file: Path | None,
    settings: Settings,
) -> None:
    """Answer QUESTION from the graph with a language model, and cite the passages.

    Without a language model, it shows the best sentences of what a search finds (--agent search). The exit code is 1
    without an answer, and 4 if the model failed.

    \b
    gear ask "Where did the British-Canadian physics laureate of 2024 study for his PhD?"
    gear ask "Which drugs inhibit ALK?" --agent crag --retriever scout
    gear ask Who founded Sigma --set max_steps=2 --set max_tokens=5000
    """
    require_writable(trace_file)
    without_model = _is_default(choice) and not (replay_file or settings.chat_model)
    recipe = SearchAgent() if without_model else choice.make_agent()
    chat: ChatModel | None = _replayed(replay_file, question, scope) if replay_file else None
    if chat is None and (recipe.requires_model or settings.chat_model):
        # Fail before a server is started if no model is set.
        chat = open_chat(settings, cache=settings.chat_cache)
    live = Live(Screen(), errors)
    with opened(settings, chat=chat) as opened_gear:
        gear = within_scope(opened_gear, scope)
        show = None if json_file == STDOUT else live.show
        answer = gear.ask(question, k=k, agent=recipe, context=context, on_event=show)
        cypher = gear.cypher(answer.paths[0]) if answer.paths else None
    if not (json_file and emit(json_file, to_json(answer))):
        console = live.console
        _print_answer(console, answer, streamed=live.streamed)
        if paths:
            print_paths(console, answer.paths[:SHOWN_PATHS], cypher)
        _print_cost(console, answer, settings.chat_price)
    if without_model:
        errors.print_line(NO_MODEL, style="yellow")
    if trace_file is not None:
        # Written last: if this fails, the answer that was paid for is already printed.
        write_trace(answer.trace, trace_file)
    _end(answer, wanted=getattr(recipe, "answer", True))


def _is_default(choice: Choice) -> bool:
    """Whether the user chose no agent, and nothing for one."""
    source = click.get_current_context().get_parameter_source("agent")
    return source is ParameterSource.DEFAULT and choice.retriever is None and not choice.options


def _end(answer: Answer, *, wanted: bool) -> None:
    """Raise the error or exit code of an answer; ``wanted`` is False for an agent that only retrieves."""
    if answer.failure:
        raise PartialResult(answer.failure)
    if not (answer.text if wanted else answer.hits):
        raise Exit(ExitCode.NOTHING_FOUND)


def _replayed(file: Path, question: str, scope: Scope) -> ReplayChat:
    trace = read_trace(file)
    require_admitted(scope, trace.scope, file=file)
    if checked(question) != trace.question:
        raise InputError(f"{file} is the trace of another question: use {trace.question!r}")
    return ReplayChat(trace.replies, name=f"replay of {trace.roles}")


def _print_answer(console: Screen, answer: Answer, *, streamed: str) -> None:
    """Print the answer, unless it was already streamed, and its citations."""
    console.print()
    if streamed.strip() and streamed.strip() == answer.text.strip():
        pass
    elif answer.text:
        console.print(answer.text, style="bold", soft_wrap=True)
    else:
        console.print("No answer. Passages retrieved:" if answer.hits else "No answer.", style="yellow")
    if answer.text and not answer.grounded:
        console.print(f"  {UNGROUNDED}", style="yellow")
    if answer.citations:
        said = single_line(without_markers(answer.text))
        for citation in answer.citations:
            console.print_line(f"  {citation}", style="cyan")
            # The sentence behind a citation without a marker is in its line.
            quotes = [quote for quote in map(single_line, citation.quotes) if quote not in said]
            if quotes and not citation.sentence:
                console.print_line(f'      "{" … ".join(quotes)}"', style="dim")
    else:
        for hit in answer.hits:
            location = f" ({hit.passage.location})" if hit.passage.location else ""
            console.print_line(f"  {hit.rank}. {hit.passage.title or hit.passage.id}{location}")
    if answer.removed:
        console.print_line(f"  invalid citations removed: {', '.join(answer.removed)}", style="yellow")


def _print_cost(console: Screen, answer: Answer, price: tuple[float, float] | None) -> None:
    total, steps = answer.total, len(answer.trace.steps)
    about = "about " if total.estimated else ""
    cost = f", cost {total.cost(price):.4f}" if price else ""
    cached = f" and {total.cached} from the cache" if total.cached else ""
    console.print(
        f"\n{STOPS[answer.stop_reason]}: {pluralize(steps, 'step')}, {pluralize(total.calls, 'call')}{cached}, "
        f"{about}{pluralize(total.tokens, 'token')}{cost}, {answer.seconds:.1f} s",
        style="dim",
    )
