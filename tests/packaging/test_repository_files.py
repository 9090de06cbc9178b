"""The files that people who find the project look for are there, and are well formed."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.packaging.environments import PROJECT

TEMPLATES = PROJECT / ".github" / "ISSUE_TEMPLATE"
INPUTS = {"checkboxes", "dropdown", "input", "textarea"}


def test_vulnerabilities_are_reported_in_private_and_to_no_invented_address() -> None:
    text = (PROJECT / "SECURITY.md").read_text("utf-8")
    assert "Report a vulnerability" in text
    assert "@" not in text


@pytest.mark.parametrize("template", ["bug", "feature"])
def test_an_issue_form_has_what_the_forge_asks_for(template: str) -> None:
    form = yaml.safe_load((TEMPLATES / f"{template}.yml").read_text("utf-8"))
    assert {"name", "description", "body"} <= form.keys()
    inputs = [element for element in form["body"] if element["type"] in INPUTS]
    assert all(element["attributes"]["label"] and element["id"] for element in inputs)
    assert len({element["id"] for element in inputs}) == len(inputs)
    assert {element["type"] for element in form["body"]} <= INPUTS | {"markdown"}
    assert any(element.get("validations", {}).get("required") for element in inputs)


def test_pull_requests_have_a_template_and_nobody_is_made_up_as_an_owner() -> None:
    assert "make test" in (PROJECT / ".github" / "pull_request_template.md").read_text("utf-8")
    assert not [path for path in (Path(), Path(".github"), Path("docs")) if (PROJECT / path / "CODEOWNERS").exists()]
