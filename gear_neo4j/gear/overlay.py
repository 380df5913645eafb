"""``gear.overlay``: passages and triples over an existing graph."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path as File

from gear_neo4j.adoption import profile_file
from gear_neo4j.adoption.admin_csv import Dialect
from gear_neo4j.adoption.importing import COMMAS, Import, ImportReport, abandon
from gear_neo4j.adoption.overlay import Adoption, AdoptionReport
from gear_neo4j.adoption.profile import Profile
from gear_neo4j.adoption.proposal import propose
from gear_neo4j.adoption.release import ReleaseReport, release
from gear_neo4j.adoption.survey import Survey, survey
from gear_neo4j.domain import VectorSource
from gear_neo4j.errors import InputError
from gear_neo4j.gear.extractors import extract_by_rules
from gear_neo4j.gear.session import Session
from gear_neo4j.gear.templates import Templates
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.ingestion.progress import Progress


class Overlay:
    """Our triples over the user's graph, in one Neo4j database."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._graph = session.graph

    @cached_property
    def templates(self) -> Templates:
        """Queries that the owner of the graph wrote for common questions."""
        return Templates(self._session)

    def import_csv(
        self,
        files: Sequence[str | File],
        *,
        dialect: Dialect = COMMAS,
        on_problem: Callable[[Problem], None] = lambda _: None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> ImportReport:
        """Import nodes and relationships from neo4j-admin's CSV files into the running database.

        Args:
            files: nodes and relationships, distinguished by their headers.
            on_problem: called with each row that could not be used; the rest is imported.

        Raises:
            InputError: a file or its header cannot be used, or the first node already exists; nothing was written.
        """
        run = Import(self._graph, dialect, on_problem=on_problem, on_progress=on_progress)
        return run.run([File(file) for file in files])

    def abandon_import(self, *, dry_run: bool = False) -> int:
        """Delete the nodes of an unfinished import, with their relationships; returns the number of nodes.

        If all rows have been written, the import is finished instead.

        Args:
            dry_run: only count the nodes.
        """
        return self._graph.imports.count() if dry_run else abandon(self._graph)

    def survey(self) -> Survey:
        """The contents of the graph: labels, types, their numbers, and statistics of properties."""
        return survey(self._graph)

    def propose(self, graph_survey: Survey | None = None) -> Profile:
        """Propose a profile to adopt the graph.

        Raises:
            InputError: no node has a name or a text.
        """
        return propose(graph_survey or self.survey(), name=self._graph.name)

    def adopt(
        self,
        profile: Profile | None = None,
        *,
        vectors: VectorSource | None = None,
        extract: bool = True,
        collection: str | None = None,
        readers: Sequence[str] | None = None,
        dry_run: bool = False,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> AdoptionReport:
        """Write passages and triples over the graph, or update them.

        The user's nodes and relationships are only read and linked to; :meth:`release` removes everything again.

        Args:
            profile: how to read the graph; by default, the stored profile.
            vectors: how to make the vectors of triples; by default as before, or ``encoded`` from their texts in a new
                overlay. A ``composed`` vector is the sum of those of the names and the predicate, each of which is
                embedded once.
            extract: if the graph consists of passages only, make triples by rules for those without any.
            collection: the collection of passages and triples, instead of that in the profile.
            readers: the principals that may read nodes without readers, instead of those in the profile; none means
                everybody who may read the collection.
            dry_run: change nothing, only count what would be written to a graph without an overlay.

        Raises:
            InputError: there is no profile, the graph has none of its labels, or the overlay has the other kind of
                vectors.
            SettingsError: the name of a collection or a reader cannot be used.
            EmbeddingMismatch, ForeignGraph, MigrationError: the database must not be written to; it is unchanged.
        """
        profile = self._complete(profile or self.profile(), collection=collection, readers=readers)
        run = Adoption(self._graph, profile, self._session.plain_embedder, vectors=vectors, on_progress=on_progress)
        if dry_run:
            return run.count()
        with self._session.writing():
            report = run.run()
            # Our entities would mix with the user's nodes of the same label.
            if extract and not profile.entities and not self._graph.require_record().foreign:
                report.triples_extracted = extract_by_rules(self._session, on_progress=on_progress).triples
            return report

    def _complete(self, profile: Profile | None, *, collection: str | None, readers: Sequence[str] | None) -> Profile:
        if profile is None:
            raise InputError(
                f"no graph was adopted in {self._graph.name} yet: give a profile ('gear adopt' proposes one)"
            )
        access = CollectionAccess.of(profile.collection if collection is None else collection, readers)
        default = profile.default_readers if access.readers is None else access.readers
        return replace(profile, collection=access.collection, default_readers=default)

    def profile(self) -> Profile | None:
        """The profile of the adopted graph, or None."""
        record = self._graph.record()
        if record is None or not record.profile:
            return None
        return profile_file.parse(record.profile, file=f"the profile stored in {self._graph.name}")

    def release(
        self, *, dry_run: bool = False, on_progress: Callable[[Progress], None] = lambda _: None
    ) -> ReleaseReport:
        """Remove the overlay; afterwards, the graph is the same as before it was adopted.

        Raises:
            InputError: the database has no overlay.
        """
        with self._session.writing():
            return release(self._graph, dry_run=dry_run, on_progress=on_progress)
