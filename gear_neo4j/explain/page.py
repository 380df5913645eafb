"""A run as a self-contained page: question, answer, a picture of each step's paths, and passages."""

from collections.abc import Iterable
from html import escape
from importlib.resources import files
from string import Template

from gear_neo4j.agents.answer import NOT_CITED, Citation, Judgement, QueryAttempt, ToolCall
from gear_neo4j.domain import Fact
from gear_neo4j.explain.drawing import beginning, drawing, location, marks, named
from gear_neo4j.explain.nodes import answering_nodes
from gear_neo4j.explain.saved import SavedRun, Turn
from gear_neo4j.roles.citations import markers
from gear_neo4j.text.printable import printable

_KINDS = {"search": "Search", "answer": "Answer", "trace": "Trace of an answer"}


def page(saved: SavedRun) -> str:
    """The page of a run.

    Example:
        >>> html = page(SavedRun("search", "Who <b>is</b> she?", (Turn(1, "Who?"),), by="naive"))
        >>> "Who &lt;b&gt;is&lt;/b&gt; she?" in html, "<b>is" in html
        (True, False)
    """
    template = Template(files(__package__).joinpath("page.html").read_text(encoding="utf-8"))
    html = template.substitute(
        title=escape(beginning(saved.question, most=90)),
        mode=saved.kind,
        kind=_KINDS[saved.kind],
        question=escape(saved.question),
        by=escape(saved.by),
        counted=_counts(saved),
        answer=_answer(saved),
        nodes=answering_nodes(saved),
        steps="".join(_step(saved, turn) for turn in saved.turns),
        passages="".join(_passages(saved)),
        lines="".join(_lines(saved)),
    )
    return printable(html)


def _counts(saved: SavedRun) -> str:
    parts = [(len(saved.turns), "step")] if saved.kind != "search" else []
    triples = {triple.id for path in saved.paths for triple in path.triples}
    parts += [(len(saved.paths), "path"), (len(triples), "triple"), (len(_shown(saved)), "passage")]
    return ", ".join(f"{count} {noun if count == 1 else noun + 's'}" for count, noun in parts)


def _answer(saved: SavedRun) -> str:
    if saved.kind == "search":
        return ""
    if not saved.answer.strip():
        return '<p class="answer none">no answer</p>'
    number = {id: rank for rank, id in enumerate(_shown(saved))}
    cited = {
        citation.marker: f"p{number[citation.passage.id]}" if citation.passage else "cited"
        for citation in saved.citations
    }
    text = _with_links(saved.answer, cited)
    rows = "".join(f"<li>{_citation(citation, cited)}</li>" for citation in saved.citations)
    return f'<p class="answer" dir="auto">{text}</p><ul class="citations" id="cited">{rows}</ul>'


def _with_links(text: str, cited: dict[str, str]) -> str:
    parts, end = list[str](), 0
    for marker in markers(text):
        parts += [escape(text[end : marker.start]), _link(marker.label, cited)]
        end = marker.end
    return "".join([*parts, escape(text[end:])])


def _link(marker: str, cited: dict[str, str]) -> str:
    return f'<a href="#{cited[marker]}">{marker}</a>' if marker in cited else marker


def _citation(citation: Citation, cited: dict[str, str]) -> str:
    mark = f'<span class="mark">[{escape(citation.marker)}]</span> '
    if citation.passage is None:
        return mark + (_fact(citation.fact) if citation.fact else "")
    support = f' <q dir="auto">{escape(citation.sentence)}</q> {NOT_CITED}' if citation.sentence else ""
    note = f' <span class="note">{location(citation.passage)}</span>{support}'
    return f'{mark}<a href="#{cited[citation.marker]}">{named(citation.passage, id=citation.passage.id)}</a>{note}'


def _fact(fact: Fact) -> str:
    return f'<span dir="auto">{escape(str(fact))}</span>'


def _step(saved: SavedRun, turn: Turn) -> str:
    if saved.kind == "search":
        return f"<section>{drawing(saved, turn)}</section>"
    rows = "".join(f'<li class="fact">{_fact(fact)}</li>' for fact in turn.facts)
    facts = (
        f'<p class="note">Noted from these passages:</p><ul>{rows}</ul>'
        if rows
        else '<p class="note">Nothing new was noted.</p>'
    )
    verdict = f'<p class="verdict" dir="auto">{escape(turn.verdict)}</p>' if turn.verdict else ""
    heading = f'<h2>Step {turn.number}: <span dir="auto">{escape(turn.question)}</span></h2>'
    calls = "".join([*map(_tool_call, turn.tool_calls), *map(_query, turn.queries)])
    actions = f"{_plan(turn)}{calls}{_judgements(saved, turn)}"
    return f'<section>{heading}{drawing(saved, turn)}{actions}<div class="noted">{facts}{verdict}</div></section>'


def _judgements(saved: SavedRun, turn: Turn) -> str:
    """The critics' verdicts, with the titles of the passages."""
    if not turn.judgements:
        return ""
    rows = "".join(f'<li dir="auto">{_judgement(saved, judgement)}</li>' for judgement in turn.judgements)
    return f'<details class="query"><summary>Judged: {len(turn.judgements)}</summary><ol>{rows}</ol></details>'


def _judgement(saved: SavedRun, judgement: Judgement) -> str:
    passage = saved.passages.get(judgement.of)
    score = "" if judgement.score is None else f"{judgement.score:.2f}"
    verdict = " ".join(part for part in (escape(judgement.role), score, escape(judgement.label)) if part)
    return f"<b>{verdict}</b> {named(passage, id=judgement.of) if passage else escape(beginning(judgement.of))}"


def _plan(turn: Turn) -> str:
    if not turn.plan:
        return ""
    rows = "".join(f'<li dir="auto">{escape(question)}</li>' for question in turn.plan)
    return f'<p class="note">Plan:</p><ol>{rows}</ol>'


def _tool_call(call: ToolCall) -> str:
    """A question to a tool, with its answer or failure."""
    outcome = call.failure or ("answered" if call.answer else "no answer")
    answer = f'<p dir="auto">{escape(call.answer)}</p>' if call.answer else ""
    summary = f"<summary>Tool ({escape(call.tool)}): {escape(outcome)}</summary>"
    question = f'<p class="note" dir="auto">{escape(call.question)}</p>'
    return f'<details class="query"{" open" if answer else ""}>{summary}{question}{answer}</details>'


def _query(query: QueryAttempt) -> str:
    """A query with its rows, open if there are any."""
    outcome = query.problem or f"{len(query.rows)} {'row' if len(query.rows) == 1 else 'rows'}"
    rows = "".join(f'<li dir="auto">{escape(row)}</li>' for row in query.rows)
    text = f"<pre>{escape(query.text)}</pre>" if query.text else ""
    summary = f"<summary>Query ({escape(query.template)}): {escape(outcome)}</summary>"
    return f'<details class="query"{" open" if query.rows else ""}>{summary}{text}<ol>{rows}</ol></details>'


def _passages(saved: SavedRun) -> Iterable[str]:
    ranks = {id: rank for rank, id in enumerate(saved.ranking, start=1)}
    for number, id in enumerate(_shown(saved)):
        passage = saved.passages.get(id)
        text = f'<p dir="auto">{escape(beginning(passage.text))}</p>' if passage and passage.text else ""
        where = " · ".join(
            part for part in (location(passage) if passage else "", escape(saved.provenance.get(id, ""))) if part
        )
        cited = ' class="cited"' if id in saved.cited else ""
        rank = f"{ranks[id]}." if id in ranks else "–"
        heading = f'<h3><span class="number">{rank}</span> {marks(saved, id)} {named(passage, id=id)}</h3>'
        yield f'<li id="p{number}"{cited}>{heading}{text}<p class="note">{where}</p></li>'


def _lines(saved: SavedRun) -> Iterable[str]:
    for turn in saved.turns:
        if len(saved.turns) > 1:
            yield f"<h3>Step {turn.number}</h3>"
        rows = (f'<li dir="auto"><b>{path.score:.2f}</b> {escape(str(path))}</li>' for path in turn.paths)
        yield f"<ol>{''.join(rows)}</ol>"


def _shown(saved: SavedRun) -> list[str]:
    """The passages on the page: the ranking, the cited passages, and those that state a triple of a path."""
    cited = [citation.passage.id for citation in saved.citations if citation.passage]
    return list(dict.fromkeys([*saved.ranking, *cited, *(id for path in saved.paths for id in path.passage_ids)]))
