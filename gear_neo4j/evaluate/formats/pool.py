"""The distinct passages of a data set, with readable ids."""

from collections.abc import Iterator
from dataclasses import dataclass

from gear_neo4j.domain import Passage, passage_id
from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.lines import to_passage

LONGEST_TITLE = 80
SHORT_HASH = 8


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A title and a text from a file of questions."""

    title: str
    text: str

    @property
    def key(self) -> tuple[str, str]:
        """Equal for equal paragraphs; ignores white space, in which files of one data set differ.

        Example:
            >>> Paragraph("Curie", "Born in  Warsaw. ").key == Paragraph("Curie ", "Born in Warsaw.").key
            True
        """
        return "".join(self.title.split()), "".join(self.text.split())


class Pool:
    """Distinct passages in insertion order.

    Example:
        >>> pool = Pool()
        >>> pool.add(Paragraph("Curie", "Born in Warsaw."), location="a.json: item 1")
        >>> pool.add(Paragraph("Curie", "Born in Warsaw."), location="a.json: item 2")
        >>> [passage.title for passage in pool]
        ['Curie']
    """

    def __init__(self) -> None:
        self._passages: dict[tuple[str, str], Passage] = {}
        self._titled: dict[str, list[str]] = {}
        self._ids: set[str] = set()

    def __iter__(self) -> Iterator[Passage]:
        return iter(self._passages.values())

    def add(self, paragraph: Paragraph, *, location: str) -> None:
        """Add a paragraph unless it is blank or known.

        Raises:
            InputError: it cannot be stored in a database.
        """
        if paragraph.key in self._passages or paragraph.key == ("", ""):
            return
        id = self._id(paragraph)
        try:
            passage = to_passage({"id": id, "title": paragraph.title.strip(), "text": paragraph.text.strip()})
        except ValueError as error:
            raise InputError(f"{location}: {error}") from error
        self._ids.add(id)
        self._passages[paragraph.key] = passage
        self._titled.setdefault(paragraph.key[0], []).append(id)

    def find(self, paragraph: Paragraph) -> str | None:
        """The id of a paragraph."""
        passage = self._passages.get(paragraph.key)
        return passage.id if passage else None

    def titled(self, title: str) -> str | None:
        """The id of the only passage with a title; None if there are none or several."""
        ids = self._titled.get("".join(title.split()), [])
        return ids[0] if len(ids) == 1 else None

    def _id(self, paragraph: Paragraph) -> str:
        digest = passage_id(*paragraph.key)
        name = " ".join(paragraph.title.split())[:LONGEST_TITLE].rstrip() or "passage"
        short = f"{name} [{digest[:SHORT_HASH]}]"
        return f"{name} [{digest}]" if short in self._ids else short
