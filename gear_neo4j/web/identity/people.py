"""The people who have signed in, by token or by session, and what each of them may do now.

What a person may do is looked up again every 20 seconds, also while a request or a job runs: the rights file at once if
it has changed, a session and a token that is no JWT at the provider. A JWT counts until it ends; its claims give way to
newer ones of the same person.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from gear_neo4j.errors import SettingsError
from gear_neo4j.text.files import FileStamp, file_stamp
from gear_neo4j.web.credentials import RightsUnknown
from gear_neo4j.web.identity.provider import Provider
from gear_neo4j.web.identity.refusals import EXPIRED, NOTHING, ProviderDown, SignInRefused
from gear_neo4j.web.identity.rights import Claims, Person, Rights, person_id, read_rights, together
from gear_neo4j.web.identity.sessions import Kept, Sessions
from gear_neo4j.web.identity.tokens import LEEWAY, TokenVerifier
from gear_neo4j.web.keys import digest as digest_of

RENEW_SECONDS = 20.0
# How long a sign-in counts whose provider does not answer.
GRACE_SECONDS = 60.0
MOST_SIGN_INS = 10_000
# How many sign-ins of one person count for their jobs.
MOST_USED = 8


@dataclass(slots=True)
class _SignIn:
    """A token or a session in use; ``renew`` returns its claims and end as they are now."""

    renew: Callable[[], tuple[Claims, float]]
    claims: Claims = field(default_factory=dict)
    until: float = 0.0
    renewed: float = float("-inf")
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True, slots=True)
class _Newest:
    """Claims, with the time of their issue and the digest of the sign-in that has them."""

    claims: Claims
    issued: float
    sign_in: str


class People:
    """The people of one provider; threads may share it.

    ``on_change`` is called after a change of the rights file; it must return at once.

    Args:
        file: the rights file.
        clock: seconds since 1970.

    Raises:
        SettingsError: the rights file cannot be used.
    """

    def __init__(
        self,
        verifier: TokenVerifier,
        *,
        file: Path,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.provider: Provider = verifier.provider
        self.sessions = Sessions(self.provider, clock=clock)
        self._verifier = verifier
        self._clock = clock
        self.on_change: Callable[[], object] = lambda: None
        self._file = file
        self._stamp: FileStamp | None = file_stamp(file)
        self._rights: Rights | None = read_rights(file)
        self._sign_ins: Kept[str, _SignIn] = Kept(MOST_SIGN_INS)
        # The newest claims of each person and client.
        self._newest: Kept[tuple[str, str], _Newest] = Kept(MOST_SIGN_INS)
        # The sign-ins that each person has used lately.
        self._used: Kept[str, tuple[str, ...]] = Kept(MOST_SIGN_INS)
        self._lock = Lock()

    def of_token(self, token: str) -> Person:
        """The person of an access token.

        Raises:
            SignInRefused: it does not count.
            ProviderDown: nobody can say now.
            RightsUnknown: the rights file cannot be used now.
        """
        return self._person(digest_of(token), lambda: self._of_token(token))

    def of_session(self, secret: str) -> Person:
        """The person of a session.

        Raises:
            SignInRefused, ProviderDown, RightsUnknown: see :meth:`of_token`.
        """
        digest = digest_of(secret)
        return self._person(digest, lambda: self._of_session(digest))

    def admits(self, person: Person) -> bool:
        """Whether all that a person could do at the time of a request is still allowed."""
        try:
            now = self._again(person.sign_in)
        except (SignInRefused, RightsUnknown):
            return False
        return now.scope.admits(person.scope) and (now.writes or not person.writes)

    def current(self, id: str) -> Person:
        """What a person may do now, by all sign-ins that they have used lately.

        Raises:
            RightsUnknown: they have none now, or nobody can say.
            SignInRefused: they may do nothing.
        """
        found: list[Person] = []
        refusal: SignInRefused | None = None
        for digest in self._used.get(id) or ():
            try:
                found.append(self._again(digest))
            except SignInRefused as refused:
                if refused.is_known:
                    refusal = refused
        if found:
            return together(found)
        raise refusal or RightsUnknown(EXPIRED)

    def end(self, secret: str, *, back: str) -> str:
        """Sign out; returns the address to go to."""
        digest = digest_of(secret)
        self._sign_ins.take(digest)
        return self.sessions.end(digest, back=back)

    def _person(self, digest: str, renew: Callable[[], tuple[Claims, float]]) -> Person:
        sign_in = self._sign_ins.get(digest) or _SignIn(renew)
        # It is kept only once it has proved valid, so that invented tokens drop nobody's.
        person = self._now(digest, sign_in)
        self._sign_ins.put(digest, sign_in)
        return person

    def _again(self, digest: str) -> Person:
        sign_in = self._sign_ins.get(digest)
        if sign_in is None:
            raise SignInRefused(EXPIRED)
        return self._now(digest, sign_in)

    def _now(self, digest: str, sign_in: _SignIn) -> Person:
        now = self._clock()
        with sign_in.lock:
            if now - sign_in.renewed >= RENEW_SECONDS:
                self._renew(digest, sign_in, now)
            claims, until = sign_in.claims, sign_in.until
        if until + LEEWAY < now:
            raise SignInRefused(EXPIRED)
        person = self._current_rights().person(self._newest_of(claims, digest), sign_in=digest, until=until)
        if person is None:
            raise SignInRefused(NOTHING, who={"issuer": str(claims["iss"]), "subject": str(claims["sub"])})
        return person

    def _renew(self, digest: str, sign_in: _SignIn, now: float) -> None:
        try:
            sign_in.claims, sign_in.until = sign_in.renew()
            sign_in.renewed = now
        except SignInRefused:
            self._sign_ins.take(digest)
            raise
        except ProviderDown:
            if now - sign_in.renewed > GRACE_SECONDS:
                raise

    def _newest_of(self, claims: Claims, digest: str) -> Claims:
        """The newest claims of a person for the same client: an older token brings back no group that they have left.

        Claims for other clients are apart, because a client may ask for fewer of them.
        """
        id, issued = person_id(claims), float(claims.get("iat") or 0)
        client = str(claims.get("azp") or claims.get("client_id") or "")
        with self._lock:
            newest = self._newest.get((id, client))
            if newest is None or newest.issued <= issued or newest.sign_in == digest:
                newest = _Newest(claims, issued, digest)
                self._newest.put((id, client), newest)
            others = (other for other in self._used.get(id) or () if other != digest)
            self._used.put(id, (digest, *others)[:MOST_USED])
        return newest.claims

    def _of_token(self, token: str) -> tuple[Claims, float]:
        claims = self._verifier.access(token)
        return claims, float(claims["exp"])

    def _of_session(self, digest: str) -> tuple[Claims, float]:
        session = self.sessions.renewed(digest)
        # What the provider says now is newer than any token.
        return {**session.claims, "iat": self._clock()}, session.until

    def _current_rights(self) -> Rights:
        """The rights, read again if their file has changed.

        Raises:
            RightsUnknown: they cannot be used now.
        """
        with self._lock:
            stamp = file_stamp(self._file)
            if stamp != self._stamp:
                self._stamp = stamp
                try:
                    self._rights = read_rights(self._file)
                except SettingsError:
                    self._rights = None
                self.on_change()
            if self._rights is None:
                raise RightsUnknown(f"the rights file {self._file.name} cannot be used now: ask the operator")
            return self._rights
