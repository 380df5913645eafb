"""What people who sign in may do: a TOML file that maps their claims and groups to principals and collections.

A person gets what ``[everyone]`` and the tables of their groups give, together. Nothing is given by default: without a
table that applies, a person is refused, and without ``collections`` a table opens none.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gear_neo4j.domain import digest
from gear_neo4j.errors import GearError, SettingsError
from gear_neo4j.scope import EVERYTHING, Scope, checked_name
from gear_neo4j.text.printable import single_line
from gear_neo4j.web.quotas.quota import Quota, most_generous
from gear_neo4j.web.rates import Rate

FILE_NAME = "rights.toml"
ALL = "*"
LONGEST_NAME = 100
PERSON = "person:"
Claims = Mapping[str, Any]
_CLAIM = re.compile(r"\{([^{}]+)\}")
Names = tuple[Annotated[str, Field(min_length=1)], ...]


@dataclass(frozen=True, slots=True)
class Person:
    """A person who has signed in: who it is, what they may see, and until when.

    Attributes:
        id: the same for each sign-in of a person; a hash of issuer and subject.
        issuer, subject: who it is at the provider.
        name: for logs; neither unique nor trusted.
        sign_in: the digest of the token or session.
        until: when the sign-in ends, in seconds since 1970.
    """

    id: str
    name: str
    scope: Scope
    sign_in: str
    until: float
    writes: bool = False
    rate: str | None = None
    quota: Quota | None = None
    where: None = None
    issuer: str = ""
    subject: str = ""

    @property
    def limit(self) -> Rate | None:
        """The rate limit of the person; None for no limit."""
        return Rate.parse(self.rate) if self.rate else None


class Rule(BaseModel):
    """What everyone, or the members of a group, get.

    A principal may hold one claim in braces, as in ``user:{email}``; a claim with several values gives several.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    principals: Names = ()
    collections: Names = ()
    everything: bool = False
    writes: bool = False
    rate: str | None = None
    quota: Quota | None = None

    @model_validator(mode="after")
    def _is_usable(self) -> Self:
        for principal in self.principals:
            checked_name(principal, kind="principal")
            if len(_CLAIM.findall(principal)) > 1 or "{" in _CLAIM.sub("", principal):
                raise ValueError(f"the principal {principal[:40]!r} may hold one claim, as in 'user:{{email}}'")
        for collection in self.collections:
            checked_name(collection, kind="collection")
        if self.rate:
            Rate.parse(self.rate)
        return self


class Rights(BaseModel):
    """The rights of all people of one provider.

    Example:
        >>> rights = Rights.parse('''
        ... [everyone]
        ... principals = ["user:{email}", "group:{groups}"]
        ... collections = ["handbook"]
        ... [groups.finance]
        ... collections = ["finance"]
        ... ''')
        >>> ada = {"iss": "https://id.example.org", "sub": "7", "email": "ada@example.org", "groups": ["finance"]}
        >>> rights.person(ada, sign_in="", until=0).scope.json
        {'collections': ['finance', 'handbook'], 'principals': ['group:finance', 'user:ada@example.org']}
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name_claim: str = "email"
    group_claim: str = "groups"
    everyone: Rule | None = None
    groups: Mapping[str, Rule] = {}

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the rights from TOML.

        Raises:
            ValueError, GearError: it is not valid.
        """
        return cls.model_validate(tomllib.loads(text))

    def person(self, claims: Claims, *, sign_in: str, until: float) -> Person | None:
        """The person of these claims; None if no table applies."""
        named = set(_texts(_value(claims, self.group_claim)))
        rules = [self.groups[name] for name in sorted(named & self.groups.keys())]
        if self.everyone:
            rules.append(self.everyone)
        if not rules:
            return None
        return Person(
            id=person_id(claims),
            name=self._name(claims),
            scope=_scope(rules, claims),
            sign_in=sign_in,
            until=until,
            writes=any(rule.writes for rule in rules),
            rate=_highest(rule.rate for rule in rules),
            quota=most_generous(rule.quota for rule in rules),
            issuer=str(claims["iss"]),
            subject=str(claims["sub"]),
        )

    def _name(self, claims: Claims) -> str:
        names = (*_texts(_value(claims, self.name_claim)), str(claims["sub"]))
        return single_line(names[0])[:LONGEST_NAME]


def person_id(claims: Claims) -> str:
    """The id of a person: the subject alone is unique only within its issuer."""
    return PERSON + digest(str(claims["iss"]), str(claims["sub"]))


def together(persons: Sequence[Person]) -> Person:
    """What several sign-ins of one person give together."""
    scopes = [person.scope for person in persons]
    return replace(
        persons[0],
        scope=Scope(
            collections=_union(scope.collections for scope in scopes),
            principals=_union(scope.principals for scope in scopes),
        ),
        until=max(person.until for person in persons),
        writes=any(person.writes for person in persons),
    )


def _union(sets: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    """All names; None, which is no condition, if one is None."""
    every: set[str] = set()
    for names in sets:
        if names is None:
            return None
        every |= names
    return frozenset(every)


def read_rights(file: Path) -> Rights:
    """The rights of a file.

    Raises:
        SettingsError: it does not exist, or cannot be used.
    """
    try:
        return Rights.parse(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"the rights file {file} cannot be read: {error.strerror or error}") from error
    except (ValueError, GearError) as error:
        raise SettingsError(f"the rights file {file} cannot be used: {_reason(error)}") from error


def _scope(rules: Sequence[Rule], claims: Claims) -> Scope:
    collections = {name for rule in rules for name in rule.collections}
    principals = {name for rule in rules for principal in rule.principals for name in _filled(principal, claims)}
    return EVERYTHING.narrowed(
        collections=None if ALL in collections else collections,
        principals=None if any(rule.everything for rule in rules) else principals,
    )


def _filled(principal: str, claims: Claims) -> Iterator[str]:
    """A principal with the values of its claim; a value that is no valid name gives nothing."""
    found = _CLAIM.search(principal)
    if found is None:
        yield principal
        return
    for value in _texts(_value(claims, found[1])):
        try:
            yield checked_name(principal.replace(found[0], value), kind="principal")
        except SettingsError:
            continue


def _value(claims: Claims, path: str) -> object:
    """A claim by its name, or by a path such as ``realm_access.roles``; unverified addresses do not count."""
    if path == "email" and claims.get("email_verified") is False:
        return None
    # A name may hold dots itself: providers call their own claims by addresses.
    if path in claims:
        return claims[path]
    value: object = claims
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _texts(value: object) -> list[str]:
    """The values of a claim as texts; structures and flags are none."""
    values = value if isinstance(value, list) else [value]
    return [str(one) for one in values if isinstance(one, str | int) and not isinstance(one, bool) and str(one).strip()]


def _highest(rates: Iterable[str | None]) -> str | None:
    known = [(Rate.parse(rate), rate) for rate in rates if rate]
    return max(known, key=lambda pair: pair[0].count / pair[0].seconds)[1] if known else None


def _reason(error: Exception) -> str:
    """The first reason, in one line, without the content of the file."""
    if not isinstance(error, ValidationError):
        return single_line(str(error))
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    field = ".".join(map(str, first["loc"]))
    return single_line(f"{field}: {first['msg']}".removeprefix(": "))
