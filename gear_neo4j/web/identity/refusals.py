"""Why a sign-in does not count: it is refused, or nobody can say now."""

from gear_neo4j.errors import GearError, SearchError
from gear_neo4j.web.credentials import RightsUnknown

INVALID = "this sign-in is not valid here: sign in again"
EXPIRED = "this sign-in has ended: sign in again"
ELSEWHERE = "this token is for another service: ask for one for this service"
NOTHING = "this account has no rights here: ask the operator"
DOWN = "the sign-in provider does not answer now: try again"


class SignInRefused(GearError):
    """A token or session does not count; the message is the reason, in one line.

    ``is_known`` says that the person is known, but may do nothing.
    """

    def __init__(self, reason: str = INVALID, *, is_known: bool = False) -> None:
        super().__init__(reason)
        self.is_known = is_known


class ProviderDown(SearchError, RightsUnknown):
    """The provider does not answer, or not as it should."""

    def __init__(self) -> None:
        super().__init__(DOWN)
