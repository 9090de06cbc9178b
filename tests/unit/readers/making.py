"""Makes archives and PDFs for these tests, and sorts out what was read."""

import io
import zipfile

from heldtrue.readers.values import Document, Skipped, Value


def sort_out(values: list[Value]) -> tuple[list[str], dict[str, str]]:
    documents = [value.path for value in values if isinstance(value, Document)]
    return documents, {value.path: value.reason for value in values if isinstance(value, Skipped)}


def zipped(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return file.getvalue()


def make_pdf(*pages: str, title: str = "Otter report") -> bytes:
    """A PDF with one line of text on each page."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * page} 0 R" for page in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for page, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * page} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    objects.append(f"<< /Title ({title}) >>")
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    trailer = f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    return out + f"trailer\n{trailer}\nstartxref\n{start}\n%%EOF\n".encode()
