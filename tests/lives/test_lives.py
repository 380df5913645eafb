"""Lives of a corpus: whatever happens to it, in any order, nobody sees too much, and nothing is lost.

A life is a sequence of steps over two projects with a folder ``docs`` each, a service with keys and jobs, and an
adopted graph. After each step, a search over everything and one other interface, in turn, are compared with the model.
"""

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from gear_neo4j.graph.scope import scoped
from gear_neo4j.ingestion import conversion
from gear_neo4j.retrieval.rank import ranker_cache
from tests.conftest import renew
from tests.lives import steps
from tests.lives.converting import ForkedConverter
from tests.lives.model import FOLDER, UNREADABLE, File, Model
from tests.lives.world import NAME, PROJECTS, Killed, World

# 'make lives' uses other, random ones.
LIVES = int(os.environ.get("GEAR_LIVES_RUNS", "25"))
STEPS = 10
pytestmark = [pytest.mark.timeout(600 + 10 * LIVES), pytest.mark.one_server_line]


class Life(RuleBasedStateMachine):
    """A life; see the module."""

    world: World

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.files: dict[tuple[str, str], File] = {}
        self.former: dict[tuple[str, str], str] = {}
        self.keys = set(steps.BY_NAME)
        self.texts = 0
        self.turns = 0
        self.is_adopted = False

    # Start

    @initialize(command=st.sampled_from(["sync", "ingest"]), readers=st.sampled_from([(steps.CEM,), (steps.ADA,)]))
    def begin(self, command, readers):
        """Salaries that not everybody may read, a plan for all, and two contracts with similar names."""
        self.world.begin(steps.VIEWERS)
        for project in PROJECTS:
            for name in steps.NAMES[:2]:
                self._write(project, name, self._text())
        self._from_folder(command, "a", "absolute", "legal", {"readers": readers, "widen": False, "slow": False})
        self._lines("legal", (steps.CONTRACT, (steps.ADA,)), (steps.ALIKE, None))

    # Steps

    @rule(
        project=st.sampled_from(PROJECTS),
        changes=steps.CHANGES,
        command=st.sampled_from(["sync", "sync", "sync", "ingest"]),
        form=steps.FORM,
        collection=steps.COLLECTION,
        readers=steps.GIVEN,
        widen=st.booleans(),
        slow=st.sampled_from([False, False, False, True]),
        meanwhile=steps.MEANWHILE,
    )
    def update(self, project, changes, command, form, collection, readers, widen, slow, meanwhile):
        """Files change, and their folder is synced or ingested."""
        for change in changes:
            self._change(project, change)
        if any(where == project for where, _ in self.files):
            collection = self._collection(project, collection)
            if slow:
                readers = meanwhile = None
            options = {"readers": readers, "widen": widen, "slow": slow}
            self._from_folder(command, project, form, collection, options, meanwhile=meanwhile)

    @rule(document=steps.ANY, collection=steps.COLLECTION, readers=st.sampled_from([None, None, (steps.CEM,), ()]))
    def line(self, document, collection, readers):
        """A line of JSONL names a source, perhaps that of a document."""
        where, source = self._key(document, collection)
        self._lines(where, (source, readers))

    @rule(document=steps.ANY, collection=steps.COLLECTION, readers=steps.SET)
    def readers(self, document, collection, readers):
        """Somebody sets who may read a source."""
        key = self._key(document, collection)
        if self._is_another(document, key):
            return
        if self.world.set_readers(key, readers):
            self.model.set_readers(key, readers)
        else:
            assert key not in self.model.sources(steps.BY_NAME["root"]).sure, (
                f"{key} is lost: its readers cannot be set"
            )

    @rule(project=st.sampled_from(PROJECTS), collection=steps.COLLECTION, readers=steps.SET)
    def folder_readers(self, project, collection, readers):
        """Somebody sets who may read a folder: what is in it, and what will be."""
        where = self._collection(project, collection)
        origin = self.model.origins.get((where, project))
        if origin and self.world.set_readers((where, f"{origin}/"), readers):
            self.model.set_folder_readers((where, origin), readers)

    @rule(document=steps.ANY, collection=steps.COLLECTION)
    def forget(self, document, collection):
        """A source is forgotten."""
        key = self._key(document, collection)
        if self._is_another(document, key):
            return
        if not self.world.forget(key):
            assert key not in self.model.sources(steps.BY_NAME["root"]).sure, f"{key} is lost: it cannot be forgotten"
        self.model.forget(key)

    @rule(requests=steps.REQUESTS, revoked=st.sampled_from([None, None, "ada", "mallory"]), meanwhile=steps.MEANWHILE)
    def busy(self, requests, revoked, meanwhile):
        """The service gets several requests at once, and runs them later; a key may be revoked before."""
        self.world.keep_busy()
        asked = [(request, *accepted) for request in requests for accepted in self._asked(request)]
        if revoked in self.keys:
            self._revoke(revoked)
        if meanwhile and meanwhile.document:
            self._set_readers(meanwhile)
        done = self.world.work([job for _, job, *_ in asked])
        for (request, _, text, key), is_done in zip(asked, done, strict=True):
            self._done(request, text, key, is_done=is_done)

    @rule(name=st.sampled_from(["ada", "cem", "mallory"]))
    def revoke(self, name):
        """A key is revoked."""
        if name in self.keys:
            self._revoke(name)

    @precondition(lambda self: not self.is_adopted)
    @rule(readers=st.lists(steps.SET, min_size=1, max_size=2), collection=st.sampled_from(["legal", "default"]))
    def adopt(self, readers, collection):
        """A graph is adopted."""
        people = [(self._text(), names) for names in readers]
        self.world.adopt(people, collection=collection)
        self.is_adopted = True
        for text, names in people:
            self.model.line(collection, "", text, names)

    @precondition(lambda self: self.is_adopted)
    @rule()
    def release(self):
        """The graph is released and deleted."""
        self.world.release()
        self.is_adopted = False
        self.model.lines = [line for line in self.model.lines if line.source]

    # Comparison

    @invariant()
    def compare(self):
        """Everybody sees exactly what they may see, through one interface or another."""
        if not self.texts:
            return
        turn, self.turns = self.turns, self.turns + 1
        for viewer in steps.VIEWERS:
            self._check("passages", viewer, self.world.passages(viewer), self.model.texts(viewer))
        surface, viewer = (
            self.surfaces[turn % len(self.surfaces)],
            steps.VIEWERS[(turn + turn // 6) % len(steps.VIEWERS)],
        )
        asking = viewer if viewer.name in self.keys else steps.BY_NAME["root"]
        viewer = asking if surface == "by_http" else viewer
        found = getattr(self.world, surface)(viewer)
        self._check(surface, viewer, found, self.model.texts(viewer), is_whole=surface in ("bm25", "by_http"))
        self._check("sources", asking, self.world.sources(asking), self.model.sources(asking))
        for name in steps.BY_NAME.keys() - self.keys:
            assert not self.world.is_known(steps.BY_NAME[name]), f"the key of {name} is revoked"

    surfaces = ("by_http", "scout", "bm25", "entities", "paths", "by_mcp")

    def _check(self, surface, viewer, found, sight, *, is_whole=True):
        shown = found - set(sight.possible)
        assert not shown, f"{viewer.name} sees by {surface}: {self.model.describe(shown) or shown}"
        lost = set(sight.sure) - found if is_whole else set()
        assert not lost, f"{viewer.name} misses by {surface}: {self.model.describe(lost)}"

    # Parts of the steps

    def _text(self):
        number, letters = self.texts, ""
        self.texts += 1
        for _ in range(3):
            number, letter = divmod(number, 26)
            letters = chr(ord("a") + letter) + letters
        return f"Zq{letters}"

    def _collection(self, project, collection):
        home = steps.HOME.get(project, "legal")
        return home if collection == "home" else next(other for other in steps.HOME.values() if other != home)

    def _key(self, document, collection="home"):
        """The collection and the source of a document; if its folder was never read, the expected ones."""
        where = self._collection(document.project, collection)
        if document.project is None:
            return where, document.name
        origin = self.model.origin(where, document.project, files=self._names_in(document.project))
        return where, f"{origin or FOLDER}/{document.name}"

    def _names_in(self, project):
        return {name for where, name in self.files if where == project}

    def _is_another(self, document, key):
        """Anyone with database access may write a document's path as they like, if nothing has exactly that name."""
        return document.name == steps.ALIKE and not self.model.holds(key)

    def _write(self, project, name, text):
        self.files[project, name] = self.world.write(project, name, text)
        if text:
            self.former[project, name] = text

    def _change(self, project, change):
        held = self.files.get((project, change.name))
        match change.kind:
            case "edit":
                self._write(project, change.name, self._text())
            case "spoil" if held:
                text = self.former.get((project, change.name)) or self._text()
                self._write(project, change.name, UNREADABLE if held.is_readable else text)
            case "rename" if held and (project, change.to) not in self.files:
                self.world.rename(project, change.name, change.to)
                self.files[project, change.to] = self.files.pop((project, change.name))
            case "touch" if held:
                self.files[project, change.name] = self.world.touch(project, change.name, held.text)
            case "delete" if held:
                self.world.delete_file(project, change.name)
                del self.files[project, change.name]

    def _from_folder(self, command, project, form, collection, options, *, meanwhile=None):
        given = NAME if form == "named" else None
        origin = self.model.origin(collection, project, given, files=self._names_in(project))
        if origin is None:
            return
        is_first = (collection, project) not in self.model.origins
        self.model.origins[collection, project] = origin
        files = {f"{origin}/{name}": file for (where, name), file in self.files.items() if where == project}
        with self.world.embedder.interrupted(self._happens(meanwhile)) as has_happened:
            is_done = getattr(self.world, command)(project, form, collection=collection, **options)
            was_met = has_happened()
        readers, widen = options["readers"], options["widen"]
        is_read = not options["slow"] and any(file.is_readable for file in files.values())
        if command == "ingest" and is_first and readers is None and not is_read:
            # An ingest forgets a folder that it has read nothing of.
            del self.model.origins[collection, project]
        if options["slow"]:
            self._too_slow(command, collection, origin, files)
        elif command == "sync":
            self.model.sync(collection, origin, files, readers, widen=widen, is_open=not is_done)
        else:
            self.model.ingest_folder(collection, origin, files, readers, widen=widen, is_open=not is_done)
        if meanwhile and meanwhile.document:
            self._agree(meanwhile, readers, was_met=was_met)
            key = self._key(meanwhile.document)
            if key[0] == collection and key[1] not in files:
                # Set under the former name of a document that has moved meanwhile.
                self.model.allow([(collection, source) for source in files], meanwhile.readers)

    def _too_slow(self, command, collection, origin, files):
        """Nothing can be converted: everything stays, except documents deleted from a folder."""
        if command == "sync":
            self.model.missed(collection, origin, files)

    def _happens(self, meanwhile):
        if meanwhile is None:
            return None

        def happens():
            if meanwhile.document is None:
                raise Killed
            self.was_set = self.world.set_readers(self._key(meanwhile.document), meanwhile.readers)

        return happens

    def _agree(self, meanwhile, readers, *, was_met):
        """Readers that were set while a version was embedded apply; if the version names others, either may apply."""
        key = self._key(meanwhile.document)
        if not was_met:
            self._set_readers(meanwhile)
        elif self.was_set:
            before = self.model.record(key)
            self.model.set_readers(key, meanwhile.readers)
            if readers is not None:
                self.model.allow([key], *before)
            if not meanwhile.readers:
                # A document that is not there yet has no record of being for everybody.
                self.model.allow([key], *self.model.of_folder(key))

    def _set_readers(self, meanwhile):
        key = self._key(meanwhile.document)
        if self.world.set_readers(key, meanwhile.readers):
            self.model.set_readers(key, meanwhile.readers)

    def _lines(self, collection, *said):
        rows = [(source, self._text(), readers) for source, readers in said]
        self.world.ingest_lines(rows, collection=collection)
        for row in rows:
            self.model.line(collection, *row)

    def _revoke(self, name):
        self.world.revoke(name)
        self.keys.discard(name)

    def _asked(self, request):
        """The jobs of a request, each with a text and its collection and source."""
        if request.viewer not in self.keys:
            return
        text, world, (collection, source) = self._text(), self.world, self._key(request.document)
        if request.kind == "send":
            source = steps.SENT
            job = world.send(request.viewer, steps.SENT, text, collection="legal", readers=request.readers)
            collection = "legal"
        elif request.kind == "line":
            job = world.send_line(request.viewer, source, text, collection=collection)
        else:
            job = world.delete(request.viewer, source, collection=collection)
        if job:
            yield job, text, (collection, source)
        if request.kind == "delete twice" and (job := world.delete(request.viewer, source, collection=collection)):
            yield job, text, (collection, source)

    def _done(self, request, text, key, *, is_done):
        """A job has run, if its key still existed and saw everything that the job replaced or removed."""
        viewer = steps.BY_NAME[request.viewer]
        if request.viewer not in self.keys or not viewer.may_enter(key[0]):
            return
        if request.kind == "line":
            if is_done:
                self.model.line(*key, text, None)
            return
        answers = self.model.sees_whole(viewer, key)
        if request.kind == "send" and not self.model.holds(key):
            answers = {True}
        if answers == {True} and viewer.admitted(key[0], self.model.record(key)) == {True} and request.readers is None:
            assert is_done, f"{request} was accepted and not done"
        if not is_done or answers == {False}:
            return
        if request.kind == "send":
            self._sent(key, text, request.readers, is_open=False in answers)
        elif False in answers:
            self.model.doubt(key)
        else:
            self.model.forget(key)

    def _sent(self, key, text, readers, *, is_open):
        self.model.ingest(key[0], {key[1]: File(text, 0)}, readers, is_open=is_open)


@pytest.fixture(scope="module")
def world(server, connection, prepared, tmp_path_factory):
    """The world of all lives: caches of views are checked at once, and converters start at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conversion, "_start", ForkedConverter)
        for module in (ranker_cache, scoped):
            patch.setattr(module, "RECHECK", 0.0)
        renew(connection, prepared, model="fake", dimension=384)
        with World(server, connection, tmp_path_factory.mktemp("lives")) as world:
            yield world


def test_whatever_happens_nobody_sees_what_is_not_theirs_and_nothing_is_lost(world):
    """Forty lives, the same in every run of 'make test'; 'make lives' has others."""
    run_state_machine_as_test(
        type("Life", (Life,), {"world": world}),
        settings=settings(max_examples=LIVES, stateful_step_count=STEPS, suppress_health_check=list(HealthCheck)),
    )
