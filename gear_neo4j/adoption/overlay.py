"""``gear adopt``: an overlay of passages and triples on an existing graph, which itself is never changed.

Everything is streamed and committed in batches. Ids are hashes of the content, so a killed run can be repeated, and a
later run writes new items, deletes stale ones, and leaves the rest unchanged.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial

from gear_neo4j.adoption.batches import (
    PASSAGES_A_BATCH,
    TRIPLES_A_BATCH,
    OverlayWriter,
    batches,
    batches_of_nodes,
    node_reading,
)
from gear_neo4j.adoption.nodes import has_prose, node_passage
from gear_neo4j.adoption.profile import Profile
from gear_neo4j.adoption.profile_file import dump
from gear_neo4j.adoption.schema import check_synonyms, schema_of
from gear_neo4j.adoption.survey import survey, survey_types
from gear_neo4j.adoption.triples import AdoptedTriple, has_ended, property_triples, relationship_triple
from gear_neo4j.domain import VectorSource
from gear_neo4j.errors import InputError
from gear_neo4j.graph.connection.database import Row
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.graph_schema import GraphSchema
from gear_neo4j.graph.write.overlay_store import NOBODY, PropertyReading, RelationshipReading
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.writers import Writers
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.models.triple_vectors import triple_vectors

# Minimum similarity, by difflib, of a label and its misspelling: Persom and Person have 0.83.
MISSPELT = 0.8


@dataclass(slots=True)
class AdoptionReport:
    """The items that an adoption read and wrote, and those that it removed because the graph no longer has them.

    ``nameless`` counts relationships skipped because an end has no name in the profile, ``ended`` those whose fact has
    ended, and ``left_out`` those of types that the profile does not mention, by type. ``properties_read`` counts the
    values of properties that are facts, ``triples_extracted`` the triples that rules made from texts, ``stamped`` the
    passages and triples whose collection or readers were updated.
    """

    nodes_read: int = 0
    relationships_read: int = 0
    properties_read: int = 0
    nameless: int = 0
    ended: int = 0
    passages_written: int = 0
    passages_removed: int = 0
    triples_written: int = 0
    triples_removed: int = 0
    triples_extracted: int = 0
    stamped: int = 0
    left_out: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Adoption:
    """An adoption: the graph, its profile, the embedder, the kind of triple vectors, and the progress callback.

    Without ``vectors``, the kind is the one that the database records; a new overlay gets encoded ones.
    """

    graph: Graph
    profile: Profile
    embedder: Embedder
    vectors: VectorSource | None = None
    on_progress: Callable[[Progress], None] = lambda _: None
    report: AdoptionReport = field(default_factory=AdoptionReport)
    ties: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def run(self) -> AdoptionReport:
        """Create the overlay, or update it.

        Raises:
            InputError: the graph has none of the profile's labels, the profile seems to misspell one, or the overlay
                has the other kind of vectors.
            EmbeddingMismatch, ForeignGraph, MigrationError: the database cannot be written to; it is unchanged.
        """
        labels, relationships = self._totals()
        source = self.graph.prepare_overlay(
            model=self.embedder.name,
            dimension=self.embedder.dimension,
            profile=dump(self.profile),
            names=self.profile.name_properties,
            vectors=self.vectors,
            collection=self.profile.collection,
            readers=NOBODY if self.profile.readers else self.profile.default_readers or None,
        )
        writer = OverlayWriter(self.graph, self.profile, self.embedder, triple_vectors(self.embedder, source))
        self._remove_passages()
        self._remove_triples()
        self._passages(writer, labels)
        self._triples(writer, relationships)
        self._stamp()
        self.graph.overlay.record_ties(self.ties)
        self._terms(schema_of(survey(self.graph), self.profile, self.ties))
        return self.report

    def count(self) -> AdoptionReport:
        """Count what :meth:`run` would read and write on a graph without an overlay; read-only."""
        self._totals()
        report = self.report
        cards: set[str] = set()
        for row in self._nodes():
            report.nodes_read += 1
            if has_prose(row, self.profile) and node_passage(row, self.profile):
                cards.add(row["id"])
        for triple in self._all_triples():
            report.triples_written += 1
            cards.add(triple.stated_by)
        report.passages_written = len(cards)
        return report

    def _totals(self) -> tuple[int, int]:
        """The number of nodes to read for passages, and of relationships and nodes to read for triples."""
        labels, types = survey_types(self.graph)
        wanted = [*self.profile.entities, *self.profile.chunks]
        present = [label for label in wanted if label in labels]
        if not present:
            raise InputError(
                f"the database {self.graph.name} has no node with the label {' or '.join(wanted)}: "
                f"the profile {self.profile.name!r} is of another graph ('gear adopt' proposes one for this)"
            )
        self._refuse_misspelt(wanted, labels)
        self.report.left_out.update((kind, count) for kind, count in types.items() if not self.profile.covers(kind))
        if self.profile.synonyms:
            check_synonyms(survey(self.graph), self.profile)
        described = sum(labels.get(label, 0) for label, entities in self.profile.entities.items() if entities.facts)
        relationships = sum(types.get(kind, 0) for kind in self._types(types))
        return sum(labels[label] for label in present), relationships + described

    def _refuse_misspelt(self, wanted: Sequence[str], labels: Collection[str]) -> None:
        """Refuse a profile with an unused label that is similar to another label of the graph.

        It is probably misspelt, and the overlay would lose these nodes.
        """
        others = [label for label in labels if label not in wanted]
        for label in wanted:
            meant = get_close_matches(label, others, n=1, cutoff=MISSPELT) if label not in labels else []
            if meant:
                raise InputError(
                    f"no node has the label {label!r} of the profile {self.profile.name!r}: did you mean {meant[0]!r}?"
                )

    def _types(self, types: Iterable[str]) -> list[str]:
        """The types that are facts."""
        profile = self.profile
        if profile.relationships:
            return [kind for kind in types if kind in profile.relationships]
        return [kind for kind in types if kind not in profile.without]

    def _reading(self) -> RelationshipReading:
        facts = self.profile.relationships.values()
        mentions = [kind for chunk in self.profile.chunks.values() for kind in chunk.mentions]
        return RelationshipReading(
            types=self._types(survey_types(self.graph)[1]),
            labels=list(self.profile.entities),
            names=list(self.profile.calling_properties),
            properties=[name for fact in facts for name in fact.properties],
            sources=list(self.profile.sources),
            keys=[chunk.key for chunk in self.profile.chunks.values() if chunk.key],
            mentions=list(dict.fromkeys(mentions)),
            chunks=list(self.profile.chunks),
            texts=list(dict.fromkeys(name for chunk in self.profile.chunks.values() for name in chunk.text)),
        )

    def _property_reading(self) -> PropertyReading:
        entities = self.profile.entities
        return PropertyReading(
            labels=[label for label, of in entities.items() if of.facts],
            names=list(self.profile.calling_properties),
            facts=list(dict.fromkeys(name for of in entities.values() for name in of.facts)),
        )

    def _nodes(self) -> Iterator[Row]:
        labels = [*self.profile.entities, *self.profile.chunks]
        return self.graph.overlay.nodes(labels, node_reading(self.profile))

    def _relationship_triples(self) -> Iterator[AdoptedTriple]:
        for row in self.graph.overlay.relationships(self._reading()):
            self.report.relationships_read += 1
            triple = relationship_triple(row, self.profile)
            if triple:
                starts, ends = (self._labels(row[key]) for key in ("startLabels", "endLabels"))
                self.ties.update((start, row["type"], end) for start in starts for end in ends)
                yield triple
            elif has_ended(row, self.profile):
                self.report.ended += 1
            else:
                self.report.nameless += 1

    def _property_triples(self) -> Iterator[AdoptedTriple]:
        reading = self._property_reading()
        for row in self.graph.overlay.properties(reading) if reading.labels else ():
            for triple in property_triples(row, self.profile):
                self.report.properties_read += 1
                yield triple

    def _all_triples(self) -> Iterator[AdoptedTriple]:
        yield from self._relationship_triples()
        yield from self._property_triples()

    def _labels(self, labels: Sequence[str]) -> list[str]:
        return [label for label in labels if label in self.profile.entities]

    def _remove_passages(self) -> None:
        """Delete passages whose node was deleted, or is no longer in the profile."""
        labels = [*self.profile.entities, *self.profile.chunks]
        rows = self.graph.overlay.passages(labels)
        gone = (row["id"] for row in rows if not row["there"])
        for ids in batches(gone, TRIPLES_A_BATCH):
            deletion = self.graph.corpus.delete_passages(ids)
            self.report.passages_removed += deletion.passages
            self.report.triples_removed += deletion.triples

    def _remove_triples(self) -> None:
        """Delete triples whose relationship or property was deleted or changed."""
        for ids in batches(self._stale(), TRIPLES_A_BATCH):
            self.report.triples_removed += self.graph.corpus.delete_triples(ids)

    def _stale(self) -> Iterator[str]:
        for row in self.graph.overlay.triples(self._reading()):
            triple = relationship_triple(row, self.profile)
            if not (row["stated"] and triple and triple.id == row["triple"]):
                yield row["triple"]
        for row in self.graph.overlay.property_triples(self._property_reading()):
            current = property_triples(row, self.profile) if row["id"] else ()
            if not (row["stated"] and row["triple"] in {triple.id for triple in current}):
                yield row["triple"]

    def _passages(self, writer: OverlayWriter, total: int) -> None:
        """Write the passages of nodes with a text; other nodes get a passage when a triple needs it."""

        def on_batch(rows: list[Row], written: int) -> None:
            self.report.nodes_read += len(rows)
            self.report.passages_written += written
            self.on_progress(Progress("passages", self.report.nodes_read, total, self.report.passages_written))

        with Writers() as writers:
            for rows in batches_of_nodes(self._nodes(), where=self._has_prose):
                writers.submit(partial(writer.write_passages, rows, where=self._has_prose), partial(on_batch, rows))

    def _stamp(self) -> None:
        """Update the collection and the readers of every passage and triple."""
        profile, total = self.profile, self.graph.overlay.counts().passages
        readers = profile.default_readers or None
        after, done = "", 0
        while stamped := self.graph.overlay.stamp(
            after=after,
            collection=profile.collection,
            property=profile.readers,
            readers=readers,
            limit=PASSAGES_A_BATCH,
        ):
            after, changed = stamped
            done = min(done + PASSAGES_A_BATCH, total)
            self.report.stamped += changed
            self.on_progress(Progress("readers", done, total, self.report.stamped))

    def _terms(self, schema: GraphSchema) -> None:
        """Write the names and values that questions are compared with, and last the schema, which refers to them."""
        expected = self.report.nodes_read + sum(
            property.distinct for owner in schema.owners() for property in schema.properties(owner).values()
        )
        for done in self.graph.terms.update(schema):
            self.on_progress(Progress("names and values", done, max(done, expected), done))
        self.graph.overlay.record_schema(schema)

    def _has_prose(self, row: Row) -> bool:
        return has_prose(row, self.profile)

    def _triples(self, writer: OverlayWriter, total: int) -> None:
        def on_percent(percent: float) -> None:
            self.on_progress(Progress("index", round(percent), 100, self.report.triples_written))

        def on_batch(written: tuple[int, int]) -> None:
            self.report.passages_written += written[0]
            self.report.triples_written += written[1]
            done = self.report.relationships_read + self.report.properties_read
            self.on_progress(Progress("triples", done, max(total, done), self.report.triples_written))

        dimension = self.embedder.dimension
        with (
            self.graph.loading(dimension=dimension, expected=total, on_percent=on_percent),
            Writers() as writers,
        ):
            for batch in batches(self._all_triples(), TRIPLES_A_BATCH):
                writers.submit(partial(writer.write_triples, batch), on_batch)
