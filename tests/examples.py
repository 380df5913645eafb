"""How many examples the tests of a property take, where they do not take the default."""

from hypothesis import settings

FEW = 25
MANY = 1_000


def examples(count: int) -> int:
    """Of that many in 'make test', some in 'make quick' and no fewer than others in 'make fuzz'."""
    return {"few": min(count, FEW), "random": max(count, MANY)}.get(settings.get_current_profile_name(), count)
