"""``gear adopt``: passages and triples of our own, laid over a graph that is there and is only pointed at.

Everything is streamed and committed batch by batch. Ids follow from what is written, so a killed run is repeated by
running it again, and a later run writes what is new, takes away what has gone, and leaves the rest alone.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from gear_neo4j.adoption.batches import TRIPLES_A_BATCH, OverlayWriter, batches, batches_of_nodes
from gear_neo4j.adoption.nodes import Overlaid, adopted, has_ended, has_prose, overlaid
from gear_neo4j.adoption.profile import Profile, dump
from gear_neo4j.adoption.survey import survey_types
from gear_neo4j.errors import InputError
from gear_neo4j.graph.database import Row
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.overlay_store import RelationshipReading
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.writers import Writers
from gear_neo4j.models.embeddings import Embedder


@dataclass(slots=True)
class AdoptionReport:
    """What an adoption read and wrote, and what it took away because it had gone from the graph.

    ``nameless`` counts relationships that were passed over, because an end has no name under the profile, ``ended``
    those that are facts no more, and ``left_out`` those of types that the profile says nothing of, by type.
    """

    nodes_read: int = 0
    relationships_read: int = 0
    nameless: int = 0
    ended: int = 0
    passages_written: int = 0
    passages_removed: int = 0
    triples_written: int = 0
    triples_removed: int = 0
    left_out: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Adoption:
    """One adoption: the graph, how it is read, what embeds, and who hears of progress."""

    graph: Graph
    profile: Profile
    embedder: Embedder
    on_progress: Callable[[Progress], None] = lambda _: None
    report: AdoptionReport = field(default_factory=AdoptionReport)
    ties: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    @property
    def _writer(self) -> OverlayWriter:
        return OverlayWriter(self.graph, self.profile, self.embedder)

    def run(self) -> AdoptionReport:
        """Lay the overlay over the graph, or bring it up to date.

        Raises:
            InputError: the graph has none of the labels that the profile speaks of.
            EmbeddingMismatch, ForeignGraph, MigrationError: the database is not one to write to; it is untouched.
        """
        labels, relationships = self._totals()
        self.graph.prepare_overlay(
            model=self.embedder.name,
            dimension=self.embedder.dimension,
            profile=dump(self.profile),
            names=self.profile.name_properties,
        )
        self._remove_passages()
        self._remove_triples()
        self._passages(labels)
        self._triples(relationships)
        self.graph.overlay.record_ties(self.ties)
        return self.report

    def count(self) -> AdoptionReport:
        """What :meth:`run` would read and write on a graph without an overlay; nothing is changed."""
        self._totals()
        report = self.report
        cards: set[str] = set()
        for row in self._nodes():
            report.nodes_read += 1
            if has_prose(row, self.profile) and adopted(row, self.profile):
                cards.add(row["id"])
        for one in self._overlaid():
            report.triples_written += 1
            cards.add(one.stated_by)
        report.passages_written = len(cards)
        return report

    def _totals(self) -> tuple[int, int]:
        labels, types = survey_types(self.graph)
        wanted = [*self.profile.entities, *self.profile.chunks]
        found = [label for label in wanted if label in labels]
        if not found:
            raise InputError(
                f"the database {self.graph.name} has no node with the label {' or '.join(wanted)}: "
                f"the profile {self.profile.name!r} is of another graph ('gear adopt' proposes one for this)"
            )
        self.report.left_out.update((kind, count) for kind, count in types.items() if not self.profile.speaks_of(kind))
        return sum(labels[label] for label in found), sum(types.get(kind, 0) for kind in self._types(types))

    def _types(self, there: Iterable[str]) -> list[str]:
        """The types that are facts, of those that are there."""
        profile = self.profile
        if profile.relationships:
            return [kind for kind in there if kind in profile.relationships]
        return [kind for kind in there if kind not in profile.without]

    def _reading(self) -> RelationshipReading:
        facts = self.profile.relationships.values()
        mentions = [kind for chunk in self.profile.chunks.values() for kind in chunk.mentions]
        return RelationshipReading(
            types=self._types(survey_types(self.graph)[1]),
            labels=list(self.profile.entities),
            names=list(self.profile.name_properties),
            properties=[name for fact in facts for name in fact.properties],
            sources=list(self.profile.sources),
            keys=[chunk.key for chunk in self.profile.chunks.values() if chunk.key],
            mentions=list(dict.fromkeys(mentions)),
            chunks=list(self.profile.chunks),
            texts=list(dict.fromkeys(name for chunk in self.profile.chunks.values() for name in chunk.text)),
        )

    def _nodes(self) -> Iterator[Row]:
        labels = [*self.profile.entities, *self.profile.chunks]
        return self.graph.overlay.nodes(labels, self._writer.reading)

    def _overlaid(self) -> Iterator[Overlaid]:
        for row in self.graph.overlay.relationships(self._reading()):
            self.report.relationships_read += 1
            one = overlaid(row, self.profile)
            if one:
                starts, ends = (self._labels(row[key]) for key in ("startLabels", "endLabels"))
                self.ties.update((start, row["type"], end) for start in starts for end in ends)
                yield one
            elif has_ended(row, self.profile):
                self.report.ended += 1
            else:
                self.report.nameless += 1

    def _labels(self, labels: Sequence[str]) -> list[str]:
        return [label for label in labels if label in self.profile.entities]

    def _remove_passages(self) -> None:
        """Passages whose node has gone, or is no longer what the profile speaks of."""
        labels = [*self.profile.entities, *self.profile.chunks]
        rows = self.graph.overlay.passages(labels)
        gone = (row["id"] for row in rows if not row["there"])
        for ids in batches(gone, TRIPLES_A_BATCH):
            deletion = self.graph.corpus.delete_passages(ids)
            self.report.passages_removed += deletion.passages
            self.report.triples_removed += deletion.triples

    def _remove_triples(self) -> None:
        """Triples whose relationship has gone, or says something else by now."""
        rows = self.graph.overlay.triples(self._reading())
        gone = (row["triple"] for row in rows if not (row["stated"] and self._current(row)))
        for ids in batches(gone, TRIPLES_A_BATCH):
            self.report.triples_removed += self.graph.corpus.delete_triples(ids)

    def _current(self, row: Row) -> bool:
        one = overlaid(row, self.profile) if row["id"] else None
        return one is not None and one.id == row["triple"]

    def _passages(self, total: int) -> None:
        """The passages of nodes that have a text; those of other nodes are written where a triple needs one."""

        def told(rows: list[Row], written: int) -> None:
            self.report.nodes_read += len(rows)
            self.report.passages_written += written
            self.on_progress(Progress("passages", self.report.nodes_read, total, self.report.passages_written))

        with Writers() as writers:
            for rows in batches_of_nodes(self._nodes(), where=self._has_prose):
                writers.submit(partial(self._writer.write_passages, rows, where=self._has_prose), partial(told, rows))

    def _has_prose(self, row: Row) -> bool:
        return has_prose(row, self.profile)

    def _triples(self, total: int) -> None:
        def tell(percent: float) -> None:
            self.on_progress(Progress("index", round(percent), 100, self.report.triples_written))

        def told(written: tuple[int, int]) -> None:
            self.report.passages_written += written[0]
            self.report.triples_written += written[1]
            done = self.report.relationships_read
            self.on_progress(Progress("triples", done, max(total, done), self.report.triples_written))

        dimension = self.embedder.dimension
        with (
            self.graph.loading(dimension=dimension, expected=total, on_percent=tell),
            Writers() as writers,
        ):
            for batch in batches(self._overlaid(), TRIPLES_A_BATCH):
                writers.submit(partial(self._writer.write_triples, batch), told)
