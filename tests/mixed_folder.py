"""A folder of 200 generated files of mixed kinds about companies, founders and towns, which refer to each other."""

import json

TOWNS = ("Aldenmoor", "Brackwater", "Corvenhall", "Dunmere", "Eastfold", "Farrowdale", "Glenmark", "Harrowgate")
FIRST = ("Ada", "Bruno", "Clara", "Dorian", "Edith", "Felix", "Greta", "Hugo", "Irene", "Jonas")
LAST = ("Albrecht", "Borowski", "Castellan", "Dvorak", "Eklund")
STUFFS = ("Amber", "Birch", "Copper", "Denim", "Ebony", "Flint", "Granite", "Hazel", "Indigo", "Jade")
COLOURS = ("Ashen", "Bright", "Crimson", "Dusky", "Emerald", "Faded", "Golden", "Hollow", "Ivory", "Lilac")
TRADES = ("Clockworks", "Foundry")
KINDS = ("md", "txt", "html", "csv")
FILES = 200


def founder(number):
    """A name of two words, one of fifty."""
    return f"{FIRST[number % len(FIRST)]} {LAST[number // len(FIRST) % len(LAST)]}"


def company(number):
    """A name of three words, one of two hundred."""
    return f"{COLOURS[number % 10]} {STUFFS[number // 10 % 10]} {TRADES[number // 100 % 2]}"


def town(number):
    """The birthplace of a founder."""
    return TOWNS[number % len(TOWNS)]


def write(folder):
    """Write the files: fifty companies per file type, in folders of ten; the last file has no type."""
    for number in range(FILES):
        part = folder / f"part{number // 10}"
        part.mkdir(parents=True, exist_ok=True)
        kind = KINDS[number % len(KINDS)]
        (part / f"record_{number}.{kind}").write_text(_CONTENT[kind](number))
    (folder / "picture.bin").write_bytes(b"\x00\x01")
    (folder / "people.jsonl").write_text("".join(json.dumps(_person(number)) + "\n" for number in range(50)))


def _person(number):
    text = f"{founder(number)} was born in {town(number)}. In 1984 the family moved to Port Ellery."
    return {"id": f"person{number}", "title": founder(number), "text": text}


def _sentences(number):
    return (
        f"{company(number)} makes clocks and bells. It was founded in {1900 + number % 90} by {founder(number)}. "
        f"Its largest customer is {company((number + 7) % FILES)}."
    )


def _csv(number):
    return f"company,founder,customer\n{company(number)},{founder(number)},{company((number + 7) % FILES)}\n"


_CONTENT = {
    "md": lambda number: f"# {company(number)}\n\n## History\n\n{_sentences(number)}\n",
    "txt": lambda number: _sentences(number) + "\n",
    "html": lambda number: f"<title>{company(number)}</title><p>{_sentences(number)}</p>",
    "csv": _csv,
}
