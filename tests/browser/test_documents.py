"""The Documents tab in a real browser: files are added, listed and removed, within the rights of the key."""

import json

from gear_neo4j.web.keys import add_key
from tests.graphs import opened
from tests.toy_model import PASSAGES
from tests.uploads import Gated
from tests.web import served


def test_files_are_added_listed_searched_and_forgotten(watch, site):
    """With the unusable lines; the counts at the top follow."""
    watched = watch(site)
    watched.open_tab("Documents")
    page = watched.page
    page.get_by_label("Collection", exact=True).first.fill("history")
    watched.add("curie.txt", b"Marie Curie was born in Warsaw.", "more.jsonl", b'{"id": "p", "text": "x"}\n{"id": ')
    job = page.locator(".jobs li").first.inner_text()
    page.get_by_text("1 problem").click()
    problem = page.locator(".problems li").inner_text()
    page.get_by_role("rowheader", name="curie.txt").wait_for()
    rows = page.locator("tbody tr").all_inner_texts()
    page.get_by_text(f": {len(PASSAGES) + 2} passages").wait_for()
    page.get_by_role("button", name="Delete curie.txt from history").click()
    warning = page.locator("dialog#confirm").inner_text()
    page.locator("dialog#confirm").get_by_role("button", name="Delete").click()
    page.get_by_role("rowheader", name="curie.txt").wait_for(state="detached")
    page.get_by_text(f": {len(PASSAGES) + 1} passages").wait_for()

    assert "curie.txt and 1 more · history" in job
    assert "2 new passages" in job
    assert problem.startswith("more.jsonl, line 2: ")
    assert "curie.txt\thistory\t1\tDelete" in rows
    assert "1 passage of curie.txt in history" in warning
    assert "1 passage removed" in page.locator(".jobs li").first.inner_text()


def test_nothing_is_forgotten_unless_it_is_confirmed(watch, site):
    """The button or Escape cancels."""
    watched = watch(site)
    watched.open_tab("Documents")
    watched.add("curie.txt", b"Marie Curie was born in Warsaw.")
    page = watched.page
    for decline in (
        lambda: page.keyboard.press("Escape"),
        lambda: page.locator("dialog#confirm").get_by_role("button", name="Cancel").click(),
    ):
        page.get_by_role("button", name="Delete curie.txt").click()
        decline()
    page.reload()
    page.get_by_role("rowheader", name="curie.txt").wait_for()

    assert 1 == page.locator(".jobs li").count()


def test_the_table_shows_one_collection_or_all_and_goes_on_by_pages(watch, site):
    """The URL contains the collection; a job that ends meanwhile does not change the pages."""
    watched = watch(site)
    watched.open_tab("Documents")
    page = watched.page
    rows = "".join(json.dumps({"id": f"p{n}", "text": "x", "source": f"s{n:02}"}) + "\n" for n in range(60))
    page.get_by_label("Collection", exact=True).first.fill("many")
    watched.add("many.jsonl", rows.encode())
    page.get_by_label("Collection", exact=True).last.fill("many")
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_role("rowheader", name="s00").wait_for()
    page.get_by_role("rowheader", name="s49").wait_for()
    first = page.locator("tbody tr").count()
    page.get_by_role("button", name="Show more").click()
    page.get_by_role("rowheader", name="s59").wait_for()
    second = page.locator("tbody tr").count()
    watched.add("one.txt", b"text")
    page.get_by_role("rowheader", name="one.txt").wait_for()

    assert (50, 60, 61) == (first, second, page.locator("tbody tr").count())
    assert page.url.endswith("#documents?collection=many")
    assert 0 == page.get_by_role("button", name="Show more").count()


def test_a_job_that_waits_can_be_cancelled(watch, database, server, tmp_path):
    """The running one continues."""
    model = Gated()
    with opened(server, model) as gear, served(gear, uploads_folder=tmp_path / "uploads") as (url, _):
        watched = watch(url)
        watched.open_tab("Documents")
        page = watched.page
        for name, text in (("first.txt", b"gate"), ("second.txt", b"text")):
            page.get_by_label("Add documents").set_input_files([{"name": name, "mimeType": "", "buffer": text}])
            page.get_by_role("button", name="Add", exact=True).click()
            page.locator(".jobs").get_by_text(name).wait_for()
        assert model.waits.wait(60)
        page.locator(".jobs .waiting").get_by_role("button", name="Cancel").click()
        page.locator(".jobs .cancelled").wait_for()
        model.released.set()
        page.locator(".jobs .done").wait_for()
        page.get_by_role("rowheader", name="first.txt").wait_for()

        assert 0 == page.get_by_role("rowheader", name="second.txt").count()


def test_a_key_adds_and_forgets_where_it_may(watch, gear, tmp_path):
    """A read-only key has no form and no button; a key for one collection can choose no other."""
    file = tmp_path / "keys.json"
    keys = {
        "reader": add_key(file, "reader"),
        "writer": add_key(file, "writer", collections=["legal", "hr"], writes=True),
    }
    with served(gear, keys_file=file, uploads_folder=tmp_path / "uploads") as (url, _):
        pages = {}
        for name, key in keys.items():
            watched = watch(url, refusals=True)
            pages[name] = watched.page
            pages[name].get_by_label("Key", exact=True).fill(key)
            pages[name].get_by_role("button", name="Use this key").click()
            pages[name].get_by_label("Your question").wait_for()
            watched.open_tab("Documents")
        pages["reader"].get_by_text("not add or delete them").wait_for()
        pages["reader"].get_by_role("row").nth(1).wait_for()
        choices = pages["writer"].locator("select#collection option").all_inner_texts()
        watched.add("contract.txt", b"A contract.")

        assert (0, 0) == tuple(pages["reader"].locator(part).count() for part in ("#files", "tbody button"))
        assert ["hr", "legal"] == choices
        assert "contract.txt · hr" in pages["writer"].locator(".jobs li").inner_text()


def test_a_file_that_is_refused_is_said_where_it_was_sent(watch, site):
    """The files stay selected, so that another try is one click."""
    watched = watch(site, refusals=True)
    watched.open_tab("Documents")
    page = watched.page
    page.get_by_label("Add documents").set_input_files([{"name": "a.exe", "mimeType": "", "buffer": b"x"}])
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("a.exe is of a kind that cannot be ingested").wait_for()

    assert 1 == page.get_by_label("Add documents").evaluate("input => input.files.length")
