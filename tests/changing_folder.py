"""A folder whose documents are written, edited, renamed, deleted and broken at random, from a seed."""

import os
import random

NAMES = ("Ada Lovelace", "Charles Babbage", "Mary Somerville", "Grace Hopper", "Alan Turing", "Emmy Noether")
PLACES = ("London", "Turin", "Manchester", "Göttingen", "New York", "Paris")
KINDS = (".md", ".txt", ".html", ".csv")
BROKEN = {
    ".md": b"\xff\xfe broken",
    ".txt": b"\x80\x81",
    ".html": b"<html></html>",
    ".csv": b"",
    ".pdf": b"%PDF-1.4 nothing",
}


class ChangingFolder:
    """Documents in a folder, and changes of them; each write has a later time than the one before."""

    def __init__(self, root, *, seed, documents):
        self.root = root
        self._chance = random.Random(seed)
        self._clock = 1_700_000_000
        self._number = 0
        for _ in range(documents):
            self._create()

    def live(self, steps):
        """Make some random changes; returns the number of each kind."""
        happened = {}
        for _ in range(steps):
            what = self._chance.choice(
                ["create", "edit", "edit", "edit", "rename", "rename", "shift", "delete", "break", "touch"]
            )
            getattr(self, f"_{what}")()
            happened[what] = happened.get(what, 0) + 1
        return happened

    def files(self):
        """All documents, sorted."""
        return sorted(path for path in self.root.rglob("*") if path.is_file())

    def _create(self):
        self._number += 1
        kind = self._chance.choice(KINDS)
        self._write(self._somewhere(f"document {self._number}{kind}"), self._text(kind))

    def _edit(self):
        path = self._any()
        self._write(path, self._text(path.suffix))

    def _rename(self):
        path = self._any()
        self._number += 1
        # In half of the cases only the folder changes, so that a text keeps its title.
        name = path.name if self._chance.random() < 0.5 else f"renamed {self._number}{path.suffix}"
        target = self._somewhere(name)
        if not target.exists():
            path.rename(target)

    def _shift(self):
        """Each of some files of a kind gets the name of the next; the last gets that of the first, or a new one."""
        kind = self._any().suffix
        paths = [path for path in self.files() if path.suffix == kind]
        chosen = self._chance.sample(paths, min(len(paths), self._chance.randrange(2, 4)))
        self._number += 1
        last = chosen[0] if self._chance.random() < 0.5 else chosen[0].with_name(f"shifted {self._number}{kind}")
        for path in chosen:
            path.rename(path.with_suffix(".shifting"))
        for path, target in zip(chosen, [*chosen[1:], last], strict=True):
            path.with_suffix(".shifting").rename(target)

    def _delete(self):
        self._any().unlink()

    def _break(self):
        path = self._any()
        self._write(path, BROKEN[path.suffix])

    def _touch(self):
        self._set_time(self._any())

    def _any(self):
        return self._chance.choice(self.files())

    def _somewhere(self, name):
        folder = self.root / self._chance.choice(["", "a", "b", "a/deep"])
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def _write(self, path, content):
        path.write_bytes(content)
        self._set_time(path)

    def _set_time(self, path):
        self._clock += 1
        os.utime(path, (self._clock, self._clock))

    def _text(self, kind):
        sentences = [self._sentence() for _ in range(self._chance.randrange(1, 9))]
        if kind == ".csv":
            return "\n".join(["person,place", *(f"{self._person()},{self._place()}" for _ in sentences)]).encode()
        if kind == ".html":
            return f"<h1>{self._person()}</h1>{''.join(f'<p>{one}</p>' for one in sentences)}".encode()
        heading = f"# {self._person()}\n\n" if kind == ".md" and self._chance.random() < 0.7 else ""
        return (heading + "\n\n".join(sentences)).encode()

    def _sentence(self):
        return f"In {self._chance.randrange(1800, 1960)} {self._person()} met {self._person()} in {self._place()}."

    def _person(self):
        return self._chance.choice(NAMES)

    def _place(self):
        return self._chance.choice(PLACES)
