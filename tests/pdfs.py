"""PDFs for tests."""

import io

import pypdf


def pdf(*pages, password=None, **information):
    """A PDF with one line of text per page, written out object by object; None is a blank page, bytes are drawn.

    ``information`` is that of the document: ``Title="..."``.
    """
    streams = [page if isinstance(page, bytes) else b"" if page is None else line(page, 72, 700) for page in pages]
    numbers = range(5, 5 + 2 * len(pages), 2)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(f'{n} 0 R' for n in numbers)}] /Count {len(pages)} >>".encode(),
        *(
            b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % name
            for name in (b"Helvetica", b"Helvetica-Bold")
        ),
    ]
    for number, stream in zip(numbers, streams, strict=True):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    body, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    end = b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    made = body + end % (size, table, size, len(body))
    return _with(made, information, password) if information or password else made


def line(text, left, bottom, *, font="F1"):
    """What draws a line of text; positions are in points, from the lower left corner of the page."""
    return f"BT /{font} 9 Tf {left} {bottom} Td ({text}) Tj ET\n".encode("cp1252")


def table(cells, *, top=700, left=72, width=90, height=20, bold=0):
    """What draws a table: cells are (row, column, rows, columns, text) in order, the first ``bold`` rows in bold."""
    drawn = []
    for row, column, down, across, text in cells:
        x, y = left + column * width, top - (row + down) * height
        drawn.append(f"{x} {y} {across * width} {down * height} re S\n".encode())
        # In the middle of the cell, as most programs do it.
        drawn.append(line(text, x + 3, y + down * height / 2 - 3, font="F2" if row < bold else "F1"))
    return b"".join(drawn)


def ruled(rows, *, below, top=700, left=72, width=90, height=16):
    """What draws a table with lines between rows only: above it, and below each row whose number is in ``below``."""
    right = left + width * max(map(len, rows))
    heights = [top, *(top - (row + 1) * height for row in below)]
    drawn = [f"{left} {y} m {right} {y} l S\n".encode() for y in heights]
    for row, texts in enumerate(rows):
        y = top - row * height - height / 2 - 3
        drawn += [line(text, left + column * width + 3, y) for column, text in enumerate(texts) if text]
    return b"".join(drawn)


def grid(*rows):
    """The cells of rows of texts, for :func:`table`."""
    return [(row, column, 1, 1, text) for row, texts in enumerate(rows) for column, text in enumerate(texts)]


def _with(made, information, password):
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(made))
    writer.add_metadata({f"/{name}": value for name, value in information.items()})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
