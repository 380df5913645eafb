"""Waits for something that another thread or process does a little later."""

import time


def settle(condition, seconds=5.0):
    """Whether a condition becomes true within some seconds."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()
