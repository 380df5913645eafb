"""A browser for the tests of the page: Chromium, driven by Playwright. If CI is true, it must exist."""

import os
import shutil
from importlib.util import find_spec

import pytest

from tests.browser.watched import Watched
from tests.web import scripted_gear, served

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MISSING = [
    name
    for name, is_there in (
        ("chromium", CHROMIUM is not None),
        ("playwright", find_spec("playwright") is not None),
        ("axe-playwright-python", find_spec("axe_playwright_python") is not None),
    )
    if not is_there
]
if MISSING and os.environ.get("CI") == "true":
    raise RuntimeError(f"the tests of the page need {', '.join(MISSING)}")
collect_ignore_glob = ["test_*.py"] if MISSING else []


def pytest_terminal_summary(terminalreporter):
    """Say in one line that the tests of the page were skipped."""
    if MISSING:
        terminalreporter.write_line(f"the tests of the page were passed over: {', '.join(MISSING)} is not installed")


@pytest.fixture(scope="module")
def browser():
    """One browser per module: Playwright keeps an event loop in this thread while it runs."""
    from playwright.sync_api import sync_playwright

    # Chromium's sandbox does not work for root.
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


@pytest.fixture
def watch(browser, request):
    """Opens watched pages; at the end, none may have logged to its console or called another host.

    The pages are closed before ``site`` stops: one that is still loading would report that the site is gone.
    """
    if "site" in request.fixturenames:
        request.getfixturevalue("site")
    opened = []

    def open_page(url, **options):
        opened.append(Watched(browser, url, **options))
        return opened[-1]

    yield open_page
    for watched in opened:
        watched.close()


@pytest.fixture
def gear(corpus, server, embedder):
    """A Gear over them, with a scripted model."""
    with scripted_gear(server, embedder) as (gear, _):
        yield gear


@pytest.fixture
def site(gear, tmp_path):
    """The URL of the service over them, which accepts documents."""
    with served(gear, uploads_folder=tmp_path / "uploads") as (url, _):
        yield url
