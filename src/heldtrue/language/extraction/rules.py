"""The extractor that needs no model."""

from __future__ import annotations

from heldtrue.domain.extracted import Extracted, Material
from heldtrue.language.extraction.documents import extract_document
from heldtrue.language.extraction.messages import extract_message
from heldtrue.language.extraction.speaker_names import ROLES
from heldtrue.language.guard import guarded

_ROLE_OF = {"human": "user", "ai": "assistant", "bot": "assistant", "model": "assistant", "agent": "assistant"}


class RulesExtractor:
    """Finds by rules what a text says that is worth remembering."""

    name = "rules"

    @guarded(lambda _self, _material: [])
    def extract(self, material: Material) -> list[Extracted]:
        """What a turn or a document says; a speaker that is a bare role name tells the role and no name."""
        if not material.is_spoken:
            return extract_document(
                material.text,
                path=material.path,
                title=material.title,
                project=material.project,
                said_at=material.said_at,
            )
        said_by = (material.speaker or "").strip().lower()
        role = _ROLE_OF.get(said_by, said_by) if said_by in ROLES else "user"
        return extract_message(
            material.text,
            speaker=None if said_by in ROLES else material.speaker,
            role=role,
            project=material.project,
            said_at=material.said_at,
            before=material.before,
        )
