"""The reader that ships was trained on the labels that ship, and its two ways of running agree."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from heldtrue.models import reader_network
from heldtrue.models.reader import open_reader
from heldtrue.wiring.models import open_static
from tests.packaging.environments import PROJECT

PAIRS = [
    ("port 8443 is where the payroll service listens", "the payroll service runs on port 8443."),
    ("the payroll service runs on port 9443", "the payroll service runs on port 8443."),
    ("the payroll service writes a log", "the payroll service runs on port 8443."),
]


def test_the_labels_are_those_that_the_weights_were_trained_on() -> None:
    done = subprocess.run(
        [sys.executable, PROJECT / "tools" / "reader.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "train.py" in done.stdout


@pytest.mark.covers("X4")
def test_numpy_and_onnxruntime_give_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    for finds in (find_spec, lambda _name: None):
        reader_network.load_network.cache_clear()
        monkeypatch.setattr(reader_network, "find_spec", finds)
        given.append(open_reader(open_static()).compare(PAIRS))
    reader_network.load_network.cache_clear()
    by_runtime, by_numpy = given
    for first, second in zip(by_runtime, by_numpy, strict=True):
        assert first.says == pytest.approx(second.says, abs=0.02)
        assert first.contradicts == pytest.approx(second.contradicts, abs=0.02)
    assert [round(relation.says) for relation in by_numpy] == [1, 0, 0]
    assert [round(relation.contradicts) for relation in by_numpy] == [0, 1, 0]


def test_onnxruntime_is_told_to_report_nothing(tmp_path: Path) -> None:
    """Its builds keep a device id in the home folder of the user, and send what they record."""
    use = (
        "from heldtrue import Memory; memory = Memory.open(':memory:'); "
        "memory.as_agent('a').learn('The port is 8443.'); print(memory.status().reader)"
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", use],
        env=environment | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "True", "the control: the reader was there"
    assert [path for path in tmp_path.rglob("*") if "Microsoft" in path.parts] == []
