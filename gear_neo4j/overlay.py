"""The part of the front door that deals with graphs which others made: import, look at, adopt, release."""

from collections.abc import Callable, Sequence
from pathlib import Path as File

from gear_neo4j.adoption import profile as profiles
from gear_neo4j.adoption.admin_csv import Dialect
from gear_neo4j.adoption.importing import COMMAS, Import, ImportReport
from gear_neo4j.adoption.overlay import Adoption, AdoptionReport
from gear_neo4j.adoption.profile import Profile
from gear_neo4j.adoption.proposal import propose
from gear_neo4j.adoption.release import Released, release
from gear_neo4j.adoption.survey import Survey, survey
from gear_neo4j.communities.build import Built, build
from gear_neo4j.communities.reports import Reported, Reporting
from gear_neo4j.communities.store import Hierarchy, read
from gear_neo4j.corpus import Corpus
from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.roles.reporter import PromptedReporter, Reporter


class Overlay(Corpus):
    """Triples of ours over a graph of the user's, in one Neo4j database."""

    def import_csv(
        self,
        files: Sequence[str | File],
        *,
        dialect: Dialect = COMMAS,
        on_problem: Callable[[Problem], None] = lambda _: None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> ImportReport:
        """Bring nodes and relationships from neo4j-admin's CSV files into the running database.

        Args:
            files: which of them hold nodes and which relationships, their headers say.
            on_problem: hears of each row that could not be used; the rest is imported.

        Raises:
            InputError: a file or its header cannot be used, or the first node is there already; nothing was written.
        """
        run = Import(self.graph, dialect, on_problem=on_problem, on_progress=on_progress)
        return run.run([File(file) for file in files])

    def survey(self) -> Survey:
        """What the graph holds: labels, types, their numbers, and what the properties are like."""
        return survey(self.graph)

    def propose(self, found: Survey | None = None) -> Profile:
        """A profile under which the graph could be adopted.

        Raises:
            InputError: no node of it has a name or a text.
        """
        return propose(found or self.survey(), name=self.database.name)

    def adopt(
        self,
        profile: Profile | None = None,
        *,
        dry_run: bool = False,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> AdoptionReport:
        """Lay passages and triples over the graph that is there, or bring them up to date with it.

        The user's nodes and relationships are only read and pointed at; :meth:`release` takes everything away again.

        Args:
            profile: how the graph is to be read; by default as it was before.
            dry_run: change nothing, only count what would be written on a graph without an overlay.

        Raises:
            InputError: there is no profile, or the graph has none of the labels that it speaks of.
            EmbeddingMismatch, ForeignGraph, MigrationError: the database is not one to write to; it is untouched.
        """
        profile = profile or self.adopted_profile()
        if profile is None:
            raise InputError(
                f"nothing was adopted in {self.database.name} yet: give a profile ('gear adopt' proposes one)"
            )
        run = Adoption(self.graph, profile, self.embedder, on_progress=on_progress)
        if dry_run:
            return run.count()
        self._changed()
        return run.run()

    def adopted_profile(self) -> Profile | None:
        """The profile by which the graph was adopted; None where it was not."""
        record = self.graph.record()
        text = record.profile if record else None
        return profiles.parse(text, file=f"the profile on record in {self.database.name}") if text else None

    def release(self, *, dry_run: bool = False, on_progress: Callable[[Progress], None] = lambda _: None) -> Released:
        """Take the overlay off again: afterwards the graph is what it was before it was adopted.

        Raises:
            InputError: the database holds no overlay.
        """
        self._changed()
        return release(self.graph, dry_run=dry_run, on_progress=on_progress)

    def communities(self) -> Hierarchy:
        """The communities of entities as they were built last; perhaps none."""
        return read(self.graph)

    def build_communities(self, *, size: int | None = None, afresh: bool = True, dry_run: bool = False) -> Built:
        """Find the communities of all triples by hierarchical Leiden and store them; reports of those that stay, stay.

        Args:
            size: how many entities a community without parts may have: 10, or as many as at the last build.
            afresh: begin from nothing, which gives the same communities each time; else stay near those that are there.
            dry_run: change nothing, only count.

        Raises:
            InputError: there are no triples.
            SettingsError: size is below 3.
        """
        record = self.graph.record()
        if record is None:
            raise InputError(
                f"the database {self.database.name} holds no triples of ours: ingest or adopt something first"
            )
        if not dry_run:
            self.graph.migrate(dimension=record.dimension)
        return build(self.graph, most=size, afresh=afresh, dry_run=dry_run)

    def report_communities(
        self,
        *,
        reporter: Reporter | None = None,
        max_tokens: int | None = None,
        on_progress: Callable[[Reported], None] = lambda _: None,
    ) -> Reported:
        """Let the chat model report on every community without a report, smallest first; an interrupted run goes on.

        Args:
            reporter: plays the chat model's part.
            max_tokens: begin no further report once so many are spent.

        Raises:
            InputError: there are no communities.
            ModelError: there is no chat model, or it failed for good.
        """
        asked = reporter or PromptedReporter(self.chat)
        return Reporting(self.graph, asked, max_tokens=max_tokens, on_progress=on_progress).run()
