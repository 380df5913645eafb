"""The expected cost of an extraction with a language model."""

from dataclasses import dataclass

from gear_neo4j.roles.prompts import fill
from gear_neo4j.usage import Usage

# Measured on musique_train100: the reply in JSON is 1.43 times as long as the passage.
REPLY_LENGTH = 1.43
CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expected cost of an extraction, estimated at four characters per token."""

    passages: int
    usage: Usage


def forecast(passages: int, characters: int) -> Forecast:
    """The expected cost of extracting from passages with this many characters in total.

    Example:
        >>> forecast(100, 50_000).usage.calls
        100
    """
    prompt = fill("extraction", passage="")
    sent = passages * (len(prompt.system) + len(prompt.user)) + characters
    spent = Usage(
        calls=passages,
        input_tokens=sent // CHARACTERS_A_TOKEN,
        output_tokens=round(characters * REPLY_LENGTH) // CHARACTERS_A_TOKEN,
        estimated=True,
    )
    return Forecast(passages, spent)
