"""When to sync again: after a change in a local folder, or, for addresses, at intervals."""

from collections.abc import Iterator, Sequence
from itertools import count
from time import sleep

from gear_neo4j.errors import SettingsError
from gear_neo4j.text.address import is_address


def rounds(sources: Sequence[str], *, every: float) -> Iterator[int]:
    """Yield the number of each round, from 1, forever: the first at once, each later one when it is due.

    Args:
        every: maximum seconds between two rounds; an address reports no changes.

    Raises:
        SettingsError: watchfiles is not installed.
    """
    folders = [source for source in sources if not is_address(source)]
    changes = _changes(folders, every=every) if folders else None
    for number in count(1):
        yield number
        if changes is None:
            sleep(every)
        else:
            next(changes)


def _changes(folders: Sequence[str], *, every: float) -> Iterator[object]:
    try:
        from watchfiles import watch
    except ImportError as error:
        raise SettingsError("--watch of a folder needs the extra: pip install 'gear-neo4j[watch]'") from error
    return watch(*folders, rust_timeout=int(every * 1000), yield_on_timeout=True)
