"""OpenDocument files for tests, as LibreOffice writes them, but shorter."""

import io
import zipfile

NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "style", "text", "table", "drawing", "meta", "presentation")
).replace("xmlns:drawing", "xmlns:draw")


def opendocument(body, *, styles="", meta="", manifest="", doctype=""):
    """A package with a body, automatic styles and metadata, all in XML."""
    content = (
        f"{doctype}<office:document-content {NAMESPACES}><office:automatic-styles>{styles}</office:automatic-styles>"
    )
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("META-INF/manifest.xml", f"<manifest>{manifest}</manifest>")
        package.writestr("content.xml", f"{content}<office:body>{body}</office:body></office:document-content>")
        package.writestr(
            "meta.xml",
            f'<office:document-meta {NAMESPACES} xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<office:meta>{meta}</office:meta></office:document-meta>",
        )
    return written.getvalue()


def cell(content, *, down=1, across=1, kind="string", repeated=1, **values):
    """A cell of a table; ``values`` are attributes of the office namespace, such as ``value``."""
    given = "".join(f' office:{name.replace("_", "-")}="{value}"' for name, value in values.items())
    spans = f' table:number-rows-spanned="{down}" table:number-columns-spanned="{across}"' if down * across > 1 else ""
    repeat = f' table:number-columns-repeated="{repeated}"' if repeated > 1 else ""
    inner = f"<text:p>{content}</text:p>" if content else ""
    type_ = f' office:value-type="{kind}"' if content else ""
    return f"<table:table-cell{type_}{given}{spans}{repeat}>{inner}</table:table-cell>"


def table(rows, *, name="T"):
    """A table of rows of cells, each in XML."""
    inner = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in rows)
    return f'<table:table table:name="{name}">{inner}</table:table>'


def merged_rows(cells, height):
    """The rows of a table of cells as (row, column, rows, columns, text)."""
    covered = "<table:covered-table-cell/>"
    places = [{} for _ in range(height)]
    for top, left, down, across, text in cells:
        for row in range(top, top + down):
            places[row] |= dict.fromkeys(range(left, left + across), covered)
        places[top][left] = cell(text, down=down, across=across)
    return [[row[column] for column in sorted(row)] for row in places]
