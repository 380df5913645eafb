"""Context: the passages around a hit in its document, for the reader of a search and for the model that answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from gear_neo4j.domain import Fact, Hits, Passage
from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.read.surroundings import Surroundings
from gear_neo4j.models.chat import Reply
from gear_neo4j.models.streaming import OnToken
from gear_neo4j.roles.answerer import Answerer
from gear_neo4j.roles.parsers import Draft

MOST_PASSAGES = 5
# Of a section, this many passages before a hit and as many after it.
MOST_OF_SECTION = 10
# A number of passages before a hit and as many after it, or those of its section; 0 is none.
Context = int | Literal["section"]


def checked_context(context: int | str) -> Context:
    """The context as given.

    Raises:
        SettingsError: it is neither "section" nor a number from 0 to 5.

    Example:
        >>> checked_context(2), checked_context("section")
        (2, 'section')
        >>> checked_context(9)
        Traceback (most recent call last):
        gear_neo4j.errors.SettingsError: the context is 9: give a number of passages from 0 to 5, or 'section'
    """
    if context == "section":
        return "section"
    if not isinstance(context, int) or not 0 <= context <= MOST_PASSAGES:
        raise SettingsError(
            f"the context is {context!r}: give a number of passages from 0 to {MOST_PASSAGES}, or 'section'"
        )
    return context


def with_context(hits: Hits, surroundings: Surroundings, context: Context) -> Hits:
    """The hits, each with the passages around it. One round trip; none if the context is 0."""
    around = passages_around(surroundings, [hit.passage.id for hit in hits], context)
    wider = (replace(hit, before=near.before, after=near.after) for hit, near in zip(hits, around, strict=True))
    return replace(hits, hits=tuple(wider))


@dataclass(frozen=True, slots=True)
class Around:
    """The passages before and after another one in its document, in order."""

    before: tuple[Passage, ...] = ()
    after: tuple[Passage, ...] = ()


def passages_around(surroundings: Surroundings, ids: Sequence[str], context: Context) -> list[Around]:
    """The passages around those with the given ids. One round trip; none if the context is 0."""
    if not context or not ids:
        return [Around() for _ in ids]
    is_section = context == "section"
    most = MOST_OF_SECTION if is_section else int(context)
    found = surroundings.of(ids, most=most, section=is_section)
    return [
        Around(
            tuple(passage for distance, passage in near if distance < 0),
            tuple(passage for distance, passage in near if distance > 0),
        )
        for near in found
    ]


class AnswererInContext:
    """An answerer that reads each passage with those around it; in all other roles, the player that it wraps.

    A citation of a passage may thus refer to a sentence next to it. No passage is read twice.
    """

    def __init__(self, player: Answerer, surroundings: Surroundings, context: Context) -> None:
        self._player = player
        self._surroundings = surroundings
        self._context = context

    def __getattr__(self, name: str) -> Any:
        """The other roles of the player."""
        return getattr(self._player, name)

    @property
    def name(self) -> str:
        """The name of the player."""
        return self._player.name

    def answer(
        self,
        question: str,
        passages: Sequence[Passage],
        *,
        memory: Sequence[Fact],
        on_token: OnToken | None = None,
    ) -> Reply[Draft]:
        """The player's answer from the wider passages; see :meth:`Answerer.answer`."""
        around = passages_around(self._surroundings, [passage.id for passage in passages], self._context)
        read = {passage.id for passage in passages}
        wider: list[Passage] = []
        for passage, near in zip(passages, around, strict=True):
            before = [one for one in near.before if one.id not in read]
            after = [one for one in near.after if one.id not in read]
            read |= {one.id for one in (*before, *after)}
            wider.append(replace(passage, text="\n\n".join(one.text for one in (*before, passage, *after))))
        return self._player.answer(question, wider, memory=memory, on_token=on_token)
