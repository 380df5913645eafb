"""Addresses that a sync reads: the names of their documents, and that a folder's address stays within the folder."""

import pytest

from gear_neo4j.sync.files import Remote
from gear_neo4j.sync.tables import Rows, Table
from gear_neo4j.text.paths import public_address

ROOM = 2**20


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("s3://key:secret@bucket/docs", "s3://bucket/docs"),
        ("sftp://ada:p@ss:word@host/docs", "sftp://host/docs"),
        ("https://token@host/a.md?sig=secret#top", "https://host/a.md"),
        ("https://host/@ada/a.md", "https://host/@ada/a.md"),
    ],
)
def test_a_name_holds_no_secret_of_its_address(address, name):
    """Neither for a file nor for a table there; an @ in a path is not a login."""
    assert name == public_address(address) == Remote(address, ROOM).name
    assert name == Rows(Table(source=address, key="id", text=["about"])).name


def test_the_address_of_a_folder_follows_no_link_out_of_it(tmp_path):
    """Like a local folder; a link within it is a document."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for file in (docs / "a.md", tmp_path / "private.md"):
        file.write_text("# Ada\n\nAda built the harbour.\n")
    (docs / "out.md").symlink_to(tmp_path / "private.md")
    (docs / "within.md").symlink_to(docs / "a.md")

    listed = Remote(f"file://{docs}", ROOM).list().documents

    assert ["a.md", "within.md"] == [document.name for document in listed]
