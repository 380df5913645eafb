"""The page that shows the paths of a result, in a host by the extension's own library, in a frame without rights."""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gear_neo4j.mcp import picture
from tests.browser.watched import DESKTOP, PHONE
from tests.mcp_client import server_over, talk
from tests.processes import run

LIBRARIES = (
    *("@modelcontextprotocol/ext-apps@2.0.4", "@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/core@2.4.0"),
    *("zod@4.2.0", "esbuild@0.28.2"),
)
HOST = Path(__file__).parent / "host.mjs"
# As strict as a host may be: only what is in the page itself.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
STEPS = {
    "p2": [
        {
            "start": "Salter",
            "predicate": "founded",
            "end": "Sigma",
            "forward": True,
            "continues": False,
            "passage": "p1",
        },
        {
            "start": "Sigma",
            "predicate": "owns",
            "end": "Bath Mill",
            "forward": False,
            "continues": True,
            "passage": "p2",
        },
    ]
}
FOUND = {
    "content": [{"type": "text", "text": "{}"}],
    "structuredContent": {
        "results": [
            {"id": "p2", "title": "<b>Sigma</b>", "text": "Sigma is a mill."},
            {"id": "p3", "title": "Wells", "text": "Wells is a town."},
        ],
        "paths": [],
    },
    "_meta": {"gear-neo4j/steps": STEPS, "gear-neo4j/fetch": "papers_fetch"},
}
PASSAGES = {"p1": "Salter founded Sigma in 1901.", "p2": "Bath Mill owns Sigma."}


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """The script of the host, with its libraries from the npm registry."""
    if not shutil.which("npm"):
        (pytest.fail if os.environ.get("CI") else pytest.skip)("the host of MCP Apps needs npm")
    folder = tmp_path_factory.mktemp("host")
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", *LIBRARIES]
    run(install, cwd=folder, check=True)
    shutil.copy(HOST, folder)
    run(["npx", "esbuild", "--bundle", "--format=iife", HOST.name, "--outfile=bundle.js"], cwd=folder, check=True)
    return (folder / "bundle.js").read_text("utf-8")


@pytest.fixture
def shown(browser, host):
    """Shows a result in a host; returns the host's page and the frame."""
    contexts = []

    def show(result, *, html=None, theme="light", size=DESKTOP):
        context = browser.new_context(viewport=size)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        # The library of the host logs each message.
        page.on("console", lambda message: message.type in ("warning", "error") and messages.append(message.text))
        page.on("request", lambda request: messages.append(request.url))
        page.set_content("<!doctype html><title>host</title>")
        page.add_script_tag(content=host)
        head = f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        html = (html or picture.page()).replace("<head>", head, 1)
        page.evaluate("given => showApp(...given)", [html, result, PASSAGES, theme])
        return page, page.frame_locator("iframe")

    messages = []
    yield show
    for context in contexts:
        context.close()
    assert [] == [text for text in messages if text != "about:srcdoc"]


def test_a_path_leads_from_entity_to_entity_and_a_fact_shows_its_passage(shown):
    """By keyboard, too; a second press hides it. Text is text, whatever it holds."""
    page, frame = shown(FOUND)
    first = frame.locator("article").first

    assert ["Salter", "founded →", "Sigma", "← owns", "Bath Mill"] == first.locator("li").all_inner_texts()
    assert "<b>Sigma</b>" == first.locator("h2").inner_text()
    fact = first.get_by_role("button", name="founded")
    fact.focus()
    page.keyboard.press("Enter")
    frame.get_by_text(PASSAGES["p1"]).wait_for()
    assert [["papers_fetch", {"id": "p1"}]] == page.evaluate("calls")
    assert "true" == fact.get_attribute("aria-expanded")
    page.keyboard.press("Enter")
    frame.get_by_text(PASSAGES["p1"]).wait_for(state="detached")
    assert "Wells is a town." == frame.locator("article").nth(1).locator("p").inner_text()
    assert page.evaluate("sizes.at(-1)") > 50


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_has_the_colours_of_its_host(shown, theme):
    """Readable in both."""
    _, frame = shown(FOUND, theme=theme)
    frame.locator("article").first.wait_for()

    colour = frame.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")

    assert {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 25, 31)"}[theme] == colour


def test_it_fits_on_a_phone(shown):
    """Long names are broken, and nothing is beside the page."""
    long = json.loads(json.dumps(FOUND).replace("Bath Mill", "Mill" * 60))
    _, frame = shown(long, size=PHONE)
    frame.locator("article").first.wait_for()

    assert frame.locator("body").evaluate("body => body.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"content": [], "structuredContent": {"results": [], "paths": []}}, "Nothing was found."),
        ({"content": [{"type": "text", "text": "the query is empty"}], "isError": True}, "the query is empty"),
        ({"content": [{"type": "text", "text": "plain"}]}, "Nothing was found."),
    ],
)
def test_a_result_without_paths_says_so(shown, result, text):
    """An error says what the model reads."""
    _, frame = shown(result)

    frame.get_by_text(text).wait_for()


def test_a_passage_that_cannot_be_read_is_an_error_in_its_place(shown):
    """Its rights may have changed."""
    gone = json.loads(json.dumps(FOUND).replace('"p1"', '"gone"'))
    _, frame = shown(gone)
    frame.get_by_role("button", name="founded").click()

    frame.get_by_text("The passage cannot be shown: ").wait_for()


def test_an_answer_shows_its_citations(shown):
    """With the path to each, and the sentences that support it."""
    citation = {"marker": "[1]", "id": "p2", "title": "Sigma", "url": "", "sentence": "", "quotes": ["It is a mill."]}
    answer = FOUND | {"structuredContent": {"answer": "A mill [1].", "citations": [citation], "steps": []}}
    _, frame = shown(answer)

    assert "A mill [1]." == frame.locator("main > p").inner_text()
    assert "[1] Sigma" == frame.locator("h2").inner_text()
    assert "It is a mill." == frame.locator("article p").inner_text()
    assert 3 == frame.locator(".entity").count()


def test_the_result_of_a_server_is_shown(shown, gear):
    """From the tool to the page: names of both ends of each path, and no warning."""
    server = server_over(gear)

    async def work(client):
        (page,) = (await client.read_resource(picture.URI)).contents
        return page.text, await client.call_tool("paths", {"question": "How are Hinton and Edinburgh connected?"})

    # Playwright keeps an event loop in this thread.
    with ThreadPoolExecutor(1) as pool:
        html, result = pool.submit(talk, server, work).result()
    _, frame = shown(result.model_dump(mode="json", by_alias=True, exclude_none=True), html=html)

    frame.locator(".entity").first.wait_for()
    assert len(result.structured_content["paths"]) == frame.locator("article").count()
