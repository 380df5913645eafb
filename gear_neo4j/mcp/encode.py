"""Domain values as the structured results of the tools."""

from gear_neo4j.agents.answer import Answer, Citation
from gear_neo4j.domain import Hit, Hits, Passage, PassageRecord, Path, Triple
from gear_neo4j.graph.read.store import path_cypher
from gear_neo4j.mcp import results
from gear_neo4j.retrieval.paths import PathResult
from gear_neo4j.status import Status
from gear_neo4j.text.printable import single_line
from gear_neo4j.wire import browser_url, passage_url

SNIPPET = 500
TITLE = 200


def encode_hits(hits: Hits, *, public_url: str | None) -> results.SearchResult:
    """The result of a search."""
    paths = [
        results.FoundPath(text=str(path), score=path.score, passage_ids=list(path.passage_ids)) for path in hits.paths
    ]
    return results.SearchResult(
        results=[_hit(hit, public_url=public_url) for hit in hits], paths=paths, exact=hits.exact
    )


def encode_record(record: PassageRecord, *, public_url: str | None) -> results.FetchResult:
    """One passage in full; one with more triples than were read is truncated."""
    passage = record.passage
    triples = [
        results.Triple(subject=triple.subject, predicate=triple.predicate, object=triple.object)
        for triple in record.triples
    ]
    return results.FetchResult(
        id=passage.id,
        title=_title(passage),
        text=passage.text,
        url=passage_url(passage, public_url=public_url),
        metadata=results.Metadata(source=passage.source, position=passage.position, triples=triples),
        truncated=not record.exact,
    )


def encode_connected(connected: PathResult, *, limit: int, uri: str | None, database: str) -> results.PathsResult:
    """The names in a question, and at most so many paths."""
    return results.PathsResult(
        named=[match.text for match in connected.matches],
        paths=[_path(path, uri=uri, database=database) for path in connected.paths[:limit]],
    )


def encode_answer(answer: Answer, *, public_url: str | None) -> results.AskResult:
    """An answer with its citations and its steps."""
    total = answer.total
    steps = [results.Step(question=step.question, note=step.reason or step.action) for step in answer.trace.steps]
    return results.AskResult(
        answer=answer.text,
        citations=[_citation(citation, answer, public_url=public_url) for citation in answer.citations],
        steps=steps,
        stop_reason=answer.stop_reason,
        grounded=answer.grounded,
        usage=results.Usage(calls=total.calls, input_tokens=total.input_tokens, output_tokens=total.output_tokens),
        seconds=answer.seconds,
    )


def encode_status(status: Status) -> results.StatusResult:
    """What the database holds."""
    built = status.embedding
    return results.StatusResult(
        version=status.version,
        database=status.database,
        passages=status.passages,
        triples=status.triples,
        entities=status.entities,
        embedding=results.Embedding(model=built.model, dimension=built.dimension) if built else None,
        retrievers=list(status.retrievers),
        agents=list(status.agents),
    )


def _hit(hit: Hit, *, public_url: str | None) -> results.FoundPassage:
    return results.FoundPassage(
        id=hit.passage.id,
        title=_title(hit.passage),
        url=passage_url(hit.passage, public_url=public_url),
        text=_cut(hit.passage.text, SNIPPET),
        score=hit.score,
        rank=hit.rank,
        sources=[results.FoundBy(name=source.name, rank=source.rank) for source in hit.sources],
    )


def _path(path: Path, *, uri: str | None, database: str) -> results.ConnectingPath:
    cypher = path_cypher(path)
    return results.ConnectingPath(
        text=str(path),
        score=path.score,
        triples=list(map(_stated, path.triples)),
        cypher=results.Cypher(statement=cypher.statement, parameters=dict(cypher.parameters)),
        browser_url=browser_url(cypher, uri=uri, database=database),
    )


def _stated(triple: Triple) -> results.StatedTriple:
    return results.StatedTriple(
        subject=triple.subject, predicate=triple.predicate, object=triple.object, passage_id=triple.passage_id
    )


def _citation(citation: Citation, answer: Answer, *, public_url: str | None) -> results.Citation:
    """A passage, or a fact with the passage that comes nearest to stating it."""
    passage = citation.passage or _evidence(citation, answer)
    return results.Citation(
        marker=citation.marker,
        id=passage.id if passage else "",
        title=_cut(single_line(str(citation.fact)), TITLE) if citation.fact else _title(passage) if passage else "",
        url=passage_url(passage, public_url=public_url) if passage else "",
    )


def _evidence(citation: Citation, answer: Answer) -> Passage | None:
    """The first of the passages that the run linked to a fact, if it is among the hits."""
    gist = answer.gist
    place = gist.index(citation.fact) if citation.fact in gist else len(gist)
    linked = answer.trace.links[place] if place < len(answer.trace.links) else ()
    passages = {hit.passage.id: hit.passage for hit in answer.hits}
    return next((passages[id] for id in linked if id in passages), None)


def _title(passage: Passage) -> str:
    return _cut(single_line(passage.title or passage.id), TITLE)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
