"""The phrases by which a model says that a text does not state something, as a regular expression."""

UNSTATED = (
    r"un(?:known|clear|specified|named)|n/?a"
    r"|not (?:stated|given|specified|mentioned|available|known|applicable|provided|found)"
)
