"""The columns of a CSV file: what separates them, and a name of its own for each."""

import csv
from collections import Counter
from collections.abc import Iterable

DELIMITERS = (",", ";", "\t", "|")
NAMELESS = "column"


def columns(lines: Iterable[str]) -> tuple[str, list[str]]:
    """The delimiter that gives the first row most columns, and their names; equal names get a number.

    Example:
        >>> columns(["name;city;city"])
        (';', ['name', 'city', 'city 2'])
        >>> columns(["name"])
        (',', ['name'])
    """
    first = list(_first_row(lines))
    rows = {delimiter: _read(first, delimiter) for delimiter in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda delimiter: len(rows[delimiter]))
    return delimiter, _distinct([name.strip() for name in rows[delimiter]])


def _read(lines: Iterable[str], delimiter: str) -> list[str]:
    try:
        return next(csv.reader(lines, delimiter=delimiter), [])
    except csv.Error:
        # With a delimiter that is not the file's, a row is one long cell.
        return []


def _first_row(lines: Iterable[str]) -> Iterable[str]:
    """The lines of the first row that is not blank: a quoted name may have several."""
    quotes = 0
    for line in lines:
        if line.strip() or quotes:
            yield line
            quotes += line.count('"')
            if quotes % 2 == 0:
                return


def _distinct(names: list[str]) -> list[str]:
    counts, taken = Counter[str](), set(names)
    distinct: list[str] = []
    for number, name in enumerate(names, start=1):
        name = name or (f"{NAMELESS} {number}" if names.count(name) > 1 else name)
        counts[name] += 1
        found = name
        while counts[name] > 1 and found in taken | set(distinct):
            found = f"{name} {counts[name]}"
            counts[name] += found in taken | set(distinct)
        distinct.append(found)
    return distinct
