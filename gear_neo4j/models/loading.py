"""Loading models of sentence-transformers without their progress bars, which would disturb ours."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_bars() -> Iterator[None]:
    """Show no progress bar for weights that are loaded in the block."""
    from transformers.utils import logging

    had_bar = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if had_bar:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
