"""Numbers as people write them: with separators, signs, currencies and units, in millions, and in words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {word: number for number, word in enumerate(_ONES.split())} | {"none": 0}
_WORDS = NUMBER_WORDS | {word: 10 * number for number, word in enumerate(_TENS.split(), start=2)}
_SCALES = {"thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
# Letters and words of other languages behind digits; a small m may be metres, and a small b bytes.
_LETTERS = {"k": 1_000, "K": 1_000, "M": 10**6, "mn": 10**6, "Mio": 10**6, "bn": 10**9, "Bn": 10**9, "Mrd": 10**9}
_OF_MONEY = {"m": 10**6, "b": 10**9, "B": 10**9, "t": 10**12, "T": 10**12}
_FOREIGN = {
    "tausend": 1_000,
    "mil": 1_000,
    "mille": 1_000,
    "millionen": 10**6,
    "millones": 10**6,
    "milliarden": 10**9,
    "milliards": 10**9,
    "lakh": 10**5,
    "crore": 10**7,
}
# Of Chinese and Japanese, where what is counted may follow at once.
_SIGNS = {"百": 100, "千": 1_000, "万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8}
_FACTORS = _LETTERS | _OF_MONEY | _SIGNS
_UNIT = r"(?:km|cm|mm|kg|mg|g|m|ms|h|min|[kKmMgGtT][bB]|mph|%|°[CF]?|€|£|\$)"
_NUMERAL_SCALES = {"hundred": 100} | _SCALES | _FOREIGN
_SCALE = "|".join(rf"{word}s?" for word in _NUMERAL_SCALES)
_LETTER = "|".join(_LETTERS)
# Words of Chinese and Japanese may stand beside a number; some make it part of a date or time.
_LETTER_OR_DIGIT = r"[^\W\u3040-\u30ff\u4e00-\u9fff]"
_DATED = r"\s?[月日時时分]"
# More than 1.000 are a thousand in the words of a language that separates decimals by a comma.
_THOUSANDS_OF_OTHERS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
LONGEST_WORDS = 20
_WORDS_OF_OTHERS = re.compile(
    r"\b(?:(?:mehr|weniger|größer|kleiner|höher|niedriger) als|mindestens|höchstens|über|unter|bis zu|plus de|moins de"
    r"|au moins|au plus|más de|menos de|al menos|como máximo)\s*[$€£]?$",
    re.IGNORECASE,
)
# Thousands between spaces; of other separators, value_of says what they mean.
_DIGITS = r"[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,'’]\d+)*"
_NUMBER = re.compile(
    # Not within a word, a time, a date with strokes, or a row of numbers with hyphens, such as a telephone number.
    rf"(?<!{_LETTER_OR_DIGIT})(?<![.:/)])(?<!\d[-–,])(?<!-\()'?"
    rf"(?P<sign>(?<!\S)[-−]|(?<=[<>=≤≥(])[-−]|(?<!\S)(?<!\d )minus )?(?P<money>[$€£¥])?(?P<digits>{_DIGITS})"
    rf"(?:\s?(?P<letter>{_LETTER})(?!\w)\.?|\s?(?P<short>(?(money)[{''.join(_OF_MONEY)}]|(?!)))(?!\w)"
    rf"|(?P<large>[{''.join(_SIGNS)}])|\s(?P<scale>(?i:{_SCALE}))\b|{_UNIT})?'?(?!{_LETTER_OR_DIGIT}|\(|s\b|{_DATED}|[.,:/]\d|[-–]\(?\d)",
)
_ONE = "|".join(NUMBER_WORDS)
_TEN = "|".join(_TENS.split())
_CORE = rf"(?:(?:{_TEN})(?:[- ](?:{_ONE}))?|{_ONE})"
_HUNDREDS = rf"(?:(?:an?|{_CORE}) hundred(?: (?:and )?{_CORE})?|(?:an?|{_CORE}) dozen|{_CORE})"
_LARGE = "thousand|million|billion|trillion"
_SPOKEN = re.compile(
    rf"\b(?:(?P<whole>{_CORE}) and a half(?: (?:{_LARGE}))?"
    rf"|(?P<share>half (?:of )?|(?:a |three )?quarters? of )?"
    rf"(?P<said>(?:{_HUNDREDS}|an?) (?:{_LARGE})(?: (?:and )?{_HUNDREDS}(?: (?:{_LARGE}))?)*"
    rf"|{_HUNDREDS}))\b",
    re.IGNORECASE,
)
# Versions, addresses, dates, times, telephone numbers and ranges: digits that are joined.
_THOUSANDS = r"[1-9]\d{0,2}(?:,\d{3})+"
_CODE = re.compile(rf"(?<![\w.])(?:\d+(?:[.:/–-]\(?\d+\)?)+(?!\w)|{_THOUSANDS}[–-]{_THOUSANDS}(?![\w,–-]))")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_GROUPED = {sign: re.compile(rf"\d{{1,3}}(?:{re.escape(sign)}\d{{3}})+") for sign in ".,'’"}
# In India, hundreds of thousands are separated, too.
_LAKH = re.compile(r"\d{1,2}(?:,\d{2})*,\d{3}")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a text with its span; ``value`` is None for digits that are no number, such as a version.

    ``spelled`` says whether it is written in words, ``scale`` what its digits are multiplied by: 1,000,000 for
    *2 million*.
    """

    start: int
    end: int
    value: float | None
    spelled: bool = False
    scale: int = 1


def amounts_in(text: str) -> list[Amount]:
    """The numbers of a text in order, and digits that are none.

    Example:
        >>> [amount.value for amount in amounts_in("1,000,000 or 1.500,75 or -5 or 2 million or two dozen or 180cm")]
        [1000000.0, 1500.75, -5.0, 2000000.0, 24.0, 180.0]
        >>> [amount.value for amount in amounts_in("$3m or 3m or minus 3 or one and a half million or 2 lakh")]
        [3000000.0, 3.0, -3.0, 1500000.0, 200000.0]
        >>> [amount.value for amount in amounts_in("1.2.3 and 10.0.0.1 and 22:26")]
        [None, None, None]
    """
    found: list[Amount] = []
    for amount in (*_numerals(text), *_spoken(text), *_codes(text)):
        if all(amount.end <= other.start or amount.start >= other.end for other in found):
            found.append(amount)
    return sorted(found, key=lambda amount: amount.start)


def value_of(digits: str) -> float | None:
    """The number that digits with separators mean; None if they mean none, such as *1.2.3*.

    A single comma before three digits separates thousands, a single full stop decimals.

    Example:
        >>> [value_of(digits) for digits in ("1,500", "1.500", "1.500.000", "0,5", "1'000", "12,34,567", "192.168.1.1")]
        [1500.0, 1.5, 1500000.0, 0.5, 1000.0, 1234567.0, None]
    """
    text = re.sub(r"[ \u00a0\u202f]", "", digits)
    if text.isdigit():
        return float(text)
    if _is_grouped(text):
        return float(re.sub(r"\D", "", text))
    if _DECIMAL.fullmatch(text):
        return float(text.replace(",", "."))
    whole, sign, decimals = text.rpartition("," if text.rfind(",") > text.rfind(".") else ".")
    grouped = sign and sign not in whole and _is_grouped(whole, alone=True)
    return float(f"{re.sub(r'[^0-9]', '', whole)}.{decimals}") if grouped else None


def _is_grouped(text: str, *, alone: bool = False) -> bool:
    """Whether separators stand before groups of three digits; ``alone``, also a single full stop."""
    sign = next((sign for sign in text if not sign.isdigit()), "")
    if sign == "." and ((text.count(".") == 1 and not alone) or _is_address(text)):
        return False
    return not text.startswith("0") and bool(
        (sign and _GROUPED[sign].fullmatch(text)) or (sign == "," and _LAKH.fullmatch(text))
    )


def _is_address(text: str) -> bool:
    parts = text.split(".")
    return len(parts) == 4 and all(int(part) < 256 for part in parts)


def _numerals(text: str) -> Iterator[Amount]:
    for match in _NUMBER.finditer(text):
        value = value_of(match["digits"])
        if value is None:
            continue
        if _THOUSANDS_OF_OTHERS.fullmatch(match["digits"]) and _WORDS_OF_OTHERS.search(
            text, max(0, match.start() - LONGEST_WORDS), match.start()
        ):
            value *= 1_000
        sign = match["letter"] or match["short"] or match["large"] or ""
        scale = _FACTORS.get(sign, 1) * _scale(match["scale"] or "")
        value = value * scale * (-1 if match["sign"] else 1)
        yield Amount(*match.span(), value, scale=scale)


def _scale(word: str) -> int:
    word = word.casefold()
    return _NUMERAL_SCALES.get(word) or _NUMERAL_SCALES.get(word.removesuffix("s"), 1)


def _spoken(text: str) -> Iterator[Amount]:
    for match in _SPOKEN.finditer(text):
        value = _said(re.findall(r"[a-z]+", (match["said"] or match["whole"]).casefold()))
        scale = _SCALES.get(match[0].split()[-1].casefold(), 1)
        if match["whole"]:
            value = (value + 0.5) * scale
        yield Amount(*match.span(), value * _share(match["share"] or ""), spelled=True, scale=scale)


def _share(words: str) -> float:
    """The factor that *half of* or *three quarters of* stands for; 1 without such words."""
    words = words.casefold()
    if "quarter" in words:
        return 0.75 if "three" in words else 0.25
    return 0.5 if words else 1.0


def _said(words: list[str]) -> float:
    """The number that words spell: *two hundred and five thousand* is 205,000."""
    total = part = 0
    for word in words:
        if word in ("hundred", "dozen"):
            part = (part or 1) * (100 if word == "hundred" else 12)
        elif word in _SCALES:
            total, part = total + (part or 1) * _SCALES[word], 0
        else:
            part += _WORDS.get(word, 0)
    return float(total + part)


def _codes(text: str) -> Iterator[Amount]:
    for match in _CODE.finditer(text):
        yield Amount(*match.span(), None)
