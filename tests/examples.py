"""The number of examples of a property-based test, if not the default."""

from hypothesis import settings

FEW = 25
MANY = 1_000


def examples(count: int) -> int:
    """``count`` in 'make test', at most FEW in 'make quick', at least MANY in 'make fuzz'."""
    return {"few": min(count, FEW), "random": max(count, MANY)}.get(settings.get_current_profile_name(), count)
