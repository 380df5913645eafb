"""Why a sign-in does not count: it is refused, or nobody can say now."""

from collections.abc import Mapping
from types import MappingProxyType

from gear_neo4j.errors import GearError, SearchError
from gear_neo4j.web.credentials import RightsUnknown

INVALID = "this sign-in is not valid here: sign in again"
EXPIRED = "this sign-in has ended: sign in again"
ELSEWHERE = "this token is for another service: ask for one for this service"
NOTHING = "this account has no rights here: ask the operator"
DOWN = "the sign-in provider does not answer now: try again"


class SignInRefused(GearError):
    """A token or session does not count; the message is the reason, in one line.

    ``who`` has the issuer and the subject of a person who is known, but may do nothing; it is empty otherwise.
    """

    def __init__(self, reason: str = INVALID, *, who: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(reason)
        self.who = who

    @property
    def is_known(self) -> bool:
        """Whether the person is known, but may do nothing."""
        return bool(self.who)


class ProviderDown(SearchError, RightsUnknown):
    """The provider does not answer, or not as it should."""

    def __init__(self) -> None:
        super().__init__(DOWN)
