"""Reports on communities by a model, smallest first; a community keeps its report until it changes."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field, replace

from gear_neo4j.communities import store
from gear_neo4j.communities.hierarchy import Community, CommunityFact, Hierarchy
from gear_neo4j.communities.weighing import bounded
from gear_neo4j.errors import ReplyError, SettingsError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.models.chat import Reply
from gear_neo4j.models.concurrency import outcomes
from gear_neo4j.models.replies import CHARACTERS_PER_TOKEN
from gear_neo4j.roles.prompts import fill
from gear_neo4j.roles.reporter import Report, Reporter
from gear_neo4j.scope import reader_set
from gear_neo4j.usage import Usage

# Tokens of a community's content in a prompt (GraphRAG's default).
TOKENS = 8_000
TOKENS_AN_ENTITY = 12
REPLY_TOKENS = 300
CONCURRENCY = 4


@dataclass(frozen=True, slots=True)
class ReportInput:
    """The input for a report on a community; ``late`` holds sets of readers that the build did not know."""

    community: Community
    facts: str
    parts: str
    late: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class ReportProgress:
    """The progress of reports: done and failed of the total, their cost, and whether the budget ran out."""

    total: int = 0
    done: int = 0
    failed: int = 0
    usage: Usage = Usage()
    stopped: str = ""


@dataclass(slots=True)
class Reporting:
    """One round of reports over the communities of a database.

    Args:
        collection: report only on the communities of this collection.
        concurrency: the maximum number of concurrent calls.
        max_tokens: start no report once this many tokens are spent.
        on_progress: called after each report.

    Raises:
        SettingsError: ``max_tokens`` is below 1.
    """

    graph: Graph
    reporter: Reporter
    collection: str | None = None
    concurrency: int = CONCURRENCY
    max_tokens: int | None = None
    on_progress: Callable[[ReportProgress], None] = lambda _: None
    so_far: ReportProgress = ReportProgress()
    _reports: dict[str, Report] = field(default_factory=dict)
    _late: dict[str, frozenset[str]] = field(default_factory=dict)
    _versions: dict[str | None, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.max_tokens is not None and self.max_tokens < 1:
            raise SettingsError(f"max_tokens is {self.max_tokens}: it must be at least 1")

    def run(self) -> ReportProgress:
        """Report on every community without a report; an unusable reply is recorded as a failure.

        Raises:
            InputError: there are no communities.
            ModelError: the model failed permanently; written reports stay, and the next run continues from there.
        """
        hierarchy = store.required(self.graph, collection=self.collection)
        self._reports = {
            community.id: community.report for community in hierarchy.communities.values() if community.report
        }
        self._late = self.graph.communities.late_reports()
        self._versions = {build.collection: build.version for build in self.graph.communities.builds()}
        due = sorted(_due(hierarchy), key=lambda community: (-community.level, -community.size, community.id))
        self.so_far = replace(self.so_far, total=len(due))
        self.on_progress(self.so_far)
        for level in sorted({community.level for community in due}, reverse=True):
            # The parts of a community come before it.
            inputs = (self._input(hierarchy, community) for community in due if community.level == level)
            results = outcomes(
                inputs,
                self._ask,
                together=self.concurrency,
                go_on=lambda: self.so_far.usage.within(self.max_tokens),
            )
            with closing(results):
                for report_input, outcome in results:
                    self._settle(report_input, outcome)
        final = self.so_far
        if final.done + final.failed < final.total:
            self.so_far = replace(final, stopped="budget")
        return self.so_far

    def _input(self, hierarchy: Hierarchy, community: Community) -> ReportInput:
        facts = store.facts_of(self.graph, community.id)
        late = self._late_readers(community, facts, hierarchy.below.get(community.id, ()))
        return ReportInput(community, *content(hierarchy, community, facts, reports=self._reports), late)

    def _late_readers(
        self, community: Community, facts: Sequence[CommunityFact], parts: Sequence[str]
    ) -> frozenset[str] | None:
        """The sets of readers of everything in a report's input; None if the build knew all of it."""
        sets = [self._late[part] for part in parts if part in self._late]
        if any(fact.version != self._versions.get(community.collection) for fact in facts):
            sets.append(frozenset(reader_set(fact.readers) for fact in facts if fact.readers))
        return frozenset[str]().union(*sets) if sets else None

    def _ask(self, inputs: ReportInput) -> Reply[Report]:
        return self.reporter.report(inputs.facts, inputs.parts)

    def _settle(self, inputs: ReportInput, future: Future[Reply[Report]]) -> None:
        community = inputs.community
        try:
            reply = future.result()
        except ReplyError as error:
            self.graph.communities.record_error(community.id, error=str(error), model=self.reporter.name)
            self.so_far = replace(self.so_far, failed=self.so_far.failed + 1, usage=self.so_far.usage + error.usage)
        else:
            self._write(inputs, reply.value)
            self.so_far = replace(self.so_far, done=self.so_far.done + 1, usage=self.so_far.usage + reply.usage)
        self.on_progress(self.so_far)

    def _write(self, inputs: ReportInput, report: Report) -> None:
        id = inputs.community.id
        self._reports[id] = report
        if inputs.late is not None:
            self._late[id] = inputs.late
        self.graph.communities.write_report(
            id,
            title=report.title,
            summary=report.summary,
            rank=report.rank,
            findings=report.findings,
            model=self.reporter.name,
            late=None if inputs.late is None else bounded(inputs.late),
        )


def forecast(hierarchy: Hierarchy) -> Usage:
    """The expected cost of the missing reports, estimated from the sizes of the communities."""
    due = list(_due(hierarchy))
    prompt = fill("report", facts="", parts="")
    prompt_tokens = (len(prompt.system) + len(prompt.user)) // CHARACTERS_PER_TOKEN
    tokens = sum(prompt_tokens + min(TOKENS, TOKENS_AN_ENTITY * community.size) for community in due)
    return Usage(len(due), tokens, REPLY_TOKENS * len(due), estimated=True)


def content(
    hierarchy: Hierarchy, community: Community, facts: Sequence[CommunityFact], *, reports: dict[str, Report]
) -> tuple[str, str]:
    """The facts of a community and the reports of its parts for a prompt, within 8,000 tokens.

    Facts between nodes with most facts come first. If there are too many, the reports of the largest parts replace
    their facts, until the rest fits.
    """
    degree = Counter(end.id for fact in facts for end in (fact.head, fact.tail))
    ordered = sorted(facts, key=lambda fact: (-degree[fact.head.id] - degree[fact.tail.id], fact.id))
    summaries: list[str] = []
    for part in hierarchy.parts(community.id):
        if _length(ordered, summaries) <= TOKENS * CHARACTERS_PER_TOKEN:
            break
        if part.id in reports:
            inside = _within(hierarchy, part.id)
            ordered = [fact for fact in ordered if not {fact.head.community, fact.tail.community} <= inside]
            summaries.append(f"{reports[part.id].title}: {reports[part.id].text}")
    left = TOKENS * CHARACTERS_PER_TOKEN
    return _cut([f"- {fact}" for fact in ordered], left), _cut(summaries, left)


def _due(hierarchy: Hierarchy) -> Iterator[Community]:
    return (community for community in hierarchy.communities.values() if community.report is None)


def _within(hierarchy: Hierarchy, id: str) -> frozenset[str]:
    parts = [id]
    for part in parts:
        parts.extend(hierarchy.below.get(part, ()))
    return frozenset(parts)


def _length(facts: Sequence[CommunityFact], summaries: Sequence[str]) -> int:
    return sum(len(str(fact)) + 3 for fact in facts) + sum(map(len, summaries))


def _cut(lines: Sequence[str], most: int) -> str:
    fitting: list[str] = []
    for line in lines:
        most -= len(line) + 1
        if most < 0 and fitting:
            break
        fitting.append(line)
    return "\n".join(fitting)
