"""The shapes of the JSON as domain values; what can be worked out from the rest is left alone."""

from collections.abc import Mapping, Sequence

from gear_neo4j.agents.answer import Answer, Citation, Judgement, QueryAttempt, Step, ToolCall, Trace
from gear_neo4j.domain import (
    Cypher,
    EntityHit,
    Fact,
    Figure,
    FoundBy,
    Hit,
    Hits,
    Passage,
    PassageRecord,
    Path,
    Triple,
)
from gear_neo4j.graph.read.sources import SourcePage, StoredSource
from gear_neo4j.ingestion.job import Job, JobFile
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.models.recording import RecordedReply
from gear_neo4j.status import Embedding, Status
from gear_neo4j.usage import Usage
from gear_neo4j.wire import documents, shapes


def decode_search(search: documents.Search) -> Hits:
    """The hits of a search."""
    return Hits(
        search.question,
        search.retriever,
        tuple(map(_hit, search.hits)),
        tuple(map(decode_path, search.paths)),
        search.exact,
        search.milliseconds,
        decode_facts(search.facts),
        _usage(search.usage),
        tuple(map(decode_entity, search.entities)),
        decode_figure(search.figure) if search.figure else None,
        search.doubt,
        search.scope,
        search.scope_plan,
    )


def decode_entity(entity: shapes.EntityHit) -> EntityHit:
    """A node that answers."""
    cypher = _cypher(entity.cypher)
    named = (entity.id, entity.name, tuple(entity.labels), entity.rank)
    return EntityHit(*named, entity.pattern, cypher, entity.value, entity.confidence)


def decode_figure(figure: shapes.Figure) -> Figure:
    """A figure."""
    return Figure(figure.value, figure.pattern, _cypher(figure.cypher), figure.confidence)


def _cypher(cypher: shapes.Cypher) -> Cypher:
    return Cypher(cypher.statement, dict(cypher.parameters))


def decode_answer(answer: documents.Answer) -> Answer:
    """An answer with its hits and its trace."""
    return Answer(
        answer.question,
        answer.answer,
        decode_search(answer.search),
        decode_trace(answer.trace),
        answer.stop_reason,
        citations=tuple(map(_citation, answer.citations)),
        removed=tuple(answer.removed_citations),
        usage=_usage(answer.usage),
        seconds=answer.seconds,
        failure=answer.failure,
        grounded=answer.grounded,
    )


def decode_trace(trace: documents.Trace) -> Trace:
    """A trace."""
    return Trace(
        trace.question,
        trace.roles,
        tuple(map(_step, trace.steps)),
        tuple(tuple(ids) for ids in trace.links),
        tuple(trace.selected),
        trace.titles,
        trace.answer,
        tuple(RecordedReply(reply.task, reply.case, reply.text, reply.failure) for reply in trace.replies),
        trace.scope,
    )


def decode_record(document: documents.PassageDocument) -> PassageRecord:
    """A passage with its triples."""
    return PassageRecord(_passage(document), tuple(map(_triple, document.triples)), document.exact)


def decode_status(document: documents.Status) -> Status:
    """A status."""
    return Status(
        version=document.version,
        database=document.database,
        passages=document.passages,
        triples=document.triples,
        entities=document.entities,
        embedding=Embedding(**document.embedding.model_dump()) if document.embedding else None,
        retrievers=tuple(document.retrievers),
        agents=tuple(document.agents),
    )


def decode_job(document: documents.Job) -> Job:
    """A job."""
    fields = document.model_dump(exclude={"wire", "kind"})
    return Job(
        **{
            **fields,
            "files": tuple(JobFile(**file) for file in fields["files"]),
            "progress": tuple(Progress(**stage) for stage in fields["progress"]),
            "problems": tuple(Problem(**problem) for problem in fields["problems"]),
        }
    )


def decode_sources(document: documents.Sources) -> SourcePage:
    """Some sources."""
    return SourcePage(tuple(StoredSource(**source.model_dump()) for source in document.sources), document.next)


def decode_path(path: shapes.Path) -> Path:
    """A path."""
    return Path(tuple(map(_triple, path.triples)), path.score, tuple(path.scores))


def decode_facts(facts: Sequence[shapes.Fact]) -> tuple[Fact, ...]:
    """Facts in their order."""
    return tuple(Fact(fact.subject, fact.predicate, fact.object) for fact in facts)


def _step(step: shapes.Step) -> Step:
    return Step(
        step.number,
        step.question,
        base=tuple(step.base),
        proximal=decode_facts(step.proximal),
        linked=tuple(None if triple is None else _triple(triple) for triple in step.linked),
        paths=tuple(map(decode_path, step.paths)),
        ranking=tuple(step.ranking),
        gist=decode_facts(step.gist),
        answerable=step.answerable,
        reason=step.reason,
        rewrite=step.rewrite,
        failures=tuple(step.failures),
        merged=tuple(step.merged),
        queries=tuple(map(_query, step.queries)),
        action=step.action,
        judgements=tuple(map(_judgement, step.judgements)),
        plan=tuple(step.plan),
        tool_calls=tuple(ToolCall(call.tool, call.question, call.answer, call.failure) for call in step.tool_calls),
        milliseconds=step.milliseconds,
        usage=_usage(step.usage),
    )


def _query(query: shapes.Query) -> QueryAttempt:
    return QueryAttempt(
        query.text, query.problem, tuple(query.rows), query.template, dict[str, object](query.parameters)
    )


def _judgement(judgement: shapes.Judgement) -> Judgement:
    return Judgement(judgement.role, judgement.of, judgement.label, judgement.score)


def _citation(citation: shapes.PassageCitation | shapes.FactCitation) -> Citation:
    if isinstance(citation, shapes.FactCitation):
        return Citation(citation.marker, fact=decode_facts([citation.fact])[0])
    passage = Passage(
        citation.passage,
        citation.title,
        citation.text,
        citation.source,
        citation.position,
        citation.collection,
        citation.metadata,
    )
    return Citation(citation.marker, passage)


def _passage(shape: shapes.Passage | documents.PassageDocument) -> Passage:
    return Passage(shape.id, shape.title, shape.text, shape.source, shape.position, shape.collection, shape.metadata)


def _hit(hit: shapes.Hit) -> Hit:
    return Hit(_passage(hit), hit.score, hit.rank, tuple(FoundBy(source.name, source.rank) for source in hit.sources))


def _triple(triple: shapes.Triple) -> Triple:
    return Triple(triple.id, triple.subject, triple.predicate, triple.object, triple.passage)


def _usage(usage: Mapping[str, shapes.Usage]) -> dict[str, Usage]:
    return {role: Usage(**spent.model_dump()) for role, spent in usage.items()}
