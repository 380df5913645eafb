"""E-mail: what each message says, with who wrote it to whom, and without what it quotes."""

import mailbox
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.loaders import load

BODY = "Dear Ben,\n\nthe depot of Norvik moves to Köln in June.\n"


def message(body=BODY, *, subject="Move to Köln", html=None, **headers):
    made = EmailMessage()
    made["From"], made["To"] = "Ada Marlow <ada@example.org>", "ben@example.org"
    made["Subject"], made["Date"] = subject, "Tue, 05 Mar 2024 10:26:00 +0100"
    for name, value in headers.items():
        made[name] = value
    if body is not None:
        made.set_content(body)
    if html is not None:
        (made.set_content if body is None else made.add_alternative)(html, subtype="html")
    return made


def loaded(folder, *messages):
    if len(messages) == 1:
        (folder / "a.eml").write_bytes(messages[0].as_bytes())
        return load(folder / "a.eml")
    box = mailbox.mbox(folder / "a.mbox")
    for one in messages:
        box.add(one)
    box.close()
    return load(folder / "a.mbox")


def test_a_message_has_its_heads_and_its_text(tmp_path):
    """In plain letters, whatever it was encoded in; its author and its date are metadata, too."""
    (part,) = loaded(tmp_path, message()).parts

    assert "Move to Köln" == part.title
    assert part.text == (
        "From: Ada Marlow <ada@example.org>\nTo: ben@example.org\nDate: Tue, 05 Mar 2024 10:26:00 +0100\n"
        "Subject: Move to Köln\n\nDear Ben,\n\nthe depot of Norvik moves to Köln in June."
    )
    assert {"author": "Ada Marlow <ada@example.org>", "date": "2024-03-05T09:26:00Z"}.items() <= part.metadata.items()


def test_plain_text_comes_before_html_and_html_is_read_without_it(tmp_path):
    """Scripts and hidden text of HTML are no text."""
    html = "<p>Dear <b>Ben</b>,</p><p style='display:none'>secret</p><p>It moves.</p>"

    (both,) = loaded(tmp_path, message(html="<p>other</p>")).parts
    (alone,) = loaded(tmp_path, message(None, html=html)).parts

    assert "other" not in both.text
    assert alone.text.endswith("\n\nDear Ben,\n\nIt moves.")


@pytest.mark.parametrize(
    "quoted",
    [
        "\nOn Monday Ben wrote:\n> When does it move?\n>\n> Ben\n",
        "\nAm Montag schrieb Ben:\n\n> When does it move?\n",
        "\n> When does it move?\n> On Monday?\n",
        "\n-----Original Message-----\nFrom: Ben\nTo: Ada\n\nWhen does it move?\n",
    ],
)
def test_what_a_message_quotes_is_read_where_it_was_written(tmp_path, quoted):
    """Each message of a conversation repeats those before; its own text around the quotation stays."""
    (part,) = loaded(tmp_path, message(f"In June.\n{quoted}")).parts
    (around,) = loaded(tmp_path, message("As you ask:\n> When?\nIn June.\n\nI hope: so.\n")).parts

    assert part.text.endswith("\n\nIn June.")
    assert around.text.endswith("\n\nIn June.\n\nI hope: so.")


def test_a_mailbox_is_a_part_a_message(tmp_path):
    """Numbered in its order; a message without a subject has the name of the file."""
    found = loaded(tmp_path, message("One."), message("Two.", subject="Second"), message("Three.", subject="")).parts

    assert [("Move to Köln", 1), ("Second", 2), ("a", 3)] == [(part.title, part.number) for part in found]
    assert ["One.", "Two.", "Three."] == [part.text.rpartition("\n\n")[2] for part in found]
    # A document has one head for all of its passages.
    assert all(part.metadata.keys() <= {"file", "modified"} for part in found)


def test_attachments_are_named_and_not_read(tmp_path):
    """Nothing vanishes without a word."""
    plan = message()
    plan.add_attachment(b"PK", maintype="application", subtype="zip", filename="plan Köln.zip")
    plan.add_attachment("text", filename="notes.txt")
    many = [message(str(number)) for number in range(8)]
    for number, one in enumerate(many):
        one.add_attachment(b"x", maintype="image", subtype="png", filename=f"{number}.png")

    assert ("attachments were not read: plan Köln.zip, notes.txt",) == loaded(tmp_path, plan).remarks
    assert "and 3 more such remarks" == loaded(tmp_path, *many).remarks[-1]


def test_a_broken_message_costs_only_itself(tmp_path):
    """Unknown encodings are read as well as can be."""
    broken = message("x").as_bytes().replace(b'charset="utf-8"', b'charset="utf-99"').replace(b"\nx\n", b"\nK\xf6ln\n")
    (tmp_path / "a.eml").write_bytes(broken)

    assert load(tmp_path / "a.eml").parts[0].text.endswith("Köln")


@given(st.binary(max_size=400))
def test_any_message_is_text_or_refused(tmp_path_factory, content):
    """Heads and bodies can hold anything."""
    file = tmp_path_factory.getbasetemp() / "any.eml"
    file.write_bytes(b"From: a@b\nContent-Type: multipart/mixed; boundary=b\n" + content)

    try:
        parts = load(file).parts
    except InputError:
        return
    assert all(part.text == part.text.encode().decode() for part in parts)
