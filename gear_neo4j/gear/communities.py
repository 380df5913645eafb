"""``gear.communities``: groups of entities linked by triples, and a model's reports of them."""

from collections.abc import Callable

from gear_neo4j.communities.build import BuildReport, build
from gear_neo4j.communities.hierarchy import Hierarchy
from gear_neo4j.communities.reports import Reporting, ReportProgress
from gear_neo4j.communities.store import read
from gear_neo4j.errors import InputError
from gear_neo4j.gear.session import Session
from gear_neo4j.roles.reporter import PromptedReporter, Reporter

# Parallel calls of a custom reporter, which has no concurrency setting.
CONCURRENCY = 4


class Communities:
    """The communities of one graph."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._graph = session.graph

    def read(self) -> Hierarchy:
        """The communities of the last build, if any; under a scope, only those whose passages are all in it.

        Raises:
            ScopeRefusal: the scope has a filter.
            MigrationError: a newer gear-neo4j has migrated the database.
        """
        self._graph.record()
        return read(self._graph)

    def build(
        self,
        *,
        collection: str | None = None,
        size: int | None = None,
        afresh: bool = True,
        dry_run: bool = False,
    ) -> BuildReport:
        """Find and store the communities of each collection, by hierarchical Leiden; unchanged ones keep their reports.

        Args:
            collection: build only this one.
            size: maximum number of entities in a community without parts; by default 10, or that of the last build.
            afresh: start from scratch, with a deterministic result; otherwise, stay close to the present communities.
            dry_run: change nothing, only count.

        Raises:
            InputError: there are no triples.
            NothingFound: there is no such collection.
            MigrationError: in a dry run, the schema is not the newest.
            SettingsError: size is below 3.
        """
        record = self._graph.record()
        if record is None:
            raise InputError(f"the database {self._graph.name} has no triples: ingest documents or adopt a graph first")
        if dry_run:
            self._graph.require_newest_schema()
        else:
            self._graph.migrate(dimension=record.dimension)
        return build(self._graph, collection=collection, most=size, afresh=afresh, dry_run=dry_run)

    def report(
        self,
        *,
        collection: str | None = None,
        reporter: Reporter | None = None,
        max_tokens: int | None = None,
        on_progress: Callable[[ReportProgress], None] = lambda _: None,
    ) -> ReportProgress:
        """Let the chat model report on every community without a report, smallest first; an interrupted run continues.

        Args:
            collection: only communities of this one.
            reporter: replaces the chat model.
            max_tokens: start no further report once this many are spent.

        Raises:
            InputError: there are no communities.
            ModelError: there is no chat model, or it failed permanently.
        """
        run = Reporting(
            self._graph,
            reporter or PromptedReporter(self._session.chat),
            collection=collection,
            concurrency=CONCURRENCY if reporter else self._session.chat.concurrency,
            max_tokens=max_tokens,
            on_progress=on_progress,
        )
        return run.run()
