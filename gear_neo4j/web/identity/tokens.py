"""Checks access tokens: JWTs by the provider's keys (RFC 9068, RFC 8725), others by asking it (RFC 7662)."""

from collections.abc import Sequence
from dataclasses import dataclass

from joserfc import jwt
from joserfc.errors import ExpiredTokenError, InvalidClaimError, JoseError
from joserfc.jwk import GuestProtocol, KeySet
from joserfc.jwt import JWTClaimsRegistry

from gear_neo4j.web.identity.provider import Provider
from gear_neo4j.web.identity.refusals import ELSEWHERE, EXPIRED, SignInRefused
from gear_neo4j.web.identity.rights import Claims

# Signatures by a private key only: with a shared secret, the public key would do as one.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA")
# Seconds by which clocks may differ.
LEEWAY = 30
LONGEST_TOKEN = 16_000
# Claims of ID tokens, which say who somebody is and give no access (OpenID Connect Core 1.0, section 3.1.3.6).
_OF_ID_TOKENS = frozenset({"at_hash", "c_hash"})


@dataclass(frozen=True, slots=True)
class TokenVerifier:
    """Checks tokens of one provider.

    Attributes:
        audiences: the names of this service, one of which an access token must have; without any, none is accepted.
    """

    provider: Provider
    audiences: Sequence[str] = ()

    def access(self, token: str) -> Claims:
        """The claims of an access token.

        Raises:
            SignInRefused: it is not valid.
            ProviderDown: nobody can say now.
        """
        if not self.audiences or len(token) > LONGEST_TOKEN:
            raise SignInRefused
        if token.count(".") != 2:
            claims = dict(self.provider.introspected(token))
            if claims.pop("active", None) is not True:
                raise SignInRefused(EXPIRED)
            # A provider may leave its own name out of what it says itself.
            claims.setdefault("iss", self.provider.issuer)
            return self._checked(claims, self.audiences)
        signed = self._signed(token)
        if _OF_ID_TOKENS & signed.keys():
            raise SignInRefused
        return self._checked(signed, self.audiences)

    def identity(self, token: str, *, nonce: str | None) -> Claims:
        """The claims of an ID token for this service (OpenID Connect Core 1.0, section 3.1.3.7).

        Args:
            nonce: of the sign-in; None for a token that renews it.

        Raises:
            SignInRefused: it is not valid.
            ProviderDown: nobody can say now.
        """
        client = str(self.provider.client)
        claims = self._checked(self._signed(token), (client,))
        others = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if (others or "azp" in claims) and claims.get("azp") != client:
            raise SignInRefused
        if nonce is not None and claims.get("nonce") != nonce:
            raise SignInRefused
        return claims

    def _signed(self, token: str) -> Claims:
        if len(token) > LONGEST_TOKEN:
            raise SignInRefused
        try:
            return jwt.decode(token, self._keys, algorithms=ALGORITHMS).claims
        except (JoseError, ValueError, TypeError, RecursionError) as error:
            raise SignInRefused from error

    def _keys(self, token: GuestProtocol) -> KeySet:
        kid = token.headers().get("kid")
        return self.provider.keys(kid if isinstance(kid, str) else None)

    def _checked(self, claims: Claims, audiences: Sequence[str]) -> Claims:
        registry = JWTClaimsRegistry(
            leeway=LEEWAY,
            iss={"essential": True, "value": self.provider.issuer},
            sub={"essential": True},
            aud={"essential": True, "values": list(audiences)},
            exp={"essential": True},
        )
        try:
            registry.validate(dict(claims))
        except ExpiredTokenError as error:
            raise SignInRefused(EXPIRED) from error
        except JoseError as error:
            is_elsewhere = isinstance(error, InvalidClaimError) and error.claim == "aud"
            raise (SignInRefused(ELSEWHERE) if is_elsewhere else SignInRefused()) from error
        return claims
