"""Quotas in the files of keys and of rights: which limits are read, which are refused, and whose count."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.errors import SettingsError
from gear_neo4j.web.identity.rights import Rights, read_rights
from gear_neo4j.web.keys import add_key, read_keys
from gear_neo4j.web.quotas.quota import MOST, Quota, most_generous

ADA = {"iss": "https://id.test", "sub": "7", "groups": ["staff", "legal"]}
NAMES = list(Quota.model_fields)
QUOTAS = st.none() | st.dictionaries(st.sampled_from(NAMES), st.integers(1, MOST), min_size=1).map(
    lambda limits: Quota(**limits)
)


def quota_of(text):
    """The quota of Ada by a rights file."""
    return Rights.parse(text).person(ADA, sign_in="", until=0.0).quota


def test_of_several_tables_the_highest_number_of_each_limit_counts():
    """A table without a limit says nothing of it, and one of another group does not count."""
    rights = """
    [everyone]
    quota = { requests_per_day = 9, tokens_per_day = 5 }
    [groups.staff]
    quota = { requests_per_day = 3, tokens_per_day = 7 }
    [groups.legal]
    quota = { tokens_per_month = 1 }
    [groups.board]
    quota = { tokens_per_day = 99 }
    """

    assert Quota(requests_per_day=9, tokens_per_day=7, tokens_per_month=1) == quota_of(rights)
    assert quota_of("[everyone]") is None


def test_the_rights_of_the_page_give_what_it_says():
    """200 requests and 200,000 tokens a day for a member of the legal department."""
    page = (Path(__file__).parents[2] / "docs" / "quotas.md").read_text("utf-8")
    (rights,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)

    assert Quota(requests_per_day=200, tokens_per_day=200_000, tokens_per_month=2_000_000) == quota_of(rights)


@given(st.lists(QUOTAS))
def test_the_most_generous_quota_admits_what_any_of_them_admits(quotas):
    """For any number of quotas, in any order."""
    together = most_generous(quotas)

    for name in NAMES:
        limits = [getattr(quota, name) for quota in quotas if quota and getattr(quota, name)]
        assert max(limits, default=None) == (getattr(together, name) if together else None)
    assert together == most_generous(reversed(quotas))


@pytest.mark.parametrize(
    ("quota", "why"),
    [
        ("{ tokens_per_day = 0 }", "everyone.quota.tokens_per_day: Input should be greater than or equal to 1"),
        ("{ tokens_per_day = '9' }", "everyone.quota.tokens_per_day: Input should be a valid integer"),
        ("{ tokens_per_day = 1.5 }", "everyone.quota.tokens_per_day: Input should be a valid integer"),
        ("{ tokens_per_day = true }", "everyone.quota.tokens_per_day: Input should be a valid integer"),
        ("{ tokens_per_hour = 9 }", "everyone.quota.tokens_per_hour: Extra inputs are not permitted"),
        (
            f"{{ tokens_per_day = {10**15} }}",
            "everyone.quota.tokens_per_day: Input should be less than or equal to 9999",
        ),
        ("{}", "everyone.quota: Value error, a quota needs a limit: requests_per_day, tokens_per_day, "),
        ("500", "everyone.quota: Input should be a valid dictionary"),
    ],
)
def test_a_value_of_the_rights_file_that_cannot_be_used_is_named(tmp_path, quota, why):
    """In one line, with its place."""
    file = tmp_path / "rights.toml"
    file.write_text(f"[everyone]\nquota = {quota}\n")
    with pytest.raises(SettingsError) as refused:
        read_rights(file)

    assert str(refused.value).startswith(f"the rights file {file} cannot be used: {why}")
    assert "\n" not in str(refused.value)


def test_a_key_keeps_its_quota_and_a_wrong_one_in_the_file_is_named(tmp_path):
    """With its place; no key counts until it is repaired."""
    file = tmp_path / "keys.json"
    add_key(file, "ada", quota=Quota(requests_per_day=5))
    add_key(file, "bob")
    kept = [key.quota for key in read_keys(file)]
    document = json.loads(file.read_text())
    document["keys"][0]["quota"] = {"requests_per_day": -1}
    file.write_text(json.dumps(document))

    assert [Quota(requests_per_day=5), None] == kept
    with pytest.raises(SettingsError, match=r"is not a file of keys \(at keys\.0\.quota\.requests_per_day\)"):
        read_keys(file)


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ([("tokens", "9")], "there is no limit 'tokens': choose from requests_per_day, tokens_per_day, "),
        ([("tokens_per_day", "1e3")], "tokens_per_day is '1e3': it must be a whole number from 1"),
        ([("tokens_per_day", "1" * 16)], "it must be a whole number from 1"),
        ([("tokens_per_day", "²")], "it must be a whole number from 1"),
        ([("tokens_per_day", "1"), ("tokens_per_day", "2")], "the limit tokens_per_day is there twice"),
    ],
)
def test_a_wrong_option_is_named(pairs, why):
    """Before a key is made."""
    with pytest.raises(SettingsError, match=why.replace("(", r"\(")):
        Quota.parse(pairs)
