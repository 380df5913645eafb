"""``gear.communities``: groups of entities linked by triples, and a model's reports of them."""

from collections.abc import Callable

from gear_neo4j.communities.build import BuildReport, build
from gear_neo4j.communities.reports import Reporting, ReportProgress
from gear_neo4j.communities.store import Hierarchy, read
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
        """The communities of the last build; perhaps none.

        Raises:
            MigrationError: a newer gear-neo4j has migrated the database.
        """
        self._graph.record()
        return read(self._graph)

    def build(self, *, size: int | None = None, afresh: bool = True, dry_run: bool = False) -> BuildReport:
        """Find the communities of all triples by hierarchical Leiden and store them; reports of those that stay, stay.

        Args:
            size: how many entities a community without parts may have: 10, or as many as at the last build.
            afresh: begin from nothing, which gives the same communities each time; else stay near the present ones.
            dry_run: change nothing, only count.

        Raises:
            InputError: there are no triples.
            SettingsError: size is below 3.
        """
        record = self._graph.record()
        if record is None:
            raise InputError(
                f"the database {self._graph.name} holds no triples of ours: ingest or adopt something first"
            )
        if not dry_run:
            self._graph.migrate(dimension=record.dimension)
        return build(self._graph, most=size, afresh=afresh, dry_run=dry_run)

    def report(
        self,
        *,
        reporter: Reporter | None = None,
        max_tokens: int | None = None,
        on_progress: Callable[[ReportProgress], None] = lambda _: None,
    ) -> ReportProgress:
        """Let the chat model report on every community without a report, smallest first; an interrupted run continues.

        Args:
            reporter: plays the chat model's part.
            max_tokens: begin no further report once this many are spent.

        Raises:
            InputError: there are no communities.
            ModelError: there is no chat model, or it failed for good.
        """
        run = Reporting(
            self._graph,
            reporter or PromptedReporter(self._session.chat),
            concurrency=CONCURRENCY if reporter else self._session.chat.concurrency,
            max_tokens=max_tokens,
            on_progress=on_progress,
        )
        return run.run()
