"""Hostile text in passages, names, metadata and model replies stays text."""

import json

import pytest

from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.pipeline import Ingest
from tests.toy_model import FACTS, PASSAGES, QUESTION, ToyModel
from tests.web import scripted_gear, served

IMAGE = "<img src=x onerror=\"window.hacked = 'image'\">"
SCRIPT = "<script>window.hacked = 'script'</script>"
FRAME = "<iframe srcdoc=\"<script>parent.hacked = 'frame'</script>\"></iframe>"
TURNED = "Edin\u202eburgh \u2066isolated\x1b[2J"
HUGE = "W" * 1_000_000
CODES = ["img", "iframe", "object", "embed", "script:not([src])", "[onerror]", "[srcdoc]", "style"]


class Hostile(ToyModel):
    """Answers with markup around its citation."""

    def answer(self, prompt):
        return (
            super()
            .answer(prompt)
            .replace("Scotland", f"Scotland {IMAGE}{SCRIPT} [click](javascript:hacked=1) {TURNED}", 1)
        )


@pytest.fixture
def site(database, server, embedder, tmp_path):
    """Every text of the corpus is hostile, and so is the model."""
    ingest(database, embedder, tmp_path)
    with (
        scripted_gear(server, embedder, script=Hostile()) as (gear, _),
        served(gear, uploads_folder=tmp_path / "uploads") as (url, _),
    ):
        yield url


def ingest(database, embedder, folder):
    """The toy model's corpus with markup in titles, names and metadata, and a title of a million letters."""
    rows = [
        {"id": id, "title": f"{IMAGE} {id} {TURNED}", "text": text, "metadata": {"url": "javascript:window.hacked=2"}}
        for id, text in PASSAGES.items()
    ]
    rows[0]["title"] = HUGE
    facts = {id: [] for id in PASSAGES}
    for id, *fact in FACTS:
        facts[id].append(fact)
    facts["town"] += [["Edinburgh", SCRIPT, IMAGE], ["Edinburgh", f"is {TURNED}", FRAME]]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "triples.jsonl").write_text(
        "".join(json.dumps({"id": id, "triples": row}) + "\n" for id, row in facts.items())
    )
    Ingest(Graph(database), embedder).run([folder / "corpus.jsonl"], [folder / "triples.jsonl"])


def check(page):
    """No text has become markup, and no text is shown differently from its content."""
    assert page.evaluate("window.hacked ?? null") is None
    assert [0] * len(CODES) == [page.locator(f"main {code}, dialog {code}").count() for code in CODES]
    links = page.locator("main a, dialog a").evaluate_all("links => links.map(link => [link.protocol, link.rel])")
    assert {tuple(link) for link in links} <= {("http:", "noopener noreferrer"), ("https:", "noopener noreferrer")}
    text = page.evaluate("document.body.textContent")
    assert [] == [character for character in "\u202e\u2066\x1b" if character in text]
    longest = page.evaluate(
        "Math.max(...[...document.querySelectorAll('main *, dialog *')].filter(item => !item.children.length)"
        ".map(item => item.textContent.length))"
    )
    assert longest < 25_000


def test_an_answer_its_steps_and_its_sources_are_text(watch, site):
    """As the model wrote it, including markup."""
    watched = watch(site)
    watched.ask(QUESTION)
    answer = watched.answer()
    page = watched.page
    page.locator(".picture g").first.wait_for()
    check(page)
    page.locator("button.marker").first.click()
    page.locator("dialog#passage .facts").wait_for()
    check(page)

    assert IMAGE in answer
    assert SCRIPT in answer
    assert IMAGE in page.locator("dialog#passage h2").inner_text()
    assert SCRIPT in page.locator("dialog#passage .facts").inner_text()
    assert "javascript:window.hacked=2" in page.locator("dialog#passage dl").inner_text()


@pytest.mark.parametrize("tab", ["search", "Compare", "Explore", "Documents"])
def test_passages_and_names_are_text_on_every_tab(watch, site, tab):
    """Titles, predicates, linked names, and a title of a million letters."""
    watched = watch(site)
    page = watched.page
    if tab == "search":
        watched.ask("Hinton Edinburgh Scotland", mode="search")
        page.locator(".picture g").first.wait_for()
    elif tab == "Compare":
        watched.open_tab(tab)
        page.get_by_label("Question", exact=True).fill("Hinton Edinburgh Scotland")
        page.get_by_role("button", name="Compare").click()
        page.locator(".board").wait_for()
    elif tab == "Documents":
        watched.open_tab(tab)
        watched.add("lines.jsonl", json.dumps({"id": "p", "text": "x", "source": f"{IMAGE}\u202e"}).encode())
        page.get_by_role("rowheader", name=IMAGE).wait_for()
        page.get_by_role("button", name=f"Delete {IMAGE}").click()
        check(page)
        page.keyboard.press("Escape")
    else:
        watched.open_tab(tab)
        page.get_by_label("Entity name").fill("Edinburgh")
        page.get_by_role("button", name="Look up").click()
        page.get_by_role("button", name=IMAGE, exact=True).first.click()
        page.get_by_role("heading", name=IMAGE, exact=True).wait_for()
    check(page)

    assert IMAGE in page.locator("main").inner_text()


@pytest.mark.parametrize(
    "fragment",
    [
        f'ask?question={IMAGE}&options={{"__proto__":{{"x":1}}}}&agent=__proto__&mode=nothing&k=-5',
        f"explore?name={SCRIPT}",
        f"compare?question={IMAGE}&retrievers=a,b,c,d,e&k=x",
        'ask?mode=search&retriever=paths&options={"hops":"x","walk":null}',
        "constructor?x",
        "%E0%A4%A",
    ],
)
def test_an_address_that_somebody_sends_does_nothing_by_itself(watch, site, fragment):
    """It only fills in a form, and the page still works."""
    watched = watch(site, path=f"/#{fragment}")
    page = watched.page
    page.locator("#panel-ask form").wait_for(state="attached")
    failure = page.locator("#start").inner_text()
    page.get_by_role("tab", name="Ask").click()
    check(page)
    assert failure == ""
    watched.ask("Hinton Edinburgh", mode="search")
    page.locator(".hits article").first.wait_for()


def test_only_addresses_of_the_web_are_links(watch, site):
    """Anything else is plain text."""
    watched = watch(site)
    watched.page.get_by_label("Your question").wait_for()
    module = watched.page.locator("script[type=module]").get_attribute("src").replace("app.js", "dom.js")
    urls = [
        "javascript:alert(1)",
        "data:text/html,x",
        " javascript:x",
        "/relative",
        "ftp://x",
        "",
        None,
        "https://x.org/",
    ]
    links = watched.page.evaluate(
        "async ([module, urls]) => { const { link } = await import(module);"
        " return urls.map(url => link(url, 'x')).map(item => [item.tagName, item.href ?? null, item.rel ?? null]); }",
        [module, urls],
    )

    plain = [["SPAN", None, None]] * 7
    assert [*plain, ["A", "https://x.org/", "noopener noreferrer"]] == links
