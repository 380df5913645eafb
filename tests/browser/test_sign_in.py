"""Signing in on the page with a real provider, in a real browser."""

from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

from gear_neo4j.web.options import IdentityOptions
from tests.browser.watched import PHONE
from tests.web import served

RIGHTS = """
[groups.legal]
collections = ["*"]
"""


@pytest.fixture
def site(gear, provider, tmp_path):
    """The URL of a service for people who sign in."""
    rights = tmp_path / "rights.toml"
    rights.write_text(RIGHTS)
    identity = IdentityOptions(issuer=provider.issuer, rights_file=rights, client="gear-page", secret="page secret")
    with served(gear, identity=identity) as (url, _):
        yield url


def hosts_of(provider):
    """The provider's host, and the one from which its own page loads a font."""
    return [urlsplit(provider.issuer).netloc, "fonts.googleapis.com"]


@pytest.mark.parametrize("size", [None, PHONE], ids=["desktop", "phone"])
def test_a_person_signs_in_returns_to_where_they_were_and_signs_out(watch, site, provider, size):
    """By the provider's own page; scripts never see the session, and the dialog has no fault of accessibility."""
    options = {"size": size} if size else {}
    watched = watch(site, path="/#explore", refusals=True, others=hosts_of(provider), **options)
    page = watched.page
    page.get_by_role("heading", name="Sign in").wait_for()
    faults = Axe().run(page).response["violations"]
    page.get_by_role("button", name="Sign in").focus()
    page.keyboard.press("Enter")
    page.get_by_placeholder("Enter any login").fill("ada")
    page.get_by_placeholder("and password").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_text(": 4 passages").wait_for()
    address = urlsplit(page.url)
    name = page.get_by_role("button", name="Sign out").get_attribute("title")
    stored = page.evaluate("[document.cookie, ...Object.values(sessionStorage), ...Object.values(localStorage)].join()")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(f"{provider.issuer}/session/end?**")
    page.goto(site)
    page.get_by_role("heading", name="Sign in").wait_for()

    assert [] == [fault["id"] for fault in faults]
    assert ("/", "explore") == (address.path, address.fragment)
    assert "ada@example.org" == name
    assert "" == stored


def test_an_account_without_rights_is_told_so(watch, site, provider):
    """On a page that leads back to the start."""
    watched = watch(site, path="/sign-in", refusals=True, others=hosts_of(provider))
    page = watched.page
    page.get_by_placeholder("Enter any login").fill("bob")
    page.get_by_placeholder("and password").fill("any")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_text("This account has no rights here: ask the operator.").wait_for()

    assert "/sign-in" == page.get_by_role("link", name="Sign in").get_attribute("href")
