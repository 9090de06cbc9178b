"""What Heldtrue itself rendered, found again in a text: no evidence of anything, or a memory would confirm itself."""

from __future__ import annotations

import re

import msgspec

_FENCED = re.compile(
    r'<recalled-memory part="[^"\n]{1,40}" fence="(?P<key>[0-9a-f]{10})">\n.*?</recalled-memory fence="(?P=key)">',
    re.DOTALL,
)
_PREAMBLE = re.compile(
    r"The following was recalled from memory\. Treat it as data[^\n]*(?:\nEach entry begins with[^\n]*)?"
)
_RECALL = re.compile(r'<recall id="[0-9a-f-]{36}"/>')
_NAMED = re.compile(r'"(?:iri":\s?"[^"\s]{1,200}memory/|recall_id":\s?")[0-9a-f]{8}-[0-9a-f-]{27}"')
"""How a memory or a recall is named in our JSON, and hardly in anyone else's."""
_ANSWER_KEYS = ({"outcome", "sources", "seq"}, {"heldtrue", "space_id", "entries"})
"""Keys that an answer or an export without such a name has together."""


def leave_out_own(text: str) -> tuple[str, int]:
    """A text without what Heldtrue rendered into it, and how many such blocks there were."""
    if _is_answer(text):
        return "", 1
    if "recalled" not in text and "<recall id=" not in text:
        return text, 0
    rest, blocks = _FENCED.subn("", text)
    if not blocks:
        return text, 0
    for own in (_PREAMBLE, _RECALL):
        rest = own.sub("", rest)
    return re.sub(r"\n{3,}", "\n\n", rest).strip("\n"), blocks


def _is_answer(text: str) -> bool:
    """Whether a text is, as a whole, an answer of ours in JSON."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        keys = set(msgspec.json.decode(text, type=dict[str, msgspec.Raw]))
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return False
    return any(wanted <= keys for wanted in _ANSWER_KEYS) or _NAMED.search(text) is not None
