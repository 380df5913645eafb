"""The report of a sync."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from gear_neo4j.errors import InputError
from gear_neo4j.graph.write.corpus_writes import Deletion
from gear_neo4j.sync.plan import Kind, Plan
from gear_neo4j.text.wording import pluralize

# This many documents may be deleted, whatever their share.
FEW = 5
MOST_DELETED = 0.2


@dataclass(slots=True)
class SyncReport:
    """The report of a sync: numbers of documents, then of passages, triples and entities.

    ``problems`` counts unusable documents, including unchanged ones from earlier syncs; they are not among the others.
    ``kept_readers`` counts the documents that keep their readers, because they were given more without ``widen``.
    ``skipped`` counts files of other kinds by suffix; ``other_names`` has the names of folders whose own name was
    taken. ``failures`` has the sources whose loader failed in the middle, each with the reason: what it did not give
    stays. ``fields_left_out`` counts the fields of a loader's documents that cannot be metadata; ``emptied`` names the
    sources whose loader gives no document any more. In a dry run, ``passages_written`` and ``characters_written`` count
    what would be written.
    """

    new: int = 0
    changed: int = 0
    moved: int = 0
    deleted: int = 0
    unchanged: int = 0
    known: int = 0
    passages_written: int = 0
    characters_written: int = 0
    passages_moved: int = 0
    passages_removed: int = 0
    triples_removed: int = 0
    entities_removed: int = 0
    passages_extracted: int = 0
    triples_extracted: int = 0
    problems: int = 0
    kept_readers: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    other_names: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    fields_left_out: dict[str, int] = field(default_factory=dict)
    emptied: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.new or self.changed or self.moved or self.deleted or self.passages_removed)

    @property
    def share_deleted(self) -> float:
        """The share of the known documents that are deleted, 0 to 1; 0 if they are few, 1 if a loader gives none."""
        if self.emptied:
            return 1.0
        return self.deleted / self.known if self.deleted > FEW else 0.0

    def add_plan(self, plan: Plan) -> None:
        """Add the numbers of a plan."""
        self.new += len(plan.new)
        self.changed += len(plan.changed)
        self.moved += len(plan.moved)
        self.deleted += len(plan.deleted)
        self.unchanged += plan.unchanged
        self.known += plan.known

    def add_left_out(self, skipped: Mapping[str, int], fields: Mapping[str, int]) -> None:
        """Add the numbers of skipped files by suffix, and of fields that cannot be metadata by name."""
        self.skipped = dict(sorted((Counter(self.skipped) + Counter(skipped)).items()))
        self.fields_left_out = dict(sorted((Counter(self.fields_left_out) + Counter(fields)).items()))

    def take_out(self, kind: Kind) -> None:
        """Take a document out of its count: it turned out to be unusable."""
        setattr(self, kind, getattr(self, kind) - 1)

    def add_written(self, written: int, moved: int, removed: Deletion) -> None:
        """Add the numbers of passages written and moved, and of removed items."""
        self.passages_written += written
        self.passages_moved += moved
        self.passages_removed += removed.passages
        self.triples_removed += removed.triples
        self.entities_removed += removed.entities


def refuse_to_empty(report: SyncReport, *, most_deleted: float) -> None:
    """Refuse a sync that would delete too many documents: a network share that is not mounted looks empty.

    Raises:
        InputError: says how many, and what to do.
    """
    if report.share_deleted > most_deleted:
        raise InputError(
            f"{report.deleted:,} of {pluralize(report.known, 'document')} are gone from the sources, more than "
            f"{most_deleted:.0%}: if that is right, allow it with --yes (in Python, most_deleted=1)"
        )
