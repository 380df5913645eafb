"""The fragments of ``cypher/fragments/``: Cypher that several queries share, each in its own file.

A file begins with ``// fragment: nearest_triples(t, wanted, most)``. Queries and other fragments include it by a line
such as ``// include: nearest_triples(t, $query, $near)``: each parameter is a word of the text, which is replaced by
the argument. A fragment may have several forms, each below a line such as ``// form: search_clause``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

# For any server; for one with the SEARCH clause of Cypher 25; for a scope of few passages, which needs no index.
Form = Literal["plain", "search_clause", "small_scope"]
_HEADER = re.compile(r"// fragment: (?P<name>\w+)\((?P<parameters>[\w, ]*)\)\n")
_FORM = re.compile(r"^// form: (\w+)\n", re.MULTILINE)
_INCLUDE = re.compile(r"^(?P<indent> *)// include: (?P<name>\w+)\((?P<given>.*)\)$\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of Cypher with parameters, in one form or in several."""

    parameters: tuple[str, ...]
    forms: Mapping[str, str]

    def text(self, *given: str, form: Form = "plain") -> str:
        """The text of a form, or else of the plain one, with arguments for the parameters, in order.

        Raises:
            ValueError: the number of arguments is wrong.

        Example:
            >>> Fragment(("t", "most"), {"plain": "MATCH (t:Triple) RETURN t LIMIT most"}).text("one", "$k")
            'MATCH (one:Triple) RETURN one LIMIT $k'
        """
        values = dict(zip(self.parameters, given, strict=True))
        names = "|".join(values) or "(?!)"
        # Not a query parameter or a property with that name, but also the end of a range, such as [..most].
        word = re.compile(rf"(?<![\w$])(?<![^.]\.)(?:{names})\b")
        return word.sub(lambda match: values[match[0]], self.forms.get(form, self.forms["plain"]))


def included(text: str, *, form: Form, folder: Path) -> str:
    """A text with the fragments that it includes, each with the indentation of its line.

    Raises:
        ValueError: a line includes an unknown fragment, or passes a wrong number of arguments.
    """

    def put(line: re.Match[str]) -> str:
        given = [part.strip() for part in line["given"].split(",")] if line["given"] else []
        try:
            found = fragment(line["name"], folder=folder).text(*given, form=form)
        except (OSError, ValueError) as error:
            raise ValueError(f"'{line[0].strip()}' is wrong: {error}") from error
        return indented(included(found, form=form, folder=folder), line["indent"])

    return _INCLUDE.sub(put, text).rstrip()


def indented(text: str, indent: str) -> str:
    """A text with an indentation before each line, and a line break at its end.

    Example:
        >>> indented("MATCH (t)\\nRETURN t", "  ")
        '  MATCH (t)\\n  RETURN t\\n'
    """
    return "".join(f"{indent}{line}\n" for line in text.splitlines())


@cache
def fragment(name: str, *, folder: Path | None = None) -> Fragment:
    """The fragment with a name.

    Raises:
        FileNotFoundError: there is none.
        ValueError: its file does not begin with its name and parameters.
    """
    file = (folder or resource_folder("cypher") / "fragments") / f"{name}.cypher"
    text = file.read_text(encoding="utf-8")
    header = _HEADER.match(text)
    if header is None or header["name"] != name:
        raise ValueError(f"the first line of {file.name} must be '// fragment: {name}(parameters)'")
    only, *formed = _FORM.split(text[header.end() :])
    forms = dict(zip(formed[::2], formed[1::2], strict=True)) or {"plain": only}
    return Fragment(
        tuple(header["parameters"].replace(",", " ").split()), {form: without_comments(forms[form]) for form in forms}
    )


def without_comments(text: str) -> str:
    """A text without comment lines, except those that include a fragment.

    Example:
        >>> without_comments("// All of them.\\nMATCH (n)\\n// include: whole(n)\\nRETURN n")
        'MATCH (n)\\n// include: whole(n)\\nRETURN n'
    """
    lines = text.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("//") or _INCLUDE.match(line))


def resource_folder(name: str) -> Path:
    """A folder that is inside an installed package, but at the top level of the repository in a checkout."""
    package = Path(__file__).resolve().parents[1]
    return next(base / name for base in (package, package.parent) if (base / name).is_dir())
