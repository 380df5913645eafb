"""PDFs for tests."""

import io

import pypdf


def pdf(*pages, password=None, **information):
    """A PDF with one line of text per page, written out object by object; None is a blank page.

    ``information`` is that of the document: ``Title="..."``.
    """
    streams = [b"" if page is None else f"BT /F1 12 Tf 72 700 Td ({page}) Tj ET".encode("latin-1") for page in pages]
    numbers = range(4, 4 + 2 * len(pages), 2)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(f'{n} 0 R' for n in numbers)}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, stream in zip(numbers, streams, strict=True):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
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


def _with(made, information, password):
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(made))
    writer.add_metadata({f"/{name}": value for name, value in information.items()})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
