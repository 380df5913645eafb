"""The files of the page: rules across modules, and what a browser must never be asked to do."""

import gzip
import re

import pytest

from gear_neo4j.text.printable import printable
from gear_neo4j.web.pages import FOLDER, OPEN_PATHS

# Not ours: published libraries, as they are.
LIBRARIES = {"d3-force.js"}
MODULES = sorted(path for path in FOLDER.glob("*.js") if path.name not in LIBRARIES)
MOST_BYTES = 150_000
MOST_LINES = 200
MOST_LETTERS = 120
# Whatever turns text into code or markup, or navigates away from the page.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|createContextualFragment"
    r"|\.style\b|setAttribute\(.style|https?://(?!www\.w3\.org/2000/svg)|window\.|globalThis"
)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_a_module_is_short_says_what_it_is_for_and_makes_no_markup_of_text(path):
    """Elements are created in dom.js, where a string is always text."""
    text = path.read_text(encoding="utf-8")

    assert text.startswith("/** ")
    assert len(text.splitlines()) <= MOST_LINES
    assert max(map(len, text.splitlines())) <= MOST_LETTERS
    assert [] == FORBIDDEN.findall(text)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_what_a_module_offers_has_types(path):
    """In JSDoc, above each function and class."""
    text = path.read_text(encoding="utf-8")
    exported = re.findall(r"(\*/\n)?export (?:async )?(?:function\*?|class) (\w+)", text)

    assert [] == [name for comment, name in exported if not comment]


def test_the_shell_has_no_script_and_no_style_of_its_own():
    """The page's policy would not allow them."""
    shell = (FOLDER / "index.html").read_text(encoding="utf-8")

    assert [] == re.findall(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", shell)
    assert '<html lang="en">' in shell


@pytest.mark.parametrize("name", sorted(LIBRARIES))
def test_a_library_says_whose_it_is_and_comes_from_nowhere_else(name):
    """Its version, its licence, and no address that it could load from."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    notice, _, code = text.partition("*/")

    assert re.search(r"\d+\.\d+\.\d+", notice)
    assert "Permission to use, copy, modify" in notice
    assert [] == re.findall(r"https?://|\bimport\b|\beval\(|new Function|innerHTML", code)


def test_the_page_is_small():
    """All files together, as transferred."""
    assert sum(len(gzip.compress(path.read_bytes())) for path in FOLDER.iterdir()) < MOST_BYTES


def test_every_file_can_be_reached_without_a_key_and_nothing_else_is_there():
    """The shell is at the root."""
    names = {path.name for path in FOLDER.iterdir()} - {"index.html"}

    assert names == {path.rsplit("/", 1)[1] for path in OPEN_PATHS} - {""}


def test_modules_take_the_same_characters_out_of_text_as_python_does():
    """Controls and bidirectional controls; JSON never contains half of a surrogate pair."""
    pattern = re.search(r"const CONTROLS = /\[(.*)\]/g", (FOLDER / "text.js").read_text(encoding="utf-8"))
    removed = re.compile(f"[{pattern[1]}]")
    characters = [chr(code) for code in range(0x3000) if not 0xD800 <= code < 0xE000]

    assert [c for c in characters if printable(c) == ""] == [c for c in characters if removed.match(c)]
