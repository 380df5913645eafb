"""A model's reports of communities, the smallest first; one that has a report is left alone until it changes."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field, replace

from gear_neo4j.communities import store
from gear_neo4j.communities.store import Community, CommunityFact, Hierarchy
from gear_neo4j.errors import ReplyError, SettingsError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.models.chat import Reply
from gear_neo4j.models.concurrency import outcomes
from gear_neo4j.models.replies import CHARACTERS_PER_TOKEN
from gear_neo4j.roles.prompts import fill
from gear_neo4j.roles.reporter import Report, Reporter
from gear_neo4j.usage import Usage

# What a model is shown of a community (GraphRAG's default).
TOKENS = 8_000
TOKENS_AN_ENTITY = 12
REPLY_TOKENS = 300
CONCURRENCY = 4
Shown = tuple[Community, str, str]


@dataclass(frozen=True, slots=True)
class Reported:
    """How far the reports are: done and failed of all that were due, what they cost, and whether the budget ran out."""

    total: int = 0
    done: int = 0
    failed: int = 0
    usage: Usage = Usage()
    stopped: str = ""


@dataclass(slots=True)
class Reporting:
    """One round of reports over the communities of a database.

    Args:
        concurrency: the most calls at once.
        max_tokens: no report is begun once so many are spent.
        on_progress: hears of each report.

    Raises:
        SettingsError: ``max_tokens`` is below 1.
    """

    graph: Graph
    reporter: Reporter
    concurrency: int = CONCURRENCY
    max_tokens: int | None = None
    on_progress: Callable[[Reported], None] = lambda _: None
    so_far: Reported = Reported()
    _reports: dict[str, Report] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.max_tokens is not None and self.max_tokens < 1:
            raise SettingsError(f"max_tokens is {self.max_tokens}: it must be at least 1")

    def run(self) -> Reported:
        """Report on every community that has no report; those whose reply was of no use are on record as failed.

        Raises:
            InputError: there are no communities.
            ModelError: the model failed for good; what was written stays, and the next run goes on from there.
        """
        hierarchy = store.required(self.graph)
        self._reports = {one.id: one.report for one in hierarchy.communities.values() if one.report}
        due = sorted(_due(hierarchy), key=lambda one: (-one.level, -one.size, one.id))
        self.so_far = replace(self.so_far, total=len(due))
        self.on_progress(self.so_far)
        for level in sorted({one.level for one in due}, reverse=True):
            # A community is reported on after all of its parts.
            shown = (self._shown(hierarchy, one) for one in due if one.level == level)
            asked = outcomes(
                shown,
                self._ask,
                together=self.concurrency,
                go_on=lambda: self.so_far.usage.within(self.max_tokens),
            )
            with closing(asked):
                for (one, _, _), outcome in asked:
                    self._settle(one, outcome)
        ended = self.so_far
        if ended.done + ended.failed < ended.total:
            self.so_far = replace(ended, stopped="budget")
        return self.so_far

    def _shown(self, hierarchy: Hierarchy, one: Community) -> Shown:
        return one, *content(hierarchy, one, store.facts_of(self.graph, one.id), reports=self._reports)

    def _ask(self, shown: Shown) -> Reply[Report]:
        return self.reporter.report(*shown[1:])

    def _settle(self, one: Community, future: Future[Reply[Report]]) -> None:
        try:
            reply = future.result()
        except ReplyError as error:
            self.graph.communities.record_error(one.id, error=str(error), model=self.reporter.name)
            self.so_far = replace(self.so_far, failed=self.so_far.failed + 1, usage=self.so_far.usage + error.usage)
        else:
            self._write(one.id, reply.value)
            self._reports[one.id] = reply.value
            self.so_far = replace(self.so_far, done=self.so_far.done + 1, usage=self.so_far.usage + reply.usage)
        self.on_progress(self.so_far)

    def _write(self, id: str, report: Report) -> None:
        self.graph.communities.write_report(
            id,
            title=report.title,
            summary=report.summary,
            rank=report.rank,
            findings=report.findings,
            model=self.reporter.name,
        )


def forecast(hierarchy: Hierarchy) -> Usage:
    """What the reports that are due will cost, estimated from the number of facts."""
    due = list(_due(hierarchy))
    prompt = fill("report", facts="", parts="")
    asked = (len(prompt.system) + len(prompt.user)) // CHARACTERS_PER_TOKEN
    tokens = sum(asked + min(TOKENS, TOKENS_AN_ENTITY * one.size) for one in due)
    return Usage(len(due), tokens, REPLY_TOKENS * len(due), estimated=True)


def content(
    hierarchy: Hierarchy, one: Community, facts: Sequence[CommunityFact], *, reports: dict[str, Report]
) -> tuple[str, str]:
    """The facts of a community and the reports of its parts, as a model is shown them: within 8,000 tokens.

    Facts whose ends have most of them come first. Where they are too many, the reports of the largest parts stand for
    what those hold, until the rest fits.
    """
    degree = Counter(end.id for fact in facts for end in (fact.head, fact.tail))
    ordered = sorted(facts, key=lambda fact: (-degree[fact.head.id] - degree[fact.tail.id], fact.id))
    told: list[str] = []
    for part in hierarchy.parts(one.id):
        if _length(ordered, told) <= TOKENS * CHARACTERS_PER_TOKEN:
            break
        if part.id in reports:
            inside = _within(hierarchy, part.id)
            ordered = [fact for fact in ordered if not {fact.head.community, fact.tail.community} <= inside]
            told.append(f"{reports[part.id].title}: {reports[part.id].text}")
    left = TOKENS * CHARACTERS_PER_TOKEN
    return _cut([f"- {fact}" for fact in ordered], left), _cut(told, left)


def _due(hierarchy: Hierarchy) -> Iterator[Community]:
    return (one for one in hierarchy.communities.values() if one.report is None)


def _within(hierarchy: Hierarchy, id: str) -> frozenset[str]:
    found = [id]
    for one in found:
        found.extend(hierarchy.below.get(one, ()))
    return frozenset(found)


def _length(facts: Sequence[CommunityFact], told: Sequence[str]) -> int:
    return sum(len(str(fact)) + 3 for fact in facts) + sum(map(len, told))


def _cut(lines: Sequence[str], most: int) -> str:
    kept: list[str] = []
    for line in lines:
        most -= len(line) + 1
        if most < 0 and kept:
            break
        kept.append(line)
    return "\n".join(kept)
