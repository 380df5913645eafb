"""Dates and times of day as people write them, as numbers: 19970501 for a day, 199705 for a month, 2226 for 22:26."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# The beginnings of the names of months in English, German, French, Spanish and Italian; the longest that fits counts.
_MONTHS = (
    "jan enero gennaio",
    "feb fév",
    "mar mär",
    "apr avr abr",
    "may mai mag",
    "jun juin giu",
    "jul juil lug",
    "aug août aout ago",
    "sep set",
    "oct okt ott",
    "nov",
    "dec dez déc dic",
)
_MONTH = (
    r"(?:jan(?:uary|uar|vier)?|enero|gennaio|feb(?:ruary|ruar|rero|braio)?|février|mar(?:ch|s|zo)?|märz|apr(?:il|ile)?"
    r"|avril|abril|may|mai|mayo|maggio|june?|juni|juin|junio|giugno|july?|juli|juillet|julio|luglio|aug(?:ust)?|août"
    r"|agosto|sept?(?:ember|embre|iembre)?|settembre|oct(?:ober|obre|ubre)?|okt(?:ober)?|ottobre|nov(?:ember|embre"
    r"|iembre)?|dec(?:ember)?|dez(?:ember)?|décembre|dic(?:iembre|embre)?)\.?"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|er|\.)?"
_YEAR = r"(?:1\d|20)\d\d"
_CLOCK = r"(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_DATE = re.compile(
    rf"(?<![\w./-])['\"]?(?:(?P<iso>(?P<y>{_YEAR})(?P<sign>[-/.])(?P<m>0?[1-9]|1[0-2])(?:(?P=sign)(?P<d>\d\d?))?)(?!\d){_CLOCK}"
    rf"|(?P<first>\d\d?)(?P<stroke>[-/.])(?P<second>\d\d?)(?P=stroke)(?P<year>{_YEAR}|\d\d(?!\d))"
    rf"|(?P<month>0?[1-9]|1[0-2])/(?P<of>{_YEAR})"
    rf"|(?P<words>(?:{_DAY}(?: of| de| d')?[\s-]+)?{_MONTH}(?: de| del|,)?[\s-]+{_YEAR}|{_MONTH}\s+{_DAY},?\s+{_YEAR})"
    rf")['\"]?(?![\w/]|[-.]\d)",
    re.IGNORECASE,
)
# In Chinese and Japanese, whose words no space separates.
_SIGNS = re.compile(rf"(?<!\d)(?P<y>{_YEAR})\s?年\s?(?P<m>0?[1-9]|1[0-2])\s?月(?:\s?(?P<d>\d\d?)\s?日)?")
_HOUR = r"(?:1[0-2]|0?[1-9])"


def _half(group: str) -> str:
    return rf"\s?(?P<{group}>[ap])\.?m\b\.?"


_TIME = re.compile(
    rf"(?<![\w:./])(?:(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?:{_half('half')})?"
    rf"|(?P<full>{_HOUR})(?:\.(?P<past>[0-5]\d))?{_half('side')}|(?P<name>noon|midnight)\b"
    # The first hour of 9 to 11 pm.
    rf"|(?P<since>{_HOUR})(?=\s?(?:and|to|until|till|-|–)\s?(?P<until>{_HOUR})(?::[0-5]\d)?{_half('later')})"
    # Of other languages: 22h30 and 22 Uhr.
    r"|(?P<o_clock>[01]?\d|2[0-3])\s?(?:h\s?(?P<more>[0-5]\d)|Uhr(?:\s(?P<also>[0-5]\d))?)\b)(?![\w:]|\.\d)",
    re.IGNORECASE,
)
# Years of two digits from here on are those of the last century.
_PIVOT = 50


@dataclass(frozen=True, slots=True)
class Moment:
    """A date or time of day in a text: its span and number.

    ``other`` is the number if the month stands before the day, where both are possible: 20170801 and 20170108.
    """

    start: int
    end: int
    number: float
    other: float | None = None


def dates_written(text: str) -> Iterator[Moment]:
    """The dates of a text that have a month.

    Example:
        >>> [int(date.number) for date in dates_written("31.12.2019, 8/25/17, May 1st, 1997, 3. März 2020, 2019-06")]
        [20191231, 20170825, 19970501, 20200303, 201906]
        >>> [int(date.number) for date in dates_written("5/2017, 2017年5月12日")]
        [201705, 20170512]
        >>> next(dates_written("on 1/8/2017"))
        Moment(start=3, end=11, number=20170801.0, other=20170108.0)
    """
    yield from sorted((*_written(text), *_in_signs(text)), key=lambda moment: moment.start)


def _in_signs(text: str) -> Iterator[Moment]:
    for match in _SIGNS.finditer(text):
        if number := _day(match["y"], match["m"], match["d"]):
            yield Moment(*match.span(), number)


def _written(text: str) -> Iterator[Moment]:
    for match in _DATE.finditer(text):
        if match["iso"]:
            numbers = _day(match["y"], match["m"], match["d"])
            other = None
        elif match["of"]:
            numbers, other = _day(match["of"], match["month"], None), None
        elif match["words"]:
            numbers, other = _spelled(match["words"]), None
        else:
            if len(match["year"]) == 2 and match["stroke"] != "/":
                # A version, perhaps.
                continue
            year = match["year"] if len(match["year"]) == 4 else _century(match["year"])
            numbers, other = _day(year, match["second"], match["first"]), _day(year, match["first"], match["second"])
            alike = match["stroke"] == "." or numbers == other
            numbers, other = (numbers, None if alike else other) if numbers else (other, None)
        if numbers:
            yield Moment(*match.span(), numbers, other)


def times_written(text: str) -> Iterator[Moment]:
    """The times of day of a text.

    Example:
        >>> [int(time.number) for time in times_written("at 22:26, 10:26 PM, 10.26 pm, 9am, 12:05 a.m. or noon")]
        [2226, 2226, 2226, 900, 5, 1200]
        >>> [int(time.number) for time in times_written("9 to 11 pm, 11 to 1 pm, 22h30, 22 Uhr 30")]
        [2100, 2300, 1100, 1300, 2230, 2230]
    """
    for match in _TIME.finditer(text):
        if match["name"]:
            number = 1200 if match["name"].casefold() == "noon" else 0
        elif match["o_clock"]:
            number = 100 * int(match["o_clock"]) + int(match["more"] or match["also"] or 0)
        elif match["since"]:
            number = 100 * _first_hour(int(match["since"]), int(match["until"]), match["later"].casefold())
        else:
            hour, half = int(match["hour"] or match["full"]), (match["half"] or match["side"] or "").casefold()
            number = 100 * (_of_day(hour, half) if half and hour <= 12 else hour)
            number += int(match["minute"] or match["past"] or 0)
        yield Moment(*match.span(), float(number))


def _of_day(hour: int, half: str) -> int:
    """The hour of the day, of one with am or pm."""
    return hour % 12 + 12 * (half == "p")


def _first_hour(since: int, until: int, half: str) -> int:
    """The first hour of a range whose end has am or pm: it is before the end."""
    other = "a" if half == "p" else "p"
    return _of_day(since, half if since % 12 <= until % 12 else other)


def _day(year: str, month: str, day: str | None) -> float | None:
    if not 1 <= int(month) <= 12 or (day and not 1 <= int(day) <= 31):
        return None
    return float(f"{year}{int(month):02}" + (f"{int(day):02}" if day else ""))


def _century(year: str) -> str:
    return f"{20 if int(year) < _PIVOT else 19}{year}"


def _spelled(date: str) -> float:
    parts = re.findall(r"[^\W\d_]{3,}|\d+", date.casefold())
    names = [part for part in parts if not part.isdigit()]
    month = next(
        number
        for number, beginnings in enumerate(_MONTHS, start=1)
        if any(name.startswith(beginning) for name in names for beginning in beginnings.split())
    )
    day = [int(part) for part in parts if part.isdigit() and len(part) < 3]
    return float(f"{parts[-1]}{month:02}" + "".join(f"{number:02}" for number in day))
