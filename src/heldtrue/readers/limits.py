"""The limits of the readers, each with its unit and its reason."""

from __future__ import annotations

ENTRIES_MAX = 10_000
"""Files and folders in one folder or archive."""
READ_BYTES_MAX = 1024 * 1024 * 1024
"""All that one reading reads, unpacked."""
RENDERED_BYTES_MAX = 64 * 1024 * 1024
"""A file of which only the text is kept: a PDF or a saved page."""
PAGES_MAX = 2_000
"""Pages of one PDF."""
ELEMENT_BYTES_MAX = 64 * 1024 * 1024
"""One conversation of an export: it is held in memory, the export is not."""
CONVERSATION_BYTES_MAX = 64 * 1024 * 1024
"""The words of one conversation."""
NESTING_MAX = 32
"""Levels of JSON, and of folders."""
NUMBER_CHARS_MAX = 300
"""Digits of one number."""
FRONT_MATTER_BYTES_MAX = 16 * 1024
TAGS_MAX = 64
DETAILS_MAX = 32
ARCHIVE_RATIO_MAX = 100
"""Bytes unpacked for one that is packed; text packs to a tenth, a bomb to a thousandth."""
ARCHIVE_DIRECTORY_BYTES_MAX = 16 * 1024 * 1024
"""The list of members at the end of an archive, which is held in memory."""
CHUNK_BYTES = 64 * 1024
HEAD_BYTES = 256 * 1024
"""How much of a file is looked at to recognise it."""
SAMPLE_FILES_MAX = 50
"""How many files of a folder are looked at to recognise it."""
