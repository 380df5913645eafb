"""Loaders of LangChain as sources of a sync: each document that they give is one of ours, with their readers."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from langchain_community.document_loaders import GitLoader, RecursiveUrlLoader, SlackDirectoryLoader
from langchain_core.documents import Document

from gear_neo4j import Loaded
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.ingestion.writing import NO_NEW_READERS
from tests.graphs import opened
from tests.loaders import NoLoader, Pages, page, slack_export

pytestmark = pytest.mark.one_server_line

ADA, BO = "user:ada", "user:bo"
TRAVEL = page("travel", "# Travel\n\nBook trains with Ines in Varna.\n\n## Hotels\n\nAsk Jonas in Lyon.", year=2024)
PAY = page("pay", "Salaries are paid by Ada Lovelace in London.", year=2023)


@pytest.fixture
def store(server, database, counting):
    """A Gear over an empty database that counts its embeddings."""
    with opened(server, counting) as gear:
        yield gear


def wiki(*documents, **options):
    """A source of documents."""
    return Loaded(Pages(*documents), name="wiki", **options)


def names(store):
    """The names of the stored documents."""
    return [one.source for one in store.corpus.sources().sources]


def seen(store, principal):
    """The names of the documents that a principal sees."""
    return names(store.scoped(principals=[principal]))


def problems(store, source, **options):
    """The problems of a sync, as they are reported."""
    reported = []
    store.corpus.sync([source], on_problem=reported.append, **options)
    return [str(problem) for problem in reported]


def test_documents_come_change_move_and_go(store, counting):
    """They are read once each time; what has not changed is neither embedded nor written."""
    first = store.corpus.sync([wiki(TRAVEL, PAY)])
    again = store.corpus.sync([wiki(TRAVEL, PAY)])
    hit = store.scoped(where="year >= 2024").search("Where are hotels?", retriever="base")[0].passage
    counting.texts.clear()
    moved = page("journeys", TRAVEL.page_content, year=2025)
    source = wiki(moved, page("pay", "Salaries are paid by Bo.", year=2023))

    later = store.corpus.sync(source)

    assert (2, 3) == (first.new, first.passages_written)
    assert (True, 2) == (again.is_empty, again.unchanged)
    assert ("wiki/travel", "Travel > Hotels", 2024) == (hit.source, hit.title, hit.metadata["year"])
    assert (1, 1, 0, 0) == (later.changed, later.moved, later.new, later.deleted)
    assert ["Salaries are paid by Bo."] == [text.strip() for text in counting.texts if "paid" in text][:1]
    assert not [text for text in counting.texts if text.startswith("Travel")]
    assert ["wiki/journeys", "wiki/pay"] == names(store)
    assert 2 == len(store.scoped(where="year = 2025").search("Travel", retriever="base"))
    assert 1 == source.loader.loads
    last = store.corpus.sync([wiki(moved)])
    assert (1, 1) == (last.deleted, last.unchanged)


def test_the_source_shows_its_class_and_not_its_options(store):
    """Two sources may have the same class."""
    store.corpus.sync([wiki(TRAVEL), Loaded(Pages(PAY), name="intranet")])

    assert {"wiki": ("tests.loaders.Pages",), "intranet": ("tests.loaders.Pages",)} == {
        one.name: one.roots for one in store.corpus.origins()
    }
    assert "Loaded(name='wiki', key=None, version=None, readers=None)" == repr(wiki(TRAVEL, hidden=["s3cret"]))
    assert ["intranet/pay", "wiki/travel"] == names(store)


def test_a_loader_that_fails_in_the_middle_takes_nothing(store):
    """What it gave is taken over, what it did not reach stays, and no document counts as moved."""
    other = page("zoo", TRAVEL.page_content)
    store.corpus.sync([wiki(PAY, TRAVEL)])
    reported = []
    changed = page("pay", "Salaries are paid by Bo.")
    failing = wiki(changed, other, ConnectionError("https://me:pw@wiki/x with s3cret"), TRAVEL, hidden=["s3cret"])

    report = store.corpus.sync([failing], on_problem=reported.append)

    assert (1, 1, 0, 0) == (report.changed, report.new, report.moved, report.deleted)
    assert {"wiki": "ConnectionError: https://***@wiki/x with ***"} == report.failures
    assert ["wiki"] == [problem.file for problem in reported]
    assert ["wiki/pay", "wiki/travel", "wiki/zoo"] == names(store)
    whole = store.corpus.sync([wiki(changed, other)])
    assert (1, 2, {}) == (whole.deleted, whole.unchanged, whole.failures)


def test_a_loader_that_fails_at_once_or_gives_nothing_takes_nothing(store):
    """As when a token has expired; only with consent are all documents removed."""
    store.corpus.sync([wiki(PAY)])
    with pytest.raises(InputError, match=r"^the loader of 'wiki' fails: PermissionError: 401$"):
        store.corpus.sync([wiki(PermissionError("401"))])
    with pytest.raises(InputError, match="1 of 1 document are gone"):
        store.corpus.sync([wiki()])
    assert ["wiki/pay"] == names(store)

    assert 1 == store.corpus.sync([wiki()], most_deleted=1).deleted
    assert store.corpus.sync([wiki()]).is_empty


def test_keys(store):
    """A field, a function, or the id of the document; a document without one, or with that of another, is reported."""
    documents = [
        page("https://me:pw@wiki/a?token=1", "One."),
        Document(id="7", page_content="Two."),
        Document(page_content="Three."),
        page("https://wiki/a", "Four."),
        page("x" * 3_000, "Five."),
    ]

    reported = problems(store, wiki(*documents))

    assert ["wiki/7", "wiki/https://wiki/a"] == names(store)
    assert "wiki: document 3 has no key that can be used: None" in reported
    assert "wiki/https://wiki/a: another document has this key: only the first is read" in reported
    assert 3 == len(reported)
    store.corpus.sync([Loaded(Pages(page("a", "Six.", nr=1)), name="by field", key="nr")])
    store.corpus.sync([Loaded(Pages(page("a", "Seven.")), name="by function", key=lambda one: one.page_content[:5])])
    assert {"by field/1", "by function/Seven"} <= set(names(store))


def test_pages_of_one_document_are_joined_in_order(store):
    """As the loaders of PDF files give them."""
    pages = [page("a.pdf", f"This is page {number}.", page=number, total=3) for number in (2, 0, 1)]

    report = store.corpus.sync([wiki(*pages)])

    (hit,) = store.search("page", retriever="base")
    assert "This is page 0.\n\nThis is page 1.\n\nThis is page 2." == hit.passage.text
    assert {"source": "a.pdf", "total": 3} == hit.passage.metadata
    assert (1, 0) == (report.new, report.problems)
    assert store.corpus.sync([wiki(*reversed(pages))]).is_empty


def test_a_version_says_what_has_changed(store):
    """Then other metadata may change each time, such as the time of the download."""
    load = partial(page, "a", "One.", last_modified="2024-05-31")
    store.corpus.sync([wiki(load(read=1), version="last_modified")])

    assert store.corpus.sync([wiki(load(read=2), version="last_modified")]).is_empty
    assert 1 == store.corpus.sync([wiki(load(read=2))]).changed
    changed = store.corpus.sync([wiki(page("a", "Two.", last_modified="2024-06-01"), version="last_modified")])
    assert (1, 1) == (changed.changed, changed.passages_written)


def test_metadata_that_no_filter_can_use_is_left_out_and_counted(store):
    """Numbers, texts, truth and dates stay."""
    moment = datetime(2024, 5, 31, tzinfo=UTC)
    report = store.corpus.sync([wiki(page("a", "One.", draft=True, at=moment, box={"x": 1}, none=None, tags=["a"]))])

    (hit,) = store.search("One", retriever="base")
    assert {"source": "a", "draft": True, "at": "2024-05-31T00:00:00Z", "tags": ["a"]} == hit.passage.metadata
    assert {"box": 1} == report.fields_left_out


def test_code_has_no_headings_and_markdown_has(store):
    """The key says what a text is."""
    text = "# A comment about Varna\n\nprint()\n"
    store.corpus.sync([wiki(page("src/app.py", text), page("docs/app.md", text), page("https://x/app.py", text))])

    titles = {hit.passage.source: hit.passage.title for hit in store.search("comment", retriever="base")}
    heading = "A comment about Varna"
    assert {"wiki/src/app.py": "app", "wiki/docs/app.md": heading, "wiki/https://x/app.py": heading} == titles


def test_readers_come_from_the_source(store):
    """They are never shown, and a document without any is for nobody."""
    open_to = partial(page, text="One.")
    source = wiki(
        open_to("a", acl=[ADA]),
        open_to("b", acl=[ADA, BO]),
        open_to("c", acl=BO),
        open_to("d", acl=[]),
        open_to("e"),
        open_to("f", acl=[3]),
        readers="acl",
    )

    reported = problems(store, source)

    assert ["wiki/a", "wiki/b"] == seen(store, ADA)
    assert ["wiki/b", "wiki/c"] == seen(store, BO)
    assert [
        "wiki/f: its readers are unknown, so nobody may read it: SettingsError: the reader 3 is blank, or begins or "
        "ends with a blank: give a name"
    ] == reported
    assert all("acl" not in hit.passage.metadata for hit in store.search("One", retriever="base"))
    assert {"wiki/d", "wiki/e", "wiki/f"} <= set(names(store))


def test_a_change_of_readers_alone_narrows_at_once_and_widens_only_with_consent(store, counting):
    """Nothing is embedded again, and a document that would get readers is reported until it gets them."""

    def source(**readers):
        return wiki(*(page(key, f"About {key}.", who=who) for key, who in readers.items()), readers="who")

    store.corpus.sync([source(a=[ADA, BO], b=[ADA])])
    counting.texts.clear()
    after = source(a=[BO], b=[BO])
    reported = problems(store, after)
    again = problems(store, after)

    assert [f"wiki/b: {NO_NEW_READERS}"] == reported == again
    assert ([], ["wiki/a"]) == (seen(store, ADA), seen(store, BO))
    assert ["wiki/a", "wiki/b"] == names(store)
    report = store.corpus.sync([after], widen=True)
    assert ["wiki/a", "wiki/b"] == seen(store, BO)
    assert (2, 0, []) == (report.unchanged, report.kept_readers, counting.texts)
    assert not problems(store, after)


def test_readers_of_the_sync_are_for_documents_without_their_own(store):
    """A function may leave that open with None."""

    def readers(metadata: Mapping[str, object]):
        return metadata.get("who")

    store.corpus.sync([wiki(page("a", "One.", who=[ADA]), page("b", "Two."), readers=readers)], readers=[BO])

    assert (["wiki/a"], ["wiki/b"]) == (seen(store, ADA), seen(store, BO))


def test_readers_move_with_documents_that_exchange_names(store):
    """Each name ends with what the source says of it."""
    one, two = page("a", "About one.", who=[ADA]), page("b", "About two.", who=[BO])
    store.corpus.sync([wiki(one, two, readers="who")])
    swapped = wiki(page("b", "About one.", who=[ADA]), page("a", "About two.", who=[BO]), readers="who")

    report = store.corpus.sync([swapped])

    assert (2, 0) == (report.moved, report.kept_readers)
    assert (["wiki/b"], ["wiki/a"]) == (seen(store, ADA), seen(store, BO))


def test_a_dry_run_writes_nothing(store):
    """Neither documents nor readers."""
    store.corpus.sync([wiki(page("a", "One.", who=[ADA]), readers="who")])

    report = store.corpus.sync([wiki(page("a", "One.", who=[BO]), PAY, readers="who")], dry_run=True)

    assert (1, 1) == (report.new, report.passages_written)
    assert ["wiki/a"] == seen(store, ADA)


def test_what_is_no_loader_or_has_no_name_is_refused(store):
    """In one line."""
    for refused in (store.corpus.ingest, store.corpus.sync, lambda loader: store.corpus.sync([loader])):
        with pytest.raises(SettingsError, match=r"^a loader needs a name for its source: "):
            refused(Pages(PAY))
    with pytest.raises(SettingsError, match=r"^NoLoader is no loader: "):
        Loaded(NoLoader(), name="wiki")
    with pytest.raises(SettingsError, match="holds a slash"):
        Loaded(Pages(), name="a/b")


def test_an_ingest_removes_nothing(store):
    """It reads new and changed documents, and the next sync removes what is gone."""
    store.corpus.ingest(wiki(TRAVEL, PAY))
    report = store.corpus.ingest(wiki(page("pay", "Salaries are paid by Bo.")))

    assert (1, 1, 1) == (report.documents_read, report.passages_written, report.passages_removed)
    assert ["wiki/pay", "wiki/travel"] == names(store)
    assert 1 == store.corpus.sync([wiki(page("pay", "Salaries are paid by Bo."))]).deleted
    with pytest.raises(SettingsError, match="leave out triples, replace and synonyms"):
        store.corpus.ingest(wiki(PAY), replace=True)


# Loaders of langchain-community


def test_a_git_repository(store, tmp_path):
    """Each file of the branch is a document; a renamed file keeps its vectors."""
    from git import Actor, Repo

    folder, author = tmp_path / "code", Actor("Ada", "ada@example.org")
    with Repo.init(folder, initial_branch="main") as repo:
        (folder / "docs").mkdir()
        (folder / "docs" / "guide.md").write_text("# Guide\n\nVarna is where Ines works.\n")
        (folder / "app.py").write_text("# Not a heading\nprint('Lyon')\n")
        repo.index.add(["docs/guide.md", "app.py"])
        repo.index.commit("First", author=author, committer=author)
        source = Loaded(GitLoader(str(folder), branch="main"), name="code")
        first = store.corpus.sync([source])
        repo.index.move(["docs/guide.md", "docs/manual.md"])
        repo.index.commit("Second", author=author, committer=author)
        second, third = store.corpus.sync([source]), store.corpus.sync([source])

    assert (2, 1, 1) == (first.new, second.moved, second.unchanged)
    assert third.is_empty
    assert ["code/app.py", "code/docs/manual.md"] == names(store)


def test_an_export_of_slack(store, tmp_path):
    """Each message is a document, of which only its channel's members are readers."""

    def export(*messages):
        slack_export(tmp_path / "slack.zip", hr=messages)
        loader = SlackDirectoryLoader(tmp_path / "slack.zip", "https://team.slack.com")
        return Loaded(loader, name="slack", readers=lambda metadata: f"channel:{metadata['channel']}")

    first = store.corpus.sync([export("Ines moves to Varna.", "Jonas stays in Lyon.")])
    second = store.corpus.sync([export("Ines moves to Varna.", "Jonas stays in Lyon.", "Bo leaves.")])

    assert (2, 1, 2) == (first.new, second.new, second.unchanged)
    assert "slack/https://team.slack.com/archives/hr/p17000000000" in seen(store, "channel:hr")
    assert not seen(store, "channel:general")


def test_a_web_site(store, tmp_path):
    """Its pages are documents named by their addresses; a page that no page links to any more is removed."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text('<a href="a.html">A</a> <a href="b.html">B</a>')
    for name in "ab":
        (site / f"{name}.html").write_text(f"<title>{name}</title><p>Ines works in Varna, says {name}.</p>")
    handler = partial(SimpleHTTPRequestHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        source = Loaded(RecursiveUrlLoader(address, max_depth=2), name="site")
        first = store.corpus.sync([source])
        (site / "index.html").write_text('<a href="a.html">A</a>')
        second, third = store.corpus.sync([source]), store.corpus.sync([source])
        server.shutdown()

    assert (3, 1, 1, 1) == (first.new, second.changed, second.deleted, second.unchanged)
    assert third.is_empty
    assert [f"site/{address}"[:-1], f"site/{address}a.html"] == names(store)
