"""Splits Markdown at its headings, with the path of headings above each section; the text stays unchanged."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

# Separates the headings in a title.
HEADINGS = " > "
_MARKED = re.compile(r" {0,3}(#{1,6})(?:[ \t](.*))?")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
# Pictures as data: inline, as the target of a reference, and bare.
_DATA = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.+-]+)*,[A-Za-z0-9+/=%_-]*")
_PICTURE = re.compile(rf"!?\[([^\]\n]*)\]\(<?{_DATA.pattern}>?(?:[ \t]+[\"'][^\n]*?[\"'])?\)")
_REFERENCE = re.compile(rf"(?m)^ {{0,3}}\[[^\]\n]+\]:[ \t]*<?{_DATA.pattern}.*$")
# Where comments and HTML tables begin and end.
_COMMENT = re.compile("<!--"), re.compile("-->")
_TABLE = re.compile(r"<table\b", re.IGNORECASE), re.compile(r"</table\s*>", re.IGNORECASE)
_CODE = re.compile(r"[={}<>;\\]|\(\)?|^(?: {2,}|\t)|^(?:class|def|from|import|return|\$|#!?)\s?\w")
# Lines that cannot be an underlined heading: lists, quotes, tables, rules and code.
_NO_HEADING = re.compile(r"(?:    |\t| {0,3}(?:[-*+>|]|\d+[.)]\s|#{1,6}\s))")


def sections(text: str, *, settings: bool = True) -> Iterator[tuple[str, str, int]]:
    """The title, text and first line of each section; a title is the path of the headings above the text.

    A heading without text of its own belongs to the next section, so that no section is only a heading.

    Args:
        settings: keep the front matter in the text of the first section; it is also kept if there is no other text.

    Example:
        >>> for section in sections("# Guide\\n\\n## Install\\n\\nRun it.\\n\\n## Use\\n\\nCall it."):
        ...     print(section)
        ('Guide > Install', '# Guide\\n\\n## Install\\n\\nRun it.\\n', 1)
        ('Guide > Use', '## Use\\n\\nCall it.', 7)
    """
    lines = text.split("\n")
    path: dict[int, str] = {}
    # Front matter alone does not make a section either.
    body = _front_matter(lines)
    start = 0 if settings or not any(line.strip() for line in lines[body:]) else body
    for number, length, level, title in _headings(lines):
        if any(line.strip() for line in lines[body:number]):
            yield _title(path), "\n".join(lines[start:number]), start + 1
            start = number
        path = {above: name for above, name in path.items() if above < level} | {level: title}
        body = number + length
    yield _title(path), "\n".join(lines[start:]), start + 1


def front_matter(text: str) -> str:
    """The front matter of a text, without its delimiters.

    Example:
        >>> front_matter("---\\ntitle: Minutes\\n---\\n# May")
        'title: Minutes'
    """
    lines = text.split("\n")
    return "\n".join(lines[1 : max(1, _front_matter(lines) - 1)])


def without_pictures(text: str) -> str:
    """A text without pictures that are written into it as data; their descriptions stay, and so do all lines.

    Example:
        >>> without_pictures("![Bridge](data:image/png;base64,9bFl/Ik=) It was built in 1921.")
        'Bridge It was built in 1921.'
    """
    text = _PICTURE.sub(r"\1", text)
    return _DATA.sub("", _REFERENCE.sub("", text))


def without_comments(text: str) -> str:
    """A text without comments, which readers do not see; the lines keep their numbers, and code stays as it is.

    Example:
        >>> without_comments("Open<!-- until\\nMay --> on Mondays.")
        'Open\\n on Mondays.'
    """
    return _outside_code(text, lambda prose: _replaced(prose, _COMMENT, lambda comment: "\n" * comment.count("\n")))


def with_tables(text: str, convert: Callable[[str], str]) -> str:
    """A text with its HTML tables as Markdown, outside code; ``convert`` gives the Markdown of one."""

    def converted(html: str) -> str:
        table = convert(html)
        # What follows keeps its line, unless the table has fewer lines in HTML.
        return f"\n\n{table}\n" + "\n" * (html.count("\n") - table.count("\n") - 3) if table else ""

    return _outside_code(text, lambda prose: _replaced(prose, _TABLE, converted)) if "<" in text else text


def _replaced(text: str, marks: tuple[re.Pattern[str], re.Pattern[str]], change: Callable[[str], str]) -> str:
    """A text with its parts between two marks changed; a part that does not end stays."""
    parts, begins, ends, at = list[str](), *marks, 0
    # Not by one pattern: that would search for the end again behind each of many beginnings.
    while (begin := begins.search(text, at)) and (end := ends.search(text, begin.end())):
        parts += [text[at : begin.start()], change(text[begin.start() : end.end()])]
        at = end.end()
    return "".join([*parts, text[at:]])


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """A text whose parts outside fenced code are changed."""
    lines = text.split("\n")
    marked = zip(_fences(lines), lines, strict=True)
    groups = groupby(marked, key=lambda pair: pair[0][0])
    parts = ((is_code, "\n".join(line for _, line in group)) for is_code, group in groups)
    return "\n".join(part if is_code else change(part) for is_code, part in parts)


def _fences(lines: Iterable[str], fence: str = "") -> Iterator[tuple[bool, str]]:
    """For each line, whether it is fenced code or a fence, and the fence that is open after it.

    Args:
        fence: the fence that is open before the first line.
    """
    for line in lines:
        marks = _FENCE.fullmatch(line)
        is_code = bool(fence or marks)
        fence = _next_fence(fence, marks[1], marks[2]) if marks else fence
        yield is_code, fence


def without_code(text: str) -> str:
    """A text without its fenced code, and without a piece of code at whose beginning or end it was cut.

    Example:
        >>> without_code("Run it:\\n```sh\\ngear demo\\n```\\nThen ask."), without_code("$ gear demo\\n```\\nThen ask.")
        ('Run it:\\nThen ask.', 'Then ask.')
    """
    lines = text.split("\n")
    marked = [number for number, line in enumerate(lines) if _FENCE.fullmatch(line)]
    if not marked:
        return text
    kept, open_fence = _outside_fences(lines, "")
    first = marked[0]
    # A single fence, or an odd one, either ends the code at the beginning or begins that at the end.
    if open_fence and not lines[first].strip(" `~") and _codelike(lines[:first]) > _codelike(lines[marked[-1] :]):
        kept, _ = _outside_fences(lines, open_fence)
    return "\n".join(kept)


def _outside_fences(lines: Sequence[str], fence: str) -> tuple[list[str], str]:
    """The lines outside fenced code, and the fence that is open after them; ``fence`` is open before them."""
    kept: list[str] = []
    for line, (is_code, after) in zip(lines, _fences(lines, fence), strict=True):
        fence = after
        if not is_code:
            kept.append(line)
    return kept, fence


def _codelike(lines: Sequence[str]) -> float:
    """The share of lines that look like code."""
    written = [line for line in lines if line.strip()]
    return sum(_CODE.search(line) is not None for line in written) / (len(written) or 1)


def _title(path: dict[int, str]) -> str:
    return HEADINGS.join(filter(None, path.values()))


def _headings(lines: list[str]) -> Iterator[tuple[int, int, int, str]]:
    """The line, number of lines, level and text of each heading outside code and front matter."""
    first = _front_matter(lines)
    for number, (is_code, _) in enumerate(_fences(lines[first:]), start=first):
        line = lines[number]
        if is_code:
            continue
        if heading := _MARKED.fullmatch(line):
            yield number, 1, len(heading[1]), _strip_marks(heading[2] or "")
        elif _is_underlined(lines, number, first):
            yield number, 2, 1 if "=" in lines[number + 1] else 2, line.strip()


def _strip_marks(title: str) -> str:
    """A heading without its closing marks."""
    title = title.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title


def _front_matter(lines: list[str]) -> int:
    """The number of lines of front matter at the beginning, including its delimiters."""
    if lines[0].rstrip() != "---":
        return 0
    return next((number + 1 for number, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)


def _next_fence(fence: str, marks: str, info: str) -> str:
    """The open fence after a line of marks; code ends at a line of at least as many of the same marks."""
    if not fence:
        return "" if marks[0] == "`" and "`" in info else marks
    return "" if marks.startswith(fence) and not info.strip() else fence


def _is_underlined(lines: list[str], number: int, first: int) -> bool:
    line = lines[number]
    return (
        number + 1 < len(lines)
        and bool(line.strip())
        and _UNDERLINE.fullmatch(lines[number + 1]) is not None
        and _NO_HEADING.match(line) is None
        # The last line of a longer paragraph is not a heading.
        and (number == first or not lines[number - 1].strip())
    )
