"""The ring of a service: finds the key or the sign-in that a caller presents, and says what is left of it later."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gear_neo4j.web.credentials import Credential
from gear_neo4j.web.identity.refusals import SignInRefused
from gear_neo4j.web.identity.rights import PERSON, Person
from gear_neo4j.web.key_ring import KeyRing
from gear_neo4j.web.keys import PREFIX, Key

if TYPE_CHECKING:
    from gear_neo4j.web.identity.people import People


@dataclass(frozen=True, slots=True)
class Ring:
    """The keys of a service, and its people if they sign in."""

    keys: KeyRing
    people: "People | None" = None

    @property
    def required(self) -> bool:
        """Whether requests need a key or a sign-in."""
        return self.people is not None or self.keys.required

    @property
    def has_page(self) -> bool:
        """Whether people sign in on the page."""
        return self.people is not None and self.people.provider.client is not None

    def refresh(self) -> None:
        """Read the file of keys again if it has changed."""
        self.keys.refresh()

    def asks_people(self, secret: str) -> bool:
        """Whether a secret may be a token of a person, which can take a call to the provider."""
        return self.people is not None and not secret.startswith(PREFIX)

    def find(self, secret: str) -> Credential | None:
        """The key or the sign-in of a secret; None for an unknown key.

        Raises:
            SignInRefused: it is a token that does not count.
            RightsUnknown: nobody can say now.
        """
        if self.people is not None and self.asks_people(secret):
            # A key of an earlier version may have another prefix.
            return self.keys.find(secret) or self.people.of_token(secret)
        return self.keys.find(secret)

    def current(self, owner: str) -> Credential | None:
        """What the holder of a key or a sign-in may do now, by its id; None if it was revoked.

        Raises:
            RightsUnknown: nobody can say now.
        """
        if not owner.startswith(PERSON):
            return self.keys.current(owner)
        try:
            return self.people.current(owner) if self.people else None
        except SignInRefused:
            return None

    def admits(self, credential: Credential | None) -> bool:
        """Whether all that it allowed at the time of a request is still allowed; None is for calls without any."""
        if credential is None:
            return not self.required
        if isinstance(credential, Person):
            return self.people is not None and self.people.admits(credential)
        return isinstance(credential, Key) and self.keys.admits(credential)
