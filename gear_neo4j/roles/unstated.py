"""What models say where a text states nothing, as parts of regular expressions."""

UNSTATED = (
    r"un(?:known|clear|specified|named)|n/?a"
    r"|not (?:stated|given|specified|mentioned|available|known|applicable|provided|found)"
)
