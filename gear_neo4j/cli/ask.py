"""``gear ask``: a question answered step by step, with citations."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import Event
from gear_neo4j.agents.trace import read_trace, trace_json, write_trace
from gear_neo4j.cli.agents import AGENTS, JUDGING, agent_named
from gear_neo4j.cli.options import (
    BASE,
    BEAM,
    CHAT,
    CONNECTION,
    errors,
    opened,
    settings_from,
    with_options,
)
from gear_neo4j.cli.output import require_writable
from gear_neo4j.cli.search import print_paths
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.gear import Gear
from gear_neo4j.models.openai import open_chat
from gear_neo4j.models.replay import ReplayChat
from gear_neo4j.retrieval.question import checked
from gear_neo4j.wire import answer_json, read_trace, write_trace
from gear_neo4j.wording import counted

SHOWN_PATHS = 3
PATH = click.Path(path_type=Path, dir_okay=False)
STOPS = {
    "answerable": "the facts suffice",
    "max_steps": "the last step allowed",
    "no_new_question": "nothing new left to ask",
    "budget": "the budget is spent",
    "model_error": "the model failed; these are the best passages so far",
    "no_graph_evidence": "the graph says nothing of it",
    "abstained": "none of what was found speaks of the question",
    "cancelled": "cancelled",
    "exhausted": "the last try allowed; this is the best of them",
}
UNGROUNDED = "nothing that was found supports all of this"


@click.command()
@click.argument("question")
@click.option(
    "--agent",
    "agent_name",
    type=click.Choice(AGENTS),
    default="gear",
    show_default=True,
    help="Which of them answers; docs/choosing.md says which is for what.",
)
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="Passages that the answer is from.")
@click.option("--max-steps", type=click.IntRange(min=1), default=4, show_default=True, help="Rounds of retrieval.")
@click.option("--step-k", type=click.IntRange(min=1), default=10, show_default=True, help="Passages read in a round.")
@click.option("--tokens", type=click.IntRange(min=1), help="Begin no further step once these are spent.")
@click.option("--seconds", type=click.FloatRange(min=1), help="Begin no further step after this time.")
@click.option("--select", is_flag=True, help="One more call, that orders the best passages for the answer.")
@click.option("--read-once", is_flag=True, help="Let the reader's facts be the gist where both see the same passages.")
@with_options(JUDGING)
@with_options(BASE)
@with_options(BEAM)
@click.option("--paths", is_flag=True, help="Also show the best paths, and the Cypher that draws the first one.")
@click.option("--trace", "trace_file", type=PATH, help="Write what each step did to a JSON file.")
@click.option("--replay", "replay_file", type=PATH, help="Take the model's part from such a file; no model is called.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@with_options(CHAT)
@with_options(CONNECTION)
def ask(
    question: str,
    agent_name: str,
    k: int,
    paths: bool,
    trace_file: Path | None,
    replay_file: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Answer QUESTION from the graph with a language model, and cite the passages.

    \b
    gear ask "Where did the British-Canadian physics laureate of 2024 study for his PhD?"
    """
    require_writable(trace_file)
    settings = settings_from(given)
    if replay_file is not None and agent_name != "gear":
        raise SettingsError(f"--replay repeats runs of --agent gear only, not of {agent_name}: leave it out")
    # Without a model nothing is to be started.
    chat = _replayed(replay_file, question) if replay_file else open_chat(settings, cache=settings.chat_cache)
    with opened(settings, chat=chat) as gear:
        agent = agent_named(agent_name, gear, given, settings=settings)
        answer = agent.ask(question, k=k, on_event=None if as_json else _shown(errors))
        if trace_file is not None:
            write_trace(answer.trace, trace_file)
        if as_json:
            click.echo(json.dumps(answer_json(answer), ensure_ascii=False, indent=2))
            return
        cypher = gear.cypher(answer.paths[0]) if answer.paths else None
    console = Console()
    _print_answer(console, answer)
    if paths:
        print_paths(console, answer.paths[:SHOWN_PATHS], cypher)
    _print_cost(console, answer, settings.chat_price)


def answer_json(gear: Gear, answer: Answer) -> dict[str, Any]:
    """What ``--json`` prints for an answer."""
    return {
        "question": answer.question,
        "answer": answer.text,
        "stop_reason": answer.stop_reason,
        "grounded": answer.grounded,
        "failure": answer.failure,
        "citations": [_citation_json(citation) for citation in answer.citations],
        "removed_citations": list(answer.removed),
        "gist": [[fact.subject, fact.predicate, fact.object] for fact in answer.gist],
        **{key: value for key, value in hits_json(gear, answer.hits).items() if key in ("hits", "paths", "exact")},
        "usage": {**asdict(answer.total), "roles": {role: asdict(one) for role, one in answer.usage.items()}},
        "seconds": answer.seconds,
        "trace": trace_json(answer.trace),
    }


def _citation_json(citation: Any) -> dict[str, Any]:
    passage, fact = citation.passage, citation.fact
    if passage is None:
        return {"marker": citation.marker, "fact": [fact.subject, fact.predicate, fact.object]}
    return {
        "marker": citation.marker,
        "passage": passage.id,
        "title": passage.title,
        "source": passage.source,
        "position": passage.position,
    }


def _replayed(file: Path, question: str) -> ReplayChat:
    trace = read_trace(file)
    if checked(question) != trace.question:
        raise InputError(f"{file} is the trace of another question: ask {trace.question!r}")
    return ReplayChat(trace.replies, name=f"replay of {trace.roles}")


def _shown(console: Console) -> Callable[[Event], None]:
    """Tell what the agent does as it happens."""

    def show(event: Event) -> None:
        match event.kind:
            case "question":
                console.print(f"[bold]step {event.step}[/bold]  {escape(event.text)}", highlight=False, soft_wrap=True)
            case "facts":
                for fact in event.facts:
                    console.print(f"        + {fact}", style="cyan", markup=False, highlight=False, soft_wrap=True)
                if not event.facts:
                    console.print("        no new fact", style="dim")
            case "verdict":
                console.print(f"        {event.text}", style="dim", markup=False, highlight=False, soft_wrap=True)
            case "failure":
                console.print(f"        {event.text}", style="yellow", markup=False, highlight=False, soft_wrap=True)

    return show


def _print_answer(console: Console, answer: Answer) -> None:
    console.print()
    if answer.text:
        console.print(answer.text, style="bold", markup=False, highlight=False, soft_wrap=True)
    else:
        console.print("no answer; the passages found:" if answer.hits else "no answer", style="yellow")
    if answer.text and not answer.grounded:
        console.print(f"  {UNGROUNDED}", style="yellow")
    if answer.citations:
        for citation in answer.citations:
            console.print(f"  {citation}", style="cyan", markup=False, highlight=False, soft_wrap=True)
    else:
        for hit in answer.hits:
            console.print(f"  {hit.rank}. {hit.passage.title or hit.passage.id}", markup=False, highlight=False)
    if answer.removed:
        console.print(f"  taken out, for nothing of that number was shown: {', '.join(answer.removed)}", style="yellow")


def _print_cost(console: Console, answer: Answer, price: tuple[float, float] | None) -> None:
    total, steps = answer.total, len(answer.trace.steps)
    about = "about " if total.estimated else ""
    cost = f", {total.cost(price):.4f} in money" if price else ""
    cached = f" and {total.cached} from the cache" if total.cached else ""
    console.print(
        f"\n{STOPS[answer.stop_reason]}: {counted(steps, 'step')}, {counted(total.calls, 'call')}{cached}, "
        f"{about}{counted(total.tokens, 'token')}{cost}, {answer.seconds:.1f} s",
        style="dim",
        highlight=False,
    )
