"""Converts domain values into the structured results of the tools."""

from typing import Any

from gear_neo4j.agents.answer import Answer, Citation
from gear_neo4j.agents.cypher import row_text
from gear_neo4j.domain import Hit, Hits, Passage, PassageRecord, Path
from gear_neo4j.graph.read.path_cypher import path_cypher
from gear_neo4j.mcp import results
from gear_neo4j.retrieval.paths import PathResult
from gear_neo4j.retrieval.reasons import shared_words
from gear_neo4j.retrieval.templates.finder import TemplateAnswer
from gear_neo4j.text.printable import single_line
from gear_neo4j.wire import browser_url, passage_url

SNIPPET = 500
TITLE = 200
Fields = dict[str, Any]


def encode_hits(hits: Hits, *, public_url: str | None) -> results.SearchResult:
    """The result of a search."""
    found = [_hit(hit, hits, public_url=public_url) for hit in hits]
    paths = [{"text": str(path), "score": path.score, "passage_ids": path.passage_ids} for path in hits.paths]
    return results.SearchResult.model_validate({"results": found, "paths": paths, "exact": hits.exact})


def encode_record(record: PassageRecord, *, public_url: str | None) -> results.FetchResult:
    """One passage in full; marked as truncated if it has more triples than were read."""
    passage = record.passage
    metadata = {
        "source": passage.source,
        "position": passage.position,
        "previous": record.previous.id if record.previous else None,
        "next": record.next.id if record.next else None,
        "triples": record.triples,
    }
    fields = {**_named(passage, public_url=public_url), "text": passage.text, "metadata": metadata}
    return results.FetchResult.model_validate({**fields, "truncated": not record.exact})


def encode_connected(
    connected: PathResult, *, limit: int, uri: str | None, database: str, own: TemplateAnswer | None = None
) -> results.PathsResult:
    """The rows of a template, the names in a question, and at most ``limit`` paths."""
    fields = {
        "template": own and _own(own, limit=limit),
        "named": [match.text for match in connected.matches],
        "paths": [_path(path, uri=uri, database=database) for path in connected.paths[:limit]],
        "truncated": len(connected.paths) > limit,
    }
    return results.PathsResult.model_validate(fields)


def encode_answer(answer: Answer, *, public_url: str | None) -> results.AskResult:
    """An answer with its citations and its steps."""
    return results.AskResult.model_validate(
        {
            "answer": answer.text,
            "citations": [_citation(citation, answer, public_url=public_url) for citation in answer.citations],
            "steps": [{"question": step.question, "note": step.reason or step.action} for step in answer.trace.steps],
            "stop_reason": answer.stop_reason,
            "grounded": answer.grounded,
            "usage": answer.total,
            "seconds": answer.seconds,
        }
    )


def _hit(hit: Hit, hits: Hits, *, public_url: str | None) -> Fields:
    return {
        **_named(hit.passage, public_url=public_url),
        "text": _cut(hit.passage.text, SNIPPET),
        "score": hit.score,
        "rank": hit.rank,
        "sources": hit.sources,
        "similarity": hit.similarity,
        "words": shared_words(hits.question, hit.passage),
        "path": str(hits.path_to(hit.passage.id) or ""),
    }


def _own(answer: TemplateAnswer, *, limit: int) -> Fields:
    rows = [row_text(row) for row in answer.read.rows[:limit]]
    more = answer.read.truncated or ("there are more" if len(rows) < len(answer.read.rows) else "")
    return {"name": answer.match.template.name, "cypher": answer.cypher, "rows": rows, "truncated": more}


def _path(path: Path, *, uri: str | None, database: str) -> Fields:
    cypher = path_cypher(path)
    url = browser_url(cypher, uri=uri, database=database)
    return {"text": str(path), "score": path.score, "triples": path.triples, "cypher": cypher, "browser_url": url}


def _named(passage: Passage, *, public_url: str | None) -> Fields:
    return {"id": passage.id, "title": _title(passage), "url": passage_url(passage, public_url=public_url)}


def _citation(citation: Citation, answer: Answer, *, public_url: str | None) -> Fields:
    """A passage, or a fact with the passage that most likely states it."""
    passage = citation.passage or _evidence(citation, answer)
    named = _named(passage, public_url=public_url) if passage else {"id": "", "title": "", "url": ""}
    title = {"title": _cut(single_line(str(citation.fact)), TITLE)} if citation.fact else {}
    quotes = [_cut(single_line(quote), SNIPPET) for quote in citation.quotes]
    return {**named, **title, "marker": citation.marker, "sentence": citation.sentence, "quotes": quotes}


def _evidence(citation: Citation, answer: Answer) -> Passage | None:
    """The first of the passages that the run linked to a fact, if it is among the hits."""
    gist = answer.gist
    index = gist.index(citation.fact) if citation.fact in gist else len(gist)
    linked = answer.trace.links[index] if index < len(answer.trace.links) else ()
    passages = {hit.passage.id: hit.passage for hit in answer.hits}
    return next((passages[id] for id in linked if id in passages), None)


def _title(passage: Passage) -> str:
    return _cut(single_line(passage.title or passage.id), TITLE)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
