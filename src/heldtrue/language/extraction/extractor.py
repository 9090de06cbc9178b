"""The extractor that needs no language model: the reader judges, or without it only what is marked counts."""

from __future__ import annotations

from heldtrue.domain.extracted import Extracted, Material
from heldtrue.domain.judged import JudgeUnits
from heldtrue.language.extraction.documents import extract_document
from heldtrue.language.extraction.messages import extract_message
from heldtrue.language.extraction.speaker_names import ROLES
from heldtrue.language.guard import guarded

_ROLE_OF = {"human": "user", "ai": "assistant", "bot": "assistant", "model": "assistant", "agent": "assistant"}


class ReaderExtractor:
    """Finds what a text says that is worth remembering."""

    def __init__(self, judge: JudgeUnits | None) -> None:
        self._judge = judge

    @property
    def name(self) -> str:
        """`reader`, or `marks` where there is none."""
        return "marks" if self._judge is None else "reader"

    @guarded(lambda _self, _material: [])
    def extract(self, material: Material) -> list[Extracted]:
        """What a turn or a document says; a speaker that is a bare role name tells the role and no name."""
        if not material.is_spoken:
            return extract_document(
                material.text,
                judge=self._judge,
                path=material.path,
                title=material.title,
                project=material.project,
                said_at=material.said_at,
            )
        said_by = (material.speaker or "").strip().lower()
        role = _ROLE_OF.get(said_by, said_by) if said_by in ROLES else "user"
        return extract_message(
            material.text,
            judge=self._judge,
            speaker=None if said_by in ROLES else material.speaker,
            role=role,
            project=material.project,
            said_at=material.said_at,
            before=material.before,
        )
