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
        """The communities of the last build; perhaps none. Under a scope, those whose passages it all admits.

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
        """Find and store the communities of each collection, by hierarchical Leiden; reports of those that stay, stay.

        Args:
            collection: build only this one.
            size: how many entities a community without parts may have: 10, or as many as at the last build.
            afresh: begin from nothing, which gives the same communities each time; else stay near the present ones.
            dry_run: change nothing, only count.

        Raises:
            InputError: there are no triples.
            NothingFound: there is no such collection.
            MigrationError: a dry run needs the newest schema, and changes nothing.
            SettingsError: size is below 3.
        """
        record = self._graph.record()
        if record is None:
            raise InputError(
                f"the database {self._graph.name} holds no triples of ours: ingest or adopt something first"
            )
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
            reporter: plays the chat model's part.
            max_tokens: begin no further report once this many are spent.

        Raises:
            InputError: there are no communities.
            ModelError: there is no chat model, or it failed for good.
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
