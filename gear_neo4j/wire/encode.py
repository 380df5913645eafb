"""Domain values as the shapes of the JSON."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from gear_neo4j.agents.answer import Citation, QueryAttempt, Step, Trace
from gear_neo4j.domain import Cypher, EntityHit, Fact, Figure, Hit, Hits, Passage, PassageRecord, Path, Triple
from gear_neo4j.graph.read.sources import SourcePage
from gear_neo4j.graph.read.store import path_cypher
from gear_neo4j.ingestion.job import Job
from gear_neo4j.status import Status
from gear_neo4j.usage import Usage
from gear_neo4j.wire import documents, shapes
from gear_neo4j.wire.documents import VERSION


def encode_search(hits: Hits) -> documents.Search:
    """The document of a search."""
    return documents.Search(
        wire=VERSION,
        kind="search",
        question=hits.question,
        retriever=hits.retriever,
        hits=[encode_hit(hit) for hit in hits],
        paths=[encode_path(path) for path in hits.paths],
        facts=[encode_fact(fact) for fact in hits.facts],
        exact=hits.exact,
        milliseconds=dict(hits.milliseconds),
        usage=encode_usage(hits.usage),
        entities=[encode_entity(entity) for entity in hits.entities],
        figure=encode_figure(hits.figure) if hits.figure else None,
        doubt=hits.doubt,
        scope=dict(hits.scope),
        scope_plan=hits.scope_plan,
    )


def encode_trace(trace: Trace) -> documents.Trace:
    """The document of a trace."""
    return documents.Trace(
        wire=VERSION,
        kind="trace",
        question=trace.question,
        roles=trace.roles,
        steps=[_step(step) for step in trace.steps],
        links=[list(ids) for ids in trace.links],
        selected=list(trace.selected),
        titles=dict(trace.titles),
        answer=trace.answer,
        replies=[shapes.RecordedReply(**asdict(reply)) for reply in trace.replies],
        scope=dict(trace.scope),
    )


def encode_record(record: PassageRecord, *, url: str) -> documents.PassageDocument:
    """The document of a passage with its triples."""
    return documents.PassageDocument(
        wire=VERSION,
        kind="passage",
        **_passage(record.passage),
        url=url,
        triples=[_triple(triple) for triple in record.triples],
        exact=record.exact,
    )


def encode_status(status: Status) -> documents.Status:
    """The document of a status."""
    return documents.Status(
        wire=VERSION,
        kind="status",
        version=status.version,
        database=status.database,
        passages=status.passages,
        triples=status.triples,
        entities=status.entities,
        embedding=shapes.Embedding(**asdict(status.embedding)) if status.embedding else None,
        retrievers=list(status.retrievers),
        agents=list(status.agents),
    )


def encode_job(job: Job) -> documents.Job:
    """The document of a job."""
    fields = asdict(job)
    return documents.Job(
        wire=VERSION,
        kind="job",
        **{
            **fields,
            "files": [shapes.JobFile(**file) for file in fields["files"]],
            "progress": [shapes.Progress(**stage) for stage in fields["progress"]],
            "problems": [shapes.LineProblem(**problem) for problem in fields["problems"]],
        },
    )


def encode_sources(page: SourcePage) -> documents.Sources:
    """The document of some sources."""
    sources = [shapes.StoredSource(**asdict(source)) for source in page.sources]
    return documents.Sources(wire=VERSION, kind="sources", sources=sources, next=page.next)


def encode_citation(citation: Citation) -> shapes.PassageCitation | shapes.FactCitation:
    """A marker with its passage or its fact."""
    if citation.passage is not None:
        fields = _passage(citation.passage)
        return shapes.PassageCitation(marker=citation.marker, passage=fields.pop("id"), **fields)
    assert citation.fact  # a marker stands for a passage or for a fact
    return shapes.FactCitation(marker=citation.marker, fact=encode_fact(citation.fact))


def encode_hit(hit: Hit) -> shapes.Hit:
    """A hit, its passage's fields beside its own."""
    sources = [shapes.FoundBy(name=source.name, rank=source.rank) for source in hit.sources]
    return shapes.Hit(**_passage(hit.passage), rank=hit.rank, score=hit.score, sources=sources)


def _passage(passage: Passage) -> dict[str, Any]:
    # Who else may read it is nobody's business.
    fields = asdict(passage)
    del fields["readers"]
    return fields


def encode_entity(entity: EntityHit) -> shapes.EntityHit:
    """A node that answers, with the Cypher that shows it."""
    return shapes.EntityHit(
        id=entity.id,
        name=entity.name,
        labels=list(entity.labels),
        rank=entity.rank,
        pattern=entity.pattern,
        cypher=_cypher(entity.cypher),
        value=entity.value,
        confidence=entity.confidence,
    )


def encode_figure(figure: Figure) -> shapes.Figure:
    """A number that answers, with the Cypher that returns it."""
    cypher = _cypher(figure.cypher)
    return shapes.Figure(value=figure.value, pattern=figure.pattern, cypher=cypher, confidence=figure.confidence)


def encode_path(path: Path) -> shapes.Path:
    """A path, with the Cypher that shows it."""
    return shapes.Path(
        text=str(path),
        score=path.score,
        scores=list(path.scores),
        triples=[_triple(triple) for triple in path.triples],
        passages=list(path.passage_ids),
        cypher=_cypher(path_cypher(path)),
    )


def encode_fact(fact: Fact) -> shapes.Fact:
    """A fact."""
    return shapes.Fact(**asdict(fact))


def encode_usage(usage: Mapping[str, Usage]) -> dict[str, shapes.Usage]:
    """What each role used."""
    return {role: shapes.Usage(**asdict(spent)) for role, spent in usage.items()}


def _cypher(cypher: Cypher) -> shapes.Cypher:
    return shapes.Cypher(statement=cypher.statement, parameters=dict[str, Any](cypher.parameters))


def _step(step: Step) -> shapes.Step:
    return shapes.Step(
        number=step.number,
        question=step.question,
        base=list(step.base),
        proximal=[encode_fact(fact) for fact in step.proximal],
        linked=[None if triple is None else _triple(triple) for triple in step.linked],
        paths=[encode_path(path) for path in step.paths],
        ranking=list(step.ranking),
        gist=[encode_fact(fact) for fact in step.gist],
        answerable=step.answerable,
        reason=step.reason,
        rewrite=step.rewrite,
        failures=list(step.failures),
        merged=list(step.merged),
        queries=[_query(query) for query in step.queries],
        action=step.action,
        judgements=[shapes.Judgement(**asdict(judgement)) for judgement in step.judgements],
        plan=list(step.plan),
        tool_calls=[shapes.ToolCall(**asdict(call)) for call in step.tool_calls],
        milliseconds=dict(step.milliseconds),
        usage=encode_usage(step.usage),
    )


def _query(query: QueryAttempt) -> shapes.Query:
    return shapes.Query(
        text=query.text,
        problem=query.problem,
        rows=list(query.rows),
        template=query.template,
        parameters=dict[str, Any](query.parameters),
    )


def _triple(triple: Triple) -> shapes.Triple:
    return shapes.Triple(
        id=triple.id,
        subject=triple.subject,
        predicate=triple.predicate,
        object=triple.object,
        passage=triple.passage_id,
    )
