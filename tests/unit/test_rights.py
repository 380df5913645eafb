"""What people who sign in may do: the rights file, and the claims that providers send."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.errors import SettingsError
from gear_neo4j.web.identity.rights import Rights, person_id, read_rights, together

ADA = {"iss": "https://id.test", "sub": "7", "email": "ada@example.org", "groups": ["staff", "legal"]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def person(text, **claims):
    """The person of Ada's claims, some of them changed."""
    return Rights.parse(text).person(ADA | claims, sign_in="", until=0.0)


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("[everyone]", {"collections": [], "principals": []}),
        ("[everyone]\ncollections = ['*']", {"principals": []}),
        ("[everyone]\neverything = true\ncollections = ['a']", {"collections": ["a"]}),
        (
            "[groups.staff]\ncollections = ['a']\n[groups.legal]\ncollections = ['b']\n"
            "[groups.it]\ncollections = ['c']",
            {"collections": ["a", "b"], "principals": []},
        ),
        (
            "[everyone]\nprincipals = ['user:{sub}', 'all', 'g:{groups}']",
            {"collections": [], "principals": ["all", "g:legal", "g:staff", "user:7"]},
        ),
        (
            "[everyone]\nprincipals = ['{missing}', 'x:{realm_access.roles}']",
            {"collections": [], "principals": ["x:auditor"]},
        ),
        (
            "group_claim = 'https://example.org/roles'\n[groups.chief]\ncollections = ['c']",
            {"collections": ["c"], "principals": []},
        ),
        (
            "group_claim = 'realm_access.roles'\n[groups.auditor]\ncollections = ['c']",
            {"collections": ["c"], "principals": []},
        ),
    ],
)
def test_tables_give_together_what_a_person_may_see(text, scope):
    """Nothing is given by default; a claim may be nested, or have an address as its name."""
    more = {"realm_access": {"roles": ["auditor"]}, "https://example.org/roles": "chief"}

    assert scope == person(text, **more).scope.json


def test_of_several_rates_the_highest_counts_and_writing_adds_up():
    """A group with more rights takes nothing away."""
    text = "[everyone]\nrate = '10/min'\n[groups.staff]\nrate = '1/s'\nwrites = true\n[groups.legal]\nrate = '50/hour'"
    found = person(text)

    assert ("1/s", True) == (found.rate, found.writes)
    assert 60 == found.limit.count / found.limit.seconds * 60
    assert person("[everyone]").limit is None


def test_who_belongs_to_no_table_is_nobody():
    """Groups are compared letter by letter."""
    assert person("[groups.Staff]\ncollections = ['a']") is None
    assert person("") is None


def test_several_sign_ins_of_a_person_give_all_that_each_gives():
    """A job is done with the rights of all of them."""
    one, other = person("[everyone]\ncollections = ['a']"), person("[everyone]\ncollections = ['b']\nwrites = true")
    whole = person("[everyone]\ncollections = ['*']\neverything = true")

    assert (["a", "b"], True) == (together([one, other]).scope.json["collections"], together([one, other]).writes)
    assert together([one, whole]).scope.is_everything


def test_the_same_subject_of_two_issuers_is_two_people():
    """And no text of one gives the id of the other."""
    ids = {person_id({"iss": iss, "sub": sub}) for iss, sub in (("a", "b"), ("ab", ""), ("a", "c"), ("b", "b"))}

    assert 4 == len(ids)


@given(claims=st.dictionaries(st.sampled_from(["email", "email_verified", "groups", "realm_access"]), JSON))
def test_whatever_a_provider_sends_gives_no_principal_of_another_kind(claims):
    """No claim is an error, and each name keeps the beginning that the file gives it."""
    rights = Rights.parse("[everyone]\nprincipals = ['user:{email}', 'group:{groups}', 'role:{realm_access.roles}']")
    found = rights.person({"iss": "https://id.test", "sub": "7", **claims}, sign_in="", until=0.0)

    assert all(name.startswith(("user:", "group:", "role:")) for name in found.scope.principals)
    assert found.name
    assert "\n" not in found.name
    if claims.get("email_verified") is False:
        assert not any(name.startswith("user:") for name in found.scope.principals)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[everyone", "Expected ']'"),
        ("[everyone]\nreaders = ['a']", "everyone.readers: Extra inputs are not permitted"),
        ("[everyone]\nprincipals = ['{a}{b}']", "may hold one claim"),
        ("[everyone]\nprincipals = ['{a']", "may hold one claim"),
        ("[everyone]\nprincipals = ['']", "everyone.principals.0"),
        ("[everyone]\ncollections = ['a/b']", "holds a slash"),
        ("[everyone]\nrate = 'fast'", "cannot be used"),
        ("[groups]\nstaff = 'all'", "groups.staff"),
        ("name_claim = 7", "name_claim"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(text, words, tmp_path):
    """With the place."""
    file = tmp_path / "rights.toml"
    file.write_text(text)

    with pytest.raises(SettingsError) as refused:
        read_rights(file)
    message = str(refused.value)
    assert message.startswith(f"the rights file {file} cannot be used: ")
    assert words in message
    assert "\n" not in message
