"""The collection of the passages of an ingest, and their readers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from gear_neo4j.domain import Passage, Triple, make_triple
from gear_neo4j.scope import DEFAULT_COLLECTION, SEPARATOR, checked_name, qualified_id, reader_names


@dataclass(frozen=True, slots=True)
class CollectionAccess:
    """A collection and the readers of its passages.

    Everyone who may read the collection may read passages without readers. If ``readers`` is None, existing passages
    keep their readers, and without ``widen`` they never get more. ``confined`` refuses lines whose id could belong to a
    passage in another collection.
    """

    collection: str = DEFAULT_COLLECTION
    readers: tuple[str, ...] | None = None
    confined: bool = False
    widen: bool = False

    @classmethod
    def of(cls, collection: str, readers: Iterable[str] | None, *, confined: bool = False, widen: bool = False) -> Self:
        """The access with checked names; readers are sorted, each once.

        Raises:
            SettingsError: a name cannot be used.

        Example:
            >>> CollectionAccess.of("legal", ["user:ada", "group:legal", "user:ada"]).readers
            ('group:legal', 'user:ada')
        """
        names = None if readers is None else reader_names(readers)
        return cls(checked_name(collection, kind="collection"), names, confined, widen)

    def own(self, id: str) -> str:
        """The id of a line unchanged, if it cannot name a passage in another collection.

        Ids in the default collection have no prefix, so that ``legal/p1`` there could be the passage p1 of ``legal``.

        Raises:
            ValueError: it could name such a passage.
        """
        if self.confined and self.collection == DEFAULT_COLLECTION and SEPARATOR in id:
            raise ValueError('"id" holds a slash, as those of other collections do: use another character')
        return id

    def passage(self, passage: Passage) -> Passage:
        """The passage in this collection; its own readers take precedence over those of the ingest."""
        readers = self.readers if passage.readers is None else passage.readers
        id = qualified_id(passage.id, self.collection)
        return replace(passage, id=id, collection=self.collection, readers=readers)

    def triple(self, triple: Triple) -> Triple:
        """The triple of a passage in this collection."""
        if self.collection == DEFAULT_COLLECTION:
            return triple
        passage = qualified_id(triple.passage_id, self.collection)
        return make_triple(passage, triple.subject, triple.predicate, triple.object)


DEFAULT_MEMBERSHIP = CollectionAccess()
