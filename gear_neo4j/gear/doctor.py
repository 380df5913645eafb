"""``gear doctor``: is this database ready to be searched, and what does a search cost?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from gear_neo4j.adoption.profile import Profile
from gear_neo4j.errors import DatabaseError, EmbeddingMismatch, InputError, MigrationError
from gear_neo4j.extraction.extractor import Rules
from gear_neo4j.graph.connection.query_profiles import QueryProfile
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.diagnostics import Hubs
from gear_neo4j.graph.read.store import Counts
from gear_neo4j.graph.schema import indexes
from gear_neo4j.graph.scope.scope_gate import ScopeSize
from gear_neo4j.graph.write.extraction_queue import Selection
from gear_neo4j.ingestion.writing import GIVEN
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes.registry import REGISTRIES
from gear_neo4j.retrieval.first_stage import RankerStage
from gear_neo4j.retrieval.naive import NaiveRetriever
from gear_neo4j.retrieval.rank.rankers import Fulltext, Hybrid, Sbert
from gear_neo4j.retrieval.retriever import BASE_K
from gear_neo4j.retrieval.walk.beam import Beam
from gear_neo4j.retrieval.walk.expansion import Expansion
from gear_neo4j.text.wording import contents, pluralize

Level = Literal["ok", "advice", "problem"]
SAMPLED = 5
BUSIEST = 10
PAGE_CACHE = "server.memory.pagecache.size"
COULD_FILTER = "the vector indexes of this server can filter by collection, but were created by an earlier version"
LIMITS = ("db.memory.transaction.max", "db.memory.transaction.total.max", "db.transaction.timeout")
# The size of a triple in the store: its vector (four bytes per number, in blocks), texts, three relationships, an id.
BYTES_A_TRIPLE = 700
BYTES_A_PASSAGE = 3_000
BYTES_A_NUMBER = 4.4
# Of English; other texts have fewer.
CHARACTERS_A_TOKEN = 4
_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


@dataclass(frozen=True, slots=True)
class Finding:
    """One check of the database: its result, and the fix for a problem."""

    level: Level
    subject: str
    detail: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class QueryCost:
    """The cost of one query of a search: maximum reads and rows, median time, over some questions."""

    query: str
    runs: int
    db_hits: int
    rows: int
    page_misses: int
    milliseconds: float
    scans: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of an examination: findings, query costs, and the busiest nodes with their degrees."""

    findings: tuple[Finding, ...]
    costs: tuple[QueryCost, ...] = ()
    hubs: int = 0
    busiest: tuple[tuple[str, int], ...] = ()

    @property
    def problems(self) -> int:
        """The number of findings that break a search."""
        return sum(finding.level == "problem" for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Doctor:
    """Examines a database, read-only, and how a scope is searched, if its ``size`` is given."""

    graph: Graph
    embedder: Embedder
    profile: Profile | None = None
    beam: Beam = Beam()
    size: ScopeSize | None = None

    def examine(self, *, questions: Sequence[str] = ()) -> Examination:
        """Run all checks; the searches for ``questions`` (default: the texts of a few triples) are profiled."""
        findings = [self._server(), *about_plugins(), *self._schema()]
        if any(finding.level == "problem" for finding in findings):
            return Examination(tuple(findings))
        counts = self.graph.store.counts()
        findings.extend((self._contents(counts), *self._long_passages(counts), self._page_cache(counts)))
        findings.append(about_limits(self._settings(*LIMITS)))
        if self.size:
            findings.append(about_scope(self.size))
            if self.graph.could_filter:
                findings.append(Finding("advice", "scope", COULD_FILTER, "gear migrate --rebuild"))
        hubs = self._hubs()
        findings.append(_about_hubs(hubs.count, self.beam))
        costs = self._costs(questions or self._sample())
        findings.extend(_about_costs(costs))
        return Examination(tuple(findings), costs, hubs.count, hubs.busiest)

    def _server(self) -> Finding:
        searched = "the SEARCH clause" if self.graph.has_search_clause else "index procedures"
        return Finding("ok", "server", f"Neo4j {self.graph.version}, database {self.graph.name}, {searched}")

    def _schema(self) -> Iterator[Finding]:
        try:
            self.graph.store.require_model(name=self.embedder.name, dimension=self.embedder.dimension)
            missing = self.graph.pending_migrations()
            if missing:
                lacks = ", ".join(migration.source for migration in missing)
                yield Finding("problem", "schema", f"lacks {lacks}", "gear migrate")
                return
            self.graph.verify(dimension=self.embedder.dimension)
        except (InputError, EmbeddingMismatch, MigrationError) as error:
            detail, _, fix = str(error).partition(": ")
            yield Finding("problem", "schema", detail, fix)
            return
        count = len(indexes.expected_indexes(self.embedder.dimension))
        model = f"{self.embedder.name} ({self.embedder.dimension} dimensions)"
        yield Finding("ok", "schema", f"complete, {pluralize(count, 'index')} online, embedded by {model}")

    def _contents(self, counts: Counts) -> Finding:
        totals = contents(counts.passages, counts.triples, counts.entities)
        readers = self.graph.extraction.readers()
        if readers:
            totals += "; triples " + ", ".join(
                f"{_origin(name)} for {pluralize(count, 'passage')}" for name, count in readers.items()
            )
        left = self.graph.extraction.backlog(Selection(Rules.name)).passages
        if counts.passages and not counts.triples:
            return Finding("problem", "contents", f"{totals}: there is no graph to walk", "gear ingest")
        if left:
            return Finding(
                "advice",
                "contents",
                f"{totals}; {pluralize(left, 'passage')} never read",
                "gear ingest --extract rules",
            )
        return Finding("ok", "contents", totals)

    def _long_passages(self, counts: Counts) -> Iterator[Finding]:
        reads = getattr(self.embedder, "reads", None)
        if reads and (longer := self.graph.store.long_passages(CHARACTERS_A_TOKEN * reads)):
            detail = f"{longer:,} of {counts.passages:,} are longer than the embedding model reads ({reads} tokens)"
            yield Finding("ok", "passages", f"{detail}; those of more than twice that are embedded in parts")

    def _page_cache(self, counts: Counts) -> Finding:
        vector = BYTES_A_NUMBER * self.embedder.dimension
        needed = counts.triples * (vector + BYTES_A_TRIPLE) + counts.passages * (vector + BYTES_A_PASSAGE)
        detail = f"our part of the store takes about {needed / 2**30:.1f} GiB"
        size = _bytes(self._settings(PAGE_CACHE).get(PAGE_CACHE))
        if size is None:
            return Finding("ok", "page cache", f"{detail}; the server does not report the size of its page cache")
        detail += f", the page cache {size / 2**30:.1f} GiB"
        if needed > size:
            return Finding("advice", "page cache", detail, f"{PAGE_CACHE} (GEAR_LOCAL_PAGECACHE for a local server)")
        return Finding("ok", "page cache", detail)

    def _settings(self, *names: str) -> Mapping[str, str]:
        """The settings that the server reports; none to a user without admin rights, or on Aura."""
        try:
            return self.graph.diagnostics.settings(*names)
        except DatabaseError:
            return {}

    def _hubs(self) -> Hubs:
        # Besides an adopted graph, there may be entities from texts.
        labels = [*(self.profile.entities if self.profile else ()), "Entity"]
        names = list(self.profile.name_properties) if self.profile else []
        return self.graph.diagnostics.hubs(labels=labels, names=names, hub=self.beam.hub, limit=BUSIEST)

    def _sample(self) -> list[str]:
        return self.graph.diagnostics.sample_texts(limit=SAMPLED)

    def _costs(self, questions: Sequence[str]) -> tuple[QueryCost, ...]:
        """The cost of each query of a hybrid search with expansion, in order of execution."""
        runs: dict[str, list[QueryProfile]] = {}
        graph = self.graph.profiling(lambda profile: runs.setdefault(profile.query, []).append(profile))
        store = graph.store
        retriever = NaiveRetriever(
            store,
            base=RankerStage(store, lambda: Hybrid([Fulltext(), Sbert()])),
            expansion=Expansion(store, embedder=self.embedder, beam=self.beam, score="composed"),
            embedder=self.embedder,
            base_k=BASE_K,
        )
        for question in questions:
            retriever.retrieve(question, k=BASE_K)
        return tuple(_cost(name, profiles) for name, profiles in runs.items())


def _cost(name: str, runs: Sequence[QueryProfile]) -> QueryCost:
    return QueryCost(
        name,
        len(runs),
        max(run.db_hits for run in runs),
        max(run.rows for run in runs),
        max(run.page_misses for run in runs),
        median(run.milliseconds for run in runs),
        tuple(sorted(frozenset[str]().union(*(run.scans for run in runs)))),
    )


def about_scope(size: ScopeSize) -> Finding:
    """The share of the database in a scope, and how the scope is searched.

    Example:
        >>> about_scope(ScopeSize(5_000, 60_000, 100_000, 1_200_000)).detail
        '5,000 of 100,000 passages, 60,000 of 1,200,000 triples; a search requests 30 times the candidates from the ...'
    """
    passages = f"{size.passages:,} of {size.all_passages:,} passages"
    detail = f"{passages}, {size.triples:,} of {size.all_triples:,} triples; a search {size.plan}"
    if size.is_capped:
        return Finding("advice", "scope", detail, "a smaller scope, or a database of its own")
    return Finding("ok", "scope", detail)


def about_plugins() -> list[Finding]:
    """The entry points of other packages that could not be loaded."""
    lines = [line for registry in REGISTRIES for line in registry.broken.values()]
    return [Finding("advice", "plugins", line, "repair or uninstall the package") for line in lines]


def about_limits(settings: Mapping[str, str]) -> Finding:
    """The server's limits for a query without its own, such as one written by a model.

    Example:
        >>> about_limits({"db.memory.transaction.max": "512.00MiB", "db.transaction.timeout": "0s"}).detail
        'a query may take any memory or time: db.transaction.timeout is not set'
    """
    unlimited = [name for name in LIMITS if settings.get(name, "?") in ("0", "0B", "0s")]
    if unlimited:
        verb = "is" if len(unlimited) == 1 else "are"
        detail = f"a query may take any memory or time: {', '.join(unlimited)} {verb} not set"
        return Finding("advice", "limits", detail, "the values in docs/operations.md, in the server's neo4j.conf")
    if not settings:
        return Finding("ok", "limits", "the server does not report its limits for a query")
    return Finding("ok", "limits", ", ".join(f"{name} {value}" for name, value in sorted(settings.items())))


def _about_hubs(hubs: int, beam: Beam) -> Finding:
    if not hubs:
        return Finding("ok", "hubs", f"no entity is in more than {beam.hub} triples")
    detail = (
        f"{pluralize(hubs, 'entity')} in more than {beam.hub} triples: only those nearest to the question are followed"
    )
    return Finding("ok", "hubs", detail)


def _about_costs(costs: Sequence[QueryCost]) -> Iterator[Finding]:
    for cost in costs:
        if cost.scans:
            fix = "report it, with the version of the server"
            yield Finding("problem", "plans", f"{cost.query} is planned with {', '.join(cost.scans)}", fix)
    if not any(cost.scans for cost in costs):
        yield Finding("ok", "plans", f"{len(costs)} queries of a search are planned with indexes")


def _bytes(text: str | None) -> int | None:
    """The bytes of a setting such as 512.00MiB; None if it is not a size.

    Example:
        >>> _bytes("1.50GiB"), _bytes("auto"), _bytes(None)
        (1610612736, None, None)
    """
    for unit in sorted(_UNITS, key=len, reverse=True):
        if text and text.endswith(unit):
            try:
                return int(float(text.removesuffix(unit)) * _UNITS[unit])
            except ValueError:
                return None
    return None


def _origin(extractor: str) -> str:
    return extractor if extractor == GIVEN else f"by {extractor}"
