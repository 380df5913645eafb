"""Pictures of text, and PDFs of them."""

import io

from PIL import Image, ImageDraw, ImageFont

LEASE = "The lease was signed by Mara Lindqvist on 4 May 2019.\n\nThe rent is 2,450 euros a month."


def drawn(text, *, size=36):
    """A page of A4 at 200 dots per inch with a text."""
    page = Image.new("L", (1654, 2339), 255)
    ImageDraw.Draw(page).multiline_text((150, 200), text, fill=0, font=ImageFont.load_default(size))
    return page


def scanned(*pages):
    """A PDF of pictures; a text is drawn, None is a blank page."""
    first, *others = [drawn(page or "") if not isinstance(page, Image.Image) else page for page in pages]
    out = io.BytesIO()
    first.save(out, "PDF", resolution=200, save_all=True, append_images=others)
    return out.getvalue()
